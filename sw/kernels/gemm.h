// SPDX-License-Identifier: Apache-2.0
// Plans of the matrix products: which kernel, how it is tiled, where data lie.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sw/kernels/launch.h"

namespace tepin::kernels {

/// Operands of Y = W X. W: m rows of kb blocks, as in a checkpoint: codes [m][kb][16] (E2M1), scales [m][kb] (E8M0).
/// X: n columns of kb blocks: codes [n][kb][B] with B = 16 for mxfp4, else 32; scales [n][kb].
struct GemmOperands {
  std::uint64_t m = 0, kb = 0, n = 0;
  isa::Format act = isa::Format::kMxint8;
  std::span<const std::uint8_t> w_codes, w_scales, a_codes, a_scales;
};

enum class GemmKernel : std::uint8_t { kAuto, kResident, kGemv, kStream };

/// Chooses and fills a kernel: gemv for n <= 4, gemm where a column tile of X fits the scratchpad, else gemm_stream.
/// isa::InputError if the format is none that the matrix unit takes, a size is 0, or the operands do not fit HBM.
[[nodiscard]] Launch plan_gemm(const isa::Config& cfg, const GemmOperands& op, GemmKernel kernel = GemmKernel::kAuto);

/// The result of a finished launch, [n][m] as FP32 bits, from the bytes of launch.outputs[0].
[[nodiscard]] std::vector<std::uint32_t> gemm_result(const Launch& launch, const GemmOperands& op,
                                                     std::span<const std::uint8_t> y);

/// Cycles that the matrix unit is occupied by one mm (docs/reference/isa.md).
[[nodiscard]] std::uint64_t mm_cycles(const isa::Config& cfg, std::uint64_t kb, std::uint64_t n, isa::Format act);

/// Memory to memory copy of whole beats, striped; for the kernel copy.s.
[[nodiscard]] Launch plan_copy(const isa::Config& cfg, std::span<const std::uint8_t> bytes);

/// quantise.s: n tokens (1..32) of k = 32*kb FP32 values to a panel. values: [n][k] as bits.
[[nodiscard]] Launch plan_quantise(const isa::Config& cfg, std::uint64_t n, std::uint64_t kb, isa::Format format,
                                   std::span<const std::uint32_t> values);

}  // namespace tepin::kernels
