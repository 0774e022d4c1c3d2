// SPDX-License-Identifier: Apache-2.0
#include "sw/model/panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace tepin::model {
namespace {

/// Copies one block or scale from the row-major matrix to the panel.
void copy(std::span<const std::uint8_t> from, std::uint64_t at, std::vector<std::uint8_t>& to, std::uint64_t where,
          std::uint64_t bytes) {
  std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(at), bytes, to.begin() + static_cast<std::ptrdiff_t>(where));
}

void check_size(const char* what, std::size_t found, std::uint64_t expected) {
  if (found != expected)
    throw std::invalid_argument(fmt::format("panels: {} bytes of {}; expected {}", found, what, expected));
}

void check(const WeightLayout& layout, std::span<const std::uint8_t> blocks, std::span<const std::uint8_t> scales) {
  if (layout.rows == 0 || layout.rows % 2 != 0)
    throw std::invalid_argument(fmt::format("panels: {} rows; expected an even number", layout.rows));
  check_size("weight blocks", blocks.size(), layout.m * layout.kblocks * layout.code_bytes());
  check_size("weight scales", scales.size(), layout.m * layout.kblocks * layout.scale_bytes());
}

}  // namespace

std::vector<std::uint8_t> make_weight_piece(const WeightLayout& layout, std::span<const std::uint8_t> blocks,
                                            std::span<const std::uint8_t> scales, std::uint64_t tile, std::uint64_t kb0,
                                            std::uint64_t kb1) {
  check(layout, blocks, scales);
  if (kb0 > kb1 || kb1 > layout.kblocks)
    throw std::invalid_argument(fmt::format("panels: blocks {}..{} of {}", kb0, kb1, layout.kblocks));
  const WeightLayout piece{layout.rows, kb1 - kb0, layout.rows, layout.format};
  const auto parts = static_cast<std::uint64_t>(layout.desc().blocks);
  const std::uint64_t code = layout.code_bytes() / parts;
  const std::uint64_t scale = layout.scale_bytes() / parts;
  std::vector<std::uint8_t> out(piece.tile_bytes());
  for (std::uint64_t r = 0; r < layout.rows && tile * layout.rows + r < layout.m; ++r) {
    for (std::uint64_t kb = kb0; kb < kb1; ++kb) {
      for (std::uint64_t part = 0; part < parts; ++part) {
        const std::uint64_t from = ((tile * layout.rows + r) * layout.kblocks + kb) * parts + part;
        const std::uint64_t to = ((kb - kb0) * parts + part) * layout.rows + r;
        copy(blocks, from * code, out, to * code, code);
        copy(scales, from * scale, out, piece.scales_offset() + to * scale, scale);
      }
    }
  }
  return out;
}

std::vector<std::uint8_t> make_weight_panels(const WeightLayout& layout, std::span<const std::uint8_t> blocks,
                                             std::span<const std::uint8_t> scales) {
  check(layout, blocks, scales);
  std::vector<std::uint8_t> out;
  out.reserve(layout.bytes());
  for (std::uint64_t tile = 0; tile < layout.tiles(); ++tile) {
    const std::vector<std::uint8_t> piece = make_weight_piece(layout, blocks, scales, tile, 0, layout.kblocks);
    out.insert(out.end(), piece.begin(), piece.end());
  }
  return out;
}

ActivationPanel make_activation_panel(const ActivationLayout& layout, std::span<const std::uint8_t> codes,
                                      std::span<const std::uint8_t> scales) {
  const std::uint64_t b = block_bytes(layout.format);
  check_size("activation codes", codes.size(), layout.n * layout.kblocks * b);
  check_size("activation scales", scales.size(), layout.n * layout.kblocks);
  ActivationPanel out{std::vector<std::uint8_t>(layout.code_bytes()), std::vector<std::uint8_t>(layout.scale_bytes())};
  for (std::uint64_t c = 0; c < layout.n; ++c) {
    for (std::uint64_t kb = 0; kb < layout.kblocks; ++kb) {
      const std::uint64_t from = c * layout.kblocks + kb;
      copy(codes, from * b, out.codes, kb * layout.astep() + c * b, b);
      copy(scales, from, out.scales, kb * layout.asstep() + c, 1);
    }
  }
  return out;
}

}  // namespace tepin::model
