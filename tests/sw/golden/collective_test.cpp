// SPDX-License-Identifier: Apache-2.0
// What collectives compute. Expected values come from a reference of this file alone: trains walk from router to
// router, and the host's own float arithmetic joins them.
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "chip_fixture.h"

namespace tepin::golden::testing {
namespace {

constexpr std::uint32_t kSrc = 0, kDst = 0x2000;

// --- reference ---

float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint32_t bits_of(float f) { return std::isnan(f) ? 0x7fc00000U : std::bit_cast<std::uint32_t>(f); }

float join(float a, float b, bool max) {
  if (!max) return a + b;
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<float>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

/// Nearest of the two BF16 neighbours; on a tie the one whose last bit is 0.
std::uint32_t to_bf16(float f) {
  if (std::isnan(f)) return 0x7fc0;
  if (std::isinf(f)) return std::bit_cast<std::uint32_t>(f) >> 16;
  const std::uint32_t low = std::bit_cast<std::uint32_t>(f) >> 16;
  const auto value = [](std::uint32_t b) {  // of a finite pattern, or what would follow the largest
    const std::uint32_t field = b >> 7 & 0xff;
    const double m = (b & 0x7f) + (field == 0 ? 0.0 : 128.0);
    return std::ldexp(m, static_cast<int>(field == 0 ? 1 : field) - 134);
  };
  const double x = std::fabs(static_cast<double>(f));
  const double down = x - value(low & 0x7fff), up = value((low & 0x7fff) + 1) - x;
  return down < up || (down == up && (low & 1) == 0) ? low : low + 1;
}

struct Way {
  bool bf16;
  bool max;
};

/// One value of a reduction: tile -> bits on the wire. Routers are visited from the far ends to the root.
std::uint32_t reference(std::map<std::uint32_t, std::uint32_t> members, std::uint32_t root, Way way) {
  const int rx = static_cast<int>(root % 8), ry = static_cast<int>(root / 8);
  std::map<std::uint32_t, std::map<char, std::uint32_t>> inputs;
  for (const auto& [t, v] : members) inputs[t]['L'] = v;
  std::vector<std::uint32_t> order;
  for (std::uint32_t t = 0; t < 64; ++t) order.push_back(t);
  const auto distance = [&](std::uint32_t t) {
    return std::abs(static_cast<int>(t % 8) - rx) + std::abs(static_cast<int>(t / 8) - ry);
  };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return distance(a) > distance(b); });
  for (const std::uint32_t t : order) {
    if (!inputs.contains(t)) continue;
    const auto& in = inputs[t];
    std::uint32_t out = 0;
    if (in.size() == 1) {
      out = in.begin()->second;
    } else {
      const auto value = [&](std::uint32_t v) { return as_float(way.bf16 ? v << 16 : v); };
      const auto pair = [&](std::optional<float> a, std::optional<float> b) -> std::optional<float> {
        return a && b ? join(*a, *b, way.max) : a ? a : b;
      };
      const auto of = [&](char c) { return in.contains(c) ? std::optional(value(in.at(c))) : std::nullopt; };
      const float sum = *pair(pair(pair(of('W'), of('E')), pair(of('N'), of('S'))), of('L'));
      out = way.bf16 ? to_bf16(sum) : bits_of(sum);
    }
    if (t == root) return out;
    const int x = static_cast<int>(t % 8), y = static_cast<int>(t / 8);
    if (x < rx)
      inputs[t + 1]['W'] = out;
    else if (x > rx)
      inputs[t - 1]['E'] = out;
    else if (y < ry)
      inputs[t + 8]['N'] = out;
    else
      inputs[t - 8]['S'] = out;
  }
  return 0;
}

/// The reduction of whole operands.
Bytes reference(const std::map<std::uint32_t, Bytes>& operands, std::uint32_t root, Way way) {
  const std::size_t size = way.bf16 ? 2 : 4;
  Bytes out;
  for (std::size_t i = 0; i < operands.begin()->second.size(); i += size) {
    std::map<std::uint32_t, std::uint32_t> lane;
    for (const auto& [t, b] : operands) {
      for (std::size_t k = 0; k < size; ++k) lane[t] |= std::uint32_t{b[i + k]} << (8 * k);
    }
    const std::uint32_t v = reference(lane, root, way);
    for (std::size_t k = 0; k < size; ++k) out.push_back(static_cast<std::uint8_t>(v >> (8 * k)));
  }
  return out;
}

// --- programs ---

struct Case {
  Mesh mesh;
  std::uint64_t mask;
  std::uint32_t root;
};

std::vector<Case> cases() {
  std::vector<Case> out{{{1, 1}, 1, 0},
                        {{2, 2}, 0x303, 0},
                        {{2, 2}, 0x303, 9},
                        {{2, 2}, 0x102, 1},
                        {{2, 2}, 0x202, 8},  // the root is no member
                        {{3, 2}, 0x707, 1},
                        {{3, 2}, 0x507, 10},
                        {{3, 2}, 0x401, 1},
                        {{8, 8}, ~std::uint64_t{0}, 27},
                        {{8, 8}, 0x8100000000000081U, 36}};
  std::mt19937_64 rng(5);
  for (int i = 0; i < 12; ++i) {
    const Mesh mesh{1 + static_cast<std::uint32_t>(rng() % 5), 1 + static_cast<std::uint32_t>(rng() % 5)};
    std::uint64_t mask = 0;
    while (mask == 0) mask = rng() & mesh.mask();
    out.push_back({mesh, mask, mesh.tiles()[rng() % mesh.tiles().size()]});
  }
  return out;
}
bool has(std::uint64_t mask, std::uint32_t t) { return (mask >> t & 1U) != 0; }
std::vector<std::uint32_t> members(std::uint64_t mask) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t t = 0; t < 64; ++t) {
    if (has(mask, t)) out.push_back(t);
  }
  return out;
}

