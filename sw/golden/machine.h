// SPDX-License-Identifier: Apache-2.0
// The golden model of one tile, which is a chip of one (chip.h): executes a program as docs/architecture.md and
// sw/isa/isa.toml define it, untimed, and checks it for races, uninitialised reads and accesses out of bounds.
// Race-free programs have exactly one result, so any schedule will do; Options::schedule_seed tries others.
//
// Where the documents leave a choice, this model decides:
//   * run() is a fresh start: registers, loop stacks, queues and semaphores are 0. Memories and accumulators keep what
//   was
//     loaded or left by an earlier run, which counts as ordered before everything.
//   * A thread checks pc (bad_pc), then legality, then waits (own instruction) or looks for room in the queue
//   (engine's).
//     Instruction memory beyond the section's code is uninitialised: fetching there is a finding, not illegal_instr.
//   * bad_pc names the pc that does not exist, not the branch that led there; 65535 for any beyond that.
//   * loop: imm <= pc is illegal_instr whatever rs1 holds. A loop that runs 0 times or has an empty body takes no
//   level, so
//     it cannot fault loop_depth. The end is recognised whenever the next pc equals it, by branch or not, for the
//     innermost loop first; after a loop has ended, the loop around it may end at the same place.
//   * Alignment of steps and pitches is checked even where they are not used (one run, one column, one block).
//   * mm and mst: cg*C beyond the accumulator columns leaves no legal n, hence bad_operand.
//   * Bounds of the instruction are those of all bytes it touches. vqnt, vdqt: source, destination, scales in this
//   order (all
//     have the same cause anyway).
//   * vdqt: a 6-bit code with an upper bit set faults when its block is reached; the blocks before it are written.
//   * mm: such a code in the rows' weights or a group of C columns faults when that group's block is reached, unless
//   with the
//     NaN trap an accumulator became NaN before: then that is the fault.
//   * mxu_nan: the instruction completes its accumulators, then faults and does not post. Newly written means that the
//     accumulator was no NaN before, or that init was set.
//   * Waits are taken before operands are checked; a faulting instruction does not post. Posts happen in the order
//   post0,
//     post1; the first may be done when the second overflows.
//   * stake and spost with count 0 touch nothing. stake needs no waiting, so a program that relies on it without an
//   order is
//     not caught as a race if the posts happened to come first (isa.toml: "it orders like a wait").
//   * Race 5: a wait is ambiguous if the posts it cannot do without do not suffice for it, judged over all posts that
//   may
//     come before it in any schedule (post_history.h). Unordered posters as such are fine: "pending at a wait that does
//     not take all of them" would depend on the schedule.
//   * stuck: engine HOST, thread 0, pc 0. A waiter of two semaphores is listed once for each that is short.
//   * Memory after a fault or finding is whatever was done until then, and may depend on the schedule.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sw/golden/chip.h"

namespace tepin::golden {

class Machine {
 public:
  explicit Machine(const isa::Config& cfg, const Options& options = {}) : chip_(cfg, 1, 1, options) {}

  /// Puts data in place and marks it written. isa::InputError if it does not fit in the memory.
  void load_spad(std::uint64_t address, std::span<const std::uint8_t> data);
  void load_hbm(std::uint32_t channel, std::uint64_t address, std::span<const std::uint8_t> data);  // byte address
  void load_acc(std::uint32_t column,
                std::span<const std::uint32_t> fp32);  // column after column, mxu_rows values each

  /// Runs a section to its end. isa::InputError if the code is larger than the instruction memory.
  [[nodiscard]] Outcome run(const isa::Section& section);

  // State, of the last run where a run changes it.
  [[nodiscard]] const Scratchpad& spad() const;
  [[nodiscard]] const HbmChannel& hbm(std::uint32_t channel) const;
  [[nodiscard]] const Accumulators& acc() const;
  [[nodiscard]] std::span<const std::uint32_t> sems() const;
  [[nodiscard]] const std::array<std::uint32_t, 32>& regs(int thread) const;
  [[nodiscard]] const Log& log() const;                       // empty unless Options::log
  [[nodiscard]] const std::vector<TraceMark>& trace() const;  // in execution order; between threads that means nothing
  [[nodiscard]] const isa::Config& config() const;
  [[nodiscard]] const Chip& chip() const { return chip_; }
  [[nodiscard]] Chip& chip() { return chip_; }

 private:
  Chip chip_;
};

}  // namespace tepin::golden
