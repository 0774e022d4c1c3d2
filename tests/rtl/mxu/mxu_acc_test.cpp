// SPDX-License-Identifier: Apache-2.0
// mxu_acc for sums of 14, 28 and 60 bits against the golden model's accumulate_block.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>

#include "Vmxu_acc.h"
#include "sw/golden/fp32.h"

namespace {

using namespace tepin;

struct Case {
  std::uint32_t acc = 0;
  std::int64_t s = 0;
  int e = 0;
  bool nan = false;
};

constexpr std::array<int, 3> kBits = {14, 28, 60};

std::int64_t narrow(std::int64_t s, int bits) {
  const auto up = static_cast<unsigned>(64 - bits);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(s) << up) >> up;
}

class MxuAcc : public testing::Test {
 protected:
  // One case a cycle; a result stands two edges after its s and is compared then. Each width sees s cut to its bits.
  [[nodiscard]] bool step(const Case& c) {
    dut_->s_i = static_cast<std::uint64_t>(c.s) & ((std::uint64_t{1} << 60) - 1);
    dut_->e_i = static_cast<std::uint16_t>(c.e & 0xfff);
    dut_->nan_i = c.nan;
    dut_->acc_i = at3_.acc;
    dut_->clk_i = 0;
    dut_->eval();
    dut_->clk_i = 1;
    dut_->eval();
    const Case done = at3_;
    at3_ = c;
    if (++cycles_ < 2) return true;
    const std::array<std::uint32_t, 3> results = {dut_->acc14_o, dut_->acc28_o, dut_->acc60_o};
    for (unsigned i = 0; i < 3; ++i) {
      const std::int64_t s = narrow(done.s, kBits[i]);
      const std::uint32_t expected = done.nan ? golden::kNan32 : golden::accumulate_block(done.acc, s, done.e);
      ++checked_;
      note(expected, done);
      EXPECT_EQ(results[i], expected) << std::hex << "acc " << done.acc << " s " << s << std::dec << " e " << done.e
                                      << " bits " << kBits[i];
      EXPECT_EQ((dut_->acc_nan_o >> i & 1U) != 0, golden::is_nan32(expected));
    }
    return !HasFailure();
  }

  void note(std::uint32_t r, const Case& c) {
    if (golden::is_nan32(r))
      ++nans_;
    else if (golden::is_inf32(r))
      ++infinities_;
    else if ((r & ~golden::kSign32) == 0)
      r != 0 ? ++minus_zeros_ : ++zeros_;
    else if ((r & golden::kInf32) == 0)
      ++subnormals_;
    if (r == c.acc) ++unchanged_;
  }

  std::unique_ptr<Vmxu_acc> dut_ = std::make_unique<Vmxu_acc>();
  Case at3_;
  std::uint64_t cycles_ = 0, checked_ = 0;
  std::uint64_t nans_ = 0, infinities_ = 0, zeros_ = 0, minus_zeros_ = 0, subnormals_ = 0, unchanged_ = 0;
};

// A sum of any number of significant bits, sparse or dense, either sign.
std::int64_t random_sum(std::mt19937_64& rng, int bits) {
  const int used = static_cast<int>(rng() % static_cast<unsigned>(bits));
  std::uint64_t m = used == 0 ? 0 : rng() >> (64 - used);
  switch (rng() % 4) {
    case 0:
      m &= rng() & rng();
      break;
    case 1:
      m |= used == 0 ? 0 : (rng() | rng()) >> (64 - used);
      break;
    case 2:
      m = used == 0 ? 0 : std::uint64_t{1} << (used - 1);
      break;
    default:
      break;
  }
  const auto s = static_cast<std::int64_t>(m);
  return (rng() & 1U) != 0 ? -s : s;
}

std::uint32_t random_acc(std::mt19937_64& rng) {
  std::uint32_t a = static_cast<std::uint32_t>(rng());
  switch (rng() % 8) {
    case 0:
      a &= 0x80ffffffU;
      break;  // subnormal or among the smallest
    case 1:
      a |= 0x7f000000U;
      a &= 0xff7fffffU;
      break;  // largest finite
    case 2:
      a &= 0xff800000U;
      break;  // a power of two, 0, infinity
    case 3:
      a |= 0x007fffffU;
      break;  // just below one
    case 4:
      a &= 0xfff00000U | static_cast<std::uint32_t>(rng() & rng());
      break;
    default:
      break;
  }
  return a;
}

