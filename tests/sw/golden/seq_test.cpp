// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "fixture.h"

namespace tepin::golden::testing {
namespace {

/// Registers r3 after `op r3, r1, r2` (or the immediate) with r1 = a.
std::uint32_t result_of(std::string_view op, std::uint32_t a, std::uint32_t b) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(0).li(1, a).li(2, b);
  if (isa::find_instr(op)->fields[2].name == "imm") {
    p.raw(op, {{"rd", 3}, {"rs1", 1}, {"imm", b}});
  } else {
    p.raw(op, {{"rd", 3}, {"rs1", 1}, {"rs2", 2}});
  }
  p.halt();
  run_done(m, p);
  return m.regs(0)[3];
}

TEST(Seq, ArithmeticWrapsAndComparesAsNamed) {
  struct Case {
    std::string_view op;
    std::uint32_t a, b, expected;
  };
  const std::vector<Case> cases{{"add", 0xffffffff, 2, 1},
                                {"sub", 1, 2, 0xffffffff},
                                {"mul", 0x10001, 0x10001, 0x20001},
                                {"and", 0xf0f0, 0xff00, 0xf000},
                                {"or", 0xf0f0, 0x0f00, 0xfff0},
                                {"xor", 0xff, 0x0f, 0xf0},
                                {"shl", 1, 33, 2},
                                {"shr", 0x80000000, 31, 1},
                                {"sra", 0x80000000, 31, 0xffffffff},
                                {"sra", 0x80000000, 63, 0xffffffff},
                                {"slt", 0xffffffff, 0, 1},
                                {"slt", 0, 0xffffffff, 0},
                                {"sltu", 0xffffffff, 0, 0},
                                {"sltu", 0, 0xffffffff, 1}};
  for (const Case& c : cases) EXPECT_EQ(result_of(c.op, c.a, c.b), c.expected) << c.op;
  for (const Case& c : cases) {
    if (c.op == "sub") continue;  // has no immediate form
    const std::string immediate = c.op == "sltu" ? "sltui" : std::string(c.op) + "i";
    EXPECT_EQ(result_of(immediate, c.a, c.b), c.expected) << immediate;
  }
}

TEST(Seq, RegisterZeroReadsZeroAndIgnoresWrites) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(2).li(0, 7).raw("addi", {{"rd", 1}, {"rs1", 0}, {"imm", 3}}).halt();
  run_done(m, p);
  EXPECT_EQ(m.regs(2)[0], 0U);
  EXPECT_EQ(m.regs(2)[1], 3U);
}

TEST(Seq, BranchesGoWhereTheirConditionSays) {
  struct Case {
    std::string_view op;
    std::uint32_t a, b;
    bool taken;
  };
  const std::vector<Case> cases{{"beq", 1, 1, true},     {"beq", 1, 2, false},   {"bne", 1, 2, true},
                                {"bne", 2, 2, false},    {"blt", ~0U, 0, true},  {"blt", 0, 0, false},
                                {"bge", 0, 0, true},     {"bge", ~0U, 0, false}, {"bltu", 0, ~0U, true},
                                {"bltu", ~0U, 0, false}, {"bgeu", ~0U, 0, true}, {"bgeu", 0, 1, false}};
  for (const Case& c : cases) {
    Machine m(isa::kNano);
    Builder p;
    p.thread(0).li(1, c.a).li(2, c.b).raw(c.op, {{"rs1", 1}, {"rs2", 2}, {"imm", 4}}).li(3, 1).halt();
    run_done(m, p);
    EXPECT_EQ(m.regs(0)[3] == 0, c.taken) << c.op << " " << c.a << " " << c.b;
  }
}

TEST(Seq, CallsAndReturns) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(0).raw("jal", {{"rd", 31}, {"imm", 3}}).li(1, 5).halt();
  p.li(2, 6).raw("jr", {{"rs1", 31}});
  run_done(m, p);
  EXPECT_EQ(m.regs(0)[31], 1U);
  EXPECT_EQ(m.regs(0)[1], 5U);
  EXPECT_EQ(m.regs(0)[2], 6U);
}

TEST(Seq, NestedLoopsThatEndTogetherRunTheProductOfTheirCounts) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(0).li(1, 3).li(2, 4);
  p.raw("loop", {{"rs1", 1}, {"imm", 5}});
  p.raw("loop", {{"rs1", 2}, {"imm", 5}});
  p.raw("addi", {{"rd", 3}, {"rs1", 3}, {"imm", 1}});
  p.halt();
  run_done(m, p);
  EXPECT_EQ(m.regs(0)[3], 12U);
}

