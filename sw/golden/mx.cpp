// SPDX-License-Identifier: Apache-2.0
#include "sw/golden/mx.h"

#include <algorithm>
#include <bit>

namespace tepin::golden {
namespace {

// Indexed by isa::Format, MX formats only. The unit is bias + man_bits - 1: the weight of the least subnormal.
constexpr std::array<ElemInfo, kNumMxFormats> kElems{{
    {4, 2, 1, 1, 2, 1, 0x07},     // E2M1
    {8, 4, 3, 7, 8, 9, 0x7e},     // E4M3
    {8, 0, 6, 0, 0, 6, 0x7f},     // INT8
    {8, 5, 2, 15, 15, 16, 0x7b},  // E5M2
    {6, 2, 3, 1, 2, 3, 0x1f},     // E2M3
    {6, 3, 2, 3, 4, 4, 0x1f},     // E3M2
}};

constexpr ElemValue compute(const ElemInfo& e, unsigned raw) {
  const unsigned code = raw & ((1U << e.bits) - 1U);
  ElemValue v;
  v.negative = ((code >> (e.bits - 1)) & 1U) != 0;
  if (e.exp_bits == 0) {
    v.value = static_cast<std::int64_t>(code) - (v.negative ? 256 : 0);
    return v;
  }
  const unsigned magnitude = code & ((1U << (e.bits - 1)) - 1U);
  if (magnitude > e.max_code) {  // only E4M3 (one NaN) and E5M2 (infinity, then NaNs) have codes beyond the largest
    v.kind = e.man_bits == 2 && magnitude == 0x7cU ? ElemKind::kInf : ElemKind::kNan;
    return v;
  }
  const unsigned field = magnitude >> e.man_bits;
  const std::int64_t fraction = static_cast<std::int64_t>(magnitude & ((1U << e.man_bits) - 1U));
  const std::int64_t significand = field == 0 ? fraction : fraction + (std::int64_t{1} << e.man_bits);
  v.value = significand << (field == 0 ? 0U : field - 1U);
  if (v.negative) v.value = -v.value;
  return v;
}

using Table = std::array<ElemValue, 256>;
constexpr std::array<Table, kNumMxFormats> make_tables() {
  std::array<Table, kNumMxFormats> t{};
  for (std::size_t f = 0; f < t.size(); ++f) {
    for (unsigned code = 0; code < 256; ++code) t[f][code] = compute(kElems[f], code);
  }
  return t;
}
constexpr std::array<Table, kNumMxFormats> kTables = make_tables();

std::uint64_t magnitude_of(std::int64_t v) { return static_cast<std::uint64_t>(v < 0 ? -v : v); }

// mag * 2^-shift to the nearest integer, ties to even; a huge result is cut at `limit` or above.
std::uint64_t round_shift(std::uint64_t mag, int shift, std::uint64_t limit) {
  if (mag == 0) return 0;
  if (shift <= 0) {
    const int room = 64 - static_cast<int>(std::bit_width(mag));
    return -shift > room ? limit : mag << -shift;
  }
  if (shift > 64) return 0;
  const std::uint64_t q = shift == 64 ? 0 : mag >> shift;
  const bool half = ((mag >> (shift - 1)) & 1U) != 0;
  const bool rest = (mag & ((std::uint64_t{1} << (shift - 1)) - 1)) != 0;
  return q + (half && (rest || (q & 1U) != 0) ? 1U : 0U);
}

int floor_log2(const Exact& x) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x.mag))) - 1 + x.exp;
}
// Whether a has the larger significand (1 <= significand < 2); neither is 0.
bool significand_exceeds(std::uint64_t a, std::uint64_t b) {
  return a << std::countl_zero(a) > b << std::countl_zero(b);
}

// Exponent of the scale for the largest magnitude of a block, finite and not zero, before it is clamped.
int scale_exponent(isa::Format f, std::uint32_t largest, ScaleRule rule) {
  const ElemInfo& e = elem_info(f);
  const Exact m = exact_of(largest);
  const auto mag = static_cast<std::uint64_t>(m.mag);
  const int floor = floor_log2(m) - e.emax;
  switch (rule) {
    case ScaleRule::kFloor:
      return floor;
    case ScaleRule::kEven:
      // Half of the element's last mantissa place is added to the bits, and only the exponent field is read; a field
      // of 0 lies below the least scale anyway.
      return static_cast<int>((largest + (1U << (22 - e.man_bits))) >> 23) - 127 - e.emax;
    case ScaleRule::kRoundUp:
      return floor + (significand_exceeds(mag, magnitude_of(decode_elem(f, e.max_code).value)) ? 1 : 0);
    case ScaleRule::kCeiling:
      return floor + (std::has_single_bit(mag) ? 0 : 1);
  }
  return floor;
}

}  // namespace

const ElemInfo& elem_info(isa::Format f) { return kElems[static_cast<std::size_t>(f)]; }

std::optional<isa::Format> format_of_elem(std::string_view elem) {
  for (std::size_t f = 0; f < kNumMxFormats; ++f) {
    if (isa::kFormats[f].elem == elem) return static_cast<isa::Format>(f);
  }
  return std::nullopt;
}

