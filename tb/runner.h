// SPDX-License-Identifier: Apache-2.0
// Runs a kernel launch on the golden model and on the RTL in lockstep, then compares the final state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/golden/machine.h"
#include "sw/kernels/launch.h"
#include "tb/comparison.h"
#include "tb/tile_sim.h"

namespace tepin::tb {

struct LaunchResult : Comparison {  // lockstep, then every byte of the final memories
  RunResult rtl;                    // empty if only the golden model ran
  golden::Outcome golden;
  std::vector<std::vector<std::uint8_t>> outputs;  // of the target: what launch.outputs asks for
  std::uint64_t sim_cycles = 0;                    // simulated in the measured part
  double sim_seconds = 0;                          // wall time of it, lockstep included
};

/// Puts a launch's data in place in a tile of the golden model.
void load_golden(golden::Chip& chip, std::uint32_t tile, const kernels::Launch& launch);
/// The golden model loaded with a launch.
[[nodiscard]] golden::Machine make_golden(const isa::Config& cfg, const kernels::Launch& launch,
                                          const golden::Options& options);
/// Resets the tile softly and puts the launch in place: code, parameters, contents of HBM.
void load_launch(TileHost& tile, const kernels::Launch& launch);
/// What launch.outputs asks for.
[[nodiscard]] std::vector<std::vector<std::uint8_t>> read_outputs(TileHost& tile, const kernels::Launch& launch);
[[nodiscard]] std::vector<std::vector<std::uint8_t>> golden_outputs(const golden::Chip& chip, std::uint32_t tile,
                                                                    const kernels::Launch& launch);
/// Runs only the golden model.
[[nodiscard]] LaunchResult run_golden(const isa::Config& cfg, const kernels::Launch& launch);
/// Runs both. `sim` is reset softly first, so one simulation serves many launches. lockstep: compare every instruction;
/// otherwise only the final state.
[[nodiscard]] LaunchResult run_rtl(TileSim& sim, const kernels::Launch& launch, std::uint64_t max_cycles,
                                   bool lockstep = true, Timeline* timeline = nullptr);
/// Compares the scratchpad of the tile of that number, its HBM, accumulators and semaphores where the golden model has
/// written them.
[[nodiscard]] Comparison compare_final(TileSim& sim, const golden::Chip& chip, std::uint32_t tile = 0);

}  // namespace tepin::tb
