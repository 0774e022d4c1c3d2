// SPDX-License-Identifier: Apache-2.0
// Races 2 (two takers) and 5 (a wait that two posters could have satisfied) of docs/architecture.md.
#include "fixture.h"

namespace tepin::golden::testing {
namespace {

using ::testing::HasSubstr;
constexpr std::uint64_t kSeeds = 40;

void expect_found(FindingKind kind, const Builder& p, const std::vector<std::string>& names = {}) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Machine m(isa::kNano, {.schedule_seed = seed});
    m.load_spad(0, Bytes(64));
    const Outcome o = run_finding(m, p, kind);
    ASSERT_TRUE(o.error.second.has_value()) << o.text();
    for (const std::string& name : names) EXPECT_THAT(o.text(), HasSubstr(name));
  }
}

void expect_clean(const Builder& p) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Machine m(isa::kNano, {.schedule_seed = seed});
    m.load_spad(0, Bytes(64));
    const Outcome o = m.run(p.section());
    EXPECT_EQ(o.status, Status::kDone) << o.text();
  }
}

TEST(RaceTake, TwoThreadsWaitForOneSemaphore) {
  Builder p;
  p.thread(0).raw("sync").post(5, 2).halt();
  p.thread(1).raw("sync").wait(5).halt();
  p.thread(2).raw("sync").wait(5).halt();
  expect_found(FindingKind::kRaceTake, p, {"SEQ sync (pc 2, thread 1)", "SEQ sync (pc 4, thread 2)", "s5"});
}

TEST(RaceTake, AThreadAndAnEngineOrStake) {
  Builder p;
  p.thread(0).raw("sync").post(5, 2).raw("vsync").wait(5).raw("sync").wait(5).halt();
  expect_found(FindingKind::kRaceTake, p, {"VPU vsync", "SEQ sync (pc 2"});
  Builder q;
  q.thread(0).li(1, 1).raw("sync").post(5, 2).raw("vsync").wait(5).raw("stake", {{"imm", 5}, {"rs1", 1}}).halt();
  expect_found(FindingKind::kRaceTake, q, {"VPU vsync", "SEQ stake"});
}

TEST(RaceTake, ALockOrdersNothingThoughItExcludes) {
  Builder p;
  p.thread(0).raw("sync").post(5).halt();
  for (int t = 1; t < 3; ++t) p.thread(t).raw("sync").wait(5).raw("sync").post(5).halt();
  expect_found(FindingKind::kRaceTake, p);
  Builder two;  // nor do two of them together
  two.thread(0).raw("sync").post(5).post(6).halt();
  for (int t = 1; t < 3; ++t) two.thread(t).raw("sync").wait(5).wait(6).raw("sync").post(5).post(6).halt();
  expect_found(FindingKind::kRaceTake, two);
}

TEST(RaceTake, TakesOrderedByAnotherSemaphoreAreFine) {
  Builder p;
  p.thread(0).raw("sync").post(5, 2).halt();
  p.thread(1).raw("sync").wait(5).post(6).halt();
  p.thread(2).raw("sync").wait(6).raw("sync").wait(5).halt();
  expect_clean(p);
  Builder q;  // also within one instruction, in either slot
  q.thread(0).raw("sync").post(5, 2).halt();
  q.thread(1).raw("sync").wait(5).post(6).halt();
  q.thread(2).raw("sync").wait(5).wait(6).halt();
  expect_clean(q);
  Builder r;
  r.thread(0).raw("sync").post(5, 2).halt();
  r.thread(1).raw("sync").wait(5).post(6).halt();
  r.thread(2).raw("sync").wait(6).wait(5).halt();
  expect_clean(r);
}

TEST(RaceSemaphore, TwoPostersAndAWaitThatNeedsOne) {
  Builder p;
  p.thread(0).raw("sync").wait(7).halt();
  p.thread(1).raw("sync").post(7).halt();
  p.thread(2).raw("ldsync").post(7).halt();
  expect_found(FindingKind::kRaceSemaphore, p, {"SEQ sync (pc 2, thread 1)", "LD ldsync (pc 4, thread 2)", "s7"});
}

TEST(RaceSemaphore, AWaitThatNeedsEveryPostIsOrderedAfterAll) {
  Builder p;
  p.thread(0).raw("sync").wait(7, 3).raw("lw", {{"rd", 1}, {"imm", 0}}).raw("lw", {{"rd", 2}, {"imm", 4}}).halt();
  p.thread(1).raw("sw", {{"imm", 0}}).raw("sync").post(7, 2).halt();
  p.thread(2).raw("sw", {{"imm", 4}}).raw("sync").post(7).halt();
  expect_clean(p);
}

