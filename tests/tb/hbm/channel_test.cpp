// SPDX-License-Identifier: Apache-2.0
// What the HBM4 controller promises beside moving data: errors, error correction, scrubbing, refresh in all its modes,
// RFM, self refresh, the PHY's window, counters. The device behind it stops at the first timing rule broken.
#include "tests/tb/hbm/channel_support.h"

namespace tepin::tb::hbm {
namespace {

constexpr std::uint32_t kCapacity = 512U << 20;

HbmSystemOptions options() {
  HbmSystemOptions o;
  o.checked = true;
  o.throw_at_first = true;
  return o;
}
HbmSystemOptions with(std::vector<HbmSetting> settings) {
  HbmSystemOptions o = options();
  o.settings = std::move(settings);
  return o;
}
HbmSetting no_scrub() { return {offsetof(hbm_csr_t, ECC), HBM_CSR__ECC__SCRUB_bm, 0}; }
Word pattern(std::uint32_t seed) {
  Word w;
  for (std::uint32_t i = 0; i < 8; ++i) w[i] = seed * 0x9e3779b9U + i * 0x85ebca6bU;
  return w;
}
dram::BurstAddress place(int pc, std::uint32_t address) { return place_of(pc, address, AddressMap(2)); }

TEST(HbmChannel, ReadsWhatWasWrittenAndWhatWasThere) {
  Channel c(options());
  for (int pc = 0; pc < 2; ++pc) {
    EXPECT_EQ(c.read(pc, 0x1234000).data.at(0), c.system.initial(pc)(0x1234000));
    ASSERT_EQ(c.write(pc, 0x1234020, pattern(7)), kOkay);
    EXPECT_EQ(c.read(pc, 0x1234020).data.at(0), pattern(7));
    const auto burst = c.read(pc, 0x1234000, 3);
    EXPECT_EQ(burst.data.at(0), c.system.initial(pc)(0x1234000));
    EXPECT_EQ(burst.data.at(1), pattern(7));
    EXPECT_EQ(burst.data.at(2), c.system.initial(pc)(0x1234040));
  }
}

TEST(HbmChannel, AnIdleReadTakes41ClocksOfAClosedBankAnd21OfAnOpenRow) {
  Channel c(with({no_scrub(), {offsetof(hbm_csr_t, REFRESH), HBM_CSR__REFRESH__ON_bm, 0}}));
  for (std::uint32_t i = 0; i < 20; ++i) {
    const std::uint32_t address = 0x100000 + i * 0x4000;
    EXPECT_EQ(c.read(0, address).clocks, 41U);
    EXPECT_EQ(c.read(0, address + 32).clocks, 21U);
    c.clock(200);
  }
}

TEST(HbmChannel, AWriteOfSomeBytesKeepsTheOthers) {
  Channel c(with({no_scrub()}));
  const Word old = c.system.initial(0)(0x40);
  ASSERT_EQ(c.write(0, 0x40, pattern(3), 0x0000f00f), kOkay);
  Word expected = old;
  expected[0] = pattern(3)[0] & 0xffffffffU;  // bytes 0..3
  expected[3] = pattern(3)[3];                // bytes 12..15
  EXPECT_EQ(c.read(0, 0x40).data.at(0), expected);
  ASSERT_EQ(c.write(0, 0x40, pattern(4), 0), kOkay);
  EXPECT_EQ(c.read(0, 0x40).data.at(0), expected);
  EXPECT_EQ(c.count(0, kCountCompleted), 1U) << "a write without bytes reads nothing";
}

TEST(HbmChannel, BeyondTheCapacityAnswersDecerrAndChangesNothing) {
  Channel c(options());
  const auto r = c.read(0, kCapacity - 32, 3);
  EXPECT_EQ(r.response, (std::vector<int>{kOkay, kDecErr, kDecErr}));
  EXPECT_EQ(r.data.at(0), c.system.initial(0)(kCapacity - 32));
  EXPECT_EQ(r.data.at(1), Word{});
  EXPECT_EQ(c.write(0, kCapacity, pattern(1)), kDecErr);
  EXPECT_EQ(c.write(0, 0x7fffffe0, pattern(1)), kDecErr);
  EXPECT_EQ(c.read(0, 0).data.at(0), c.system.initial(0)(0)) << "no address wraps";
  EXPECT_EQ(c.write(0, kCapacity - 32, pattern(2)), kOkay);
  EXPECT_EQ(c.read(0, kCapacity - 32).data.at(0), pattern(2));
}

TEST(HbmChannel, CorrectsEverySingleBitOfABurst) {
  Channel c(with({no_scrub()}));
  const Word good = c.system.initial(1)(0x8000);
  for (int bit = 0; bit < 272; ++bit) {
    c.system.dram().flip(place(1, 0x8000), bit);
    const auto r = c.read(1, 0x8000);
    ASSERT_EQ(r.response.at(0), kOkay) << "bit " << bit;
    ASSERT_EQ(r.data.at(0), good) << "bit " << bit;
    c.system.dram().flip(place(1, 0x8000), bit);
  }
  EXPECT_EQ(c.count(1, kCountCorrected), 272U);
  EXPECT_EQ(c.count(1, kCountUncorrected), 0U);
  EXPECT_EQ(c.bad_address(1) >> 31, 0U);
}

TEST(HbmChannel, TwoWrongBitsAreAnErrorWithZerosAndItsPlace) {
  Channel c(with({no_scrub()}));
  const std::vector<std::pair<int, int>> pairs{{0, 1},     {5, 255},   {17, 260}, {100, 266},
                                               {262, 271}, {256, 257}, {31, 32}};
  std::uint32_t n = 0;
  for (const auto& [a, b] : pairs) {
    const std::uint32_t address = 0x9000 + 32 * n++;
    c.system.dram().flip(place(0, address), a);
    c.system.dram().flip(place(0, address), b);
    const auto r = c.read(0, address);
    EXPECT_EQ(r.response.at(0), kSlvErr) << a << ' ' << b;
    EXPECT_EQ(r.data.at(0), Word{});
  }
  EXPECT_EQ(c.count(0, kCountUncorrected), pairs.size());
  const std::uint32_t bad = c.bad_address(0);
  const dram::BurstAddress first = place(0, 0x9000);
  EXPECT_EQ(bad >> 31, 1U);
  EXPECT_EQ(bad & 0x3fff, static_cast<std::uint32_t>(first.row));
  EXPECT_EQ(bad >> 14 & 31, static_cast<std::uint32_t>(first.col));
  EXPECT_EQ(bad >> 19 & 63, static_cast<std::uint32_t>(first.sid * 16 + first.bg * 8 + first.ba));
}

TEST(HbmChannel, ABurstFromAnotherPlaceIsAnError) {
  Channel c(with({no_scrub()}));
  // Whole code words, each right where it belongs.
  for (const std::uint32_t other : {0x5020U, 0x5100U, 0x5800U, 0x4000000U, 0x10005000U}) {
    c.system.dram().store(place(0, 0x5000), c.system.dram().load(place(0, other)));
    EXPECT_EQ(c.read(0, 0x5000).response.at(0), kSlvErr) << std::hex << other;
  }
}

TEST(HbmChannel, APartialWriteOverAnUncorrectableBurstNeverReadsAsGood) {
  Channel c(with({no_scrub()}));
  c.system.dram().flip(place(0, 0x7000), 3);
  c.system.dram().flip(place(0, 0x7000), 4);
  ASSERT_EQ(c.write(0, 0x7000, pattern(1), 0xff), kOkay);
  EXPECT_EQ(c.read(0, 0x7000).response.at(0), kSlvErr);
  EXPECT_EQ(c.write(0, 0x7000, pattern(2)), kOkay);
  EXPECT_EQ(c.read(0, 0x7000).response.at(0), kOkay) << "a whole burst makes it good again";
  EXPECT_EQ(c.read(0, 0x7000).data.at(0), pattern(2));
}

TEST(HbmChannel, InjectionRegistersMakeTheErrorsTheyName) {
  Channel c(with({no_scrub()}));
  for (std::uint32_t bits = 0; bits < 3; ++bits) {
    c.set(offsetof(hbm_csr_t, ECC), HBM_CSR__ECC__INJECT_BITS_bm, bits);
    c.set(offsetof(hbm_csr_t, ECC), HBM_CSR__ECC__INJECT_POS_bm, 77);
    ASSERT_EQ(c.write(0, 0x200 * bits, pattern(bits)), kOkay);
    const auto r = c.read(0, 0x200 * bits);
    EXPECT_EQ(r.response.at(0), bits == 2 ? kSlvErr : kOkay);
    EXPECT_EQ(r.data.at(0), bits == 2 ? Word{} : pattern(bits));
  }
  EXPECT_EQ(c.count(0, kCountCorrected), 1U);
  EXPECT_EQ(c.count(0, kCountUncorrected), 1U);
}

TEST(HbmChannel, WithoutCorrectionDataComeAsTheyAre) {
  Channel c(with({{offsetof(hbm_csr_t, ECC), HBM_CSR__ECC__ON_bm, 0}}));
  ASSERT_EQ(c.write(0, 0x100, pattern(9)), kOkay);
  c.clock(400);
  c.system.dram().flip(place(0, 0x100), 0);
  Word wrong = pattern(9);
  wrong[0] ^= 1;
  const auto r = c.read(0, 0x100);
  EXPECT_EQ(r.response.at(0), kOkay);
  EXPECT_EQ(r.data.at(0), wrong);
}

TEST(HbmChannel, ScrubbingWritesACorrectedBurstAgain) {
  Channel c(with({{offsetof(hbm_csr_t, ECC), HBM_CSR__ECC__INTERVAL_bm, 20}}));
  // Scrubbing begins with column 0 of row 0 of bank 0.
  dram::BurstAddress at{.pc = 0, .sid = 0, .bg = 0, .ba = 0, .row = 0, .col = 9};
  const dram::Burst good = c.system.dram().load(at);
  c.system.dram().flip(at, 200);
  c.clock(3000);
  EXPECT_EQ(c.system.dram().load(at).data, good.data);
  EXPECT_EQ(c.system.dram().load(at).meta, good.meta);
  EXPECT_EQ(c.count(0, kCountCorrected), 2U) << "the scrub's read, and the one that completes its rewrite";
  EXPECT_GE(c.count(0, kCountScrubbed), 32U);
}

TEST(HbmChannel, ABurstThatARequestFoundWrongIsWrittenAgain) {
  Channel c(options());
  c.system.dram().flip(place(1, 0x123400), 11);
  const Word good = c.system.initial(1)(0x123400);
  EXPECT_EQ(c.read(1, 0x123400).data.at(0), good);
  c.clock(1500);
  EXPECT_EQ(c.system.dram().load(place(1, 0x123400)).data, good);
}

TEST(HbmChannel, EveryClockHasOneCause) {
  Channel c(with({no_scrub()}));
  c.system.write_register(offsetof(hbm_csr_t, CTRL),
                          HBM_CSR__CTRL__ENABLE_bm | HBM_CSR__CTRL__COUNT_bm | HBM_CSR__CTRL__CLEAR_bm);
  for (std::uint32_t i = 0; i < 200; ++i) {
    (void)c.read(0, i * 0x1040, 1 + static_cast<int>(i % 7));
    if (i % 3 == 0) (void)c.write(0, i * 0x2040, pattern(i), i % 2 == 0 ? ~0U : 0xffU);
  }
  c.clock(1000);  // what was written goes
  c.set(offsetof(hbm_csr_t, CTRL), HBM_CSR__CTRL__COUNT_bm, 0);
  std::vector<std::uint64_t> sum(2);
  for (int pc = 0; pc < 2; ++pc) {
    for (std::size_t i = 0; i < kCountSlots; ++i) sum[static_cast<std::size_t>(pc)] += c.count(pc, i);
    EXPECT_EQ(c.count(pc, 0), c.count(pc, kCountRead) + c.count(pc, kCountWrite));
  }
  EXPECT_EQ(sum[0], sum[1]) << "both count the same clocks";
  EXPECT_GT(sum[0], 10'000U);
  const auto& s = c.system.dram().statistics();
  EXPECT_EQ(s.count(0, dram::Kind::kRd), c.count(0, kCountRead));
  EXPECT_EQ(s.count(0, dram::Kind::kAct), c.count(0, kCountAct));
}

TEST(HbmChannel, RefreshesEveryBankAtEveryTemperature) {
  const std::vector<double> rates{0.25, 0.5, 1, 2, 4};
  for (const bool from_device : {false, true}) {
    Channel c(with({no_scrub(), {offsetof(hbm_csr_t, REFRESH), HBM_CSR__REFRESH__AUTO_bm, from_device ? 1U : 0U}}));
    for (std::uint32_t code = 0; code < rates.size(); ++code) {
      if (from_device) {
        c.system.dut().in.temperature = static_cast<std::uint8_t>(code);
      } else {
        c.set(offsetof(hbm_csr_t, REFRESH), HBM_CSR__REFRESH__RATE_bm, code);
      }
      c.system.dram().set_refresh_rate(rates[code]);
      const std::uint64_t before = c.system.dram().statistics().count(0, dram::Kind::kRefPb);
      c.clock(4 * 3900);
      const std::uint64_t after = c.system.dram().statistics().count(0, dram::Kind::kRefPb);
      // 32 banks, four tREFI; what is under way at either end may add or lack a few.
      EXPECT_NEAR(static_cast<double>(after - before), 128 * rates[code], 40) << "rate " << rates[code];
    }
  }
}

TEST(HbmChannel, AllBankModeRefreshesOnceATrefi) {
  Channel c(with({{offsetof(hbm_csr_t, REFRESH), HBM_CSR__REFRESH__ALL_BANK_bm, 1}}));
  for (std::uint32_t i = 0; i < 1000; ++i) (void)c.read(0, i * 0x10040);
  const auto& s = c.system.dram().statistics();
  EXPECT_EQ(s.count(0, dram::Kind::kRefPb), 0U);
  EXPECT_NEAR(static_cast<double>(s.count(0, dram::Kind::kRefAb)), static_cast<double>(c.system.dram().now()) / 3900,
              2);
  EXPECT_NEAR(static_cast<double>(s.count(1, dram::Kind::kRefAb)), static_cast<double>(c.system.dram().now()) / 3900,
              2);
}

TEST(HbmChannel, AChangeOfRefreshModeNeitherLosesNorDoublesARefresh) {
  // All-bank mode while most of each round passes, per-bank mode at its end, and the other way round.
  for (const std::uint64_t phase : {0U, 300U, 1900U, 3500U}) {
    Channel c(with({no_scrub()}));
    c.clock(phase);
    for (int i = 0; i < 16; ++i) {
      c.set(offsetof(hbm_csr_t, REFRESH), HBM_CSR__REFRESH__ALL_BANK_bm, 1);
      c.clock(3600);
      c.set(offsetof(hbm_csr_t, REFRESH), HBM_CSR__REFRESH__ALL_BANK_bm, 0);
      c.clock(300);
    }
    c.clock(4000);
    const auto& s = c.system.dram().statistics();
    const double each =
        static_cast<double>(s.count(0, dram::Kind::kRefPb)) / 32 + static_cast<double>(s.count(0, dram::Kind::kRefAb));
    EXPECT_NEAR(each, static_cast<double>(c.system.dram().now()) / 3900, 2) << phase;
  }
}

TEST(HbmChannel, RefreshModeAndRateMayChangeAtAnyMomentUnderTraffic) {
  // The device throws at the ninth refresh postponed or pulled in: what is lost or doubled adds up.
  constexpr std::array<double, 5> kRates{0.25, 0.5, 1, 2, 4};
  Channel c(with({no_scrub()}));
  Rng rng{5};
  for (std::uint32_t i = 0; i < 150; ++i) {
    for (std::uint32_t n = rng.below(60); n != 0; --n) (void)c.read(0, rng.below(1U << 15) * 0x4000, 4);
    c.set(offsetof(hbm_csr_t, REFRESH), HBM_CSR__REFRESH__ALL_BANK_bm, rng.below(2));
    const std::uint32_t rate = rng.below(5);
    if (kRates.at(rate) < 1) c.system.dram().set_refresh_rate(kRates.at(rate));
    c.set(offsetof(hbm_csr_t, REFRESH), HBM_CSR__REFRESH__RATE_bm, rate);
    c.system.dram().set_refresh_rate(kRates.at(rate));
    if (rng.chance(20)) c.clock(rng.below(6000));
  }
}

TEST(HbmChannel, AFasterRefreshRateOwesNothingForTheTimeBefore) {
  Channel c(with({no_scrub()}));
  const auto refreshes = [&] { return c.system.dram().statistics().count(0, dram::Kind::kRefPb); };
  std::uint64_t fast = 0;
  c.system.dram().set_refresh_rate(0.25);  // the least that is demanded
  for (int i = 0; i < 20; ++i) {
    c.set(offsetof(hbm_csr_t, REFRESH), HBM_CSR__REFRESH__RATE_bm, 0);
    c.clock(487 - 24);  // one bank's turn of 32 at four times tREFI, nearly
    const std::uint64_t before = refreshes();
    c.set(offsetof(hbm_csr_t, REFRESH), HBM_CSR__REFRESH__RATE_bm, 4);
    c.clock(3900 / 4 / 32 * 8 - 24);  // the turns of eight at a quarter of it
    fast += refreshes() - before;
  }
  EXPECT_NEAR(static_cast<double>(fast), 20 * 8, 40);
}

TEST(HbmChannel, HammeredBanksGetRefreshManagement) {
  // Two rows of one bank in turn, refreshes rare: activates pass RAAIMT long before a refresh is due.
  Channel c(with({no_scrub(), {offsetof(hbm_csr_t, REFRESH), HBM_CSR__REFRESH__RATE_bm, 0}}));
  c.system.dram().set_refresh_rate(0.25);
  const std::uint32_t a = 0x4000, b = 0x4000 ^ 1U << 17 ^ 1U << 20;  // the map's parities are the same
  ASSERT_EQ(place(0, a).ba, place(0, b).ba);
  ASSERT_EQ(place(0, a).bg, place(0, b).bg);
  for (int i = 0; i < 400; ++i) {
    (void)c.read(0, a);
    (void)c.read(0, b);
  }
  EXPECT_GE(c.count(0, kCountAct), 700U);
  EXPECT_GE(c.count(0, kCountRfm), 5U);
}

TEST(HbmChannel, ARowThatIsAlwaysAskedForIsClosedInTime) {
  // tRAS max is nine tREFI; at the slowest rate nine postponed refreshes would be four times that.
  Channel c(with({no_scrub(), {offsetof(hbm_csr_t, REFRESH), HBM_CSR__REFRESH__RATE_bm, 0}}));
  c.system.dram().set_refresh_rate(0.25);
  while (c.system.dram().now() < 12 * 3900) (void)c.read(0, 0x40, 4);
  EXPECT_GE(c.count(0, kCountPre), 1U);
}

TEST(HbmChannel, SelfRefreshKeepsDataAndHoldsRequestsBack) {
  Channel c(options());
  ASSERT_EQ(c.write(0, 0x777000, pattern(5)), kOkay);
  c.set(offsetof(hbm_csr_t, CTRL), HBM_CSR__CTRL__SELF_REFRESH_bm, 1);
  c.clock(2000);
  EXPECT_EQ((c.status() & HBM_CSR__STATUS__SLEEPING_bm) >> HBM_CSR__STATUS__SLEEPING_bp, 3U);
  EXPECT_EQ(c.system.dram().statistics().count(0, dram::Kind::kSelfEnter), 1U);
  EXPECT_EQ(c.system.dram().statistics().count(1, dram::Kind::kSelfEnter), 1U);
  EXPECT_FALSE(c.system.dut().out.axi[0].ar_ready);
  EXPECT_FALSE(c.system.dut().out.axi[0].aw_ready);
  c.clock(20'000);
  c.set(offsetof(hbm_csr_t, CTRL), HBM_CSR__CTRL__SELF_REFRESH_bm, 0);
  EXPECT_EQ(c.read(0, 0x777000).data.at(0), pattern(5));
  EXPECT_EQ(c.status() & HBM_CSR__STATUS__SLEEPING_bm, 0U);
  EXPECT_EQ(c.system.dram().statistics().count(0, dram::Kind::kSelfExit), 1U);
}

TEST(HbmChannel, NoCommandIsSentInSelfRefreshWhateverIsOwed) {
  Channel c(options());
  bool asleep = false;
  std::uint64_t early = 0;
  c.each_clock = [&](const HbmDut& dut) {
    for (const auto& r : dut.out.dfi.row) {
      if (r.pc != 0 || r.op == dram::RowOp::kNone) continue;
      if (asleep) early += r.op != dram::RowOp::kSelfExit;
      if (r.op == dram::RowOp::kSelfEnter) asleep = true;
      if (r.op == dram::RowOp::kSelfExit) asleep = false;
    }
  };
  for (std::uint32_t round = 0; round < 6; ++round) {
    // All banks busy for longer than tREFI, so that refreshes are owed when sleep is asked for.
    for (std::uint32_t i = 0; i < 200; ++i) (void)c.read(0, (i % 32) * 0x8840 + round * 0x40000, 8);
    c.set(offsetof(hbm_csr_t, CTRL), HBM_CSR__CTRL__SELF_REFRESH_bm, 1);
    c.clock(1000 + round);
    EXPECT_TRUE(asleep);
    c.set(offsetof(hbm_csr_t, CTRL), HBM_CSR__CTRL__SELF_REFRESH_bm, 0);
    (void)c.read(0, 0x40);
  }
  EXPECT_EQ(early, 0U);
}

TEST(HbmChannel, NothingIsUnderWayInThePhysWindow) {
  Channel c(with({{offsetof(hbm_csr_t, PHY0), HBM_CSR__PHY0__PERIOD_bm, 1000},
                  {offsetof(hbm_csr_t, PHY1), HBM_CSR__PHY1__WINDOW_bm, 300}}));
  std::uint64_t quiet = 0, busy = 0;
  c.each_clock = [&](const HbmDut& dut) {
    if (!dut.out.phy_update) return;
    ++quiet;
    for (const auto& r : dut.out.dfi.row) busy += r.op != dram::RowOp::kNone;
    for (std::size_t pc = 0; pc < 2; ++pc)
      busy += dut.out.dfi.col[pc].valid || dut.out.dfi.wdata_valid[pc] || dut.in.dfi.rdata_valid[pc];
  };
  for (std::uint32_t i = 0; i < 300; ++i) {
    (void)c.read(0, i * 0x1040, 8);
    (void)c.write(1, i * 0x1040, pattern(i));
  }
  EXPECT_EQ(busy, 0U);
  EXPECT_GE(quiet, 600U);
}

TEST(HbmChannel, ThePhysWindowWaitsForReadsThatReturnLate) {
  // A PHY that adds 100 clocks to RL, and a read begun in every clock.
  HbmSystemOptions late = with({{offsetof(hbm_csr_t, PHY0), HBM_CSR__PHY0__PERIOD_bm, 1000},
                                {offsetof(hbm_csr_t, PHY1), HBM_CSR__PHY1__WINDOW_bm, 100}});
  late.extra_read_latency = 100;
  Channel c(late);
  std::uint64_t quiet = 0, busy = 0;
  c.each_clock = [&](const HbmDut& dut) {
    quiet += dut.out.phy_update;
    busy += dut.out.phy_update && dut.in.dfi.rdata_valid[0];
  };
  for (std::uint32_t i = 0; i < 100; ++i) (void)c.read(0, i * 0x2000, 256);
  EXPECT_EQ(busy, 0U);
  EXPECT_GE(quiet, 500U);
}

TEST(HbmChannel, ABurstThatRunsBeyondTheHighestAddressEndsInErrors) {
  Channel c(options());
  const auto r = c.read(0, 0x7fffffc0, 4);
  EXPECT_EQ(r.response, (std::vector<int>(4, kDecErr)));
}

TEST(HbmChannel, TakesNoRequestAndSendsNoCommandBeforeItIsEnabled) {
  auto dut = make_checked_hbm_dut("", 7);
  for (int i = 0; i < 4; ++i) dut->step(false);
  dut->in.axi[0].ar_valid = true;
  for (int i = 0; i < 500; ++i) {
    dut->step(true);
    ASSERT_EQ(dut->out.dfi.row[0].op, dram::RowOp::kNone);
    ASSERT_FALSE(dut->out.dfi.col[0].valid);
  }
}

TEST(HbmChannel, AConfigurationThatCannotWorkIsRefused) {
  const std::vector<HbmSetting> bad{{offsetof(hbm_csr_t, ORG), HBM_CSR__ORG__SIDS_bm, 0},
                                    {offsetof(hbm_csr_t, ORG), HBM_CSR__ORG__SIDS_bm, 5},
                                    {offsetof(hbm_csr_t, LAT), HBM_CSR__LAT__WL_bm, 3},
                                    {offsetof(hbm_csr_t, LAT), HBM_CSR__LAT__WL_bm, 17},
                                    {offsetof(hbm_csr_t, ROW0), HBM_CSR__ROW0__T_RP_bm, 0},
                                    {offsetof(hbm_csr_t, COL1), HBM_CSR__COL1__T_RTW_bm, 0},
                                    {offsetof(hbm_csr_t, MAP_BG), HBM_CSR__MAP_BG__MASK_bm, 0x40},
                                    {offsetof(hbm_csr_t, MAP_BA0), HBM_CSR__MAP_BA0__MASK_bm, 0x200},
                                    {offsetof(hbm_csr_t, RAA), HBM_CSR__RAA__RAA_MMT_bm, 64},
                                    {offsetof(hbm_csr_t, RAA), HBM_CSR__RAA__RAA_MMT_bm, 65},
                                    {offsetof(hbm_csr_t, RAA), HBM_CSR__RAA__RAA_IMT_bm, 1},
                                    {offsetof(hbm_csr_t, COL0), HBM_CSR__COL0__T_RTP_bm, 255},
                                    {offsetof(hbm_csr_t, COL1), HBM_CSR__COL1__T_WR_bm, 249},
                                    {offsetof(hbm_csr_t, COL1), HBM_CSR__COL1__T_WTR_S_bm, 250},
                                    {offsetof(hbm_csr_t, COL1), HBM_CSR__COL1__T_WTR_L_bm, 250},
                                    {offsetof(hbm_csr_t, RFC), HBM_CSR__RFC__T_RFC_PB_bm, 2},
                                    {offsetof(hbm_csr_t, RFC), HBM_CSR__RFC__T_RFC_AB_bm, 2},
                                    {offsetof(hbm_csr_t, RFM), HBM_CSR__RFM__T_RFM_PB_bm, 2},
                                    {offsetof(hbm_csr_t, RFC), HBM_CSR__RFC__T_RFC_PB_bm, 4095},
                                    {offsetof(hbm_csr_t, RFC), HBM_CSR__RFC__T_RFC_AB_bm, 912},
                                    {offsetof(hbm_csr_t, RFM), HBM_CSR__RFM__T_RFM_PB_bm, 4095},
                                    {offsetof(hbm_csr_t, RFM), HBM_CSR__RFM__T_XS_bm, 4095},
                                    {offsetof(hbm_csr_t, LAT), HBM_CSR__LAT__T_RREFD_bm, 31},
                                    {offsetof(hbm_csr_t, PHY1), HBM_CSR__PHY1__WINDOW_bm, 912},
                                    {offsetof(hbm_csr_t, REFRESH), HBM_CSR__REFRESH__T_REFI_bm, 0},
                                    {offsetof(hbm_csr_t, REFRESH), HBM_CSR__REFRESH__T_REFI_bm, 2255}};
  for (const HbmSetting& s : bad) {
    HbmSystem system(with({s}));
    EXPECT_THROW(system.bring_up(), HangError) << std::hex << s.address << ' ' << s.value;
    EXPECT_NE(system.read_register(offsetof(hbm_csr_t, STATUS)) & HBM_CSR__STATUS__REFUSED_bm, 0U);
    EXPECT_EQ(system.dram().statistics().count(0, dram::Kind::kRefPb), 0U);
  }
  const std::vector<HbmSetting> good{{offsetof(hbm_csr_t, RAA), HBM_CSR__RAA__RAA_MMT_bm, 66},
                                     {offsetof(hbm_csr_t, COL0), HBM_CSR__COL0__T_RTP_bm, 254},
                                     {offsetof(hbm_csr_t, COL1), HBM_CSR__COL1__T_WR_bm, 248},
                                     {offsetof(hbm_csr_t, COL1), HBM_CSR__COL1__T_WTR_L_bm, 249},
                                     {offsetof(hbm_csr_t, PHY1), HBM_CSR__PHY1__WINDOW_bm, 911},
                                     {offsetof(hbm_csr_t, REFRESH), HBM_CSR__REFRESH__T_REFI_bm, 2256}};
  for (const HbmSetting& s : good) {
    Channel c(with({s}));
    EXPECT_EQ(c.status() & HBM_CSR__STATUS__REFUSED_bm, 0U);
    ASSERT_EQ(c.write(0, 0x1230, pattern(2)), kOkay);
    EXPECT_EQ(c.read(0, 0x1230).data.at(0), pattern(2)) << std::hex << s.address << ' ' << s.value;
  }
}

TEST(HbmChannel, RegistersThatDoNotExistAnswerAnError) {
  Channel c(options());
  EXPECT_THROW((void)c.system.read_register(0x1fc), ProtocolError);
  EXPECT_THROW(c.system.write_register(0x7fc, 1), ProtocolError);
  EXPECT_THROW(c.system.write_register(offsetof(hbm_csr_t, STATUS), 1), ProtocolError) << "read only";
}

}  // namespace
}  // namespace tepin::tb::hbm
