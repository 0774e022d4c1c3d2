// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <deque>

#include "tests/rtl/units.h"

namespace {

using tepin::rtl_test::Rng;
using tepin::rtl_test::Units;

TEST(SeqQueue, OffersInstructionsInOrderAndOnlyWithTheirSemaphores) {
  Units u;
  Rng rng(5);
  std::deque<std::pair<int, bool>> model;  // pc, waits
  bool granted = false;
  int pc = 0, got = 0;
  for (int t = 0; t < 8000; ++t) {
    u->qu_out_ready_i = rng() % 2;
    u->qu_wait_gnt_i = 0;
    u->qu_push_i = 0;
    u.settle();
    ASSERT_EQ(u->qu_room_o, model.size() < 2) << "the offered instruction keeps its place until it is taken";
    ASSERT_EQ(u->qu_empty_o, model.empty());
    if (model.empty()) {
      ASSERT_FALSE(u->qu_out_valid_o);
    } else {
      ASSERT_EQ(u->qu_wait_valid_o, model.front().second && !granted);
      ASSERT_EQ(u->qu_waiting_o, model.front().second && !granted);
      ASSERT_EQ(u->qu_out_valid_o, !model.front().second || granted);
    }
    const bool out = u->qu_out_valid_o && u->qu_out_ready_i;
    bool gnt = u->qu_wait_valid_o && rng() % 3 == 0;
    u->qu_wait_gnt_i = gnt;
    const bool push = u->qu_room_o && rng() % 2;
    const bool waits = rng() % 2;
    u->qu_push_i = push;
    u->qu_pc_i = static_cast<std::uint16_t>(pc);
    u->qu_cnt_i = waits;
    u.settle();
    if (out) {
      ASSERT_EQ(u->qu_out_pc_o, model.front().first);
      model.pop_front();
      granted = false;
      ++got;
    } else if (gnt) {
      granted = true;
    }
    if (push) model.emplace_back(pc++, waits);
    u.tick();
  }
  EXPECT_GT(got, 1000);
}

TEST(SeqQueue, OffersNothingAfterAStop) {
  Units u;
  u->qu_push_i = 1;
  u->qu_cnt_i = 0;
  u.tick();
  u->qu_push_i = 0;
  u->qu_stop_i = 1;
  u.settle();
  EXPECT_FALSE(u->qu_out_valid_o);
  EXPECT_FALSE(u->qu_empty_o);
}

}  // namespace
