// SPDX-License-Identifier: Apache-2.0
// One verilated router of up or dn (with assertions) whose five neighbours are the test. What the outputs may send
// without waiting is the test's affair: it gives the credits.
#pragma once

#include <gtest/gtest.h>
#include <verilated.h>

#include <array>
#include <cstdint>
#include <memory>

#include "tb/noc/coll.h"

namespace tepin::tb::noc {

template <class Model, class Flit>
class CollPins {
 public:
  explicit CollPins(int link_bits, Coord at = {3, 3}, Coord last = {7, 7}, int seed = 7)
      : words_(static_cast<std::size_t>(link_bits) / 32) {
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
  ~CollPins() { model->final(); }
  CollPins(const CollPins&) = delete;
  CollPins& operator=(const CollPins&) = delete;

  void idle() {
    model->in_valid_i = 0;
    for (std::size_t p = 0; p < kPorts; ++p) model->credit_i[p] = 0;
  }
  void put(Port p, const Flit& f) {
    model->in_valid_i = static_cast<CData>(model->in_valid_i | 1U << p);
    if constexpr (requires { f.head; }) {
      model->in_ctl_i[p] = pack_ctl(f);
    } else {
      pack_ctl(f, model->in_ctl_i[p]);
    }
    for (std::size_t i = 0; i < words_; ++i) model->in_data_i[p][i] = f.data[i];
  }
  /// A credit from the neighbour behind `p` (up: of a group).
  void credit(Port p, unsigned group = 0) { model->credit_i[p] = static_cast<CData>(model->credit_i[p] | 1U << group); }
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
  /// The same with a credit for whatever is on an output: its receiver passes everything on at once.
  void clock_taking() {
    for (unsigned p = 0; p < kPorts; ++p)
      if (valid(static_cast<Port>(p))) credit(static_cast<Port>(p), out(static_cast<Port>(p)).group * kGroupCredits);
    clock();
  }

  [[nodiscard]] bool valid(Port p) const { return (model->out_valid_o >> p & 1U) != 0; }
  [[nodiscard]] Flit out(Port p) const {
    EXPECT_TRUE(valid(p)) << "port " << int{p};
    Flit f;
    unpack_ctl(model->out_ctl_o[p], f);
    for (std::size_t i = 0; i < words_; ++i) f.data[i] = model->out_data_o[p][i];
    return f;
  }
  [[nodiscard]] unsigned credits(Port p) const { return model->credit_o[p]; }
  [[nodiscard]] std::size_t words() const { return words_; }

 private:
  static constexpr unsigned kGroupCredits = requires(Flit f) { f.head; }
  ? 1 : 0;                    // dn has one credit for all groups
  VerilatedContext context_;  // outlives the model
  std::size_t words_;

 public:
  std::unique_ptr<Model> model;
};

}  // namespace tepin::tb::noc
