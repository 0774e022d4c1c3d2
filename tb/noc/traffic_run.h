// SPDX-License-Identifier: Apache-2.0
// Tiles around a mesh: sources with unbounded queues, sinks that take a flit a cycle, and a scoreboard. Each flit
// carries its place in the stream from its source to its destination and a check over all its words, so that a flit
// that is lost, duplicated, corrupted, misrouted or overtaken by another of its stream is found when the next one
// arrives.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "tb/noc/mesh.h"
#include "tb/noc/traffic.h"

namespace tepin::tb::noc {

struct TrafficOptions {
  Pattern pattern = Pattern::kUniform;
  int flits = 1;              // a packet, 1..1000
  double rate = 0;            // flits offered a tile and cycle, 0..1: packets are born by independent draws
  bool split_source = false;  // a source queue for each first hop (the oldest head that has a credit goes), not one
  double sink_stall = 0;      // share of cycles in which a sink gives no credit back
  std::uint64_t seed = 1;
};

/// What came to pass since the last reset_counts(). A packet to its own tile is offered and accepted, takes the
/// source's turn for as many cycles as it has flits and arrives the cycle after the last, without entering the router.
struct TrafficCounts {
  std::uint64_t cycles = 0, offered_flits = 0, accepted_flits = 0;
  std::vector<std::uint64_t> accepted_from;  // flits, by source
};

class Traffic {
 public:
  /// The mesh has left reset, and is idle.
  Traffic(Mesh& mesh, const TrafficOptions& options);

  void cycle();
  void set_rate(double rate) { options_.rate = rate; }
  /// No births any more, and what waits in the sources never enters.
  void cut_sources();
  /// Cycles until everything that entered has arrived, at most `limit`; true if it has.
  bool drain(std::uint64_t limit);

  /// Latencies of packets born from now on are kept, up to the next end_window().
  void begin_window();
  void end_window() { window_end_ = cycle_; }
  [[nodiscard]] std::uint64_t window_packets() const { return window_packets_; }
  /// From the cycle in which the packet is born, which is the first in which its head may stand in the tile's output
  /// register, to the one in which its last flit stands in the router's output register to the tile.
  [[nodiscard]] const std::vector<std::uint32_t>& latencies() const { return latencies_; }

  [[nodiscard]] const TrafficCounts& counts() const { return counts_; }
  void reset_counts();
  [[nodiscard]] std::uint64_t injected() const { return injected_; }    // flits that entered the network
  [[nodiscard]] std::uint64_t delivered() const { return delivered_; }  // ... and left it
  [[nodiscard]] std::uint64_t errors() const { return errors_; }
  [[nodiscard]] const std::string& first_error() const { return first_error_; }
  [[nodiscard]] std::uint64_t now() const { return cycle_; }

 private:
  struct Packet {
    std::uint32_t birth;
    Coord dst;
  };
  struct Source {
    std::array<std::deque<Packet>, kPorts> queues;  // by first hop, or all in the first
    std::array<int, kPorts> sent{};                 // flits of each queue's head that have left
    int free = 0;                                   // credits
    std::array<int, kPorts> used{};
  };
  void births(std::size_t node);
  void inject(std::size_t node);
  void absorb(std::size_t node);
  void arrived(std::uint32_t birth, std::uint64_t at);
  void check(std::size_t node, const Flit& flit);
  [[nodiscard]] Payload payload(std::size_t src, std::size_t dst, std::uint32_t seq, std::uint32_t birth,
                                std::uint32_t index) const;
  void error(std::string text);

  Mesh& mesh_;
  TrafficOptions options_;
  std::size_t words_;
  std::vector<Rng> rng_;        // of births, by tile
  std::vector<Rng> stall_rng_;  // of sinks
  std::vector<Source> sources_;
  std::vector<int> to_credit_;                          // flits taken for which no credit has gone back, by tile
  std::vector<std::uint32_t> next_seq_, expected_seq_;  // by source * nodes + destination
  std::uint64_t cycle_ = 0, injected_ = 0, delivered_ = 0, errors_ = 0;
  std::uint64_t window_begin_ = UINT64_MAX, window_end_ = UINT64_MAX, window_packets_ = 0;
  std::vector<std::uint32_t> latencies_;
  TrafficCounts counts_;
  bool cut_ = false;
  std::string first_error_;
};

}  // namespace tepin::tb::noc
