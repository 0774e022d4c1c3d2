// SPDX-License-Identifier: Apache-2.0
#include "tb/noc/noc_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tepin::tb::noc {
namespace {

constexpr std::uint64_t kDrainCycles = 100'000;

double worst_share(const std::vector<std::uint64_t>& accepted_from) {
  const std::uint64_t sum = std::accumulate(accepted_from.begin(), accepted_from.end(), std::uint64_t{0});
  if (sum == 0) return 0;
  const auto least = static_cast<double>(*std::min_element(accepted_from.begin(), accepted_from.end()));
  return least * static_cast<double>(accepted_from.size()) / static_cast<double>(sum);
}

}  // namespace

std::uint32_t percentile(std::vector<std::uint32_t>& latencies, double part) {
  if (latencies.empty()) return 0;
  const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(latencies.size())));
  const auto at = latencies.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::nth_element(latencies.begin(), at, latencies.end());
  return *at;
}

Point run_point(const BenchOptions& options, double rate) {
  const auto mesh = options.make ? options.make()
                                 : make_mesh(options.width, options.height, options.depth, options.link_bits,
                                             options.checked, static_cast<std::uint32_t>(options.traffic.seed));
  TrafficOptions to = options.traffic;
  to.rate = rate;
  Traffic traffic(*mesh, to);
  for (std::uint64_t c = 0; c < options.cycles / 4; ++c) traffic.cycle();
  traffic.reset_counts();
  traffic.begin_window();
  for (std::uint64_t c = 0; c < options.cycles; ++c) traffic.cycle();
  traffic.end_window();
  Point p;
  p.rate = rate;
  const TrafficCounts& n = traffic.counts();
  const double tile_cycles = static_cast<double>(n.cycles) * static_cast<double>(mesh->nodes());
  p.offered = static_cast<double>(n.offered_flits) / tile_cycles;
  p.accepted = static_cast<double>(n.accepted_flits) / tile_cycles;
  p.worst_share = worst_share(n.accepted_from);
  // The load goes on until the packets of the window have arrived.
  p.packets = traffic.window_packets();
  for (std::uint64_t c = 0; c < options.cycles && traffic.latencies().size() < p.packets; ++c) traffic.cycle();
  std::vector<std::uint32_t> latencies = traffic.latencies();
  p.unfinished = p.packets - latencies.size();
  if (!latencies.empty()) {
    const double sum = std::accumulate(latencies.begin(), latencies.end(), 0.0);
    p.avg_latency = sum / static_cast<double>(latencies.size());
    p.p50_latency = percentile(latencies, 0.5);
    p.p99_latency = percentile(latencies, 0.99);
    p.max_latency = *std::max_element(latencies.begin(), latencies.end());
  }
  traffic.cut_sources();
  (void)traffic.drain(kDrainCycles);
  p.delivered = traffic.delivered();
  p.lost = traffic.injected() - traffic.delivered();
  p.errors = traffic.errors();
  p.first_error = traffic.first_error();
  return p;
}

void Characteristics::add(const Point& p) {
  delivered += p.delivered;
  lost += p.lost;
  errors += p.errors;
  if (first_error.empty()) first_error = p.first_error;
}

Characteristics characterise(const BenchOptions& options) {
  Characteristics c;
  const auto run = [&](double rate) {
    if (options.progress) options.progress(fmt::format("load {:.3f}", rate));
    Point p = run_point(options, rate);
    c.add(p);
    return p;
  };
  c.zero_load = run(kZeroLoadRate);
  c.overload = run(1.0);
  const auto carries = [&](double rate) {
    const Point p = run(rate);
    return p.unfinished == 0 && p.avg_latency <= 3 * c.zero_load.avg_latency;
  };
  // In steps: good is carried, bad is not.
  int good = 0, bad = static_cast<int>(std::lround(1.0 / kSaturationStep)) + 1;
  if (c.overload.unfinished == 0 && c.overload.avg_latency <= 3 * c.zero_load.avg_latency) good = bad - 1;
  while (bad - good > 1) {
    const int middle = good + (bad - good) / 2;
    (carries(middle * kSaturationStep) ? good : bad) = middle;
  }
  c.saturation = good * kSaturationStep;
  return c;
}

}  // namespace tepin::tb::noc
