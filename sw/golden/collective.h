// SPDX-License-Identifier: Apache-2.0
// What the members of a collective agree on, the values it computes, and the routers it crosses (docs/net.md, 2 and 4).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sw/golden/clock.h"
#include "sw/isa/program.h"

namespace tepin::golden {

inline constexpr std::uint32_t kMaxTiles = isa::kMaxMesh * isa::kMaxMesh;

[[nodiscard]] constexpr std::uint64_t bit_of(std::uint32_t tile) { return std::uint64_t{1} << tile; }

/// One of a tile's four group registers. Written ones have a mask other than 0.
struct Group {
  std::uint64_t mask = 0;
  std::uint8_t root = 0;
};

/// A started nbar, nred, nar, nrs, nag or na2a with what it names.
struct Collective {
  isa::Op kind = isa::Op::kNbar;
  std::uint8_t number = 0;  // of the group register
  Group group;
  std::uint32_t dst = 0;
  std::uint32_t src = 0;
  std::uint32_t len = 0;  // words; nbar: 0
  bool max = false;
  bool bf16 = false;

  [[nodiscard]] bool member(std::uint32_t tile) const { return (group.mask >> tile & 1U) != 0; }
  /// Tiles that must start it: the members, and the root except of nrs.
  [[nodiscard]] std::uint64_t parts() const;
  /// Whether a tile completes after all starts.
  [[nodiscard]] bool receives(std::uint32_t tile) const;
  /// Number of members with smaller tile numbers.
  [[nodiscard]] std::uint32_t rank(std::uint32_t tile) const;
  [[nodiscard]] std::uint32_t members() const;
  /// Words of src that a member gives.
  [[nodiscard]] std::uint64_t given_words() const;
  /// Words of dst that a tile which gets something gets.
  [[nodiscard]] std::uint64_t taken_words() const;
  /// Words of dst that a tile gets.
  [[nodiscard]] std::uint64_t got_words(std::uint32_t tile) const;
  /// Tiles that the up trees lead to.
  [[nodiscard]] std::uint64_t roots() const;
};

/// The first thing on which two members disagree: "len is 4, the other's 8"; empty if they agree.
[[nodiscard]] std::string disagreement(const Collective& mine, const Collective& other);

/// What each part gives (by tile number; empty where it gives nothing), and the bytes that each gets at dst.
using Operands = std::array<std::span<const std::uint8_t>, kMaxTiles>;
using Results = std::vector<std::uint8_t>;
[[nodiscard]] Results result_of(const Collective& c, std::uint32_t tile, const Operands& operands);

/// The reduction of docs/net.md, 4: operands of the members (all of one length, a multiple of 32 bytes) joined along
/// the XY tree towards the root.
[[nodiscard]] Results reduce(const Collective& c, std::uint32_t root, const Operands& operands);

/// The routers on the ways of the members to the root, first along the row, then along the column.
[[nodiscard]] std::uint64_t up_routers(std::uint64_t mask, std::uint32_t root);

/// Finds collectives of one group number with different sets or roots whose up trees meet and that nothing orders. A
/// collective is ordered after another if each of its members started it after a completion of the other that received
/// (of nrs, which has many trees: after all of them), or had a part in the other before: its own network keeps order.
class GroupHistory {
 public:
  struct Part {
    Event completion;
    std::uint8_t tile = 0;
    ClockView start;
  };
  struct Conflict {
    Where first;   // of the later one
    Where second;  // of the earlier one
    std::uint8_t router = 0;
  };
  /// A collective that all parts (in the order of their numbers) have started. At most one conflict.
  [[nodiscard]] std::vector<Conflict> add(const Collective& c, const std::vector<Part>& parts);

 private:
  struct Key {
    std::uint8_t number;
    std::uint64_t mask;
    std::uint64_t roots;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Entry {
    std::uint64_t routers = 0;
    std::uint64_t mask = 0;
    bool all = false;              // nrs
    std::vector<Event> receivers;  // their completions
    Where at;                      // of the part with the smallest number
  };
  // The last one of each kind stands for those before it: its members had their part in those.
  std::map<Key, Entry> entries_;
};

}  // namespace tepin::golden
