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
constexpr std::uint32_t kOffCtrl = offsetof(tepin_csr_t, CTRL);
constexpr std::uint32_t kOffStatus = offsetof(tepin_csr_t, STATUS);
constexpr std::uint32_t kOffFault = offsetof(tepin_csr_t, FAULT);
constexpr std::uint32_t kOffFaultAddr = offsetof(tepin_csr_t, FAULT_ADDR);
constexpr std::uint32_t kOffEntry = offsetof(tepin_csr_t, ENTRY);
constexpr std::uint32_t kOffThread = offsetof(tepin_csr_t, THREAD);
constexpr std::uint32_t kOffHead = offsetof(tepin_csr_t, HEAD);
constexpr std::uint32_t kOffNet = offsetof(tepin_csr_t, NET);

constexpr std::uint32_t field(std::uint32_t value, std::uint32_t mask, std::uint32_t pos) {
  return (value & mask) >> pos;
}

}  // namespace

std::string FaultInfo::text() const {
  std::string s = fmt::format(
      "tile {},{} {} thread {} pc {}: {} ({})", x, y, isa::kEngines[static_cast<std::size_t>(engine)], thread, pc,
      isa::kCauses[static_cast<std::size_t>(cause)].text, isa::kCauses[static_cast<std::size_t>(cause)].name);
  if (addr != 0) s += fmt::format(", address {:#x}", addr);
  for (const std::string& w : waiters) s += "; " + w;
  return s;
}

TileSim::TileSim(const SimOptions& options) : TileSim(options, 0, 0, 0, 0, {}) { reset(); }

