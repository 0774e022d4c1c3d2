// SPDX-License-Identifier: Apache-2.0
#include "tb/hbm/hbm_system.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <bitset>
#include <cstddef>
#include <stdexcept>

#include "sw/isa/hbm_csr.h"
#include "tb/hbm/contents.h"

namespace tepin::tb::hbm {
namespace {

using dram::DfiOut;
using dram::Kind;

constexpr int kResetClocks = 8;
constexpr std::uint32_t kInitClocks = 64;  // in place of 200 us
constexpr std::uint64_t kAccessClocks = 64, kReadyClocks = 10'000;
constexpr double kQuietPeriodNs = 1e6, kQuietWindowNs = 500;

/// Causes of a clock without a burst: the controller's counters from 1 on, in their order (rtl/hbm/hbm_pkg.sv, slot_e).
constexpr std::array<const char*, 9> kStalls{"empty",   "held",   "turn", "group", "activate",
                                             "refresh", "window", "bank", "quiet"};

dram::DramConfig config_of(const HbmSystemOptions& options) {
  dram::DramConfig config = dram::DramConfig::of(options.mbps, options.sids);
  config.timing.tinit = kInitClocks;
  config.throw_at_first = options.throw_at_first;
  config.extra_read_latency = options.extra_read_latency;
  return config;
}

}  // namespace

std::vector<HbmSetting> speed_settings(const dram::DramConfig& config, double clock_ghz) {
  const dram::DramTiming& t = config.timing;
  const auto n = [](auto v) { return static_cast<std::uint32_t>(v); };
  return {
      {offsetof(hbm_csr_t, ORG), HBM_CSR__ORG__SIDS_bm, n(config.organisation.sids)},
      {offsetof(hbm_csr_t, INIT), HBM_CSR__INIT__T_INIT_bm, n(t.tinit)},
      {offsetof(hbm_csr_t, ROW0), HBM_CSR__ROW0__T_RCD_RD_bm, n(t.trcd_rd)},
      {offsetof(hbm_csr_t, ROW0), HBM_CSR__ROW0__T_RCD_WR_bm, n(t.trcd_wr)},
      {offsetof(hbm_csr_t, ROW0), HBM_CSR__ROW0__T_RP_bm, n(t.trp.clk)},
      {offsetof(hbm_csr_t, ROW0), HBM_CSR__ROW0__T_RAS_bm, n(t.tras.clk)},
      {offsetof(hbm_csr_t, ROW1), HBM_CSR__ROW1__T_RC_bm, n(t.trc.clk)},
      {offsetof(hbm_csr_t, ROW1), HBM_CSR__ROW1__T_RRD_S_bm, n(t.trrd_s.clk)},
      {offsetof(hbm_csr_t, ROW1), HBM_CSR__ROW1__T_RRD_L_bm, n(t.trrd_l.clk)},
      {offsetof(hbm_csr_t, ROW1), HBM_CSR__ROW1__T_FAW_bm, n(t.tfaw.clk)},
      {offsetof(hbm_csr_t, COL0), HBM_CSR__COL0__T_CCD_S_bm, n(t.tccd_s)},
      {offsetof(hbm_csr_t, COL0), HBM_CSR__COL0__T_CCD_L_bm, n(t.tccd_l)},
      {offsetof(hbm_csr_t, COL0), HBM_CSR__COL0__T_CCD_R_bm, n(t.tccd_r)},
      {offsetof(hbm_csr_t, COL0), HBM_CSR__COL0__T_RTP_bm, n(t.trtp)},
      {offsetof(hbm_csr_t, COL1), HBM_CSR__COL1__T_WR_bm, n(t.twr)},
      {offsetof(hbm_csr_t, COL1), HBM_CSR__COL1__T_WTR_S_bm, n(t.twtr_s)},
      {offsetof(hbm_csr_t, COL1), HBM_CSR__COL1__T_WTR_L_bm, n(t.twtr_l)},
      {offsetof(hbm_csr_t, COL1), HBM_CSR__COL1__T_RTW_bm, n(t.trtw)},
      {offsetof(hbm_csr_t, LAT), HBM_CSR__LAT__WL_bm, n(t.wl)},
      {offsetof(hbm_csr_t, LAT), HBM_CSR__LAT__T_RREFD_bm, n(t.trrefd.clk)},
      {offsetof(hbm_csr_t, RFC), HBM_CSR__RFC__T_RFC_PB_bm, n(t.trfc_pb.clk)},
      {offsetof(hbm_csr_t, RFC), HBM_CSR__RFC__T_RFC_AB_bm, n(t.trfc_ab.clk)},
      {offsetof(hbm_csr_t, RFM), HBM_CSR__RFM__T_RFM_PB_bm, n(t.trfm_pb.clk)},
      {offsetof(hbm_csr_t, RFM), HBM_CSR__RFM__T_XS_bm, n(t.txs)},
      {offsetof(hbm_csr_t, REFRESH), HBM_CSR__REFRESH__T_REFI_bm, n(t.trefi)},
      {offsetof(hbm_csr_t, RAA), HBM_CSR__RAA__RAA_IMT_bm, n(t.raaimt)},
      {offsetof(hbm_csr_t, RAA), HBM_CSR__RAA__RAA_MMT_bm, n(t.raammt)},
      {offsetof(hbm_csr_t, PHY0), HBM_CSR__PHY0__PERIOD_bm, n(kQuietPeriodNs * clock_ghz)},
      {offsetof(hbm_csr_t, PHY1), HBM_CSR__PHY1__WINDOW_bm, n(kQuietWindowNs * clock_ghz)},
  };
}

struct HbmSystem::State {
  explicit State(const HbmSystemOptions& o) : options(o), device(config_of(o)) {}

