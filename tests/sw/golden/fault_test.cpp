// SPDX-License-Identifier: Apache-2.0
// Every cause that software can produce, and the order in which an instruction's operands are checked. stuck has its
// own file.
#include "fixture.h"

namespace tepin::golden::testing {
namespace {

using isa::Cause;
using isa::Engine;

/// Runs one engine instruction on nano; its pc is checked.
void expect(Engine engine, Cause cause, std::string_view name, Fields fields) {
  Machine m(isa::kNano);
  m.load_spad(0, Bytes(isa::kNano.spad_bytes));
  Builder p;
  p.thread(1).engine(name, fields);
  const std::uint32_t pc = p.pc() - 1;
  p.halt();
  const Outcome o = run_fault(m, p, engine, cause);
  EXPECT_EQ(o.fault.pc, pc) << o.text();
  EXPECT_EQ(o.fault.thread, 1);
}

TEST(Fault, IllegalInstructionsAreFoundAtIssueBySeq) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(0).raw("vmov").patch(0, isa::kBitsOpcode, 0x42).halt();
  run_fault(m, p, Engine::kSeq, Cause::kIllegalInstr);
  Builder q;  // reserved bits of an engine's instruction, even if it waits and the engine is another
  q.thread(0).raw("vmov").wait(3).patch(0, isa::kBitsReserved, 1).halt();
  run_fault(m, q, Engine::kSeq, Cause::kIllegalInstr);
  Builder npc;
  npc.thread(0).raw("ld").halt();  // npc = 0
  run_fault(m, npc, Engine::kSeq, Cause::kIllegalInstr);
  Builder format;
  format.thread(0).raw("mm", {{"fa", 6}}).halt();  // nvfp4 activations
  run_fault(m, format, Engine::kSeq, Cause::kIllegalInstr);
  Builder weight;
  weight.thread(0).raw("mm", {{"fw", 3}}).halt();  // mxfp8_e5m2 weights
  run_fault(m, weight, Engine::kSeq, Cause::kIllegalInstr);
  Builder element;
  element.thread(0).raw("vqnt", {{"fmt", 8}}).halt();
  run_fault(m, element, Engine::kSeq, Cause::kIllegalInstr);
  Machine fpga(isa::kFpga);
  Builder sem;
  sem.thread(0).raw("sync").post(32).halt();  // fpga has semaphores 0..31
  run_fault(fpga, sem, Engine::kSeq, Cause::kIllegalInstr);
}

TEST(Fault, ALoopThatEndsBeforeItsBodyIsIllegal) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(0).li(1, 1).raw("loop", {{"rs1", 1}, {"imm", 1}}).halt();
  run_fault(m, p, Engine::kSeq, Cause::kIllegalInstr);
}

TEST(Fault, TheFifthLoopIsTooDeep) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(0).li(1, 2);
  for (int i = 0; i < 5; ++i) p.raw("loop", {{"rs1", 1}, {"imm", 7}});
  p.raw("sync").halt();
  EXPECT_EQ(run_fault(m, p, Engine::kSeq, Cause::kLoopDepth).fault.pc, 5U);
}

TEST(Fault, BadPcNamesThePcThatDoesNotExist) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(2).raw("jmp", {{"imm", 4096}});
  const Outcome o = run_fault(m, p, Engine::kSeq, Cause::kBadPc);
  EXPECT_EQ(o.fault.pc, 4096U);
  EXPECT_EQ(o.fault.thread, 2);
}

TEST(Fault, WordAccessesCheckAlignmentThenBounds) {
  Machine m(isa::kNano);
  const auto lw = [&](std::string_view op, std::uint32_t address, Cause cause) {
    Builder p;
    p.thread(0).raw(op, {{"imm", address}}).halt();
    run_fault(m, p, Engine::kSeq, cause);
  };
  lw("lw", 2, Cause::kMisaligned);
  lw("lw", isa::kNano.spad_bytes + 1, Cause::kMisaligned);
  lw("lw", isa::kNano.spad_bytes, Cause::kBadSpadAddr);
  lw("sw", 0xfffffffcU, Cause::kBadSpadAddr);
}