TEST(Seq, FourLevelsOfLoopsWorkAndALoopMayBeUsedAgain) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(0).li(1, 2);
  for (int i = 0; i < 4; ++i) p.raw("loop", {{"rs1", 1}, {"imm", 6}});
  p.raw("addi", {{"rd", 3}, {"rs1", 3}, {"imm", 1}});
  p.raw("loop", {{"rs1", 1}, {"imm", 8}});
  p.raw("addi", {{"rd", 4}, {"rs1", 4}, {"imm", 1}});
  p.halt();
  run_done(m, p);
  EXPECT_EQ(m.regs(0)[3], 16U);
  EXPECT_EQ(m.regs(0)[4], 2U);
}

TEST(Seq, ALoopOfZeroRunsIsSkippedAndAnEmptyBodyDoesNothing) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(0)
      .raw("loop", {{"rs1", 0}, {"imm", 2}})
      .li(1, 9)
      .li(2, 5)
      .raw("loop", {{"rs1", 2}, {"imm", 4}})
      .li(3, 1)
      .halt();
  run_done(m, p);
  EXPECT_EQ(m.regs(0)[1], 0U);
  EXPECT_EQ(m.regs(0)[3], 1U);
}

TEST(Seq, ABranchToTheEndOfTheBodyIsTheNextRun) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(0).li(1, 5).raw("loop", {{"rs1", 1}, {"imm", 5}});
  p.raw("addi", {{"rd", 2}, {"rs1", 2}, {"imm", 1}});
  p.raw("jmp", {{"imm", 5}});
  p.li(3, 1);  // jumped over
  p.halt();
  run_done(m, p);
  EXPECT_EQ(m.regs(0)[2], 5U);
  EXPECT_EQ(m.regs(0)[3], 0U);
}

TEST(Seq, LoadsAndStoresWordsLittleEndianAndWrapsTheAddress) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(0).li(1, 0xfffffff0U).li(2, 0x12345678U);
  p.raw("sw", {{"rs2", 2}, {"rs1", 1}, {"imm", 0x20}});
  p.raw("lw", {{"rd", 3}, {"rs1", 0}, {"imm", 0x10}}).halt();
  run_done(m, p);
  EXPECT_EQ(spad(m, 0x10, 4), (Bytes{0x78, 0x56, 0x34, 0x12}));
  EXPECT_EQ(m.regs(0)[3], 0x12345678U);
}

TEST(Seq, SemaphoresCountWaitsPostsAndTakes) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(0).li(1, 10).raw("spost", {{"imm", 5}, {"rs1", 1}}).li(2, 3).raw("stake", {{"imm", 5}, {"rs1", 2}});
  p.raw("sync").wait(5, 2).post(6, 255).post(7, 1);
  p.halt().wait(6, 5).wait(7, 1).post(0, 1);
  run_done(m, p);
  EXPECT_EQ(m.sems()[5], 5U);
  EXPECT_EQ(m.sems()[6], 250U);
  EXPECT_EQ(m.sems()[7], 0U);
  EXPECT_EQ(m.sems()[0], 1U);
}

TEST(Seq, TraceReportsIdAndValue) {
  Machine m(isa::kNano, {.log = true});
  Builder p;
  p.thread(3).li(4, 99).raw("trace", {{"rs1", 4}, {"imm", 42}}).halt();
  run_done(m, p);
  ASSERT_EQ(m.trace().size(), 1U);
  EXPECT_EQ(m.trace()[0].id, 42U);
  EXPECT_EQ(m.trace()[0].value, 99U);
  EXPECT_EQ(m.trace()[0].thread, 3);
}

TEST(Seq, ARunStartsFreshButKeepsMemory) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(0)
      .raw("addi", {{"rd", 1}, {"rs1", 1}, {"imm", 1}})
      .raw("sync")
      .post(3)
      .raw("sw", {{"rs2", 1}, {"imm", 8}})
      .halt();
  run_done(m, p);
  run_done(m, p);
  EXPECT_EQ(m.regs(0)[1], 1U);
  EXPECT_EQ(m.sems()[3], 1U);
  Builder q;
  q.thread(1).raw("lw", {{"rd", 2}, {"imm", 8}}).halt();
  run_done(m, q);
  EXPECT_EQ(m.regs(1)[2], 1U);
  EXPECT_EQ(m.sems()[3], 0U);
}

TEST(Seq, OperandsAreReadWhenTheInstructionIsIssued) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(0).engine("vfill", {{"dst", 0}, {"n", 1}, {"s", 77}}).wait(1);
  p.li(1, 64).li(2, 8).li(3, 5);  // too late for the fill, which still waits
  p.raw("sync").post(1).halt();
  run_done(m, p);
  EXPECT_EQ(word(m, 0), 77U);
  EXPECT_EQ(m.spad().written[4], 0);
}

TEST(Seq, NoThreadsIsDoneAtOnce) {
  Machine m(isa::kNano);
  EXPECT_EQ(m.run({}).instructions, 0U);
}

}  // namespace
}  // namespace tepin::golden::testing
