// SPDX-License-Identifier: Apache-2.0
// The rounding is checked, not repeated: a result is right if the exact value lies between the midpoints to its two
// neighbours (on a midpoint only if the result is even). Exact values are fixed-point numbers of 2048 bits.
#include "sw/golden/fp32.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <random>

namespace tepin::golden {
namespace {

/// A non-negative integer times 2^-1000.
class Fixed {
 public:
  Fixed() = default;
  Fixed(std::uint64_t mag, int exp) {
    const auto at = static_cast<unsigned>(exp + 1000);
    for (unsigned i = 0; i < 64; ++i) {
      if ((mag >> i & 1U) != 0) words_[(at + i) / 32] |= 1U << ((at + i) % 32);
    }
  }
  /// The value of FP32 magnitude bits, infinity read as 2^128.
  static Fixed of(std::uint32_t bits) {
    const std::uint32_t field = bits >> 23;
    return field == 0 ? Fixed(bits, -149) : Fixed((bits & 0x7fffffU) | 0x800000U, static_cast<int>(field) - 150);
  }
  friend Fixed operator+(const Fixed& a, const Fixed& b) {
    Fixed r;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < r.words_.size(); ++i) {
      carry += std::uint64_t{a.words_[i]} + b.words_[i];
      r.words_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    return r;
  }
  friend Fixed operator-(const Fixed& a, const Fixed& b) {  // a >= b
    Fixed r;
    std::int64_t carry = 0;
    for (std::size_t i = 0; i < r.words_.size(); ++i) {
      carry += std::int64_t{a.words_[i]} - std::int64_t{b.words_[i]};
      r.words_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    return r;
  }
  friend std::strong_ordering operator<=>(const Fixed& a, const Fixed& b) {
    for (std::size_t i = a.words_.size(); i-- > 0;) {
      if (a.words_[i] != b.words_[i]) return a.words_[i] <=> b.words_[i];
    }
    return std::strong_ordering::equal;
  }
  friend bool operator==(const Fixed&, const Fixed&) = default;

 private:
  std::array<std::uint32_t, 64> words_{};
};

::testing::AssertionResult is_rounded_sum(std::uint32_t acc, std::int64_t sum, int exp, std::uint32_t result) {
  const auto failure = [&](const char* why) {
    return ::testing::AssertionFailure() << std::hex << "acc " << acc << std::dec << " + " << sum << " * 2^" << exp
                                         << std::hex << " gave " << result << ": " << why;
  };
  const Fixed a = Fixed::of(acc & 0x7fffffffU);
  const Fixed b(sum < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(sum) : static_cast<std::uint64_t>(sum), exp);
  const bool a_negative = acc >> 31 != 0;
  const bool b_negative = sum < 0;
  const bool a_larger = a >= b;
  const Fixed exact = a_negative == b_negative ? a + b : a_larger ? a - b : b - a;
  if (exact == Fixed()) return result == 0 ? ::testing::AssertionSuccess() : failure("an exact zero is +0");
  const bool negative = a_larger ? a_negative : b_negative;
  if ((result >> 31 != 0) != negative) return failure("wrong sign");
  const std::uint32_t m = result & 0x7fffffffU;
  if (m > 0x7f800000U) return failure("NaN");
  const bool even = (m & 1U) == 0;
  if (m > 0) {
    const auto low = exact + exact <=> Fixed::of(m - 1) + Fixed::of(m);
    if (low < 0 || (low == 0 && !even)) return failure("too large");
  }
  if (m < 0x7f800000U) {
    const auto high = exact + exact <=> Fixed::of(m) + Fixed::of(m + 1);
    if (high > 0 || (high == 0 && !even)) return failure("too small");
  }
  return ::testing::AssertionSuccess();
}

std::uint32_t random_fp32(std::mt19937_64& rng) {
  for (;;) {
    auto bits = static_cast<std::uint32_t>(rng());
    if (rng() % 8 == 0) bits &= 0x807fffffU;                         // subnormal or zero
    if (rng() % 8 == 0) bits &= 0xff800000U | (1U << (rng() % 24));  // few fraction bits: ties
    if (rng() % 16 == 0) bits |= 0x007fffffU;                        // carries
    if (is_finite32(bits)) return bits;
  }
}

std::int64_t random_sum(std::mt19937_64& rng) {
  const auto magnitude = static_cast<std::int64_t>(rng() >> (1 + rng() % 63));
  return (rng() & 1U) != 0 ? -magnitude : magnitude;
}

TEST(AccumulateBlock, IsTheExactSumRoundedOnceForAnyExponents) {
  std::mt19937_64 rng(1);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint32_t acc = random_fp32(rng);
    const std::int64_t sum = random_sum(rng);
    const int exp = static_cast<int>(rng() % 601) - 300;
    ASSERT_TRUE(is_rounded_sum(acc, sum, exp, accumulate_block(acc, sum, exp))) << "case " << i;
  }
}

// Exponents near each other, where terms overlap, cancel and tie; every gap from far below to far above.
TEST(AccumulateBlock, IsTheExactSumRoundedOnceWhereTheTermsMeet) {
  std::mt19937_64 rng(2);
  int ties = 0;
  for (int i = 0; i < 150'000; ++i) {
    const std::uint32_t acc = random_fp32(rng);
    std::int64_t sum = random_sum(rng);
    const int top = static_cast<int>((acc >> 23) & 0xffU) - 127;
    const int width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(sum < 0 ? -sum : sum)));
    int exp = top - width + static_cast<int>(rng() % 141) - 70;
    if (i % 4 == 0) {  // one half of the last place, or next to it
      sum = (rng() & 1U) != 0 ? 1 : -1;
      exp = top - 24;
      ++ties;
      if (rng() % 2 == 0) {
        sum = sum * 4 + static_cast<std::int64_t>(rng() % 3) - 1;
        exp -= 2;
      }
    }
    ASSERT_TRUE(is_rounded_sum(acc, sum, exp, accumulate_block(acc, sum, exp))) << "case " << i;
  }
  EXPECT_GT(ties, 30'000);
}

TEST(AccumulateBlock, CancelsToTheLastBit) {
  std::mt19937_64 rng(3);
  for (int i = 0; i < 50'000; ++i) {
    const std::uint32_t acc = random_fp32(rng);
    const Exact e = exact_of(acc);
    const int extra = static_cast<int>(rng() % 36);
    auto sum = static_cast<std::int64_t>(e.mag) << extra;
    sum += static_cast<std::int64_t>(rng() % 5) - 2;
    if (!e.negative) sum = -sum;
    ASSERT_TRUE(is_rounded_sum(acc, sum, e.exp - extra, accumulate_block(acc, sum, e.exp - extra))) << "case " << i;
  }
}

TEST(AccumulateBlock, KeepsOneStickyBitForWhatLiesFarBelow) {
  for (int gap = 20; gap < 250; ++gap) {
    for (const std::int64_t sum : {std::int64_t{1}, std::int64_t{-1}}) {
      for (const std::uint32_t acc : {0x3f800000U, 0x3f800001U, 0xbf800000U, 0x40000000U, 0x7f7fffffU}) {
        ASSERT_TRUE(is_rounded_sum(acc, sum, -gap, accumulate_block(acc, sum, -gap))) << gap;
      }
    }
  }
  // a tie that something 2^-200 below tips over
  EXPECT_EQ(accumulate_block(0x3f800000U, (Int128{1} << 90) + 1, -24 - 90), 0x3f800001U);
  EXPECT_EQ(accumulate_block(0x3f800000U, Int128{1} << 90, -24 - 90), 0x3f800000U);
  EXPECT_EQ(accumulate_block(0x3f800001U, Int128{1} << 90, -24 - 90), 0x3f800002U);
  EXPECT_EQ(accumulate_block(0x3f800001U, (Int128{1} << 90) - 1, -24 - 90), 0x3f800001U);
}

TEST(AccumulateBlock, TreatsTheSpecialCasesAsTheDocumentSays) {
  const auto acc = [](std::uint32_t a, std::int64_t s, int e) { return accumulate_block(a, s, e); };
  EXPECT_EQ(acc(0x7fc00000U, 1, 0), kNan32);
  EXPECT_EQ(acc(0xff800123U, 1, 0), kNan32);          // any NaN becomes the canonical one
  EXPECT_EQ(acc(0x7f800000U, -1, 300), 0x7f800000U);  // infinity stays
  EXPECT_EQ(acc(0xff800000U, 1, 300), 0xff800000U);
  EXPECT_EQ(acc(0, 1, 128), 0x7f800000U);
  EXPECT_EQ(acc(0, -1, 300), 0xff800000U);
  EXPECT_EQ(acc(0x7f7fffffU, 1, 103), 0x7f800000U);  // max + half a place: tie to even overflows
  EXPECT_EQ(acc(0x7f7fffffU, 1, 102), 0x7f7fffffU);
  EXPECT_EQ(acc(0, -1, -150), 0x80000000U);  // half of the least: to even, sign kept
  EXPECT_EQ(acc(0, 3, -151), 0x00000001U);
  EXPECT_EQ(acc(0, -1, -300), 0x80000000U);
  EXPECT_EQ(acc(0x80000000U, 0, 0), 0U);  // exact zero
  EXPECT_EQ(acc(0x3f800000U, -1, 0), 0U);
  EXPECT_EQ(acc(0, 1, -149), 1U);
  EXPECT_EQ(acc(0x007fffffU, 1, -149), 0x00800000U);  // subnormal to normal
  EXPECT_EQ(acc(0, std::int64_t{INT64_MIN}, 0), 0xdf000000U);
}

std::uint32_t canonical(float f) { return std::isnan(f) ? kNan32 : std::bit_cast<std::uint32_t>(f); }

// The processor's own IEEE arithmetic is the independent source here.
TEST(Fp32, AddsSubtractsAndMultipliesAsIeee754) {
  std::mt19937_64 rng(4);
  constexpr std::array<std::uint32_t, 14> kSpecial{0,           0x80000000U, 1,           0x80000001U, 0x007fffffU,
                                                   0x00800000U, 0x3f800000U, 0xbf800000U, 0x7f7fffffU, 0xff7fffffU,
                                                   0x7f800000U, 0xff800000U, 0x7fc00000U, 0xff812345U};
  const auto pick = [&] {
    return rng() % 4 == 0 ? kSpecial[rng() % kSpecial.size()] : static_cast<std::uint32_t>(rng());
  };
  for (int i = 0; i < 300'000; ++i) {
    const std::uint32_t a = pick();
    std::uint32_t b = pick();
    if (i % 3 == 0) b = (b & 0x807fffffU) | (a & 0x7f800000U);  // like exponents
    const volatile float x = std::bit_cast<float>(a);
    const volatile float y = std::bit_cast<float>(b);
    ASSERT_EQ(fp32_add(a, b), canonical(x + y)) << std::hex << a << " + " << b;
    ASSERT_EQ(fp32_sub(a, b), canonical(x - y)) << std::hex << a << " - " << b;
    ASSERT_EQ(fp32_mul(a, b), canonical(x * y)) << std::hex << a << " * " << b;
  }
}

/// fp32_fma against the processor's or the C library's.
void check_fma(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const volatile float x = std::bit_cast<float>(a);
  const volatile float y = std::bit_cast<float>(b);
  const volatile float z = std::bit_cast<float>(c);
  ASSERT_EQ(fp32_fma(a, b, c), canonical(std::fmaf(x, y, z))) << std::hex << a << " * " << b << " + " << c;
}

TEST(Fp32, FusedMultiplyAddRoundsOnceForAnyBits) {
  std::mt19937_64 rng(6);
  for (int i = 0; i < 300'000; ++i) {
    const std::uint32_t a = random_fp32(rng);
    const std::uint32_t b = random_fp32(rng);
    const auto c = i % 2 == 0 ? random_fp32(rng) : static_cast<std::uint32_t>(rng());
    ASSERT_NO_FATAL_FAILURE(check_fma(a, b, c));
    // c of the product's size, where the terms overlap, tie and cancel
    const std::uint32_t p = fp32_mul(a, b);
    const std::uint32_t near = (p ^ (rng() % 2 == 0 ? kSign32 : 0)) + static_cast<std::uint32_t>(rng() % 5) - 2;
    ASSERT_NO_FATAL_FAILURE(check_fma(a, b, near));
    const auto field = static_cast<int>(p >> 23 & 0xffU) + static_cast<int>(rng() % 61) - 30;
    if (field <= 0 || field >= 255) continue;
    ASSERT_NO_FATAL_FAILURE(check_fma(a, b, (c & 0x807fffffU) | static_cast<std::uint32_t>(field) << 23));
  }
}

TEST(Fp32, FusedMultiplyAddTreatsEverySpecialValueAsIeee754) {
  constexpr std::array<std::uint32_t, 18> kSpecial{0,           0x80000000U, 1,           0x80000001U, 0x007fffffU,
                                                   0x00800000U, 0x80800000U, 0x1f800000U, 0x3f800000U, 0xbf800000U,
                                                   0x3f800001U, 0x5f800000U, 0x7f7fffffU, 0xff7fffffU, 0x7f800000U,
                                                   0xff800000U, 0x7fc00000U, 0xff812345U};
  for (const std::uint32_t a : kSpecial) {
    for (const std::uint32_t b : kSpecial) {
      for (const std::uint32_t c : kSpecial) ASSERT_NO_FATAL_FAILURE(check_fma(a, b, c));
    }
  }
  EXPECT_EQ(fp32_fma(0x7f800000U, 0, 0x7fc00000U), kNan32);
  EXPECT_EQ(fp32_fma(0x7f7fffffU, 0x7f7fffffU, 0xff800000U), 0xff800000U);  // the product must not overflow first
  EXPECT_EQ(fp32_fma(0x7f7fffffU, 0x40000000U, 0xff7fffffU), 0x7f7fffffU);
  EXPECT_EQ(fp32_fma(0x3f800000U, 0xbf800000U, 0x3f800000U), 0U);  // exact zero: +0
  EXPECT_EQ(fp32_fma(0x80000000U, 0x3f800000U, 0x80000000U), 0x80000000U);
  EXPECT_EQ(fp32_fma(0x00000001U, 0x80000001U, 0), 0x80000000U);  // rounds to zero, keeps its sign
}

TEST(Fp32, ConvertsToTheNearestBf16) {
  std::mt19937_64 rng(5);
  for (int i = 0; i < 200'000; ++i) {
    auto bits = static_cast<std::uint32_t>(rng());
    if (i % 4 == 0) bits = (bits & 0xffff0000U) | 0x8000U;  // ties
    if (!is_finite32(bits)) continue;
    const std::uint32_t down = bits & 0xffff0000U;  // towards zero
    const double x = std::fabs(double{std::bit_cast<float>(bits)});
    const double lo = std::fabs(double{std::bit_cast<float>(down)});
    const std::uint32_t up = down + 0x10000U;
    const double hi = is_inf32(up) ? 0x1p128 : std::fabs(double{std::bit_cast<float>(up)});
    const bool tie = x - lo == hi - x;
    const std::uint32_t expected = tie ? ((down >> 16 & 1U) != 0 ? up : down) : x - lo < hi - x ? down : up;
    ASSERT_EQ(fp32_to_bf16(bits), expected >> 16) << std::hex << bits;
  }
  EXPECT_EQ(fp32_to_bf16(0x7f7fffffU), 0x7f80);
  EXPECT_EQ(fp32_to_bf16(0xff800001U), 0x7fc0);
  EXPECT_EQ(bf16_to_fp32(0xff81), kNan32);
  EXPECT_EQ(bf16_to_fp32(0x8001), 0x80010000U);
}

}  // namespace
}  // namespace tepin::golden
