// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <vector>

#include "sw/golden/dot.h"
#include "tb/vector_dut.h"

namespace {

using namespace tepin;
using isa::Format;

constexpr std::array kActs{Format::kMxfp4,     Format::kMxfp6E2m3, Format::kMxfp6E3m2,
                           Format::kMxfp8E4m3, Format::kMxfp8E5m2, Format::kMxint8};
constexpr std::array kWeights{Format::kMxfp4,  Format::kMxfp6E2m3, Format::kMxfp6E3m2, Format::kMxfp8E4m3,
                              Format::kMxint8, Format::kNvfp4,     Format::kInt4g32};

golden::BlockSum exact(Format fw, const golden::WeightBlock& w, Format fa, const golden::Block& a) {
  if (const auto* n = std::get_if<golden::Nvfp4Block>(&w)) return golden::dot(*n, fa, a);
  if (const auto* i = std::get_if<golden::Int4Block>(&w)) return golden::dot(*i, fa, a);
  return golden::dot(fw, std::get<golden::Block>(w), fa, a);
}

/// A finite code at random; any code if `special`.
std::uint8_t random_code(std::mt19937_64& rng, Format f, bool special) {
  const auto code = static_cast<std::uint8_t>(rng() & ((1U << golden::elem_info(f).bits) - 1));
  if (!special && golden::decode_elem(f, code).kind != golden::ElemKind::kFinite) return 1;
  return code;
}

std::uint8_t random_scale(std::mt19937_64& rng, int centre, int spread, bool special) {
  const int s = centre - spread + static_cast<int>(rng() % static_cast<unsigned>(2 * spread + 1));
  return static_cast<std::uint8_t>(!special && s == 255 ? 254 : s);
}

golden::Block random_block(std::mt19937_64& rng, Format f, int centre, int spread, bool special) {
  golden::Block b;
  b.scale = random_scale(rng, centre, spread, special);
  for (auto& c : b.codes) c = random_code(rng, f, special);
  return b;
}

golden::WeightBlock random_weights(std::mt19937_64& rng, Format f, int centre, int spread, bool special) {
  if (f == Format::kNvfp4) {
    golden::Nvfp4Block b;
    for (auto& s : b.scales) s = random_code(rng, Format::kMxfp8E4m3, special);
    for (auto& c : b.codes) c = random_code(rng, Format::kMxfp4, false);
    return b;
  }
  if (f == Format::kInt4g32) {
    golden::Int4Block b;
    b.scale_bf16 = static_cast<std::uint16_t>((rng() & 0x807f) | random_scale(rng, centre, spread, special) << 7);
    for (auto& c : b.codes) c = static_cast<std::int8_t>(static_cast<int>(rng() % 16) - 8);
    return b;
  }
  return random_block(rng, f, centre, spread, special);
}

/// The same block with every element negated, as far as the format has the negative.
void negate(Format f, golden::WeightBlock& w) {
  if (auto* n = std::get_if<golden::Nvfp4Block>(&w)) {
    for (auto& c : n->codes) c ^= 8;
  } else if (auto* i = std::get_if<golden::Int4Block>(&w)) {
    i->scale_bf16 ^= 0x8000;
  } else {
    const int bits = golden::elem_info(f).bits;
    for (auto& c : std::get<golden::Block>(w).codes)
      c = static_cast<std::uint8_t>(f == Format::kMxint8 ? (c == 128 ? 127 : -c) : c ^ 1U << (bits - 1));
  }
}

/// Random rounds a pair of formats. TEPIN_ARRAY_ROUNDS asks for fewer, where the unit simulates slowly (a netlist):
/// then a test does not count how often it met the rare results, and the exhaustive one takes a part of the codes.
int rounds() {
  const char* text = std::getenv("TEPIN_ARRAY_ROUNDS");
  return text == nullptr ? 500 : std::max(1, std::atoi(text));
}
bool reduced() { return rounds() < 500; }

// Every pair of formats; scales near, wide apart, and at the ends of the range; sums that cancel.
TEST(MxuArray, AccumulatesRandomBlocksBitForBit) {
  const auto unit = tb::make_vector_dut();
  std::mt19937_64 rng(11);
  std::uint64_t nans = 0, infinities = 0, subnormals = 0, zeros = 0;
  for (const Format fa : kActs) {
    for (const Format fw : kWeights) {
      for (int round = 0; round < rounds(); ++round) {
        const int spread = round % 5 == 0 ? 127 : round % 5 == 1 ? 60 : 4;
        const int centre = round % 5 == 2 ? 58 : 127;  // 58: both scales together end near 2^-149
        std::vector<tb::WeightOperand> w;
        std::vector<golden::Block> a;
        golden::WeightBlock last;
        std::uint32_t expected = 0;
        const std::size_t n = 1 + rng() % 8;
        for (std::size_t i = 0; i < n; ++i) {
          golden::WeightBlock block = random_weights(rng, fw, centre, spread, round % 50 == 0);
          a.push_back(random_block(rng, fa, centre, spread, round % 50 == 0));
          // Now and then the block before with its sign turned, so that sums cancel.
          if (i > 0 && rng() % 3 == 0) {
            block = last;
            negate(fw, block);
            a[i] = a[i - 1];
          }
          last = block;
          w.push_back(tb::weight_operand(fw, block));
          expected = golden::accumulate(expected, exact(fw, block, fa, a[i]));
        }
        ASSERT_EQ(unit->dot(fa, fw, w, a), expected)
            << isa::kFormats[static_cast<std::size_t>(fa)].name << " x "
            << isa::kFormats[static_cast<std::size_t>(fw)].name << " round " << round;
        const std::uint32_t e = expected >> 23 & 0xff;
        if (e == 255) (((expected & 0x7fffff) != 0) ? nans : infinities)++;
        if (e == 0) (((expected & 0x7fffff) != 0) ? subnormals : zeros)++;
      }
    }
  }
  if (reduced()) return;
  EXPECT_GT(nans, 100U);
  EXPECT_GT(infinities, 100U);
  EXPECT_GT(subnormals, 100U);
  EXPECT_GT(zeros, 100U);
}

// Every activation code against every weight code (for nvfp4 with every scale, for int4 with every significand): one
// weight code against 32 neighbours of activation codes a time.
TEST(MxuArray, MultipliesEveryPairOfCodesExactly) {
  const auto unit = tb::make_vector_dut();
  for (const Format fa : kActs) {
    const int acts = 1 << golden::elem_info(fa).bits;
    for (const Format fw : kWeights) {
      const bool nv = fw == Format::kNvfp4;
      const bool int4 = fw == Format::kInt4g32;
      const int codes = nv || int4 ? 16 : 1 << golden::elem_info(fw).bits;
      // Scales once for all activation formats, the lesser formats with a few.
      const int scales = !nv && !int4 ? 1 : reduced() ? 4 : fa == Format::kMxint8 ? 256 : 8;
      for (int scale = reduced() ? scales - 1 : 0; scale < scales; ++scale) {
        for (int cw = 0; cw < codes; cw += !reduced() || codes == 16 ? 1 : codes == 64 ? 7 : 51) {
          golden::WeightBlock w;
          if (nv) {
            golden::Nvfp4Block b;
            b.scales = {static_cast<std::uint8_t>(scale * 37), static_cast<std::uint8_t>(scale * 37 + 128)};
            b.codes.fill(static_cast<std::uint8_t>(cw));
            w = b;
          } else if (int4) {
            golden::Int4Block b;
            b.scale_bf16 = static_cast<std::uint16_t>((scale & 0x7f) | 127 << 7 | (scale & 0x80) << 8);
            b.codes.fill(static_cast<std::int8_t>(cw - 8));
            w = b;
          } else {
            golden::Block b{127, {}};
            b.codes.fill(static_cast<std::uint8_t>(cw));
            w = b;
          }
          const tb::WeightOperand operand = tb::weight_operand(fw, w);
          // One sign a block, or products would cancel; codes that are no numbers have a test of their own.
          const int run = std::min(32, acts / 2);
          for (int first = 0; first < acts; first += reduced() ? std::max(run, acts / 2) : run) {
            golden::Block a{127, {}};
            for (int i = 0; i < 32; ++i) {
              auto& code = a.codes[static_cast<std::size_t>(i)];
              code = static_cast<std::uint8_t>(first + i % run);
              if (golden::decode_elem(fa, code).kind != golden::ElemKind::kFinite) code = 0;
            }
            const std::uint32_t expected = golden::accumulate(0, exact(fw, w, fa, a));
            ASSERT_EQ(unit->dot(fa, fw, {&operand, 1}, {&a, 1}), expected)
                << isa::kFormats[static_cast<std::size_t>(fa)].name << " from " << first << " x "
                << isa::kFormats[static_cast<std::size_t>(fw)].name << " code " << cw << " scale " << scale;
          }
        }
      }
    }
  }
}

// A block's NaN comes from each lane, on each side.
TEST(MxuArray, ASpecialElementInAnyLaneGivesNan) {
  const auto unit = tb::make_vector_dut();
  for (const Format f : {Format::kMxfp8E4m3, Format::kMxfp8E5m2}) {
    for (std::size_t lane = 0; lane < 32; ++lane) {
      for (const int code : {0x7c, 0x7d, 0x7f, 0xfc, 0xff}) {
        golden::Block one{127, {}}, special{127, {}};
        special.codes[lane] = static_cast<std::uint8_t>(code);
        const bool finite = golden::decode_elem(f, special.codes[lane]).kind == golden::ElemKind::kFinite;
        const tb::WeightOperand zero = tb::weight_operand(Format::kMxfp4, one);
        EXPECT_EQ(unit->dot(f, Format::kMxfp4, {&zero, 1}, {&special, 1}), finite ? 0U : 0x7fc00000U);
        if (f != Format::kMxfp8E4m3) continue;
        const tb::WeightOperand w = tb::weight_operand(f, special);
        EXPECT_EQ(unit->dot(Format::kMxint8, f, {&w, 1}, {&one, 1}), finite ? 0U : 0x7fc00000U);
      }
    }
  }
}

}  // namespace
