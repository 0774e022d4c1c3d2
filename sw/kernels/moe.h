// SPDX-License-Identifier: Apache-2.0
// Plan of a mixture-of-experts layer on a chip of tiles (moe.s).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sw/kernels/launch.h"

namespace tepin::kernels {

/// A launch of every tile of a mesh, rows of mesh_x; outputs and output_pitch of each as in Launch.
struct ChipLaunch {
  std::string name;
  std::uint32_t mesh_x = 1, mesh_y = 1;
  std::vector<Launch> tiles;
};

/// MXFP4 weights of one expert. w1: 2 * inner rows of hidden elements, gate and linear rows in turn as in gpt-oss
/// checkpoints; w2: hidden rows of inner elements. Codes [row][k/32][16], scales [row][k/32]; biases FP32 bits.
struct MoeExpert {
  std::span<const std::uint8_t> w1_codes, w1_scales, w2_codes, w2_scales;
  std::vector<std::uint32_t> b1, b2;
};

struct MoeChoice {
  std::uint32_t expert = 0;
  std::uint32_t weight = 0;  // FP32 bits
};

struct MoeLayer {
  std::uint64_t hidden = 0, inner = 0;  // multiples of 32
  isa::Format act = isa::Format::kMxint8;
  std::uint32_t limit = 0x40e00000U;  // FP32 bits: 7
  float alpha = 1.702F;
  std::vector<MoeExpert> experts;              // expert e lives at tile e / ceil(experts / tiles)
  std::vector<std::uint32_t> x;                // FP32 bits, [token][hidden]
  std::vector<std::vector<MoeChoice>> choice;  // of each token, no expert twice, at most 4 at one tile
};

/// Tile at which a token lives: tokens go round the tiles.
[[nodiscard]] constexpr std::size_t moe_home(std::size_t token, std::size_t tiles) { return token % tiles; }
/// Tile of an expert.
[[nodiscard]] constexpr std::size_t moe_tile(std::size_t expert, std::size_t experts, std::size_t tiles) {
  return expert / ((experts + tiles - 1) / tiles);
}
/// FP32 bits of -alpha * log2(e).
[[nodiscard]] std::uint32_t moe_slope(float alpha);

/// isa::InputError if a size is 0 or no multiple of 32, the scratchpad is too small for the layer, a choice names an
/// expert that does not exist or one twice, or a tile would compute more than four for a token.
[[nodiscard]] ChipLaunch plan_moe(const isa::Config& cfg, std::uint32_t mesh_x, std::uint32_t mesh_y,
                                  const MoeLayer& layer);

/// The layer's result, FP32 bits [token][hidden], from the outputs of each tile.
[[nodiscard]] std::vector<std::uint32_t> moe_result(const MoeLayer& layer, std::size_t tiles,
                                                    std::span<const std::vector<std::vector<std::uint8_t>>> outputs);

}  // namespace tepin::kernels