const ElemValue& decode_elem(isa::Format f, std::uint8_t code) { return kTables[static_cast<std::size_t>(f)][code]; }

std::uint32_t elem_to_fp32(isa::Format f, std::uint8_t code) { return dequantise(f, 127, code); }

std::uint32_t scale_to_fp32(std::uint8_t scale) {
  return scale == kScaleNan ? kNan32 : round_fp32({false, 1, int{scale} - 127});
}

std::uint8_t encode_elem(isa::Format f, const Exact& value) {
  const ElemInfo& e = elem_info(f);
  const auto mag = static_cast<std::uint64_t>(value.mag);
  if (e.exp_bits == 0) {
    const std::uint64_t q = std::min<std::uint64_t>(round_shift(mag, -e.unit - value.exp, 127), 127);
    return static_cast<std::uint8_t>(value.negative ? 256 - q : q);
  }
  const auto sign = static_cast<std::uint8_t>(value.negative ? 1U << (e.bits - 1) : 0U);
  if (mag == 0) return sign;
  const int top = static_cast<int>(std::bit_width(mag)) - 1 + value.exp;
  const int exponent = std::max(top, 1 - e.bias);
  if (exponent > e.emax) return static_cast<std::uint8_t>(sign | e.max_code);
  const std::uint64_t q = round_shift(mag, exponent - e.man_bits - value.exp, 0);
  // Codes count magnitudes in order, so the code is the significand counted on from the exponent's first code: a carry
  // in the rounding runs into the next exponent, and a subnormal (exponent field 0) needs no case of its own.
  const std::uint64_t code = (static_cast<std::uint64_t>(exponent + e.bias - 1) << e.man_bits) + q;
  return static_cast<std::uint8_t>(sign | std::min<std::uint64_t>(code, e.max_code));
}

std::uint8_t fp32_to_elem(isa::Format f, std::uint32_t bits) {
  if (is_finite32(bits)) return encode_elem(f, exact_of(bits));
  const ElemInfo& e = elem_info(f);
  const bool negative = (bits & kSign32) != 0;
  const bool has_nan = decode_elem(f, 0x7f).kind == ElemKind::kNan;
  const unsigned magnitude = is_nan32(bits) && has_nan ? 0x7fU : e.max_code;
  if (e.exp_bits == 0) return static_cast<std::uint8_t>(negative ? 256U - magnitude : magnitude);
  return static_cast<std::uint8_t>(magnitude | (negative ? 1U << (e.bits - 1) : 0U));
}

Block quantise(isa::Format f, std::span<const std::uint32_t, kBlock> in, ScaleRule rule) {
  Block out;
  std::uint32_t largest = 0;
  for (const std::uint32_t x : in) largest = std::max(largest, x & ~kSign32);  // bit order is the order of magnitudes
  if (!is_finite32(largest)) {
    out.scale = kScaleNan;
    return out;
  }
  const int scale_exp = largest == 0 ? -127 : std::clamp(scale_exponent(f, largest, rule), -127, 127);
  out.scale = static_cast<std::uint8_t>(scale_exp + 127);
  for (std::size_t i = 0; i < in.size(); ++i) {
    Exact x = exact_of(in[i]);
    x.exp -= scale_exp;
    out.codes[i] = encode_elem(f, x);
  }
  return out;
}

std::uint32_t dequantise(isa::Format f, std::uint8_t scale, std::uint8_t code) {
  const ElemValue& v = decode_elem(f, code);
  if (scale == kScaleNan || v.kind == ElemKind::kNan) return kNan32;
  if (v.kind == ElemKind::kInf) return (v.negative ? kSign32 : 0) | kInf32;
  return round_fp32({v.negative, magnitude_of(v.value), int{scale} - 127 - elem_info(f).unit});
}

std::array<std::uint32_t, kBlock> dequantise(isa::Format f, const Block& b) {
  std::array<std::uint32_t, kBlock> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = dequantise(f, b.scale, b.codes[i]);
  return out;
}

void pack_codes(isa::Format f, std::span<const std::uint8_t, kBlock> codes, std::uint8_t* out) {
  if (block_bytes(f) == kBlock) {
    std::copy(codes.begin(), codes.end(), out);
    return;
  }
  for (std::size_t j = 0; j < kBlock / 2; ++j) {
    out[j] = static_cast<std::uint8_t>((codes[2 * j] & 15U) | ((codes[2 * j + 1] & 15U) << 4));
  }
}

void unpack_codes(isa::Format f, const std::uint8_t* in, std::span<std::uint8_t, kBlock> codes) {
  if (block_bytes(f) == kBlock) {
    std::copy(in, in + kBlock, codes.begin());
    return;
  }
  for (std::size_t j = 0; j < kBlock / 2; ++j) {
    codes[2 * j] = static_cast<std::uint8_t>(in[j] & 15U);
    codes[2 * j + 1] = static_cast<std::uint8_t>(in[j] >> 4);
  }
}

}  // namespace tepin::golden
