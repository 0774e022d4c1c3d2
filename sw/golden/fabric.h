// SPDX-License-Identifier: Apache-2.0
// Internal to the golden model: what the tiles of a chip share, and what needs all of them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/golden/chip.h"
#include "sw/golden/sanitizer.h"
#include "sw/golden/tile.h"

namespace tepin::golden {

struct Fabric {
  Fabric(const isa::Config& config, std::uint32_t mesh_x_, std::uint32_t mesh_y_, const Options& options);

  isa::Config cfg;
  Options opt;
  std::uint32_t mesh_x;
  std::uint32_t mesh_y;
  std::vector<std::unique_ptr<Tile>> tiles;  // row by row
  std::optional<Sanitizer> san;
  GroupHistory groups;
  std::uint64_t started = 0;  // instructions

  /// nullptr if the mesh has no such tile.
  [[nodiscard]] Tile* find(std::uint32_t number) const;
  [[nodiscard]] std::uint32_t last_tile() const { return isa::kMaxMesh * (mesh_y - 1) + mesh_x - 1; }
  /// The tile in texts.
  [[nodiscard]] std::uint8_t name_of(std::uint8_t number) const { return mesh_x * mesh_y == 1 ? kOnlyTile : number; }
  /// "0,0..2,1", for texts.
  [[nodiscard]] std::string allowed_tiles() const;

  /// Runs sections, by place (nullptr: the tile does not run), until nothing moves.
  Outcome run(const std::vector<const isa::Section*>& sections);

  /// Whether every tile that a started collective needs has started it too, and alike.
  [[nodiscard]] bool matched(const Collective& c) const;
  /// Completes a matched collective at all its parts.
  void complete(const Collective& c);
  /// What the tile's started collective waits for.
  [[nodiscard]] Waiter collective_waiter(const Tile& tile) const;

 private:
  /// The order that a collective makes between its parts, and the race of its group number.
  void order(const Collective& c, const std::vector<Tile*>& parts);
  void schedule();
  [[noreturn]] void stuck() const;
  void find_mismatch() const;
};

}  // namespace tepin::golden