TileSim::TileSim(const SimOptions& options, std::uint32_t x, std::uint32_t y, std::uint32_t last_x,
                 std::uint32_t last_y, std::function<void()> clock)
    : x_(x), y_(y), clock_(std::move(clock)) {
  dut_ = options.checked || !options.fst_file.empty() ? make_checked_dut(options.fst_file, options.x_seed) : make_dut();
  if (options.hbm) hbm_ = std::make_unique<HbmMemory>(options.checked);
  for (std::uint32_t p = 0; p < kPcs && !hbm_; ++p) {
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

void TileSim::csr_write(std::uint32_t offset, std::uint32_t value) {
  TileIn& in = dut_->in;
  in.l_aw_valid = in.l_w_valid = in.l_b_ready = true;
  in.l_aw_addr = static_cast<std::uint8_t>(offset);
  in.l_w_data = value;
  for (std::uint32_t i = 0;; ++i) {
    if (i > kHostTimeout) throw std::logic_error("a register write is never answered");
    const bool aw = in.l_aw_valid && dut_->out.l_aw_ready;
    const bool w = in.l_w_valid && dut_->out.l_w_ready;
    const bool b = dut_->out.l_b_valid;
    const std::uint8_t resp = dut_->out.l_b_resp;
    tick();
    if (aw) in.l_aw_valid = false;
    if (w) in.l_w_valid = false;
    if (b) {
      in.l_b_ready = false;
      if (resp != 0) throw HostError(fmt::format("register {:#x}: write refused", offset));
      return;
    }
  }
}

std::uint32_t TileSim::csr_read(std::uint32_t offset) {
  TileIn& in = dut_->in;
  in.l_ar_valid = in.l_r_ready = true;
  in.l_ar_addr = static_cast<std::uint8_t>(offset);
  for (std::uint32_t i = 0;; ++i) {
    if (i > kHostTimeout) throw std::logic_error("a register read is never answered");
    const bool ar = in.l_ar_valid && dut_->out.l_ar_ready;
    const bool r = dut_->out.l_r_valid;
    const std::uint32_t value = dut_->out.l_r_data;
    const std::uint8_t resp = dut_->out.l_r_resp;
    tick();
    if (ar) in.l_ar_valid = false;
    if (r) {
      in.l_r_ready = false;
      if (resp != 0) throw HostError(fmt::format("register {:#x}: read refused", offset));
      return value;
    }
  }
}

void TileSim::window_write(std::uint64_t address, std::span<const std::uint8_t> data) {
  TileIn& in = dut_->in;
  std::size_t done = 0;
  while (done < data.size()) {
    // One burst: whole beats, strobes at both ends.
    const std::uint64_t first = (address + done) / 32 * 32;
    const std::uint64_t end = address + data.size();
    const std::uint64_t beats =
        std::min<std::uint64_t>((end - first + 31) / 32, std::min<std::uint64_t>(256, (4096 - first % 4096) / 32));
    in.s_aw_valid = in.s_w_valid = in.s_b_ready = true;
    in.s_aw_addr = first;
    in.s_aw_len = static_cast<std::uint8_t>(beats - 1);
    std::uint64_t beat = 0;
    const auto fill = [&] {
      in.s_w_strb = 0;
      in.s_w_data = {};
      in.s_w_last = beat + 1 == beats;
      for (std::uint32_t b = 0; b < 32; ++b) {
        const std::uint64_t a = first + beat * 32 + b;
        if (a < address + done || a >= end) continue;
        in.s_w_strb |= 1U << b;
        in.s_w_data[b / 4] |= std::uint32_t{data[a - address]} << (b % 4 * 8);
      }
    };
    fill();
    for (std::uint32_t i = 0;; ++i) {
      if (i > kHostTimeout) throw std::logic_error("a window write is never answered");
      const bool aw = in.s_aw_valid && dut_->out.s_aw_ready;
      const bool w = in.s_w_valid && dut_->out.s_w_ready;
      const bool b = dut_->out.s_b_valid;
      const std::uint8_t resp = dut_->out.s_b_resp;
      tick();
      if (aw) in.s_aw_valid = false;
      if (w) {
        if (++beat == beats) {
          in.s_w_valid = false;
        } else {
          fill();
        }
      }
      if (b) {
        in.s_b_ready = false;
        if (resp != 0) throw HostError(fmt::format("window {:#x}: write refused", first));
        break;
      }
    }
    done = std::min<std::uint64_t>(data.size(), first + beats * 32 - address);
  }
}

void TileSim::window_read(std::uint64_t address, std::span<std::uint8_t> out) {
  TileIn& in = dut_->in;
  std::size_t done = 0;
  while (done < out.size()) {
    const std::uint64_t first = (address + done) / 32 * 32;
    const std::uint64_t end = address + out.size();
    const std::uint64_t beats =
        std::min<std::uint64_t>((end - first + 31) / 32, std::min<std::uint64_t>(256, (4096 - first % 4096) / 32));
    in.s_ar_valid = in.s_r_ready = true;
    in.s_ar_addr = first;
    in.s_ar_len = static_cast<std::uint8_t>(beats - 1);
    std::uint64_t beat = 0;
    bool refused = false;
    for (std::uint32_t i = 0; beat < beats; ++i) {
      if (i > kHostTimeout) throw std::logic_error("a window read is never answered");
      const bool ar = in.s_ar_valid && dut_->out.s_ar_ready;
      const bool r = dut_->out.s_r_valid;
      const std::uint8_t resp = dut_->out.s_r_resp;
      const Word data = r ? dut_->out.s_r_data : Word{};
      tick();
      if (ar) in.s_ar_valid = false;
      if (!r) continue;
      refused = refused || resp != 0;
      for (std::uint32_t b = 0; b < 32; ++b) {
        const std::uint64_t a = first + beat * 32 + b;
        if (a >= address && a < end) out[a - address] = static_cast<std::uint8_t>(data[b / 4] >> (b % 4 * 8));
      }
      ++beat;
    }
    in.s_r_ready = false;
    if (refused) throw HostError(fmt::format("window {:#x}: read refused", first));
    done = std::min<std::uint64_t>(out.size(), first + beats * 32 - address);
  }
}

void TileSim::load(const isa::Section& section) {
  if (section.code.size() > kTileConfig.imem_instrs) {
    throw isa::InputError(fmt::format("program: {} instructions, at most {} fit the instruction memory",
                                      section.code.size(), kTileConfig.imem_instrs));
  }
  std::vector<std::uint8_t> bytes(section.code.size() * 16);
  for (std::size_t i = 0; i < section.code.size(); ++i) {
    std::memcpy(&bytes[i * 16], &section.code[i].lo, 8);
    std::memcpy(&bytes[i * 16 + 8], &section.code[i].hi, 8);
  }
  if (!bytes.empty()) window_write(isa::kWinImem, bytes);
  for (const std::uint32_t e : section.entry) {
    if (e != isa::kNoEntry && e > isa::kMaxPc) {
      throw isa::InputError(fmt::format("program: entry {}; allowed: 0..{}", e, isa::kMaxPc));
    }
  }
  for (std::uint32_t t = 0; t < 4; ++t) {
    const std::uint32_t e = section.entry[t];
    csr_write(kOffEntry + 4 * t, e == isa::kNoEntry ? 0 : (e & TEPIN_CSR__ENTRY__PC_bm) | TEPIN_CSR__ENTRY__ENABLE_bm);
  }
}

FaultInfo TileSim::fault_info() {
  const std::uint32_t f = csr_read(kOffFault);
  FaultInfo info;
  info.x = x_;
  info.y = y_;
  info.cause = static_cast<isa::Cause>(field(f, TEPIN_CSR__FAULT__CAUSE_bm, TEPIN_CSR__FAULT__CAUSE_bp));
  info.engine = static_cast<isa::Engine>(field(f, TEPIN_CSR__FAULT__ENGINE_bm, TEPIN_CSR__FAULT__ENGINE_bp));
  info.thread = field(f, TEPIN_CSR__FAULT__THREAD_bm, TEPIN_CSR__FAULT__THREAD_bp);
  info.pc = field(f, TEPIN_CSR__FAULT__PC_bm, TEPIN_CSR__FAULT__PC_bp);
  info.addr = csr_read(kOffFaultAddr);
  if (info.cause != isa::Cause::kStuck) return info;
  for (std::uint32_t t = 0; t < 4; ++t) {
    const std::uint32_t r = csr_read(kOffThread + 4 * t);
    if ((r & TEPIN_CSR__THREAD__WAITING_bm) == 0) continue;
    info.waiters.push_back(fmt::format("SEQ thread {} pc {} waits for s{}", t,
                                       field(r, TEPIN_CSR__THREAD__PC_bm, TEPIN_CSR__THREAD__PC_bp),
                                       field(r, TEPIN_CSR__THREAD__SEM_bm, TEPIN_CSR__THREAD__SEM_bp)));
  }
  for (std::uint32_t e = 0; e < 5; ++e) {
    const std::uint32_t r = csr_read(kOffHead + 4 * e);
    if ((r & TEPIN_CSR__HEAD__WAITING_bm) == 0) continue;
    info.waiters.push_back(fmt::format("{} thread {} pc {} waits for s{}", isa::kEngines[e + 1],
                                       field(r, TEPIN_CSR__HEAD__THREAD_bm, TEPIN_CSR__HEAD__THREAD_bp),
                                       field(r, TEPIN_CSR__HEAD__PC_bm, TEPIN_CSR__HEAD__PC_bp),
                                       field(r, TEPIN_CSR__HEAD__SEM_bm, TEPIN_CSR__HEAD__SEM_bp)));
  }
  const std::uint32_t net = csr_read(kOffNet);
  if ((net & TEPIN_CSR__NET__BUSY_bm) != 0) {
    info.waiters.push_back(fmt::format("NET thread {} pc {} waits for other tiles",
                                       field(net, TEPIN_CSR__NET__THREAD_bm, TEPIN_CSR__NET__THREAD_bp),
                                       field(net, TEPIN_CSR__NET__PC_bm, TEPIN_CSR__NET__PC_bp)));
  }
  return info;
}

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

bool TileSim::ready() { return (csr_read(kOffStatus) & TEPIN_CSR__STATUS__READY_bm) != 0; }
bool TileSim::faulted() { return (csr_read(kOffStatus) & TEPIN_CSR__STATUS__FAULTED_bm) != 0; }

void TileSim::start() { csr_write(kOffCtrl, csr_read(kOffCtrl) | TEPIN_CSR__CTRL__START_bm); }

RunResult TileSim::run(std::uint64_t max_cycles, Lockstep* lockstep, Timeline* timeline) {
  prepare(lockstep, timeline);
  start();
  return wait_end(max_cycles);
}

RunResult TileSim::resume(std::uint64_t max_cycles) { return wait_end(max_cycles); }

void TileSim::soft_reset() {
  const std::uint32_t ctrl = csr_read(kOffCtrl);
  csr_write(kOffCtrl, ctrl | TEPIN_CSR__CTRL__SOFT_RESET_bm);
  for (std::uint32_t i = 0; (csr_read(kOffStatus) & TEPIN_CSR__STATUS__RESETTING_bm) != 0; ++i) {
    if (i > kHostTimeout) throw std::logic_error("the soft reset never ends");
  }
}

}  // namespace tepin::tb
