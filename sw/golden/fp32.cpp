// SPDX-License-Identifier: Apache-2.0
#include "sw/golden/fp32.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tepin::golden {
namespace {

int width(Uint128 v) {
  const auto hi = static_cast<std::uint64_t>(v >> 64);
  return hi != 0 ? 64 + static_cast<int>(std::bit_width(hi))
                 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(v)));
}

constexpr Uint128 low_mask(int bits) { return (Uint128{1} << bits) - 1; }

}  // namespace

Exact exact_of(std::uint32_t bits) {
  const auto field = static_cast<int>((bits >> 23) & 0xffU);
  const std::uint32_t fraction = bits & 0x7fffffU;
  const bool negative = (bits & kSign32) != 0;
  if (field == 0) return {negative, fraction, -149};
  return {negative, fraction | 0x800000U, field - 150};
}

std::uint32_t round_fp32(const Exact& value, bool sticky) {
  const std::uint32_t sign = value.negative ? kSign32 : 0;
  if (value.mag == 0) return sign;
  const int top = width(value.mag) - 1 + value.exp;
  int quantum = std::max(top, -126) - 23;  // exponent of the result's last place; subnormals share that of 2^-126
  const int shift = quantum - value.exp;
  Uint128 q = 0;
  if (shift <= 0) {
    q = value.mag << -shift;  // at most 24 bits, exact
  } else if (shift < 128) {
    q = value.mag >> shift;
    const bool half = ((value.mag >> (shift - 1)) & 1U) != 0;
    const bool rest = sticky || (value.mag & low_mask(shift - 1)) != 0;
    if (half && (rest || (q & 1U) != 0)) ++q;
  }  // else: below half of the least subnormal, rounds to zero
  if (q == (Uint128{1} << 24)) {
    q >>= 1;
    ++quantum;
  }
  const auto significand = static_cast<std::uint32_t>(q);
  if (significand < 0x800000U) return sign | significand;
  const int exponent = quantum + 23;
  if (exponent > 127) return sign | kInf32;
  return sign | (static_cast<std::uint32_t>(exponent + 127) << 23) | (significand & 0x7fffffU);
}

std::uint32_t add_exact(Exact a, Exact b) {
  if (a.mag == 0 && b.mag == 0) return 0;
  if (a.mag == 0) return round_fp32(b);
  if (b.mag == 0) return round_fp32(a);
  if (width(a.mag) + a.exp < width(b.mag) + b.exp) std::swap(a, b);
  // The larger one goes to the top of the word. What the other loses on the right is then at least 20 places below the
  // last bit that matters, so one sticky bit stands for it.
  const int lift = 126 - width(a.mag);
  a.mag <<= lift;
  a.exp -= lift;
  const int down = a.exp - b.exp;
  bool sticky = false;
  if (down <= 0) {
    b.mag <<= -down;
  } else if (down < 128) {
    sticky = (b.mag & low_mask(down)) != 0;
    b.mag >>= down;
  } else {
    sticky = true;
    b.mag = 0;
  }
  if (a.negative == b.negative) {
    a.mag += b.mag;
  } else if (a.mag >= b.mag) {
    a.mag -= b.mag;
    if (sticky) --a.mag;  // a - (b + part of one) = (a - b - 1) + rest of one
  } else {                // same leading place, hence nothing was lost
    a.mag = b.mag - a.mag;
    a.negative = b.negative;
  }
  if (a.mag == 0) return 0;
  return round_fp32(a, sticky);
}

std::uint32_t fp32_add(std::uint32_t a, std::uint32_t b) {
  if (is_nan32(a) || is_nan32(b)) return kNan32;
  if (is_inf32(a)) return is_inf32(b) && a != b ? kNan32 : a;
  if (is_inf32(b)) return b;
  if (a == kSign32 && b == kSign32) return kSign32;  // the one exact zero that is not +0
  return add_exact(exact_of(a), exact_of(b));
}

std::uint32_t fp32_sub(std::uint32_t a, std::uint32_t b) { return fp32_add(a, b ^ kSign32); }

std::uint32_t fp32_mul(std::uint32_t a, std::uint32_t b) {
  if (is_nan32(a) || is_nan32(b)) return kNan32;
  const std::uint32_t sign = (a ^ b) & kSign32;
  if (is_inf32(a) || is_inf32(b)) {
    const bool zero = (a & ~kSign32) == 0 || (b & ~kSign32) == 0;
    return zero ? kNan32 : sign | kInf32;
  }
  const Exact x = exact_of(a);
  const Exact y = exact_of(b);
  return round_fp32({sign != 0, x.mag * y.mag, x.exp + y.exp});
}

std::uint32_t fp32_fma(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  if (is_nan32(c) || !is_finite32(a) || !is_finite32(b) || !is_finite32(c)) {
    // A product of finite factors counts as its sign only: it must not overflow before c is added.
    const bool finite = is_finite32(a) && is_finite32(b);
    return fp32_add(finite ? (a ^ b) & kSign32 : fp32_mul(a, b), c);
  }
  const Exact x = exact_of(a);
  const Exact y = exact_of(b);
  const Exact product{x.negative != y.negative, x.mag * y.mag, x.exp + y.exp};
  if (product.mag == 0) return fp32_add(product.negative ? kSign32 : 0, c);  // knows the signs of zeros
  return add_exact(product, exact_of(c));
}

std::uint16_t fp32_to_bf16(std::uint32_t bits) {
  if (is_nan32(bits)) return kNan16;
  // A carry out of the fraction moves the exponent up, out of the largest exponent into infinity: both are the right
  // result.
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

std::uint32_t bf16_to_fp32(std::uint16_t bits) {
  const std::uint32_t wide = std::uint32_t{bits} << 16;
  return is_nan32(wide) ? kNan32 : wide;
}

std::uint32_t accumulate_block(std::uint32_t acc, Int128 sum, int exp) {
  if (is_nan32(acc)) return kNan32;
  if (is_inf32(acc)) return acc;
  const bool negative = sum < 0;
  const Uint128 mag = negative ? Uint128{0} - static_cast<Uint128>(sum) : static_cast<Uint128>(sum);
  return add_exact(exact_of(acc), {negative, mag, exp});
}

std::uint32_t accumulate_block(std::uint32_t acc, std::int64_t sum, int exp) {
  return accumulate_block(acc, static_cast<Int128>(sum), exp);
}

}  // namespace tepin::golden
