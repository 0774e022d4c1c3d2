// SPDX-License-Identifier: Apache-2.0
#include "tb/tile_sim.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "sw/isa/tepin_csr.h"
#include "sw/isa/tepin_window.h"

namespace tepin::tb {

namespace {

constexpr std::uint32_t kHostTimeout = 100000;  // cycles: a host access that takes longer is a bug of the tile
constexpr std::uint32_t kOffCtrl = offsetof(tepin_csr_t, CTRL), kOffStatus = offsetof(tepin_csr_t, STATUS);

}  // namespace

TileSim::TileSim(const SimOptions& options) : TileSim(options, 0, 0, 0, 0, {}) { reset(); }

TileSim::TileSim(const SimOptions& options, std::uint32_t x, std::uint32_t y, std::uint32_t last_x,
                 std::uint32_t last_y, std::function<void()> clock)
    : TileHost(x, y), clock_(std::move(clock)) {
  dut_ = options.checked || !options.fst_file.empty() ? make_checked_dut(options.fst_file, options.x_seed) : make_dut();
  if (options.hbm && !options.driven) hbm_ = std::make_unique<HbmMemory>(options.checked);
  for (std::uint32_t p = 0; p < kPcs && !hbm_ && !options.driven; ++p) {
    MemoryTiming t = options.memory;
    t.seed = options.memory.seed * 2 + p;
    memories_.emplace_back(std::uint64_t{kTileConfig.hbm_beats} * 32, t);
  }
  dut_->in.at = static_cast<std::uint8_t>(x << 3 | y);
  dut_->in.last = static_cast<std::uint8_t>(last_x << 3 | last_y);
}

void TileSim::reset() {
  const std::uint8_t at = dut_->in.at, last = dut_->in.last;
  dut_->in = {};
  dut_->in.at = at;
  dut_->in.last = last;
  for (int i = 0; i < 4; ++i) dut_->step(false);
  for (std::uint32_t i = 0; !ready(); ++i) {
    if (i > kHostTimeout) throw std::logic_error("the tile is never ready");
  }
}

void TileSim::track_writes(const std::array<MemoryOut, kPcs>& before, const std::array<MemoryIn, kPcs>& driven) {
  for (std::size_t p = 0; p < kPcs; ++p) {
    const MemoryOut& o = before[p];
    auto& [open, data] = tracks_[p];
    if (o.ar_valid && mem_first_ == 0) mem_first_ = now_;
    if ((driven[p].b_valid && o.b_ready) || (driven[p].r_valid && o.r_ready)) mem_last_ = now_;
    if (o.aw_valid && driven[p].aw_ready) open.push_back({o.aw_id, o.aw_addr, o.aw_len + 1U});
    if (o.w_valid && driven[p].w_ready) data.emplace_back(o.w_data, o.w_strb);
    // Data may come before their address; they belong to the oldest address that still lacks some.
    while (!open.empty() && !data.empty()) {
      auto& [id, address, left] = open.front();
      if (lockstep_ != nullptr) {
        lockstep_->hbm_write(static_cast<int>(p),
                             {static_cast<std::uint8_t>(id), address, data.front().second, data.front().first}, now_);
      }
      data.pop_front();
      address += 32;
      if (--left == 0) open.pop_front();
    }
  }
}

void TileSim::tick() {
  if (clock_) return clock_();
  dut_->in.chip_quiet = dut_->out.quiet;
  step();
}

void TileSim::step() {
  std::array<MemoryOut, kPcs> before;
  for (std::size_t p = 0; p < kPcs; ++p) before[p] = dut_->out.mem[p];
  track_writes(before, [&] {
    std::array<MemoryIn, kPcs> driven;
    for (std::size_t p = 0; p < kPcs; ++p) driven[p] = dut_->in.mem[p];
    return driven;
  }());
  dut_->step(true);
  ++now_;
  if (hbm_) hbm_->cycle(before, dut_->in.mem);
  for (std::size_t p = 0; p < memories_.size(); ++p) memories_[p].cycle(before[p], dut_->in.mem[p]);
  if (dut_->out.retire != 0) {
    const isa::Instr* seq = (dut_->out.retire & 1) != 0 ? isa::find_instr(dut_->out.retired[0].op) : nullptr;
    instructions_ += static_cast<std::uint64_t>(std::popcount(dut_->out.retire & ~1U)) +
                     (seq != nullptr && seq->engine == isa::Engine::kSeq ? 1U : 0U);
  }
  if (lockstep_ != nullptr) lockstep_->cycle(dut_->out, now_);
  if (timeline_ != nullptr) timeline_->cycle(dut_->out, now_);
}

void TileSim::store(int pc, std::uint64_t address, std::span<const std::uint8_t> data) {
  if (hbm_) {
    hbm_->store(pc, address, data);
    hbm_->present(dut_->in.mem);
  } else {
    memory(pc).store(address, data);
  }
}

void TileSim::load(int pc, std::uint64_t address, std::span<std::uint8_t> out) {
  if (hbm_) {
    hbm_->load(pc, address, out);
    hbm_->present(dut_->in.mem);
  } else {
    memory(pc).load(address, out);
  }
}

void TileSim::csr_write(std::uint32_t offset, std::uint32_t value) { host().csr_write(offset, value); }
std::uint32_t TileSim::csr_read(std::uint32_t offset) { return host().csr_read(offset); }
void TileSim::window_write(std::uint64_t address, std::span<const std::uint8_t> data) {
  host().window_write(address, data);
}
void TileSim::window_read(std::uint64_t address, std::span<std::uint8_t> out) { host().window_read(address, out); }

RunResult TileSim::collect(Stop stop) {
  lockstep_ = nullptr;
  timeline_ = nullptr;
  RunResult result;
  result.stop = stop;
  constexpr std::size_t kTotals = std::size_t{kUnits} * 8;
  std::array<std::uint64_t, kTotals + 4> counters{};
  window_read(isa::kWinCounters, {reinterpret_cast<std::uint8_t*>(counters.data()), sizeof(counters)});
  static constexpr std::array<std::string_view, kUnits> kNames{"SEQ0", "SEQ1", "SEQ2", "SEQ3", "LD",
                                                               "ST",   "MXU",  "VPU",  "NET"};
  for (std::size_t u = 0; u < kNames.size(); ++u) {
    UnitCounters c;
    c.unit = kNames[u];
    std::copy_n(counters.begin() + static_cast<std::ptrdiff_t>(u * 8), 8, c.cycles.begin());
    result.units.push_back(c);
  }
  result.instructions = instructions_;
  result.cycles = counters[kTotals];
  result.conflicts = counters[kTotals + 1];
  result.beats_read = counters[kTotals + 2];
  result.beats_written = counters[kTotals + 3];
  result.mem_first = mem_first_;
  result.mem_last = mem_last_;
  if (hbm_) {
    result.hbm = hbm_->counters();
    hbm_->present(dut_->in.mem);
  }
  if (stop == Stop::kFault) result.fault = fault_info();
  return result;
}

RunResult TileSim::wait_end(std::uint64_t max_cycles) {
  const std::uint64_t limit = max_cycles > ~now_ ? ~std::uint64_t{0} : now_ + max_cycles;
  // The start takes a few cycles to show.
  for (int i = 0; i < 4; ++i) tick();
  Stop stop = Stop::kDone;
  while (dut_->out.running) {
    if (now_ >= limit) {
      stop = Stop::kMaxCycles;
      break;
    }
    if (lockstep_ != nullptr && lockstep_->divergence()) break;
    if ((now_ & 1023) == 0) {
      const std::uint32_t s = csr_read(kOffStatus);
      if ((s & TEPIN_CSR__STATUS__STOPPED_bm) != 0 && (s & TEPIN_CSR__STATUS__DRAINED_bm) != 0) {
        stop = Stop::kStopped;
        break;
      }
    }
    tick();
  }
  const bool ended = !dut_->out.running;
  if (ended && faulted()) stop = Stop::kFault;
  if (lockstep_ != nullptr && ended && stop == Stop::kDone) lockstep_->finish(now_);
  if (lockstep_ != nullptr && lockstep_->divergence()) stop = Stop::kDivergence;
  return collect(stop);
}

void TileSim::prepare(Lockstep* lockstep, Timeline* timeline) {
  const std::uint32_t ctrl = csr_read(kOffCtrl);
  csr_write(kOffCtrl, ctrl | TEPIN_CSR__CTRL__CLEAR_COUNTERS_bm);
  mem_first_ = mem_last_ = instructions_ = 0;
  if (hbm_) {
    hbm_->clear_counters();
    hbm_->present(dut_->in.mem);
  }
  lockstep_ = lockstep;
  timeline_ = timeline;
}

RunResult TileSim::run(std::uint64_t max_cycles, Lockstep* lockstep, Timeline* timeline) {
  prepare(lockstep, timeline);
  start();
  return wait_end(max_cycles);
}

RunResult TileSim::resume(std::uint64_t max_cycles) { return wait_end(max_cycles); }

}  // namespace tepin::tb
