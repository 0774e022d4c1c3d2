// SPDX-License-Identifier: Apache-2.0
// The order of a reduction (docs/net.md, 4): what the up routers compute, as a recursion from the root outwards.
#include <bit>
#include <optional>
#include <vector>

#include "sw/golden/collective.h"
#include "sw/golden/fp32.h"
#include "sw/golden/functions.h"

namespace tepin::golden {
namespace {

using Values = std::optional<std::vector<std::uint32_t>>;  // as on the wire; nothing if no member is on that side

constexpr int kSide = static_cast<int>(isa::kMaxMesh);

struct Xy {
  int x;
  int y;
};
Xy place_of(std::uint32_t tile) { return {static_cast<int>(tile) % kSide, static_cast<int>(tile) / kSide}; }
std::uint32_t tile_at(Xy p) { return static_cast<std::uint32_t>(kSide * p.y + p.x); }
bool inside(Xy p) { return p.x >= 0 && p.x < kSide && p.y >= 0 && p.y < kSide; }

class Tree {
 public:
  Tree(const Collective& c, std::uint32_t root, const Operands& operands)
      : c_(c), root_(place_of(root)), operands_(operands) {}

  /// What the router at p sends towards the root (at the root: the result).
  [[nodiscard]] Values sent(Xy p) const {
    if (!inside(p)) return {};
    // A side feeds this router if the way to the root leads from there to here.
    const Values w = p.x <= root_.x ? sent({p.x - 1, p.y}) : Values{};
    const Values e = p.x >= root_.x ? sent({p.x + 1, p.y}) : Values{};
    const bool column = p.x == root_.x;
    const Values n = column && p.y <= root_.y ? sent({p.x, p.y - 1}) : Values{};
    const Values s = column && p.y >= root_.y ? sent({p.x, p.y + 1}) : Values{};
    const Values l = own(p);
    const int inputs =
        int{w.has_value()} + int{e.has_value()} + int{n.has_value()} + int{s.has_value()} + int{l.has_value()};
    if (inputs < 2) return w ? w : e ? e : n ? n : s ? s : l;
    return narrowed(join(join(join(widened(w), widened(e)), join(widened(n), widened(s))), widened(l)));
  }

 private:
  [[nodiscard]] Values own(Xy p) const {
    const auto bytes = operands_[tile_at(p)];
    if (!c_.member(tile_at(p))) return {};
    const std::size_t size = c_.bf16 ? 2 : 4;
    std::vector<std::uint32_t> v(bytes.size() / size);
    for (std::size_t i = 0; i < bytes.size(); ++i) v[i / size] |= std::uint32_t{bytes[i]} << (8 * (i % size));
    return v;
  }
  [[nodiscard]] Values widened(Values v) const {
    if (v && c_.bf16) {
      for (std::uint32_t& x : *v) x = bf16_to_fp32(static_cast<std::uint16_t>(x));
    }
    return v;
  }
  [[nodiscard]] Values narrowed(Values v) const {
    if (v && c_.bf16) {
      for (std::uint32_t& x : *v) x = fp32_to_bf16(x);
    }
    return v;
  }
  [[nodiscard]] Values join(Values a, const Values& b) const {
    if (!a) return b;
    if (!b) return a;
    for (std::size_t i = 0; i < a->size(); ++i) {
      std::uint32_t& x = (*a)[i];
      x = c_.max ? fp32_max(x, (*b)[i]) : fp32_add(x, (*b)[i]);
    }
    return a;
  }

  const Collective& c_;
  Xy root_;
  const Operands& operands_;
};

}  // namespace

Results reduce(const Collective& c, std::uint32_t root, const Operands& operands) {
  const Values sum = Tree(c, root, operands).sent(place_of(root));
  Results out;
  for (const std::uint32_t v : sum.value()) {
    for (int i = 0; i < (c.bf16 ? 2 : 4); ++i) out.push_back(static_cast<std::uint8_t>(v >> (8 * i)));
  }
  return out;
}

std::uint64_t up_routers(std::uint64_t mask, std::uint32_t root) {
  const Xy to = place_of(root);
  std::uint64_t routers = 0;
  for (; mask != 0; mask &= mask - 1) {
    Xy p = place_of(static_cast<std::uint32_t>(std::countr_zero(mask)));
    routers |= bit_of(tile_at(p));
    while (p.x != to.x || p.y != to.y) {
      if (p.x != to.x) {
        p.x += p.x < to.x ? 1 : -1;
      } else {
        p.y += p.y < to.y ? 1 : -1;
      }
      routers |= bit_of(tile_at(p));
    }
  }
  return routers;
}

}  // namespace tepin::golden
