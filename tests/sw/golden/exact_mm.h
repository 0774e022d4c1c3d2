// SPDX-License-Identifier: Apache-2.0
// mm by definition (docs/numerics.md), independent of the golden model: every element and scale is decoded here, and
// the products of a block are added as exact numbers of many limbs, which are then rounded with the accumulator once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sw/golden/mx.h"

namespace tepin::golden::testing::exact {

using isa::Format;

/// integer * 2^exp if finite.
struct Number {
  std::int64_t integer = 0;
  int exp = 0;
  bool finite = true;
};
inline constexpr Number kNotFinite{0, 0, false};

/// OCP MX v1.0, 5.3, and OFP8; exponent and mantissa bits, bias.
inline Number small_float(unsigned code, int e_bits, int m_bits, int bias) {
  const unsigned mantissa = code & ((1U << m_bits) - 1U);
  const unsigned exponent = (code >> m_bits) & ((1U << e_bits) - 1U);
  const bool negative = ((code >> (e_bits + m_bits)) & 1U) != 0;
  if (e_bits == 5 && exponent == 31) return kNotFinite;
  if (e_bits == 4 && exponent == 15 && mantissa == 7) return kNotFinite;
  const std::int64_t significand = exponent == 0 ? mantissa : mantissa + (1U << m_bits);
  return Number{negative ? -significand : significand, std::max(static_cast<int>(exponent), 1) - bias - m_bits};
}
inline Number element(Format f, unsigned code) {
  switch (f) {
    case Format::kMxfp8E4m3:
      return small_float(code, 4, 3, 7);
    case Format::kMxfp8E5m2:
      return small_float(code, 5, 2, 15);
    case Format::kMxfp6E2m3:
      return small_float(code, 2, 3, 1);
    case Format::kMxfp6E3m2:
      return small_float(code, 3, 2, 3);
    case Format::kMxint8:
    case Format::kMxint8x2:
      return Number{static_cast<std::int8_t>(code), -6};
    case Format::kInt4g32:
      return Number{code < 8 ? static_cast<int>(code) : static_cast<int>(code) - 16, 0};
    default:
      return small_float(code, 2, 1, 1);
  }
}
/// The scale of element i.
inline Number scale(Format f, const std::uint8_t* s, std::size_t i) {
  if (f == Format::kNvfp4) return small_float(s[i / 16], 4, 3, 7);
  if (f == Format::kInt4g32) {
    const unsigned bits = s[0] | s[1] << 8;
    const unsigned field = bits >> 7 & 0xffU;
    if (field == 255) return kNotFinite;
    const std::int64_t significand = field == 0 ? bits & 0x7fU : (bits & 0x7fU) | 0x80U;
    return Number{bits >> 15 != 0 ? -significand : significand, std::max(static_cast<int>(field), 1) - 127 - 7};
  }
  if (s[0] == 0xff) return kNotFinite;
  return Number{1, int{s[0]} - 127};
}

/// An exact sum of terms integer * 2^exp, exp >= -kBelow: two's complement, 32 bits a limb.
class Sum {
 public:
  static constexpr int kBelow = 640;
  void add(std::int64_t integer, int exp) {
    const auto at = static_cast<unsigned>(exp + kBelow);
    Int128 carry = static_cast<Int128>(integer) << (at % 32);
    for (std::size_t i = at / 32; i < limbs_.size(); ++i) {
      carry += limbs_[i];
      limbs_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  void add_fp32(std::uint32_t bits) {
    const Number v = small_fp32(bits);
    add(v.integer, v.exp);
  }
  /// FP32, nearest even, found by comparing with the midpoint of two neighbours.
  [[nodiscard]] std::uint32_t round() const {
    const bool negative = limbs_.back() >> 31 != 0;
    Sum m;
    m.limbs_ = limbs_;
    if (negative) {
      std::int64_t carry = 1;
      for (auto& l : m.limbs_) {
        carry += static_cast<std::uint32_t>(~l);
        l = static_cast<std::uint32_t>(carry);
        carry >>= 32;
      }
    }
    bool zero = true;
    for (const auto l : m.limbs_) zero = zero && l == 0;
    if (zero) return 0;
    std::uint32_t low = 0;  // the largest FP32 that is not above
    for (std::uint32_t bit = 1U << 30; bit != 0; bit >>= 1U) {
      if ((low | bit) <= 0x7f800000U && !m.below(low | bit, low | bit)) low |= bit;
    }
    const bool up = low < 0x7f800000U && !m.below(low, low + 1) && (m.above(low, low + 1) || (low & 1U) != 0);
    return (negative ? kSign32 : 0) | (up ? low + 1 : low);
  }

 private:
  static Number small_fp32(std::uint32_t bits) {
    const std::uint32_t field = bits >> 23 & 0xffU;  // 255 is read as 2^128: only the midpoint to infinity needs it
    const std::int64_t s = field == 0 ? bits & 0x7fffffU : (bits & 0x7fffffU) | 0x800000U;
    return Number{bits >> 31 != 0 ? -s : s, std::max(static_cast<int>(field), 1) - 150};
  }
  /// Sign of 2 * this - (a + b), of FP32 magnitudes.
  [[nodiscard]] int compare(std::uint32_t a, std::uint32_t b) const {
    Sum d;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < limbs_.size(); ++i) {
      carry += 2 * std::uint64_t{limbs_[i]};
      d.limbs_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    for (const std::uint32_t x : {a, b}) {
      const Number v = small_fp32(x);
      d.add(-v.integer, v.exp);
    }
    if (d.limbs_.back() >> 31 != 0) return -1;
    for (const auto l : d.limbs_) {
      if (l != 0) return 1;
    }
    return 0;
  }
  [[nodiscard]] bool below(std::uint32_t a, std::uint32_t b) const { return compare(a, b) < 0; }
  [[nodiscard]] bool above(std::uint32_t a, std::uint32_t b) const { return compare(a, b) > 0; }

  std::array<std::uint32_t, 48> limbs_{};  // up to 2^895
};

inline unsigned code_at(Format f, const std::uint8_t* codes, std::size_t i) {
  return block_bytes(f) == 16 ? codes[i / 2] >> (i % 2 * 4) & 15U : codes[i];
}

/// acc + the products of one block, one rounding. w, a: the codes of a row and of a column in memory; ws, as: their
/// scales.
inline std::uint32_t add_block(std::uint32_t acc, Format fw, const std::uint8_t* w, const std::uint8_t* ws, Format fa,
                               const std::uint8_t* a, const std::uint8_t* as) {
  Sum sum;
  bool nan = false;
  for (std::size_t i = 0; i < 32; ++i) {
    const std::array<Number, 4> x{element(fw, code_at(fw, w, i)), scale(fw, ws, i), element(fa, code_at(fa, a, i)),
                                  scale(fa, as, i)};
    std::int64_t integer = 1;
    int exp = 0;
    for (const Number& v : x) {
      nan = nan || !v.finite;
      integer *= v.integer;
      exp += v.exp;
    }
    if (integer != 0) sum.add(integer, exp);
  }
  if (nan || is_nan32(acc)) return kNan32;
  if (is_inf32(acc)) return acc;
  sum.add_fp32(acc);
  return sum.round();
}

}  // namespace tepin::golden::testing::exact
