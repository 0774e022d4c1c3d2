// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/rtl/units.h"

namespace {

using tepin::rtl_test::Units;

int begin(Units& u, int pc, std::uint32_t lo, std::uint32_t hi) {
  u->ds_begin_valid_i = 1;
  u->ds_begin_moves_i = 1;
  u->ds_begin_pc_i = static_cast<std::uint16_t>(pc);
  u->ds_lo_i = lo;
  u->ds_hi_i = hi;
  u.settle();
  const int slot = u->ds_begin_ready_o ? u->ds_begin_slot_o : -1;
  u.tick();
  u->ds_begin_valid_i = 0;
  return slot;
}

void open(Units& u, int slot, int count, bool last) {
  u->ds_open_i = 1;
  u->ds_open_slot_i = static_cast<std::uint8_t>(slot);
  u->ds_open_count_i = static_cast<std::uint8_t>(count);
  u->ds_open_last_i = last;
  u.tick();
  u->ds_open_i = 0;
}

/// Closes one beat of a slot; the pc that retires in the following cycles, or -1.
int close(Units& u, int slot) {
  u->ds_close_i[0] = 1;
  u->ds_close_slot_i[0] = static_cast<std::uint8_t>(slot);
  u.tick();
  u->ds_close_i[0] = 0;
  int pc = -1;
  for (int i = 0; i < 2; ++i) {
    u.settle();
    if (u->ds_retire_o && pc < 0) pc = u->ds_retire_pc_o;
    if (i == 0) u.tick();
  }
  return pc;
}

TEST(DmaSlots, RetiresInIssueOrderWhateverCompletesFirst) {
  Units u;
  const int a = begin(u, 10, 0, 64);
  const int b = begin(u, 11, 64, 128);
  ASSERT_EQ(a, 0);
  ASSERT_EQ(b, 1);
  open(u, a, 2, true);
  open(u, b, 1, true);
  EXPECT_EQ(close(u, b), -1) << "the first is still open";
  EXPECT_EQ(close(u, a), -1);
  EXPECT_EQ(close(u, a), 10);
}

TEST(DmaSlots, HoldsAnInstructionWhoseBytesMeetOneInFlight) {
  Units u;
  const int a = begin(u, 1, 100, 200);
  open(u, a, 1, true);
  EXPECT_EQ(begin(u, 2, 199, 300), -1);
  EXPECT_EQ(begin(u, 2, 50, 101), -1);
  EXPECT_NE(begin(u, 3, 200, 300), -1) << "adjacent is not overlapping";
}

TEST(DmaSlots, TakesFourInstructionsAtMost) {
  Units u;
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(begin(u, i, static_cast<std::uint32_t>(i) * 10, static_cast<std::uint32_t>(i) * 10 + 1), i);
  EXPECT_EQ(begin(u, 4, 100, 101), -1);
}

TEST(DmaSlots, IsNotCompleteBeforeItsLastBurstIsEmitted) {
  Units u;
  const int a = begin(u, 7, 0, 64);
  open(u, a, 1, false);
  EXPECT_EQ(close(u, a), -1);
  open(u, a, 1, true);
  EXPECT_EQ(close(u, a), 7);
}

}  // namespace
