// SPDX-License-Identifier: Apache-2.0
// One router of dn, its neighbours played by the test: what docs/net.md promises at the ports, cycle by cycle.
#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

#include "Vnoc_dn_checked.h"
#include "Vnoc_dn_d1_checked.h"
#include "Vnoc_dn_w512_checked.h"
#include "tests/rtl/noc/coll_pins.h"

namespace tepin::tb::noc {
namespace {

using Pins = CollPins<Vnoc_dn_checked, DnFlit>;
constexpr int kDepth = 4;
constexpr Coord kAt{3, 3};

/// Output to which the flit for one tile goes: as unicast, but also to the tile itself.
std::uint64_t pruned(std::uint64_t mask, Coord at, Port out) {
  std::uint64_t part = 0;
  for (std::uint8_t y = 0; y < 8; ++y)
    for (std::uint8_t x = 0; x < 8; ++x)
      if ((mask & tile_bit({x, y})) != 0 && route(at, {x, y}) == out) part |= tile_bit({x, y});
  return part;
}
/// Tiles that a flit on input `in` may be for.
std::uint64_t reachable(Coord at, Port in) {
  switch (in) {
    case kNorth:
      return pruned(~0ULL, at, kSouth) | tile_bit(at);
    case kSouth:
      return pruned(~0ULL, at, kNorth) | tile_bit(at);
    case kEast:
      return ~pruned(~0ULL, at, kEast);
    case kWest:
      return ~pruned(~0ULL, at, kWest);
    default:
      return ~0ULL;
  }
}

DnFlit flit(std::uint64_t mask, std::uint32_t id) {
  DnFlit f;
  f.mask = mask;
  f.kind = static_cast<DnKind>(id & 3);
  f.group = static_cast<std::uint8_t>(id >> 2 & 3);
  f.last = (id & 1) != 0;
  f.both = (id & 2) != 0;
  f.src = {static_cast<std::uint8_t>(id % 7), static_cast<std::uint8_t>(id % 5)};
  f.word = id * 977 & 0x7ffffff;
  f.sem = static_cast<std::uint8_t>(id & 63);
  f.cnt = static_cast<std::uint8_t>(id * 3);
  for (std::size_t i = 0; i < f.data.size(); ++i) f.data[i] = id * 0x9e3779b9U + static_cast<std::uint32_t>(i);
  return f;
}
void expect_flit(const DnFlit& got, DnFlit want, std::uint64_t mask, std::size_t words) {
  EXPECT_EQ(got.mask, mask);
  EXPECT_EQ(got.kind, want.kind);
  EXPECT_EQ(got.group, want.group);
  EXPECT_EQ(got.last, want.last);
  EXPECT_EQ(got.both, want.both);
  EXPECT_EQ(got.src, want.src);
  EXPECT_EQ(got.word, want.word);
  EXPECT_EQ(got.sem, want.sem);
  EXPECT_EQ(got.cnt, want.cnt);
  for (std::size_t i = 0; i < words; ++i) EXPECT_EQ(got.data[i], want.data[i]) << "word " << i;
}

/// Every input with random masks: each branch has exactly the tiles behind it, one cycle later, and one credit comes
/// back.
template <class Model>
void branches(int link_bits) {
  std::mt19937_64 rng(1);
  for (const Coord at : {kAt, Coord{0, 0}, {7, 7}, {0, 5}}) {
    CollPins<Model, DnFlit> r(link_bits, at);
    for (unsigned p = 0; p < kPorts; ++p) {
      const Port in = static_cast<Port>(p);
      if ((in == kNorth && at.y == 0) || (in == kSouth && at.y == 7) || (in == kWest && at.x == 0) ||
          (in == kEast && at.x == 7))
        continue;
      for (int round = 0; round < 60; ++round) {
        const std::uint64_t sparse = round < 20 ? std::uint64_t{1} << rng() % 64 : round < 40 ? rng() & rng() : rng();
        const std::uint64_t mask = sparse & reachable(at, in);
        if (mask == 0) continue;
        const DnFlit f = flit(mask, static_cast<std::uint32_t>(rng()));
        r.put(in, f);
        r.clock();
        for (unsigned o = 0; o < kPorts; ++o) {
          const Port out = static_cast<Port>(o);
          const std::uint64_t part = pruned(mask, at, out);
          ASSERT_EQ(r.valid(out), part != 0) << "from " << p << " to " << o << std::hex << " mask " << mask;
          if (part != 0) expect_flit(r.out(out), f, part, r.words());
          EXPECT_EQ(r.credits(out), o == p);
        }
        EXPECT_EQ(r.model->idle_o, 0);
        if (::testing::Test::HasFailure()) return;
        r.clock_taking();
        ASSERT_EQ(r.model->out_valid_o, 0);
        r.clock();
        EXPECT_EQ(r.model->idle_o, 1);
      }
    }
  }
}
TEST(NocDn, CopiesAFlitToEveryBranchInOneCycle) { branches<Vnoc_dn_checked>(256); }
TEST(NocDn, CopiesWideFlitsToEveryBranch) { branches<Vnoc_dn_w512_checked>(512); }
TEST(NocDn, CopiesWithOneSlot) { branches<Vnoc_dn_d1_checked>(256); }

TEST(NocDn, OutputsDoNotFollowInputsWithoutAClock) {
  Pins r(256);
  r.put(kLocal, flit(~0ULL, 1));
  r.model->eval();
  EXPECT_EQ(r.model->out_valid_o, 0);
  EXPECT_EQ(r.model->idle_o, 1);
  for (unsigned p = 0; p < kPorts; ++p) EXPECT_EQ(r.credits(static_cast<Port>(p)), 0U);
}

TEST(NocDn, AFlitACyclePassesToAllBranchesWhenCreditsComeBackAtOnce) {
  Pins r(256);
  for (std::uint32_t i = 0; i < 100; ++i) {
    r.put(kLocal, flit(~0ULL, i));
    r.clock_taking();
    for (unsigned o = 0; o < kPorts; ++o) {
      const Port out = static_cast<Port>(o);
      ASSERT_TRUE(r.valid(out));
      expect_flit(r.out(out), flit(0, i), pruned(~0ULL, kAt, out), r.words());
    }
    ASSERT_EQ(r.credits(kLocal), 1U);
  }
}

TEST(NocDn, ABranchWithoutCreditsHoldsOnlyItselfAndTheFifo) {
  Pins r(256);
  std::array<int, kPorts> came{};
  for (std::uint32_t i = 0; i < 20; ++i) {
    if (i < 2 * kDepth) r.put(kWest, flit(reachable(kAt, kWest), i));  // Depth go, Depth fill the fifo
    for (unsigned o = 0; o < kPorts; ++o) {
      const Port out = static_cast<Port>(o);
      if (!r.valid(out)) continue;
      expect_flit(r.out(out), flit(0, static_cast<std::uint32_t>(came[o]++)), pruned(reachable(kAt, kWest), kAt, out),
                  r.words());
      if (out != kSouth) r.credit(out);
    }
    r.clock();
  }
  EXPECT_EQ(came[kSouth], kDepth) << "credits of the output";
  EXPECT_EQ(came[kEast], kDepth + 1) << "the next waits for its southern branch";
  EXPECT_EQ(came[kNorth], kDepth + 1);
  EXPECT_EQ(came[kLocal], kDepth + 1);
  // Another input is not held up.
  r.put(kEast, flit(tile_bit({1, 1}), 99));
  r.clock();
  expect_flit(r.out(kWest), flit(0, 99), tile_bit({1, 1}), r.words());
  // Each credit lets one go on, and only the southern branch of that one, then all of the next.
  for (int k = 0; k < kDepth; ++k) {
    r.credit(kSouth);
    r.clock();
    ASSERT_TRUE(r.valid(kSouth));
    expect_flit(r.out(kSouth), flit(0, static_cast<std::uint32_t>(kDepth + k)),
                pruned(reachable(kAt, kWest), kAt, kSouth), r.words());
    EXPECT_FALSE(r.valid(kEast)) << "that branch has gone before";
    EXPECT_EQ(r.model->idle_o, 0);
    EXPECT_EQ(r.credits(kWest), 1U);
    r.clock();
    EXPECT_EQ(r.valid(kEast), k + 1 < kDepth);
    if (r.valid(kEast)) r.credit(kEast), r.credit(kNorth), r.credit(kLocal);
  }
  EXPECT_EQ(r.model->idle_o, 1);
}

TEST(NocDn, InputsTakeTurnsAtAnOutput) {
  Pins r(256);
  std::array<int, kPorts> turns{}, waiting{};
  for (int i = 0; i < 101; ++i) {
    for (const Port p : {kNorth, kEast, kSouth, kWest, kLocal}) {
      if (waiting[p] >= 2) continue;
      DnFlit f = flit(tile_bit(kAt), 0);
      f.src = {p, 0};
      r.put(p, f);
      ++waiting[p];
    }
    if (i > 0) {
      const unsigned who = r.out(kLocal).src.x;
      ++turns[who];
      --waiting[who];
    }
    r.clock_taking();
  }
  for (const int t : turns) EXPECT_EQ(t, 20);
}

/// Two multicasts that need the same outputs in whatever order both get through.
TEST(NocDn, CrossingMulticastsBothFinish) {
  Pins r(256);
  std::array<std::array<std::deque<std::uint32_t>, kPorts>, kPorts> expected;  // [input][output]
  std::mt19937_64 rng(5);
  std::array<int, kPorts> free{};
  std::array<std::deque<int>, kPorts> held;
  free.fill(kDepth);
  int sent = 0, came = 0;
  for (std::uint32_t i = 0; i < 30000; ++i) {
    for (unsigned p = 0; p < kPorts; ++p) {
      const Port in = static_cast<Port>(p);
      free[p] += static_cast<int>(r.credits(in));
      if (r.valid(in)) {
        const DnFlit f = r.out(in);
        const std::uint32_t from = f.src.x;
        ASSERT_FALSE(expected[from][p].empty());
        ASSERT_EQ(f.data[0], expected[from][p].front()) << "order from an input";
        expected[from][p].pop_front();
        held[p].push_back(0);
        ++came;
      }
    }
    for (unsigned p = 0; p < kPorts; ++p) {
      const Port port = static_cast<Port>(p);
      if (!held[p].empty() && rng() % 3 != 0) {
        r.credit(port);
        held[p].pop_front();
      }
      ASSERT_LE(held[p].size(), static_cast<std::size_t>(kDepth));
      const std::uint64_t mask = rng() & rng() & reachable(kAt, port);
      if (i > 29000 || free[p] == 0 || mask == 0 || rng() % 4 == 0) continue;
      DnFlit f = flit(mask, i);
      f.src.x = static_cast<std::uint8_t>(p);
      for (unsigned o = 0; o < kPorts; ++o)
        if (pruned(mask, kAt, static_cast<Port>(o)) != 0) expected[p][o].push_back(f.data[0]), ++sent;
      --free[p];
      r.put(port, f);
    }
    r.clock();
  }
  EXPECT_EQ(came, sent);
  EXPECT_GT(came, 30000);
  EXPECT_EQ(r.model->idle_o, 1);
}

}  // namespace
}  // namespace tepin::tb::noc
