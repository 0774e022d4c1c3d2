// SPDX-License-Identifier: Apache-2.0
#include "tb/chip_runner.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <stdexcept>

namespace tepin::tb {

ChipLaunchResult run_chip(ChipSim& chip, const kernels::ChipLaunch& launch, std::uint64_t max_cycles, bool lockstep) {
  if (launch.mesh_x != chip.mesh_x() || launch.mesh_y != chip.mesh_y()) {
    throw std::invalid_argument(
        fmt::format("a launch for {}x{} on {}x{}", launch.mesh_x, launch.mesh_y, chip.mesh_x(), chip.mesh_y()));
  }
  golden::Options options;
  options.log = lockstep;
  golden::Chip golden(kTileConfig, launch.mesh_x, launch.mesh_y, options);
  std::vector<const isa::Section*> sections;
  const auto x_of = [&](std::size_t t) { return static_cast<std::uint32_t>(t) % chip.mesh_x(); };
  const auto y_of = [&](std::size_t t) { return static_cast<std::uint32_t>(t) / chip.mesh_x(); };
  for (std::size_t t = 0; t < launch.tiles.size(); ++t) {
    load_golden(golden, golden::tile_number(x_of(t), y_of(t)), launch.tiles[t]);
    sections.push_back(&launch.tiles[t].section);
  }
  ChipLaunchResult result;
  result.golden = golden.run(sections);
  if (result.golden.status == golden::Status::kError) return result;

  const auto tile = [&](std::size_t t) -> TileSim& { return chip.tile(x_of(t), y_of(t)); };
  for (std::size_t t = 0; t < launch.tiles.size(); ++t) load_launch(tile(t), launch.tiles[t]);
  // A fault stops engines in the middle of their work: then only the kind of end is compared.
  std::optional<ChipLockstep> compare;
  if (lockstep && result.golden.status == golden::Status::kDone) compare.emplace(golden);
  const auto begin = std::chrono::steady_clock::now();
  result.rtl = chip.run(max_cycles, {}, compare ? &*compare : nullptr);
  result.sim_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (compare) {
    result.checked += compare->checked();
    if (compare->divergence() != nullptr) result.add_mismatch(compare->divergence()->text());
  }
  if (result.rtl.stop == Stop::kDone) {
    if (result.golden.status != golden::Status::kDone)
      result.add_mismatch(fmt::format("the golden model stopped, the RTL did not: {}", result.golden.text()));
    for (std::size_t t = 0; t < launch.tiles.size(); ++t) result.add(compare_final(tile(t), golden, x_of(t), y_of(t)));
  }
  for (std::size_t t = 0; t < launch.tiles.size(); ++t)
    result.outputs.push_back(read_outputs(tile(t), launch.tiles[t]));
  return result;
}

}  // namespace tepin::tb
