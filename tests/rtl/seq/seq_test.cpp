// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/rtl/engine_run.h"

namespace {

using tepin::rtl_test::cycles;

std::string straight(int n, int threads) {
  std::string s;
  for (int t = 0; t < threads; ++t) s += fmt::format(".thread {}, t{}\n", t, t);
  for (int t = 0; t < threads; ++t) s += fmt::format("t{}:\n.rept {}\n addi r1, r1, 1\n.endr\n halt\n", t, n);
  return s;
}

TEST(Seq, AThreadAloneRunsOneInstructionEveryThreeCycles) {
  EXPECT_EQ(cycles(straight(400, 1)) - cycles(straight(100, 1)), 900U);
}

TEST(Seq, FourThreadsTogetherRunOneInstructionACycle) {
  EXPECT_EQ(cycles(straight(400, 4)) - cycles(straight(100, 4)), 1200U);
}

TEST(Seq, LoopBackCostsNoCycle) {
  const auto loop = [](int n) {
    return fmt::format(" li r2, {}\n loop r2, done\n addi r1, r1, 1\n addi r3, r1, 2\ndone:\n halt\n", n);
  };
  EXPECT_EQ(cycles(loop(110)) - cycles(loop(10)), 100U * 2 * 3);
}

// Register values are compared with the golden model in lockstep; the trace makes the count one of them.
TEST(Seq, NestedLoopsThatEndTogetherRunTheProductOfTheirCounts) {
  cycles(
      " li r1, 3\n li r2, 4\n li r3, 2\n loop r1, e\n loop r2, e\n loop r3, e\n addi r4, r4, 1\ne:\n trace r4, 7\n "
      "halt\n");
  const auto r = tepin::rtl_test::run(
      " li r1, 3\n li r2, 0\n loop r1, e\n addi r5, r5, 1\n loop r2, e\n addi r4, r4, 1\ne:\n trace r5, 1\n halt\n");
  EXPECT_EQ(r.mismatches, 0U) << r.first_mismatch;
}

TEST(Seq, BranchesComparisonsAndShiftsAgreeWithTheGoldenModel) {
  std::string s = " li r1, 0x80000000\n li r2, 0x7fffffff\n li r3, -1\n li r4, 1\n";
  for (const char* op : {"add", "sub", "mul", "and", "or", "xor", "shl", "shr", "sra", "slt", "sltu"}) {
    for (int a = 1; a <= 4; ++a) {
      for (int b = 1; b <= 4; ++b) s += fmt::format(" {} r10, r{}, r{}\n", op, a, b);
    }
  }
  for (const char* op : {"addi", "muli", "andi", "ori", "xori", "shli", "shri", "srai", "slti", "sltui"}) {
    for (int a = 1; a <= 4; ++a) s += fmt::format(" {} r11, r{}, -7\n {} r11, r{}, 33\n", op, a, op, a);
  }
  int n = 0;
  for (const char* op : {"beq", "bne", "blt", "bge", "bltu", "bgeu"}) {
    for (int a = 1; a <= 4; ++a) {
      for (int b = 1; b <= 4; ++b)
        s += fmt::format(" {} r{}, r{}, l{}\n addi r12, r12, {}\nl{}:\n", op, a, b, n, n + 1, n), ++n;
    }
  }
  s += " jal r13, sub\n trace r12, 1\n halt\nsub: jr r13\n";
  EXPECT_GT(cycles(s), 500U);
}

TEST(Seq, AStoreIsSeenByTheNextLoad) {
  cycles(" li r1, 0x1234\n sw r1, 64(r0)\n lw r2, 64(r0)\n sw r2, 0x1fc(r0)\n trace r2, 3\n halt\n");
}

TEST(Seq, PostsOfScalarInstructionsReachWaitsOfOtherThreads) {
  cycles(
      ".thread 0, a\n.thread 1, b\na: li r1, 5 post s1, s2*3\n spost s3, r1\n halt\nb: sync wait s1, s2*3\n li r2, 4\n "
      "sync wait s3*5\n halt\n");
}

}  // namespace
