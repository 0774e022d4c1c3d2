// SPDX-License-Identifier: Apache-2.0
// A router of up at (3, 3) of an 8x8 mesh: its ways, heads that ask for one, and operands.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "Vnoc_up_checked.h"
#include "Vnoc_up_w512_checked.h"
#include "tb/noc/coll_reference.h"
#include "tests/rtl/noc/coll_pins.h"

namespace tepin::tb::noc {

constexpr unsigned kShared = 4;
constexpr Coord kUpAt{3, 3};

struct UpPins : CollPins<Vnoc_up_checked, UpFlit> {
  UpPins() : CollPins(256, kUpAt) {}
};
struct UpWidePins : CollPins<Vnoc_up_w512_checked, UpFlit> {
  UpWidePins() : CollPins(512, kUpAt) {}
};

/// Inputs that give data (bit = Port) and the output towards the root.
struct Way {
  unsigned set;
  Port parent;
  [[nodiscard]] unsigned heads() const { return parent == kLocal ? set | 1U << kLocal : set; }
  [[nodiscard]] bool has(unsigned p) const { return (set >> p & 1U) != 0; }
};
/// Inputs that may have members of a train that leaves by `parent`: the row first, then the root's column.
inline unsigned sides(Port parent) {
  constexpr unsigned n = 1U << kNorth, e = 1U << kEast, s = 1U << kSouth, w = 1U << kWest, l = 1U << kLocal;
  switch (parent) {
    case kEast:
      return w | l;
    case kWest:
      return e | l;
    case kNorth:
      return w | e | s | l;
    case kSouth:
      return w | e | n | l;
    default:
      return w | e | n | s | l;
  }
}
inline std::vector<Way> ways() {
  std::vector<Way> all;
  for (unsigned parent = 0; parent < kPorts; ++parent)
    for (unsigned set = 1; set < 1U << kPorts; ++set)
      if ((set & ~sides(static_cast<Port>(parent))) == 0) all.push_back({set, static_cast<Port>(parent)});
  return all;
}

/// Tiles on a side of (3, 3) as trains come from there: its row to the west and east, all rows to the north and south.
inline std::uint64_t side_tiles(unsigned p) {
  std::uint64_t m = 0;
  for (std::uint8_t y = 0; y < 8; ++y) {
    for (std::uint8_t x = 0; x < 8; ++x) {
      const bool in = p == kNorth   ? y < 3
                      : p == kSouth ? y > 3
                      : p == kWest  ? y == 3 && x < 3
                      : p == kEast  ? y == 3 && x > 3
                                    : y == 3 && x == 3;
      if (in) m |= tile_bit({x, y});
    }
  }
  return m;
}
/// A random head that takes this way.
inline UpHead head_of(const Way& w, std::mt19937_64& rng) {
  UpHead h;
  for (unsigned p = 0; p < kPorts; ++p) {
    const std::uint64_t tiles = side_tiles(p);
    if (w.has(p)) {
      std::uint64_t some = 0;
      while (some == 0) some = rng() & tiles;
      h.mask |= some;
    } else if ((sides(w.parent) >> p & 1U) == 0) {
      h.mask |= rng() & tiles;  // they do not pass here
    }
  }
  const auto any = [&](unsigned from, unsigned count) { return static_cast<std::uint8_t>(from + rng() % count); };
  h.root = kUpAt;
  if (w.parent == kEast) h.root = {any(4, 4), any(0, 8)};
  if (w.parent == kWest) h.root = {any(0, 3), any(0, 8)};
  if (w.parent == kNorth) h.root.y = any(0, 3);
  if (w.parent == kSouth) h.root.y = any(4, 4);
  h.kind = static_cast<Coll>(rng() % 6);
  h.max = rng() % 2 != 0;
  h.bf16 = rng() % 2 != 0;
  h.len = static_cast<std::uint16_t>(rng());
  h.chunk = static_cast<std::uint8_t>(rng() & 63);
  h.word = static_cast<std::uint32_t>(rng() & 0x7ffffff);
  return h;
}

constexpr std::uint32_t kSpecials[] = {
    0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x00800001, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x7f7fffff, 0xff7fffff, 0x7f000000,
    0x7effffff, 0x73000000, 0xf3800001, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001,
    0xff812345, 0x7f7f8000, 0x7f7f7fff, 0x3f808000, 0x3f818000, 0x3f808001, 0x00008000, 0x00018000};
/// 32 random bits as one FP32 or two BF16: near each other in magnitude, anything, ties, specials.
inline std::uint32_t random_value(std::mt19937_64& rng) {
  const auto r = static_cast<std::uint32_t>(rng());
  switch (rng() % 8) {
    case 0:
      return r;
    case 1:
      return kSpecials[r % std::size(kSpecials)];
    case 2:
      return (kSpecials[r % std::size(kSpecials)] & 0xffff0000U) | kSpecials[r / 64 % std::size(kSpecials)] >> 16;
    case 3:
      return (r & 0x807fffffU) | (r >> 8 & 3U) << 23;  // small
    case 4:
      return (r & 0x80ff80ffU) | 0x3f003f00U;  // both halves of like size
    default:
      return (r & 0x807fffffU) | (120U + r % 13U) << 23;
  }
}
inline Payload random_data(std::mt19937_64& rng) {
  Payload d;
  for (auto& v : d) v = random_value(rng);
  return d;
}

constexpr unsigned bit(Port p) { return 1U << p; }
inline const Way kThrough{bit(kWest), kEast}, kPair{bit(kWest) | bit(kLocal), kEast};

inline UpFlit head_flit(std::uint8_t group, const UpHead& h, bool last = false) { return {group, true, last, pack(h)}; }
inline UpFlit data_flit(std::uint8_t group, std::uint32_t id, bool last = false) {
  UpFlit f{group, false, last, {}};
  for (auto& d : f.data) d = id;
  return f;
}

template <class Pins>
void expect_output(const Pins& r, Port parent, std::uint8_t group, bool head, bool last, const Payload& data) {
  ASSERT_EQ(r.model->out_valid_o, 1U << parent);
  const UpFlit f = r.out(parent);
  EXPECT_EQ(f.group, group);
  EXPECT_EQ(f.head, head);
  EXPECT_EQ(f.last, last);
  for (std::size_t i = 0; i < r.words(); ++i)
    ASSERT_EQ(f.data[i], data[i]) << "word " << i << std::hex << ": " << f.data[i] << " for " << data[i];
}

/// One operand of each input of the set, and what becomes of them.
struct Join {
  Operands in;
  Payload result{};
};
inline Join random_join(const Way& w, const UpHead& h, std::size_t words, std::mt19937_64& rng) {
  Join j;
  for (unsigned p = 0; p < kPorts; ++p)
    if (w.has(p)) j.in[p] = random_data(rng);
  j.result = join_flit(j.in, h.max, h.bf16, words);
  return j;
}

/// Heads on all inputs of the way in one cycle, then `count` data flits a cycle each: every output in its cycle.
template <class Pins>
void expect_train(Pins& r, const Way& w, const UpHead& h, std::uint8_t group, std::size_t count, std::mt19937_64& rng) {
  const unsigned cycles = std::popcount(w.set) > 1 ? 3 : 1;
  const Payload head = pack(h);
  for (unsigned p = 0; p < kPorts; ++p) {
    // Of a root that is no member `last` does not matter.
    if ((w.heads() >> p & 1U) != 0)
      r.put(static_cast<Port>(p), {group, true, w.has(p) ? count == 0 : rng() % 2 != 0, head});
  }
  r.clock();
  ASSERT_NO_FATAL_FAILURE(expect_output(r, w.parent, group, true, count == 0, head));
  for (unsigned p = 0; p < kPorts; ++p)
    EXPECT_EQ(r.credits(static_cast<Port>(p)), (w.heads() >> p & 1U) << group) << "input " << p;
  std::vector<Join> joins;
  for (std::size_t c = 0; c < count + cycles; ++c) {
    if (count != 0) {
      EXPECT_EQ(r.model->idle_o, 0);
    }
    if (c < count) {
      joins.push_back(random_join(w, h, r.words(), rng));
      for (unsigned p = 0; p < kPorts; ++p)
        if (w.has(p)) r.put(static_cast<Port>(p), {group, false, c + 1 == count, *joins.back().in[p]});
    }
    r.clock_taking();
    for (unsigned p = 0; p < kPorts; ++p)
      ASSERT_EQ(r.credits(static_cast<Port>(p)), c < count && w.has(p) ? 1U << group : 0U) << "input " << p;
    if (c + 1 < cycles || c + 1 - cycles >= count) {
      ASSERT_EQ(r.model->out_valid_o, 0);
    } else {
      const std::size_t k = c + 1 - cycles;
      ASSERT_NO_FATAL_FAILURE(expect_output(r, w.parent, group, false, k + 1 == count, joins[k].result))
          << "flit " << k;
    }
  }
  r.clock();
  EXPECT_EQ(r.model->idle_o, 1);
  EXPECT_EQ(r.model->mismatch_o, 0);
}

}  // namespace tepin::tb::noc
