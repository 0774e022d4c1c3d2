// SPDX-License-Identifier: Apache-2.0
#include "tb/noc/traffic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace tepin::tb::noc {

const std::vector<std::string>& pattern_names() {
  static const std::vector<std::string> names{"uniform", "transpose", "neighbor", "hotspot", "tornado", "complement"};
  return names;
}

Pattern parse_pattern(std::string_view name) {
  const auto& names = pattern_names();
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end())
    throw std::invalid_argument(fmt::format("pattern {}: allowed: {}", name, fmt::join(names, ", ")));
  return static_cast<Pattern>(at - names.begin());
}

void check_pattern(Pattern pattern, int width, int height) {
  if (pattern == Pattern::kTranspose && width != height)
    throw std::invalid_argument(
        fmt::format("pattern transpose on a mesh of {}x{}: allowed: on a square one", width, height));
}

Coord destination(Pattern pattern, Coord src, int width, int height, Rng& rng) {
  const auto at = [](int x, int y) { return Coord{static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y)}; };
  switch (pattern) {
    case Pattern::kUniform: {
      const int n = static_cast<int>(rng.below(static_cast<std::uint32_t>(width * height)));
      return at(n % width, n / width);
    }
    case Pattern::kTranspose:
      return {src.y, src.x};
    case Pattern::kNeighbor:
      return at((src.x + 1) % width, (src.y + 1) % height);
    case Pattern::kHotspot: {
      const std::uint32_t c = rng.below(4);
      return at((c & 1U) != 0 ? width - 1 : 0, (c & 2U) != 0 ? height - 1 : 0);
    }
    case Pattern::kTornado:
      return at((src.x + (width + 1) / 2 - 1) % width, (src.y + (height + 1) / 2 - 1) % height);
    case Pattern::kComplement:
      return at(width - 1 - src.x, height - 1 - src.y);
  }
  throw std::invalid_argument("pattern");
}

}  // namespace tepin::tb::noc
