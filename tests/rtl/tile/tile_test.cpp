// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <verilated.h>

#include <memory>
#include <random>
#include <vector>

#include "Vtile_fast.h"

namespace {

/// Everything the tile drives, as one vector.
std::vector<std::uint64_t> outputs(const Vtile_fast& m) {
  std::vector<std::uint64_t> o;
  for (std::size_t p = 0; p < 2; ++p) {
    for (const std::uint64_t v :
         {std::uint64_t{m.ar_valid_o[p]}, std::uint64_t{m.ar_id_o[p]}, std::uint64_t{m.ar_addr_o[p]},
          std::uint64_t{m.ar_len_o[p]}, std::uint64_t{m.r_ready_o[p]}, std::uint64_t{m.aw_valid_o[p]},
          std::uint64_t{m.aw_id_o[p]}, std::uint64_t{m.aw_addr_o[p]}, std::uint64_t{m.aw_len_o[p]},
          std::uint64_t{m.w_valid_o[p]}, std::uint64_t{m.w_strb_o[p]}, std::uint64_t{m.w_last_o[p]},
          std::uint64_t{m.b_ready_o[p]}}) {
      o.push_back(v);
    }
    for (std::size_t i = 0; i < 8; ++i) o.push_back(m.w_data_o[p][i]);
  }
  for (const std::uint64_t v : {std::uint64_t{m.s_aw_ready_o}, std::uint64_t{m.s_w_ready_o},
                                std::uint64_t{m.s_b_valid_o}, std::uint64_t{m.s_b_id_o}, std::uint64_t{m.s_b_resp_o},
                                std::uint64_t{m.s_ar_ready_o}, std::uint64_t{m.s_r_valid_o}, std::uint64_t{m.s_r_id_o},
                                std::uint64_t{m.s_r_resp_o}, std::uint64_t{m.s_r_last_o}, std::uint64_t{m.l_aw_ready_o},
                                std::uint64_t{m.l_w_ready_o}, std::uint64_t{m.l_b_valid_o}, std::uint64_t{m.l_b_resp_o},
                                std::uint64_t{m.l_ar_ready_o}, std::uint64_t{m.l_r_valid_o},
                                std::uint64_t{m.l_r_data_o}, std::uint64_t{m.l_r_resp_o}, std::uint64_t{m.irq_o}}) {
    o.push_back(v);
  }
  for (std::size_t i = 0; i < 8; ++i) o.push_back(m.s_r_data_o[i]);
  return o;
}

/// Random values on every input. Transactions begin at random; responses come only for what the tile may have asked.
void randomise(Vtile_fast& m, std::mt19937_64& rng) {
  const auto bit = [&] { return static_cast<std::uint8_t>(rng() & 1); };
  for (std::size_t p = 0; p < 2; ++p) {
    m.ar_ready_i[p] = bit();
    m.aw_ready_i[p] = bit();
    m.w_ready_i[p] = bit();
    m.r_valid_i[p] = bit();
    m.r_id_i[p] = static_cast<std::uint8_t>(rng() % 17);
    m.r_resp_i[p] = static_cast<std::uint8_t>(rng() % 4);
    m.r_last_i[p] = bit();
    m.b_valid_i[p] = bit();
    m.b_id_i[p] = static_cast<std::uint8_t>(rng() % 17);
    m.b_resp_i[p] = static_cast<std::uint8_t>(rng() % 4);
    for (std::size_t i = 0; i < 8; ++i) m.r_data_i[p][i] = static_cast<std::uint32_t>(rng());
  }
  m.s_aw_valid_i = bit();
  m.s_aw_addr_i = rng() & 0x7fffffffffULL;
  m.s_aw_len_i = static_cast<std::uint8_t>(rng() % 4);
  m.s_w_valid_i = bit();
  m.s_w_last_i = bit();
  m.s_w_strb_i = static_cast<std::uint32_t>(rng());
  m.s_b_ready_i = bit();
  m.s_ar_valid_i = bit();
  m.s_ar_addr_i = rng() & 0x3ffff;
  m.s_ar_len_i = static_cast<std::uint8_t>(rng() % 4);
  m.s_r_ready_i = bit();
  m.l_aw_valid_i = bit();
  m.l_aw_addr_i = static_cast<std::uint8_t>(rng());
  m.l_w_valid_i = bit();
  m.l_w_data_i = static_cast<std::uint32_t>(rng());
  m.l_w_strb_i = 15;
  m.l_b_ready_i = bit();
  m.l_ar_valid_i = bit();
  m.l_ar_addr_i = static_cast<std::uint8_t>(rng());
  m.l_r_ready_i = bit();
}

// The promise at the tile's boundary: every output is a flip-flop, so no input shows on an output before the next edge.
TEST(Tile, NoOutputFollowsAnInputWithinACycle) {
  VerilatedContext context;
  Vtile_fast m(&context);
  std::mt19937_64 rng(14);
  m.rst_ni = 1;
  m.eval();
  m.rst_ni = 0;
  m.eval();
  int changes = 0;
  std::vector<std::uint64_t> last;
  for (int cycle = 0; cycle < 4000; ++cycle) {
    m.rst_ni = cycle > 3;
    m.clk_i = 1;
    m.eval();
    const auto after_edge = outputs(m);
    if (after_edge != last) ++changes;
    last = after_edge;
    for (int i = 0; i < 3; ++i) {
      randomise(m, rng);
      m.eval();
      ASSERT_EQ(outputs(m), after_edge) << "cycle " << cycle;
    }
    m.clk_i = 0;
    m.eval();
    ASSERT_EQ(outputs(m), after_edge) << "cycle " << cycle;
  }
  EXPECT_GT(changes, 1000) << "the outputs must move for this to mean anything";
  m.final();
}

}  // namespace
