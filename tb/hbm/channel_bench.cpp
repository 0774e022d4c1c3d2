// SPDX-License-Identifier: Apache-2.0
#include "tb/hbm/channel_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tepin::tb::hbm {
namespace {

constexpr std::uint64_t kProgressClocks = 8192;

}  // namespace

std::uint64_t run_channel(HbmDut& dut, const DfiTarget& device, const std::array<PortMaster*, 2>& masters,
                          const ChannelOptions& options) {
  std::array<std::uint64_t, 2> seen{}, moved_at{};
  std::uint64_t clock = 0;
  for (; !masters[0]->done() || !masters[1]->done(); ++clock) {
    for (std::size_t pc = 0; pc < masters.size(); ++pc) {
      PortMaster& m = *masters[pc];
      m.cycle(dut.out.axi[pc], dut.in.axi[pc]);
      if (m.handshakes() != seen[pc] || !m.busy()) {
        seen[pc] = m.handshakes();
        moved_at[pc] = clock;
      } else if (clock - moved_at[pc] >= options.watchdog_clocks) {
        throw HangError(fmt::format("no handshake for {} clocks up to clock {}; {}; {}", options.watchdog_clocks, clock,
                                    masters[0]->outstanding(), masters[1]->outstanding()));
      }
    }
    device(dut.out.dfi, dut.in.dfi);
    dut.step(true);
    if (options.progress && clock % kProgressClocks == 0)
      options.progress(std::min(masters[0]->progress(), masters[1]->progress()));
  }
  return clock;
}

TraceFigures trace_figures(const TraceMaster& master, double clock_ghz) {
  TraceFigures f;
  f.requests = master.requests();
  f.cycles = master.cycles();
  f.clock_ghz = clock_ghz;
  f.bandwidth_frac = static_cast<double>(f.requests) / static_cast<double>(std::max<std::uint64_t>(f.cycles, 1));
  f.source_avg_ns = master.source_clocks() / static_cast<double>(f.requests) / clock_ghz;
  f.hazard_waits = master.hazard_waits();
  f.reads_checked = master.reads_checked();
  f.data_mismatches = master.mismatches();
  f.error_responses = master.error_responses();
  if (f.data_mismatches != 0) {
    const TraceMismatch& m = master.first_mismatch();
    f.first_mismatch = fmt::format("request {} at {:#x}: expected {}, actual {}", m.request, m.address,
                                   word_text(m.expected), word_text(m.actual));
  }
  std::vector<std::uint32_t> clocks = master.latencies();
  f.latencies_ns.reserve(clocks.size());
  for (const std::uint32_t c : clocks) f.latencies_ns.push_back(static_cast<float>(c / clock_ghz));
  if (clocks.empty()) return f;
  std::sort(clocks.begin(), clocks.end());
  const auto percentile = [&](double part) {
    const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(clocks.size())));
    return clocks[std::max<std::size_t>(rank, 1) - 1] / clock_ghz;
  };
  const double sum = std::accumulate(clocks.begin(), clocks.end(), 0.0);
  f.avg_ns = sum / static_cast<double>(clocks.size()) / clock_ghz;
  f.p50_ns = percentile(0.5);
  f.p99_ns = percentile(0.99);
  f.max_ns = clocks.back() / clock_ghz;
  return f;
}

}  // namespace tepin::tb::hbm