TEST(Fault, SemaphoresOverflowAndUnderflow) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(0).li(1, 0xffffffffU).raw("spost", {{"imm", 1}, {"rs1", 1}}).raw("sync").post(1).halt();
  EXPECT_EQ(run_fault(m, p, Engine::kSeq, Cause::kSemOverflow).fault.pc, 2U);
  Builder e;
  e.thread(0).li(1, 0xffffff80U).raw("spost", {{"imm", 1}, {"rs1", 1}}).raw("ldsync").post(1, 0x80).halt();
  run_fault(m, e, Engine::kLd, Cause::kSemOverflow);
  Builder u;
  u.thread(0).li(1, 1).raw("stake", {{"imm", 1}, {"rs1", 1}}).halt();
  EXPECT_EQ(run_fault(m, u, Engine::kSeq, Cause::kSemUnderflow).fault.pc, 1U);
}

TEST(Fault, DmaChecksCountAlignmentChannelsScratchpadThenHbm) {
  constexpr std::uint32_t kEnd = isa::kNano.spad_bytes;
  constexpr std::uint32_t kHuge = 0x3ffffff;
  for (const auto& [name, engine] : {std::pair{"ld", Engine::kLd}, std::pair{"st", Engine::kSt}}) {
    expect(engine, Cause::kBadOperand, name, {{"len", 0}, {"spad", 1}, {"npc", 3}});
    expect(engine, Cause::kBadOperand, name, {{"len", 65536}, {"npc", 1}});
    expect(engine, Cause::kMisaligned, name, {{"len", 1}, {"spad", 16}, {"npc", 3}});
    expect(engine, Cause::kMisaligned, name, {{"len", 1}, {"sstep1", 8}, {"npc", 1}});
    expect(engine, Cause::kMisaligned, name, {{"len", 1}, {"sstep2", 8}, {"npc", 1}});
    expect(engine, Cause::kBadHbmAddr, name, {{"len", 1}, {"spad", kEnd}, {"npc", 3}});
    expect(engine, Cause::kBadHbmAddr, name, {{"len", 1}, {"hbm", 1U << 26}, {"npc", 2}});
    expect(engine, Cause::kBadSpadAddr, name, {{"len", 2}, {"spad", kEnd - 32}, {"hbm", kHuge}, {"npc", 1}});
    expect(engine, Cause::kBadSpadAddr, name, {{"len", 1}, {"cnt", 1}, {"sstep1", 0xffffffe0U}, {"npc", 1}});
    expect(engine, Cause::kBadSpadAddr, name, {{"len", 1}, {"cnt", 0xffff0000U}, {"sstep2", 0x80000000U}, {"npc", 1}});
    expect(engine, Cause::kBadHbmAddr, name, {{"len", 1}, {"hbm", kHuge}, {"npc", 1}});
    expect(engine, Cause::kBadHbmAddr, name,
           {{"len", 1}, {"cnt", 1}, {"hstep1", 16777216}, {"sstep1", 32}, {"npc", 1}});
    // 17 beats on two channels: beats 16 fills a third unit, so beat h + 8 is the furthest
    expect(engine, Cause::kBadHbmAddr, name, {{"len", 17}, {"hbm", 16777216 - 8}, {"npc", 2}});
    expect(engine, Cause::kBadHbmAddr, name, {{"len", 8}, {"hbm", 16777216 - 7}, {"npc", 2}});
  }
}

TEST(Fault, StripedBoundsCountTheBusiestChannelOnly) {
  Machine m(isa::kNano);
  m.load_spad(0, Bytes(16 * 32));
  Builder p;
  p.thread(0).engine("st", {{"len", 16}, {"hbm", 16777216 - 8}, {"npc", 2}}).halt();
  run_done(m, p);
}

