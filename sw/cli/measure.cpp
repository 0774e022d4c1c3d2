// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/measure.h"

#include <fmt/format.h>

#include "tb/runner.h"

namespace tepin::cli {
namespace {

/// The end of a run on the RTL beside the golden model's.
void judge(Measure& m, const tb::LaunchResult& r, std::uint64_t max_cycles) {
  const bool golden_done = r.golden.status == golden::Status::kDone;
  switch (r.rtl.stop) {
    case tb::Stop::kDone:
    case tb::Stop::kDivergence:
      return;  // compared already
    case tb::Stop::kFault:
      m.fault = r.rtl.fault.text();
      m.compare(!golden_done, fmt::format("{}: expected no fault (golden model: done)", m.fault));
      return;
    case tb::Stop::kMaxCycles:
      m.fault = fmt::format("tile 0,0: out of cycles: not done after {}", max_cycles);
      return;
    case tb::Stop::kStopped:
      m.fault = fmt::format("tile 0,0: all threads stopped after {} cycles", r.rtl.cycles);
      return;
  }
}

}  // namespace

void Measure::compare(bool same, const std::string& what, std::uint64_t count) {
  checked += count;
  if (!same) add_mismatch(what);
}

void Measure::compare_bytes(const std::string& what, std::span<const std::uint8_t> expected,
                            std::span<const std::uint8_t> actual) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (i < actual.size() && expected[i] == actual[i]) {
      ++checked;
    } else {
      compare(false, fmt::format("tile 0,0: {} byte {}: expected {:#04x}, actual {:#04x}", what, i, expected[i],
                                 i < actual.size() ? actual[i] : 0));
    }
  }
}

Measure& Measure::operator+=(const Measure& o) {
  kernel = o.kernel;
  launches += o.launches;
  cycles += o.cycles;
  window_cycles += o.window_cycles;
  macs += o.macs;
  peak_macs += o.peak_macs;
  abs_macs += o.abs_macs;
  payload_bytes += o.payload_bytes;
  port_bytes += o.port_bytes;
  window_bytes += o.window_bytes;
  if (hbm && o.hbm) {
    *hbm += *o.hbm;
  } else if (launches == o.launches) {
    hbm = o.hbm;
  }
  sim_cycles += o.sim_cycles;
  sim_seconds += o.sim_seconds;
  add(o);
  if (fault.empty()) fault = o.fault;
  return *this;
}

std::optional<double> Measure::ratio(std::uint64_t a, std::uint64_t b) {
  if (a == 0 || b == 0) return std::nullopt;
  return static_cast<double>(a) / static_cast<double>(b);
}

std::optional<double> Measure::cycles_per_second() const {
  return sim_seconds > 0 ? std::optional(static_cast<double>(sim_cycles) / sim_seconds) : std::nullopt;
}

std::optional<double> Measure::macs_per_second() const {
  return sim_seconds > 0 && macs > 0 ? std::optional(static_cast<double>(macs) / sim_seconds) : std::nullopt;
}

int Measure::exit_code() const { return mismatches != 0 ? kMismatch : fault.empty() ? kOk : kStopped; }

Json json_of(const std::optional<double>& x) { return x ? Json(*x) : Json(nullptr); }

Json Measure::json() const {
  Json j;
  j["kernel"] = kernel;
  j["cycles"] = cycles != 0 ? Json(cycles) : Json(nullptr);
  j["macs"] = macs;
  j["mac_util"] = json_of(mac_util());
  j["mac_util_abs"] = json_of(mac_util_abs());
  j["hbm_util"] = json_of(hbm_util());
  j["hbm_bus_util"] = json_of(hbm_bus_util());
  if (hbm) {
    Json stalls = Json::object();
    for (const auto& [cause, clocks] : hbm->stalls) stalls[cause] = clocks;
    j["hbm_controller"] =
        Json{{"reads", hbm->reads},       {"writes", hbm->writes},       {"refreshes", hbm->refreshes},
             {"row_hits", hbm->row_hits}, {"corrected", hbm->corrected}, {"stalls", std::move(stalls)}};
  }
  j["payload_bytes"] = payload_bytes;
  j["port_bytes"] = cycles != 0 ? Json(port_bytes) : Json(nullptr);
  j["checked_values"] = checked;
  j["mismatches"] = mismatches;
  j["first_mismatch"] = first_mismatch.empty() ? Json(nullptr) : Json(first_mismatch);
  j["fault"] = fault.empty() ? Json(nullptr) : Json(fault);
  return j;
}

Measure run_launch(Session& session, const kernels::Launch& launch, bool lockstep, std::uint64_t max_cycles) {
  const isa::Config& cfg = session.config();
  Measure m;
  m.kernel = launch.name;
  m.launches = 1;
  m.macs = launch.useful_macs;
  m.payload_bytes = launch.payload_bytes;
  if (max_cycles == 0) max_cycles = 1'000'000 + 64 * (launch.payload_bytes / 32 + launch.useful_macs / 64);
  const tb::LaunchResult r = session.target() == Target::kRtl
                                 ? tb::run_rtl(session.sim(), launch, max_cycles, lockstep, session.timeline())
                                 : tb::run_golden(cfg, launch);
  if (r.golden.status == golden::Status::kError) {
    throw std::logic_error(fmt::format("kernel {}: {}", launch.name, r.golden.text()));
  }
  m.add(r);
  for (const auto& part : r.outputs) m.output.insert(m.output.end(), part.begin(), part.end());
  if (session.target() == Target::kGolden) {
    if (r.golden.status == golden::Status::kFault) m.fault = "tile 0,0 " + r.golden.text();
    return m;
  }
  judge(m, r, max_cycles);
  m.cycles = r.rtl.cycles;
  m.window_cycles = r.rtl.mem_last > r.rtl.mem_first ? r.rtl.mem_last - r.rtl.mem_first + 1 : 0;
  m.window_bytes = m.window_cycles * 32 * cfg.pcs;
  m.hbm = r.rtl.hbm;
  m.port_bytes = (r.rtl.beats_read + r.rtl.beats_written) * 32;
  m.peak_macs = m.cycles * launch.array_macs_per_cycle / launch.passes;
  m.abs_macs = m.cycles * cfg.mxu_rows * cfg.mxu_cols * 32;
  m.sim_cycles = r.sim_cycles;
  m.sim_seconds = r.sim_seconds;
  return m;
}

Product run_product(Session& session, const Weights& w, const Activations& a, bool lockstep, std::uint64_t max_cycles) {
  const kernels::GemmOperands op = operands_of(w, a);
  const kernels::Launch launch = kernels::plan_gemm(session.config(), op);
  Product p;
  p.measure = run_launch(session, launch, lockstep, max_cycles);
  if (!p.measure.fault.empty()) return p;
  p.y = kernels::gemm_result(launch, op, p.measure.output);
  const std::vector<std::uint32_t> expected = reference_product(w, a);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (p.y[i] == expected[i]) {
      ++p.measure.checked;
      continue;
    }
    p.measure.compare(false, fmt::format("tile 0,0: row {} column {} of {}: expected {:#010x}, actual {:#010x}",
                                         i % w.m, i / w.m, w.name, expected[i], p.y[i]));
  }
  return p;
}

}  // namespace tepin::cli
