// SPDX-License-Identifier: Apache-2.0
// The vector unit's functions against long double: special values, exact results, the published largest errors.
#include "sw/golden/functions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "sw/golden/fp32.h"

namespace tepin::golden {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
std::uint32_t bits(float f) { return std::bit_cast<std::uint32_t>(f); }
float value(std::uint32_t u) { return std::bit_cast<float>(u); }

/// Error of a normal result in units of the last place of the exact one.
double ulps(float result, long double exact) {
  int e = 0;
  (void)std::frexp(static_cast<double>(exact), &e);
  return static_cast<double>(std::fabs((static_cast<long double>(result) - exact) / std::ldexp(1.0L, e - 24)));
}

TEST(Functions, MinimumAndMaximumOrderZerosAndPassNan) {
  EXPECT_EQ(fp32_min(bits(0.0F), bits(-0.0F)), bits(-0.0F));
  EXPECT_EQ(fp32_min(bits(-0.0F), bits(0.0F)), bits(-0.0F));
  EXPECT_EQ(fp32_max(bits(0.0F), bits(-0.0F)), bits(0.0F));
  EXPECT_EQ(fp32_max(bits(-0.0F), bits(0.0F)), bits(0.0F));
  EXPECT_EQ(fp32_min(bits(-3.0F), bits(2.0F)), bits(-3.0F));
  EXPECT_EQ(fp32_max(bits(-3.0F), bits(-2.0F)), bits(-2.0F));
  EXPECT_EQ(fp32_min(bits(-kInfinity), bits(1.0F)), bits(-kInfinity));
  EXPECT_EQ(fp32_max(0x7f800001, bits(1.0F)), 0x7fc00000U);
  EXPECT_EQ(fp32_min(bits(1.0F), 0xffffffff), 0x7fc00000U);
}

TEST(Functions, PowersOfTwoAreExact) {
  for (int n = -149; n <= 127; ++n) {
    const float power = std::ldexp(1.0F, n);
    EXPECT_EQ(fp32_exp2(bits(static_cast<float>(n))), bits(power)) << n;
    if (n >= -127) {
      EXPECT_EQ(fp32_rcp(bits(power)), bits(std::ldexp(1.0F, -n))) << n;
      EXPECT_EQ(fp32_rcp(bits(-power)), bits(-std::ldexp(1.0F, -n))) << n;
    }
  }
  EXPECT_EQ(fp32_rcp(bits(std::ldexp(1.0F, -128))), bits(kInfinity));
}

TEST(Functions, EndsAndNan) {
  EXPECT_EQ(fp32_exp2(bits(-0.0F)), bits(1.0F));
  EXPECT_EQ(fp32_exp2(bits(1e-30F)), bits(1.0F));
  EXPECT_EQ(fp32_exp2(bits(128.0F)), bits(kInfinity));
  EXPECT_EQ(fp32_exp2(bits(kInfinity)), bits(kInfinity));
  EXPECT_EQ(fp32_exp2(bits(std::nextafter(128.0F, 0.0F))), 0x7f7fffa7U) << "2^128 (1 - ln 2 * 2^-17)";
  EXPECT_EQ(fp32_exp2(bits(-150.0F)), 0U);
  EXPECT_EQ(fp32_exp2(bits(std::nextafter(-150.0F, 0.0F))), 1U) << "above half of the smallest subnormal";
  EXPECT_EQ(fp32_exp2(bits(-kInfinity)), 0U);
  EXPECT_EQ(fp32_exp2(0xff800001), 0x7fc00000U);
  EXPECT_EQ(fp32_rcp(bits(0.0F)), bits(kInfinity));
  EXPECT_EQ(fp32_rcp(bits(-0.0F)), bits(-kInfinity));
  EXPECT_EQ(fp32_rcp(bits(-kInfinity)), bits(-0.0F));
  EXPECT_EQ(fp32_rcp(0x7f800001), 0x7fc00000U);
  EXPECT_EQ(fp32_rcp(1), bits(kInfinity));
  EXPECT_EQ(fp32_swiglu(bits(-kInfinity), bits(1.0F), bits(7.0F), bits(-2.4554F)), 0x7fc00000U) << "infinity times 0";
  EXPECT_EQ(fp32_swiglu(bits(0.0F), bits(3.0F), bits(7.0F), bits(-2.4554F)), bits(0.0F));
}

TEST(Functions, ErrorsStayBelowThePublishedOnes) {
  std::mt19937_64 rng(3);
  double exp2_error = 0, rcp_error = 0, swiglu_error = 0;
  for (int i = 0; i < 400'000; ++i) {
    const float x = static_cast<float>(static_cast<double>(rng() >> 11) * 0x1p-53 * 253 - 125.5);
    exp2_error = std::max(exp2_error, ulps(value(fp32_exp2(bits(x))), std::exp2(static_cast<long double>(x))));
    const std::uint32_t y =
        (static_cast<std::uint32_t>(rng()) & 0x807fffffU) | static_cast<std::uint32_t>(1 + rng() % 252) << 23;
    rcp_error = std::max(rcp_error, ulps(value(fp32_rcp(y)), 1.0L / static_cast<long double>(value(y))));
  }
  const float k = -1.702F * 1.44269504F;
  for (int i = 0; i < 100'000; ++i) {
    const float gate = static_cast<float>(static_cast<double>(rng() >> 11) * 0x1p-53 * 40 - 30);
    const float up = static_cast<float>(static_cast<double>(rng() >> 11) * 0x1p-53 * 20 - 10);
    const long double g = std::min(gate, 7.0F), u = std::clamp(up, -7.0F, 7.0F);
    const long double exact = (u + 1) * g / (1 + std::exp2(static_cast<long double>(k) * g));
    if (std::fabs(u + 1) < 1e-3L || std::fabs(g) < 1e-3L) continue;  // relative to nothing
    const long double result = value(fp32_swiglu(bits(gate), bits(up), bits(7.0F), bits(k)));
    swiglu_error = std::max(swiglu_error, static_cast<double>(std::fabs((result - exact) / exact)));
  }
  EXPECT_LT(exp2_error, 0.95);
  EXPECT_GT(exp2_error, 0.8) << "the published error is no guess";
  EXPECT_LT(rcp_error, 0.51);
  EXPECT_LT(swiglu_error, 3.3e-6);
  EXPECT_GT(swiglu_error, 1e-6);
}

}  // namespace
}  // namespace tepin::golden
