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
    const auto f = static_cast<isa::Format>(round % isa::kNumFormats);
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
    const golden::Block expected = golden::quantise(f, x);
    ASSERT_EQ(unit->quantise(f, x), expected) << "round " << round;
    if (expected.scale == golden::kScaleNan) ++special;
    golden::Block b;
    b.scale = static_cast<std::uint8_t>(rng());
    const int bits = golden::elem_info(f).bits;
    for (auto& c : b.codes) c = static_cast<std::uint8_t>(rng() & ((1U << bits) - 1));
    ASSERT_EQ(unit->dequantise(f, b), golden::dequantise(f, b)) << "round " << round;
  }
  EXPECT_GT(special, 100);
}

}  // namespace
