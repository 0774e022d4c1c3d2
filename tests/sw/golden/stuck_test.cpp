// SPDX-License-Identifier: Apache-2.0
#include "fixture.h"

namespace tepin::golden::testing {
namespace {

using isa::Cause;
using isa::Engine;

TEST(Stuck, ListsEveryWaiterWithWhatItNeedsAndWhatIsHeld) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(0).raw("sync").post(4, 2).raw("mxusync").wait(4, 3).halt();
  p.thread(3).raw("sync").wait(9).wait(10, 7).halt();
  const Outcome o = run_fault(m, p, Engine::kHost, Cause::kStuck);
  EXPECT_EQ(o.fault.thread, 0);
  EXPECT_EQ(o.fault.pc, 0U);
  ASSERT_EQ(o.fault.waiters.size(), 3U);
  EXPECT_EQ(o.fault.waiters[0].at, (Where{Engine::kSeq, 3, 3, isa::Op::kSync}));
  EXPECT_EQ(o.fault.waiters[0].sem, 9U);
  EXPECT_EQ(o.fault.waiters[1].sem, 10U);
  EXPECT_EQ(o.fault.waiters[1].needed, 7U);
  EXPECT_EQ(o.fault.waiters[2].at, (Where{Engine::kMxu, 0, 1, isa::Op::kMxusync}));
  EXPECT_EQ(o.fault.waiters[2].needed, 3U);
  EXPECT_EQ(o.fault.waiters[2].held, 2U);
  EXPECT_THAT(o.fault.text, ::testing::HasSubstr("MXU mxusync (pc 1, thread 0) waits for s4 >= 3, holds 2"));
}

TEST(Stuck, AnEngineHeadThatWaitsForEverIsEnough) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(0).raw("vsync").wait(1).halt();
  EXPECT_EQ(run_fault(m, p, Engine::kHost, Cause::kStuck).fault.waiters.size(), 1U);
}

/// Issues n vsync of which the first waits, then posts what it waits for.
Builder fill_queue(std::uint32_t n) {
  Builder p;
  p.thread(0).raw("vsync").wait(1);
  for (std::uint32_t i = 1; i < n; ++i) p.raw("vsync");
  p.raw("sync").post(1).halt();
  return p;
}

TEST(Stuck, AQueueHoldsItsDepthAndNoMore) {
  for (const isa::Config* cfg : {&isa::kNano, &isa::kFpga}) {
    Machine m(*cfg);
    run_done(m, fill_queue(cfg->queue_depth));
    const Outcome o = run_fault(m, fill_queue(cfg->queue_depth + 1), Engine::kHost, Cause::kStuck);
    ASSERT_EQ(o.fault.waiters.size(), 2U);
    EXPECT_TRUE(o.fault.waiters[0].for_queue);
    EXPECT_EQ(o.fault.waiters[0].at, (Where{Engine::kVpu, 0, cfg->queue_depth, isa::Op::kVsync}));
    EXPECT_EQ(o.fault.waiters[1].at.pc, 0U);
  }
}

TEST(Stuck, BothSemaphoresAreTakenAtOnceOrNeither) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(0).raw("sync").post(1, 5).raw("sync").wait(1, 2).wait(2).halt();
  run_fault(m, p, Engine::kHost, Cause::kStuck);
  EXPECT_EQ(m.sems()[1], 5U);
}

TEST(Stuck, TheNextRunFindsEmptyQueues) {
  Machine m(isa::kNano);
  Builder p;
  p.thread(0).raw("vsync").wait(1).halt();
  run_fault(m, p, Engine::kHost, Cause::kStuck);
  Builder q;
  q.thread(0).raw("vsync").halt();
  const Outcome o = m.run(q.section());
  EXPECT_EQ(o.status, Status::kDone) << o.text();
  EXPECT_EQ(o.instructions, 2U);
}

TEST(Stuck, AnEndlessLoopRunsIntoTheLimitInstead) {
  Machine m(isa::kNano, {.max_instructions = 1000});
  Builder p;
  p.thread(0).raw("jmp", {{"imm", 0}});
  const Outcome o = run_finding(m, p, FindingKind::kLimit);
  EXPECT_EQ(o.instructions, 1000U);
}

}  // namespace
}  // namespace tepin::golden::testing
