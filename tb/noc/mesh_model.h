// SPDX-License-Identifier: Apache-2.0
// A mesh of one class of verilated routers. Included by the file that names such classes.
#pragma once

#include <verilated.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "tb/noc/mesh.h"

namespace tepin::tb::noc {

template <class Model>
class MeshModel final : public Mesh {
 public:
  MeshModel(int width, int height, const Variant& variant, std::uint32_t seed) : Mesh(width, height, variant) {
    if (variant.checked) {
      context_.randReset(2);
      context_.randSeed(static_cast<int>(seed & 0x7fffffffU) | 1);
    }
    for (std::size_t n = 0; n < nodes(); ++n) {
      routers_.push_back(std::make_unique<Model>(&context_, "router"));
      Model& m = *routers_.back();
      const Coord at = coord(n);
      m.x_i = at.x;
      m.y_i = at.y;
      m.last_x_i = static_cast<std::uint8_t>(width - 1);
      m.last_y_i = static_cast<std::uint8_t>(height - 1);
      m.in_valid_i = 0;
      for (std::size_t p = 0; p < kPorts; ++p) m.credit_i[p] = 0;
      m.clk_i = 0;
      m.rst_ni = 1;
      m.eval();
      m.rst_ni = 0;  // an asynchronous reset needs an edge
      m.eval();
      m.clk_i = 1;
      m.eval();
      m.clk_i = 0;
      m.rst_ni = 1;
      m.eval();
    }
    for (std::size_t n = 0; n < nodes(); ++n) {
      const Coord at = coord(n);
      if (at.x + 1 < width) join(n, kEast, node({static_cast<std::uint8_t>(at.x + 1), at.y}), kWest);
      if (at.y + 1 < height) join(n, kSouth, node({at.x, static_cast<std::uint8_t>(at.y + 1)}), kNorth);
    }
  }
  ~MeshModel() override {
    for (const auto& r : routers_) r->final();
  }

  void step() override {
    for (std::size_t n = 0; n < nodes(); ++n) drive(*routers_[n], in[n]);
    for (const Link& l : links_) copy(l);
    for (const auto& r : routers_) {
      r->clk_i = 1;
      r->eval();
    }
    context_.timeInc(1);
    for (std::size_t n = 0; n < nodes(); ++n) sample(*routers_[n], out[n]);
    for (const auto& r : routers_) {
      r->clk_i = 0;
      r->eval();
    }
    context_.timeInc(1);
  }

 private:
  static constexpr unsigned kCoordBits = 6, kDstShift = 0, kSrcShift = 6, kAgeShift = 12, kAgeMask = 15;

  struct Link {
    Model *from, *to;
    std::size_t out, in;  // port of from, port of to
  };
  void join(std::size_t a, Port pa, std::size_t b, Port pb) {
    links_.push_back({routers_[a].get(), routers_[b].get(), pa, pb});
    links_.push_back({routers_[b].get(), routers_[a].get(), pb, pa});
  }
  static void copy(const Link& l) {
    const unsigned valid = (l.from->out_valid_o >> l.out) & 1U;
    const unsigned bit = 1U << l.in;
    l.to->in_valid_i = static_cast<CData>((l.to->in_valid_i & ~bit) | (valid << l.in));
    if (valid != 0) {
      l.to->in_head_i[l.in] = l.from->out_head_o[l.out];
      l.to->in_data_i[l.in] = l.from->out_data_o[l.out];
    }
    l.from->credit_i[l.out] = l.to->credit_o[l.in];
  }
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

  VerilatedContext context_;
  std::vector<std::unique_ptr<Model>> routers_;
  std::vector<Link> links_;
};

}  // namespace tepin::tb::noc