/// Whether a tile has a part: members, and the root but for reduce-scatter.
bool takes_part(const Case& k, std::string_view op, std::uint32_t t) {
  return has(k.mask, t) || (t == k.root && op != "nrs");
}

/// All parts run one collective of group 1; the chip after it.
Chip run(const Case& k, std::string_view op, std::uint32_t len, std::uint64_t seed, bool floats, Way way = {},
         std::uint32_t dst = kDst) {
  Chip c = loaded_chip(k.mesh, seed, 0x1000, {.log = true});
  if (floats) {  // of similar size, with special values among them
    for (const std::uint32_t t : k.mesh.tiles()) {
      std::mt19937_64 rng(t + 77);
      constexpr std::array<std::uint32_t, 10> kSpecial{0,           0x80000000U, 0x7f800000U, 0xff800000U, 0x7fc00000U,
                                                       0x7f812345U, 1,           0x807fffffU, 0x7f7fffffU, 0xff7f0000U};
      std::vector<std::uint32_t> v(1024);
      for (auto& x : v) {
        x = (static_cast<std::uint32_t>(rng()) & 0x83ffffffU) + 0x3e000000U;
        if (rng() % 12 == 0) x = kSpecial[rng() % kSpecial.size()];
        if (way.bf16) x = (x & 0xffff0000U) | ((static_cast<std::uint32_t>(rng()) & 0x83ffU) + 0x3e00U);
      }
      c.load_spad(t, 0, words(v));
    }
  }
  ChipProgram p;
  for (const std::uint32_t t : k.mesh.tiles()) {
    if (!takes_part(k, op, t)) continue;
    p.group(t, 1, k.mask, k.root);
    Builder& b = p.at(t);
    if (op == "nbar") {
      b.raw("nbar", {{"g", 1}});
    } else if (op == "nag" || op == "na2a") {
      b.engine(op, {{"dst", dst}, {"src", kSrc}, {"len", len}, {"g", 1}});
    } else {
      b.engine(op, {{"dst", dst}, {"src", kSrc}, {"len", len}, {"g", 1}, {"max", way.max}, {"bf16", way.bf16}});
    }
    b.post(3);
  }
  const Outcome o = c.run(p.program());
  EXPECT_EQ(o.status, Status::kDone) << op << ": " << o.text();
  for (const std::uint32_t t : k.mesh.tiles()) EXPECT_EQ(c.sems(t)[3], takes_part(k, op, t) ? 1U : 0U);
  return c;
}

