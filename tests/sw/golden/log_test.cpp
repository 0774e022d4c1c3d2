// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "fixture.h"

namespace tepin::golden::testing {
namespace {

const AgentLog& of(const Machine& m, isa::Engine e) { return m.log()[static_cast<std::size_t>(agent_of(e))]; }

TEST(Log, HoldsEachAgentsInstructionsInItsOwnOrder) {
  Machine m(isa::kNano, {.log = true});
  Builder p;
  p.thread(0)
      .li(5, 7)
      .li(0, 9)
      .raw("sw", {{"rs2", 5}, {"imm", 64}})
      .raw("ldsync")
      .raw("jal", {{"rd", 6}, {"imm", 5}})
      .halt();
  p.thread(1).raw("stsync").halt();
  run_done(m, p);
  const AgentLog& t0 = m.log()[0];
  ASSERT_EQ(t0.entries.size(), 5U);  // ldsync is LD's
  EXPECT_EQ(t0.entries[0].rd, 5);
  EXPECT_EQ(t0.entries[0].value, 7U);
  EXPECT_EQ(t0.entries[1].rd, 0);
  EXPECT_EQ(t0.entries[1].value, 0U);
  ASSERT_EQ(t0.entries[2].writes, 1U);
  const LogWrite& w = t0.writes_of(t0.entries[2])[0];
  EXPECT_EQ(w.space, Space::kSpad);
  EXPECT_EQ(w.address, 64U);
  const auto bytes = t0.bytes_of(w);
  EXPECT_EQ(Bytes(bytes.begin(), bytes.end()), (Bytes{7, 0, 0, 0}));
  EXPECT_EQ(t0.entries[3].op, isa::Op::kJal);
  EXPECT_EQ(t0.entries[3].value, 5U);
  EXPECT_EQ(t0.entries[4].op, isa::Op::kHalt);
  EXPECT_EQ(m.log()[1].entries.size(), 1U);
  ASSERT_EQ(of(m, isa::Engine::kSt).entries.size(), 1U);
  EXPECT_EQ(of(m, isa::Engine::kSt).entries[0].thread, 1);
  EXPECT_EQ(of(m, isa::Engine::kSt).entries[0].pc, 6U);
  EXPECT_EQ(of(m, isa::Engine::kLd).entries[0].pc, 3U);
}

TEST(Log, JoinsWritesThatContinueAndKeepsOthersApart) {
  Machine m(isa::kNano, {.log = true});
  m.load_spad(0, random_bytes(20 * 32, 1));
  Builder p;
  p.thread(0).engine("st", {{"spad", 0}, {"hbm", 0}, {"len", 20}, {"npc", 2}}).post(1);
  p.engine("ld", {{"spad", 0x4000}, {"hbm", 0}, {"len", 2}, {"cnt", 2}, {"sstep1", 64}, {"hstep1", 2}, {"npc", 1}})
      .wait(1)
      .halt();
  run_done(m, p);
  const AgentLog& st = of(m, isa::Engine::kSt);
  const auto units = st.writes_of(st.entries[0]);
  ASSERT_EQ(units.size(), 3U);  // 8 beats in channel 0, 8 in channel 1, 4 in channel 0
  EXPECT_EQ(units[1].channel, 1);
  EXPECT_EQ(units[2].address, 256U);
  EXPECT_EQ(units[2].length, 128U);
  const AgentLog& ld = of(m, isa::Engine::kLd);
  ASSERT_EQ(ld.entries[0].writes, 1U);
  EXPECT_EQ(ld.writes[0].length, 192U);
}

TEST(Log, MmGivesTheAccumulatorsItWroteColumnAfterColumn) {
  Machine m(isa::kNano, {.log = true});
  m.load_spad(0, Bytes(256, 0x22));    // weights 1.0
  m.load_spad(0x200, Bytes(64, 127));  // scales 1
  m.load_spad(0x400, Bytes(64, 0x22));
  Builder p;
  p.thread(0)
      .engine("mm", {{"w", 0}, {"ws", 0x200}, {"a", 0x400}, {"as", 0x200}, {"kb", 1}, {"n", 2}, {"init", 1}, {"cg", 3}})
      .halt();
  run_done(m, p);
  const AgentLog& mxu = of(m, isa::Engine::kMxu);
  ASSERT_EQ(mxu.entries[0].writes, 1U);
  const LogWrite& w = mxu.writes[0];
  EXPECT_EQ(w.space, Space::kAcc);
  EXPECT_EQ(w.address, 12U);
  EXPECT_EQ(w.length, 2U * 8 * 4);
  const auto bytes = mxu.bytes_of(w);
  EXPECT_EQ(Bytes(bytes.begin(), bytes.end()), words(std::vector<std::uint32_t>(16, 0x42000000U)));
}

TEST(Log, AFaultingInstructionIsTheLastOfItsAgent) {
  Machine m(isa::kNano, {.log = true});
  Builder p;
  p.thread(0).engine("vfill", {{"dst", 0}, {"n", 1}}).raw("vfill").halt();
  run_fault(m, p, isa::Engine::kVpu, isa::Cause::kBadOperand);
  EXPECT_EQ(of(m, isa::Engine::kVpu).entries.back().pc, 3U);
  EXPECT_EQ(of(m, isa::Engine::kVpu).entries.back().writes, 0U);
}

TEST(Log, IsEmptyUnlessAskedFor) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(0).li(1, 1).raw("vsync").raw("trace").halt();
  run_done(m, p);
  for (const AgentLog& a : m.log()) EXPECT_TRUE(a.entries.empty());
}

}  // namespace
}  // namespace tepin::golden::testing
