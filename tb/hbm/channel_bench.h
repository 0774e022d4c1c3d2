// SPDX-License-Identifier: Apache-2.0
// Runs a channel's controller with a device behind it and a master on each PC, and turns what a trace's master saw into
// figures.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tb/hbm/hbm_dut.h"
#include "tb/hbm/port_master.h"
#include "tb/hbm/trace_master.h"

namespace tepin::tb::hbm {

/// The device behind the controller: once a clock, reads what the controller drives and sets what it answers.
using DfiTarget = std::function<void(const dram::DfiOut&, dram::DfiIn&)>;

/// Something waited for the controller and nothing moved for the watchdog's time: the text names what.
class HangError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ChannelOptions {
  std::uint64_t watchdog_clocks = 100'000;  // without a handshake of a busy master: HangError
  std::function<void(double)> progress;     // now and then: the part done of the master furthest behind, 0 to 1
};

/// Steps until both masters are done; the controller has left reset. Returns the clocks run. Throws HangError, and
/// ProtocolError of the masters.
std::uint64_t run_channel(HbmDut& dut, const DfiTarget& device, const std::array<PortMaster*, 2>& masters,
                          const ChannelOptions& options = {});

/// What a trace measured on one PC. Times: from acceptance (AR) to the data beat of reads; of writes if there is no
/// read.
struct TraceFigures {
  std::uint64_t requests = 0, cycles = 0;
  double clock_ghz = 1, bandwidth_frac = 0;  // requests a clock: a burst a clock is what the pins carry
  double avg_ns = 0, p50_ns = 0, p99_ns = 0, max_ns = 0;
  double source_avg_ns = 0;  // from arrival to acceptance, all requests; 0 if they saturate
  std::uint64_t hazard_waits = 0, reads_checked = 0, data_mismatches = 0, error_responses = 0;
  std::string first_mismatch;       // empty: none
  std::vector<float> latencies_ns;  // in the order of the trace
};

/// Of a master that is done. Percentiles are nearest-rank.
[[nodiscard]] TraceFigures trace_figures(const TraceMaster& master, double clock_ghz);

}  // namespace tepin::tb::hbm