TEST_F(MxuAcc, MatchesTheGoldenModelOnTenMillionCases) {
  std::mt19937_64 rng(0xacc);
  for (int i = 0; i < 3'500'000; ++i) {
    Case c;
    const int bits = kBits[rng() % 3];
    c.acc = random_acc(rng);
    c.s = random_sum(rng, bits);
    const int ea = static_cast<int>(c.acc >> 23 & 0xffU);
    const int anchor = (ea == 0 ? 1 : ea) - 150;  // acc's last place
    switch (rng() % 8) {
      case 0:
        c.e = static_cast<int>(rng() % 1201) - 600;
        break;
      case 1: {
        // Near cancellation: s is -acc or a neighbour, as far as it fits, at any split of s and e.
        const std::uint32_t m = (c.acc & 0x7fffffU) | (ea != 0 ? 0x800000U : 0U);
        const int room = bits - 25;
        const int shift = static_cast<int>(rng() % static_cast<unsigned>(std::abs(room) + 1));
        const std::int64_t s =
            room >= 0 ? static_cast<std::int64_t>(m) << shift : static_cast<std::int64_t>(m >> shift);
        const std::int64_t t = s + static_cast<std::int64_t>(rng() % 5) - 2;
        c.s = (c.acc >> 31) != 0 ? t : -t;
        c.e = room >= 0 ? anchor - shift : anchor + shift;
        break;
      }
      case 2:
        c.e = anchor - static_cast<int>(rng() % 5) -
              static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::abs(c.s)))) + 2;
        break;
      default:
        c.e = anchor + static_cast<int>(rng() % 180) - 90;
        break;
    }
    if (c.e < -600) c.e = -600;
    if (c.e > 600) c.e = 600;
    c.nan = rng() % 500 == 0;
    ASSERT_TRUE(step(c)) << "case " << i;
  }
  EXPECT_GE(checked_, 10'000'000U);
  EXPECT_GT(nans_, 10'000U);
  EXPECT_GT(infinities_, 100'000U);
  EXPECT_GT(zeros_, 10'000U);
  EXPECT_GT(minus_zeros_, 1'000U);
  EXPECT_GT(subnormals_, 100'000U);
  EXPECT_GT(unchanged_, 100'000U);
}

// Every distance between acc and s, for patterns that end in ties, all ones and lone bits far below.
TEST_F(MxuAcc, RoundsTiesAndStickyBitsAtEveryDistance) {
  constexpr std::array<std::uint32_t, 9> kMan = {0, 1, 2, 3, 0x3fffff, 0x400000, 0x7ffffe, 0x7fffff, 0x555555};
  constexpr std::array<std::int64_t, 12> kSums = {
      0, 1, 2, 3, 5, 0x1000, 0x1fff, 0x1001, 0x7ffffff, 0x4000001, 0x7ffffffffffffff, 0x400000000000001};
  for (const std::uint32_t exp : {0U, 1U, 2U, 24U, 25U, 26U, 127U, 253U, 254U, 255U}) {
    for (const std::uint32_t man : kMan) {
      for (const std::int64_t sum : kSums) {
        for (int d = -100; d <= 100; ++d) {
          for (unsigned sign = 0; sign < 4; ++sign) {
            Case c;
            c.acc = (sign & 1U) << 31 | exp << 23 | man;
            c.s = (sign & 2U) != 0 ? -sum : sum;
            c.e = static_cast<int>(exp) - 150 + d;
            ASSERT_TRUE(step(c));
          }
        }
      }
    }
  }
}

TEST_F(MxuAcc, TakesTheMostNegativeSum) {
  std::mt19937_64 rng(5);
  for (int i = 0; i < 300'000; ++i) {
    Case c;
    c.acc = random_acc(rng);
    c.s = -(std::int64_t{1} << (kBits[static_cast<unsigned>(i) % 3] - 1));
    c.e = static_cast<int>(c.acc >> 23 & 0xffU) - 150 + static_cast<int>(rng() % 140) - 100;
    ASSERT_TRUE(step(c));
  }
}

}  // namespace
