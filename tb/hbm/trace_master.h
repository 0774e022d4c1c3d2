// SPDX-License-Identifier: Apache-2.0
// An AXI4 master that plays a trace on one PC's port and checks every datum that it reads. Each request is a
// transaction of one beat with an ID that no open one of its kind has; reads and writes are each issued in the order of
// the trace.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tb/hbm/port_master.h"
#include "tb/hbm/trace.h"

namespace tepin::tb::hbm {

struct TraceOptions {
  std::string port = "PC0";    // in messages
  std::uint64_t seed = 1;      // of the data written
  std::uint32_t window = 256;  // a request is issued at most so many ahead of the oldest of the other kind not accepted
  std::uint32_t max_open = 256;  // reads without their data, and likewise writes without their response, 1..256
  double interval_clocks = 0;    // request i arrives at clock i * interval; 0: all are there from the start
  InitialContents initial;
};

/// Clocks between the arrivals of requests at `gb_per_s` (10^9 bytes a second) of 32 bytes.
[[nodiscard]] constexpr double arrival_interval_clocks(double gb_per_s, double clock_ghz) {
  return 32.0 / gb_per_s * clock_ghz;
}

struct TraceMismatch {
  std::uint64_t request = 0;  // its number in the trace, from 0
  std::uint32_t address = 0;
  Word expected{}, actual{};
};

class TraceMaster final : public PortMaster {
 public:
  /// trace: addresses below 2^32 (trace_of_pc). std::invalid_argument for options beyond their range.
  TraceMaster(const std::vector<Request>& trace, TraceOptions options);

  void cycle(const AxiOut& out, AxiIn& in) override;
  [[nodiscard]] bool done() const override { return finished_ == requests_.size(); }
  [[nodiscard]] bool busy() const override { return accepted_ != finished_ || ar_waits_ || aw_waits_ || w_waits_; }
  [[nodiscard]] std::uint64_t handshakes() const override { return handshakes_; }
  [[nodiscard]] std::string outstanding() const override;
  [[nodiscard]] double progress() const override {
    return static_cast<double>(finished_) / static_cast<double>(requests_.size());
  }

  [[nodiscard]] std::uint64_t requests() const { return requests_.size(); }
  /// From the first acceptance to the last data beat or response, both clocks counted; 0 before there is one.
  [[nodiscard]] std::uint64_t cycles() const { return finished_ == 0 ? 0 : last_ - first_ + 1; }
  /// Clocks from the acceptance (AR) to the data beat of every read in the order of the trace; if the trace has no
  /// read, of every write from AW to B. Only when done().
  [[nodiscard]] std::vector<std::uint32_t> latencies() const;
  /// Requests that waited at the source because an earlier one to the same address was open, and for how many clocks.
  [[nodiscard]] std::uint64_t hazard_waits() const { return hazard_waits_; }
  [[nodiscard]] std::uint64_t hazard_clocks() const { return hazard_clocks_; }
  /// Clocks from arrivals to acceptances, all requests together; 0 unless requests arrive at a rate.
  [[nodiscard]] double source_clocks() const { return source_clocks_; }
  [[nodiscard]] std::uint64_t reads_checked() const { return reads_checked_; }
  [[nodiscard]] std::uint64_t mismatches() const { return mismatches_; }
  [[nodiscard]] const TraceMismatch& first_mismatch() const { return first_mismatch_; }  // if mismatches() != 0
  /// Responses other than OKAY; the data of such reads is not compared.
  [[nodiscard]] std::uint64_t error_responses() const { return error_responses_; }

 private:
  struct Item {
    std::uint32_t address = 0, slot = 0;
    std::uint32_t reads_before = 0, writes_before = 0;  // to the same address, earlier in the trace
    std::uint32_t latency = 0;
    bool write = false;
    std::uint64_t accepted_at = 0;
  };
  struct Slot {  // an address
    std::uint32_t reads_done = 0, writes_done = 0;
  };
  /// The IDs of one kind, given out going round.
  struct Ids {
    std::array<std::int64_t, 256> position{};  // in the list of its kind; -1: free
    std::uint32_t open = 0;
    std::uint8_t next = 0;
    Ids() { position.fill(-1); }
    std::uint8_t take(std::int64_t at);
  };
  [[nodiscard]] bool may_issue(std::uint32_t index, const std::vector<std::uint32_t>& others,
                               std::size_t others_accepted, bool& waited);
  void drive(AxiIn& in);
  void accept(const AxiOut& out, const AxiIn& in);
  void accepted(std::uint32_t index);
  void finish(std::uint32_t index, std::uint8_t response);
  void take_read(const AxiOut& out);
  void take_response(const AxiOut& out);

  TraceOptions options_;
  ResponseRules rules_;
  std::vector<Item> requests_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> reads_, writes_;  // indices of requests
  Ids read_ids_, write_ids_;
  std::size_t ar_at_ = 0, aw_at_ = 0, w_at_ = 0;  // accepted so far
  bool ar_waits_ = false, aw_waits_ = false, w_waits_ = false;
  bool read_waited_ = false, write_waited_ = false;  // the next of the kind was already counted
  std::uint64_t now_ = 0, first_ = 0, last_ = 0, accepted_ = 0, finished_ = 0, handshakes_ = 0;
  std::uint64_t hazard_waits_ = 0, hazard_clocks_ = 0, reads_checked_ = 0, mismatches_ = 0, error_responses_ = 0;
  double source_clocks_ = 0;
  TraceMismatch first_mismatch_;
};

}  // namespace tepin::tb::hbm
