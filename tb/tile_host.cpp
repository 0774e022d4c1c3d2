// SPDX-License-Identifier: Apache-2.0
#include "tb/tile_host.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>

#include "sw/isa/configs.h"
#include "sw/isa/tepin_csr.h"
#include "sw/isa/tepin_window.h"
#include "tb/dut.h"

namespace tepin::tb {
namespace {

constexpr std::uint32_t kPolls = 100000;  // of a status register
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

void TileHost::load(const isa::Section& section) {
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

FaultInfo TileHost::fault_info() {
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

bool TileHost::ready() { return (csr_read(kOffStatus) & TEPIN_CSR__STATUS__READY_bm) != 0; }
bool TileHost::faulted() { return (csr_read(kOffStatus) & TEPIN_CSR__STATUS__FAULTED_bm) != 0; }

void TileHost::start() { csr_write(kOffCtrl, csr_read(kOffCtrl) | TEPIN_CSR__CTRL__START_bm); }

void TileHost::soft_reset() {
  const std::uint32_t ctrl = csr_read(kOffCtrl);
  csr_write(kOffCtrl, ctrl | TEPIN_CSR__CTRL__SOFT_RESET_bm);
  for (std::uint32_t i = 0; (csr_read(kOffStatus) & TEPIN_CSR__STATUS__RESETTING_bm) != 0; ++i) {
    if (i > kPolls) throw std::logic_error("the soft reset never ends");
  }
}

}  // namespace tepin::tb
