// SPDX-License-Identifier: Apache-2.0
// What a host sees and does when it brings a tile up: registers, interrupts, breakpoints, single steps, drain, trace
// markers, resets in the middle of work.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "support.h"
#include "sw/isa/tepin_csr.h"
#include "sw/isa/tepin_window.h"
#include "sw/kernels/gemm.h"

namespace tepin::tb::testing {
namespace {

constexpr std::uint32_t kCtrl = offsetof(tepin_csr_t, CTRL), kStatus = offsetof(tepin_csr_t, STATUS);
constexpr std::uint32_t kIrqStatus = offsetof(tepin_csr_t, IRQ_STATUS), kIrqEnable = offsetof(tepin_csr_t, IRQ_ENABLE);
constexpr std::uint32_t kThread = offsetof(tepin_csr_t, THREAD), kBreakpoint = offsetof(tepin_csr_t, BREAKPOINT);
constexpr std::uint32_t kTraps = TEPIN_CSR__CTRL__NAN_TRAP_bm | TEPIN_CSR__CTRL__STUCK_TRAP_bm;

std::uint32_t get(std::uint32_t v, std::uint32_t mask, std::uint32_t pos) { return (v & mask) >> pos; }
std::uint32_t word(TileSim& sim, std::uint64_t address) {
  Bytes b(4);
  sim.window_read(isa::kWinSpad + address, b);
  return std::uint32_t{b[0]} | std::uint32_t{b[1]} << 8 | std::uint32_t{b[2]} << 16 | std::uint32_t{b[3]} << 24;
}
void ticks(TileSim& sim, int n) {
  while (n-- > 0) sim.tick();
}
/// Until the condition holds; fails after many cycles.
template <class Condition>
void tick_until(TileSim& sim, Condition&& condition) {
  for (int i = 0; i < 20000; ++i) {
    if (condition()) return;
    sim.tick();
  }
  FAIL() << "never happens";
}
void start(TileSim& sim) { sim.csr_write(kCtrl, kTraps | TEPIN_CSR__CTRL__START_bm); }
bool stopped(TileSim& sim, std::uint32_t threads) {
  return get(sim.csr_read(kStatus), TEPIN_CSR__STATUS__STOPPED_bm, TEPIN_CSR__STATUS__STOPPED_bp) == threads;
}

// Adds 1..10 into memory word 0x100, one turn a pass; pc 3 is the loop's first instruction.
constexpr std::string_view kSum = R"(
        li    r1, 10
        li    r2, 0
        loop  r1, end
        addi  r3, r3, 1      # 3
        add   r2, r2, r3     # 4
        sw    r2, 0x100(r0)  # 5
end:    trace r2, 77         # 6
        halt                 # 7
)";

TEST(BringUp, IdentificationAndCapabilitiesAreTheConfiguration) {
  TileSim sim({.checked = true});
  const isa::Config& c = kTileConfig;
  EXPECT_EQ(sim.csr_read(offsetof(tepin_csr_t, ID)), 0x5450494eU);
  EXPECT_EQ(sim.csr_read(offsetof(tepin_csr_t, VERSION)) & 0xffff, isa::kIsaVersion);
  EXPECT_EQ(sim.csr_read(offsetof(tepin_csr_t, VERSION)) >> 16, 2U);
  EXPECT_EQ(sim.csr_read(offsetof(tepin_csr_t, CAPS0)), c.mxu_rows | c.mxu_cols << 8 | c.acc_cols << 16 | c.pcs << 24);
  EXPECT_EQ(sim.csr_read(offsetof(tepin_csr_t, CAPS1)), c.vpu_lanes | c.sems << 8 | c.queue_depth << 16);
  EXPECT_EQ(sim.csr_read(offsetof(tepin_csr_t, SPAD_SIZE)), c.spad_bytes);
  EXPECT_EQ(sim.csr_read(offsetof(tepin_csr_t, IMEM_SIZE)), c.imem_instrs);
  EXPECT_EQ(sim.csr_read(offsetof(tepin_csr_t, HBM_SIZE)), c.hbm_beats);
  EXPECT_EQ(sim.csr_read(offsetof(tepin_csr_t, TILE)), 0U) << "alone";
}

TEST(BringUp, AfterResetTheTileIsReadyAndIdleAndTheScratchpadIsClear) {
  for (const std::uint32_t x_seed : {1U, 2U, 3U}) {
    TileSim sim({.checked = true, .x_seed = x_seed});
    EXPECT_EQ(sim.csr_read(kStatus), TEPIN_CSR__STATUS__READY_bm | TEPIN_CSR__STATUS__DRAINED_bm);
    EXPECT_EQ(sim.csr_read(offsetof(tepin_csr_t, FAULT)), 0U);
    EXPECT_EQ(sim.csr_read(kCtrl), kTraps);
    EXPECT_FALSE(sim.out().irq);
    Bytes b(kTileConfig.spad_bytes, 1);
    sim.window_read(isa::kWinSpad, b);
    EXPECT_EQ(b, Bytes(kTileConfig.spad_bytes));
  }
}

TEST(BringUp, RegistersThatDoNotExistAnswerAnError) {
  TileSim sim({.checked = true});
  for (const std::uint32_t hole : {0x1cU, 0x48U, 0x4cU, 0x9cU, 0xfcU}) {
    EXPECT_THROW((void)sim.csr_read(hole), HostError) << hole;
    EXPECT_THROW(sim.csr_write(hole, 1), HostError) << hole;
  }
  EXPECT_EQ(sim.csr_read(offsetof(tepin_csr_t, ID)), 0x5450494eU) << "it answers again";
  // Entries are kept as written, in the bits that exist.
  for (std::uint32_t t = 0; t < 4; ++t) sim.csr_write(offsetof(tepin_csr_t, ENTRY) + 4 * t, 0xffff0000U + t * 3);
  for (std::uint32_t t = 0; t < 4; ++t)
    EXPECT_EQ(sim.csr_read(offsetof(tepin_csr_t, ENTRY) + 4 * t), 0x80000000U + t * 3);
}

TEST(BringUp, EachInterruptShowsItsEventIsMaskedByItsEnableAndClearedByWritingOne) {
  struct Case {
    std::string text;
    std::uint32_t bit, breakpoint_pc;  // 0: none
  };
  const std::array<Case, 4> cases{{{"nop\nhalt\n", TEPIN_CSR__IRQ_STATUS__DONE_bm, 0},
                                   {"lw r1, 1(r0)\nhalt\n", TEPIN_CSR__IRQ_STATUS__FAULT_bm, 0},
                                   {"nop\nhalt\n", TEPIN_CSR__IRQ_STATUS__STOPPED_bm, 1},
                                   {"trace r0, 5\nagain: jmp again\n", TEPIN_CSR__IRQ_STATUS__MARKER_bm, 0}}};
  for (const Case& c : cases) {
    for (const bool enabled : {true, false}) {
      SCOPED_TRACE(fmt::format("{} enabled {}", c.text, enabled));
      TileSim sim({.checked = true});
      sim.load(assemble(c.text));
      if (c.breakpoint_pc != 0) sim.csr_write(kBreakpoint, TEPIN_CSR__BREAKPOINT__ENABLE_bm | c.breakpoint_pc);
      sim.csr_write(kIrqEnable, enabled ? c.bit : 15U & ~c.bit);
      EXPECT_FALSE(sim.out().irq);
      start(sim);
      ticks(sim, 60);
      EXPECT_EQ(sim.csr_read(kIrqStatus), c.bit);
      EXPECT_EQ(sim.out().irq, enabled);
      sim.csr_write(kIrqStatus, 15U & ~c.bit);
      EXPECT_EQ(sim.csr_read(kIrqStatus), c.bit) << "writing 0 keeps it";
      sim.csr_write(kIrqStatus, c.bit);
      EXPECT_EQ(sim.csr_read(kIrqStatus), 0U);
      ticks(sim, 4);
      EXPECT_FALSE(sim.out().irq);
    }
  }
}

TEST(BringUp, AStartWhileTheTileRunsOrHasFaultedIsIgnored) {
  TileSim sim({.checked = true});
  sim.load(assemble(
      "lw r1, 0x40(r0)\naddi r1, r1, 1\nsw r1, 0x40(r0)\nli r2, 200\nloop r2, e\nnop\ne: lw r3, 0x42(r0)\nhalt\n"));
  start(sim);
  ticks(sim, 100);
  EXPECT_NE(sim.csr_read(kStatus) & TEPIN_CSR__STATUS__RUNNING_bm, 0U);
  start(sim);
  tick_until(sim, [&] { return !sim.out().running; });
  EXPECT_NE(sim.csr_read(kStatus) & TEPIN_CSR__STATUS__FAULTED_bm, 0U);
  EXPECT_EQ(word(sim, 0x40), 1U);
  start(sim);
  ticks(sim, 1000);
  EXPECT_FALSE(sim.out().running);
  EXPECT_EQ(word(sim, 0x40), 1U);
  EXPECT_EQ(good_run(sim), "");
}

TEST(BringUp, ABreakpointStopsBeforeItsInstructionAndResumeGoesOn) {
  TileSim sim({.checked = true});
  sim.load(assemble(kSum));
  sim.csr_write(kBreakpoint, TEPIN_CSR__BREAKPOINT__ENABLE_bm | 5);
  start(sim);
  std::uint32_t sum = 0;
  for (std::uint32_t turn = 1; turn <= 10; ++turn) {
    tick_until(sim, [&] { return stopped(sim, 1); });
    EXPECT_EQ(sim.csr_read(kThread) & 0xffff, 5U);
    ticks(sim, 50);
    EXPECT_EQ(word(sim, 0x100), sum) << "the instruction has not run";
    sum += turn;
    EXPECT_NE(sim.csr_read(kStatus) & TEPIN_CSR__STATUS__RUNNING_bm, 0U);
    sim.csr_write(kCtrl, kTraps | TEPIN_CSR__CTRL__RESUME0_bm);
  }
  const RunResult r = sim.resume(10'000);
  EXPECT_EQ(r.stop, Stop::kDone);
  EXPECT_EQ(word(sim, 0x100), 55U);
  sim.csr_write(kBreakpoint, 0);
}

TEST(BringUp, RunReportsThatAllThreadsHaveStopped) {
  TileSim sim({.checked = true});
  sim.load(assemble(kSum));
  sim.csr_write(kBreakpoint, TEPIN_CSR__BREAKPOINT__ENABLE_bm | 6);
  EXPECT_EQ(sim.run(10'000).stop, Stop::kStopped);
  sim.csr_write(kCtrl, kTraps | TEPIN_CSR__CTRL__RESUME0_bm);
  EXPECT_EQ(sim.resume(10'000).stop, Stop::kDone);
}

TEST(BringUp, SingleStepRunsOneInstructionAResume) {
  TileSim sim({.checked = true});
  sim.load(assemble(kSum));
  constexpr std::uint32_t kStep = kTraps | 1U << TEPIN_CSR__CTRL__STEP_bp;
  sim.csr_write(kCtrl, kStep | TEPIN_CSR__CTRL__START_bm);
  // li, li, loop, then the body ten times, then trace and halt.
  std::vector<std::uint32_t> pcs{1, 2, 3};
  for (int turn = 0; turn < 10; ++turn) pcs.insert(pcs.end(), {4, 5, turn == 9 ? 6U : 3U});
  pcs.push_back(7);
  for (const std::uint32_t pc : pcs) {
    tick_until(sim, [&] { return stopped(sim, 1); });
    ticks(sim, 20);
    ASSERT_EQ(sim.csr_read(kThread) & 0xffff, pc);
    sim.csr_write(kCtrl, kStep | TEPIN_CSR__CTRL__RESUME0_bm);
    ticks(sim, 2);
  }
  EXPECT_EQ(sim.resume(1000).stop, Stop::kDone);
  EXPECT_EQ(word(sim, 0x100), 55U);
  sim.csr_write(kCtrl, kTraps);
}

TEST(BringUp, StepOfOneThreadLeavesTheOthersAlone) {
  TileSim sim({.checked = true});
  sim.load(assemble(
      ".thread 0, a\n.thread 3, b\na: li r1, 1\nsw r1, 0x200(r0)\nhalt\nb: li r1, 2\nsw r1, 0x204(r0)\nhalt\n"));
  sim.csr_write(kCtrl, kTraps | 1U << (TEPIN_CSR__CTRL__STEP_bp + 3) | TEPIN_CSR__CTRL__START_bm);
  ticks(sim, 200);
  EXPECT_TRUE(stopped(sim, 8));
  EXPECT_EQ(word(sim, 0x200), 1U);
  EXPECT_EQ(word(sim, 0x204), 0U);
  sim.csr_write(kCtrl, kTraps | TEPIN_CSR__CTRL__RESUME3_bm);
  EXPECT_EQ(sim.resume(1000).stop, Stop::kDone);
  EXPECT_EQ(word(sim, 0x204), 2U);
}

TEST(BringUp, ATraceMarkerShowsItsIdAndValue) {
  TileSim sim({.checked = true});
  sim.load(assemble("li r5, 0xdeadbeef\ntrace r5, 0x12345678\nhalt\n"));
  EXPECT_EQ(sim.run(1000).stop, Stop::kDone);
  EXPECT_EQ(sim.csr_read(offsetof(tepin_csr_t, TRACE_ID)), 0x12345678U);
  EXPECT_EQ(sim.csr_read(offsetof(tepin_csr_t, TRACE_VALUE)), 0xdeadbeefU);
}

TEST(BringUp, TheHostCanPostWhatAStuckProgramWaitsForWhileTheTrapIsOff) {
  TileSim sim({.checked = true});
  sim.load(assemble("sync wait s9*3\nvsync wait s10\nli r1, 7\nsw r1, 0x300(r0)\nhalt\n"));
  sim.csr_write(kCtrl, TEPIN_CSR__CTRL__NAN_TRAP_bm);
  EXPECT_EQ(sim.run(2000).stop, Stop::kMaxCycles);
  EXPECT_EQ(get(sim.csr_read(kStatus), TEPIN_CSR__STATUS__WAITING_bm, TEPIN_CSR__STATUS__WAITING_bp), 1U);
  const std::array<std::uint32_t, 2> counts{4, 1};
  sim.window_write(isa::kWinSem + 9 * 4, words(counts));
  EXPECT_EQ(sim.resume(1000).stop, Stop::kDone);
  EXPECT_EQ(word(sim, 0x300), 7U);
  Bytes left(8);
  sim.window_read(isa::kWinSem + 9 * 4, left);
  EXPECT_EQ(left, (Bytes{1, 0, 0, 0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace tepin::tb::testing
