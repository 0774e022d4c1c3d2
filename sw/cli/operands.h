// SPDX-License-Identifier: Apache-2.0
// Operands of matrix products: activations quantised on import, generated data, and what a product must give.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sw/golden/mx.h"
#include "sw/kernels/gemm.h"

namespace tepin::cli {

/// Weights row by row: codes and scales as model::WeightLayout says, [m][kb][code bytes], [m][kb][scale bytes].
struct Weights {
  std::string name;
  std::uint64_t m = 0, kb = 0;
  std::span<const std::uint8_t> codes, scales;
  isa::Format format = isa::Format::kMxfp4;
  std::uint32_t tensor_scale = 0x3f800000U;       // FP32 bits
  std::span<const std::uint32_t> block_scales{};  // of 128 x 128 elements: kernels::GemmOperands
  std::shared_ptr<const void> storage{};          // keeps alive what the spans show, where that is made on import
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

/// Random finite codes, scales 2^-7 to 2^0 (nvfp4, int4g32: positive ones of that size); the bytes are kept by the
/// caller. scaled: with random FP32 scales of 128 x 128 elements.
struct RandomWeights {
  RandomWeights(Random& random, std::uint64_t m, std::uint64_t kb, isa::Format format = isa::Format::kMxfp4,
                bool scaled = false);
  std::vector<std::uint8_t> codes, scales;
  std::vector<std::uint32_t> block_scales;
  Weights weights;
};

/// Quantises x, [n][32*kb] row by row, as vqnt does (docs/numerics.md, 1).
[[nodiscard]] Activations quantise(std::span<const float> x, std::uint64_t n, std::uint64_t kb, isa::Format format,
                                   golden::ScaleRule rule = golden::ScaleRule::kFloor);

[[nodiscard]] kernels::GemmOperands operands_of(const Weights& w, const Activations& a);

/// Y as FP32 bits, [n][m], straight from the checkpoint's layout: an exact dot product a block, one rounding a block
/// (docs/numerics.md, 3). Shares neither panels nor programs with what it checks.
[[nodiscard]] std::vector<std::uint32_t> reference_product(const Weights& w, const Activations& a);

}  // namespace tepin::cli
