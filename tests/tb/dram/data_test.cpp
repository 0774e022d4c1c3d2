// SPDX-License-Identifier: Apache-2.0
// Data and metadata: when they stand on the bus, that they come back, bit errors, backdoor.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <map>
#include <random>

#include "bench.h"

namespace tepin::tb::dram::testing {
namespace {

using Rules = std::vector<std::string>;
constexpr Bank kA{0, 0, 0};

int differing_bits(const Burst& a, const Burst& b) {
  int n = std::popcount(static_cast<unsigned>(a.meta ^ b.meta));
  for (std::size_t i = 0; i < 8; ++i) n += std::popcount(a.data[i] ^ b.data[i]);
  return n;
}

TEST(Data, OfAReadStandsRlPlusOneCallsLater) {
  for (const int mbps : {8000, 10000}) {
    for (const int extra : {0, 7}) {
      DramConfig c = ready_config(mbps);
      c.extra_read_latency = extra;
      Bench b(c);
      b.device.store({1, 0, 0, 0, 9, 4}, pattern(3));
      b.act(kA, 9, 0, 1);
      b.to(100);
      b.read(kA, 4, 1);
      b.after(40);
      ASSERT_EQ(b.reads.size(), 1U);
      EXPECT_EQ(b.reads[0].pc, 1);
      EXPECT_EQ(b.reads[0].clk, 100 + (mbps == 8000 ? 10 : 13) + 1 + extra);
      EXPECT_TRUE(same(b.reads[0].burst, pattern(3)));
    }
  }
}

TEST(Data, OfAWriteMustStandWlCallsLater) {
  for (const int mbps : {8000, 10000}) {
    for (const int shift : {-1, 0, 1}) {
      Bench b(ready_config(mbps));
      b.deliver_write_data = false;
      b.act(kA, 2);
      b.to(50);
      b.write(kA, 1);
      b.wdata(50 + (mbps == 8000 ? 5 : 7) + shift);
      b.after(40);
      const Rules early{"wdata unexpected", "wdata missing"}, late{"wdata missing", "wdata unexpected"};
      EXPECT_EQ(b.rules(), shift == 0 ? Rules{} : shift < 0 ? early : late);
    }
  }
}

TEST(Data, ComesBackFromEveryBankOfBothPseudoChannels) {
  Bench b(ready_config(8000, 3));
  int checked = 0;
  for (int pc = 0; pc < 2; ++pc) {
    for (int bank = 0; bank < 48; ++bank) {
      const Bank at{bank / 16, bank / 8 % 2, bank % 8};
      const int row = bank * 251 + pc;
      b.act(at, row, 0, pc);
      b.after(20);
      for (int col : {0, 17, 31})
        b.write(at, col, pattern(static_cast<std::uint32_t>(bank * 64 + col + pc)), pc), b.after(2);
      b.after(13);
      b.reads.clear();
      for (int col : {0, 17, 31}) b.read(at, col, pc, col == 31), b.after(2);
      b.after(12);
      ASSERT_EQ(b.reads.size(), 3U);
      for (std::size_t i = 0; i < 3; ++i) {
        const int col = std::array{0, 17, 31}[i];
        const Burst expected = pattern(static_cast<std::uint32_t>(bank * 64 + col + pc));
        EXPECT_TRUE(same(b.reads[i].burst, expected));
        EXPECT_TRUE(same(b.device.load({pc, at.sid, at.bg, at.ba, row, col}), expected));
        ++checked;
      }
    }
  }
  EXPECT_EQ(checked, 288);
  EXPECT_EQ(b.lines(), "");
}

TEST(Data, OfDifferentAddressesIsKeptApart) {
  DramDevice d(ready_config(8000, 4));
  std::mt19937 rng(3);
  std::map<std::array<int, 6>, std::uint32_t> expected;
  const auto below = [&](unsigned n) { return static_cast<int>(rng() % n); };
  for (std::uint32_t i = 0; i < 5000; ++i) {
    // Few values in each place, so that addresses differ in as little as one of them.
    const std::array<int, 6> a{
        below(2), below(4), below(2), below(8), std::array{0, 1, 64, 128, 8192, 16383}[rng() % 6], below(3) * 15};
    d.store({a[0], a[1], a[2], a[3], a[4], a[5]}, pattern(i));
    expected[a] = i;
  }
  EXPECT_GT(expected.size(), 1000U);
  for (const auto& [a, i] : expected) EXPECT_TRUE(same(d.load({a[0], a[1], a[2], a[3], a[4], a[5]}), pattern(i)));
}

TEST(Data, NeverWrittenIsWhatTheFillGives) {
  Bench b;
  EXPECT_TRUE(same(b.device.load({0, 1, 1, 7, 16383, 31}), Burst{}));
  b.device.set_fill([](const BurstAddress& a) {
    Burst f;
    f.meta = static_cast<std::uint16_t>(a.row + a.col);
    return f;
  });
  b.device.store({0, 0, 0, 0, 100, 3}, pattern(1));
  b.act(kA, 100);
  b.after(20);
  b.read(kA, 3);
  b.after(2);
  b.read(kA, 4);
  b.after(20);
  ASSERT_EQ(b.reads.size(), 2U);
  EXPECT_TRUE(same(b.reads[0].burst, pattern(1)));
  EXPECT_EQ(b.reads[1].burst.meta, 104);
  EXPECT_EQ(b.device.pages(), 1U);
}

TEST(Data, BackdoorStaysInsideTheDevice) {
  DramDevice d(ready_config(8000, 3));
  EXPECT_NO_THROW((void)d.load({1, 2, 1, 7, 12287, 31}));
  for (const BurstAddress a :
       {BurstAddress{2, 0, 0, 0, 0, 0}, BurstAddress{0, 3, 0, 0, 0, 0}, BurstAddress{0, 0, 2, 0, 0, 0},
        BurstAddress{0, 0, 0, 8, 0, 0}, BurstAddress{0, 0, 0, 0, 12288, 0}, BurstAddress{0, 0, 0, 0, 0, 32},
        BurstAddress{-1, 0, 0, 0, 0, 0}}) {
    EXPECT_THROW((void)d.load(a), std::out_of_range);
    EXPECT_THROW(d.store(a, {}), std::out_of_range);
  }
}

TEST(BitErrors, FlipChangesTheStoredBurstForGood) {
  Bench b;
  const BurstAddress a{0, 0, 0, 0, 5, 6};
  b.device.store(a, pattern(8));
  for (const int bit : {0, 37, 255, 256, 271}) {
    b.device.flip(a, bit);
    EXPECT_EQ(differing_bits(b.device.load(a), pattern(8)), 1);
    Burst f = pattern(8);
    flip_bit(f, bit);
    EXPECT_TRUE(same(b.device.load(a), f));
    b.device.flip(a, bit);
  }
  EXPECT_TRUE(same(b.device.load(a), pattern(8)));
  EXPECT_EQ(b.device.statistics().flips, 10U);
  EXPECT_THROW(b.device.flip(a, 272), std::out_of_range);
}

TEST(BitErrors, HitReadsAtTheirRatesAndAreCountedExactly) {
  Bench b;
  b.device.store({0, 0, 0, 0, 0, 0}, pattern(5));
  b.device.set_error_rate(0.1, 7);
  b.device.set_double_error_rate(0.02, 7);
  b.act(kA);
  b.after(20);
  for (int i = 0; i < 10000; ++i) b.read(kA), b.after(2);
  b.after(20);
  std::array<std::uint64_t, 3> seen{};
  for (const auto& r : b.reads) ++seen.at(static_cast<std::size_t>(differing_bits(r.burst, pattern(5))));
  const auto s = b.device.statistics();
  EXPECT_EQ(b.reads.size(), 10000U);
  EXPECT_EQ(seen[1], s.single_errors);
  EXPECT_EQ(seen[2], s.double_errors);
  EXPECT_NEAR(static_cast<double>(seen[1]), 1000, 150);
  EXPECT_NEAR(static_cast<double>(seen[2]), 200, 70);
  EXPECT_TRUE(same(b.device.load({0, 0, 0, 0, 0, 0}), pattern(5)));
  EXPECT_EQ(b.lines(), "");
}

TEST(BitErrors, AreReproducible) {
  std::vector<Bench::ReadBack> runs[2];
  for (auto& run : runs) {
    Bench b;
    b.device.set_error_rate(0.5, 99);
    b.act(kA);
    b.after(20);
    for (int i = 0; i < 100; ++i) b.read(kA), b.after(2);
    run = b.reads;
  }
  for (std::size_t i = 0; i < runs[0].size(); ++i) EXPECT_TRUE(same(runs[0][i].burst, runs[1][i].burst));
  DramDevice d(ready_config());
  EXPECT_THROW(d.set_error_rate(1.5, 0), std::invalid_argument);
}

TEST(Data, SurvivesResetButNotBurstsUnderWay) {
  Bench b;
  b.act(kA, 3);
  b.after(20);
  b.write(kA, 0, pattern(1));
  b.after(13);
  b.read(kA);
  b.tick();
  b.device.reset();
  b.after(20);
  EXPECT_TRUE(b.reads.empty());
  EXPECT_TRUE(same(b.device.load({0, 0, 0, 0, 3, 0}), pattern(1)));
}

}  // namespace
}  // namespace tepin::tb::dram::testing
