// SPDX-License-Identifier: Apache-2.0
// Light tiles around a mesh of dn routers: random multicasts; every tile checks that it gets each once, whole, in
// order.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "tb/noc/coll_mesh.h"
#include "tb/noc/traffic.h"

namespace tepin::tb::noc {

struct DnOptions {
  double rate = 1;                // chance of a tile's cycle in which it would send
  double density = 0.3;           // chance of a tile to be in a mask; 0: exactly one is
  double sink_stall = 0;          // chance of a cycle in which a tile returns no credit
  std::uint64_t sink_closed = 0;  // no tile returns credits before this cycle
  std::uint64_t seed = 1;
};

class DnRun {
 public:
  DnRun(DnMesh& mesh, const DnOptions& options);
  /// A flit that a tile sends as soon as it can; mask: tiles of the mesh, at least one.
  void post(std::size_t node, std::uint64_t mask);
  /// random: tiles post at random too.
  void cycle(bool random);
  /// Until all has arrived; false if for `limit` cycles nothing did.
  bool finish(std::uint64_t limit);

  [[nodiscard]] std::uint64_t cycles() const { return cycle_; }
  [[nodiscard]] std::uint64_t sent() const { return sent_; }
  [[nodiscard]] std::uint64_t expected() const { return expected_; }  // copies of what has been sent
  [[nodiscard]] std::uint64_t arrived() const { return arrived_; }
  [[nodiscard]] std::uint64_t errors() const { return errors_; }
  [[nodiscard]] const std::string& first_error() const { return first_error_; }

 private:
  [[nodiscard]] DnFlit flit(std::size_t node, std::uint32_t id, std::uint64_t mask) const;
  void check(std::size_t node, const DnFlit& f);
  void error(std::string text);

  DnMesh& mesh_;
  DnOptions options_;
  std::vector<std::deque<std::uint64_t>> waiting_;           // by node: masks
  std::vector<unsigned> free_;                               // by node
  std::vector<std::uint32_t> next_id_;                       // by node
  std::vector<std::vector<std::deque<std::uint32_t>>> due_;  // [node][source]: flits under way
  std::vector<unsigned> to_credit_;
  std::vector<Rng> rng_;
  std::uint64_t cycle_ = 0, sent_ = 0, expected_ = 0, arrived_ = 0, errors_ = 0;
  std::string first_error_;
};

}  // namespace tepin::tb::noc
