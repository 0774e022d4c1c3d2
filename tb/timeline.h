// SPDX-License-Identifier: Apache-2.0
// A timeline of what every unit did, in the trace-event JSON that Perfetto and chrome://tracing open. One cycle is 1 us
// there.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tb/dut.h"

namespace tepin::tb {

class Timeline {
 public:
  void cycle(const TileOut& out, std::uint64_t now);
  /// The JSON document; spans still open end at `now`.
  [[nodiscard]] std::string json(std::uint64_t now);

 private:
  struct Span {
    std::uint8_t unit, activity;
    std::uint64_t begin, end;
  };
  struct Mark {
    std::uint64_t at;
    std::string name;
    std::uint32_t unit, value;
  };
  std::array<std::uint8_t, 8> last_{};
  std::array<std::uint64_t, 8> since_{};
  std::vector<Span> spans_;
  std::vector<Mark> marks_;
};

}  // namespace tepin::tb
