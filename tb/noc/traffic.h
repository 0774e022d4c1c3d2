// SPDX-License-Identifier: Apache-2.0
// Where packets go: the usual synthetic patterns on a W x H mesh, and the random numbers they use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tb/noc/mesh.h"

namespace tepin::tb::noc {

/// SplitMix64.
struct Rng {
  std::uint64_t state = 0;
  std::uint64_t next() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
  }
  /// 0..n-1, n >= 1.
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((next() >> 32) * n >> 32); }
  /// True with this probability.
  bool chance(double p) { return static_cast<double>(next() >> 11) * 0x1p-53 < p; }
};

enum class Pattern : std::uint8_t {
  kUniform,     // any tile, the sender included, with equal chance
  kTranspose,   // (x, y) -> (y, x); square meshes
  kNeighbor,    // (x + 1 mod W, y + 1 mod H)
  kHotspot,     // one of the four corners (fewer if W or H is 1), with equal chance
  kTornado,     // (x + ceil(W / 2) - 1 mod W, y + ceil(H / 2) - 1 mod H)
  kComplement,  // (W - 1 - x, H - 1 - y)
};

/// All names, in the order of the enumeration.
[[nodiscard]] const std::vector<std::string>& pattern_names();
/// Throws std::invalid_argument for an unknown name: the message lists the names.
[[nodiscard]] Pattern parse_pattern(std::string_view name);
/// Throws std::invalid_argument if the mesh does not have the pattern (transpose of one that is not square).
void check_pattern(Pattern pattern, int width, int height);
/// Destination of a packet from `src`; one draw for the random patterns, none for the others.
[[nodiscard]] Coord destination(Pattern pattern, Coord src, int width, int height, Rng& rng);

}  // namespace tepin::tb::noc
