// SPDX-License-Identifier: Apache-2.0
#include "sw/golden/mx.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <random>

#include "sw/golden/dot.h"

namespace tepin::golden {
namespace {

constexpr isa::Format kFp4 = isa::Format::kMxfp4;
constexpr isa::Format kInt8 = isa::Format::kMxint8;
constexpr isa::Format kE5m2 = isa::Format::kMxfp8E5m2;

TEST(Mx, EveryFiniteCodeEncodesToItself) {
  for (int f = 0; f < kNumMxFormats; ++f) {
    const auto format = static_cast<isa::Format>(f);
    const ElemInfo& e = elem_info(format);
    int finite = 0;
    for (unsigned code = 0; code < (1U << e.bits); ++code) {
      const ElemValue& v = decode_elem(format, static_cast<std::uint8_t>(code));
      if (v.kind != ElemKind::kFinite || (format == kInt8 && code == 0x80)) continue;
      const Exact exact{v.negative, static_cast<Uint128>(std::abs(v.value)), -e.unit};
      EXPECT_EQ(encode_elem(format, exact), code) << e.bits << " bits, format " << f;
      ++finite;
    }
    EXPECT_GE(finite, (1 << e.bits) - 8);
  }
}

TEST(Mx, QuantisingADequantisedBlockGivesTheSameValues) {
  std::mt19937_64 rng(1);
  for (int i = 0; i < 3000; ++i) {
    const auto format = static_cast<isa::Format>(i % kNumMxFormats);
    std::array<std::uint32_t, kBlock> x{};
    for (auto& v : x)
      v = (static_cast<std::uint32_t>(rng()) & 0x80ffffffU) + 0x38000000U +
          (static_cast<std::uint32_t>(rng()) & 0x07000000U);
    const auto once = dequantise(format, quantise(format, x));
    EXPECT_EQ(dequantise(format, quantise(format, once)), once);
  }
}

TEST(Mx, Mxfp4PacksElementTwoJInTheLowNibble) {
  std::array<std::uint8_t, kBlock> codes{};
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint8_t>(i % 16);
  std::array<std::uint8_t, 16> packed{};
  pack_codes(kFp4, codes, packed.data());
  EXPECT_EQ(packed[0], 0x10);
  EXPECT_EQ(packed[7], 0xfe);
  std::array<std::uint8_t, kBlock> back{};
  unpack_codes(kFp4, packed.data(), back);
  EXPECT_EQ(back, codes);
}

TEST(Mx, InfinityAndNanInABlockGiveTheNanScaleAndZeroCodes) {
  for (const std::uint32_t bad : {0x7f800000U, 0xff800000U, 0x7fc00000U, 0xffffffffU}) {
    std::array<std::uint32_t, kBlock> x{};
    x.fill(0x3f800000U);
    x[17] = bad;
    EXPECT_EQ(quantise(kFp4, x), (Block{0xff, {}}));
  }
}

TEST(Mx, DequantisingKeepsInfinityAndOverflowsToIt) {
  EXPECT_EQ(dequantise(kE5m2, 127, 0xfc), 0xff800000U);
  EXPECT_EQ(dequantise(kE5m2, 127, 0x7d), kNan32);
  EXPECT_EQ(dequantise(kE5m2, 254, 0x7b), 0x7f800000U);
  EXPECT_EQ(dequantise(kE5m2, 0xff, 0x00), kNan32);
  EXPECT_EQ(dequantise(kFp4, 0, 0x8), 0x80000000U);
  EXPECT_EQ(dequantise(isa::Format::kMxfp6E3m2, 0, 0x01), 1U << 18);  // 2^-4 * 2^-127
  EXPECT_EQ(dequantise(kInt8, 0, 0x01), 1U << 16);                    // 2^-6 * 2^-127
}

/// A block whose largest magnitude this is.
std::uint8_t scale_of(isa::Format f, double largest, ScaleRule rule) {
  std::array<std::uint32_t, kBlock> x{};
  x[5] = std::bit_cast<std::uint32_t>(static_cast<float>(-largest));
  return quantise(f, x, rule).scale;
}

// From what each rule is for, not from how it is computed.
TEST(Mx, ScaleRulesKeepTheirPromises) {
  std::mt19937_64 rng(2);
  int up_floor = 0;
  int up_ceiling = 0;
  for (int i = 0; i < 60'000; ++i) {
    const auto f = static_cast<isa::Format>(i % kNumMxFormats);
    const ElemInfo& e = elem_info(f);
    const double top = std::ldexp(static_cast<double>(decode_elem(f, e.max_code).value), -e.unit);
    auto bits = (static_cast<std::uint32_t>(rng()) & 0x007fffffU) | static_cast<std::uint32_t>(20 + rng() % 234) << 23;
    if (i % 3 == 0) bits &= 0x7ff80000U;                                                      // few significant bits
    if (i % 3 == 1) bits = (bits & 0x7ff80000U) + static_cast<std::uint32_t>(rng() % 3) - 1;  // next to such
    const double v = std::bit_cast<float>(bits);
    const auto scale = [&](ScaleRule r) { return std::ldexp(1.0, scale_of(f, v, r) - 127); };
    const double floor = scale(ScaleRule::kFloor);
    const double pow2 = std::ldexp(1.0, e.emax);
    ASSERT_TRUE(v / floor >= pow2 && v / floor < 2 * pow2) << v;
    const double up = scale(ScaleRule::kRoundUp);  // the least with which nothing saturates
    ASSERT_TRUE(v / up <= top && v / (up / 2) > top) << v << " in format " << int(f);
    const double ceiling = scale(ScaleRule::kCeiling);
    ASSERT_TRUE(v / ceiling <= pow2 && v / ceiling > pow2 / 2) << v;
    // even: the exponent of the value rounded to the element's precision, half up
    const double step = std::ldexp(1.0, std::ilogb(v) - e.man_bits);
    const double rounded = std::floor(v / step + 0.5) * step;
    ASSERT_EQ(scale(ScaleRule::kEven), std::ldexp(1.0, std::ilogb(rounded) - e.emax)) << v << " in format " << int(f);
    up_floor += up != floor ? 1 : 0;
    up_ceiling += up != ceiling ? 1 : 0;
  }
  EXPECT_GT(up_floor, 5000);
  EXPECT_GT(up_ceiling, 5000);
}

TEST(Mx, ScaleRulesAtTheEnds) {
  constexpr std::array kRules{ScaleRule::kFloor, ScaleRule::kEven, ScaleRule::kRoundUp, ScaleRule::kCeiling};
  for (int f = 0; f < kNumMxFormats; ++f) {
    const auto format = static_cast<isa::Format>(f);
    for (const ScaleRule r : kRules) {
      EXPECT_EQ(scale_of(format, 0.0, r), 0);
      EXPECT_EQ(scale_of(format, 0x1p-149, r), 0);
      EXPECT_EQ(scale_of(format, HUGE_VAL, r), kScaleNan);
    }
  }
  EXPECT_EQ(scale_of(kFp4, 6.0, ScaleRule::kRoundUp), 127);
  EXPECT_EQ(scale_of(kFp4, 6.0000005, ScaleRule::kRoundUp), 128);
  EXPECT_EQ(scale_of(kFp4, 6.9999995, ScaleRule::kEven), 127);
  EXPECT_EQ(scale_of(kFp4, 7.0, ScaleRule::kEven), 128);
  EXPECT_EQ(scale_of(kFp4, 4.0, ScaleRule::kCeiling), 127);
  EXPECT_EQ(scale_of(kFp4, 4.0000005, ScaleRule::kCeiling), 128);
  EXPECT_EQ(scale_of(kInt8, 127.0 / 64, ScaleRule::kRoundUp), 127);
  EXPECT_EQ(scale_of(kInt8, 0x1.fffffep127, ScaleRule::kEven), 254);  // clamped from 255
  EXPECT_EQ(scale_of(kInt8, 0x1.fffffep127, ScaleRule::kCeiling), 254);
  EXPECT_EQ(scale_of(kInt8, 0x1.fffffcp-127, ScaleRule::kEven), 1);  // a subnormal that rounds to 2^-126
  EXPECT_EQ(scale_of(kInt8, 0x1.fffffcp-127, ScaleRule::kCeiling), 1);
}

TEST(Mx, TwoInt8BlocksHoldBf16WeightsToOnePartIn2To14OfTheLargest) {
  std::mt19937_64 rng(3);
  double worst = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::array<std::uint32_t, kBlock> w{};
    std::array<std::uint32_t, kBlock> rest{};
    double largest = 0;
    const int spread = 1 + i % 24;
    for (auto& v : w) {
      v = (static_cast<std::uint32_t>(rng()) & 0x807f0000U) | static_cast<std::uint32_t>(i % 230 + rng() % spread)
                                                                  << 23;
      largest = std::max(largest, std::fabs(double{std::bit_cast<float>(v)}));
    }
    const auto coarse = dequantise(kInt8, quantise(kInt8, w));
    for (std::size_t j = 0; j < w.size(); ++j) {
      rest[j] = fp32_sub(w[j], coarse[j]);
      ASSERT_EQ(double{std::bit_cast<float>(rest[j])},
                double{std::bit_cast<float>(w[j])} - double{std::bit_cast<float>(coarse[j])})
          << "the residual is no FP32 number";
    }
    const auto fine = dequantise(kInt8, quantise(kInt8, rest));
    for (std::size_t j = 0; j < w.size(); ++j) {
      const double error = double{std::bit_cast<float>(rest[j])} - double{std::bit_cast<float>(fine[j])};
      worst = std::max(worst, std::fabs(error) / largest);
    }
  }
  EXPECT_LE(worst, 0x1p-14);
  EXPECT_GT(worst, 0x1p-15);  // the bound is not a loose one
}

TEST(Dot, LargestE5m2SumNeedsMoreThan64BitsAndIsExact) {
  Block a{127, {}};
  a.codes.fill(0x7b);
  const BlockSum s = dot(kE5m2, a, kE5m2, a);
  EXPECT_FALSE(s.nan);
  EXPECT_EQ(s.exp, -32);
  EXPECT_TRUE(s.sum == Int128{32} * (Int128{57344} << 16) * (Int128{57344} << 16));
  EXPECT_EQ(accumulate(0, s), round_fp32({false, Uint128{57344} * 57344, 5}));
}

TEST(Dot, AnyNonFiniteInputGivesNan) {
  const Block ok{127, {}};
  Block bad_scale{0xff, {}};
  Block bad_element = ok;
  bad_element.codes[31] = 0x7c;  // infinity in E5M2
  EXPECT_TRUE(dot(kFp4, ok, kE5m2, bad_element).nan);
  EXPECT_TRUE(dot(kE5m2, bad_element, kFp4, ok).nan);
  EXPECT_TRUE(dot(kFp4, ok, kFp4, bad_scale).nan);
  EXPECT_TRUE(dot(kFp4, bad_scale, kFp4, ok).nan);
  EXPECT_TRUE(dot(Nvfp4Block{{0x38, 0x7f}, {}}, kFp4, ok).nan);
  EXPECT_TRUE(dot(Int4Block{0x7f80, {}}, kFp4, ok).nan);
  EXPECT_FALSE(dot(kFp4, ok, kFp4, ok).nan);
  EXPECT_EQ(accumulate(0x3f800000U, dot(kFp4, bad_scale, kFp4, ok)), kNan32);
}

}  // namespace
}  // namespace tepin::golden