  HbmSystemOptions options;
  dram::DramDevice device;
  std::unique_ptr<HbmDut> dut;
  std::array<std::bitset<dram::DramOrganisation::kMaxBanks>, dram::kChannelPcs> fresh;  // activated, no burst yet
  std::array<std::uint64_t, dram::kChannelPcs> row_hits{}, early_refreshes{};
  std::array<std::string, dram::kChannelPcs> log;

  void answer(const DfiOut& out, dram::DfiIn& in);
  void see(const dram::Command& c);
  std::uint32_t access(std::size_t address, bool write, std::uint32_t value);
  void set(const HbmSetting& setting);
  [[nodiscard]] std::uint64_t refreshes(int pc) const {
    return device.statistics().count(pc, Kind::kRefPb) + device.statistics().count(pc, Kind::kRefAb);
  }
};

void HbmSystem::State::see(const dram::Command& c) {
  const auto pc = static_cast<std::size_t>(c.pc);
  if (dram::names_bank(c.kind)) {
    const auto bank = static_cast<std::size_t>(c.bank()) % fresh[pc].size();
    if (dram::is_column(c.kind) && !fresh[pc][bank]) ++row_hits[pc];
    fresh[pc][bank] = c.kind == Kind::kAct;
  }
  if (!options.log_commands) return;
  const std::string line = dram::log_line(c, device.now());
  if (!line.empty()) log[pc] += line + '\n';
}

void HbmSystem::State::answer(const DfiOut& out, dram::DfiIn& in) {
  const bool swapped = out.row[1].op != dram::RowOp::kNone && out.row[1].slot < out.row[0].slot;
  for (const std::size_t i : {swapped ? 1U : 0U, swapped ? 0U : 1U}) {
    if (out.row[i].op != dram::RowOp::kNone && out.row[i].pc < dram::kChannelPcs) see(dram::command_of(out.row[i]));
  }
  for (int pc = 0; pc < dram::kChannelPcs; ++pc) {
    const dram::ColumnCommand& c = out.col[static_cast<std::size_t>(pc)];
    if (c.valid) see(dram::command_of(c, pc));
  }
  device.cycle(out, in);
}

std::uint32_t HbmSystem::State::access(std::size_t address, bool write, std::uint32_t value) {
  HbmIn& in = dut->in;
  const HbmOut& out = dut->out;
  in.l_aw_valid = in.l_w_valid = write;
  in.l_ar_valid = !write;
  in.l_aw_addr = in.l_ar_addr = static_cast<std::uint16_t>(address);
  in.l_w_data = value;
  in.l_b_ready = in.l_r_ready = true;
  for (std::uint64_t i = 0; i < kAccessClocks; ++i) {
    const bool answered = write ? out.l_b_valid : out.l_r_valid;
    const int response = write ? out.l_b_resp : out.l_r_resp;
    const std::uint32_t data = out.l_r_data;
    const bool aw = out.l_aw_ready, w = out.l_w_ready, ar = out.l_ar_ready;
    answer(out.dfi, in.dfi);
    dut->step(true);
    in.l_aw_valid = in.l_aw_valid && !aw;
    in.l_w_valid = in.l_w_valid && !w;
    in.l_ar_valid = in.l_ar_valid && !ar;
    if (!answered) continue;
    in.l_b_ready = in.l_r_ready = false;
    if (response != 0)
      throw ProtocolError(fmt::format("register {:#x}: response {}, expected 0 (OKAY)", address, response));
    return data;
  }
  throw HangError(fmt::format("register {:#x}: no answer for {} clocks", address, kAccessClocks));
}

void HbmSystem::State::set(const HbmSetting& x) {
  const std::uint64_t value = std::uint64_t{x.value} << std::countr_zero(x.mask);
  if ((value & ~std::uint64_t{x.mask}) != 0) {
    throw std::invalid_argument(
        fmt::format("register {:#x}: {} does not fit the field of mask {:#x}", x.address, x.value, x.mask));
  }
  (void)access(x.address, true, (access(x.address, false, 0) & ~x.mask) | static_cast<std::uint32_t>(value));
}

HbmSystem::HbmSystem(const HbmSystemOptions& options) : state_(std::make_unique<State>(options)) {
  state_->device.set_fill(initial_fill(options.seed));
  state_->dut = options.waves.empty() && !options.checked
                    ? make_hbm_dut()
                    : make_checked_hbm_dut(options.waves, static_cast<std::uint32_t>(options.seed));
}
HbmSystem::~HbmSystem() = default;

void HbmSystem::bring_up() {
  State& s = *state_;
  for (int i = 0; i < kResetClocks; ++i) s.dut->step(false);
  for (const HbmSetting& x : speed_settings(s.device.config(), clock_ghz())) s.set(x);
  for (const HbmSetting& x : s.options.settings) s.set(x);
  s.set({offsetof(hbm_csr_t, CTRL), HBM_CSR__CTRL__ENABLE_bm, 1});
  const std::uint64_t limit = static_cast<std::uint64_t>(s.device.now()) + kReadyClocks;
  while ((read_register(offsetof(hbm_csr_t, STATUS)) & HBM_CSR__STATUS__READY_bm) == 0) {
    if (static_cast<std::uint64_t>(s.device.now()) > limit)
      throw HangError(fmt::format("the controller is not ready {} clocks after CTRL.enable", kReadyClocks));
  }
  s.set({offsetof(hbm_csr_t, CTRL), HBM_CSR__CTRL__CLEAR_bm, 1});
  s.row_hits = {};
  for (int pc = 0; pc < dram::kChannelPcs; ++pc) s.early_refreshes[static_cast<std::size_t>(pc)] = s.refreshes(pc);
}

HbmCounters& HbmCounters::operator+=(const HbmCounters& o) {
  refreshes += o.refreshes;
  row_hits += o.row_hits;
  reads += o.reads;
  writes += o.writes;
  scrubs += o.scrubs;
  completions += o.completions;
  corrected += o.corrected;
  uncorrected += o.uncorrected;
  for (std::size_t i = 0; i < stalls.size() && i < o.stalls.size(); ++i) stalls[i].second += o.stalls[i].second;
  return *this;
}

HbmDut& HbmSystem::dut() { return *state_->dut; }
dram::DramDevice& HbmSystem::dram() { return state_->device; }
DfiTarget HbmSystem::device() {
  return [s = state_.get()](const DfiOut& out, dram::DfiIn& in) { s->answer(out, in); };
}
void HbmSystem::set_auto_refresh(bool on) {
  state_->set({offsetof(hbm_csr_t, REFRESH), HBM_CSR__REFRESH__AUTO_bm, on ? 1U : 0U});
}
double HbmSystem::clock_ghz() const { return state_->options.mbps / 8000.0; }
InitialContents HbmSystem::initial(int pc) const {
  constexpr std::array kMaps{offsetof(hbm_csr_t, MAP_BA0), offsetof(hbm_csr_t, MAP_BA1), offsetof(hbm_csr_t, MAP_BA2),
                             offsetof(hbm_csr_t, MAP_BG)};
  AddressMap map(state_->options.sids);
  for (const HbmSetting& x : state_->options.settings) {
    for (std::size_t i = 0; i < kMaps.size(); ++i) {
      if (x.address == kMaps[i]) map.masks[i] = x.value;
    }
  }
  return initial_contents(pc, map, state_->options.seed);
}
std::uint32_t HbmSystem::read_register(std::size_t address) { return state_->access(address, false, 0); }
void HbmSystem::write_register(std::size_t address, std::uint32_t value) { (void)state_->access(address, true, value); }

HbmCounters HbmSystem::counters(int pc) {
  State& s = *state_;
  const auto p = static_cast<std::size_t>(pc);
  HbmCounters c;
  c.refreshes = s.refreshes(pc) - s.early_refreshes[p];
  c.row_hits = s.row_hits[p];
  s.set({offsetof(hbm_csr_t, CTRL), HBM_CSR__CTRL__COUNT_bm, 0});  // they stand still while they are read
  const std::size_t base = offsetof(hbm_csr_t, PC) + p * sizeof(hbm_csr__PC__stride200_t);
  const auto count = [&](std::size_t i) {
    const std::size_t at = base + i * sizeof(std::uint32_t);
    const std::uint64_t low = read_register(at + offsetof(hbm_csr__PC__stride200_t, COUNT_LO));
    const std::uint64_t high = read_register(at + offsetof(hbm_csr__PC__stride200_t, COUNT_HI));
    return high << 32 | low;
  };
  for (std::size_t i = 0; i < kStalls.size(); ++i) c.stalls.emplace_back(kStalls[i], count(i + 1));
  c.scrubs = count(kCountScrubbed);
  c.completions = count(kCountCompleted);
  c.reads = count(kCountRead) - c.scrubs - c.completions;
  c.writes = count(kCountWrite);
  c.corrected = count(kCountCorrected);
  c.uncorrected = count(kCountUncorrected);
  s.set({offsetof(hbm_csr_t, CTRL), HBM_CSR__CTRL__COUNT_bm, 1});
  return c;
}

std::uint64_t HbmSystem::violations() const { return state_->device.violation_count(); }
std::string HbmSystem::first_violation() const {
  const auto& kept = state_->device.violations();
  return kept.empty() ? "" : dram::to_string(kept.front());
}
std::string HbmSystem::command_log(int pc) const { return state_->log[static_cast<std::size_t>(pc)]; }

}  // namespace tepin::tb::hbm
