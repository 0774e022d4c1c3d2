// SPDX-License-Identifier: Apache-2.0
// Random programs of chips: the golden model says what must come out, the RTL runs in lockstep with it under random
// memory timing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "support.h"
#include "sw/isa/tepin_window.h"
#include "tb/chip_sim.h"
#include "tests/sw/golden/chip_programs.h"

namespace tepin::tb::testing {
namespace {

#ifndef TEPIN_RANDOM_CHIP_PROGRAMS
#define TEPIN_RANDOM_CHIP_PROGRAMS 10
#endif
constexpr std::uint64_t kPrograms = TEPIN_RANDOM_CHIP_PROGRAMS;
constexpr std::uint64_t kMaxCycles = 200'000;

using golden::testing::ChipProgram;
using golden::testing::Mesh;
using golden::testing::RandomChipProgram;

/// Contents of memories at the start, the same in every tile of the golden model and the RTL.
struct Contents {
  std::uint64_t spad_bytes = 0, hbm_bytes = 0;  // from address 0, hbm in each pseudo-channel
  bool floats = false;                          // small values, else any bits: NaNs and infinities too
  bool lasting = false;                         // programs do not change it: the RTL need not be loaded again
  friend bool operator==(const Contents&, const Contents&) = default;
  [[nodiscard]] Bytes spad(std::uint32_t tile) const {
    return floats ? random_floats(spad_bytes / 4, tile) : random_bytes(spad_bytes, tile);
  }
  [[nodiscard]] Bytes hbm(std::uint32_t tile, int pc) const {
    return random_bytes(hbm_bytes, 1000 + 2 * tile + static_cast<std::uint32_t>(pc));
  }
};

class ChipPair {
 public:
  explicit ChipPair(Mesh mesh) : mesh_(mesh), sim_(mesh.x, mesh.y, {.checked = true}) {}

  golden::Outcome run_golden(const isa::Program& p, const Contents& c, std::uint64_t schedule = 0) {
    golden_.emplace(kTileConfig, mesh_.x, mesh_.y, golden::Options{.log = true, .schedule_seed = schedule});
    for (const std::uint32_t t : mesh_.tiles()) {
      golden_->load_spad(t, 0, c.spad(t));
      for (int pc = 0; pc < kPcs; ++pc) golden_->load_hbm(t, static_cast<std::uint32_t>(pc), 0, c.hbm(t, pc));
    }
    return golden_->run(p);
  }
  /// After run_golden() that is done: empty, or what differs.
  std::string run_rtl(const isa::Program& p, const Contents& c, std::uint64_t timing) {
    ChipLockstep lockstep(*golden_);
    const ChipResult r = start(p, c, timing, &lockstep);
    checked += lockstep.checked();
    cycles += r.cycles;
    if (lockstep.divergence() != nullptr) return lockstep.divergence()->text();
    if (r.stop != Stop::kDone) return fmt::format("no end: {} ({})", static_cast<int>(r.stop), r.fault.text());
    Comparison all;
    for (const std::uint32_t t : mesh_.tiles()) all.add(compare_final(sim_.tile(t % 8, t / 8), *golden_, t));
    checked += all.checked;
    return all.first_mismatch;
  }
  ChipResult start(const isa::Program& p, const Contents& c, std::uint64_t timing, ChipLockstep* lockstep) {
    const auto sections = isa::place_sections(p, mesh_.x, mesh_.y, "program");
    std::vector<bool> starts;
    for (const std::uint32_t t : mesh_.tiles()) {
      TileSim& tile = sim_.tile(t % 8, t / 8);
      set_timing(tile, random_timing(timing + t));
      tile.soft_reset();
      const isa::Section* s = sections[starts.size()];
      starts.push_back(s != nullptr);
      if (s != nullptr) tile.load(*s);
      if (c.lasting && c == loaded_) continue;
      tile.window_write(isa::kWinSpad, c.spad(t));
      for (int pc = 0; pc < kPcs; ++pc) tile.store(pc, 0, c.hbm(t, pc));
    }
    loaded_ = c;
    return sim_.run(kMaxCycles, starts, lockstep);
  }
  void reset() { sim_.reset(); }

