// SPDX-License-Identifier: Apache-2.0
// A mesh of one class of verilated routers. Included by the file that names such classes.
#pragma once

#include "tb/noc/wired_routers.h"

namespace tepin::tb::noc {

template <class Model>
class MeshModel final : public Mesh {
 public:
  MeshModel(int width, int height, const Variant& variant, std::uint32_t seed)
      : Mesh(width, height, variant), routers_(width, height, variant.checked, seed) {}

  void step() override {
    for (std::size_t n = 0; n < nodes(); ++n) drive(routers_[n], in[n]);
    routers_.connect([](const Model& from, std::size_t out, Model& to, std::size_t in) {
      to.in_head_i[in] = from.out_head_o[out];
      to.in_data_i[in] = from.out_data_o[out];
    });
    routers_.clock();
    for (std::size_t n = 0; n < nodes(); ++n) sample(routers_[n], out[n]);
  }

 private:
  static constexpr unsigned kCoordBits = 6, kDstShift = 0, kSrcShift = 6, kAgeShift = 12, kAgeMask = 15;

  static unsigned pack(Coord c) { return static_cast<unsigned>(c.x) << 3 | c.y; }
  static Coord unpack(unsigned v) { return {static_cast<std::uint8_t>(v >> 3 & 7), static_cast<std::uint8_t>(v & 7)}; }
  void drive(Model& m, const TileIn& t) const {
    constexpr unsigned bit = 1U << kLocal;
    m.in_valid_i = static_cast<CData>((m.in_valid_i & ~bit) | (t.valid ? bit : 0U));
    m.credit_i[kLocal] = t.credit ? bit : 0;
    if (!t.valid) return;
    m.in_head_i[kLocal] = pack(t.flit.dst) << kDstShift | static_cast<unsigned>(t.flit.age & kAgeMask) << kAgeShift;
    for (std::size_t i = 0; i < words(); ++i) m.in_data_i[kLocal][i] = t.flit.data[i];
  }
  void sample(Model& m, TileOut& t) const {
    t.valid = (m.out_valid_o >> kLocal & 1U) != 0;
    t.credits = m.credit_o[kLocal];
    t.bad = m.bad_valid_o != 0;
    if (t.bad) t.bad_dst = unpack(m.bad_dst_o);
    if (!t.valid) return;
    const unsigned head = m.out_head_o[kLocal];
    t.flit.dst = unpack(head >> kDstShift);
    t.flit.src = unpack(head >> kSrcShift);
    t.flit.age = static_cast<std::uint8_t>(head >> kAgeShift & kAgeMask);
    for (std::size_t i = 0; i < words(); ++i) t.flit.data[i] = m.out_data_o[kLocal][i];
  }
  [[nodiscard]] std::size_t words() const { return static_cast<std::size_t>(variant().link_bits) / 32; }

  WiredRouters<Model> routers_;
};

}  // namespace tepin::tb::noc
