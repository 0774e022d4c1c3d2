// SPDX-License-Identifier: Apache-2.0
// Runs a launch of every tile of a chip.
#pragma once

#include <cstdint>
#include <vector>

#include "sw/kernels/moe.h"
#include "tb/chip_sim.h"

namespace tepin::tb {

struct ChipLaunchResult {
  ChipResult rtl;
  std::vector<std::vector<std::vector<std::uint8_t>>> outputs;  // of each tile, what its launch.outputs asks for
  double sim_seconds = 0;                                       // of the run itself
};

/// All tiles are reset softly first, so one simulation serves many launches. std::invalid_argument if the launch is for
/// another mesh.
[[nodiscard]] ChipLaunchResult run_chip(ChipSim& chip, const kernels::ChipLaunch& launch, std::uint64_t max_cycles);

}  // namespace tepin::tb
