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

}  // namespace

std::vector<std::uint8_t> make_weight_panels(const WeightLayout& layout, std::span<const std::uint8_t> blocks,
                                             std::span<const std::uint8_t> scales) {
  if (layout.rows == 0 || layout.rows % 2 != 0)
    throw std::invalid_argument(fmt::format("panels: {} rows; expected an even number", layout.rows));
  check_size("weight blocks", blocks.size(), layout.m * layout.kblocks * kWeightBlockBytes);
  check_size("weight scales", scales.size(), layout.m * layout.kblocks);
  std::vector<std::uint8_t> out(layout.bytes());
  for (std::uint64_t row = 0; row < layout.m; ++row) {
    const std::uint64_t tile = row / layout.rows * layout.tile_bytes();
    const std::uint64_t r = row % layout.rows;
    for (std::uint64_t kb = 0; kb < layout.kblocks; ++kb) {
      const std::uint64_t from = row * layout.kblocks + kb;
      const std::uint64_t to = kb * layout.rows + r;
      copy(blocks, from * kWeightBlockBytes, out, tile + to * kWeightBlockBytes, kWeightBlockBytes);
      copy(scales, from, out, tile + layout.scales_offset() + to, 1);
    }
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
