// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>

#include "tests/rtl/units.h"

namespace {

using tepin::rtl_test::Rng;
using tepin::rtl_test::Units;

TEST(TileCounters, CountEachActivityWhileRunningAndAddUpToTheCycles) {
  Units u;
  Rng rng(9);
  std::array<std::uint64_t, 20> model{};
  for (int t = 0; t < 3000; ++t) {
    u->ct_run_i = rng() % 3 != 0;
    for (int i = 0; i < 2; ++i) u->ct_activity_i[i] = rng() % 8;
    u->ct_conflicts_i = static_cast<std::uint8_t>(rng() % 5);
    if (u->ct_run_i) {
      ++model[u->ct_activity_i[0]];
      ++model[8U + u->ct_activity_i[1]];
      ++model[16];
      model[17] += u->ct_conflicts_i;
      model[18] += 2;
      model[19] += 1;
    }
    u.tick();
  }
  u->ct_run_i = 0;
  std::uint64_t sum = 0;
  for (std::uint8_t i = 0; i < 20; ++i) {
    u->ct_index_i = i;
    u.settle();
    EXPECT_EQ(u->ct_value_o, model[i]) << int{i};
    if (i < 8) sum += u->ct_value_o;
  }
  EXPECT_EQ(sum, model[16]);
  u->ct_clear_i = 1;
  u.tick();
  u->ct_clear_i = 0;
  for (std::uint8_t i = 0; i < 20; ++i) {
    u->ct_index_i = i;
    u.settle();
    EXPECT_EQ(u->ct_value_o, 0U);
  }
}

}  // namespace
