// SPDX-License-Identifier: Apache-2.0
// One program with data at any addresses, on the RTL, the golden model, or both in lockstep; on a tile or a chip of
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/cli/measure.h"
#include "tb/chip_sim.h"

namespace tepin::cli {

/// A run of bytes of a memory of tile (x, y). space: -1 the scratchpad, else a pseudo-channel.
struct Region {
  std::uint32_t x = 0, y = 0;
  int space = -1;
  std::uint64_t address = 0;
  std::vector<std::uint8_t> bytes;
  std::string file;
};

struct MachineJob {
  std::uint32_t mesh_x = 1, mesh_y = 1;
  std::vector<const isa::Section*> sections;  // of each tile, row by row; nullptr: the tile does not run
  std::vector<Region> loads;
  std::vector<Region> dumps;     // filled with what the target has at the end
  std::uint64_t max_cycles = 0;  // on the golden target: instructions
  bool check = false;            // RTL: against the golden model too
  bool lockstep = true;          // with check: instruction by instruction, not only the final state

  [[nodiscard]] std::size_t place(std::uint32_t x, std::uint32_t y) const { return std::size_t{y} * mesh_x + x; }
};

struct MachineResult {
  Measure measure;  // checked, mismatches, fault, cycles
  std::uint64_t instructions = 0;
  std::vector<tb::RunResult> tiles;  // row by row; empty on the golden target
  Json fault;                        // null, or cause, tile, engine, thread, pc, address, text
};

/// The session has the mesh of the job. InputError if the golden model finds that the program is not defined: a race,
/// or a read of what nothing wrote.
[[nodiscard]] MachineResult run_machine(Session& session, MachineJob& job);

}  // namespace tepin::cli
