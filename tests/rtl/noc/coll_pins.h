// SPDX-License-Identifier: Apache-2.0
// One verilated router of up or dn (with assertions) whose five neighbours are the test. What the outputs may send
// without waiting is the test's affair: it gives the credits.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "router_alone.h"
#include "tb/noc/coll.h"

namespace tepin::tb::noc {

template <class Model, class Flit>
class CollPins : public RouterAlone<Model> {
 public:
  using RouterAlone<Model>::clock;
  using RouterAlone<Model>::credit;
  using RouterAlone<Model>::model;
  using RouterAlone<Model>::valid;
  explicit CollPins(int link_bits, Coord at = {3, 3}, Coord last = {7, 7}, int seed = 7)
      : RouterAlone<Model>(at, last, seed), words_(static_cast<std::size_t>(link_bits) / 32) {}

  void put(Port p, const Flit& f) {
    model->in_valid_i = static_cast<CData>(model->in_valid_i | 1U << p);
    if constexpr (requires { f.head; }) {
      model->in_ctl_i[p] = pack_ctl(f);
    } else {
      pack_ctl(f, model->in_ctl_i[p]);
    }
    for (std::size_t i = 0; i < words_; ++i) model->in_data_i[p][i] = f.data[i];
  }
  /// To the next cycle, with a credit for whatever is on an output: its receiver passes everything on at once.
  void clock_taking() {
    for (unsigned p = 0; p < kPorts; ++p)
      if (valid(static_cast<Port>(p))) credit(static_cast<Port>(p), out(static_cast<Port>(p)).group * kGroupCredits);
    clock();
  }

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
  ? 1 : 0;  // dn has one credit for all groups
  std::size_t words_;
};

}  // namespace tepin::tb::noc