  std::uint64_t checked = 0, cycles = 0;

 private:
  Mesh mesh_;
  ChipSim sim_;
  std::optional<golden::Chip> golden_;
  Contents loaded_;
};

// Small programs that share words and semaphores as they like: those without fault do the same on the RTL, those that
// get stuck or whose members differ do so there, too.
TEST(RandomChipPrograms, SmallOnesEndAsTheGoldenModelEnds) {
  constexpr Contents kContents{.spad_bytes = 512, .hbm_bytes = 512};
  ChipPair pair(RandomChipProgram::kMesh);
  std::uint64_t done = 0, faults = 0;
  const std::uint64_t first = first_seed(1);
  const std::uint64_t count = cases(10 * kPrograms);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const isa::Program p = RandomChipProgram(seed).program();
    const golden::Outcome o = pair.run_golden(p, kContents);
    if (o.status == golden::Status::kError) continue;
    if (o.status == golden::Status::kDone) {
      ++done;
      ASSERT_EQ(pair.run_rtl(p, kContents, seed), "") << replay(seed);
      continue;
    }
    const ChipResult r = pair.start(p, kContents, seed, nullptr);
    if (r.stop == Stop::kDone && o.waits_in_reduction()) continue;
    ++faults;
    ASSERT_EQ(r.stop, Stop::kFault) << o.text() << "; " << replay(seed);
    // Members that differ are found where their operands meet; where they do not, they wait for ever.
    const bool apart = o.fault.cause == isa::Cause::kGroupMismatch && r.fault.cause == isa::Cause::kStuck;
    EXPECT_TRUE(apart || r.fault.cause == o.fault.cause)
        << o.text() << ", RTL: " << r.fault.text() << "; " << replay(seed);
    pair.reset();  // operands of what was stuck rest in the routers
  }
  std::printf("%llu done, %llu stopped of %llu; %llu values compared\n", static_cast<unsigned long long>(done),
              static_cast<unsigned long long>(faults), static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(pair.checked));
  if (count < 100) return;
  EXPECT_GT(done, count / 10);
  EXPECT_GT(faults, count / 50);
}

/// Programs without races by construction: what a tile writes, it writes to a place of its own, and sources are what
/// the memories hold at the start or what the same NET wrote. Collectives of random sets and roots, in one order at all
/// tiles, with one-sided instructions between them that differ from tile to tile; a barrier of all after every third
/// collective keeps two sets of one number apart. Other engines move data meanwhile.
class CollectiveProgram {
  static constexpr std::uint32_t kSources = 0x2000;  // bytes from address 0

 public:
  static constexpr Contents kContents{.spad_bytes = kSources, .hbm_bytes = 64 * 1024, .lasting = true};

  CollectiveProgram(Mesh mesh, std::uint64_t seed) : tiles_(mesh.tiles()), rng_(seed) {
    for (const std::uint32_t t : tiles_) {
      p_.at(t);
      group(t, 3, mesh.mask(), tiles_[0]);
    }
    const std::uint64_t steps = 4 + below(8);
    for (std::uint64_t i = 0, sets = 0; i < steps; ++i) {
      if (below(3) == 0) {
        one_sided();
        continue;
      }
      if (sets != 0 && sets % 3 == 0) all_wait();
      collective(static_cast<std::uint32_t>(sets++ % 3));
    }
    all_wait();
  }
  [[nodiscard]] isa::Program program() const { return p_.program(); }
  std::map<std::string, int> kinds;

