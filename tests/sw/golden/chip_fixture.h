// SPDX-License-Identifier: Apache-2.0
// What the tests of a chip share: a program by tiles, and runs under several schedules.
#pragma once

#include <map>
#include <memory>

#include "fixture.h"
#include "sw/golden/chip.h"

namespace tepin::golden::testing {

constexpr std::uint64_t bit(std::uint32_t tile) { return std::uint64_t{1} << tile; }

/// A section for each tile, thread 0 first. Tiles are numbered 8*y + x.
class ChipProgram {
 public:
  Builder& at(std::uint32_t tile) {
    const auto [it, fresh] = tiles_.try_emplace(tile);
    if (fresh) it->second.thread(0);
    return it->second;
  }
  Builder& group(std::uint32_t tile, std::uint32_t g, std::uint64_t mask, std::uint32_t root) {
    return at(tile).engine("ngroup", {{"lo", static_cast<std::uint32_t>(mask)},
                                      {"hi", static_cast<std::uint32_t>(mask >> 32)},
                                      {"root", root},
                                      {"g", g}});
  }
  /// Every thread must end in a halt of its own; this gives thread 0 its one if it is the only one.
  [[nodiscard]] isa::Program program() const {
    isa::Program p;
    for (const auto& [tile, builder] : tiles_) {
      Builder b = builder;
      b.halt();
      isa::Section s = b.section();
      s.x = tile % 8;
      s.y = tile / 8;
      p.sections.push_back(std::move(s));
    }
    return p;
  }

 private:
  std::map<std::uint32_t, Builder> tiles_;
};

/// Two words from `src` of a tile to `dst` of another.
inline void nwr(ChipProgram& p, std::uint32_t from, std::uint32_t to, std::uint32_t dst, std::uint32_t src = 0) {
  p.at(from).engine("nwr", {{"dst", dst}, {"src", src}, {"len", 2}, {"tile", to}});
}

struct Mesh {
  std::uint32_t x;
  std::uint32_t y;
  [[nodiscard]] std::vector<std::uint32_t> tiles() const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t j = 0; j < y; ++j) {
      for (std::uint32_t i = 0; i < x; ++i) out.push_back(8 * j + i);
    }
    return out;
  }
  [[nodiscard]] std::uint64_t mask() const {
    std::uint64_t m = 0;
    for (const std::uint32_t t : tiles()) m |= bit(t);
    return m;
  }
};

/// nano's tile with a small memory, so that 64 of them are made quickly.
inline isa::Config small_tile() {
  isa::Config c = isa::kNano;
  c.spad_bytes = 16384;
  c.hbm_beats = 4096;
  return c;
}

inline Bytes spad(const Chip& c, std::uint32_t tile, std::uint64_t at, std::size_t n) {
  const auto& b = c.spad(tile).bytes;
  return {b.begin() + static_cast<std::ptrdiff_t>(at), b.begin() + static_cast<std::ptrdiff_t>(at + n)};
}

/// A chip whose tiles hold random bytes from 0 to `bytes`, other ones in each.
inline Chip loaded_chip(Mesh mesh, std::uint64_t seed = 0, std::size_t bytes = 16384, Options options = {}) {
  options.schedule_seed = seed;
  Chip c(small_tile(), mesh.x, mesh.y, options);
  for (const std::uint32_t t : mesh.tiles()) c.load_spad(t, 0, random_bytes(bytes, 1000 + t));
  return c;
}

inline constexpr std::uint64_t kChipSeeds = 12;

inline void expect_clean(Mesh mesh, const ChipProgram& p) {
  for (std::uint64_t seed = 0; seed < kChipSeeds; ++seed) {
    Chip c = loaded_chip(mesh, seed);
    const Outcome o = c.run(p.program());
    EXPECT_EQ(o.status, Status::kDone) << o.text() << ", seed " << seed;
  }
}
inline void expect_found(Mesh mesh, const ChipProgram& p, FindingKind kind, const std::vector<std::string>& names) {
  for (std::uint64_t seed = 0; seed < kChipSeeds; ++seed) {
    Chip c = loaded_chip(mesh, seed);
    const Outcome o = c.run(p.program());
    ASSERT_EQ(o.status, Status::kError) << o.text() << ", seed " << seed;
    EXPECT_EQ(name_of(o.error.kind), name_of(kind)) << o.text();
    for (const std::string& n : names) EXPECT_THAT(o.text(), ::testing::HasSubstr(n)) << "seed " << seed;
  }
}
/// A fault at a tile under every schedule, with the same text.
inline Outcome expect_fault(Mesh mesh, const ChipProgram& p, std::uint32_t tile, isa::Engine engine, isa::Cause cause) {
  Outcome first;
  for (std::uint64_t seed = 0; seed < kChipSeeds; ++seed) {
    Chip c = loaded_chip(mesh, seed);
    Outcome o = c.run(p.program());
    EXPECT_EQ(o.status, Status::kFault) << o.text();
    EXPECT_EQ(o.fault.tile, tile) << o.text();
    EXPECT_EQ(o.fault.engine, engine) << o.text();
    EXPECT_EQ(isa::kCauses[static_cast<std::size_t>(o.fault.cause)].name,
              isa::kCauses[static_cast<std::size_t>(cause)].name)
        << o.text();
    EXPECT_EQ(o.text().find('\n'), std::string::npos);
    if (seed == 0)
      first = std::move(o);
    else
      EXPECT_EQ(o.text(), first.text()) << "seed " << seed;
  }
  return first;
}

}  // namespace tepin::golden::testing
