// SPDX-License-Identifier: Apache-2.0
// One program with data at any addresses, on the RTL, the golden model, or both in lockstep.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/cli/measure.h"
#include "tb/tile_sim.h"

namespace tepin::cli {

/// A run of bytes of a memory. space: -1 the scratchpad, else a pseudo-channel.
struct Region {
  int space = -1;
  std::uint64_t address = 0;
  std::vector<std::uint8_t> bytes;
  std::string file;
};

struct MachineJob {
  isa::Section section;
  std::vector<Region> loads;
  std::vector<Region> dumps;     // filled with what the target has at the end
  std::uint64_t max_cycles = 0;  // on the golden target: instructions
  bool check = false;            // RTL: against the golden model too
  bool lockstep = true;          // with check: instruction by instruction, not only the final state
};

struct MachineResult {
  Measure measure;  // checked, mismatches, fault, cycles
  std::uint64_t instructions = 0;
  std::vector<tb::UnitCounters> units;  // empty on the golden target
  Json fault;                           // null, or cause, engine, thread, pc, address, text
};

/// InputError if the golden model finds that the program is not defined: a race, or a read of what nothing wrote.
[[nodiscard]] MachineResult run_machine(Session& session, MachineJob& job);

}  // namespace tepin::cli
