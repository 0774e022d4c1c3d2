// SPDX-License-Identifier: Apache-2.0
// Reads of what nothing wrote.
#include "fixture.h"

namespace tepin::golden::testing {
namespace {

using ::testing::HasSubstr;

Outcome unwritten(Machine& m, const Builder& p, Space space, std::uint64_t address) {
  const Outcome o = run_finding(m, p, FindingKind::kUninitialised);
  EXPECT_EQ(o.error.space, space) << o.text();
  EXPECT_EQ(o.error.address, address) << o.text();
  return o;
}

TEST(Written, NamesTheFirstScratchpadByteThatNothingWrote) {
  Machine m(isa::kNano);
  m.load_spad(0x100, Bytes(0x21));
  Builder p;
  p.thread(2).engine("vmov", {{"dst", 0x800}, {"src", 0x100}, {"n", 9}}).halt();
  const Outcome o = unwritten(m, p, Space::kSpad, 0x121);
  EXPECT_THAT(o.text(), HasSubstr("VPU vmov (pc 3, thread 2) reads spad 0x121, which nothing wrote"));
}

TEST(Written, ThreadsAndStoresAreCheckedToo) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(0).raw("lw", {{"rd", 1}, {"imm", 16}}).halt();
  unwritten(m, p, Space::kSpad, 16);
  m.load_spad(0, Bytes(40));
  Builder q;
  q.thread(0).engine("st", {{"spad", 0}, {"hbm", 0}, {"len", 2}, {"npc", 1}}).halt();
  unwritten(m, q, Space::kSpad, 40);
}

TEST(Written, HbmIsCheckedByteByByte) {
  Machine m(isa::kNano);
  m.load_hbm(1, 0, Bytes(70));
  Builder p;
  p.thread(0).engine("ld", {{"spad", 0}, {"hbm", 1U << 26}, {"len", 3}, {"npc", 1}}).halt();
  const Outcome o = unwritten(m, p, Space::kHbm, 70);
  EXPECT_EQ(o.error.channel, 1U);
  EXPECT_THAT(o.text(), HasSubstr("LD ld (pc 3, thread 0) reads hbm1 0x46"));
}

TEST(Written, MmReadsOnlyTheColumnsItComputes) {
  Machine m(isa::kNano);
  m.load_spad(0, Bytes(128));       // weights of one block
  m.load_spad(0x200, Bytes(8, 1));  // their scales
  m.load_spad(0x400, Bytes(48));    // three columns of activations
  m.load_spad(0x600, Bytes(3, 1));  // their scales
  const auto mm = [](std::uint32_t n, std::uint32_t init) {
    Builder p;
    p.thread(0)
        .engine("mm", {{"w", 0}, {"ws", 0x200}, {"a", 0x400}, {"as", 0x600}, {"kb", 1}, {"n", n}, {"init", init}})
        .halt();
    return p;
  };
  unwritten(m, mm(3, 0), Space::kAcc, 0);
  run_done(m, mm(3, 1));
  run_done(m, mm(3, 0));
  unwritten(m, mm(4, 1), Space::kSpad, 0x430);
  m.load_spad(0x430, Bytes(16));
  unwritten(m, mm(4, 1), Space::kSpad, 0x603);
}

TEST(Written, MstNeedsAccumulatorsThatWereWritten) {
  Machine m(isa::kNano);
  m.load_acc(4, std::vector<std::uint32_t>(8));
  Builder p;
  p.thread(0).engine("mst", {{"dst", 0}, {"pitch", 32}, {"n", 2}, {"cg", 1}}).halt();
  unwritten(m, p, Space::kAcc, 5);
}

TEST(Written, FetchingBeyondTheProgramIsAFinding) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(0).raw("sync");
  EXPECT_THAT(unwritten(m, p, Space::kImem, 1).text(), HasSubstr("beyond the program's 1 instructions"));
}

TEST(Written, WhatAnInstructionWroteMayBeRead) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(0).engine("vfill", {{"dst", 0}, {"n", 8}}).engine("vmov", {{"dst", 0x100}, {"src", 0}, {"n", 8}}).halt();
  run_done(m, p);
}

TEST(Written, ChecksCanBeTurnedOff) {
  Machine m(isa::kNano, {.check_written = false});
  Builder p;
  p.thread(0)
      .raw("lw", {{"rd", 1}, {"imm", 16}})
      .engine("ld", {{"spad", 0}, {"hbm", 0}, {"len", 1}, {"npc", 1}})
      .halt();
  run_done(m, p);
  EXPECT_EQ(m.regs(0)[1], 0U);
}

}  // namespace
}  // namespace tepin::golden::testing
