// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/operands.h"

#include <algorithm>
#include <bit>

#include "sw/golden/dot.h"

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

RandomWeights::RandomWeights(Random& random, std::uint64_t m, std::uint64_t kb) : codes(m * kb * 16), scales(m * kb) {
  for (std::uint8_t& c : codes) c = static_cast<std::uint8_t>(random.next());
  for (std::uint8_t& s : scales) s = static_cast<std::uint8_t>(120 + random.next() % 8);
  weights = {"random", m, kb, codes, scales};
}

Activations quantise(std::span<const float> x, std::uint64_t n, std::uint64_t kb, isa::Format format) {
  Activations a{n, kb, format, {}, {}};
  const std::uint32_t bytes = golden::block_bytes(format);
  a.codes.resize(n * kb * bytes);
  a.scales.resize(n * kb);
  for (std::uint64_t b = 0; b < n * kb; ++b) {
    std::array<std::uint32_t, kBlock> in{};
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::bit_cast<std::uint32_t>(x[b * kBlock + i]);
    const Block block = golden::quantise(format, in);
    golden::pack_codes(format, block.codes, &a.codes[b * bytes]);
    a.scales[b] = block.scale;
  }
  return a;
}

kernels::GemmOperands operands_of(const Weights& w, const Activations& a) {
  return {w.m, w.kb, a.n, a.format, w.codes, w.scales, a.codes, a.scales};
}

std::vector<std::uint32_t> reference_product(const Weights& w, const Activations& a) {
  const auto blocks = [](isa::Format f, std::span<const std::uint8_t> codes, std::span<const std::uint8_t> scales) {
    std::vector<Block> out(scales.size());
    for (std::size_t b = 0; b < out.size(); ++b) {
      out[b].scale = scales[b];
      golden::unpack_codes(f, &codes[b * golden::block_bytes(f)], out[b].codes);
    }
    return out;
  };
  const std::vector<Block> wb = blocks(isa::Format::kMxfp4, w.codes, w.scales);
  const std::vector<Block> ab = blocks(a.format, a.codes, a.scales);
  std::vector<std::uint32_t> y(a.n * w.m);
  for (std::uint64_t n = 0; n < a.n; ++n) {
    for (std::uint64_t m = 0; m < w.m; ++m) {
      std::uint32_t acc = 0;
      for (std::uint64_t kb = 0; kb < w.kb; ++kb) {
        acc = golden::accumulate(acc, golden::dot(isa::Format::kMxfp4, wb[m * w.kb + kb], a.format, ab[n * w.kb + kb]));
      }
      y[n * w.m + m] = acc;
    }
  }
  return y;
}

}  // namespace tepin::cli
