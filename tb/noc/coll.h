// SPDX-License-Identifier: Apache-2.0
// Flits of the collective networks as C++ sees them, and their bits (rtl/noc/noc_coll_pkg.sv, docs/net.md).
#pragma once

#include <array>
#include <cstdint>

#include "tb/noc/mesh.h"

namespace tepin::tb::noc {

constexpr std::size_t kGroups = 4;
enum class Coll : std::uint8_t { kBar, kRed, kAr, kRs, kAg, kA2a };
enum class DnKind : std::uint8_t { kWrite, kResult, kRelease, kPiece };

/// Number of a tile, and its bit in a mask.
[[nodiscard]] constexpr unsigned tile_number(Coord c) { return 8U * c.y + c.x; }
[[nodiscard]] constexpr std::uint64_t tile_bit(Coord c) { return std::uint64_t{1} << tile_number(c); }

struct UpHead {
  std::uint64_t mask = 0;
  Coord root;
  Coll kind = Coll::kRed;
  bool max = false, bf16 = false;
  std::uint16_t len = 0;
  std::uint8_t chunk = 0;
  std::uint32_t word = 0;
  bool operator==(const UpHead&) const = default;
};
struct UpFlit {
  std::uint8_t group = 0;
  bool head = false, last = false;
  Payload data{};
};
struct DnFlit {
  std::uint64_t mask = 0;
  DnKind kind = DnKind::kWrite;
  std::uint8_t group = 0;
  bool last = false, both = false;
  Coord src;
  std::uint32_t word = 0;
  std::uint8_t sem = 0, cnt = 0;
  Payload data{};
};

/// Bits lsb.. of a vector of 32-bit words := the low `width` bits of value.
template <class Words>
constexpr void put_bits(Words& words, unsigned lsb, unsigned width, std::uint64_t value) {
  for (unsigned i = 0; i < width; ++i) {
    const unsigned b = lsb + i;
    const std::uint32_t bit = std::uint32_t{1} << (b % 32);
    words[b / 32] = (value >> i & 1) != 0 ? words[b / 32] | bit : words[b / 32] & ~bit;
  }
}
template <class Words>
[[nodiscard]] constexpr std::uint64_t get_bits(const Words& words, unsigned lsb, unsigned width) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < width; ++i) value |= std::uint64_t{words[(lsb + i) / 32] >> ((lsb + i) % 32) & 1} << i;
  return value;
}
[[nodiscard]] constexpr unsigned coord_bits(Coord c) { return static_cast<unsigned>(c.x) << 3 | c.y; }
[[nodiscard]] constexpr Coord coord_of(std::uint64_t bits) {
  return {static_cast<std::uint8_t>(bits >> 3 & 7), static_cast<std::uint8_t>(bits & 7)};
}

/// up_head_t in the low bits of a flit's data.
[[nodiscard]] constexpr Payload pack(const UpHead& h) {
  Payload d{};
  put_bits(d, 0, 27, h.word);
  put_bits(d, 27, 6, h.chunk);
  put_bits(d, 33, 16, h.len);
  put_bits(d, 49, 1, h.bf16);
  put_bits(d, 50, 1, h.max);
  put_bits(d, 51, 3, static_cast<std::uint64_t>(h.kind));
  put_bits(d, 54, 6, coord_bits(h.root));
  put_bits(d, 60, 64, h.mask);
  return d;
}

/// up_ctl_t and dn_ctl_t.
[[nodiscard]] constexpr std::uint8_t pack_ctl(const UpFlit& f) {
  return static_cast<std::uint8_t>(f.group << 2 | int{f.head} << 1 | int{f.last});
}
constexpr void unpack_ctl(std::uint8_t bits, UpFlit& f) {
  f.group = bits >> 2;
  f.head = (bits & 2) != 0;
  f.last = (bits & 1) != 0;
}
using DnCtl = std::array<std::uint32_t, 4>;
template <class Words>
constexpr void pack_ctl(const DnFlit& f, Words& w) {
  put_bits(w, 0, 8, f.cnt);
  put_bits(w, 8, 6, f.sem);
  put_bits(w, 14, 27, f.word);
  put_bits(w, 41, 6, coord_bits(f.src));
  put_bits(w, 47, 1, f.both);
  put_bits(w, 48, 1, f.last);
  put_bits(w, 49, 2, f.group);
  put_bits(w, 51, 2, static_cast<std::uint64_t>(f.kind));
  put_bits(w, 53, 64, f.mask);
}
template <class Words>
constexpr void unpack_ctl(const Words& w, DnFlit& f) {
  f.cnt = static_cast<std::uint8_t>(get_bits(w, 0, 8));
  f.sem = static_cast<std::uint8_t>(get_bits(w, 8, 6));
  f.word = static_cast<std::uint32_t>(get_bits(w, 14, 27));
  f.src = coord_of(get_bits(w, 41, 6));
  f.both = get_bits(w, 47, 1) != 0;
  f.last = get_bits(w, 48, 1) != 0;
  f.group = static_cast<std::uint8_t>(get_bits(w, 49, 2));
  f.kind = static_cast<DnKind>(get_bits(w, 51, 2));
  f.mask = get_bits(w, 53, 64);
}

}  // namespace tepin::tb::noc
