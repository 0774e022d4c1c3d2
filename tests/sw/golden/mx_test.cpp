// SPDX-License-Identifier: Apache-2.0
#include "sw/golden/mx.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sw/golden/dot.h"

namespace tepin::golden {
namespace {

constexpr isa::Format kFp4 = isa::Format::kMxfp4;
constexpr isa::Format kInt8 = isa::Format::kMxint8;
constexpr isa::Format kE5m2 = isa::Format::kMxfp8E5m2;

TEST(Mx, EveryFiniteCodeEncodesToItself) {
  for (int f = 0; f < isa::kNumFormats; ++f) {
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
    const auto format = static_cast<isa::Format>(i % isa::kNumFormats);
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
