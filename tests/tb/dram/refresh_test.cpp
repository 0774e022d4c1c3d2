// SPDX-License-Identifier: Apache-2.0
// Refreshes owed and given ahead, activation counts, temperature, self refresh.
#include <gtest/gtest.h>

#include <algorithm>

#include "bench.h"

namespace tepin::tb::dram::testing {
namespace {

using Rules = std::vector<std::string>;
constexpr Bank kA{0, 0, 0};

/// Violations of one pseudo-channel (the other one is left without refreshes).
std::vector<Violation> of_pc0(const Bench& b) {
  std::vector<Violation> v;
  std::copy_if(b.device.violations().begin(), b.device.violations().end(), std::back_inserter(v),
               [](const Violation& x) { return x.pc == 0; });
  return v;
}
DramConfig one_sid() {
  DramConfig c = ready_config(8000, 1);
  c.violation_cap = 100'000;
  return c;
}

TEST(Refresh, NinthOneOwedIsCaughtInItsClockForEveryBank) {
  Bench b(one_sid());
  b.to(9 * 3900);
  EXPECT_EQ(b.lines(), "");
  b.tick();
  const auto v = of_pc0(b);
  ASSERT_EQ(v.size(), 16U);
  EXPECT_EQ(b.device.violation_count(), 32U);
  EXPECT_EQ(to_string(v[9]), "clk 35100 pc0 postponed refreshes: sid 0 bg 1 ba 1: 9, at most 8 expected");
}

TEST(Refresh, OneInTheClockOfTheNinthIsInTime) {
  Bench b(one_sid());
  b.to(9 * 3900);
  b.row(RowOp::kRefAb);
  b.tick();
  EXPECT_TRUE(of_pc0(b).empty());
  b.to(10 * 3900 + 1);
  EXPECT_EQ(of_pc0(b).size(), 16U);
}

TEST(Refresh, OfABankServesThatBankAlone) {
  Bench b(one_sid());
  b.to(9 * 3900 - 1000);
  for (int bank = 0; bank < 16; ++bank) {
    if (bank != 5) b.row(RowOp::kRefPb, {0, bank / 8, bank % 8}), b.after(8);
  }
  b.to(9 * 3900 + 1);
  const auto v = of_pc0(b);
  ASSERT_EQ(v.size(), 1U);
  EXPECT_EQ(v[0].command.bank(), 5);
  EXPECT_EQ(v[0].rule, "postponed refreshes");
  EXPECT_EQ(b.device.checker(0).refresh().owed(4), 8);
}

TEST(Refresh, IsDueMoreOftenWhenHot) {
  for (const double rate : {4.0, 2.0, 0.5, 0.25}) {
    DramConfig c = one_sid();
    c.timing.refresh_rate = rate;
    Bench b(c);
    const auto ninth = static_cast<Clock>(9 * 3900 / rate);
    b.to(ninth);
    EXPECT_EQ(b.lines(), "");
    b.tick();
    EXPECT_EQ(of_pc0(b).size(), 16U);
  }
}

TEST(Refresh, RateMayChangeAtAnyTime) {
  Bench b(one_sid());
  b.to(3900 + 1950 + 1);         // one owed, half of the next interval gone
  b.device.set_refresh_rate(4);  // what is left of it shrinks to a quarter
  const Clock ninth = 3900 + 1950 + 488 + 7 * 975;
  b.to(ninth);
  EXPECT_EQ(b.lines(), "");
  b.after(2);
  EXPECT_EQ(of_pc0(b).size(), 16U);
}

TEST(Refresh, RateSetDuringInitialisationHoldsFromItsEnd) {
  DramConfig c = one_sid();
  c.timing.tinit = 10'000;
  Bench b(c);
  b.to(100);
  b.device.set_refresh_rate(4);
  b.to(10'000 + 9 * 975);
  EXPECT_EQ(b.lines(), "");
  b.tick();
  EXPECT_EQ(of_pc0(b).size(), 16U);
}

TEST(Refresh, NinthAheadIsCaught) {
  Bench b(one_sid());
  for (int i = 0; i < 9; ++i) {
    b.row(RowOp::kRefPb, kA);
    b.after(280);
    EXPECT_EQ(b.rules(), i < 8 ? Rules{} : Rules{"pulled-in refreshes"});
  }
  DramConfig c = one_sid();
  c.timing.max_pulled_in = 0;
  Bench none(c);
  none.to(3900);
  none.row(RowOp::kRefPb, kA);  // in the clock in which it falls due
  none.after(300);
  EXPECT_EQ(none.lines(), "");
  none.row(RowOp::kRefPb, kA);
  none.tick();
  EXPECT_EQ(none.rules(), Rules{"pulled-in refreshes"});
}

TEST(Refresh, FallsDueFromTheEndOfInitialisation) {
  DramConfig c = one_sid();
  c.timing.tinit = 700;
  Bench b(c);
  b.to(700 + 9 * 3900);
  EXPECT_EQ(b.lines(), "");
  b.tick();
  EXPECT_EQ(of_pc0(b).size(), 16U);
}

TEST(Refresh, OfSelfRefreshIsTheDevices) {
  Bench b(one_sid());
  for (const int pc : {0, 1}) b.row(RowOp::kSelfEnter, {}, pc, 0, pc);
  b.to(100 * 3900 + 5);
  for (const int pc : {0, 1}) b.row(RowOp::kSelfExit, {}, pc, 0, pc);
  b.to(109 * 3900);
  EXPECT_EQ(b.lines(), "");
  b.tick();
  EXPECT_EQ(b.device.violation_count(), 32U);
}

/// Opens and closes bank A `times` times.
void hammer(Bench& b, int times) {
  for (int i = 0; i < times; ++i) {
    b.act(kA, i);
    b.after(29);
    b.row(RowOp::kPre, kA);
    b.after(17);
  }
}

TEST(Activations, OfABankAboveRaammtAreCaught) {
  Bench b;
  hammer(b, 256);
  EXPECT_EQ(b.lines(), "");
  hammer(b, 1);
  ASSERT_EQ(b.rules(), Rules{"RAAMMT"});
  EXPECT_EQ(b.device.violations()[0].expected, 256);
  EXPECT_EQ(b.device.violations()[0].actual, 257);
}

TEST(Activations, AreTakenOffByRefreshAndRfmOfThatBank) {
  for (const RowOp op : {RowOp::kRefPb, RowOp::kRefAb, RowOp::kRfmPb, RowOp::kRfmAb}) {
    Bench b;
    hammer(b, 250);
    EXPECT_EQ(b.device.checker(0).refresh().activations(0), 250);
    b.row(op, kA);
    b.after(450);
    EXPECT_EQ(b.device.checker(0).refresh().activations(0), 250 - 64);
    hammer(b, 70);
    EXPECT_EQ(b.lines(), "");
    hammer(b, 1);
    EXPECT_EQ(b.rules(), Rules{"RAAMMT"});
  }
}

TEST(Activations, AreNotTakenOffByCommandsOfAnotherBank) {
  Bench b;
  hammer(b, 256);
  b.row(RowOp::kRefPb, {0, 0, 1});
  b.after(280);
  b.row(RowOp::kRfmPb, {1, 0, 0});
  b.after(280);
  hammer(b, 1);
  EXPECT_EQ(b.rules(), Rules{"RAAMMT"});
}

TEST(Activations, AreTakenOffBySelfRefresh) {
  Bench b;
  hammer(b, 80);  // 3,680 clocks
  b.row(RowOp::kSelfEnter);
  b.to(3900 + 5);
  EXPECT_EQ(b.device.checker(0).refresh().activations(0), 80 - 64);
  EXPECT_EQ(b.lines(), "");
}

TEST(Activations, NeverCountBelowZero) {
  DramConfig c = ready_config();
  c.timing.raammt = 65;
  Bench b(c);
  hammer(b, 10);
  b.row(RowOp::kRfmPb, kA);
  b.after(280);
  EXPECT_EQ(b.device.checker(0).refresh().activations(0), 0);
  hammer(b, 65);
  EXPECT_EQ(b.lines(), "");
  hammer(b, 1);
  EXPECT_EQ(b.rules(), Rules{"RAAMMT"});
}

TEST(Activations, LimitsAreSettable) {
  DramConfig c = ready_config();
  c.timing.raaimt = 3;
  c.timing.raa_refresh = 5;
  c.timing.raammt = 20;
  Bench b(c);
  hammer(b, 20);
  b.row(RowOp::kRfmPb, kA);
  b.after(280);
  EXPECT_EQ(b.device.checker(0).refresh().activations(0), 17);
  b.row(RowOp::kRefPb, kA);
  b.after(280);
  EXPECT_EQ(b.device.checker(0).refresh().activations(0), 12);
  hammer(b, 8);
  EXPECT_EQ(b.lines(), "");
}

}  // namespace
}  // namespace tepin::tb::dram::testing