 private:
  using Fields = std::initializer_list<std::pair<std::string_view, std::uint32_t>>;
  static constexpr std::uint32_t kEnd = 0x18000;
  std::uint32_t below(std::uint64_t n) { return static_cast<std::uint32_t>(rng_() % n); }
  std::uint32_t any() { return tiles_[below(tiles_.size())]; }
  void group(std::uint32_t t, std::uint32_t g, std::uint64_t mask, std::uint32_t root) { p_.group(t, g, mask, root); }
  void all_wait() {
    for (const std::uint32_t t : tiles_) p_.at(t).raw("nbar", {{"g", 3}});
  }
  /// Words of the scratchpad that nothing else writes.
  std::uint32_t place(std::uint32_t t, std::uint32_t words) {
    std::uint32_t& next = next_.try_emplace(t, kSources).first->second;
    const std::uint32_t at = next;
    next += 32 * words;
    if (next > kEnd) throw std::logic_error("the random program needs too much memory");
    return at;
  }
  std::uint32_t source(std::uint32_t words) { return 32 * below(kSources / 32 - words + 1); }
  std::uint64_t members() {
    std::uint64_t mask = 0;
    const std::uint64_t percent = 20 + below(80);
    for (const std::uint32_t t : tiles_) mask |= below(100) < percent ? golden::testing::bit(t) : 0;
    return mask != 0 ? mask : golden::testing::bit(any());
  }

  void collective(std::uint32_t g) {
    constexpr std::array<std::string_view, 6> kOps{"nbar", "nred", "nar", "nrs", "nag", "na2a"};
    const std::string_view op = kOps[below(kOps.size())];
    const std::uint64_t mask = members();
    const std::uint32_t root = any();
    const auto n = static_cast<std::uint32_t>(std::popcount(mask));
    const std::uint32_t len = 1 + below(below(4) == 0 ? 40 : 6);
    const std::uint32_t max = below(4) == 0 ? 1 : 0;
    const std::uint32_t bf16 = below(2);
    const bool scatters = op == "nrs" || op == "na2a";
    const bool gathers = op == "nag" || op == "na2a";
    std::uint32_t same = 0;  // dst must be the same at all
    if (gathers) {
      for (const std::uint32_t t : tiles_) same = std::max(same, place(t, 0));
      for (const std::uint32_t t : tiles_) next_[t] = same + 32 * len * n;
    }
    ++kinds[std::string(op)];
    for (const std::uint32_t t : tiles_) {
      const bool member = (mask & golden::testing::bit(t)) != 0;
      if (!member && (t != root || op == "nrs")) continue;
      private_work(t);
      group(t, g, mask, root);
      if (op == "nbar") {
        p_.at(t).raw(op, {{"g", g}});
        continue;
      }
      const std::uint32_t src = source(scatters ? len * n : len);
      const std::uint32_t dst = gathers ? same : place(t, len);
      if (gathers) {
        p_.at(t).engine(op, {{"dst", dst}, {"src", src}, {"len", len}, {"g", g}});
      } else {
        p_.at(t).engine(op, {{"dst", dst}, {"src", src}, {"len", len}, {"g", g}, {"max", max}, {"bf16", bf16}});
      }
    }
  }

  void one_sided() {
    const std::uint32_t t = any();
    const std::uint32_t to = any();
    const std::uint32_t len = 1 + below(below(4) == 0 ? 40 : 6);
    const std::uint32_t src = source(len);
    auto& b = p_.at(t);
    switch (below(5)) {
      case 0:
        ++kinds["nwr"];
        b.engine("nwr", {{"dst", place(to, len)}, {"src", src}, {"len", len}, {"tile", to}});
        if (below(2) == 0) b.post_to(to, 10 + below(4), 1 + below(9));
        break;
      case 1:
        ++kinds["npost"];
        b.engine("npost", {{"sem", 10 + below(4)}, {"count", 1 + below(1000)}, {"tile", to}});
        break;
      case 2: {
        ++kinds["nld"];
        const std::uint32_t npc = 1 + below(2);
        const std::uint32_t runs = below(3);
        const std::uint32_t at = place(t, (runs + 1) * (len + 1));
        b.engine("nld", {{"spad", at},
                         {"hbm", below(1000) + (npc == 1 ? below(2) << 26 : 0)},
                         {"len", len},
                         {"cnt", runs},
                         {"sstep", 32 * (len + below(2))},
                         {"hstep", below(200)},
                         {"tile", to},
                         {"npc", npc}});
        break;
      }
      case 3: {
        ++kinds["nst"];
        const std::uint32_t npc = 1 + below(2);
        std::uint32_t& beat = beats_.try_emplace(to, 4096).first->second;
        b.engine("nst", {{"spad", src}, {"hbm", beat}, {"len", len}, {"tile", to}, {"npc", npc}});
        beat += 64;
        break;
      }
      default: {
        ++kinds["nmc"];
        const std::uint64_t mask = members();
        group(t, 0, mask, t);
        std::uint32_t same = 0;
        for (const std::uint32_t m : tiles_) same = std::max(same, place(m, 0));
        for (const std::uint32_t m : tiles_) next_[m] = same + 32 * len;
        const std::uint32_t posts = below(3);
        b.engine(
            "nmc",
            {{"dst", same}, {"src", src}, {"len", len}, {"g", 0}, {"sem", posts == 0 ? 0U : 14U}, {"scnt", posts}});
        break;
      }
    }
  }