TEST(Fault, MmChecksCountsAlignmentThenBounds) {
  constexpr std::uint32_t kEnd = isa::kNano.spad_bytes;
  const auto mm = [](Cause cause, Fields fields) { expect(Engine::kMxu, cause, "mm", fields); };
  mm(Cause::kBadOperand, {{"kb", 0}, {"n", 1}, {"w", 1}});
  mm(Cause::kBadOperand, {{"kb", 65536}, {"n", 1}});
  mm(Cause::kBadOperand, {{"kb", 1}, {"n", 0}});
  mm(Cause::kBadOperand, {{"kb", 1}, {"n", 33}, {"w", 1}});
  mm(Cause::kBadOperand, {{"kb", 1}, {"n", 5}, {"cg", 7}});
  mm(Cause::kBadOperand, {{"kb", 1}, {"n", 1}, {"cg", 8}});
  mm(Cause::kMisaligned, {{"kb", 1}, {"n", 1}, {"w", 16}, {"a", kEnd}});
  mm(Cause::kMisaligned, {{"kb", 1}, {"n", 1}, {"ws", 4}});
  mm(Cause::kMisaligned, {{"kb", 1}, {"n", 1}, {"a", 16}});
  mm(Cause::kMisaligned, {{"kb", 1}, {"n", 1}, {"as", 16}});
  mm(Cause::kMisaligned, {{"kb", 1}, {"n", 1}, {"astep", 16}});
  mm(Cause::kMisaligned, {{"kb", 1}, {"n", 1}, {"asstep", 16}});
  mm(Cause::kBadSpadAddr, {{"kb", 2}, {"n", 1}, {"w", kEnd - 128}});
  mm(Cause::kBadSpadAddr, {{"kb", 2}, {"n", 1}, {"ws", kEnd - 8}});
  mm(Cause::kBadSpadAddr, {{"kb", 1}, {"n", 2}, {"a", kEnd - 32}, {"fa", 2}});
  mm(Cause::kBadSpadAddr, {{"kb", 2}, {"n", 1}, {"as", kEnd - 32}, {"asstep", 32}});
  mm(Cause::kBadSpadAddr, {{"kb", 3}, {"n", 1}, {"astep", 0x80000000U}});  // does not wrap
  constexpr std::uint32_t kNvfp4 = 6, kInt4 = 7, kInt8x2 = 8;
  for (const std::uint32_t fw : {kNvfp4, kInt4}) {
    mm(Cause::kMisaligned, {{"kb", 1}, {"n", 1}, {"ws", 8}, {"fw", fw}});  // a multiple of R, not of 2 R
    mm(Cause::kBadSpadAddr, {{"kb", 2}, {"n", 1}, {"ws", kEnd - 16}, {"fw", fw}});
    mm(Cause::kBadSpadAddr, {{"kb", 2}, {"n", 1}, {"w", kEnd - 128}, {"fw", fw}});
  }
  mm(Cause::kBadSpadAddr, {{"kb", 1}, {"n", 1}, {"w", kEnd - 128}, {"fw", 1}});  // 32 bytes a row
  mm(Cause::kBadOperand, {{"kb", 32768}, {"n", 1}, {"w", 1}, {"fw", kInt8x2}});
  mm(Cause::kMisaligned, {{"kb", 32767}, {"n", 1}, {"w", 1}, {"fw", kInt8x2}});
  mm(Cause::kBadSpadAddr, {{"kb", 1}, {"n", 1}, {"w", kEnd - 256}, {"fw", kInt8x2}});
  mm(Cause::kBadSpadAddr, {{"kb", 1}, {"n", 1}, {"ws", kEnd - 8}, {"fw", kInt8x2}});
}

TEST(Fault, MstChecksCountsAlignmentThenBounds) {
  constexpr std::uint32_t kEnd = isa::kNano.spad_bytes;
  const auto mst = [](Cause cause, Fields fields) { expect(Engine::kMxu, cause, "mst", fields); };
  mst(Cause::kBadOperand, {{"n", 0}, {"dst", 1}});
  mst(Cause::kBadOperand, {{"n", 29}, {"cg", 1}});
  mst(Cause::kMisaligned, {{"n", 1}, {"dst", 16}});
  mst(Cause::kMisaligned, {{"n", 1}, {"pitch", 16}, {"dst", kEnd}});
  mst(Cause::kBadSpadAddr, {{"n", 2}, {"dst", kEnd - 64}, {"pitch", 64}});
}

