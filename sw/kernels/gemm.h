// SPDX-License-Identifier: Apache-2.0
// Plans of the matrix products: which kernel, how it is tiled, where data lie.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sw/kernels/launch.h"

namespace tepin::kernels {

/// Operands of Y = W X. W: m rows of kb blocks of 32 elements, row by row: codes and scales as model::WeightLayout
/// says, [m][kb][code bytes], [m][kb][scale bytes]. X: n columns of kb blocks: codes [n][kb][B] with B = 16 for mxfp4,
/// else 32; scales [n][kb].
struct GemmOperands {
  std::uint64_t m = 0, kb = 0, n = 0;
  isa::Format act = isa::Format::kMxint8;
  std::span<const std::uint8_t> w_codes, w_scales, a_codes, a_scales;
  isa::Format wgt = isa::Format::kMxfp4;
  std::uint32_t tensor_scale = 0x3f800000U;  // FP32 bits: all of Y is multiplied by it at the end, with one rounding
  /// FP32 bits, [ceil(m/128)][ceil(kb/4)]: the scale of each 128 x 128 elements of W; empty if there are none. Then
  /// four blocks accumulate to p from +0, and Y = fma(p, scale, Y) (docs/numerics.md, 4).
  std::span<const std::uint32_t> block_scales{};
};

enum class GemmKernel : std::uint8_t { kAuto, kResident, kGemv, kStream };

/// Chooses and fills a kernel: gemm_scaled with block scales, else gemv for n <= 4, gemm where a column tile of X fits
/// the scratchpad, else gemm_stream. isa::InputError if a format is none that the matrix unit takes, a size is 0, or
/// the operands do not fit HBM.
[[nodiscard]] Launch plan_gemm(const isa::Config& cfg, const GemmOperands& op, GemmKernel kernel = GemmKernel::kAuto);

/// The result of a finished launch, [n][m] as FP32 bits, from the bytes of launch.outputs[0].
[[nodiscard]] std::vector<std::uint32_t> gemm_result(const Launch& launch, const GemmOperands& op,
                                                     std::span<const std::uint8_t> y);

/// Cycles that the matrix unit is occupied by one mm (docs/reference/isa.md).
[[nodiscard]] std::uint64_t mm_cycles(const isa::Config& cfg, std::uint64_t kb, std::uint64_t n, isa::Format act,
                                      isa::Format wgt = isa::Format::kMxfp4);

/// Memory to memory copy of whole beats, striped; for the kernel copy.s.
[[nodiscard]] Launch plan_copy(const isa::Config& cfg, std::span<const std::uint8_t> bytes);

/// quantise.s: n tokens (1..32) of k = 32*kb values to a panel. values: [n][k] as bits, FP32 or BF16. rule: of the
/// scales, 0..3 as in vqnt (docs/numerics.md, 1). isa::InputError if the panel and two tokens do not fit the
/// scratchpad, or the configuration has other than 2 pseudo-channels.
[[nodiscard]] Launch plan_quantise(const isa::Config& cfg, std::uint64_t n, std::uint64_t kb, isa::Format format,
                                   std::span<const std::uint32_t> values, unsigned rule = 0);
[[nodiscard]] Launch plan_quantise(const isa::Config& cfg, std::uint64_t n, std::uint64_t kb, isa::Format format,
                                   std::span<const std::uint16_t> values, unsigned rule = 0);
/// The largest kb that plan_quantise takes for n tokens of BF16.
[[nodiscard]] std::uint64_t max_bf16_blocks(const isa::Config& cfg, std::uint64_t n, isa::Format format);

}  // namespace tepin::kernels
