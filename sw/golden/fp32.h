// SPDX-License-Identifier: Apache-2.0
// IEEE 754 binary32 and bfloat16 on bit patterns, in integer arithmetic only: results depend neither on the host's
// rounding mode nor on what a compiler does with floats (contraction, excess precision, flush to zero). Rules
// (docs/architecture.md, 5): round to nearest even, subnormals kept, every NaN result is 0x7fc00000.
#pragma once

#include <cstdint>

namespace tepin::golden {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

inline constexpr std::uint32_t kNan32 = 0x7fc00000U;
inline constexpr std::uint32_t kInf32 = 0x7f800000U;
inline constexpr std::uint32_t kSign32 = 0x80000000U;
inline constexpr std::uint16_t kNan16 = 0x7fc0U;

[[nodiscard]] constexpr bool is_nan32(std::uint32_t bits) { return (bits & ~kSign32) > kInf32; }
[[nodiscard]] constexpr bool is_inf32(std::uint32_t bits) { return (bits & ~kSign32) == kInf32; }
[[nodiscard]] constexpr bool is_finite32(std::uint32_t bits) { return (bits & kInf32) != kInf32; }

/// A finite number (negative ? -1 : 1) * mag * 2^exp.
struct Exact {
  bool negative = false;
  Uint128 mag = 0;
  int exp = 0;
};

/// The exact value of finite FP32 bits; mag < 2^24, exp -149..104.
[[nodiscard]] Exact exact_of(std::uint32_t bits);

/// Rounds an exact number to FP32 once. mag < 2^127; overflow gives infinity; zero keeps the sign of `value`.
/// sticky: the true magnitude lies strictly between mag and mag+1; then mag must have at least 32 significant bits.
[[nodiscard]] std::uint32_t round_fp32(const Exact& value, bool sticky = false);

/// One rounding of the exact sum; magnitudes < 2^100 each. An exact zero is +0.
[[nodiscard]] std::uint32_t add_exact(Exact a, Exact b);

[[nodiscard]] std::uint32_t fp32_add(std::uint32_t a, std::uint32_t b);
[[nodiscard]] std::uint32_t fp32_sub(std::uint32_t a, std::uint32_t b);
[[nodiscard]] std::uint32_t fp32_mul(std::uint32_t a, std::uint32_t b);
/// a * b + c with one rounding; infinity times zero is NaN whatever c is.
[[nodiscard]] std::uint32_t fp32_fma(std::uint32_t a, std::uint32_t b, std::uint32_t c);

/// Overflow gives infinity, NaN 0x7fc0.
[[nodiscard]] std::uint16_t fp32_to_bf16(std::uint32_t bits);
/// Exact; NaN gives 0x7fc00000.
[[nodiscard]] std::uint32_t bf16_to_fp32(std::uint16_t bits);

/// acc <- RNE(acc + sum * 2^exp), one rounding (docs/numerics.md, 3). acc: FP32 bits. |sum| < 2^100, |exp| < 10^6.
/// A NaN accumulator stays (as 0x7fc00000), an infinite one stays as it is; an exact zero sum is +0, a negative sum
/// that rounds to zero is -0, overflow is infinity.
[[nodiscard]] std::uint32_t accumulate_block(std::uint32_t acc, Int128 sum, int exp);
[[nodiscard]] std::uint32_t accumulate_block(std::uint32_t acc, std::int64_t sum, int exp);

}  // namespace tepin::golden
