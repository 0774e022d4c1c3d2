// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>

#include "tests/rtl/units.h"

namespace {

using tepin::rtl_test::Rng;
using tepin::rtl_test::Units;

std::uint32_t value(Units& u, std::uint8_t sem) {
  u->sm_host_sem_i = sem;
  u.settle();
  return u->sm_host_value_o;
}

void set(Units& u, std::uint8_t sem, std::uint32_t v) {
  u->sm_host_sem_i = sem;
  u->sm_host_value_i = v;
  u->sm_host_set_i = 1;
  u.tick();
  u->sm_host_set_i = 0;
}

TEST(SeqSems, GrantsOnlySatisfiedWaitsOneACycleAndKeepsCount) {
  Units u;
  Rng rng(4);
  std::array<std::int64_t, 8> model{};
  int grants = 0, both = 0;
  for (int t = 0; t < 20000; ++t) {
    for (int i = 0; i < 3; ++i) {
      if (u->sm_wait_valid_i[i]) continue;
      u->sm_wait_valid_i[i] = rng() % 2;
      u->sm_wait_sem0_i[i] = rng() % 8;
      u->sm_wait_cnt0_i[i] = rng() % 4;
      u->sm_wait_sem1_i[i] = (u->sm_wait_sem0_i[i] + 1 + rng() % 7) % 8;
      u->sm_wait_cnt1_i[i] = rng() % 3;
    }
    for (int i = 0; i < 2; ++i) {
      if (u->sm_post_valid_i[i]) continue;
      u->sm_post_valid_i[i] = rng() % 2;
      u->sm_post_take_i[i] = 0;
      u->sm_post_sem_i[i] = rng() % 8;
      u->sm_post_cnt_i[i] = rng() % 5;
    }
    u.settle();
    int granted = 0;
    std::array<bool, 3> g{};
    std::array<bool, 2> p{};
    bool any_ready = false;
    for (int i = 0; i < 3; ++i) {
      const bool ok = u->sm_wait_valid_i[i] && model[u->sm_wait_sem0_i[i]] >= u->sm_wait_cnt0_i[i] &&
                      model[u->sm_wait_sem1_i[i]] >= u->sm_wait_cnt1_i[i];
      any_ready = any_ready || ok;
      g[static_cast<std::size_t>(i)] = u->sm_wait_gnt_o[i];
      if (g[static_cast<std::size_t>(i)]) {
        ++granted;
        ASSERT_TRUE(ok);
      }
    }
    ASSERT_LE(granted, 1);
    ASSERT_EQ(granted == 1, any_ready) << "a satisfied wait is granted at once";
    grants += granted;
    for (int i = 0; i < 3; ++i) {
      if (!g[static_cast<std::size_t>(i)]) continue;
      model[u->sm_wait_sem0_i[i]] -= u->sm_wait_cnt0_i[i];
      model[u->sm_wait_sem1_i[i]] -= u->sm_wait_cnt1_i[i];
    }
    int posts = 0;
    for (int i = 0; i < 2; ++i) {
      p[static_cast<std::size_t>(i)] = u->sm_post_valid_i[i] && u->sm_post_ready_o[i];
      if (!p[static_cast<std::size_t>(i)]) continue;
      ++posts;
      model[u->sm_post_sem_i[i]] += u->sm_post_cnt_i[i];
    }
    ASSERT_LE(posts, 1);
    if (posts == 1 && granted == 1) ++both;
    u.tick();
    for (int i = 0; i < 3; ++i) {
      if (g[static_cast<std::size_t>(i)]) u->sm_wait_valid_i[i] = 0;
    }
    for (int i = 0; i < 2; ++i) {
      if (p[static_cast<std::size_t>(i)]) u->sm_post_valid_i[i] = 0;
    }
    for (std::uint8_t s = 0; s < 8; ++s) ASSERT_EQ(value(u, s), model[s]) << "semaphore " << int{s};
  }
  EXPECT_GT(grants, 2000);
  EXPECT_GT(both, 500);
}

TEST(SeqSems, ReportsOverflowAndUnderflowAndLeavesTheCounter) {
  Units u;
  set(u, 3, 0xfffffffeU);
  u->sm_post_valid_i[0] = 1;
  u->sm_post_sem_i[0] = 3;
  u->sm_post_cnt_i[0] = 1;
  u.settle();
  EXPECT_FALSE(u->sm_overflow_o);
  u->sm_post_cnt_i[0] = 2;
  u.settle();
  EXPECT_TRUE(u->sm_overflow_o);
  EXPECT_EQ(u->sm_bad_sem_o, 3U);
  u.tick();
  u->sm_post_valid_i[0] = 0;
  EXPECT_EQ(value(u, 3), 0xfffffffeU);
  set(u, 4, 5);
  u->sm_post_valid_i[0] = 1;
  u->sm_post_take_i[0] = 1;
  u->sm_post_sem_i[0] = 4;
  u->sm_post_cnt_i[0] = 5;
  u.settle();
  EXPECT_FALSE(u->sm_underflow_o);
  u->sm_post_cnt_i[0] = 6;
  u.settle();
  EXPECT_TRUE(u->sm_underflow_o);
  u.tick();
  u->sm_post_valid_i[0] = 0;
  EXPECT_EQ(value(u, 4), 5U);
}

TEST(SeqSems, ServesWaitingRequestersInTurn) {
  Units u;
  set(u, 1, 1000);
  std::array<int, 3> count{};
  for (int i = 0; i < 3; ++i) {
    u->sm_wait_valid_i[i] = 1;
    u->sm_wait_sem0_i[i] = 1;
    u->sm_wait_cnt0_i[i] = 1;
    u->sm_wait_sem1_i[i] = 0;
    u->sm_wait_cnt1_i[i] = 0;
  }
  for (int t = 0; t < 300; ++t) {
    u.settle();
    for (int i = 0; i < 3; ++i) count[static_cast<std::size_t>(i)] += u->sm_wait_gnt_o[i];
    u.tick();
  }
  for (const int c : count) EXPECT_EQ(c, 100);
}

TEST(SeqSems, RemotePostsLeaveWithTheirLocalCountAndDoNotHoldUpOthers) {
  Units u;
  const auto post = [&](int i, bool remote, std::uint8_t tile) {
    u->sm_post_valid_i[i] = 1;
    u->sm_post_take_i[i] = 0;
    u->sm_post_sem_i[i] = static_cast<std::uint8_t>(1 + i);
    u->sm_post_cnt_i[i] = 4;
    u->sm_post_remote_i[i] = remote;
    u->sm_post_tile_i[i] = tile;
  };
  // No room for it: the other source, of lower priority, goes on.
  post(0, true, 8 + 2);
  post(1, false, 0);
  u->sm_rpost_ready_i = 0;
  u.settle();
  EXPECT_EQ(u->sm_post_ready_o[0], 0);
  EXPECT_EQ(u->sm_post_ready_o[1], 1);
  EXPECT_EQ(u->sm_rpost_valid_o, 0);
  u.tick();
  u->sm_post_valid_i[1] = 0;
  EXPECT_EQ(value(u, 1), 0U);
  EXPECT_EQ(value(u, 2), 4U);
  // Room: both counts in one cycle, the far one not here.
  u->sm_rpost_ready_i = 1;
  u.settle();
  EXPECT_EQ(u->sm_post_ready_o[0], 1);
  EXPECT_EQ(u->sm_rpost_valid_o, 1);
  EXPECT_EQ(u->sm_rpost_o, 10U << 14 | 5U << 8 | 9U);
  EXPECT_EQ(u->sm_bad_tile_o, 0);
  u.tick();
  EXPECT_EQ(value(u, 1), 4U);
  EXPECT_EQ(value(u, 5), 0U);
  // Tiles outside the mesh of 3 x 2: nothing leaves, nothing changes.
  for (const std::uint8_t tile : std::array<std::uint8_t, 4>{3, 8 + 3, 16, 63}) {
    post(0, true, tile);
    u.settle();
    EXPECT_EQ(u->sm_bad_tile_o, 1) << int{tile};
    EXPECT_EQ(u->sm_rpost_valid_o, 0);
    EXPECT_EQ(u->sm_bad_sem_o, tile);
    u.tick();
    EXPECT_EQ(value(u, 1), 4U);
  }
  u->sm_post_valid_i[0] = 0;
}

}  // namespace
