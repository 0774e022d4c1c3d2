// SPDX-License-Identifier: Apache-2.0
// What the up network computes, written from docs/net.md, 4: paths by XY, joins in the documented order, host
// arithmetic.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "tb/noc/coll.h"

namespace tepin::tb::noc {

constexpr std::uint32_t kQNaN = 0x7fc00000;

/// FP32 a o b: sum with one rounding to nearest even, or maximum with -0 below +0; a NaN result is 0x7fc00000. The
/// host's float is binary32 with subnormals (its rounding mode is the default one).
[[nodiscard]] inline std::uint32_t join_fp32(bool max, std::uint32_t a, std::uint32_t b) {
  const float x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
  if (std::isnan(x) || std::isnan(y)) return kQNaN;
  if (max) {
    if (x == y) return std::signbit(x) ? b : a;  // differ in sign at most
    return x > y ? a : b;
  }
  const float s = x + y;
  return std::isnan(s) ? kQNaN : std::bit_cast<std::uint32_t>(s);
}
/// To nearest even; by the distance to the two neighbours, in double (exact).
[[nodiscard]] inline std::uint16_t to_bf16(std::uint32_t a) {
  const float x = std::bit_cast<float>(a);
  if (std::isnan(x)) return 0x7fc0;
  const auto low = static_cast<std::uint16_t>(a >> 16);  // towards zero
  if (std::isinf(x) || (a & 0xffffU) == 0) return low;
  const auto value = [](std::uint16_t h) {
    // The neighbour of the largest BF16 counts as 2^128.
    if ((h & 0x7fffU) == 0x7f80) return std::copysign(0x1p128, (h & 0x8000U) != 0 ? -1.0 : 1.0);
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(h) << 16));
  };
  const auto high = static_cast<std::uint16_t>(low + 1);
  const double down = std::abs(static_cast<double>(x) - value(low)),
               up = std::abs(value(high) - static_cast<double>(x));
  if (down != up) return down < up ? low : high;
  return (low & 1U) == 0 ? low : high;
}

/// Operands of a router by input (Port), absent ones empty; words 32-bit words of a flit.
using Operands = std::array<std::optional<Payload>, kPorts>;
[[nodiscard]] inline Payload join_flit(const Operands& in, bool max, bool bf16, std::size_t words) {
  std::size_t present = 0;
  const Payload* only = nullptr;
  for (const auto& o : in)
    if (o) ++present, only = &*o;
  if (present == 1) return *only;
  Payload r{};
  const auto join = [max](std::optional<std::uint32_t> a, std::optional<std::uint32_t> b) {
    return a && b ? std::optional(join_fp32(max, *a, *b)) : a ? a : b;
  };
  const auto all = [&](auto value) {  // value(port): of one lane
    return join(join(join(value(kWest), value(kEast)), join(value(kNorth), value(kSouth))), value(kLocal));
  };
  for (std::size_t i = 0; i < words; ++i) {
    using Value = std::optional<std::uint32_t>;
    if (!bf16) {
      r[i] = *all([&](Port p) { return in[p] ? Value((*in[p])[i]) : Value(); });
      continue;
    }
    const auto half = [&](unsigned shift) {
      return to_bf16(*all([&](Port p) { return in[p] ? Value(((*in[p])[i] >> shift & 0xffffU) << 16) : Value(); }));
    };
    r[i] = static_cast<std::uint32_t>(half(16)) << 16 | half(0);
  }
  return r;
}

/// The port of the router at the other end of an output.
[[nodiscard]] constexpr Port far_port(Port out) {
  return out == kNorth ? kSouth : out == kSouth ? kNorth : out == kEast ? kWest : out == kWest ? kEast : kLocal;
}
[[nodiscard]] constexpr Coord step_to(Coord c, Port out) {
  if (out == kNorth) --c.y;
  if (out == kSouth) ++c.y;
  if (out == kEast) ++c.x;
  if (out == kWest) --c.x;
  return c;
}

/// Inputs by which the members' data pass each router on their way to the root: [tile number], bit = Port.
[[nodiscard]] inline std::array<std::uint8_t, 64> data_inputs(std::uint64_t mask, Coord root) {
  std::array<std::uint8_t, 64> used{};
  for (unsigned t = 0; t < 64; ++t) {
    if ((mask >> t & 1) == 0) continue;
    Coord c{static_cast<std::uint8_t>(t % 8), static_cast<std::uint8_t>(t / 8)};
    Port in = kLocal;
    for (;;) {
      used[tile_number(c)] = static_cast<std::uint8_t>(used[tile_number(c)] | 1U << in);
      const Port out = route(c, root);
      if (out == kLocal) break;
      c = step_to(c, out);
      in = far_port(out);
    }
  }
  return used;
}

/// What arrives at the root of one flit whose operand at member t is operand(t).
template <class Operand>
[[nodiscard]] Payload reduce_flit(const std::array<std::uint8_t, 64>& used, Coord at, bool max, bool bf16,
                                  std::size_t words, const Operand& operand) {
  Operands in;
  for (unsigned p = 0; p < kPorts; ++p) {
    if ((used[tile_number(at)] >> p & 1U) == 0) continue;
    const Port port = static_cast<Port>(p);
    in[p] = port == kLocal ? operand(tile_number(at)) : reduce_flit(used, step_to(at, port), max, bf16, words, operand);
  }
  return join_flit(in, max, bf16, words);
}

}  // namespace tepin::tb::noc
