// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "tests/rtl/units.h"

namespace {

using tepin::rtl_test::Rng;
using tepin::rtl_test::Units;

struct Beat {
  std::uint64_t channel, hbm, word;
  friend bool operator==(const Beat&, const Beat&) = default;
};

struct Transfer {
  std::uint32_t spad, pc, beat, len, n1, n2, sstep1, sstep2, hstep1, hstep2, npc;
};

/// Beats of a transfer straight from the definition in sw/isa/isa.toml.
std::vector<Beat> expected(const Transfer& t) {
  std::vector<Beat> out;
  for (std::uint64_t i2 = 0; i2 <= t.n2; ++i2) {
    for (std::uint64_t i1 = 0; i1 <= t.n1; ++i1) {
      for (std::uint64_t b = 0; b < t.len; ++b) {
        const std::uint64_t h = t.beat + i1 * t.hstep1 + i2 * t.hstep2;
        out.push_back({t.pc + b / 8 % t.npc, h + b / (8 * std::uint64_t{t.npc}) * 8 + b % 8,
                       (t.spad + i1 * t.sstep1 + i2 * t.sstep2) / 32 + b});
      }
    }
  }
  return out;
}

TEST(DmaGen, EmitsExactlyTheBeatsOfTheDefinitionInBurstsThatStayInAUnit) {
  Units u;
  Rng rng(6);
  std::uint64_t beats = 0;
  for (int n = 0; n < 400; ++n) {
    Transfer t{static_cast<std::uint32_t>(rng() % 64) * 32, static_cast<std::uint32_t>(rng() % 2),
               static_cast<std::uint32_t>(rng() % 100),     1 + static_cast<std::uint32_t>(rng() % 70),
               static_cast<std::uint32_t>(rng() % 3),       static_cast<std::uint32_t>(rng() % 3),
               static_cast<std::uint32_t>(rng() % 64) * 32, static_cast<std::uint32_t>(rng() % 64) * 32,
               static_cast<std::uint32_t>(rng() % 90),      static_cast<std::uint32_t>(rng() % 90),
               1 + static_cast<std::uint32_t>(rng() % 3)};
    u->dg_spad_i = t.spad;
    u->dg_pc_i = static_cast<std::uint8_t>(t.pc);
    u->dg_beat_i = t.beat;
    u->dg_len_i = static_cast<std::uint16_t>(t.len);
    u->dg_n1_i = static_cast<std::uint16_t>(t.n1);
    u->dg_n2_i = static_cast<std::uint16_t>(t.n2);
    u->dg_sstep1_i = t.sstep1;
    u->dg_sstep2_i = t.sstep2;
    u->dg_hstep1_i = t.hstep1;
    u->dg_hstep2_i = t.hstep2;
    u->dg_npc_i = static_cast<std::uint8_t>(t.npc);
    u->dg_start_valid_i = 1;
    u.settle();
    ASSERT_TRUE(u->dg_start_ready_o);
    u.tick();
    u->dg_start_valid_i = 0;
    std::vector<Beat> got;
    bool last = false;
    for (int cycle = 0; !last && cycle < 4000; ++cycle) {
      u->dg_ready_i = rng() % 4 != 0;
      u.settle();
      if (u->dg_valid_o && u->dg_ready_i) {
        ASSERT_GE(u->dg_beats_o, 1);
        ASSERT_EQ(u->dg_beat_o / 8, (u->dg_beat_o + u->dg_beats_o - 1) / 8) << "a burst leaves its 256-byte unit";
        for (std::uint32_t b = 0; b < u->dg_beats_o; ++b)
          got.push_back({u->dg_pc_o, u->dg_beat_o + b, u->dg_word_o + b});
        last = u->dg_last_o;
      }
      u.tick();
    }
    ASSERT_TRUE(last);
    ASSERT_EQ(got, expected(t)) << "transfer " << n;
    beats += got.size();
  }
  EXPECT_GT(beats, 20000U);
}

TEST(DmaGen, StopsAtTheEndOfTheChannel) {
  Units u;
  u->dg_beat_i = 4090;
  u->dg_len_i = 8;
  u->dg_npc_i = 1;
  u->dg_start_valid_i = 1;
  u.tick();
  u->dg_start_valid_i = 0;
  u->dg_ready_i = 1;
  bool bad = false;
  std::uint32_t last_beat = 0;
  for (int i = 0; i < 10; ++i) {
    u.settle();
    bad = bad || u->dg_bad_o;
    if (u->dg_valid_o) last_beat = u->dg_beat_o + u->dg_beats_o - 1;
    u.tick();
  }
  EXPECT_TRUE(bad);
  EXPECT_LT(last_beat, 4096U);
}

}  // namespace
