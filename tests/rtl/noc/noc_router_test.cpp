// SPDX-License-Identifier: Apache-2.0
// One router, its neighbours played by the test: what docs/noc.md promises at the ports, cycle by cycle.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/rtl/noc/router_pins.h"

namespace tepin::tb::noc {
namespace {

/// Every way through a router at (3, 3): input, destination, output, and the output after that.
struct Way {
  Port in;
  Coord dst;
  Port out, next;
};
const std::vector<Way>& ways() {
  static const std::vector<Way> all{
      {kLocal, {3, 2}, kNorth, kLocal}, {kLocal, {3, 0}, kNorth, kNorth}, {kLocal, {4, 3}, kEast, kLocal},
      {kLocal, {4, 0}, kEast, kNorth},  {kLocal, {4, 7}, kEast, kSouth},  {kLocal, {7, 7}, kEast, kEast},
      {kLocal, {3, 7}, kSouth, kSouth}, {kLocal, {3, 4}, kSouth, kLocal}, {kLocal, {2, 3}, kWest, kLocal},
      {kLocal, {0, 0}, kWest, kWest},   {kLocal, {2, 0}, kWest, kNorth},  {kLocal, {2, 5}, kWest, kSouth},
      {kWest, {5, 1}, kEast, kEast},    {kWest, {3, 1}, kNorth, kNorth},  {kWest, {3, 4}, kSouth, kLocal},
      {kWest, {3, 3}, kLocal, kLocal},  {kEast, {1, 1}, kWest, kWest},    {kEast, {3, 2}, kNorth, kLocal},
      {kEast, {3, 6}, kSouth, kSouth},  {kEast, {3, 3}, kLocal, kLocal},  {kNorth, {3, 5}, kSouth, kSouth},
      {kNorth, {3, 3}, kLocal, kLocal}, {kSouth, {3, 0}, kNorth, kNorth}, {kSouth, {3, 3}, kLocal, kLocal}};
  return all;
}

void send(RouterPins& r, const Way& w, std::uint32_t id, unsigned age = 0) {
  if (w.in == kLocal)
    r.put_local(w.dst, id, age);
  else
    r.put_from(w.in, w.dst, id, age);
}

TEST(NocRouter, OneHopTakesOneCycleOnEveryWay) {
  for (const Way& w : ways()) {
    SCOPED_TRACE(testing::Message() << "from " << int{w.in} << " to " << int{w.dst.x} << "," << int{w.dst.y});
    RouterPins r;
    for (int i = 0; i < 3; ++i) r.clock();
    ASSERT_EQ(r.model->out_valid_o, 0);
    send(r, w, 42);
    r.clock();
    ASSERT_EQ(r.model->out_valid_o, 1U << w.out);
    const Sent s = r.out(w.out);
    EXPECT_EQ(s.id, 42U);
    EXPECT_EQ(s.dst, w.dst);
    EXPECT_EQ(s.src, w.in == kLocal ? (Coord{3, 3}) : (Coord{1, 2})) << "the router fills in its own tile's";
    EXPECT_EQ(s.hop, w.next);
    EXPECT_EQ(r.model->credit_o[w.in], 1U << w.out) << "the credit comes back the cycle after it left";
    r.clock();
    EXPECT_EQ(r.model->out_valid_o, 0);
    EXPECT_TRUE(r.credits_none());
  }
}

TEST(NocRouter, OutputsDoNotFollowInputsWithoutAClock) {
  RouterPins r;
  for (const Way& w : ways()) {
    send(r, w, 1);
    for (std::size_t p = 0; p < kPorts; ++p) r.model->credit_i[p] = 0;
    r.model->eval();
    EXPECT_EQ(r.model->out_valid_o, 0);
    EXPECT_EQ(r.model->bad_valid_o, 0);
    EXPECT_TRUE(r.credits_none());
    r.idle();
  }
  r.put_local({3, 3}, 1);
  r.model->eval();
  EXPECT_EQ(r.model->bad_valid_o, 0);
}

TEST(NocRouter, AFlitACyclePassesWhenCreditsComeBackAtOnce) {
  RouterPins r;
  for (std::uint32_t i = 0; i < 100; ++i) {
    r.put_from(kWest, {7, 3}, i);
    if (i > 0) r.credit(kEast, kEast);  // the receiver passes each on in the cycle in which it arrives
    r.clock();
    ASSERT_EQ(r.out(kEast).id, i);
  }
}

/// No credit comes back: the queue's share leaves, a flit of another queue takes the last credit and stays on the link.
TEST(NocRouter, StopsAtTheCapAndHoldsTheLinkWithoutCredits) {
  RouterPins r;
  std::vector<std::uint32_t> left;
  for (std::uint32_t i = 0; i < 20; ++i) {
    if (i < kDepth + 2) r.put_from(kWest, {7, 3}, i);
    r.clock();
    if (r.valid(kEast)) left.push_back(r.out(kEast).id);
  }
  EXPECT_EQ(left, (std::vector<std::uint32_t>{0, 1, 2, 3})) << "Cap of one output";
  r.put_local({4, 3}, 50);  // another queue of the same receiver
  r.clock();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(r.out(kEast).id, 50U) << "stays on the link: the receiver has no slot";
    r.clock();
  }
  r.put_local({4, 2}, 51);
  r.clock();
  EXPECT_EQ(r.out(kEast).id, 50U);
  r.credit(kEast, kEast);
  r.clock();
  EXPECT_EQ(r.out(kEast).id, 4U) << "a credit counts in the cycle in which it comes; the older input's turn";
  r.clock();
  EXPECT_EQ(r.out(kEast).id, 4U) << "again no credit";
  r.credit(kEast, kLocal);
  r.clock();
  EXPECT_EQ(r.out(kEast).id, 51U) << "the queue to the east is at its cap";
}

TEST(NocRouter, ABlockedOutputHoldsUpNoOther) {
  RouterPins r;
  std::uint32_t id = 0;
  const auto fill = [&] {  // until the input's slots are full of flits to the east
    for (int i = 0; i < 2 * kDepth; ++i) {
      r.put_from(kWest, {7, 3}, id++);
      r.clock();
    }
  };
  fill();
  // Its sender may have Depth of one queue here; the last credit is for another.
  for (const auto& [dst, out] : {std::pair<Coord, Port>{{3, 3}, kLocal}, {{3, 0}, kNorth}, {{3, 7}, kSouth}}) {
    r.put_from(kWest, dst, 1000);
    r.clock();
    EXPECT_EQ(r.out(out).id, 1000U);
    EXPECT_EQ(r.model->credit_o[kWest], 1U << out);
    // All slots are taken: it is still shown in this cycle, and must not go twice.
    r.put_from(kWest, dst, 1000);
    r.clock();
    EXPECT_FALSE(r.valid(out));
    EXPECT_EQ(r.model->credit_o[kWest], 0);
  }
  // Then everything to the east, in order.
  std::uint32_t expected = kDepth;
  for (int i = 0; i < kDepth; ++i) {
    r.credit(kEast, kEast);
    r.clock();
    EXPECT_EQ(r.out(kEast).id, expected++);
  }
}

TEST(NocRouter, AFullInputLeavesTheFlitOnTheLinkAndTakesItOnce) {
  RouterPins r;
  for (std::uint32_t i = 0; i < kDepth; ++i) {  // the output's credits
    r.put_from(kWest, {7, 3}, i);
    r.clock();
  }
  for (std::uint32_t i = 0; i < kDepth; ++i) {  // the input's slots
    r.put_from(kWest, {7, 3}, 10 + i);
    r.clock();
  }
  for (std::uint32_t i = 0; i < 5; ++i) {
    r.put_from(kWest, {7, 3}, 14);
    r.clock();
    EXPECT_EQ(r.model->credit_o[kWest], 0);
  }
  std::vector<std::uint32_t> left;
  for (int i = 0; i < 12; ++i) {
    if (i < 2) r.put_from(kWest, {7, 3}, 14);  // the sender sees the credit in cycle 1 and lets go at its end
    r.credit(kEast, kEast);
    r.clock();
    if (r.valid(kEast)) left.push_back(r.out(kEast).id);
    if (i >= 4) break;
  }
  EXPECT_EQ(left, (std::vector<std::uint32_t>{10, 11, 12, 13, 14}));
}

TEST(NocRouter, TheTileGetsAsManyFlitsAsItHasSlots) {
  RouterPins r;
  int came = 0;
  for (std::uint32_t i = 0; i < 20; ++i) {
    if (i < 3) {
      r.put_from(kWest, {3, 3}, i);
      r.put_from(kNorth, {3, 3}, 10 + i);
    }
    r.clock();
    came += r.valid(kLocal);
  }
  EXPECT_EQ(came, kDepth);
  EXPECT_FALSE(r.valid(kLocal)) << "nothing stays on the tile's link";
  r.credit(kLocal, kLocal);
  r.clock();
  EXPECT_TRUE(r.valid(kLocal));
}

TEST(NocRouter, TheOldestGoesFirstAndEqualsTakeTurns) {
  RouterPins r;
  r.put_from(kWest, {3, 3}, 1, 3);
  r.put_from(kEast, {3, 3}, 2, 9);
  r.put_from(kNorth, {3, 3}, 3, 5);
  r.put_from(kSouth, {3, 3}, 4, 15);
  std::vector<std::uint32_t> order;
  for (int i = 0; i < 4; ++i) {
    r.clock();
    order.push_back(r.out(kLocal).id);
    r.credit(kLocal, kLocal);
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{4, 2, 3, 1}));
  // Equal ages (saturated): each of the four in each round.
  std::array<int, 4> turns{};
  std::array<int, 4> waiting{};
  r.clock();
  for (int i = 0; i < 40; ++i) {
    for (const auto& [p, k] : {std::pair{kWest, 0U}, {kEast, 1U}, {kNorth, 2U}, {kSouth, 3U}}) {
      if (waiting[k] != 0) continue;
      r.put_from(p, {3, 3}, k, 15);
      ++waiting[k];
    }
    if (i != 0) r.credit(kLocal, kLocal);
    r.clock();
    const std::uint32_t who = r.out(kLocal).id;
    ++turns[who];
    --waiting[who];
  }
  for (const int t : turns) EXPECT_EQ(t, 10);
}

