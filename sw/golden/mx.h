// SPDX-License-Identifier: Apache-2.0
// The OCP MX v1.0 formats (docs/numerics.md): elements, scales, blocks of 32, their quantisation, and packing in
// memory. A format is named by isa::Format; its element by isa::kFormats[].elem. Codes are held one a byte, in the low
// bits. Formats beyond the first kNumMxFormats are weights of mm only (dot.h has their dots); of what stands here, only
// packing knows them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "sw/golden/fp32.h"
#include "sw/isa/isa.h"

namespace tepin::golden {

inline constexpr int kBlock = 32;        // elements that share a scale
inline constexpr int kNumMxFormats = 6;  // of OCP MX v1.0: the first of isa::Format
inline constexpr std::uint8_t kScaleNan = 0xff;

struct ElemInfo {
  int bits;      // of a code
  int exp_bits;  // 0: INT8
  int man_bits;
  int bias;
  int emax;               // exponent of the largest value
  int unit;               // every value is an integer times 2^-unit
  std::uint8_t max_code;  // of the largest finite value
};
/// f: an MX format, here and wherever a code is decoded, encoded, quantised or dequantised.
[[nodiscard]] const ElemInfo& elem_info(isa::Format f);
/// The MX format whose element has this name ("e2m1"), if any.
[[nodiscard]] std::optional<isa::Format> format_of_elem(std::string_view elem);

enum class ElemKind : std::uint8_t { kFinite, kInf, kNan };
struct ElemValue {
  std::int64_t value = 0;  // at the format's unit; 0 unless finite
  ElemKind kind = ElemKind::kFinite;
  bool negative = false;  // also of zero, infinity and NaN
};
/// The value of a code; bits above the format's are ignored.
[[nodiscard]] const ElemValue& decode_elem(isa::Format f, std::uint8_t code);
/// decode_elem as FP32 bits: exact, NaN 0x7fc00000, signed zero and infinity kept.
[[nodiscard]] std::uint32_t elem_to_fp32(isa::Format f, std::uint8_t code);
/// E8M0 as FP32 bits: 2^(scale-127), 0xFF: 0x7fc00000.
[[nodiscard]] std::uint32_t scale_to_fp32(std::uint8_t scale);

/// Rounds an exact number to the nearest code, ties to even, saturating; mag < 2^64. Zero keeps its sign except in
/// INT8.
[[nodiscard]] std::uint8_t encode_elem(isa::Format f, const Exact& value);
/// FP32 to a code without a scale. Infinity saturates; NaN becomes the format's NaN (E4M3, E5M2: 0x7f with the sign),
/// else the largest value of NaN's sign.
[[nodiscard]] std::uint8_t fp32_to_elem(isa::Format f, std::uint32_t bits);

struct Block {
  std::uint8_t scale = 0;
  std::array<std::uint8_t, kBlock> codes{};
  friend bool operator==(const Block&, const Block&) = default;
};
/// How a block's scale follows from its largest magnitude (docs/numerics.md, 1); numbered as in vqnt.
enum class ScaleRule : std::uint8_t { kFloor = 0, kEven = 1, kRoundUp = 2, kCeiling = 3 };
inline constexpr int kNumScaleRules = 4;
/// docs/numerics.md, 1. in: FP32 bits.
[[nodiscard]] Block quantise(isa::Format f, std::span<const std::uint32_t, kBlock> in,
                             ScaleRule rule = ScaleRule::kFloor);
/// docs/numerics.md, 2. FP32 bits of one code under a scale, and of a block.
[[nodiscard]] std::uint32_t dequantise(isa::Format f, std::uint8_t scale, std::uint8_t code);
[[nodiscard]] std::array<std::uint32_t, kBlock> dequantise(isa::Format f, const Block& b);

/// Bytes that 32 codes take in memory, of any format: 16 if they have 4 bits (element 2j in the low nibble of byte j),
/// else 32.
[[nodiscard]] constexpr std::uint32_t block_bytes(isa::Format f) {
  return static_cast<std::uint32_t>(isa::kFormats[static_cast<std::size_t>(f)].stored_bits * kBlock / 8);
}
/// out, in: block_bytes(f) bytes. Unpacking keeps the upper bits of 6-bit codes, for the caller to check.
void pack_codes(isa::Format f, std::span<const std::uint8_t, kBlock> codes, std::uint8_t* out);
void unpack_codes(isa::Format f, const std::uint8_t* in, std::span<std::uint8_t, kBlock> codes);

}  // namespace tepin::golden
