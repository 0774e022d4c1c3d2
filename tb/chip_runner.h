// SPDX-License-Identifier: Apache-2.0
// Runs a launch of every tile of a chip on the golden model and on the RTL in lockstep, then compares the final state.
#pragma once

#include <cstdint>
#include <vector>

#include "sw/kernels/moe.h"
#include "tb/chip_sim.h"
#include "tb/runner.h"

namespace tepin::tb {

struct ChipLaunchResult : Comparison {
  ChipResult rtl;
  golden::Outcome golden;
  std::vector<std::vector<std::vector<std::uint8_t>>> outputs;  // of each tile, what its launch.outputs asks for
  double sim_seconds = 0;                                       // of the run itself, lockstep included
};

/// Runs only the golden model, which need not be the verilated configuration.
[[nodiscard]] ChipLaunchResult run_golden_chip(const isa::Config& cfg, const kernels::ChipLaunch& launch);
/// Runs both; only the golden model if it finds that the launch is not defined. All tiles are reset softly first, so
/// one simulation serves many launches. lockstep: compare every instruction; otherwise only the final state.
/// std::invalid_argument if the launch is for another mesh.
[[nodiscard]] ChipLaunchResult run_chip(ChipSim& chip, const kernels::ChipLaunch& launch, std::uint64_t max_cycles,
                                        bool lockstep = true);

}  // namespace tepin::tb
