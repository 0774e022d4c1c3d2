// SPDX-License-Identifier: Apache-2.0
// Random small programs. The sanitizer sees one schedule only, so what it says must hold for all: if one schedule ends
// clean, every schedule must end clean and with the same memory, registers and semaphores.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "fixture.h"

namespace tepin::golden::testing {
namespace {

constexpr std::uint32_t kSems = 4;
constexpr std::uint32_t kWords = 4;  // of the scratchpad, 32 bytes apart

// A machine small enough to be made a hundred thousand times; short queues so that they fill up.
isa::Config tiny() {
  isa::Config c = isa::kNano;
  c.spad_bytes = 256;
  c.pcs = 1;
  c.hbm_beats = 16;
  c.queue_depth = 2;
  return c;
}

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : rng_(seed) {}

  /// Each program draws its own habits: how many threads, how often it waits and posts, whether engines and semaphores
  /// belong to one thread (else almost everything would be a race).
  isa::Section program() {
    Builder p;
    const int threads = 2 + static_cast<int>(below(2));
    shared_engines_ = below(8) == 0;
    shared_sems_ = below(4) == 0;
    sync_percent_ = 20 + below(60);
    for (int t = 0; t < threads; ++t) {
      p.thread(t).li(1, 32 * static_cast<std::uint32_t>(t)).li(2, 1);
      p.li(3, static_cast<std::uint32_t>(rng_()));
      const std::uint64_t length = 1 + below(5);
      for (std::uint64_t i = 0; i < length; ++i) instruction(p, t, threads);
      p.halt();
    }
    return p.section();
  }

 private:
  std::uint64_t below(std::uint64_t n) { return rng_() % n; }

  void instruction(Builder& p, int t, int threads) {
    // Mostly a word of the thread's own, so that some programs are clean.
    const auto word = static_cast<std::uint32_t>((below(3) == 0 ? below(kWords) : static_cast<std::uint64_t>(t)) * 32);
    const auto value = static_cast<std::uint32_t>(rng_());
    switch (below(7)) {
      case 0:
        p.raw("lw", {{"rd", static_cast<std::uint32_t>(4 + below(4))}, {"imm", word}});
        break;
      case 1:
        p.li(8, value).raw("sw", {{"rs2", 8}, {"imm", word}});
        break;
      case 2:
        p.raw("sync");
        break;
      default:
        engine(p, t, word);
        break;
    }
    if (below(100) < sync_percent_) p.wait(own_sem(t), static_cast<std::uint32_t>(1 + below(2)));
    if (below(100) < sync_percent_) {
      // to the semaphore that another thread waits for
      const int other = static_cast<int>(below(static_cast<std::uint64_t>(threads)));
      p.post(own_sem(other), static_cast<std::uint32_t>(1 + below(3)));
    }
  }
  std::uint32_t own_sem(int t) {
    return shared_sems_ ? static_cast<std::uint32_t>(below(kSems)) : static_cast<std::uint32_t>(t);
  }

  void engine(Builder& p, int t, std::uint32_t word) {
    constexpr std::array<std::string_view, 3> kSync{"ldsync", "stsync", "vsync"};
    const std::size_t e = shared_engines_ ? below(3) : static_cast<std::size_t>(t);
    if (below(3) == 0) {
      p.raw(kSync[e]);
    } else if (e == 2) {
      p.li(9, word).raw("vfill", {{"dst", 9}, {"n", 2}, {"s", 3}});
    } else {
      p.li(9, word)
          .li(4, static_cast<std::uint32_t>(below(3)))
          .li(2, 1)
          .raw(e == 0 ? "ld" : "st", {{"spad", 9}, {"hbm", 4}, {"len", 2}, {"npc", 1}});
    }
  }

  std::mt19937_64 rng_;
  bool shared_engines_ = false;
  bool shared_sems_ = false;
  std::uint64_t sync_percent_ = 0;
};

struct Result {
  Outcome outcome;
  Bytes memory;
  Bytes hbm;
  std::vector<std::uint32_t> numbers;  // semaphores, registers
};

Result run(const isa::Section& s, std::uint64_t seed) {
  Machine m(tiny(), {.schedule_seed = seed});
  m.load_spad(0, Bytes(256));
  m.load_hbm(0, 0, random_bytes(512, 1));
  Result r;
  r.outcome = m.run(s);
  r.memory = m.spad().bytes;
  r.hbm = hbm(m, 0, 0, 512);
  r.numbers.assign(m.sems().begin(), m.sems().end());
  for (int t = 0; t < kThreads; ++t) r.numbers.insert(r.numbers.end(), m.regs(t).begin(), m.regs(t).end());
  return r;
}

// TEPIN_FUZZ_PROGRAMS sets another number for a long run.
std::uint64_t programs() {
  const char* n = std::getenv("TEPIN_FUZZ_PROGRAMS");
  return n == nullptr ? 10'000 : std::strtoull(n, nullptr, 10);
}

TEST(Fuzz, OneCleanScheduleMeansThatAllAreCleanAndEqual) {
  std::array<int, 8> found{};
  int clean = 0;
  int with_waits = 0;
  for (std::uint64_t n = 0; n < programs(); ++n) {
    const isa::Section s = Generator(n).program();
    const Result first = run(s, 0);
    if (first.outcome.status == Status::kError) ++found.at(static_cast<std::size_t>(first.outcome.error.kind));
    int done = 0;
    const int schedules = 12;
    for (std::uint64_t seed = 0; seed < schedules; ++seed) {
      const Result r = seed == 0 ? first : run(s, seed + n * 100);
      if (r.outcome.status != Status::kDone) continue;
      ++done;
      if (first.outcome.status != Status::kDone) continue;
      ASSERT_EQ(r.memory, first.memory) << "program " << n << ", seed " << seed;
      ASSERT_EQ(r.hbm, first.hbm) << "program " << n << ", seed " << seed;
      ASSERT_EQ(r.numbers, first.numbers) << "program " << n << ", seed " << seed;
    }
    ASSERT_TRUE(done == 0 || done == schedules) << "program " << n << ": " << done << " of " << schedules
                                                << " schedules are clean; round robin: " << first.outcome.text();
    if (done == 0) continue;
    ++clean;
    const bool waits = std::any_of(s.code.begin(), s.code.end(),
                                   [](const isa::Word& w) { return isa::get(w, isa::kBitsWait0Cnt) != 0; });
    if (waits) ++with_waits;
  }
  // The mix must contain what it is meant to test.
  const int total = static_cast<int>(programs());
  const auto of = [&](FindingKind k) { return found.at(static_cast<std::size_t>(k)); };
  EXPECT_GT(clean, total / 30);
  EXPECT_GT(with_waits, total / 60);
  EXPECT_GT(of(FindingKind::kRaceBytes), total / 10);
  EXPECT_GT(of(FindingKind::kRaceIssue), total / 50);
  EXPECT_GT(of(FindingKind::kRaceTake), total / 50);
  EXPECT_GT(of(FindingKind::kRaceSemaphore), total / 50);
}

}  // namespace
}  // namespace tepin::golden::testing
