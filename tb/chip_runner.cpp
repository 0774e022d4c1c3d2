// SPDX-License-Identifier: Apache-2.0
#include "tb/chip_runner.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <stdexcept>

namespace tepin::tb {

namespace {

std::uint32_t number_of(const kernels::ChipLaunch& launch, std::size_t place) {
  const auto p = static_cast<std::uint32_t>(place);
  return golden::tile_number(p % launch.mesh_x, p / launch.mesh_x);
}

/// Loads the chip and runs it.
golden::Outcome run_loaded(golden::Chip& chip, const kernels::ChipLaunch& launch) {
  std::vector<const isa::Section*> sections;
  for (std::size_t t = 0; t < launch.tiles.size(); ++t) {
    load_golden(chip, number_of(launch, t), launch.tiles[t]);
    sections.push_back(&launch.tiles[t].section);
  }
  return chip.run(sections);
}

}  // namespace

ChipLaunchResult run_golden_chip(const isa::Config& cfg, const kernels::ChipLaunch& launch) {
  golden::Chip chip(cfg, launch.mesh_x, launch.mesh_y);
  ChipLaunchResult result;
  result.golden = run_loaded(chip, launch);
  for (std::size_t t = 0; t < launch.tiles.size(); ++t)
    result.outputs.push_back(golden_outputs(chip, number_of(launch, t), launch.tiles[t]));
  return result;
}

ChipLaunchResult run_chip(ChipSim& chip, const kernels::ChipLaunch& launch, std::uint64_t max_cycles, bool lockstep) {
  if (launch.mesh_x != chip.mesh_x() || launch.mesh_y != chip.mesh_y()) {
    throw std::invalid_argument(
        fmt::format("a launch for {}x{} on {}x{}", launch.mesh_x, launch.mesh_y, chip.mesh_x(), chip.mesh_y()));
  }
  golden::Options options;
  options.log = lockstep;
  golden::Chip golden(kTileConfig, launch.mesh_x, launch.mesh_y, options);
  ChipLaunchResult result;
  result.golden = run_loaded(golden, launch);
  if (result.golden.status == golden::Status::kError) return result;

  for (std::size_t t = 0; t < launch.tiles.size(); ++t) load_launch(chip.tile(t), launch.tiles[t]);
  // A fault stops engines in the middle of their work: then only the kind of end is compared.
  std::optional<ChipLockstep> compare;
  if (lockstep && result.golden.status == golden::Status::kDone) compare.emplace(golden);
  const auto begin = std::chrono::steady_clock::now();
  result.rtl = chip.run(max_cycles, {}, compare ? &*compare : nullptr);
  result.sim_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (compare) result.add(compare->comparison());
  if (result.rtl.stop == Stop::kDone) {
    if (result.golden.status != golden::Status::kDone)
      result.add_mismatch(fmt::format("the golden model stopped, the RTL did not: {}", result.golden.text()));
    for (std::size_t t = 0; t < launch.tiles.size(); ++t)
      result.add(compare_final(chip.tile(t), golden, number_of(launch, t)));
  }
  for (std::size_t t = 0; t < launch.tiles.size(); ++t)
    result.outputs.push_back(read_outputs(chip.tile(t), launch.tiles[t]));
  return result;
}

}  // namespace tepin::tb
