// SPDX-License-Identifier: Apache-2.0
#include "tb/hbm_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <stdexcept>

#include "sw/isa/hbm_csr.h"
#include "tb/hbm/contents.h"

namespace tepin::tb {
namespace {

constexpr int kSids = 2, kMbps = 8000;
constexpr std::uint64_t kCapacity = std::uint64_t{kSids} << 28;
static_assert(kCapacity == std::uint64_t{kTileConfig.hbm_beats} * 32 && kPcs == dram::kChannelPcs);
constexpr int kSettleReads = 10'000;  // of the status register, before writes must have gone
constexpr int kDataClocks = 32;       // until a write command's data have passed

const hbm::AddressMap& map() {
  static const hbm::AddressMap m(kSids);
  return m;
}

}  // namespace

HbmMemory::HbmMemory(bool checked) {
  hbm::HbmSystemOptions options;
  options.mbps = kMbps;
  options.sids = kSids;
  options.checked = checked;
  options.throw_at_first = true;
  system_ = std::make_unique<hbm::HbmSystem>(options);
  system_->dram().set_fill([](const dram::BurstAddress& a) {
    dram::Burst b;
    b.meta = hbm::metadata_of(a, b.data);
    return b;
  });
  system_->bring_up();
  device_ = system_->device();
}
HbmMemory::~HbmMemory() = default;

void HbmMemory::cycle(const std::array<MemoryOut, kPcs>& tile, std::array<MemoryIn, kPcs>& in) {
  hbm::HbmDut& dut = system_->dut();
  for (std::size_t p = 0; p < kPcs; ++p) {
    const MemoryOut& t = tile[p];
    hbm::AxiIn& a = dut.in.axi[p];
    a.ar_valid = t.ar_valid;
    a.ar_id = t.ar_id;
    a.ar_addr = t.ar_addr;
    a.ar_len = t.ar_len;
    a.r_ready = t.r_ready;
    a.aw_valid = t.aw_valid;
    a.aw_id = t.aw_id;
    a.aw_addr = t.aw_addr;
    a.aw_len = t.aw_len;
    a.w_valid = t.w_valid;
    a.w_last = t.w_last;
    a.w_strb = t.w_strb;
    if (t.w_valid) a.w_data = t.w_data;
    a.b_ready = t.b_ready;
  }
  device_(dut.out.dfi, dut.in.dfi);
  dut.step(true);
  present(in);
}

void HbmMemory::present(std::array<MemoryIn, kPcs>& in) const {
  const hbm::HbmDut& dut = system_->dut();
  for (std::size_t p = 0; p < kPcs; ++p) {
    const hbm::AxiOut& a = dut.out.axi[p];
    MemoryIn& m = in[p];
    m.ar_ready = a.ar_ready;
    m.aw_ready = a.aw_ready;
    m.w_ready = a.w_ready;
    m.r_valid = a.r_valid;
    m.r_last = a.r_last;
    m.r_id = a.r_id;
    m.r_resp = a.r_resp;
    if (a.r_valid) m.r_data = a.r_data;
    m.b_valid = a.b_valid;
    m.b_id = a.b_id;
    m.b_resp = a.b_resp;
  }
}

void HbmMemory::hold_ports() {
  for (hbm::AxiIn& a : system_->dut().in.axi) a.ar_valid = a.aw_valid = a.w_valid = a.r_ready = a.b_ready = false;
}

void HbmMemory::settle() {
  hbm::HbmDut& dut = system_->dut();
  hold_ports();
  for (int i = 0;; ++i) {
    if ((system_->read_register(offsetof(hbm_csr_t, STATUS)) & HBM_CSR__STATUS__WRITTEN_bm) ==
        HBM_CSR__STATUS__WRITTEN_bm)
      break;
    if (i > kSettleReads) throw std::logic_error("the controller does not write what it took");
  }
  for (int i = 0; i < kDataClocks; ++i) {
    device_(dut.out.dfi, dut.in.dfi);
    dut.step(true);
  }
}

template <class Each>
void HbmMemory::each_burst(std::uint64_t address, std::uint64_t bytes, const Each& each) {
  if (address > kCapacity || bytes > kCapacity - address) throw std::out_of_range("HBM address");
  settle();
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t at = address + done, offset = at % 32;
    const std::uint64_t n = std::min<std::uint64_t>(32 - offset, bytes - done);
    each(at - offset, offset, n, done);
    done += n;
  }
}

void HbmMemory::store(int pc, std::uint64_t address, std::span<const std::uint8_t> data) {
  each_burst(address, data.size(), [&](std::uint64_t at, std::uint64_t offset, std::uint64_t n, std::uint64_t done) {
    const dram::BurstAddress place = hbm::place_of(pc, static_cast<std::uint32_t>(at), map());
    dram::Burst b = system_->dram().load(place);
    std::memcpy(reinterpret_cast<std::uint8_t*>(b.data.data()) + offset, data.data() + done, n);
    b.meta = hbm::metadata_of(place, b.data);
    system_->dram().store(place, b);
  });
}

void HbmMemory::load(int pc, std::uint64_t address, std::span<std::uint8_t> out) {
  each_burst(address, out.size(), [&](std::uint64_t at, std::uint64_t offset, std::uint64_t n, std::uint64_t done) {
    const dram::Burst b = system_->dram().load(hbm::place_of(pc, static_cast<std::uint32_t>(at), map()));
    std::memcpy(out.data() + done, reinterpret_cast<const std::uint8_t*>(b.data.data()) + offset, n);
  });
}

void HbmMemory::clear_counters() {
  hold_ports();
  const std::size_t ctrl = offsetof(hbm_csr_t, CTRL);
  system_->write_register(ctrl, system_->read_register(ctrl) | HBM_CSR__CTRL__CLEAR_bm);
}

hbm::HbmCounters HbmMemory::counters() {
  hold_ports();
  hbm::HbmCounters sum = system_->counters(0);
  sum += system_->counters(1);
  return sum;
}

}  // namespace tepin::tb
