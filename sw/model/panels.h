// SPDX-License-Identifier: Apache-2.0
// Panel layout of matrix operands for `mm` (docs/architecture.md, section 3). All sizes and offsets are in bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sw/isa/isa.h"

namespace tepin::model {

inline constexpr std::uint64_t kPanelAlign = 32;

/// Bytes of a block of 32 codes in memory: 16 for mxfp4, 32 for the others.
[[nodiscard]] constexpr std::uint64_t block_bytes(isa::Format f) {
  return static_cast<std::uint64_t>(isa::kFormats[static_cast<std::size_t>(f)].stored_bits) * 4;
}

/// Where things are in the weight panels of an M x K matrix: one tile of `rows` matrix rows behind the other, each with
/// all weight blocks in ascending kb, then all scales, padded to 32 bytes. rows is R, mxu_rows of the configuration.
/// Where a format holds 32 elements in several scaled blocks (mxint8x2), all rows' first blocks come before all rows'
/// second.
struct WeightLayout {
  std::uint64_t m;        // matrix rows
  std::uint64_t kblocks;  // K / 32
  std::uint64_t rows;     // R: even, at least 2
  isa::Format format = isa::Format::kMxfp4;

  [[nodiscard]] constexpr const isa::FormatDesc& desc() const {
    return isa::kFormats[static_cast<std::size_t>(format)];
  }
  /// Of 32 elements of one row: codes, scales.
  [[nodiscard]] constexpr std::uint64_t code_bytes() const {
    return block_bytes(format) * static_cast<std::uint64_t>(desc().blocks);
  }
  [[nodiscard]] constexpr std::uint64_t scale_bytes() const {
    return static_cast<std::uint64_t>(desc().scale_bytes * desc().blocks);
  }
  [[nodiscard]] constexpr std::uint64_t tiles() const { return (m + rows - 1) / rows; }
  /// Of a tile's scales, from the tile's begin: operand ws of `mm` less operand w.
  [[nodiscard]] constexpr std::uint64_t scales_offset() const { return kblocks * rows * code_bytes(); }
  /// A multiple of 32.
  [[nodiscard]] constexpr std::uint64_t tile_bytes() const {
    return scales_offset() + (kblocks * rows * scale_bytes() + kPanelAlign - 1) / kPanelAlign * kPanelAlign;
  }
  [[nodiscard]] constexpr std::uint64_t bytes() const { return tiles() * tile_bytes(); }
};

/// The panels of a matrix. blocks: [m][kblocks][code_bytes()], 4-bit element 2j in the low nibble of byte j; scales:
/// [m][kblocks][scale_bytes()]. Rows beyond m and the padding are zero bytes (codes 0, scale 0). std::invalid_argument
/// if a span has another size than the layout says, or rows is odd or 0.
[[nodiscard]] std::vector<std::uint8_t> make_weight_panels(const WeightLayout& layout,
                                                           std::span<const std::uint8_t> blocks,
                                                           std::span<const std::uint8_t> scales);

/// Blocks kb0..kb1-1 of one tile in the same layout: their codes, then their scales, padded to 32 bytes. A tile at or
/// beyond layout.tiles() is all zeros. std::invalid_argument as make_weight_panels, and if the blocks are not in the
/// matrix.
[[nodiscard]] std::vector<std::uint8_t> make_weight_piece(const WeightLayout& layout,
                                                          std::span<const std::uint8_t> blocks,
                                                          std::span<const std::uint8_t> scales, std::uint64_t tile,
                                                          std::uint64_t kb0, std::uint64_t kb1);

/// Where things are in the activation panel of n columns: codes of block kb at kb*astep, column c at + c*B; scales of
/// block kb at kb*asstep, column c at + c, in an array of their own. Both steps are multiples of 32, the operands of
/// `mm` of those names.
struct ActivationLayout {
  std::uint64_t n;
  std::uint64_t kblocks;
  isa::Format format;

  [[nodiscard]] constexpr std::uint64_t astep() const { return round_up(n * block_bytes(format)); }
  [[nodiscard]] constexpr std::uint64_t asstep() const { return round_up(n); }
  [[nodiscard]] constexpr std::uint64_t code_bytes() const { return kblocks * astep(); }
  [[nodiscard]] constexpr std::uint64_t scale_bytes() const { return kblocks * asstep(); }

 private:
  [[nodiscard]] static constexpr std::uint64_t round_up(std::uint64_t v) {
    return (v + kPanelAlign - 1) / kPanelAlign * kPanelAlign;
  }
};

struct ActivationPanel {
  std::vector<std::uint8_t> codes;   // layout.code_bytes()
  std::vector<std::uint8_t> scales;  // layout.scale_bytes()
};

/// The panel of n columns. codes: [n][kblocks][B]; scales: [n][kblocks]. Padding is zero.
/// std::invalid_argument if a span has another size than the layout says.
[[nodiscard]] ActivationPanel make_activation_panel(const ActivationLayout& layout, std::span<const std::uint8_t> codes,
                                                    std::span<const std::uint8_t> scales);

}  // namespace tepin::model
