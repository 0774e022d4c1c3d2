// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/rtl/engine_run.h"

namespace {

using tepin::rtl_test::cycles;

std::string store(int beats, int npc) {
  return fmt::format(" li r1, 0\n li r2, 0\n li r3, {}\n st spad=r1, hbm=r2, len=r3, npc={}\n halt\n", beats, npc);
}

TEST(DmaSt, SendsAtLeastEightBeatsInNineCyclesToEachChannel) {
  // A burst of eight beats needs a cycle for its address.
  EXPECT_LE(cycles(store(1536, 1)) - cycles(store(512, 1)), 1024U * 10 / 8);
  EXPECT_LE(cycles(store(1536, 2)) - cycles(store(512, 2)), 512U * 10 / 8);
}

TEST(DmaSt, PostsAfterTheLastWriteResponse) {
  // The load after the post reads what the store wrote; lockstep compares its bytes.
  cycles(
      " li r1, 0\n li r2, 64\n li r3, 8\n li r4, 0x1000\n li r5, 0xabcd\n sw r5, 0(r0)\n st spad=r1, hbm=r2, len=r3, "
      "npc=1 post s1\n"
      " ld spad=r4, hbm=r2, len=r3, npc=1 wait s1\n halt\n");
}

}  // namespace
