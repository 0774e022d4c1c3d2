// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/rtl/units.h"

namespace {

using tepin::rtl_test::Rng;
using tepin::rtl_test::Units;

TEST(TileSpad, IsClearedWithGoodParityAfterReset) {
  Units u;
  while (!u->sd_ready_o) u.tick();
  for (std::uint8_t w = 0; w < 64; ++w) {
    u->sd_rd_valid_i = 1;
    u->sd_rd_word_i = w;
    u.settle();
    ASSERT_TRUE(u->sd_rd_gnt_o);
    u.tick();
    for (int i = 0; i < 8; ++i) ASSERT_EQ(u->sd_rd_data_o[i], 0U);
    ASSERT_FALSE(u->sd_rd_bad_o);
  }
}

TEST(TileSpad, ReadsBackWhatStrobesWrote) {
  Units u;
  while (!u->sd_ready_o) u.tick();
  Rng rng(8);
  std::vector<std::array<std::uint8_t, 32>> model(64);
  int reads = 0;
  for (int t = 0; t < 20000; ++t) {
    for (int l = 0; l < 2; ++l) {
      if (u->sd_wr_valid_i[l]) continue;  // holds until granted
      u->sd_wr_valid_i[l] = rng() % 2;
      u->sd_wr_word_i[l] = rng() % 64;
      u->sd_wr_strb_i[l] = static_cast<std::uint32_t>(rng());
      for (int i = 0; i < 8; ++i) u->sd_wr_data_i[l][i] = static_cast<std::uint32_t>(rng());
    }
    if (!u->sd_rd_valid_i) {
      u->sd_rd_valid_i = rng() % 2;
      u->sd_rd_word_i = rng() % 64;
    }
    u.settle();
    int lost = 0;
    const bool rd = u->sd_rd_valid_i && u->sd_rd_gnt_o;
    if (u->sd_rd_valid_i && !u->sd_rd_gnt_o) ++lost;
    const auto read_word = static_cast<std::size_t>(u->sd_rd_word_i);
    const auto before = model[read_word];
    std::array<bool, 2> wr{};
    std::array<int, 8> bank{};
    if (rd) ++bank[read_word % 8];
    for (std::size_t l = 0; l < 2; ++l) {
      wr[l] = u->sd_wr_valid_i[l] && u->sd_wr_gnt_o[l];
      if (u->sd_wr_valid_i[l] && !wr[l]) ++lost;
      if (!wr[l]) continue;
      ++bank[static_cast<std::size_t>(u->sd_wr_word_i[l]) % 8];
      for (std::size_t i = 0; i < 32; ++i) {
        if ((u->sd_wr_strb_i[l] >> i & 1) != 0) {
          model[static_cast<std::size_t>(u->sd_wr_word_i[l])][i] =
              static_cast<std::uint8_t>(u->sd_wr_data_i[l][i / 4] >> (i % 4 * 8));
        }
      }
    }
    for (const int b : bank) ASSERT_LE(b, 1) << "one access a bank a cycle";
    ASSERT_EQ(u->sd_conflicts_o, lost);
    u.tick();
    if (rd) {
      ++reads;
      for (std::size_t i = 0; i < 32; ++i)
        ASSERT_EQ(static_cast<std::uint8_t>(u->sd_rd_data_o[i / 4] >> (i % 4 * 8)), before[i]);
      ASSERT_FALSE(u->sd_rd_bad_o);
      u->sd_rd_valid_i = 0;
    }
    for (std::size_t l = 0; l < 2; ++l) {
      if (wr[l]) u->sd_wr_valid_i[l] = 0;
    }
  }
  EXPECT_GT(reads, 5000);
}

TEST(TileSpad, NobodyLosesMoreThanSixteenTimesInARow) {
  Units u;
  while (!u->sd_ready_o) u.tick();
  u->fe_req_valid_i = 1;  // the fetcher, in front, wants the same word all the time
  u->fe_req_word_i = 0;
  u->fe_req_lanes_i = 1;
  u->fe_out_ready_i = 1;
  u->sd_wr_valid_i[1] = 1;
  u->sd_wr_word_i[1] = 8;  // same bank
  int waited = 0;
  for (;; ++waited) {
    ASSERT_LE(waited, 16);
    u.settle();
    if (u->sd_wr_gnt_o[1]) break;
    u.tick();
  }
  EXPECT_GT(waited, 0);
}

TEST(TileSpad, InjectionBreaksTheParityOfOneWordOnce) {
  Units u;
  while (!u->sd_ready_o) u.tick();
  const auto write = [&](std::uint8_t w) {
    u->sd_wr_valid_i[0] = 1;
    u->sd_wr_word_i[0] = w;
    u->sd_wr_strb_i[0] = 0xffffffffU;
    u.settle();
    const bool injected = u->sd_injected_o;
    u.tick();
    u->sd_wr_valid_i[0] = 0;
    return injected;
  };
  const auto bad = [&](std::uint8_t w) {
    u->sd_rd_valid_i = 1;
    u->sd_rd_word_i = w;
    u.tick();
    u->sd_rd_valid_i = 0;
    u.settle();
    return static_cast<bool>(u->sd_rd_bad_o);
  };
  u->sd_inject_i = 1;
  u->sd_inject_word_i = 9;
  EXPECT_FALSE(write(8));
  EXPECT_FALSE(bad(8));
  EXPECT_TRUE(write(9));
  u->sd_inject_i = 0;
  EXPECT_TRUE(bad(9));
  EXPECT_FALSE(write(9));
  EXPECT_FALSE(bad(9));
}

}  // namespace
