// SPDX-License-Identifier: Apache-2.0
// One verilated tile with a memory on each port and a host: the harness that tests and the command line use.
// Everything the host does goes through the tile's own ports, except HBM contents, which have a backdoor.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sw/isa/program.h"
#include "tb/axi_memory.h"
#include "tb/dut.h"
#include "tb/hbm_memory.h"
#include "tb/lockstep.h"
#include "tb/tile_host.h"
#include "tb/timeline.h"

namespace tepin::tb {

struct SimOptions {
  bool hbm = false;  // the HBM4 controller and its DRAM behind the ports, in place of a memory with this timing:
  MemoryTiming memory;
  bool driven = false;   // nothing behind the ports: whoever drives in() drives them too, and nobody waits for ready
  bool checked = false;  // the model with assertions; implied by fst_file
  std::string fst_file;  // waves
  std::uint32_t x_seed = 1;  // initial state of the checked model
};

enum class Stop { kDone, kFault, kMaxCycles, kDivergence, kStopped };

struct UnitCounters {
  std::string unit;                       // "SEQ0".."SEQ3", "LD", "ST", "MXU", "VPU", "NET"
  std::array<std::uint64_t, 8> cycles{};  // by activity
};
/// Names of activities, as in activity_e.
inline constexpr std::array<std::string_view, 8> kActivities{"idle",     "busy",      "wait_sem",   "wait_spad",
                                                             "wait_mem", "wait_data", "wait_queue", "stopped"};

struct RunResult {
  Stop stop = Stop::kDone;
  FaultInfo fault;
  std::uint64_t cycles = 0;        // from start to done or fault, as the tile counts
  std::uint64_t instructions = 0;  // ended; those that a thread issues count for the engine only
  std::uint64_t conflicts = 0, beats_read = 0, beats_written = 0;
  std::vector<UnitCounters> units;
  std::uint64_t mem_first = 0,
                mem_last = 0;  // cycles of the first read address and of the last write response (or read data)
  std::optional<hbm::HbmCounters> hbm;  // of the controller, both pseudo-channels
};

class TileSim final : public TileHost {
 public:
  explicit TileSim(const SimOptions& options = {});
  /// A tile of a chip: clock() is called in place of step() whenever time must pass, and steps every tile.
  TileSim(const SimOptions& options, std::uint32_t x, std::uint32_t y, std::uint32_t last_x, std::uint32_t last_y,
          std::function<void()> clock);

  /// Reset line for some cycles, then until the tile is ready.
  void reset();
  /// Reset without the wait for ready, a clock edge each call.
  void step_reset() { dut_->step(false); }
  void tick();
  /// One clock edge of this tile alone; its links' inputs stand in in().
  void step();
  [[nodiscard]] std::uint64_t now() const { return now_; }

  void csr_write(std::uint32_t offset, std::uint32_t value) override;
  [[nodiscard]] std::uint32_t csr_read(std::uint32_t offset) override;
  void window_write(std::uint64_t address, std::span<const std::uint8_t> data) override;
  void window_read(std::uint64_t address, std::span<std::uint8_t> out) override;

  using TileHost::load;
  /// Starts the loaded program and ticks until done, fault, divergence, all threads stopped, or max_cycles.
  [[nodiscard]] RunResult run(std::uint64_t max_cycles, Lockstep* lockstep = nullptr, Timeline* timeline = nullptr);
  /// Goes on ticking a program that runs (after a breakpoint was resumed, say).
  [[nodiscard]] RunResult resume(std::uint64_t max_cycles);

  /// Backdoor; std::out_of_range beyond the capacity, or if nothing is behind the ports.
  void store(int pc, std::uint64_t address, std::span<const std::uint8_t> data) override;
  void load(int pc, std::uint64_t address, std::span<std::uint8_t> out) override;
  /// With hbm.
  [[nodiscard]] HbmMemory& hbm() { return *hbm_; }
  /// Without hbm.
  [[nodiscard]] AxiMemory& memory(int pc) { return memories_.at(static_cast<std::size_t>(pc)); }
  [[nodiscard]] const TileOut& out() const { return dut_->out; }
  [[nodiscard]] TileIn& in() { return dut_->in; }

  // For a chip, which starts all tiles and waits for all: what run() does in parts.
  void prepare(Lockstep* lockstep = nullptr, Timeline* timeline = nullptr);
  [[nodiscard]] RunResult collect(Stop stop);

 private:
  struct WriteTrack {                               // for lockstep
    std::deque<std::array<std::uint64_t, 3>> open;  // addresses not yet filled with data: id, next address, beats left
    std::deque<std::pair<Word, std::uint32_t>> data;  // words and strobes that came before their address
  };
  RunResult wait_end(std::uint64_t max_cycles);
  void track_writes(const std::array<MemoryOut, kPcs>& before, const std::array<MemoryIn, kPcs>& driven);

  [[nodiscard]] HostPort<TileIn, TileOut> host() {
    return {dut_->in, dut_->out, [this] { tick(); }};
  }

  std::unique_ptr<Dut> dut_;
  std::function<void()> clock_;     // empty: a tile alone
  std::deque<AxiMemory> memories_;  // never moved; empty with hbm, or driven
  std::unique_ptr<HbmMemory> hbm_;
  std::array<WriteTrack, kPcs> tracks_;
  Lockstep* lockstep_ = nullptr;
  Timeline* timeline_ = nullptr;
  std::uint64_t now_ = 0, mem_first_ = 0, mem_last_ = 0, instructions_ = 0;
};

}  // namespace tepin::tb
