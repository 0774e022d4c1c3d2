// SPDX-License-Identifier: Apache-2.0
#include "tb/chip_runner.h"

#include <fmt/format.h>

#include <chrono>
#include <stdexcept>

#include "tb/runner.h"

namespace tepin::tb {

ChipLaunchResult run_chip(ChipSim& chip, const kernels::ChipLaunch& launch, std::uint64_t max_cycles) {
  if (launch.mesh_x != chip.mesh_x() || launch.mesh_y != chip.mesh_y()) {
    throw std::invalid_argument(
        fmt::format("a launch for {}x{} on {}x{}", launch.mesh_x, launch.mesh_y, chip.mesh_x(), chip.mesh_y()));
  }
  const auto tile = [&](std::size_t t) -> TileSim& {
    return chip.tile(static_cast<std::uint32_t>(t) % chip.mesh_x(), static_cast<std::uint32_t>(t) / chip.mesh_x());
  };
  for (std::size_t t = 0; t < launch.tiles.size(); ++t) load_launch(tile(t), launch.tiles[t]);
  ChipLaunchResult result;
  const auto begin = std::chrono::steady_clock::now();
  result.rtl = chip.run(max_cycles);
  result.sim_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (std::size_t t = 0; t < launch.tiles.size(); ++t)
    result.outputs.push_back(read_outputs(tile(t), launch.tiles[t]));
  return result;
}

}  // namespace tepin::tb