TEST(RaceSemaphore, ABarrierUsedAgainIsCleanIfItsPostersWaitForItsEnd) {
  for (const bool held_back : {true, false}) {
    Builder p;
    p.thread(0).li(1, 3).raw("loop", {{"rs1", 1}, {"imm", 3}}).raw("sync").wait(7, 2);
    if (held_back) p.post(8).post(9);
    p.halt();
    for (int t = 1; t < 3; ++t) {
      p.thread(t).li(1, 3);
      p.raw("loop", {{"rs1", 1}, {"imm", p.pc() + (held_back ? 3U : 2U)}}).raw("sync").post(7);
      if (held_back) p.raw("sync").wait(7U + static_cast<std::uint32_t>(t));
      if (!held_back) p.raw("sync");
      p.halt();
    }
    if (held_back) {
      expect_clean(p);
    } else {
      expect_found(FindingKind::kRaceSemaphore, p);
    }
  }
}

TEST(RaceSemaphore, OnePosterMayRunAhead) {
  Builder p;
  p.thread(0).li(1, 100).raw("loop", {{"rs1", 1}, {"imm", 3}}).raw("sync").wait(7).halt();
  p.thread(1).li(1, 100);
  p.raw("loop", {{"rs1", 1}, {"imm", p.pc() + 2}}).raw("sync").post(7).halt();
  expect_clean(p);
}

TEST(RaceSemaphore, PostersThatFollowEachOtherCountAsOne) {
  Builder p;
  p.thread(0).raw("sync").wait(7).raw("sync").wait(7).halt();
  p.thread(1).raw("sync").post(7).raw("sync").post(8).halt();
  p.thread(2).raw("sync").wait(8).raw("sync").post(7).halt();
  expect_clean(p);
}

TEST(RaceSemaphore, AWaitOrdersOnlyAfterThePostsItNeeds) {
  Builder p;  // the second post may not have happened yet when the first satisfies the wait
  p.thread(0).raw("sync").wait(7).raw("lw", {{"rd", 1}, {"imm", 0}}).halt();
  p.thread(1).raw("sync").post(7).raw("sw", {{"imm", 0}}).raw("sync").post(7).halt();
  expect_found(FindingKind::kRaceBytes, p, {"SEQ lw", "SEQ sw", "spad 0x0"});
  Builder q;
  q.thread(0).raw("sync").wait(7, 2).raw("lw", {{"rd", 1}, {"imm", 0}}).halt();
  q.thread(1).raw("sync").post(7).raw("sw", {{"imm", 0}}).raw("sync").post(7).halt();
  expect_clean(q);
  Builder r;  // one post that two waits share
  r.thread(0).raw("sync").wait(7).raw("sync").wait(7, 2).raw("lw", {{"rd", 1}, {"imm", 0}}).halt();
  r.thread(1).raw("sw", {{"imm", 0}}).raw("sync").post(7, 3).halt();
  expect_clean(r);
}

// The rule counts what a wait cannot do without, not who has posted: a later post that could not replace it is
// harmless, in whichever order this model sees the two.
TEST(RaceSemaphore, PostsThatCouldNotReplaceAnotherAreHarmless) {
  Builder p;  // three at once cannot be replaced by one
  p.thread(0).raw("sync").wait(7, 2).raw("lw", {{"rd", 1}, {"imm", 0}}).halt();
  p.thread(1).raw("sw", {{"imm", 0}}).raw("sync").post(7, 3).halt();
  p.thread(2).raw("ldsync").post(7).halt();
  expect_clean(p);
  Builder q;  // but by two
  q.thread(0).raw("sync").wait(7, 2).halt();
  q.thread(1).raw("sync").post(7, 3).halt();
  q.thread(2).raw("ldsync").post(7).raw("ldsync").post(7).halt();
  expect_found(FindingKind::kRaceSemaphore, q);
}

TEST(RaceSemaphore, APostThatFollowsAReliedOneCannotReplaceIt) {
  Builder p;  // 2 + 2 are needed; each thread's further post comes after its own 2 and leaves the other's needed
  p.thread(0).raw("sync").wait(7, 4).halt();
  for (int t = 1; t < 3; ++t) p.thread(t).raw("sync").post(7, 2).raw("sync").post(7).halt();
  expect_clean(p);
}

}  // namespace
}  // namespace tepin::golden::testing