  /// Banks and memory ports are not NET's alone.
  void private_work(std::uint32_t t) {
    auto& b = p_.at(t);
    if (below(3) != 0) {
      const std::uint32_t words = 4 + below(24);
      b.engine("vmuls", {{"dst", place(t, words)}, {"src", source(words)}, {"n", 8 * words}, {"s", 0x40000000U}});
    }
    if (below(3) == 0) {
      const std::uint32_t beats = 8 + below(60);
      b.engine("ld", {{"spad", place(t, beats)}, {"hbm", below(500)}, {"len", beats}, {"npc", 2}});
    }
    if (below(3) == 0) {
      std::uint32_t& beat = beats_.try_emplace(t, 4096).first->second;
      b.engine("st", {{"spad", source(32)}, {"hbm", beat}, {"len", 32}, {"npc", 2}});
      beat += 64;
    }
  }

  std::vector<std::uint32_t> tiles_;
  std::mt19937_64 rng_;
  ChipProgram p_;
  std::map<std::uint32_t, std::uint32_t> next_, beats_;  // free places: scratchpad bytes, HBM beats
};

class RandomCollectives : public ::testing::TestWithParam<Mesh> {};

TEST_P(RandomCollectives, DoOnTheRtlWhatTheyDoInTheGoldenModel) {
  const Mesh mesh = GetParam();
  ChipPair pair(mesh);
  std::map<std::string, int> kinds;
  const std::uint64_t first = first_seed(1);
  const std::uint64_t count = cases(kPrograms);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const CollectiveProgram c(mesh, seed);
    Contents contents = CollectiveProgram::kContents;
    contents.floats = (seed - first) * 2 >= count;  // the second half
    const isa::Program p = c.program();
    const golden::Outcome o = pair.run_golden(p, contents, seed % 4);
    ASSERT_EQ(o.status, golden::Status::kDone) << o.text() << "; " << replay(seed);
    ASSERT_EQ(pair.run_rtl(p, contents, seed), "") << replay(seed);
    for (const auto& [kind, n] : c.kinds) kinds[kind] += n;
  }
  std::string mix;
  for (const auto& [kind, n] : kinds) mix += fmt::format(" {} {}", kind, n);
  std::printf("%ux%u: %llu programs, %llu cycles, %llu values compared;%s\n", mesh.x, mesh.y,
              static_cast<unsigned long long>(count), static_cast<unsigned long long>(pair.cycles),
              static_cast<unsigned long long>(pair.checked), mix.c_str());
  if (count < 10) return;
  EXPECT_EQ(kinds.size(), 11U) << mix;
}

INSTANTIATE_TEST_SUITE_P(Meshes, RandomCollectives,
                         ::testing::Values(Mesh{1, 1}, Mesh{2, 2}, Mesh{3, 1}, Mesh{1, 4}, Mesh{3, 2}),
                         [](const auto& i) { return fmt::format("{}x{}", i.param.x, i.param.y); });

}  // namespace
}  // namespace tepin::tb::testing
