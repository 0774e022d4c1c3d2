// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <deque>

#include "tests/rtl/units.h"

namespace {

using tepin::rtl_test::Rng;
using tepin::rtl_test::Units;

TEST(CommonFifo, PassesEveryItemOnceAndInOrderAndCountsThem) {
  Units u;
  Rng rng(2);
  std::deque<int> model;
  int sent = 0, got = 0;
  bool was_full = false;
  for (int t = 0; t < 6000; ++t) {
    if (u->ff_in_valid_i == 0) u->ff_in_valid_i = rng() % 2;
    u->ff_in_i = static_cast<std::uint16_t>(sent);
    u->ff_out_ready_i = rng() % (t % 2000 < 1000 ? 4 : 2) == 0;
    u.settle();
    ASSERT_EQ(u->ff_count_o, model.size());
    ASSERT_EQ(u->ff_in_ready_o, model.size() < 3);
    ASSERT_EQ(u->ff_out_valid_o, !model.empty());
    was_full = was_full || model.size() == 3;
    const bool push = u->ff_in_valid_i && u->ff_in_ready_o;
    if (u->ff_out_valid_o && u->ff_out_ready_i) {
      ASSERT_EQ(u->ff_out_o, model.front());
      model.pop_front();
      ++got;
    }
    if (push) model.push_back(static_cast<std::uint16_t>(sent++));
    u.tick();
    if (push) u->ff_in_valid_i = 0;
  }
  EXPECT_TRUE(was_full);
  EXPECT_GT(got, 1000);
}

}  // namespace
