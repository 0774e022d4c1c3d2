// SPDX-License-Identifier: Apache-2.0
#include "sw/model/panels.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "sw/isa/configs.h"

namespace tepin::model {
namespace {

std::vector<std::uint8_t> noise(std::size_t n, std::mt19937_64& rng) {
  std::vector<std::uint8_t> v(n);
  for (std::uint8_t& b : v) b = static_cast<std::uint8_t>(1 + rng() % 255);  // never 0, so that padding shows
  return v;
}

std::size_t up32(std::size_t v) { return (v + 31) & ~std::size_t{31}; }

TEST(WeightPanels, EveryByteIsWhereTheArchitecturePutsIt) {
  std::mt19937_64 rng(1);
  std::size_t checked = 0;
  for (const std::size_t rows : {2U, 8U, 240U}) {
    for (const std::size_t m : {1U, 2U, 7U, 8U, 9U, 64U, 241U}) {
      for (const std::size_t kb_count : {1U, 3U, 5U}) {
        const auto blocks = noise(m * kb_count * 16, rng);
        const auto scales = noise(m * kb_count, rng);
        const auto panel = make_weight_panels({m, kb_count, rows}, blocks, scales);
        // Independent of the code: go over the panel in its own order and look up which byte belongs there.
        const std::size_t tiles = m / rows + (m % rows != 0 ? 1 : 0);
        std::size_t p = 0;
        for (std::size_t t = 0; t < tiles; ++t) {
          const std::size_t begin = p;
          for (std::size_t kb = 0; kb < kb_count; ++kb) {
            for (std::size_t r = 0; r < rows; ++r) {
              for (std::size_t j = 0; j < 16; ++j, ++p, ++checked) {
                const std::size_t row = t * rows + r;
                ASSERT_EQ(panel.at(p), row < m ? blocks.at((row * kb_count + kb) * 16 + j) : 0);
              }
            }
          }
          ASSERT_EQ(p - begin, (WeightLayout{m, kb_count, rows}.scales_offset()));
          for (std::size_t kb = 0; kb < kb_count; ++kb) {
            for (std::size_t r = 0; r < rows; ++r, ++p, ++checked) {
              const std::size_t row = t * rows + r;
              ASSERT_EQ(panel.at(p), row < m ? scales.at(row * kb_count + kb) : 0);
            }
          }
          for (; (p - begin) % 32 != 0; ++p) ASSERT_EQ(panel.at(p), 0);
          ASSERT_EQ(p - begin, (WeightLayout{m, kb_count, rows}.tile_bytes()));
        }
        ASSERT_EQ(p, panel.size());
      }
    }
  }
  EXPECT_GT(checked, 100000U);
}

TEST(WeightPanels, TilesOfEveryConfigurationAreAligned) {
  for (const isa::Config& c : isa::kConfigs) {
    for (std::uint64_t kb = 1; kb < 50; ++kb) {
      const WeightLayout l{1000, kb, c.mxu_rows};
      EXPECT_EQ(l.tile_bytes() % 32, 0U);
      EXPECT_EQ(l.scales_offset() % c.mxu_rows, 0U);
      EXPECT_LT(l.tile_bytes() - kb * c.mxu_rows * 17, 32U);
    }
  }
}

TEST(ActivationPanel, EveryByteIsWhereTheArchitecturePutsIt) {
  std::mt19937_64 rng(2);
  std::size_t checked = 0;
  for (const isa::Format f : {isa::Format::kMxfp4, isa::Format::kMxfp8E4m3, isa::Format::kMxint8}) {
    const std::size_t b = f == isa::Format::kMxfp4 ? 16 : 32;
    for (std::size_t n = 1; n <= 40; ++n) {
      for (const std::size_t kb_count : {1U, 2U, 7U}) {
        const auto codes = noise(n * kb_count * b, rng);
        const auto scales = noise(n * kb_count, rng);
        const ActivationLayout layout{n, kb_count, f};
        const ActivationPanel p = make_activation_panel(layout, codes, scales);
        ASSERT_EQ(layout.astep(), up32(n * b));
        ASSERT_EQ(layout.asstep(), up32(n));
        ASSERT_EQ(p.codes.size(), kb_count * up32(n * b));
        ASSERT_EQ(p.scales.size(), kb_count * up32(n));
        for (std::size_t i = 0; i < p.codes.size(); ++i, ++checked) {
          const std::size_t kb = i / up32(n * b);
          const std::size_t c = i % up32(n * b) / b;
          ASSERT_EQ(p.codes[i], c < n ? codes.at(c * kb_count * b + kb * b + i % b) : 0);
        }
        for (std::size_t i = 0; i < p.scales.size(); ++i, ++checked) {
          const std::size_t c = i % up32(n);
          ASSERT_EQ(p.scales[i], c < n ? scales.at(c * kb_count + i / up32(n)) : 0);
        }
      }
    }
  }
  EXPECT_GT(checked, 100000U);
}

TEST(Panels, WrongSizesAreRefused) {
  const std::vector<std::uint8_t> b(16 * 6);
  const std::vector<std::uint8_t> s(6);
  EXPECT_NO_THROW((void)make_weight_panels({3, 2, 2}, b, s));
  EXPECT_THROW((void)make_weight_panels({3, 3, 2}, b, s), std::invalid_argument);
  EXPECT_THROW((void)make_weight_panels({3, 2, 2}, b, b), std::invalid_argument);
  EXPECT_THROW((void)make_weight_panels({3, 2, 3}, b, s), std::invalid_argument);
  EXPECT_THROW((void)make_weight_panels({3, 2, 0}, b, s), std::invalid_argument);
  EXPECT_THROW((void)make_activation_panel({3, 2, isa::Format::kMxint8}, b, s), std::invalid_argument);
  EXPECT_THROW((void)make_activation_panel({3, 2, isa::Format::kMxfp4}, b, b), std::invalid_argument);
}

}  // namespace
}  // namespace tepin::model