constexpr std::array<Way, 4> kWays{{{false, false}, {false, true}, {true, false}, {true, true}}};

TEST(Collective, ReductionsFollowTheTree) {
  std::uint64_t compared = 0;
  for (const Case& k : cases()) {
    for (const Way way : kWays) {
      const std::uint32_t len = 5;
      for (const std::string_view op : {"nred", "nar"}) {
        Chip c = run(k, op, len, compared % 3, true, way);
        std::map<std::uint32_t, Bytes> operands;
        for (const std::uint32_t t : members(k.mask)) operands[t] = spad(c, t, kSrc, 32 * len);
        const Bytes expected = reference(operands, k.root, way);
        for (const std::uint32_t t : k.mesh.tiles()) {
          const bool gets = op == "nred" ? t == k.root : has(k.mask, t);
          ASSERT_EQ(spad(c, t, kDst, 32 * len), gets ? expected : Bytes(32 * len))
              << op << " at " << t << " of mask " << k.mask << ", root " << k.root;
          compared += gets ? 32 * len : 0;
          const AgentLog& log = c.log(t)[static_cast<std::size_t>(agent_of(isa::Engine::kNet))];
          EXPECT_EQ(log.bytes.size(), gets ? 32 * len : 0U);
          if (gets) {
            EXPECT_EQ(log.bytes, expected);
            EXPECT_EQ(log.entries.back().writes, 1U);
          }
        }
      }
    }
  }
  EXPECT_GT(compared, 80000U);
}

TEST(Collective, ReduceScatterGivesEachMemberItsChunkByItsOwnTree) {
  for (const Case& k : cases()) {
    const auto tiles = members(k.mask);
    const std::uint32_t len = tiles.size() > 16 ? 1 : 3;
    for (const Way way : kWays) {
      Chip c = run(k, "nrs", len, 1, true, way);
      for (std::uint32_t rank = 0; rank < tiles.size(); ++rank) {
        std::map<std::uint32_t, Bytes> operands;
        for (const std::uint32_t t : tiles) operands[t] = spad(c, t, kSrc + 32 * len * rank, 32 * len);
        ASSERT_EQ(spad(c, tiles[rank], kDst, 32 * len), reference(operands, tiles[rank], way)) << tiles[rank];
      }
      if (!has(k.mask, k.root)) {
        EXPECT_EQ(spad(c, k.root, kDst, 32), Bytes(32));
      }
    }
  }
}

TEST(Collective, GathersAndExchangesPutPiecesInOrderOfRank) {
  for (const Case& k : cases()) {
    const auto tiles = members(k.mask);
    const std::uint32_t len = tiles.size() > 16 ? 1 : 2;
    const std::size_t piece = 32 * len;
    for (const bool all_to_all : {false, true}) {
      Chip c = run(k, all_to_all ? "na2a" : "nag", len, 2, false);
      for (std::uint32_t rank = 0; rank < tiles.size(); ++rank) {
        Bytes expected;
        for (const std::uint32_t from : tiles) {
          const Bytes b = spad(c, from, kSrc + (all_to_all ? piece * rank : 0), piece);
          expected.insert(expected.end(), b.begin(), b.end());
        }
        ASSERT_EQ(spad(c, tiles[rank], kDst, expected.size()), expected) << tiles[rank];
      }
      if (!has(k.mask, k.root)) {
        EXPECT_EQ(spad(c, k.root, kDst, 32), Bytes(32));
      }
    }
  }
}

