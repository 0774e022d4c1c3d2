// SPDX-License-Identifier: Apache-2.0
// Light tiles around a mesh of up routers: members send their trains, roots check what arrives against
// coll_reference.h.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "tb/noc/coll_mesh.h"
#include "tb/noc/traffic.h"

namespace tepin::tb::noc {

/// Credits of one sender, by group: one of its own each, `shared` for all.
class UpCredits {
 public:
  explicit UpCredits(unsigned shared) : shared_(shared) {}
  [[nodiscard]] bool ready(std::size_t g) const { return used_[g] == 0 || extra() < shared_; }
  void use(std::size_t g) { ++used_[g]; }
  void give(std::size_t g) { --used_[g]; }
  [[nodiscard]] unsigned used(std::size_t g) const { return used_[g]; }
  /// Shared ones in use.
  [[nodiscard]] unsigned extra() const {
    unsigned n = 0;
    for (const unsigned u : used_) n += u > 1 ? u - 1 : 0;
    return n;
  }

 private:
  unsigned shared_;
  std::array<unsigned, kGroups> used_{};
};

/// A head and so many flits of data.
struct Train {
  UpHead head;
  std::size_t flits = 0;
};
/// Trains of one group, one after the other at every member; all have the same mask. delay: cycles until a tile starts.
struct Stream {
  std::vector<Train> trains;
  std::array<std::uint16_t, 64> delay{};  // [tile number]
};

struct UpOptions {
  double idle = 0;                // chance of a tile's cycle in which it sends nothing
  double sink_stall = 0;          // chance of a cycle in which a tile returns no credit
  std::uint64_t sink_closed = 0;  // no tile returns credits before this cycle
  std::uint64_t seed = 1;
};

class UpRun {
 public:
  UpRun(UpMesh& mesh, const UpOptions& options);

  /// Starts a stream; the group's last one must be done.
  void start(std::size_t group, Stream stream);
  [[nodiscard]] bool done(std::size_t group) const { return groups_[group].left == 0; }
  [[nodiscard]] bool done() const;
  void cycle();
  /// Until all streams are done; false if for `limit` cycles nothing reached a root or left a tile.
  bool finish(std::uint64_t limit);

  [[nodiscard]] std::uint64_t cycles() const { return cycle_; }
  [[nodiscard]] std::uint64_t arrived() const { return arrived_; }
  [[nodiscard]] std::uint64_t sent() const { return sent_; }
  [[nodiscard]] std::uint64_t errors() const { return errors_; }
  [[nodiscard]] const std::string& first_error() const { return first_error_; }
  /// Cycle in which the last flit reached a root.
  [[nodiscard]] std::uint64_t last_arrival() const { return last_arrival_; }

 private:
  struct Sender {
    std::size_t train = 0, flit = 0;  // next; flit 0 is the head
  };
  struct Group {
    Stream stream;
    std::uint64_t serial = 0, begin = 0;
    std::size_t left = 0;                            // trains that have not wholly arrived
    std::vector<Sender> at;                          // by node
    std::vector<std::array<std::uint8_t, 64>> used;  // by train: data_inputs
    std::vector<std::size_t> next;                   // by node: train that it awaits as root
    std::vector<std::size_t> flit;                   // by node
  };
  void send(std::size_t node);
  void absorb(std::size_t node);
  void check(std::size_t node, const UpFlit& f);
  void skip(Group& g, std::size_t node);
  [[nodiscard]] bool takes_part(const Train& t, Coord c) const {
    return (t.head.mask & tile_bit(c)) != 0 || t.head.root == c;
  }
  [[nodiscard]] Payload operand(const Group& g, std::size_t train, std::size_t flit, unsigned tile) const;
  void error(std::string text);

  UpMesh& mesh_;
  UpOptions options_;
  std::array<Group, kGroups> groups_;
  std::vector<UpCredits> to_router_, from_router_;   // by node
  std::vector<std::deque<std::uint8_t>> to_credit_;  // by node: groups of flits that a tile has
  std::vector<Rng> rng_;
  std::uint64_t cycle_ = 0, arrived_ = 0, sent_ = 0, last_arrival_ = 0, serial_ = 0, errors_ = 0;
  std::string first_error_;
};

}  // namespace tepin::tb::noc
