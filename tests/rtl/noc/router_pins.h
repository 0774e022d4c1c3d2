// SPDX-License-Identifier: Apache-2.0
// One verilated router (4 slots a port, with assertions) whose five neighbours are the test.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "Vnoc_d4_checked.h"
#include "router_alone.h"

namespace tepin::tb::noc {

constexpr int kDepth = 4;

struct Sent {
  Coord src, dst;
  unsigned age = 0, hop = 0;
  std::uint32_t id = 0;
};

class RouterPins : public RouterAlone<Vnoc_d4_checked> {
 public:
  explicit RouterPins(Coord at = {3, 3}, Coord last = {7, 7}) : RouterAlone(at, last, 7) {}

  /// What stands on input `p` in this cycle. hop: output here.
  void put(Port p, const Sent& s) {
    model->in_valid_i = static_cast<CData>(model->in_valid_i | 1U << p);
    model->in_head_i[p] = s.hop << 16 | s.age << 12 | pack(s.src) << 6 | pack(s.dst);
    for (std::uint32_t i = 0; i < 4; ++i) model->in_data_i[p][i] = s.id * 4 + i;
  }
  /// From the tile: the router fills in source and hop, so they are garbage here.
  void put_local(Coord dst, std::uint32_t id, unsigned age = 0) { put(kLocal, {{7, 5}, dst, age, 6, id}); }
  /// From a neighbour.
  void put_from(Port p, Coord dst, std::uint32_t id, unsigned age = 0) {
    put(p, {{1, 2}, dst, age, route({model->x_i, model->y_i}, dst), id});
  }
  [[nodiscard]] Sent out(Port p) const {
    const unsigned h = model->out_head_o[p];
    EXPECT_TRUE(valid(p)) << "port " << int{p};
    for (std::uint32_t i = 0; i < 4; ++i) {
      EXPECT_EQ(model->out_data_o[p][i], model->out_data_o[p][0] + i);
    }
    return {unpack(h >> 6), unpack(h), h >> 12 & 15, h >> 16 & 7, model->out_data_o[p][0] / 4};
  }

  [[nodiscard]] bool credits_none() const {
    for (std::size_t p = 0; p < kPorts; ++p)
      if (model->credit_o[p] != 0) return false;
    return true;
  }

 private:
  static unsigned pack(Coord c) { return static_cast<unsigned>(c.x) << 3 | c.y; }
  static Coord unpack(unsigned v) { return {static_cast<std::uint8_t>(v >> 3 & 7), static_cast<std::uint8_t>(v & 7)}; }
};

}  // namespace tepin::tb::noc
