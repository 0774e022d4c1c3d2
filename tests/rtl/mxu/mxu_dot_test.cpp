// SPDX-License-Identifier: Apache-2.0
// The structural form of mxu_dot against products of plain integers.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <random>

#include "Vmxu_dot.h"

namespace {

constexpr std::array<int, 8> kHalves = {0, 1, 2, 3, 4, 6, 8, 12};

struct Sums {
  std::int32_t dot4 = 0;
  std::int32_t dot9 = 0;
};

class MxuDot : public testing::Test {
 protected:
  void set(unsigned k, unsigned code, bool sign, unsigned a4, unsigned a9) {
    dut_->w_code_i[k] = static_cast<std::uint8_t>(code);
    signs_ = (signs_ & ~(1U << k)) | (static_cast<std::uint32_t>(sign) << k);
    dut_->a4_i[k] = static_cast<std::uint8_t>(a4);
    dut_->a9_i[k] = static_cast<std::uint16_t>(a9);
    const int w = (code & 8U) != 0 ? -kHalves[code & 7U] : kHalves[code & 7U];
    product4_[k] = w * (sign ? -static_cast<int>(a4) : static_cast<int>(a4));
    product9_[k] = w * (sign ? -static_cast<int>(a9) : static_cast<int>(a9));
  }

  // Compares both sums with the integers'; false ends a test early.
  [[nodiscard]] bool agrees() {
    dut_->a_sign_i = signs_;
    dut_->eval();
    Sums expected;
    for (unsigned k = 0; k < 32; ++k) {
      expected.dot4 += product4_[k];
      expected.dot9 += product9_[k];
    }
    checked_ += 2;
    EXPECT_EQ(signed20(dut_->dot4_o), expected.dot4);
    EXPECT_EQ(signed20(dut_->dot9_o), expected.dot9);
    return !HasFailure();
  }

  static std::int32_t signed20(std::uint32_t v) { return static_cast<std::int32_t>(v << 12) >> 12; }

  std::unique_ptr<Vmxu_dot> dut_ = std::make_unique<Vmxu_dot>();
  std::uint32_t signs_ = 0;
  std::array<int, 32> product4_{}, product9_{};
  std::uint64_t checked_ = 0;
};

TEST_F(MxuDot, MultipliesEveryPairOfDigitsInEveryLane) {
  for (unsigned k = 0; k < 32; ++k) set(k, 0, false, 0, 0);
  for (unsigned k = 0; k < 32; ++k) {
    for (unsigned code = 0; code < 16; ++code) {
      for (unsigned a = 0; a < 1024; ++a) {
        set(k, code, a >= 512, static_cast<unsigned>(kHalves[a & 7U]), a & 511U);
        ASSERT_TRUE(agrees()) << "lane " << k << " weight " << code << " activation " << a;
      }
    }
    set(k, 0, false, 0, 0);
  }
}

// All lanes alike: the sums' extremes, and every count of negative products.
TEST_F(MxuDot, HoldsItsExtremes) {
  for (unsigned negative = 0; negative <= 32; ++negative) {
    for (const unsigned a9 : {0U, 1U, 255U, 256U, 510U, 511U}) {
      for (unsigned code = 0; code < 8; ++code) {
        for (const bool flip : {false, true}) {
          for (unsigned k = 0; k < 32; ++k) {
            const bool n = k < negative;
            set(k, n && flip ? code | 8U : code, n && !flip, a9 == 0 ? 0 : 12, a9);
          }
          ASSERT_TRUE(agrees());
        }
      }
    }
  }
}

TEST_F(MxuDot, AddsTenMillionRandomBlocksExactly) {
  std::mt19937_64 rng(0x3d07);
  for (int block = 0; block < 5'000'000; ++block) {
    // A quarter of the lanes changes; all of them after a few blocks.
    const unsigned first = static_cast<unsigned>(rng() % 32);
    std::uint64_t r = 0;
    for (unsigned i = 0; i < 8; ++i) {
      if (i % 3 == 0) r = rng();
      const auto x = static_cast<unsigned>(r & 0x1fffffU);
      r >>= 21;
      set((first + i) % 32, x & 15U, (x >> 4 & 1U) != 0, static_cast<unsigned>(kHalves[x >> 5 & 7U]), x >> 8 & 511U);
    }
    ASSERT_TRUE(agrees()) << "block " << block;
  }
  EXPECT_GE(checked_, 10'000'000U);
}

}  // namespace