TEST(Fault, VpuChecksCountsAlignmentThenBounds) {
  constexpr std::uint32_t kEnd = isa::kNano.spad_bytes;
  const auto v = [](std::string_view op, Cause cause, Fields fields) { expect(Engine::kVpu, cause, op, fields); };
  for (const std::string_view op : {"vmov", "vadd", "vsub", "vmul", "vadds", "vmuls", "vfmas", "vcvtbf", "vcvtf",
                                    "vmin", "vmaxs", "vexp2", "vrcp", "vswiglu"}) {
    v(op, Cause::kBadOperand, {{"n", 0}, {"dst", 4}});
    v(op, Cause::kBadOperand, {{"n", 65536}});
    v(op, Cause::kMisaligned, {{"n", 1}, {"dst", 4}, {"src", kEnd}});
    v(op, Cause::kMisaligned, {{"n", 1}, {"src", 4}});
    v(op, Cause::kBadSpadAddr, {{"n", 17}, {"dst", kEnd - 32}, {"src", 64}});
    v(op, Cause::kBadSpadAddr, {{"n", 17}, {"dst", 64}, {"src", kEnd - 32}});
  }
  v("vfill", Cause::kBadOperand, {{"n", 0}});
  v("vfill", Cause::kMisaligned, {{"n", 1}, {"dst", 4}});
  v("vfill", Cause::kBadSpadAddr, {{"n", 9}, {"dst", kEnd - 32}});
  for (const std::string_view op : {"vadd", "vfmas"}) {
    v(op, Cause::kMisaligned, {{"n", 1}, {"src2", 4}});
    v(op, Cause::kBadSpadAddr, {{"n", 1}, {"src2", kEnd}});
  }
  for (const std::string_view op : {"vqnt", "vdqt"}) {
    v(op, Cause::kBadOperand, {{"nblk", 0}, {"dst", 4}});
    v(op, Cause::kBadOperand, {{"nblk", 65536}});
    v(op, Cause::kMisaligned, {{"nblk", 1}, {"dst", 8}});
    v(op, Cause::kMisaligned, {{"nblk", 1}, {"src", 8}});
    v(op, Cause::kMisaligned, {{"nblk", 1}, {"dstep", 8}});
    v(op, Cause::kMisaligned, {{"nblk", 1}, {"sstep", 8}, {"scl", kEnd}});
    v(op, Cause::kBadSpadAddr, {{"nblk", 1}, {"scl", kEnd}});
    v(op, Cause::kBadSpadAddr, {{"nblk", 2}, {"dstep", 0x80000000U}});
    v(op, Cause::kBadSpadAddr, {{"nblk", 2}, {"sstep", 0xffffffe0U}});
    v(op, Cause::kBadSpadAddr, {{"nblk", 2}, {"cstep", 0xffffffffU}});
  }
  v("vqnt", Cause::kMisaligned, {{"nblk", 1}, {"dst", 16}, {"fmt", 1}});  // B = 32, but 16 suffices for mxfp4
  v("vqnt", Cause::kMisaligned, {{"nblk", 1}, {"src", 16}});
  v("vqnt", Cause::kMisaligned, {{"nblk", 1}, {"src", 16}, {"bf16", 1}});
  v("vqnt", Cause::kMisaligned, {{"nblk", 1}, {"sstep", 16}, {"bf16", 1}});
  v("vqnt", Cause::kBadSpadAddr, {{"nblk", 1}, {"src", kEnd - 64}});
  v("vqnt", Cause::kBadSpadAddr, {{"nblk", 1}, {"src", kEnd - 32}, {"bf16", 1}});
  v("vdqt", Cause::kMisaligned, {{"nblk", 1}, {"dst", 16}});
}

TEST(Fault, OnlyTheFirstStopsTheTileAndNothingStartsAfterIt) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(0).raw("lw", {{"imm", 2}}).raw("lw", {{"imm", 1}});
  p.thread(1).li(1, 1).li(1, 2).halt();
  EXPECT_EQ(run_fault(m, p, Engine::kSeq, Cause::kMisaligned).fault.pc, 0U);
  EXPECT_EQ(m.regs(1)[1], 0U);
}

TEST(Fault, AProgramLargerThanInstructionMemoryIsRefused) {
  Machine m(isa::kFpga);
  isa::Section s;
  s.code.resize(1025);
  EXPECT_THROW((void)m.run(s), isa::InputError);
}

}  // namespace
}  // namespace tepin::golden::testing
