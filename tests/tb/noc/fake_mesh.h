// SPDX-License-Identifier: Apache-2.0
// A network that is none: every flit arrives after the same time. It can break its promises.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "tb/noc/mesh.h"

namespace tepin::tb::noc {

class FakeMesh final : public Mesh {
 public:
  /// latency: cycles from the tile's register to the register towards the other tile, at least 1. period: cycles
  /// between two flits to a tile.
  FakeMesh(int width, int height, std::uint64_t latency, std::uint64_t period = 1)
      : Mesh(width, height, {64, 64, 256, false}),
        latency_(latency),
        period_(period),
        under_way_(nodes()),
        free_at_(nodes()) {}

  void step() override {
    ++cycle_;
    for (std::size_t n = 0; n < nodes(); ++n) {
      out[n].credits = 0;
      out[n].valid = false;
    }
    for (std::size_t n = 0; n < nodes(); ++n) {
      if (!in[n].valid) continue;
      Flit f = in[n].flit;
      f.src = coord(n);
      out[n].credits = static_cast<std::uint8_t>(1U << route(f.src, f.dst));
      std::size_t to = node(f.dst);
      std::size_t copies = 1;
      if (tamper) tamper(f, to, copies);
      for (; copies != 0; --copies) under_way_[to].push_back({cycle_ - 1 + latency_, f});
    }
    for (std::size_t n = 0; n < nodes(); ++n) {
      auto& q = under_way_[n];
      if (q.empty() || q.front().first > cycle_ || free_at_[n] > cycle_) continue;
      free_at_[n] = cycle_ + (n == slow_sink ? 2 : period_);
      out[n].valid = true;
      out[n].flit = q.front().second;
      q.pop_front();
    }
  }

  /// Changes a flit, its destination, or how many times it arrives.
  std::function<void(Flit&, std::size_t&, std::size_t&)> tamper;
  std::size_t slow_sink = SIZE_MAX;  // takes a flit every second cycle

 private:
  std::uint64_t latency_, period_, cycle_ = 0;
  std::vector<std::deque<std::pair<std::uint64_t, Flit>>> under_way_;
  std::vector<std::uint64_t> free_at_;
};

}  // namespace tepin::tb::noc
