// SPDX-License-Identifier: Apache-2.0
// Matrices of a gpt-oss checkpoint: NAME.blocks U8 [experts][M][K/32][16] and NAME.scales U8 [experts][M][K/32], or
// without the dimension of the experts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sw/cli/operands.h"
#include "sw/model/safetensors.h"

namespace tepin::cli {

struct Matrices {
  std::string name;  // without .blocks
  std::uint64_t count = 1, m = 0, kb = 0;
  std::span<const std::uint8_t> codes, scales;  // valid while the checkpoint is open

  /// index: below count.
  [[nodiscard]] Weights at(std::uint64_t index) const;
};

/// The matrices of a name, with or without .blocks. InputError, with near names, if there are none, or if they are no
/// MXFP4 as above.
[[nodiscard]] Matrices find_matrices(const model::Safetensors& file, std::string_view name);
/// All that the file has, in its order.
[[nodiscard]] std::vector<Matrices> all_matrices(const model::Safetensors& file);

}  // namespace tepin::cli
