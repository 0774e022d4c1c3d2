// SPDX-License-Identifier: Apache-2.0
#include "tb/chip_runner.h"

#include <fmt/format.h>

#include <chrono>
#include <stdexcept>

#include "sw/isa/tepin_window.h"

namespace tepin::tb {

ChipLaunchResult run_chip(ChipSim& chip, const kernels::ChipLaunch& launch, std::uint64_t max_cycles) {
  if (launch.mesh_x != chip.mesh_x() || launch.mesh_y != chip.mesh_y()) {
    throw std::invalid_argument(
        fmt::format("a launch for {}x{} on {}x{}", launch.mesh_x, launch.mesh_y, chip.mesh_x(), chip.mesh_y()));
  }
  const auto tile = [&](std::size_t t) -> TileSim& {
    return chip.tile(static_cast<std::uint32_t>(t) % chip.mesh_x(), static_cast<std::uint32_t>(t) / chip.mesh_x());
  };
  for (std::size_t t = 0; t < launch.tiles.size(); ++t) {
    const kernels::Launch& l = launch.tiles[t];
    tile(t).soft_reset();
    tile(t).load(l.section);
    if (!l.params.empty()) tile(t).window_write(isa::kWinSpad, l.params);
    for (const kernels::Segment& s : l.hbm) tile(t).store(static_cast<int>(s.channel), s.address, s.bytes);
  }
  ChipLaunchResult result;
  const auto begin = std::chrono::steady_clock::now();
  result.rtl = chip.run(max_cycles);
  result.sim_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (std::size_t t = 0; t < launch.tiles.size(); ++t) {
    std::vector<std::uint8_t>& out = result.outputs.emplace_back();
    for (const kernels::Segment& s : launch.tiles[t].outputs) {
      const std::size_t at = out.size();
      out.resize(at + s.bytes.size());
      if (!s.bytes.empty()) tile(t).load(static_cast<int>(s.channel), s.address, std::span(out).subspan(at));
    }
  }
  return result;
}

}  // namespace tepin::tb
