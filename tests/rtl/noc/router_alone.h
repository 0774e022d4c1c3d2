// SPDX-License-Identifier: Apache-2.0
// A router alone, its neighbours and tile played by the test: what tests of every kind of router share.
#pragma once

#include <verilated.h>

#include <memory>

#include "tb/noc/mesh.h"

namespace tepin::tb::noc {

template <class Model>
class RouterAlone {
 public:
  RouterAlone(Coord at, Coord last, int seed) {
    context_.randReset(2);
    context_.randSeed(seed);
    model = std::make_unique<Model>(&context_, "router");
    model->x_i = at.x;
    model->y_i = at.y;
    model->last_x_i = last.x;
    model->last_y_i = last.y;
    idle();
    model->clk_i = 0;
    model->rst_ni = 1;
    model->eval();
    model->rst_ni = 0;
    model->eval();
    model->rst_ni = 1;
    model->eval();
  }
  ~RouterAlone() { model->final(); }
  RouterAlone(const RouterAlone&) = delete;
  RouterAlone& operator=(const RouterAlone&) = delete;

  void idle() {
    model->in_valid_i = 0;
    for (std::size_t p = 0; p < kPorts; ++p) model->credit_i[p] = 0;
  }
  /// A credit from the neighbour behind `p`, of a queue or group.
  void credit(Port p, unsigned which = 0) { model->credit_i[p] = static_cast<CData>(model->credit_i[p] | 1U << which); }
  /// To the next cycle; then nothing is driven.
  void clock() {
    model->eval();  // assertions see what logic had before the edge
    model->clk_i = 1;
    model->eval();
    model->clk_i = 0;
    model->eval();
    context_.timeInc(1);
    idle();
  }
  [[nodiscard]] bool valid(Port p) const { return (model->out_valid_o >> p & 1U) != 0; }

 private:
  VerilatedContext context_;  // outlives the model

 public:
  std::unique_ptr<Model> model;
};

}  // namespace tepin::tb::noc
