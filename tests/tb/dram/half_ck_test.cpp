// SPDX-License-Identifier: Apache-2.0
// The row bus: its slots, shared by both pseudo-channels, and distances finer than a clock.
#include <gtest/gtest.h>

#include "bench.h"

namespace tepin::tb::dram::testing {
namespace {

constexpr Bank kA{0, 0, 0}, kSameGroup{0, 0, 1}, kOtherGroup{0, 1, 0};

struct Fine {
  const char* rule;
  RowOp first, next;
  Bank first_bank, next_bank;
  int clocks8, half8, clocks10,
      half10;  // the distance in whole clocks and in half-CK, as the ns of the table give them
};
constexpr Fine kFine[] = {
    {"tRP", RowOp::kPre, RowOp::kAct, kA, kA, 17, 66, 21, 83},
    {"tRP", RowOp::kPreA, RowOp::kRefAb, kA, kA, 17, 66, 21, 83},
    {"tRAS", RowOp::kAct, RowOp::kPre, kA, kA, 29, 114, 36, 143},
    {"tRRDS", RowOp::kAct, RowOp::kAct, kA, kOtherGroup, 3, 10, 4, 13},
    {"tRRDL", RowOp::kAct, RowOp::kAct, kA, kSameGroup, 4, 14, 5, 18},
    {"tRRDL", RowOp::kAct, RowOp::kRefPb, kA, kSameGroup, 4, 14, 5, 18},
    {"tRFCpb", RowOp::kRefPb, RowOp::kAct, kA, kA, 280, 1120, 350, 1400},
    {"tRREFD", RowOp::kRefPb, RowOp::kRefPb, kA, kOtherGroup, 8, 32, 10, 40},
    {"tRREFD", RowOp::kRfmPb, RowOp::kAct, kA, kOtherGroup, 8, 32, 10, 40},
    {"tRFCab", RowOp::kRefAb, RowOp::kRefPb, kA, kA, 450, 1800, 563, 2250},
};

TEST(HalfCk, RowCommandsKeepTheirNanosecondsWhateverTheirSlots) {
  int broken = 0;
  for (const Fine& f : kFine) {
    for (const int mbps : {8000, 10000}) {
      for (int s1 = 0; s1 < 4; ++s1) {
        for (int s2 = 0; s2 < 4; ++s2) {
          if ((f.first == RowOp::kAct && s1 % 2 != 0) || (f.next == RowOp::kAct && s2 % 2 != 0)) continue;
          const int clocks = mbps == 8000 ? f.clocks8 : f.clocks10, half = mbps == 8000 ? f.half8 : f.half10;
          Bench b(ready_config(mbps));
          if (f.first == RowOp::kPre || f.first == RowOp::kPreA) b.act(f.first_bank);
          b.to(200);
          b.row(f.first, f.first_bank, s1);
          b.after(clocks);
          b.row(f.next, f.next_bank, s2);
          b.tick();
          const int actual = 4 * clocks + s2 - s1;
          if (actual >= half) {
            EXPECT_EQ(b.lines(), "") << f.rule << " " << mbps << " " << s1 << " " << s2;
            continue;
          }
          ++broken;
          ASSERT_EQ(b.rules(), std::vector<std::string>{f.rule}) << b.lines();
          EXPECT_EQ(b.device.violations()[0].unit, Unit::kHalfCk);
          EXPECT_EQ(b.device.violations()[0].expected, half);
          EXPECT_EQ(b.device.violations()[0].actual, actual);
        }
      }
    }
  }
  EXPECT_GT(broken, 30);
}

TEST(HalfCk, TrcAndTfawCountSlots) {
  Bench b;
  b.act(kA, 0, 2);
  b.after(29);
  b.row(RowOp::kPre, kA, 2);
  b.to(46);
  b.act(kA);  // 184 - 2 half-CK after the ACT: tRC kept, and 66 after the PRE: tRP kept
  EXPECT_EQ(b.lines(), "");
  DramConfig c = ready_config();
  c.timing.trp = {16, 60};
  for (const int slot : {0, 2}) {
    Bench close(c);
    close.act(kA, 0, slot);
    close.after(29);
    close.row(RowOp::kPre, kA, slot);
    close.to(45);
    close.act(kA);
    close.tick();
    EXPECT_EQ(close.lines(), slot == 0 ? ""
                                       : "clk 45 pc0 tRC: ACT sid 0 bg 0 ba 0 row 0 slot 0: 178 half-CK after ACT, "
                                         "at least 180 expected\n");
  }
  Bench faw;
  faw.act({0, 0, 0}, 0, 2);
  for (const int i : {1, 2, 3}) faw.after(4), faw.act({0, i % 2, i}, 0, 0);
  faw.to(15);
  faw.act({0, 0, 7});
  faw.tick();
  ASSERT_EQ(faw.rules(), std::vector<std::string>{"tFAW"}) << faw.lines();
  EXPECT_EQ(faw.device.violations()[0].actual, 58);
}

TEST(HalfCk, AutoPrechargeWaitsForTheLastHalfCkOfTras) {
  for (const int tras_half : {114, 119}) {
    DramConfig c = ready_config();
    c.timing.tras.half = tras_half;
    c.timing.trc = {1, 1};
    c.timing.trp.half = 68;
    Bench b(c);
    b.act(kA, 0, 2);
    b.to(20);
    b.read(kA, 0, 0, true);
    b.to(29 + 17);
    b.act(kA);
    b.tick();
    if (tras_half == 114) {
      EXPECT_EQ(b.lines(), "");
    } else {  // precharged 2 + 119 half-CK after clock 0, so in clock 30
      ASSERT_EQ(b.rules(), std::vector<std::string>{"tRP"});
      EXPECT_EQ(b.device.violations()[0].actual, 16);
    }
  }
}

TEST(HalfCk, IsNotCheckedWhenNotStrict) {
  DramConfig c = ready_config();
  c.strict_half_ck = false;
  Bench b(c);
  b.act(kA);
  b.to(40);
  b.row(RowOp::kPre, kA, 3);
  b.after(17);
  b.act(kA);
  b.after(16);
  EXPECT_EQ(b.lines(), "");
  b.row(RowOp::kPre, kA);
  b.tick();
  EXPECT_EQ(b.rules(), std::vector<std::string>{"tRAS"});
}

TEST(RowBus, TakesAnActAndASlotOfAnotherCommandInOneClock) {
  for (const bool swapped : {false, true}) {
    Bench b;
    b.act({0, 0, 3}, 0, 0, 1);
    b.to(40);
    if (swapped) b.row(RowOp::kPre, {0, 0, 3}, 3, 0, 1);
    b.act(kA, 0, 0, 0);
    if (!swapped) b.row(RowOp::kPre, {0, 0, 3}, 3, 0, 1);
    b.tick();
    EXPECT_EQ(b.lines(), "");
  }
}

TEST(RowBus, IsSharedByBothPseudoChannels) {
  Bench b;
  b.act(kA, 0, 0, 0);
  b.row(RowOp::kPre, kA, 2, 0, 1);
  b.tick();
  ASSERT_EQ(b.rules(), std::vector<std::string>{"row bus"});
  EXPECT_EQ(to_string(b.device.violations()[0]),
            "clk 0 pc1 row bus: PRE sid 0 bg 0 ba 0 slot 2: 2 half-CK after ACT, at least 3 expected");
}

TEST(RowBus, ActOfSlot2ReachesIntoTheNextClock) {
  for (const int slot : {0, 1}) {
    Bench b;
    b.act(kA, 0, 2, 0);
    b.tick();
    b.row(RowOp::kPre, kA, slot, 0, 1);
    b.tick();
    EXPECT_EQ(b.rules(), slot == 0 ? std::vector<std::string>{"row bus"} : std::vector<std::string>{}) << b.lines();
  }
}

TEST(RowBus, TwoActsNeedMoreThanOneClock) {
  Bench b;
  b.act(kA, 0, 0, 0);
  b.act(kA, 0, 2, 1);
  b.tick();
  EXPECT_EQ(b.rules(), std::vector<std::string>{"row bus"});
  Bench next;
  next.act(kA, 0, 0, 0);
  next.tick();
  next.act(kA, 0, 0, 1);
  next.tick();
  EXPECT_EQ(next.lines(), "");
}

TEST(RowBus, TwoCommandsOfOneSlotOverlap) {
  Bench b;
  b.row(RowOp::kPre, kA, 1, 0, 0);
  b.row(RowOp::kPre, kA, 1, 0, 1);
  b.tick();
  ASSERT_EQ(b.rules(), std::vector<std::string>{"row bus"});
  EXPECT_EQ(b.device.violations()[0].actual, 0);
  EXPECT_EQ(b.device.violations()[0].expected, 1);
}

TEST(RowBus, StaysTakenByAnActThatAnotherCommandOverlaps) {
  Bench b;
  b.act(kA, 0, 0, 0);
  b.row(RowOp::kPre, kA, 0, 0, 1);
  b.tick();
  Bench spill;
  spill.act(kA, 0, 2, 0);
  spill.row(RowOp::kPre, kA, 3, 0, 1);
  spill.tick();
  spill.row(RowOp::kPre, kA, 0, 0, 1);
  spill.tick();
  EXPECT_EQ(b.rules(), std::vector<std::string>{"row bus"});
  EXPECT_EQ(spill.rules(), (std::vector<std::string>{"row bus", "row bus"})) << spill.lines();
}

TEST(RowBus, ActStartsOnARisingEdge) {
  for (const int slot : {1, 3}) {
    Bench b;
    b.act(kA, 0, slot);
    b.tick();
    EXPECT_EQ(b.rules(), std::vector<std::string>{"slot"});
  }
}

TEST(RowBus, HasFourSlots) {
  Bench b;
  b.row(RowOp::kPre, kA, 4);
  b.tick();
  b.row(RowOp::kPre, kA, 0);
  b.tick();
  EXPECT_EQ(b.rules(), std::vector<std::string>{"slot"});
}

}  // namespace
}  // namespace tepin::tb::dram::testing
