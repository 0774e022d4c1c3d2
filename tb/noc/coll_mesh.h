// SPDX-License-Identifier: Apache-2.0
// A mesh of verilated routers of up or dn, wired at their registers like tb/noc/mesh.h. The tiles are the caller's:
// what they drive is registers, credits as in rtl/noc/noc_up_sender.sv and noc_dn_sender.sv.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tb/noc/coll.h"

namespace tepin::tb::noc {

/// A verilated router that there is. slots: up: shared ones of an input; dn: of an input.
struct CollVariant {
  unsigned slots = 4;
  int link_bits = 256;
  bool checked = false;
  bool operator==(const CollVariant&) const = default;
};

template <class Flit>
class CollMesh {
 public:
  struct In {
    bool valid = false;
    Flit flit;
    std::uint8_t credit = 0;  // up: bit = group; dn: bit 0
  };
  struct Out {
    bool valid = false;
    Flit flit;
    std::uint8_t credits = 0;
    bool idle = true;
    bool mismatch = false;  // up
    std::uint8_t mismatch_group = 0;
  };

  CollMesh(int width, int height, const CollVariant& variant)
      : in(static_cast<std::size_t>(width * height)),
        out(in.size()),
        width_(width),
        height_(height),
        variant_(variant) {}
  virtual ~CollMesh() = default;
  CollMesh(const CollMesh&) = delete;
  CollMesh& operator=(const CollMesh&) = delete;

  /// One clock cycle: `in` is sampled at its rising edge, `out` is what stands after it.
  virtual void step() = 0;
  /// Back to the state after reset.
  virtual void reset() = 0;
  /// Flits on links between routers so far.
  [[nodiscard]] std::uint64_t hops() const { return hops_; }

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] std::size_t nodes() const { return in.size(); }
  [[nodiscard]] const CollVariant& variant() const { return variant_; }
  [[nodiscard]] std::size_t words() const { return static_cast<std::size_t>(variant_.link_bits) / 32; }
  [[nodiscard]] Coord coord(std::size_t node) const {
    const auto w = static_cast<std::size_t>(width_);
    return {static_cast<std::uint8_t>(node % w), static_cast<std::uint8_t>(node / w)};
  }
  [[nodiscard]] std::size_t node(Coord c) const { return c.y * static_cast<std::size_t>(width_) + c.x; }

  std::vector<In> in;
  std::vector<Out> out;

 protected:
  std::uint64_t hops_ = 0;

 private:
  int width_, height_;
  CollVariant variant_;
};
using UpMesh = CollMesh<UpFlit>;
using DnMesh = CollMesh<DnFlit>;

/// The verilated routers that were built.
[[nodiscard]] std::vector<CollVariant> up_variants();
[[nodiscard]] std::vector<CollVariant> dn_variants();
/// A mesh of 1x1 to 8x8 that has left reset. Throws std::invalid_argument for another size, or a router that was not
/// built.
[[nodiscard]] std::unique_ptr<UpMesh> make_up_mesh(int width, int height, const CollVariant& variant,
                                                   std::uint32_t seed = 1);
[[nodiscard]] std::unique_ptr<DnMesh> make_dn_mesh(int width, int height, const CollVariant& variant,
                                                   std::uint32_t seed = 1);

}  // namespace tepin::tb::noc
