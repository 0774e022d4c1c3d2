// SPDX-License-Identifier: Apache-2.0
#include "chip_bench.h"

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <stdexcept>

#include "sw/isa/chip_csr.h"
#include "sw/isa/hbm_csr.h"
#include "sw/isa/tepin_csr.h"
#include "sw/isa/tepin_window.h"
#include "tb/hbm/hbm_system.h"

namespace tepin::tb::testing {
namespace {

constexpr int kMbps = 8000, kSids = 2;  // 512 MiB a pseudo-channel, as the configuration says
constexpr double kClockGhz = 1.0;
constexpr std::uint32_t kInitClocks = 64;  // in place of 200 us
constexpr int kResetClocks = 8, kPolls = 10'000;
// docs/chip.md, map of the registers.
constexpr std::uint32_t kChipRegisters = 1U << 20;
constexpr std::uint32_t registers_of(std::uint32_t tile, std::uint32_t block) { return tile << 14 | block << 11; }
constexpr std::uint64_t pc_window(int pc, std::uint64_t address) {
  return isa::kWinHbm | static_cast<std::uint64_t>(pc) << 31 | address;
}

SimOptions driven() {
  SimOptions o;
  o.driven = true;
  return o;
}

dram::DramConfig device_config() {
  dram::DramConfig config = dram::DramConfig::of(kMbps, kSids);
  config.timing.tinit = kInitClocks;
  return config;
}

}  // namespace

void ChipTile::csr_write(std::uint32_t offset, std::uint32_t value) {
  bench_.host().csr_write(registers_of(number_, 0) | offset, value);
}
std::uint32_t ChipTile::csr_read(std::uint32_t offset) {
  return bench_.host().csr_read(registers_of(number_, 0) | offset);
}
void ChipTile::memory_write(std::uint32_t offset, std::uint32_t value) {
  bench_.host().csr_write(registers_of(number_, 1) | offset, value);
}
std::uint32_t ChipTile::memory_read(std::uint32_t offset) {
  return bench_.host().csr_read(registers_of(number_, 1) | offset);
}
void ChipTile::window_write(std::uint64_t address, std::span<const std::uint8_t> data) {
  bench_.host().window_write(std::uint64_t{number_} << 39 | address, data, bench_.next_id());
}
void ChipTile::window_read(std::uint64_t address, std::span<std::uint8_t> out) {
  bench_.host().window_read(std::uint64_t{number_} << 39 | address, out, bench_.next_id());
}
void ChipTile::store(int pc, std::uint64_t address, std::span<const std::uint8_t> data) {
  window_write(pc_window(pc, address), data);
}
void ChipTile::load(int pc, std::uint64_t address, std::span<std::uint8_t> out) {
  window_read(pc_window(pc, address), out);
}

ChipBench::ChipBench() : dut_(make_chip_dut()), mesh_(kChipX, kChipY, driven()) {
  const dram::DramConfig config = device_config();
  for (std::size_t t = 0; t < kChipTiles; ++t) {
    devices_.push_back(std::make_unique<dram::DramDevice>(config));
    tiles_.push_back(std::make_unique<ChipTile>(*this, t % kChipX, t / kChipX));
    // Memory that nobody has written holds zeros with a right code, as it would after an initialising pass.
    devices_.back()->set_fill([](const dram::BurstAddress& a) {
      dram::Burst b;
      b.meta = hbm::metadata_of(a, b.data);
      return b;
    });
  }
  for (int i = 0; i < kResetClocks; ++i) tick();
  rst_n_ = true;
  for (auto& t : tiles_) bring_up_memory(*t, config);
  for (auto& t : tiles_) {
    for (int i = 0; !t->ready(); ++i) {
      if (i > kPolls) throw std::logic_error("a tile is never ready");
    }
  }
}

void ChipBench::bring_up_memory(ChipTile& tile, const dram::DramConfig& config) {
  const auto at = [](std::size_t offset) { return static_cast<std::uint32_t>(offset); };
  for (const hbm::HbmSetting& s : hbm::speed_settings(config, kClockGhz)) {
    const std::uint32_t value = s.value << std::countr_zero(s.mask);
    tile.memory_write(at(s.address), (tile.memory_read(at(s.address)) & ~s.mask) | value);
  }
  const std::uint32_t ctrl = at(offsetof(hbm_csr_t, CTRL));
  tile.memory_write(ctrl, tile.memory_read(ctrl) | HBM_CSR__CTRL__ENABLE_bm);
  for (int i = 0; (tile.memory_read(at(offsetof(hbm_csr_t, STATUS))) & HBM_CSR__STATUS__READY_bm) == 0; ++i) {
    if (i > kPolls) throw std::logic_error("a memory controller is never ready");
  }
}

void ChipBench::tick() {
  for (std::size_t t = 0; t < kChipTiles && rst_n_; ++t) devices_[t]->cycle(dut_->out.dfi[t], dut_->in.dfi[t]);
  dut_->step(rst_n_);
  ++now_;
  mesh_.hold_reset(dut_->tiles_in_reset);
  for (std::uint32_t t = 0; t < kChipTiles; ++t) {
    TileIn& in = mesh_.tile(t).in();
    const std::uint8_t place = in.at, last = in.last;
    in = dut_->tile_in[t];
    in.at = place;
    in.last = last;
  }
  mesh_.tick();
  compare();
}

void ChipBench::compare() {
  for (std::uint32_t t = 0; t < kChipTiles; ++t) {
    const TileOut& a = dut_->tile_out[t];
    const TileOut& b = mesh_.tile(t).out();
    const auto check = [&](bool same, const char* what, std::size_t index = 0) {
      if (!same && first_difference.empty())
        first_difference = fmt::format("cycle {}: tile {}: {} {}", now_, t, what, index);
      ++compared;
    };
    // A payload means something while its valid is high.
    for (std::size_t c = 0; c < kPcs; ++c) {
      const MemoryOut &p = a.mem[c], &q = b.mem[c];
      check(p.ar_valid == q.ar_valid && p.aw_valid == q.aw_valid && p.w_valid == q.w_valid && p.r_ready == q.r_ready &&
                p.b_ready == q.b_ready,
            "memory handshakes", c);
      check(!q.ar_valid || (p.ar_id == q.ar_id && p.ar_addr == q.ar_addr && p.ar_len == q.ar_len), "AR", c);
      check(!q.aw_valid || (p.aw_id == q.aw_id && p.aw_addr == q.aw_addr && p.aw_len == q.aw_len), "AW", c);
      check(!q.w_valid || (p.w_last == q.w_last && p.w_strb == q.w_strb && p.w_data == q.w_data), "W", c);
    }
    check(a.s_aw_ready == b.s_aw_ready && a.s_w_ready == b.s_w_ready && a.s_b_valid == b.s_b_valid &&
              a.s_ar_ready == b.s_ar_ready && a.s_r_valid == b.s_r_valid,
          "window handshakes");
    check(!b.s_b_valid || (a.s_b_id == b.s_b_id && a.s_b_resp == b.s_b_resp), "window B");
    check(!b.s_r_valid || (a.s_r_id == b.s_r_id && a.s_r_resp == b.s_r_resp && a.s_r_last == b.s_r_last &&
                           a.s_r_data == b.s_r_data),
          "window R");
    check(a.l_aw_ready == b.l_aw_ready && a.l_w_ready == b.l_w_ready && a.l_b_valid == b.l_b_valid &&
              a.l_ar_ready == b.l_ar_ready && a.l_r_valid == b.l_r_valid,
          "register handshakes");
    check(!b.l_b_valid || a.l_b_resp == b.l_b_resp, "register B");
    check(!b.l_r_valid || (a.l_r_resp == b.l_r_resp && a.l_r_data == b.l_r_data), "register R");
    check(a.irq == b.irq && a.quiet == b.quiet, "interrupt, quiet");
    for (std::size_t s = 0; s < kSides; ++s) {
      check(a.credit[s] == b.credit[s] && a.flits[s] == b.flits[s], "credits, valids of side", s);
      if (b.flits[s] == 0) continue;
      ++flits;
      check(a.link[s] == b.link[s], "flits of side", s);
    }
  }
}

bool ChipBench::run(std::uint64_t max_cycles) {
  constexpr std::uint32_t kEnds = TEPIN_CSR__IRQ_STATUS__DONE_bm | TEPIN_CSR__IRQ_STATUS__FAULT_bm;
  const auto status = static_cast<std::uint32_t>(offsetof(tepin_csr_t, IRQ_STATUS));
  std::uint32_t all = 0;
  for (std::uint32_t t = 0; t < kChipTiles; ++t) {
    tiles_[t]->csr_write(status, tiles_[t]->csr_read(status));  // write ones to clear
    tiles_[t]->csr_write(static_cast<std::uint32_t>(offsetof(tepin_csr_t, IRQ_ENABLE)), kEnds);
    all |= 1U << (t / kChipX * 8 + t % kChipX);
  }
  if (dut_->out.irq) throw std::logic_error("an interrupt before the start");
  for (auto& t : tiles_) t->start();
  const std::uint64_t begin = now_;
  const std::uint32_t pending = kChipRegisters | static_cast<std::uint32_t>(offsetof(chip_csr_t, IRQ_LO));
  for (std::uint32_t seen = 0; seen != all;) {
    if (now_ - begin > max_cycles) return false;
    if (!dut_->out.irq) {
      tick();
      continue;
    }
    seen = host().csr_read(pending);
  }
  return true;
}

}  // namespace tepin::tb::testing
