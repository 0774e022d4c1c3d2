// SPDX-License-Identifier: Apache-2.0
// A timeline of what every unit of a tile did and when its links carried flits, in the trace-event JSON that Perfetto
// and chrome://tracing open. One cycle is 1 us there; a chip's tiles are its processes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tb/dut.h"

namespace tepin::tb {

class Timeline {
 public:
  Timeline() = default;
  /// Of tile x, y.
  Timeline(std::uint32_t x, std::uint32_t y) : x_(x), y_(y) {}
  void cycle(const TileOut& out, std::uint64_t now);
  /// The JSON document; spans still open end at `now`.
  [[nodiscard]] std::string json(std::uint64_t now);
  /// One document of several tiles.
  [[nodiscard]] static std::string json(std::span<Timeline* const> tiles, std::uint64_t now);

 private:
  static constexpr std::size_t kLinks = std::size_t{kSides} * kNetworks;
  struct Span {
    std::uint8_t track, activity;  // tracks: units, then links; an activity of a link is its network
    std::uint64_t begin, end;
  };
  struct Mark {
    std::uint64_t at;
    std::string name;
    std::uint32_t unit, value;
  };
  void close(std::uint64_t now);

  std::uint32_t x_ = 0, y_ = 0;
  std::array<std::uint64_t, kLinks> flit_since_{};  // 0: the link is free
  std::array<std::uint8_t, kUnits> last_{};
  std::array<std::uint64_t, kUnits> since_{};
  std::vector<Span> spans_;
  std::vector<Mark> marks_;
};

}  // namespace tepin::tb
