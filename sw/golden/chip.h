// SPDX-License-Identifier: Apache-2.0
// The golden model of a chip of tiles: each tile as machine.h says, and NET between them as docs/net.md defines it. A
// mesh of 1x1 to 8x8, whatever the configuration's own is. Tiles are named by their number, 8*y + x.
//
// Where the documents leave a choice, this model decides:
//   * run() is a fresh start of every tile: group registers too. A tile without a section does nothing itself, but
//     its memories and semaphores are there for others.
//   * The first fault stops the whole chip, so no tile meets another that has stopped: cause tile_stopped does not
//     occur. Which of several faults comes first may depend on the schedule.
//   * A remote post1 is checked (bad_tile) when it is done, after the instruction's effects and post0. It and npost
//     and the posts of nmc are done at once; if one overflows a semaphore, the fault is the receiver's: engine NET,
//     thread 0, pc 0. That holds for posts to the own tile by these ways, too.
//   * Alignment and bounds are checked of src and dst alike, used at this tile or not.
//   * ngroup: a root of another chip is bad_group, as one outside the mesh.
//   * A collective reads its operands when it has started at their tile, writes and completes when all have started;
//     nred too, at tiles that are not its root: a program that needs such a tile to be done before is stuck here,
//     while the RTL ends it as far as there are buffers. At the tile that owns both, results may take the place of the
//     operand that they come from, exactly: nwr and nmc dst = src, nred and nar dst = src, nrs dst = src + 32*rank*len,
//     nag dst + 32*rank*len = src; na2a only alone in its group. Any other overlap is a race of the instruction with
//     itself.
//   * A root that is no member is ordered after the starts in nbar and nred only; its own start is before the
//     completions.
//   * group_mismatch is found when nothing moves any more: the two with the smallest tile numbers, of which each
//     waits for the other; the fault is that of the smaller. Else what waits for members is stuck.
//   * Which collectives of one group number are ordered: GroupHistory (collective.h). Trees are those of the up
//     network.
//   * The post of nmc at a member comes after the words there, and says nothing of those at other members.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sw/golden/log.h"
#include "sw/golden/memory.h"
#include "sw/golden/outcome.h"
#include "sw/isa/configs.h"
#include "sw/isa/program.h"

namespace tepin::golden {

struct Options {
  bool check_races = true;
  bool check_written = true;                       // off: memory that nothing wrote reads 0
  bool nan_trap = true;                            // register CTRL.nan_trap
  bool log = false;                                // record Log and trace marks
  std::uint64_t schedule_seed = 0;                 // 0: round robin, else a random order of the agents
  std::uint64_t max_instructions = 1'000'000'000;  // started by all tiles; beyond: finding `limit`
};

[[nodiscard]] constexpr std::uint32_t tile_number(std::uint32_t x, std::uint32_t y) { return isa::kMaxMesh * y + x; }

struct Fabric;

class Chip {
 public:
  /// isa::InputError unless mesh_x and mesh_y are 1..8.
  Chip(const isa::Config& cfg, std::uint32_t mesh_x, std::uint32_t mesh_y, const Options& options = {});
  ~Chip();
  Chip(Chip&&) noexcept;
  Chip& operator=(Chip&&) noexcept;

  // tile: its number; isa::InputError if the mesh has none of that number.

  /// Puts data in place and marks it written. isa::InputError if it does not fit in the memory.
  void load_spad(std::uint32_t tile, std::uint64_t address, std::span<const std::uint8_t> data);
  void load_hbm(std::uint32_t tile, std::uint32_t channel, std::uint64_t address,
                std::span<const std::uint8_t> data);  // byte address
  void load_acc(std::uint32_t tile, std::uint32_t column,
                std::span<const std::uint32_t> fp32);  // column after column, mxu_rows values each

  /// Runs each tile's own section, or the one for every tile; a tile that has neither does not run. Ends when all are
  /// done. isa::InputError if two sections are for one tile, one is for a tile that the mesh does not have, or code is
  /// larger than the instruction memory.
  [[nodiscard]] Outcome run(const isa::Program& program);
  /// The same with a section for each tile, row by row; nullptr: the tile does not run.
  [[nodiscard]] Outcome run(const std::vector<const isa::Section*>& sections);

  // State, of the last run where a run changes it.
  [[nodiscard]] const Scratchpad& spad(std::uint32_t tile) const;
  [[nodiscard]] const HbmChannel& hbm(std::uint32_t tile, std::uint32_t channel) const;
  [[nodiscard]] const Accumulators& acc(std::uint32_t tile) const;
  [[nodiscard]] std::span<const std::uint32_t> sems(std::uint32_t tile) const;
  [[nodiscard]] const std::array<std::uint32_t, 32>& regs(std::uint32_t tile, int thread) const;
  /// What the tile's own agents did; empty unless Options::log.
  [[nodiscard]] const Log& log(std::uint32_t tile) const;
  /// What came in from NET instructions, by source; empty unless Options::log.
  [[nodiscard]] const Incoming& incoming(std::uint32_t tile) const;
  [[nodiscard]] const std::vector<TraceMark>& trace(std::uint32_t tile) const;
  [[nodiscard]] const isa::Config& config() const;
  [[nodiscard]] std::uint32_t mesh_x() const;
  [[nodiscard]] std::uint32_t mesh_y() const;

 private:
  [[nodiscard]] class Tile& tile_of(std::uint32_t number) const;

  std::unique_ptr<Fabric> fabric_;
};

}  // namespace tepin::golden
