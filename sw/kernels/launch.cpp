// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/launch.h"

#include <algorithm>

namespace tepin::kernels {

void stripe(std::span<const std::uint8_t> bytes, std::uint64_t beat, std::uint32_t channels,
            std::vector<Segment>& segments) {
  std::vector<Segment> parts(channels);
  for (std::uint32_t c = 0; c < channels; ++c) parts[c] = {c, beat * 32, {}};
  for (std::size_t at = 0, unit = 0; at < bytes.size(); at += 256, ++unit) {
    auto& to = parts[unit % channels].bytes;
    const auto piece = bytes.subspan(at, std::min<std::size_t>(256, bytes.size() - at));
    to.insert(to.end(), piece.begin(), piece.end());
  }
  for (Segment& s : parts) {
    if (!s.bytes.empty()) segments.push_back(std::move(s));
  }
}

std::uint64_t striped_beats(std::uint64_t beats, std::uint32_t channels) {
  return (beats + std::uint64_t{8} * channels - 1) / (std::uint64_t{8} * channels) * 8;
}

}  // namespace tepin::kernels
