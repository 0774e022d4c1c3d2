// SPDX-License-Identifier: Apache-2.0
// One kernel launch on the target: run, checked, measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/cli/operands.h"
#include "sw/cli/session.h"
#include "sw/kernels/launch.h"
#include "tb/comparison.h"

namespace tepin::cli {

/// What one launch, or several added up, gave; compared: lockstep, final memories, reference.
struct Measure : tb::Comparison {
  std::string kernel;
  std::uint64_t launches = 0;
  std::uint64_t cycles = 0;                 // from start to done; 0 on the golden target
  std::uint64_t window_cycles = 0;          // from the first load issued to the last store response
  std::uint64_t macs = 0;                   // useful ones
  std::uint64_t peak_macs = 0;              // cycles x the peak of the pair of formats
  std::uint64_t abs_macs = 0;               // cycles x MACs a cycle of the configuration
  std::uint64_t payload_bytes = 0;          // codes, scales and results that must cross the memory ports once
  std::uint64_t port_bytes = 0;             // that did cross them, padding and repetition included
  std::uint64_t window_bytes = 0;           // what the ports could have moved in window_cycles
  std::optional<tb::hbm::HbmCounters> hbm;  // of the controller, if it is the memory
  std::uint64_t sim_cycles = 0;
  double sim_seconds = 0;
  std::string fault;                 // the hardware stopped: cause, place; empty: it did not
  std::vector<std::uint8_t> output;  // of the last launch: Segment by Segment, one behind the other

  /// Adds one comparison of `count` values; `what` is kept if it is the first mismatch.
  void compare(bool same, const std::string& what, std::uint64_t count = 1);
  /// Compares bytes one by one; `what` they are.
  void compare_bytes(const std::string& what, std::span<const std::uint8_t> expected,
                     std::span<const std::uint8_t> actual);
  Measure& operator+=(const Measure& other);

  [[nodiscard]] std::optional<double> mac_util() const { return ratio(macs, peak_macs); }
  [[nodiscard]] std::optional<double> mac_util_abs() const { return ratio(macs, abs_macs); }
  [[nodiscard]] std::optional<double> hbm_util() const { return ratio(payload_bytes, window_bytes); }
  /// Bursts that the controller's counters saw, of what the pins could have moved in window_cycles.
  [[nodiscard]] std::optional<double> hbm_bus_util() const {
    return hbm ? ratio((hbm->reads + hbm->writes) * 32, window_bytes) : std::nullopt;
  }
  [[nodiscard]] std::optional<double> cycles_per_second() const;
  [[nodiscard]] std::optional<double> macs_per_second() const;
  [[nodiscard]] int exit_code() const;
  /// The keys that every report of kernels has.
  [[nodiscard]] Json json() const;

 private:
  static std::optional<double> ratio(std::uint64_t a, std::uint64_t b);
};

/// null or the number.
[[nodiscard]] Json json_of(const std::optional<double>& x);

/// Runs a launch on the session's target, in lockstep if asked and possible, and compares the final memories.
/// max_cycles 0: many times what the kernel can need. std::logic_error if the golden model finds fault with the
/// program.
[[nodiscard]] Measure run_launch(Session& session, const kernels::Launch& launch, bool lockstep,
                                 std::uint64_t max_cycles = 0);

/// Runs Y = W X and also checks every value of Y against reference_product().
struct Product {
  Measure measure;
  std::vector<std::uint32_t> y;  // [n][m], FP32 bits; empty if the target stopped
};
[[nodiscard]] Product run_product(Session& session, const Weights& w, const Activations& a, bool lockstep,
                                  std::uint64_t max_cycles = 0);

}  // namespace tepin::cli
