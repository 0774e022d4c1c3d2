// SPDX-License-Identifier: Apache-2.0
// Who is beside whom in a mesh. Places count row by row; sides are N, E, S, W.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

namespace tepin::tb {

/// The place behind a side of `place`; none at the edge.
[[nodiscard]] inline std::optional<std::size_t> neighbour(std::size_t place, std::size_t side, std::size_t mesh_x,
                                                          std::size_t mesh_y) {
  const std::size_t x = place % mesh_x, y = place / mesh_x;
  const std::array<bool, 4> inside{y > 0, x + 1 < mesh_x, y + 1 < mesh_y, x > 0};
  if (!inside[side]) return std::nullopt;
  const std::array<std::size_t, 4> places{place - mesh_x, place + 1, place + mesh_x, place - 1};
  return places[side];
}

/// The neighbour's side of the same link.
[[nodiscard]] constexpr std::size_t facing(std::size_t side) { return side ^ 2U; }

}  // namespace tepin::tb
