// SPDX-License-Identifier: Apache-2.0
// A mesh made of one verilated router, instantiated W x H times and wired here at its registers: every output of a
// router is a flip-flop, so all inputs of a cycle are copied before any router is clocked, and the order cannot matter.
// Nothing that includes this header sees Verilator.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tepin::tb::noc {

constexpr int kMaxSide = 8;
enum Port : std::uint8_t { kNorth, kEast, kSouth, kWest, kLocal, kPorts };

struct Coord {
  std::uint8_t x = 0, y = 0;  // x to the east, y to the south
  bool operator==(const Coord&) const = default;
};

/// Output of the router at `at` for a flit to `dst`, as noc_pkg::route: x first.
[[nodiscard]] constexpr Port route(Coord at, Coord dst) {
  if (dst.x != at.x) return dst.x > at.x ? kEast : kWest;
  if (dst.y != at.y) return dst.y > at.y ? kSouth : kNorth;
  return kLocal;
}

using Payload = std::array<std::uint32_t, 16>;  // the low link_bits / 32 words are carried

struct Flit {
  Coord src, dst;
  std::uint8_t age = 0;
  Payload data{};
};

/// What a tile drives on its router in one cycle (all of it registers of the tile).
struct TileIn {
  bool valid = false;
  Flit flit;            // src is the router's to fill in
  bool credit = false;  // the tile has a free slot again for a flit that came
};
/// What the router drives.
struct TileOut {
  bool valid = false;
  Flit flit;
  std::uint8_t credits = 0;  // a bit for each first hop (kLocal: of flits refused): a slot is free again
  bool bad = false;          // a flit was refused: it names a tile outside the mesh, or the sender
  Coord bad_dst;
};

/// A verilated router that there is: slots of buffer a port, of them for one output, payload bits, with assertions.
struct Variant {
  int depth = 4, cap = 4, link_bits = 256;
  bool checked = false;
};

class Mesh {
 public:
  Mesh(int width, int height, const Variant& variant)
      : in(static_cast<std::size_t>(width * height)),
        out(static_cast<std::size_t>(width * height)),
        width_(width),
        height_(height),
        variant_(variant) {}
  virtual ~Mesh() = default;
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;

  /// One clock cycle: `in` is sampled at its rising edge, `out` is what stands after it.
  virtual void step() = 0;

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] std::size_t nodes() const { return in.size(); }
  [[nodiscard]] const Variant& variant() const { return variant_; }
  [[nodiscard]] Coord coord(std::size_t node) const {
    const auto w = static_cast<std::size_t>(width_);
    return {static_cast<std::uint8_t>(node % w), static_cast<std::uint8_t>(node / w)};
  }
  [[nodiscard]] std::size_t node(Coord c) const { return c.y * static_cast<std::size_t>(width_) + c.x; }

  std::vector<TileIn> in;    // by node
  std::vector<TileOut> out;  // by node

 private:
  int width_, height_;
  Variant variant_;
};

/// The verilated routers that were built.
[[nodiscard]] std::vector<Variant> mesh_variants();
/// A mesh of 1x1 to 8x8 that has left reset. Throws std::invalid_argument if no router of that depth, width of link and
/// kind was built, or for a mesh beyond 8x8. seed: of unreset state, for checked ones.
[[nodiscard]] std::unique_ptr<Mesh> make_mesh(int width, int height, int depth, int link_bits, bool checked = false,
                                              std::uint32_t seed = 1);

}  // namespace tepin::tb::noc
