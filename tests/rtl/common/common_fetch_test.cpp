// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <deque>

#include "tests/rtl/units.h"

namespace {

using tepin::rtl_test::Rng;
using tepin::rtl_test::Units;

/// Word w holds 1000 + w in its lowest bits.
void fill(Units& u) {
  while (!u->sd_ready_o) u.tick();
  for (std::uint32_t w = 0; w < 64; ++w) {
    u->sd_wr_valid_i[0] = 1;
    u->sd_wr_word_i[0] = static_cast<std::uint8_t>(w);
    u->sd_wr_strb_i[0] = 0xffffffffU;
    u->sd_wr_data_i[0][0] = 1000 + w;
    u.tick();
  }
  u->sd_wr_valid_i[0] = 0;
}

TEST(CommonFetch, DeliversEveryEntryWholeAndInOrderUnderBankConflicts) {
  Units u;
  fill(u);
  Rng rng(3);
  std::deque<std::array<int, 2>> model;  // word, lanes
  std::uint32_t word = 0, lanes = 15;
  int got = 0, waited = 0, pairs = 0;
  for (int t = 0; t < 5000; ++t) {
    if (!u->fe_req_valid_i) {
      u->fe_req_valid_i = rng() % 4 != 0;
      word = rng() % 60;
      lanes = (1U << (1 + rng() % 4)) - 1;
    }
    u->fe_req_word_i = static_cast<std::uint8_t>(word);
    u->fe_req_lanes_i = static_cast<std::uint8_t>(lanes);
    u->fe_out_ready_i = rng() % 3 != 0;
    // Now and then both of the two oldest entries.
    u->fe_out_two_i = 0;
    u.settle();
    EXPECT_LE(u->fe_out_both_o, u->fe_out_valid_o);
    u->fe_out_two_i = u->fe_out_both_o && rng() % 2;
    // Another reader takes banks away (lane 4 is behind the fetcher, writes too, until they have lost 15 times).
    u->sd_wr_valid_i[1] = rng() % 2;
    u->sd_wr_word_i[1] = 63;
    u->sd_wr_strb_i[1] = 0;
    u.settle();
    const bool taken = u->fe_req_valid_i && u->fe_req_ready_o;
    if (u->fe_req_valid_i && !taken) ++waited;
    if (u->fe_out_valid_o && u->fe_out_ready_i) {
      for (int e = 0; e <= u->fe_out_two_i; ++e) {
        ASSERT_FALSE(model.empty());
        for (int l = 0; l < 4; ++l) {
          if ((model.front()[1] >> l & 1) != 0) {
            ASSERT_EQ(e == 0 ? u->fe_out_o[l] : u->fe_next_o[l],
                      1000U + static_cast<std::uint32_t>(model.front()[0] + l));
          }
        }
        model.pop_front();
        ++got;
        pairs += e;
      }
    }
    if (taken) model.push_back({static_cast<int>(word), static_cast<int>(lanes)});
    u.tick();
    if (taken) u->fe_req_valid_i = 0;
  }
  EXPECT_GT(got, 1000);
  EXPECT_GT(waited, 0);
  EXPECT_GT(pairs, 200);
}

TEST(CommonFetch, DeliversAnEntryTwoCyclesAfterItsRequest) {
  Units u;
  fill(u);
  u->fe_req_valid_i = 1;
  u->fe_req_word_i = 5;
  u->fe_req_lanes_i = 15;
  u.settle();
  ASSERT_TRUE(u->fe_req_ready_o);
  u.tick();
  u->fe_req_valid_i = 0;
  u.settle();
  EXPECT_FALSE(u->fe_out_valid_o);
  u.tick();
  u.settle();
  EXPECT_TRUE(u->fe_out_valid_o);
  EXPECT_EQ(u->fe_out_o[3], 1008U);
}

}  // namespace
