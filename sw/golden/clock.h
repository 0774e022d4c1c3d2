// SPDX-License-Identifier: Apache-2.0
// Vector clocks over the eight agents of a tile. Every instruction is an event; event x happens before y if y's clock
// has reached x's time in the component of x's agent.
#pragma once

#include <array>
#include <cstdint>

#include "sw/golden/log.h"
#include "sw/golden/outcome.h"

namespace tepin::golden {

using Clock = std::array<std::uint32_t, kAgents>;

struct Event {
  Where at;
  int agent = 0;
  std::uint32_t time = 0;
};

[[nodiscard]] inline bool happened(const Event& e, const Clock& before) {
  return before[static_cast<std::size_t>(e.agent)] >= e.time;
}

inline void join(Clock& into, const Clock& other) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = into[i] < other[i] ? other[i] : into[i];
}

}  // namespace tepin::golden
