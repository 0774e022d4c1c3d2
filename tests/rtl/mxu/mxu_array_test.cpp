// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "sw/golden/dot.h"
#include "tb/vector_dut.h"

namespace {

using namespace tepin;

golden::Block random_block(std::mt19937_64& rng, isa::Format f, int centre, int spread, bool allow_nan) {
  golden::Block b;
  b.scale =
      static_cast<std::uint8_t>(centre - spread + static_cast<int>(rng() % static_cast<unsigned>(2 * spread + 1)));
  if (!allow_nan && b.scale == 255) b.scale = 254;
  for (auto& c : b.codes) {
    c = static_cast<std::uint8_t>(rng());
    if (f == isa::Format::kMxfp4) c &= 15;
    if (!allow_nan && f == isa::Format::kMxfp8E4m3 && (c & 0x7f) == 0x7f) c = 0x7e;
  }
  return b;
}

// 10^5 blocks and more in the three formats; scales near, wide apart, and at the ends of the range.
TEST(MxuArray, AccumulatesRandomBlocksBitForBit) {
  const auto unit = tb::make_vector_dut();
  std::mt19937_64 rng(11);
  std::uint64_t blocks = 0, nans = 0, infinities = 0, subnormals = 0;
  for (int round = 0; blocks < 120000; ++round) {
    const isa::Format fa = round % 3 == 0   ? isa::Format::kMxfp4
                           : round % 3 == 1 ? isa::Format::kMxfp8E4m3
                                            : isa::Format::kMxint8;
    const int spread = round % 5 == 0 ? 127 : round % 5 == 1 ? 60 : 4;
    const int centre = round % 5 == 2 ? 58 : 127;  // 58: both scales together end near 2^-149
    std::vector<golden::Block> w, a;
    std::uint32_t expected = 0;
    const std::size_t n = 1 + rng() % 12;
    for (std::size_t i = 0; i < n; ++i) {
      w.push_back(random_block(rng, isa::Format::kMxfp4, centre, spread, round % 50 == 0));
      a.push_back(random_block(rng, fa, centre, spread, round % 50 == 0));
      // Now and then the block before with its sign turned, so that sums cancel.
      if (i > 0 && rng() % 4 == 0) {
        w[i] = w[i - 1];
        a[i] = a[i - 1];
        for (auto& c : w[i].codes) c ^= 8;
      }
      expected = golden::accumulate(expected, golden::dot(isa::Format::kMxfp4, w[i], fa, a[i]));
    }
    ASSERT_EQ(unit->dot(fa, w, a), expected) << "round " << round;
    blocks += n;
    const std::uint32_t e = expected >> 23 & 0xff;
    if (e == 255) (((expected & 0x7fffff) != 0) ? nans : infinities)++;
    if (e == 0 && (expected & 0x7fffff) != 0) ++subnormals;
  }
  EXPECT_GT(nans, 10U);
  EXPECT_GT(infinities, 100U);
  EXPECT_GT(subnormals, 100U);
}

// One product at a time: every weight code against every activation code.
TEST(MxuArray, MultipliesEveryPairOfCodesExactly) {
  const auto unit = tb::make_vector_dut();
  for (const isa::Format fa : {isa::Format::kMxfp4, isa::Format::kMxfp8E4m3, isa::Format::kMxint8}) {
    const int codes = fa == isa::Format::kMxfp4 ? 16 : 256;
    for (int cw = 0; cw < 16; ++cw) {
      for (int ca = 0; ca < codes; ++ca) {
        golden::Block w{127, {}}, a{127, {}};
        const auto lane = static_cast<std::size_t>((cw * 7 + ca) % 32);
        w.codes[lane] = static_cast<std::uint8_t>(cw);
        a.codes[lane] = static_cast<std::uint8_t>(ca);
        const std::uint32_t expected = golden::accumulate(0, golden::dot(isa::Format::kMxfp4, w, fa, a));
        ASSERT_EQ(unit->dot(fa, {&w, 1}, {&a, 1}), expected) << cw << " x " << ca;
      }
    }
  }
}

}  // namespace
