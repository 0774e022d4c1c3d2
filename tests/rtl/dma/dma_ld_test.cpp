// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/rtl/engine_run.h"

namespace {

using tepin::rtl_test::cycles;

std::string load(int beats, int npc) {
  return fmt::format(" li r1, 0\n li r2, 0\n li r3, {}\n ld spad=r1, hbm=r2, len=r3, npc={}\n halt\n", beats, npc);
}

TEST(DmaLd, TakesABeatACycleFromEachChannel) {
  EXPECT_EQ(cycles(load(3072, 1)) - cycles(load(1024, 1)), 2048U);
  EXPECT_EQ(cycles(load(3072, 2)) - cycles(load(1024, 2)), 1024U);
}

TEST(DmaLd, OverlapsInstructionsThatTouchDifferentBytes) {
  // Sixteen loads of 16 beats: if one waited for the other, the memory's latency of 100 would show sixteen times.
  std::string s = " li r2, 0\n li r3, 16\n";
  for (int i = 0; i < 16; ++i) s += fmt::format(" li r1, {}\n ld spad=r1, hbm=r2, len=r3, npc=2\n", i * 512);
  EXPECT_LT(cycles(s + " halt\n"), 800U);
}

TEST(DmaLd, KeepsIssueOrderForBytesThatTwoInstructionsWrite) {
  cycles(
      " li r1, 0\n li r2, 0\n li r3, 64\n li r4, 100\n ld spad=r1, hbm=r2, len=r3, npc=2\n ld spad=r1, hbm=r4, len=r3, "
      "npc=1\n halt\n");
}

}  // namespace
