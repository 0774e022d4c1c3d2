// SPDX-License-Identifier: Apache-2.0
// The routers of a mesh, all of one verilated class, joined at their registers: what the meshes of both kinds of
// networks share. Included by the files that name such classes.
#pragma once

#include <verilated.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tb/noc/mesh.h"

namespace tepin::tb::noc {

template <class Model>
class WiredRouters {
 public:
  /// Out of reset. checked: the model has assertions; its state that no reset touches is drawn from the seed.
  WiredRouters(int width, int height, bool checked, std::uint32_t seed) : checked_(checked) {
    if (checked) {
      context_.randReset(2);
      context_.randSeed(static_cast<int>(seed & 0x7fffffffU) | 1);
    }
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        Model& m = *routers_.emplace_back(std::make_unique<Model>(&context_, "router"));
        m.x_i = static_cast<std::uint8_t>(x);
        m.y_i = static_cast<std::uint8_t>(y);
        m.last_x_i = static_cast<std::uint8_t>(width - 1);
        m.last_y_i = static_cast<std::uint8_t>(height - 1);
        m.rst_ni = 1;
        m.clk_i = 0;
        const std::size_t here = routers_.size() - 1;
        if (x > 0) join(here - 1, kEast, here, kWest);
        if (y > 0) join(here - static_cast<std::size_t>(width), kSouth, here, kNorth);
      }
    }
    reset();
  }
  ~WiredRouters() {
    for (const auto& r : routers_) r->final();
  }
  WiredRouters(const WiredRouters&) = delete;
  WiredRouters& operator=(const WiredRouters&) = delete;

  [[nodiscard]] Model& operator[](std::size_t node) { return *routers_[node]; }

  void reset() {
    for (const auto& r : routers_) {
      r->in_valid_i = 0;
      for (std::size_t p = 0; p < kPorts; ++p) r->credit_i[p] = 0;
      r->eval();
      r->rst_ni = 0;  // an asynchronous reset needs an edge
      r->eval();
      r->rst_ni = 1;
      r->eval();
    }
  }

  /// Brings what stands on every router's outputs to its neighbours' inputs; carry(from, out, to, in) copies a flit.
  template <class Carry>
  void connect(const Carry& carry) {
    for (const Link& l : links_) {
      const unsigned valid = (l.from->out_valid_o >> l.out) & 1U;
      const unsigned bit = 1U << l.in;
      l.to->in_valid_i = static_cast<CData>((l.to->in_valid_i & ~bit) | (valid << l.in));
      if (valid != 0) carry(*l.from, l.out, *l.to, l.in);
      l.from->credit_i[l.out] = l.to->credit_o[l.in];
    }
  }

  /// One clock. Inputs were set before: assertions see them with the logic that depends on them.
  void clock() {
    for (const auto& r : routers_) {
      if (checked_) r->eval();
      r->clk_i = 1;
      r->eval();
    }
    context_.timeInc(1);
    for (const auto& r : routers_) {
      r->clk_i = 0;
      r->eval();
    }
    context_.timeInc(1);
  }

 private:
  struct Link {
    Model *from, *to;
    std::size_t out, in;  // port of from, port of to
  };
  void join(std::size_t a, Port pa, std::size_t b, Port pb) {
    links_.push_back({routers_[a].get(), routers_[b].get(), pa, pb});
    links_.push_back({routers_[b].get(), routers_[a].get(), pb, pa});
  }

  VerilatedContext context_;
  std::vector<std::unique_ptr<Model>> routers_;
  std::vector<Link> links_;
  bool checked_;
};

}  // namespace tepin::tb::noc
