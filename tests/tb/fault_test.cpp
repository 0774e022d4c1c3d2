// SPDX-License-Identifier: Apache-2.0
// Every fault that a program can cause: the RTL names the same cause, engine, thread and instruction as the golden
// model, and the tile works again after a soft reset. Faults of memories are in memory_fault_test.cpp.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "support.h"
#include "sw/isa/tepin_csr.h"
#include "sw/isa/tepin_window.h"

namespace tepin::tb::testing {
namespace {

/// Scratchpad and HBM that hold something wherever the programs look.
struct Data {
  Bytes spad = [] {
    Bytes b = random_bytes(16384, 1);
    for (auto& x : b) x = static_cast<std::uint8_t>(64 + x % 60);  // neither NaN nor a 6-bit code
    return b;
  }();
  Bytes hbm = random_bytes(65536, 2);
};

void compare(TileSim& sim, const std::string& text, std::map<isa::Cause, int>& seen,
             const golden::Options& options = {}) {
  static const Data data;
  SCOPED_TRACE(text);
  const isa::Section section = assemble(text);
  golden::Machine machine(kTileConfig, options);
  machine.load_spad(0, data.spad);
  for (std::uint32_t c = 0; c < kPcs; ++c) machine.load_hbm(c, 0, data.hbm);
  const golden::Outcome o = machine.run(section);
  ASSERT_EQ(o.status, golden::Status::kFault) << o.text();
  sim.soft_reset();
  sim.load(section);
  sim.window_write(isa::kWinSpad, data.spad);
  for (int c = 0; c < kPcs; ++c) sim.memory(c).store(0, data.hbm);
  const RunResult r = sim.run(200'000);
  ASSERT_EQ(r.stop, Stop::kFault) << "expected: " << o.text();
  EXPECT_EQ(isa::kCauses[static_cast<std::size_t>(r.fault.cause)].name,
            isa::kCauses[static_cast<std::size_t>(o.fault.cause)].name);
  EXPECT_EQ(isa::kEngines[static_cast<std::size_t>(r.fault.engine)],
            isa::kEngines[static_cast<std::size_t>(o.fault.engine)]);
  EXPECT_EQ(r.fault.thread, o.fault.thread);
  EXPECT_EQ(r.fault.pc, o.fault.pc) << o.text();
  ++seen[o.fault.cause];
  EXPECT_EQ(good_run(sim), "");
}

/// The instruction on thread 2 behind some others, so that thread and pc are not 0.
std::string on_thread_2(const std::string& lines) {
  return ".thread 0, other\n.thread 2, main\nother: li r1, 5\nhalt\nmain: nop\nnop\n" + lines + "\nhalt\n";
}
/// One engine instruction from "name=value" operands, which become registers.
std::string engine(const std::string& name, const std::map<std::string, std::string>& operands,
                   const std::string& flags = "") {
  std::string setup, instruction = name;
  int reg = 1;
  const char* separator = " ";
  for (const auto& [field, value] : operands) {
    setup += fmt::format("li r{}, {}\n", reg, value);
    instruction += fmt::format("{}{}=r{}", separator, field, reg++);
    separator = ", ";
  }
  if (!flags.empty()) instruction += separator + flags;
  return setup + instruction;
}

struct Changed {
  std::string field, value;
  isa::Cause cause;
};
/// Legal operands with one of them changed at a time.
void compare_changes(TileSim& sim, const std::string& name, const std::map<std::string, std::string>& legal,
                     const std::string& flags, const std::vector<Changed>& changes) {
  for (const Changed& c : changes) {
    std::map<std::string, std::string> operands = legal;
    operands[c.field] = c.value;
    std::map<isa::Cause, int> seen;
    compare(sim, on_thread_2(engine(name, operands, flags)), seen);
    EXPECT_EQ(seen[c.cause], 1) << name << " " << c.field << "=" << c.value << ": the golden model found another cause";
  }
}

using isa::Cause;

TEST(Faults, OfTheSequencerAreTheGoldenModels) {
  TileSim sim({.checked = true});
  std::map<Cause, int> seen;
  // .word HI, LO
  for (const char* word : {"0, 0xff", "0, 0x42", "0, 0", "0, 0x502" /* a semaphore without a count */,
                           "0x80, 0x02" /* reserved bit */, "0x40, 0x02" /* a tile without a remote post */,
                           "1, 0x02" /* a remote post of nothing */, "0, 0x06" /* loop to behind itself */,
                           "0x6000000000000, 0x60" /* format */, "0x100, 0x02" /* unused field */}) {
    compare(sim, on_thread_2(fmt::format(".word {}", word)), seen);
  }
  EXPECT_EQ(seen[Cause::kIllegalInstr], 10);
  compare(sim, on_thread_2("li r1, 2\nloop r1, e\nloop r1, e\nloop r1, e\nloop r1, e\nloop r1, e\nnop\ne: nop"), seen);
  EXPECT_EQ(seen[Cause::kLoopDepth], 1);
  compare(sim, on_thread_2("li r1, 4096\njr r1"), seen);
  compare(sim, on_thread_2("li r1, 65535\njr r1"), seen);
  compare(sim, on_thread_2("li r1, 65536\njr r1"), seen);
  compare(sim, on_thread_2("li r1, -1\njr r1"), seen);
  // Targets beyond 16 bits, which only .word can say: loop r1, 0x10004 and jmp 65538.
  compare(sim, on_thread_2("li r1, 3\n.word 0x0001000400002000, 0x06\naddi r2, r2, 1\nhalt"), seen);
  compare(sim, on_thread_2(".word 0x0001000200000000, 0x30"), seen);
  compare(sim, ".thread 3, main\nmain: nop\njmp far\n.rept 4093\nnop\n.endr\nfar: addi r1, r1, 1\n",
          seen);  // runs off the end
  EXPECT_EQ(seen[Cause::kBadPc], 5);
  EXPECT_EQ(seen[Cause::kIllegalInstr], 12);
  for (const char* access : {"lw r2, 2(r1)", "sw r2, 1(r1)", "lw r2, 0x20002(r1)"})
    compare(sim, on_thread_2(std::string("li r1, 64\n") + access), seen);
  EXPECT_EQ(seen[Cause::kMisaligned], 3);
  for (const char* access : {"lw r2, 0(r1)", "sw r2, 0x1000(r1)", "lw r2, 0xfffdfffc(r1)", "sw r2, 0x7ffe0000(r1)"}) {
    compare(sim, on_thread_2(std::string("li r1, 131072\n") + access), seen);
  }
  EXPECT_EQ(seen[Cause::kBadSpadAddr], 4);
}

TEST(Faults, AJumpBeyond16BitsIsABadPc) {
  TileSim sim({.checked = true});
  sim.load(assemble(on_thread_2("li r1, 0x12345678\njr r1")));
  const RunResult r = sim.run(10'000);
  ASSERT_EQ(r.stop, Stop::kFault);
  EXPECT_EQ(r.fault.cause, Cause::kBadPc);
  EXPECT_EQ(r.fault.engine, isa::Engine::kSeq);
  EXPECT_EQ(r.fault.thread, 2U);
  EXPECT_EQ(r.fault.pc, 0xffffU) << "the register holds 16 bits";
}

TEST(Faults, OfSemaphoresNameWhoPosted) {
  TileSim sim({.checked = true});
  std::map<Cause, int> seen;
  const std::string full = "li r1, 0xffffffff\nspost s5, r1\nsync post s6*3\n";
  for (const char* post : {"spost s5, r1", "sync post s5", "addi r2, r2, 1 post s6, s5*255", "ldsync post s5",
                           "stsync post s6, s5", "mxusync post s5*2", "vsync post s5", "lw r3, 0(r0) post s5"}) {
    compare(sim, on_thread_2(full + post), seen);
  }
  EXPECT_EQ(seen[Cause::kSemOverflow], 8);
  for (const char* take : {"li r4, 4\nstake s6, r4", "stake s7, r1", "spost s7, r1\nstake s7, r1\nstake s7, r1"}) {
    compare(sim, on_thread_2(full + take), seen);
  }
  EXPECT_EQ(seen[Cause::kSemUnderflow], 3);
}

TEST(Faults, OfLoadsAndStoresAreTheGoldenModels) {
  TileSim sim({.checked = true});
  const std::map<std::string, std::string> legal{{"spad", "0x1000"}, {"hbm", "16"},     {"len", "4"},
                                                 {"cnt", "0x10001"}, {"sstep1", "128"}, {"hstep1", "4"},
                                                 {"sstep2", "256"},  {"hstep2", "8"}};
  for (const char* name : {"ld", "st"}) {
    compare_changes(sim, name, legal, "npc=1",
                    {{"len", "0", Cause::kBadOperand},
                     {"len", "65536", Cause::kBadOperand},
                     {"len", "0x10004", Cause::kBadOperand},
                     {"spad", "0x1010", Cause::kMisaligned},
                     {"sstep1", "16", Cause::kMisaligned},
                     {"sstep2", "2", Cause::kMisaligned},
                     {"hbm", "2 << 26", Cause::kBadHbmAddr},
                     {"hbm", "63 << 26", Cause::kBadHbmAddr},
                     {"hbm", "16777215", Cause::kBadHbmAddr},
                     {"hstep1", "16777196", Cause::kBadHbmAddr},
                     {"hstep2", "0xffffffff", Cause::kBadHbmAddr},
                     {"spad", "131072", Cause::kBadSpadAddr},
                     {"spad", "0xffffffe0", Cause::kBadSpadAddr},
                     {"len", "4090", Cause::kBadSpadAddr},
                     {"sstep1", "0xffffffe0", Cause::kBadSpadAddr},
                     {"sstep2", "0x1ff00", Cause::kBadSpadAddr}});
    compare_changes(sim, name, legal, "npc=2", {{"hbm", "1 << 26", Cause::kBadHbmAddr}});
    compare_changes(sim, name, legal, "npc=3", {{"hbm", "0", Cause::kBadHbmAddr}});
    // Of several the first in the order of checks.
    std::map<std::string, std::string> wrong = legal;
    wrong["spad"] = "0x20010";
    compare_changes(sim, name, wrong, "npc=1",
                    {{"hbm", "0xffffffff", Cause::kMisaligned}, {"len", "0", Cause::kBadOperand}});
    wrong["spad"] = "0x20000";
    compare_changes(sim, name, wrong, "npc=1",
                    {{"hbm", "0xffffffff", Cause::kBadHbmAddr}, {"hbm", "16777215", Cause::kBadSpadAddr}});
  }
}

TEST(Faults, OfTheMatrixUnitAreTheGoldenModels) {
  TileSim sim({.checked = true});
  const std::map<std::string, std::string> mm{{"w", "0"},  {"ws", "0x800"}, {"a", "0x1000"},  {"as", "0x2000"},
                                              {"kb", "3"}, {"n", "9"},      {"astep", "288"}, {"asstep", "32"}};
  compare_changes(sim, "mm", mm, "fa=mxint8, fw=mxfp4, init",
                  {{"kb", "0", Cause::kBadOperand},
                   {"kb", "65536", Cause::kBadOperand},
                   {"n", "0", Cause::kBadOperand},
                   {"n", "33", Cause::kBadOperand},
                   {"n", "65", Cause::kBadOperand},
                   {"w", "16", Cause::kMisaligned},
                   {"ws", "0x804", Cause::kMisaligned},
                   {"a", "0x1010", Cause::kMisaligned},
                   {"as", "0x2001", Cause::kMisaligned},
                   {"astep", "16", Cause::kMisaligned},
                   {"asstep", "9", Cause::kMisaligned},
                   {"w", "0x1fea0", Cause::kBadSpadAddr},
                   {"ws", "0x1fff0", Cause::kBadSpadAddr},
                   {"a", "0x1fcc0", Cause::kBadSpadAddr},
                   {"as", "0x1ffc0", Cause::kBadSpadAddr},
                   {"kb", "65535", Cause::kBadSpadAddr},
                   {"astep", "0x80000000", Cause::kBadSpadAddr},
                   {"asstep", "0xffffffe0", Cause::kBadSpadAddr}});
  compare_changes(sim, "mm", mm, "fa=mxint8, fw=mxfp4, init, cg=6", {{"n", "9", Cause::kBadOperand}});
  compare_changes(sim, "mm", mm, "fa=mxint8, fw=mxfp4, init, cg=8", {{"n", "1", Cause::kBadOperand}});
  compare_changes(sim, "mm", mm, "fa=mxint8, fw=mxfp4, init, cg=127", {{"n", "1", Cause::kBadOperand}});
  const std::map<std::string, std::string> mst{{"dst", "0x2000"}, {"pitch", "64"}, {"n", "4"}};
  compare_changes(sim, "mst", mst, "",
                  {{"n", "0", Cause::kBadOperand},
                   {"n", "33", Cause::kBadOperand},
                   {"dst", "0x2010", Cause::kMisaligned},
                   {"pitch", "16", Cause::kMisaligned},
                   {"dst", "0x1ff40", Cause::kBadSpadAddr},
                   {"pitch", "0xffffffe0", Cause::kBadSpadAddr}});
  compare_changes(sim, "mst", mst, "cg=7", {{"n", "5", Cause::kBadOperand}});
}

TEST(Faults, OfTheVectorUnitAreTheGoldenModels) {
  TileSim sim({.checked = true});
  compare_changes(sim, "vadd", {{"dst", "0x1000"}, {"src", "0"}, {"src2", "0x800"}, {"n", "20"}}, "",
                  {{"n", "0", Cause::kBadOperand},
                   {"n", "65536", Cause::kBadOperand},
                   {"dst", "0x1004", Cause::kMisaligned},
                   {"src", "16", Cause::kMisaligned},
                   {"src2", "0x801", Cause::kMisaligned},
                   {"dst", "0x1ffe0", Cause::kBadSpadAddr},
                   {"src", "0x1ffe0", Cause::kBadSpadAddr},
                   {"src2", "0xffffffe0", Cause::kBadSpadAddr}});
  compare_changes(sim, "vcvtbf", {{"dst", "0x1000"}, {"src", "0"}, {"n", "20"}}, "",
                  {{"dst", "0x1ffe0", Cause::kBadSpadAddr}, {"src", "0x1ffc0", Cause::kBadSpadAddr}});
  const std::map<std::string, std::string> q{{"dst", "0x1000"}, {"src", "0"},     {"nblk", "3"}, {"scl", "0x2001"},
                                             {"dstep", "32"},   {"sstep", "128"}, {"cstep", "1"}};
  compare_changes(sim, "vqnt", q, "fmt=mxfp8_e4m3",
                  {{"nblk", "0", Cause::kBadOperand},
                   {"dst", "0x1010", Cause::kMisaligned},
                   {"dstep", "48", Cause::kMisaligned},
                   {"src", "16", Cause::kMisaligned},
                   {"sstep", "136", Cause::kMisaligned},
                   {"dst", "0x1ffc0", Cause::kBadSpadAddr},
                   {"src", "0x1ff80", Cause::kBadSpadAddr},
                   {"scl", "0x1fffe", Cause::kBadSpadAddr},
                   {"cstep", "0xffffffff", Cause::kBadSpadAddr}});
  compare_changes(sim, "vqnt", q, "fmt=mxfp4",
                  {{"dst", "0x1008", Cause::kMisaligned}, {"dstep", "24", Cause::kMisaligned}});
  const std::map<std::string, std::string> d{{"dst", "0x1000"}, {"src", "0"},    {"nblk", "3"}, {"scl", "0x2001"},
                                             {"dstep", "128"},  {"sstep", "32"}, {"cstep", "1"}};
  compare_changes(sim, "vdqt", d, "fmt=mxint8",
                  {{"nblk", "65537", Cause::kBadOperand},
                   {"dst", "0x1010", Cause::kMisaligned},
                   {"src", "16", Cause::kMisaligned},
                   {"dstep", "16", Cause::kMisaligned},
                   {"sstep", "16", Cause::kMisaligned},
                   {"scl", "0x1fffe", Cause::kBadSpadAddr}});
  for (const char* format : {"mxfp6_e2m3", "mxfp6_e3m2"}) {
    compare_changes(sim, "vdqt", d, fmt::format("fmt={}", format),
                    {{"nblk", "3", Cause::kBadOperand}});  // upper bits of a code
  }
}

// A later instruction's operands are checked when it starts, after the earlier one has faulted.
TEST(Faults, OfTwoWrongInstructionsOfAnEngineTheEarlierIsNamed) {
  TileSim sim({.checked = true});
  std::map<Cause, int> seen;
  for (const char* name : {"ld", "st"}) {
    const std::string first = engine(
        name, {{"spad", "0x1000"}, {"hbm", "16777200"}, {"len", "1"}, {"cnt", "99"}, {"sstep1", "32"}, {"hstep1", "1"}},
        "npc=1");
    compare(sim, on_thread_2(first + fmt::format("\n{} spad=r1, hbm=r2, len=r0", name)), seen);
  }
  EXPECT_EQ(seen[Cause::kBadHbmAddr], 2);
  // A NaN in the last of many blocks: every scale byte 0xff there.
  const std::string mm = engine("mm",
                                {{"w", "0"},
                                 {"ws", "0x2000"},
                                 {"a", "0"},
                                 {"as", "0x3000"},
                                 {"kb", "60"},
                                 {"n", "32"},
                                 {"astep", "32"},
                                 {"asstep", "32"}},
                                "fa=mxint8, fw=mxfp4, init");
  compare(sim, on_thread_2("li r20, 0xffffffff\nsw r20, 0x21dc(r0)\n" + mm + "\nmst dst=r1, pitch=r1, n=r0"), seen);
  EXPECT_EQ(seen[Cause::kMxuNan], 1);
}

}  // namespace
}  // namespace tepin::tb::testing
