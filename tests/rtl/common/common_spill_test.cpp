// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <deque>

#include "tests/rtl/units.h"

namespace {

using tepin::rtl_test::Rng;
using tepin::rtl_test::Units;

TEST(CommonSpill, PassesEveryItemOnceAndInOrder) {
  Units u;
  Rng rng(1);
  std::deque<int> expected;
  int sent = 0, got = 0;
  for (int t = 0; t < 5000; ++t) {
    if (u->sp_in_valid_i == 0) {
      u->sp_in_valid_i = rng() % 3 != 0;
      u->sp_in_i = static_cast<std::uint16_t>(sent);
    }
    u->sp_out_ready_i = rng() % 4 != 0;
    u.settle();
    const bool push = u->sp_in_valid_i && u->sp_in_ready_o;
    if (u->sp_out_valid_o && u->sp_out_ready_i) {
      ASSERT_FALSE(expected.empty());
      ASSERT_EQ(u->sp_out_o, expected.front());
      expected.pop_front();
      ++got;
    }
    if (push) expected.push_back(static_cast<std::uint16_t>(sent++));
    u.tick();
    if (push) u->sp_in_valid_i = 0;
  }
  EXPECT_GT(got, 2000);
}

TEST(CommonSpill, TakesOneACycleWhileTheOutputIsReady) {
  Units u;
  u->sp_in_valid_i = 1;
  u->sp_out_ready_i = 1;
  u.tick();
  for (int i = 0; i < 20; ++i) {
    u.settle();
    EXPECT_TRUE(u->sp_in_ready_o);
    u.tick();
  }
}

TEST(CommonSpill, ReadyDoesNotFollowTheOutputInTheSameCycle) {
  Units u;
  u->sp_in_valid_i = 1;
  u->sp_out_ready_i = 0;
  for (int i = 0; i < 4; ++i) u.tick();
  u.settle();
  EXPECT_FALSE(u->sp_in_ready_o) << "two entries are taken";
  u->sp_out_ready_i = 1;
  u.settle();
  EXPECT_FALSE(u->sp_in_ready_o) << "a register, not the output's ready";
}

}  // namespace
