// SPDX-License-Identifier: Apache-2.0
// Operands of matrix products: activations quantised on import, generated data, and what a product must give.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sw/kernels/gemm.h"

namespace tepin::cli {

/// MXFP4 weights as in a checkpoint: codes [m][kb][16], scales [m][kb].
struct Weights {
  std::string name;
  std::uint64_t m = 0, kb = 0;
  std::span<const std::uint8_t> codes, scales;
};

/// codes [n][kb][B], scales [n][kb].
struct Activations {
  std::uint64_t n = 0, kb = 0;
  isa::Format format = isa::Format::kMxint8;
  std::vector<std::uint8_t> codes, scales;
};

/// SplitMix64: the documented generator of all seeded data. The same seed gives the same data everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// Near normal: the sum of four 16-bit numbers of one draw, less 131070, times 2^-15. Mean 0, deviation 1.15, exact.
  float value();

 private:
  std::uint64_t state_;
};

[[nodiscard]] std::vector<float> random_values(Random& random, std::uint64_t count);

/// Random codes, scales 2^-7 to 2^0; the bytes are kept by the caller.
struct RandomWeights {
  RandomWeights(Random& random, std::uint64_t m, std::uint64_t kb);
  std::vector<std::uint8_t> codes, scales;
  Weights weights;
};

/// Quantises x, [n][32*kb] row by row, as vqnt does (OCP MX v1.0, floor rule).
[[nodiscard]] Activations quantise(std::span<const float> x, std::uint64_t n, std::uint64_t kb, isa::Format format);

[[nodiscard]] kernels::GemmOperands operands_of(const Weights& w, const Activations& a);

/// Y as FP32 bits, [n][m], straight from the checkpoint's layout: an exact dot product a block, one rounding a block
/// (docs/numerics.md, 3). Shares neither panels nor programs with what it checks.
[[nodiscard]] std::vector<std::uint32_t> reference_product(const Weights& w, const Activations& a);

}  // namespace tepin::cli
