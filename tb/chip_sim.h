// SPDX-License-Identifier: Apache-2.0
// A chip: one verilated tile, instantiated for each place of the mesh and wired in C++. All tiles step together; with
// several threads each steps its share of them, the same bits.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "tb/tile_sim.h"

namespace tepin::tb {

struct ChipResult {
  Stop stop = Stop::kDone;
  FaultInfo fault;               // of the tile that stopped first, by number among those of one cycle
  std::uint64_t cycles = 0;      // from the first start of a tile, one after another by the host, to the last end
  std::vector<RunResult> tiles;  // by number, rows of mesh_x
};

class ChipSim {
 public:
  /// 1..8 columns and rows, 1..tiles threads; std::invalid_argument else. fst_file is not for chips. With
  /// options.driven there is no reset() here: who drives the tiles calls tick() and hold_reset().
  ChipSim(std::uint32_t mesh_x, std::uint32_t mesh_y, const SimOptions& options = {}, unsigned threads = 1);
  ~ChipSim();
  ChipSim(const ChipSim&) = delete;
  ChipSim& operator=(const ChipSim&) = delete;

  [[nodiscard]] std::uint32_t mesh_x() const { return mesh_x_; }
  [[nodiscard]] std::uint32_t mesh_y() const { return mesh_y_; }
  [[nodiscard]] TileSim& tile(std::uint32_t x, std::uint32_t y) { return *tiles_.at(y * mesh_x_ + x); }
  /// By place: row by row, mesh_x a row.
  [[nodiscard]] TileSim& tile(std::size_t place) { return *tiles_.at(place); }
  [[nodiscard]] std::uint64_t now() const { return now_; }

  /// One clock edge of every tile.
  void tick();
  /// All tiles, then until all are ready.
  void reset();
  /// What the reset line of all tiles is from the next tick() on.
  void hold_reset(bool on) { in_reset_ = on; }
  /// Clears every tile's counters, starts those for which `starts` is set (all if it is empty) and ticks until all of
  /// them have ended and nothing moves on the chip, a tile diverges, or max_cycles have passed. A tile that faults
  /// leaves the others to end, or to get stuck. Tiles that have ended or do not start can still fault.
  [[nodiscard]] ChipResult run(std::uint64_t max_cycles, const std::vector<bool>& starts = {},
                               ChipLockstep* lockstep = nullptr);
  /// What follows is recorded, tile by tile, until take_timeline().
  void record_timeline();
  [[nodiscard]] std::string take_timeline();

 private:
  void wire(std::size_t tile);
  void step_share(unsigned thread);
  void work(unsigned thread);

  std::uint32_t mesh_x_, mesh_y_;
  std::vector<std::unique_ptr<TileSim>> tiles_;
  std::vector<std::unique_ptr<Timeline>> timelines_;
  std::uint64_t now_ = 0;
  bool quiet_ = false, in_reset_ = false;
  // Threads beside the caller's spin until a tick begins, step their tiles, and say so.
  unsigned threads_;
  std::atomic<std::uint64_t> ticks_ = 0;
  std::atomic<unsigned> working_ = 0;
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace tepin::tb
