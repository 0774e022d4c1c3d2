// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "sw/golden/mx.h"
#include "tb/vector_dut.h"

namespace {

using namespace tepin;

TEST(VpuPkg, QuantisesAndDequantisesRandomBlocksBitForBit) {
  const auto unit = tb::make_vector_dut();
  std::mt19937_64 rng(12);
  int special = 0;
  for (int round = 0; round < 12000; ++round) {
    const auto f = static_cast<isa::Format>(round % golden::kNumMxFormats);
    const auto rule = static_cast<golden::ScaleRule>(round / golden::kNumMxFormats % golden::kNumScaleRules);
    std::array<std::uint32_t, golden::kBlock> x{};
    const std::uint32_t base = static_cast<std::uint32_t>(rng() % 256);
    for (auto& v : x) {
      const std::uint32_t e = round % 7 == 0
                                  ? static_cast<std::uint32_t>(rng() % 256)
                                  : std::min<std::uint32_t>(254, base + static_cast<std::uint32_t>(rng() % 6));
      v = static_cast<std::uint32_t>(rng()) & 0x807fffffU;
      if (round % 3 == 0) v &= 0x80780000U;  // few mantissa bits: ties
      v |= e << 23;
      if (round % 7 != 0 && e == 255) v &= 0xff7fffffU;
    }
    const golden::Block expected = golden::quantise(f, x, rule);
    ASSERT_EQ(unit->quantise(f, x, rule), expected) << "round " << round;
    if (expected.scale == golden::kScaleNan) ++special;
    golden::Block b;
    b.scale = static_cast<std::uint8_t>(rng());
    const int bits = golden::elem_info(f).bits;
    for (auto& c : b.codes) c = static_cast<std::uint8_t>(rng() & ((1U << bits) - 1));
    ASSERT_EQ(unit->dequantise(f, b), golden::dequantise(f, b)) << "round " << round;
  }
  EXPECT_GT(special, 100);
}

// Largest magnitudes at every boundary of every rule, normal and subnormal.
TEST(VpuPkg, ChoosesTheScaleOfEveryRuleAtItsBoundaries) {
  const auto unit = tb::make_vector_dut();
  for (int format = 0; format < golden::kNumMxFormats; ++format) {
    const auto f = static_cast<isa::Format>(format);
    for (int r = 0; r < golden::kNumScaleRules; ++r) {
      const auto rule = static_cast<golden::ScaleRule>(r);
      for (const std::uint32_t e : {0U, 1U, 2U, 9U, 17U, 127U, 253U, 254U}) {
        for (std::uint32_t bit = 0; bit < 23; ++bit) {
          for (const std::uint32_t fraction :
               {1U << bit, (1U << bit) - 1, 0x800000U - (1U << bit), 0x7fffffU - (1U << bit)}) {
            std::array<std::uint32_t, golden::kBlock> x{};
            x[bit] = 0x80000000U | e << 23 | (fraction & 0x7fffff);
            x[31 - bit / 2] = 0x7fffff & fraction >> 3;
            ASSERT_EQ(unit->quantise(f, x, rule), golden::quantise(f, x, rule))
                << isa::kFormats[static_cast<std::size_t>(format)].name << " rule " << r << " bits " << std::hex
                << x[bit];
          }
        }
      }
    }
  }
}

TEST(VpuPkg, FusedMultiplyAddIsBinary32s) {
  const auto unit = tb::make_vector_dut();
  std::mt19937_64 rng(13);
  constexpr std::array<std::uint32_t, 12> kEdges{0,          0x80000000, 1,          0x807fffff,
                                                 0x00800000, 0x3f800000, 0xbf800000, 0x7f7fffff,
                                                 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001};
  const auto check = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    ASSERT_EQ(unit->fma(a, b, c), golden::fp32_fma(a, b, c)) << std::hex << a << " * " << b << " + " << c;
  };
  for (const std::uint32_t a : kEdges) {
    for (const std::uint32_t b : kEdges) {
      for (const std::uint32_t c : kEdges) check(a, b, c);
    }
  }
  for (int i = 0; i < 400000; ++i) {
    auto a = static_cast<std::uint32_t>(rng());
    auto b = static_cast<std::uint32_t>(rng());
    auto c = static_cast<std::uint32_t>(rng());
    if (i % 2 == 0) {  // the product near c, so that they cancel
      const std::uint32_t ea = 100 + static_cast<std::uint32_t>(rng() % 50);
      const std::uint32_t eb = 100 + static_cast<std::uint32_t>(rng() % 50);
      a = (a & 0x807fffffU) | ea << 23;
      b = (b & 0x807fffffU) | eb << 23;
      const std::uint32_t p = golden::fp32_mul(a, b);
      c = i % 4 == 0 ? p ^ 0x80000000U : (p ^ 0x80000000U) + (c % 16);
    }
    check(a, b, c);
  }
}

}  // namespace
