// SPDX-License-Identifier: Apache-2.0
// Random programs of a chip, for the golden model alone and for the RTL beside it.
#pragma once

#include "chip_fixture.h"

namespace tepin::golden::testing {

/// Small programs of a 2x2 chip that use the first 512 bytes of each tile's scratchpad and pseudo-channel 0.
/// Each program draws how much of it is shared: words of 32 bytes and semaphores that belong to one tile, or not.
class RandomChipProgram {
 public:
  static constexpr Mesh kMesh{2, 2};
  static constexpr std::array<std::uint32_t, 4> kTiles{0, 1, 8, 9};
  explicit RandomChipProgram(std::uint64_t seed) : rng_(seed) {}

  isa::Program program() {
    wild_ = below(4) == 0;
    sync_percent_ = 20 + below(60);
    const std::uint64_t active = 2 + below(3);
    for (std::size_t i = 0; i < active; ++i) {
      const std::uint32_t t = kTiles[i];
      for (std::uint32_t g = 0; g < 2; ++g) p_.group(t, g, mask(g), kTiles[(g + (wild_ && below(8) == 0 ? 1 : 0)) % 2]);
    }
    const std::uint64_t rounds = 1 + below(3);
    for (std::uint64_t r = 0; r < rounds; ++r) {
      for (std::size_t i = 0; i < active; ++i) {
        for (std::uint64_t n = below(3); n > 0; --n) one_sided(i, active);
      }
      if (below(2) == 0) collective(active);
    }
    return p_.program();
  }

 private:
  static constexpr std::uint32_t kSems = 3;
  std::uint32_t below(std::uint64_t n) { return static_cast<std::uint32_t>(rng_() % n); }
  static std::uint64_t mask(std::uint32_t g) { return g == 0 ? 0x303 : bit(0) | bit(1); }

  /// A word of the destination: mostly the sender's own one there.
  std::uint32_t word(std::size_t from) { return 32 * (below(5) == 0 ? below(4) : static_cast<std::uint32_t>(from)); }

  void sync(std::uint32_t tile, std::size_t active, std::size_t i) {
    Builder& b = p_.at(tile);
    if (below(100) < sync_percent_ / 2) b.wait(wild_ ? below(kSems) : 0, 1 + below(2));
    if (below(100) < 2 * sync_percent_) {
      const std::size_t to = wild_ ? below(active) : (i + 1) % active;
      b.post_to(kTiles[to], wild_ ? below(kSems) : 0, 1 + below(2));
    }
  }

  void one_sided(std::size_t i, std::size_t active) {
    const std::uint32_t t = kTiles[i];
    const std::uint32_t to = kTiles[below(active)];
    Builder& b = p_.at(t);
    switch (below(7)) {
      case 0:
        b.engine("nwr", {{"dst", word(i)}, {"src", 256}, {"len", 1}, {"tile", to}});
        break;
      case 1:
        b.engine("nst", {{"spad", 256}, {"hbm", word(i) / 32}, {"len", 1}, {"tile", to}, {"npc", 1}});
        break;
      case 2:
        b.engine("nld", {{"spad", word(i)}, {"hbm", word(i) / 32}, {"len", 1}, {"tile", to}, {"npc", 1}});
        break;
      case 3:
        b.engine("nmc", {{"dst", word(i)}, {"src", 256}, {"len", 1}, {"g", 1}});
        break;
      case 4:
        b.raw("lw", {{"rd", 9}, {"imm", word(i)}});
        break;
      case 5:
        b.engine("vfill", {{"dst", word(i)}, {"n", 2}, {"s", below(100)}});
        break;
      default:
        b.raw("sync");
        break;
    }
    sync(t, active, i);
  }

  void collective(std::size_t active) {
    constexpr std::array<std::string_view, 6> kOps{"nbar", "nred", "nar", "nrs", "nag", "na2a"};
    const std::string_view op = kOps[below(kOps.size())];
    const std::uint32_t g = 1;  // {0, 1}, which all programs have
    for (std::size_t i = 0; i < active; ++i) {
      const std::uint32_t t = kTiles[i];
      if (t > 1) continue;
      if (op == "nbar")
        p_.at(t).raw(op, {{"g", g}});
      else
        p_.at(t).engine(op, {{"dst", 384}, {"src", below(6) == 0 ? 0U : 256U}, {"len", 1}, {"g", g}});
      sync(t, active, i);
    }
  }

  std::mt19937_64 rng_;
  ChipProgram p_;
  bool wild_ = false;
  std::uint64_t sync_percent_ = 0;
};

}  // namespace tepin::golden::testing
