// SPDX-License-Identifier: Apache-2.0
// What a bank's state, initialisation and self refresh allow; how violations are kept.
#include <gtest/gtest.h>

#include <functional>

#include "bench.h"

namespace tepin::tb::dram::testing {
namespace {

using Rules = std::vector<std::string>;
constexpr Bank kA{0, 0, 0}, kB{0, 1, 5};

/// A bench with bank A open since clock 0, at clock 100.
struct OpenBank : Bench {
  explicit OpenBank(const DramConfig& c = ready_config()) : Bench(c) {
    act(kA, 7);
    to(100);
  }
};

TEST(BankState, ActOfAnOpenBankIsCaught) {
  OpenBank b;
  b.act(kA, 8);
  b.tick();
  EXPECT_EQ(b.rules(), Rules{"bank open"});
}

TEST(BankState, ColumnCommandsOfAClosedBankAreCaught) {
  for (const bool write : {false, true}) {
    OpenBank b;
    write ? b.write(kB) : b.read(kB);
    b.after(20);
    EXPECT_EQ(b.rules(), Rules{"bank closed"});
    if (!write) {
      ASSERT_EQ(b.reads.size(), 1U);
      EXPECT_TRUE(same(b.reads[0].burst, DramDevice::kPoison));
    }
  }
}

TEST(BankState, AutoPrechargeClosesTheBank) {
  for (const bool write : {false, true}) {
    OpenBank b;
    write ? b.write(kA, 0, {}, 0, true) : b.read(kA, 0, 0, true);
    b.after(60);
    EXPECT_FALSE(b.device.checker(0).is_open(0));
    b.read(kA);
    b.tick();
    EXPECT_EQ(b.rules(), Rules{"bank closed"});
  }
}

TEST(BankState, RefreshesAndSelfRefreshWantClosedBanks) {
  for (const RowOp op : {RowOp::kRefPb, RowOp::kRefAb, RowOp::kRfmPb, RowOp::kRfmAb, RowOp::kSelfEnter}) {
    OpenBank b;
    b.row(op, kA);
    b.tick();
    EXPECT_EQ(b.rules(), Rules{"bank open"});
  }
  OpenBank b;
  b.row(RowOp::kRefPb, kB);
  b.tick();
  EXPECT_EQ(b.lines(), "");
}

TEST(BankState, PrechargeOfAClosedBankIsANopThatIsCounted) {
  Bench b;
  b.row(RowOp::kPre, kA);
  b.row(RowOp::kPreA, kA, 1, 0, 1);
  b.tick();
  b.act(kA);  // no tRP after a NOP
  b.tick();
  EXPECT_EQ(b.lines(), "");
  EXPECT_EQ(b.device.statistics().idle_precharges[0], 1U);
  EXPECT_EQ(b.device.statistics().idle_precharges[1], 1U);
}

TEST(BankState, PrechargeAllChecksOnlyOpenBanks) {
  Bench b;
  b.act(kA);
  b.after(20);
  b.read(kA, 0, 0, true);  // closes itself
  b.to(100);
  b.act(kB);
  b.after(29);
  b.row(RowOp::kPreA);
  b.after(17);
  b.row(RowOp::kRefAb);
  b.tick();
  EXPECT_EQ(b.lines(), "");
}

TEST(BankState, AddressesOutsideTheDeviceAreCaught) {
  DramConfig c = ready_config(8000, 3);
  const auto violations = [&](Bank bank, int row, int col) {
    Bench b(c);
    b.act(bank, row);
    b.after(20);
    b.read(bank, col);
    b.after(20);
    return b.rules();
  };
  EXPECT_EQ(violations({2, 1, 7}, 12287, 31), Rules{});
  EXPECT_EQ(violations({2, 1, 7}, 12288, 31), Rules{"address"});
  EXPECT_EQ(violations({2, 1, 7}, 0, 32), Rules{"address"});
  EXPECT_EQ(violations({3, 0, 0}, 0, 0), (Rules{"address", "address"}));
  EXPECT_EQ(violations({0, 2, 0}, 0, 0), (Rules{"address", "address"}));
  EXPECT_EQ(violations({0, 0, 8}, 0, 0), (Rules{"address", "address"}));
  Bench b;
  b.row(RowOp::kPre, kA, 0, 0, 2);
  b.tick();
  EXPECT_EQ(b.rules(), Rules{"address"});
}

TEST(BankState, OrganisationFollowsTheNumberOfSids) {
  EXPECT_EQ(DramOrganisation::of(1).rows, 16384);
  EXPECT_EQ(DramOrganisation::of(2).banks(), 32);
  EXPECT_EQ(DramOrganisation::of(3).rows, 12288);
  EXPECT_EQ(DramOrganisation::of(3).banks(), 48);
  EXPECT_EQ(DramOrganisation::of(4).rows, 16384);
  EXPECT_THROW((void)DramOrganisation::of(5), std::invalid_argument);
  EXPECT_THROW((void)DramTiming::of(9000), std::invalid_argument);
}

TEST(BankState, ConfigurationsThatCannotBeAreRefused) {
  const auto refused = [](const std::function<void(DramConfig&)>& spoil) {
    DramConfig c = ready_config();
    spoil(c);
    EXPECT_THROW(DramDevice{c}, std::invalid_argument);
  };
  refused([](DramConfig& c) { c.organisation.sids = 5; });
  refused([](DramConfig& c) { c.organisation.sids = 0; });
  refused([](DramConfig& c) { c.organisation.rows = 65537; });
  refused([](DramConfig& c) { c.timing.wl = -1; });
  refused([](DramConfig& c) { c.timing.rl = 300; });
  refused([](DramConfig& c) { c.timing.refresh_rate = 0; });
  refused([](DramConfig& c) { c.extra_read_latency = -1; });
}

TEST(TrasMax, IsCaughtTheClockAfterNineIntervals) {
  DramConfig c = ready_config();
  c.timing.trefi = 4000;  // keeps refreshes out of it
  for (const int late : {0, 1}) {
    Bench b(c);
    b.act(kA);
    b.to(9 * 3900 + late);
    b.row(RowOp::kPre, kA);
    b.after(100);
    if (late == 0) {
      EXPECT_EQ(b.lines(), "");
    } else {
      ASSERT_EQ(b.rules(), Rules{"tRASmax"}) << b.lines();
      EXPECT_EQ(b.device.violations()[0].expected, 35100);
      EXPECT_EQ(b.device.violations()[0].actual, 35101);
    }
  }
}

TEST(TrasMax, IsCaughtOnceForABankThatIsNeverClosed) {
  DramConfig c = ready_config();
  c.timing.trefi = 100'000;
  Bench b(c);
  b.act(kA);
  b.after(10);
  b.act(kB, 0, 0, 1);
  b.to(35101);
  b.device.finish();
  EXPECT_EQ(b.lines(), "");  // open for 35,100 clocks
  b.to(80000);
  b.row(RowOp::kPre, kA);
  b.tick();
  b.device.finish();
  ASSERT_EQ(b.rules(), (Rules{"tRASmax", "tRASmax"})) << b.lines();
  EXPECT_EQ(b.device.violations()[0].clk, 35101);
  EXPECT_EQ(b.device.violations()[1].clk, 35111);
  EXPECT_EQ(b.device.violations()[1].command.bg, 1);
}

TEST(TrasMax, CountsUntilAnAutoPrecharge) {
  DramConfig c = ready_config();
  c.timing.trefi = 4000;
  for (const int late : {0, 1}) {
    Bench b(c);
    b.act(kA);
    b.to(9 * 3900 - 6 + late);
    b.read(kA, 0, 0, true);
    b.after(100);
    EXPECT_EQ(b.rules(), late == 0 ? Rules{} : Rules{"tRASmax"});
  }
}

TEST(Initialisation, NoCommandBeforeItEnds) {
  DramConfig c = ready_config();
  c.timing.tinit = 500;
  Bench b(c);
  b.to(500);
  b.act(kA);
  b.tick();
  EXPECT_EQ(b.lines(), "");
  b.device.reset();
  EXPECT_FALSE(b.device.checker(0).is_open(0));
  b.to(501 + 499);
  b.act(kA);
  b.tick();
  ASSERT_EQ(b.rules(), Rules{"tINIT"});
  EXPECT_EQ(b.device.violations()[0].expected, 500);
  EXPECT_EQ(b.device.violations()[0].actual, 499);
  EXPECT_EQ(DramTiming::of(8000).tinit, 200'000);
  EXPECT_EQ(DramTiming::of(10000).tinit, 250'000);
}

TEST(SelfRefresh, TakesNoCommandButItsExit) {
  Bench b;
  b.row(RowOp::kSelfEnter);
  b.after(50);
  b.act(kA);
  b.tick();
  EXPECT_EQ(b.rules(), Rules{"self refresh"});
  b.row(RowOp::kSelfEnter);
  b.read(kA);
  b.after(20);
  EXPECT_EQ(b.device.violation_count(), 3U);
  b.row(RowOp::kSelfExit);
  b.row(RowOp::kSelfExit, {}, 1, 0, 1);  // PC1 is not in self refresh
  b.after(460);
  EXPECT_EQ(b.device.violation_count(), 4U);
  b.act(kA);  // the first one was ignored
  b.tick();
  EXPECT_EQ(b.device.violation_count(), 4U) << b.lines();
}

TEST(Violations, AreAllCountedAndKeptUpToTheCap) {
  DramConfig c = ready_config();
  c.violation_cap = 3;
  Bench b(c);
  for (int i = 0; i < 10; ++i) b.read(kA), b.after(2);
  EXPECT_EQ(b.device.violations().size(), 3U);
  EXPECT_EQ(b.device.violation_count(), 10U);
}

TEST(Violations, ThrowInThatMode) {
  DramConfig c = ready_config();
  c.throw_at_first = true;
  Bench b(c);
  b.to(30);
  b.read(kB, 3);
  try {
    b.tick();
    FAIL() << "nothing thrown";
  } catch (const DramViolation& e) {
    EXPECT_STREQ(e.what(), "clk 30 pc0 bank closed: RD sid 0 bg 1 ba 5 col 3: 0, 1 expected");
    EXPECT_EQ(e.violation().rule, "bank closed");
  }
}

}  // namespace
}  // namespace tepin::tb::dram::testing