TEST(NocRouter, AgeGrowsWhileAFlitWaitsAndSaturates) {
  RouterPins r;
  for (std::uint32_t i = 0; i < kDepth + 1; ++i) {
    r.put_from(kWest, {7, 3}, i, i == kDepth ? 2 : 0);
    r.clock();
  }
  for (int i = 0; i < 40; ++i) r.clock();
  r.credit(kEast, kEast);
  r.clock();
  EXPECT_EQ(r.out(kEast).id, kDepth);
  EXPECT_NEAR(r.out(kEast).age, 2 + 40 / 8, 1);
  r.put_from(kWest, {7, 3}, 9, 13);
  r.clock();
  for (int i = 0; i < 100; ++i) r.clock();
  r.credit(kEast, kEast);
  r.clock();
  EXPECT_EQ(r.out(kEast).age, 15U);
}

TEST(NocRouter, ADestinationOutsideOrTheTileItselfIsAnErrorAndItsCreditComesBack) {
  for (const Coord last : {Coord{3, 3}, {5, 4}, {7, 7}}) {
    RouterPins r({3, 3}, last);
    int bad = 0;
    for (std::uint8_t x = 0; x < 8; ++x) {
      for (std::uint8_t y = 0; y < 8; ++y) {
        const Coord dst{x, y};
        const bool reachable = x <= last.x && y <= last.y && !(dst == Coord{3, 3});
        r.put_local(dst, 1);
        r.clock();
        ASSERT_EQ(r.model->bad_valid_o, !reachable) << int{x} << "," << int{y};
        if (reachable) {
          const Port out = route({3, 3}, dst);
          EXPECT_EQ(r.model->out_valid_o, 1U << out);
          EXPECT_EQ(r.model->credit_o[kLocal], 1U << out);
          r.credit(out, r.out(out).hop);
        } else {
          ++bad;
          EXPECT_EQ(r.model->bad_dst_o, x << 3 | y);
          EXPECT_EQ(r.model->out_valid_o, 0);
          EXPECT_EQ(r.model->credit_o[kLocal], 1U << kLocal);
        }
        r.clock();
        EXPECT_EQ(r.model->bad_valid_o, 0);
      }
    }
    EXPECT_EQ(bad, 64 - (last.x + 1) * (last.y + 1) + 1);
  }
}

TEST(NocRouter, ABadDestinationIsFlaggedOnceWhenTheTilesSlotsAreFull) {
  RouterPins r;
  for (std::uint32_t i = 0; i < 2 * kDepth; ++i) {
    r.put_local({7, 3}, i);
    r.clock();
  }
  r.put_local({3, 3}, 99);
  r.clock();
  EXPECT_EQ(r.model->bad_valid_o, 1);
  EXPECT_EQ(r.model->credit_o[kLocal], 1U << kLocal);
  r.put_local({3, 3}, 99);  // the tile sees the credit only now
  r.clock();
  EXPECT_EQ(r.model->bad_valid_o, 0);
  EXPECT_EQ(r.model->credit_o[kLocal], 0);
}

}  // namespace
}  // namespace tepin::tb::noc
