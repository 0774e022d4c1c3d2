// SPDX-License-Identifier: Apache-2.0
// Vector clocks over the agents of all tiles. Agents are numbered kAgents * (place of the tile in the mesh, row by row)
// + the agent's number in its tile. Every instruction is an event; event x happens before y if y's clock has reached
// x's time in the component of x's agent.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sw/golden/log.h"
#include "sw/golden/outcome.h"

namespace tepin::golden {

using ClockView = std::span<const std::uint32_t>;

/// A clock of its own. That of a chip of one tile lies in it: posts and issues make many of them.
class Clock {
 public:
  Clock() = default;
  /// All 0.
  explicit Clock(std::size_t agents) : size_(agents), large_(agents > small_.size() ? agents : 0) {}
  explicit Clock(ClockView from) : size_(from.size()) {
    if (size_ > small_.size())
      large_.assign(from.begin(), from.end());
    else
      std::copy(from.begin(), from.end(), small_.begin());
  }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::uint32_t* data() { return large_.empty() ? small_.data() : large_.data(); }
  [[nodiscard]] const std::uint32_t* data() const { return large_.empty() ? small_.data() : large_.data(); }
  [[nodiscard]] std::uint32_t* begin() { return data(); }
  [[nodiscard]] std::uint32_t* end() { return data() + size_; }
  [[nodiscard]] const std::uint32_t* begin() const { return data(); }
  [[nodiscard]] const std::uint32_t* end() const { return data() + size_; }
  [[nodiscard]] std::uint32_t& operator[](std::size_t agent) { return data()[agent]; }

 private:
  std::size_t size_ = 0;
  std::array<std::uint32_t, kAgents> small_{};
  std::vector<std::uint32_t> large_;
};

struct Event {
  Where at;
  int agent = 0;
  std::uint32_t time = 0;
};

[[nodiscard]] inline bool happened(const Event& e, ClockView before) {
  return before[static_cast<std::size_t>(e.agent)] >= e.time;
}

/// Both of one chip.
inline void join(std::span<std::uint32_t> into, ClockView other) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = into[i] < other[i] ? other[i] : into[i];
}

}  // namespace tepin::golden
