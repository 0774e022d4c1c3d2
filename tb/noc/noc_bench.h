// SPDX-License-Identifier: Apache-2.0
// Figures of a mesh under open-loop traffic: one offered load, or the four that characterise a network.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tb/noc/traffic_run.h"

namespace tepin::tb::noc {

struct BenchOptions {
  int width = 4, height = 4, depth = 4, link_bits = 256;
  bool checked = false;
  std::function<std::unique_ptr<Mesh>()> make;  // the mesh of every run, instead of the verilated one
  TrafficOptions traffic;                       // its rate is not used
  std::uint64_t cycles = 20'000;                // measured at each load, after a quarter of them
  std::function<void(std::string)> progress;    // called with what is measured now
};

/// One offered load on a fresh mesh.
struct Point {
  double rate = 0;
  double offered = 0, accepted = 0;  // flits a tile and cycle, in the window
  double avg_latency = 0;            // cycles, of the packets born in the window
  std::uint32_t p50_latency = 0, p99_latency = 0, max_latency = 0;
  std::uint64_t packets = 0, unfinished = 0;  // born in the window; of them not arrived after as many cycles again
  double worst_share = 0;  // flits accepted from the source that sent fewest, over the mean of those that send any
  std::uint64_t delivered = 0, lost = 0, errors = 0;  // flits of the network, warm-up and draining included
  std::string first_error;
};
[[nodiscard]] Point run_point(const BenchOptions& options, double rate);

/// zero_load: mean latency at kZeroLoadRate. saturation: the highest offered load, to kSaturationStep, whose mean
/// latency is at most three times that. overload: all sources offer one flit a cycle.
struct Characteristics {
  Point zero_load, overload;
  double saturation = 0;
  std::uint64_t delivered = 0, lost = 0, errors = 0;  // of all points run
  std::string first_error;
  void add(const Point& p);
};
constexpr double kZeroLoadRate = 0.02, kSaturationStep = 0.002;
[[nodiscard]] Characteristics characterise(const BenchOptions& options);

/// Nearest-rank percentile of latencies, which it sorts; 0 of none.
[[nodiscard]] std::uint32_t percentile(std::vector<std::uint32_t>& latencies, double part);

}  // namespace tepin::tb::noc
