// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/operands.h"

#include <algorithm>
#include <bit>

#include "sw/golden/vectors.h"
#include "sw/model/panels.h"

namespace tepin::cli {

using golden::Block;
using golden::kBlock;

std::uint64_t Random::next() {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

float Random::value() {
  const std::uint64_t z = next();
  const auto sum = static_cast<int>((z & 0xffff) + (z >> 16 & 0xffff) + (z >> 32 & 0xffff) + (z >> 48));
  return static_cast<float>(sum - 131070) / 32768.0F;
}

std::vector<float> random_values(Random& random, std::uint64_t count) {
  std::vector<float> out(count);
  for (float& x : out) x = random.value();
  return out;
}

RandomWeights::RandomWeights(Random& random, std::uint64_t m, std::uint64_t kb, isa::Format format, bool scaled) {
  const model::WeightLayout layout{m, kb, 2, format};
  codes.resize(m * kb * layout.code_bytes());
  scales.resize(m * kb * layout.scale_bytes());
  const auto mask =
      static_cast<std::uint8_t>(format == isa::Format::kMxfp6E2m3 || format == isa::Format::kMxfp6E3m2 ? 0x3f : 0xff);
  for (std::uint8_t& c : codes) {
    c = static_cast<std::uint8_t>(random.next() & mask);
    if (format == isa::Format::kMxfp8E4m3 && (c & 0x7f) == 0x7f) c ^= 1;
  }
  if (format == isa::Format::kInt4g32) {
    for (std::size_t i = 0; i < scales.size(); i += 2) {
      const std::uint64_t bf16 = (120 + random.next() % 8) << 7 | random.next() % 128;
      scales[i] = static_cast<std::uint8_t>(bf16);
      scales[i + 1] = static_cast<std::uint8_t>(bf16 >> 8);
    }
  } else if (format == isa::Format::kNvfp4) {
    for (std::uint8_t& s : scales) s = static_cast<std::uint8_t>(0x18 + random.next() % 0x30);
    weights.tensor_scale = 0x3b123456U;
  } else if (scaled) {
    std::fill(scales.begin(), scales.end(), std::uint8_t{127});
  } else {
    for (std::uint8_t& s : scales) s = static_cast<std::uint8_t>(120 + random.next() % 8);
  }
  if (scaled) {
    block_scales.resize((m + 127) / 128 * ((kb + 3) / 4));
    for (std::uint32_t& s : block_scales)
      s = static_cast<std::uint32_t>((110 + random.next() % 8) << 23 | random.next() % 0x800000);
  }
  weights.name = "random";
  weights.m = m;
  weights.kb = kb;
  weights.codes = codes;
  weights.scales = scales;
  weights.format = format;
  weights.block_scales = block_scales;
}

Activations quantise(std::span<const float> x, std::uint64_t n, std::uint64_t kb, isa::Format format,
                     golden::ScaleRule rule) {
  Activations a{n, kb, format, {}, {}};
  const std::uint32_t bytes = golden::block_bytes(format);
  a.codes.resize(n * kb * bytes);
  a.scales.resize(n * kb);
  for (std::uint64_t b = 0; b < n * kb; ++b) {
    std::array<std::uint32_t, kBlock> in{};
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::bit_cast<std::uint32_t>(x[b * kBlock + i]);
    const Block block = golden::quantise(format, in, rule);
    golden::pack_codes(format, block.codes, &a.codes[b * bytes]);
    a.scales[b] = block.scale;
  }
  return a;
}

kernels::GemmOperands operands_of(const Weights& w, const Activations& a) {
  return {w.m, w.kb, a.n, a.format, w.codes, w.scales, a.codes, a.scales, w.format, w.tensor_scale, w.block_scales};
}

std::vector<std::uint32_t> reference_product(const Weights& w, const Activations& a) {
  const auto parts =
      static_cast<std::size_t>(isa::kFormats[static_cast<std::size_t>(w.format)].blocks);  // blocks for 32 elements
  const std::size_t bytes = golden::block_bytes(w.format);
  const auto weight = [&](std::size_t block) -> golden::WeightBlock {
    const std::uint8_t* codes = &w.codes[block * bytes];
    if (w.format == isa::Format::kNvfp4) {
      golden::Nvfp4Block b{{w.scales[2 * block], w.scales[2 * block + 1]}, {}};
      golden::unpack_codes(w.format, codes, b.codes);
      return b;
    }
    if (w.format == isa::Format::kInt4g32) {
      golden::Int4Block b;
      b.scale_bf16 = static_cast<std::uint16_t>(w.scales[2 * block] | w.scales[2 * block + 1] << 8);
      std::array<std::uint8_t, kBlock> nibbles{};
      golden::unpack_codes(w.format, codes, nibbles);
      for (std::size_t i = 0; i < nibbles.size(); ++i)
        b.codes[i] = static_cast<std::int8_t>(nibbles[i] >= 8 ? nibbles[i] - 16 : nibbles[i]);
      return b;
    }
    Block b{w.scales[block], {}};
    golden::unpack_codes(w.format, codes, b.codes);
    return b;
  };
  // A pair's blocks are MXINT8 ones.
  const isa::Format fw = w.format == isa::Format::kMxint8x2 ? isa::Format::kMxint8 : w.format;
  const auto dot = [&](const golden::WeightBlock& wb, const Block& ab) {
    if (const auto* n = std::get_if<golden::Nvfp4Block>(&wb)) return golden::dot(*n, a.format, ab);
    if (const auto* i = std::get_if<golden::Int4Block>(&wb)) return golden::dot(*i, a.format, ab);
    return golden::dot(fw, std::get<Block>(wb), a.format, ab);
  };
  std::vector<Block> ab(a.n * a.kb);
  for (std::size_t b = 0; b < ab.size(); ++b) {
    ab[b].scale = a.scales[b];
    golden::unpack_codes(a.format, &a.codes[b * golden::block_bytes(a.format)], ab[b].codes);
  }
  std::vector<std::uint32_t> y(a.n * w.m);
  for (std::uint64_t m = 0; m < w.m; ++m) {
    std::vector<golden::WeightBlock> row;
    for (std::size_t i = 0; i < w.kb * parts; ++i) row.push_back(weight(m * w.kb * parts + i));
    for (std::uint64_t n = 0; n < a.n; ++n) {
      std::uint32_t acc = 0;
      std::uint32_t partial = 0;
      for (std::uint64_t i = 0; i < row.size(); ++i) {
        const golden::BlockSum sum = dot(row[i], ab[n * w.kb + i / parts]);
        if (w.block_scales.empty()) {
          acc = golden::accumulate(acc, sum);
          continue;
        }
        partial = golden::accumulate(i % 4 == 0 ? 0 : partial, sum);
        if (i % 4 == 3 || i + 1 == row.size())
          acc = golden::fp32_fma(partial, w.block_scales[m / 128 * ((w.kb + 3) / 4) + i / 4], acc);
      }
      y[n * w.m + m] = w.tensor_scale == 0x3f800000U ? acc : golden::fp32_mul(acc, w.tensor_scale);
    }
  }
  return y;
}

}  // namespace tepin::cli
