// SPDX-License-Identifier: Apache-2.0
// Functions of the vector unit beyond one fused multiply-add: defined by these steps, each an FP32 operation with one
// rounding, so that hardware has the same bits (docs/numerics.md, 5). FP32 bits in and out; NaN results are 0x7fc00000.
#pragma once

#include <cstdint>

namespace tepin::golden {

/// The smaller and the larger; -0 is below +0; NaN if either is (IEEE 754-2019 minimum, maximum).
[[nodiscard]] std::uint32_t fp32_min(std::uint32_t a, std::uint32_t b);
[[nodiscard]] std::uint32_t fp32_max(std::uint32_t a, std::uint32_t b);

/// 2^x: error below 0.95 units in the last place for normal results; exact for integers; infinity from x = 128 on, +0
/// up to x = -150.
[[nodiscard]] std::uint32_t fp32_exp2(std::uint32_t x);

/// 1/x: error below 0.51 units in the last place for normal results; exact for powers of two; zero gives infinity and
/// infinity zero, with the sign.
[[nodiscard]] std::uint32_t fp32_rcp(std::uint32_t x);

/// (u + 1) * g * sigmoid(a * g) with g = min(gate, limit), u = up clamped to -limit..limit and k = -a * log2(e): the
/// expert activation of gpt-oss (a = 1.702, limit 7).
[[nodiscard]] std::uint32_t fp32_swiglu(std::uint32_t gate, std::uint32_t up, std::uint32_t limit, std::uint32_t k);

}  // namespace tepin::golden
