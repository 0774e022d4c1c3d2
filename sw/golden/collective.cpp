// SPDX-License-Identifier: Apache-2.0
#include "sw/golden/collective.h"

#include <algorithm>
#include <bit>

namespace tepin::golden {
namespace {

constexpr std::uint64_t kWordBytes = 32;

bool reduces(isa::Op kind) { return kind == isa::Op::kNred || kind == isa::Op::kNar || kind == isa::Op::kNrs; }

std::string hex(std::uint64_t v) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  do {
    out.insert(out.begin(), kDigits[v & 15U]);
    v >>= 4;
  } while (v != 0);
  return "0x" + out;
}

}  // namespace

std::uint64_t Collective::parts() const { return kind == isa::Op::kNrs ? group.mask : group.mask | bit_of(group.root); }

bool Collective::receives(std::uint32_t tile) const {
  if (kind == isa::Op::kNred) return tile == group.root;
  return member(tile) || (kind == isa::Op::kNbar && tile == group.root);
}

std::uint32_t Collective::rank(std::uint32_t tile) const {
  return static_cast<std::uint32_t>(std::popcount(group.mask & (bit_of(tile) - 1)));
}

std::uint32_t Collective::members() const { return static_cast<std::uint32_t>(std::popcount(group.mask)); }

std::uint64_t Collective::given_words() const {
  const bool chunks = kind == isa::Op::kNrs || kind == isa::Op::kNa2a;
  return std::uint64_t{len} * (chunks ? members() : 1);
}

std::uint64_t Collective::taken_words() const {
  const bool pieces = kind == isa::Op::kNag || kind == isa::Op::kNa2a;
  return std::uint64_t{len} * (pieces ? members() : 1);
}

std::uint64_t Collective::got_words(std::uint32_t tile) const {
  return (kind == isa::Op::kNred ? tile != group.root : !member(tile)) ? 0 : taken_words();
}

std::uint64_t Collective::roots() const { return kind == isa::Op::kNrs ? group.mask : bit_of(group.root); }

std::string disagreement(const Collective& mine, const Collective& other) {
  const auto number = [](std::string_view name, std::uint64_t a, std::uint64_t b) {
    return a == b ? std::string()
                  : std::string(name) + " is " + std::to_string(a) + ", the other's " + std::to_string(b);
  };
  if (mine.kind != other.kind) return "they are different instructions";
  if (mine.group.mask != other.group.mask)
    return "mask is " + hex(mine.group.mask) + ", the other's " + hex(other.group.mask);
  std::string why = number("root", mine.group.root, other.group.root);
  if (why.empty()) why = number("len", mine.len, other.len);
  if (why.empty()) why = number("max", mine.max ? 1 : 0, other.max ? 1 : 0);
  if (why.empty()) why = number("bf16", mine.bf16 ? 1 : 0, other.bf16 ? 1 : 0);
  const bool same_dst = mine.kind == isa::Op::kNag || mine.kind == isa::Op::kNa2a;
  if (why.empty() && same_dst && mine.dst != other.dst)
    why = "dst is " + hex(mine.dst) + ", the other's " + hex(other.dst);
  return why;
}

Results result_of(const Collective& c, std::uint32_t tile, const Operands& operands) {
  if (c.got_words(tile) == 0) return {};
  const std::uint64_t piece = c.len * kWordBytes;
  const std::uint64_t mine = c.rank(tile) * piece;
  if (reduces(c.kind)) {
    if (c.kind != isa::Op::kNrs) return reduce(c, c.group.root, operands);
    Operands chunks;
    for (std::uint32_t t = 0; t < kMaxTiles; ++t) {
      if (c.member(t)) chunks[t] = operands[t].subspan(mine, piece);
    }
    return reduce(c, tile, chunks);
  }
  Results out;
  for (std::uint32_t t = 0; t < kMaxTiles; ++t) {
    if (!c.member(t)) continue;
    const auto from = c.kind == isa::Op::kNag ? operands[t] : operands[t].subspan(mine, piece);
    out.insert(out.end(), from.begin(), from.end());
  }
  return out;
}

std::vector<GroupHistory::Conflict> GroupHistory::add(const Collective& c, const std::vector<Part>& parts) {
  std::uint64_t routers = 0;
  for (std::uint32_t t = 0; t < kMaxTiles; ++t) {
    if ((c.roots() >> t & 1U) != 0) routers |= up_routers(c.group.mask, t);
  }
  const Key key{c.number, c.group.mask, c.roots()};
  for (const auto& [k, e] : entries_) {
    if (k.number != c.number || k == key || (e.routers & routers) == 0) continue;
    for (const Part& p : parts) {
      if (!c.member(p.tile) || (e.mask >> p.tile & 1U) != 0) continue;
      const auto after = [&](const Event& r) { return happened(r, p.start); };
      const bool ordered = e.all ? std::all_of(e.receivers.begin(), e.receivers.end(), after)
                                 : std::any_of(e.receivers.begin(), e.receivers.end(), after);
      if (!ordered) return {{p.completion.at, e.at, static_cast<std::uint8_t>(std::countr_zero(e.routers & routers))}};
    }
  }
  Entry& e = entries_[key];
  e = {routers, c.group.mask, c.kind == isa::Op::kNrs, {}, parts.front().completion.at};
  for (const Part& p : parts) {
    if (c.receives(p.tile)) e.receivers.push_back(p.completion);
  }
  return {};
}

}  // namespace tepin::golden