TEST(Collective, NoTileLeavesABarrierBeforeAllHaveCome) {
  for (const Case& k : cases()) (void)run(k, "nbar", 0, 0, false);
  // Each tile writes to its neighbour, and after the barrier reads what its own neighbour wrote.
  const Mesh mesh{3, 2};
  ChipProgram p;
  const auto tiles = mesh.tiles();
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    p.group(tiles[i], 0, mesh.mask(), 2);
    p.at(tiles[i]).engine("nwr", {{"dst", 0x2000}, {"src", 64}, {"len", 1}, {"tile", tiles[(i + 1) % tiles.size()]}});
    p.at(tiles[i]).raw("nbar").post(1).raw("lw", {{"rd", 9}, {"imm", 0x2000}}).wait(1);
  }
  expect_clean(mesh, p);
}

TEST(Collective, OneValueAloneKeepsEveryBit) {
  // A member far from the root: no router joins, so even the payload of a NaN arrives.
  for (const bool bf16 : {false, true}) {
    const Case k{{3, 2}, bit(10), 0};
    Chip c = loaded_chip(k.mesh, 0, 0x1000);
    c.load_spad(10, 0, words(std::vector<std::uint32_t>(8, 0xffa5ff81U)));
    ChipProgram p;
    for (const std::uint32_t t : {0U, 10U}) {
      p.group(t, 0, k.mask, 0);
      p.at(t).engine("nred", {{"dst", kDst}, {"src", 0}, {"len", 1}, {"bf16", bf16}});
    }
    EXPECT_EQ(c.run(p.program()).status, Status::kDone);
    EXPECT_EQ(spad(c, 0, kDst, 32), words(std::vector<std::uint32_t>(8, 0xffa5ff81U)));
  }
}

TEST(Collective, ResultsMayTakeThePlaceOfTheirOwnOperand) {
  const Case k{{2, 2}, 0x303, 0};
  for (const std::string_view op : {"nred", "nar"}) {
    Chip apart = run(k, op, 4, 0, true), same = run(k, op, 4, 3, true, {}, kSrc);
    for (const std::uint32_t t : members(k.mask)) {
      const bool gets = op == "nar" || t == 0;
      EXPECT_EQ(spad(same, t, kSrc, 128), spad(apart, t, gets ? kDst : kSrc, 128));
    }
  }
}

// The result does not depend on the schedule: groups that overlap, with other roots, started in opposite orders.
TEST(Collective, OverlappingGroupsOfOtherNumbersMayStartInAnyOrder) {
  const Mesh mesh{3, 3};
  ChipProgram p;
  const std::uint64_t row = 0x700, column = 0x020202, all = mesh.mask();
  for (const std::uint32_t t : mesh.tiles()) {
    p.group(t, 0, all, 0).raw("nsync");
    if (has(row, t)) p.group(t, 1, row, 10);
    if (has(column, t)) p.group(t, 2, column, 17);
    const auto sum = [&](std::uint32_t g, std::uint32_t dst) {
      p.at(t).engine("nar", {{"dst", dst}, {"src", 0}, {"len", 2}, {"g", g}});
    };
    if (t == 9)
      sum(1, 0x2000), sum(2, 0x2100);
    else if (has(row, t))
      sum(1, 0x2000);
    else if (has(column, t))
      sum(2, 0x2100);
    sum(0, 0x2200);
  }
  Bytes first;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Chip c = loaded_chip(mesh, seed, 0x1000);
    const Outcome o = c.run(p.program());
    ASSERT_EQ(o.status, Status::kDone) << o.text();
    Bytes all_bytes;
    for (const std::uint32_t t : mesh.tiles()) {
      const Bytes b = spad(c, t, 0x2000, 0x400);
      all_bytes.insert(all_bytes.end(), b.begin(), b.end());
    }
    if (seed == 0) first = all_bytes;
    ASSERT_EQ(all_bytes, first) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tepin::golden::testing
