// SPDX-License-Identifier: Apache-2.0
// Races 1 (issue), 3 (bytes) and 4 (one instruction's own parts) of docs/architecture.md. Each planted race is found
// under every schedule tried, and the same program with the missing order put in is clean under every one.
#include <functional>

#include "fixture.h"

namespace tepin::golden::testing {
namespace {

using ::testing::HasSubstr;
constexpr std::uint64_t kSeeds = 25;

void expect_found(FindingKind kind, const Builder& p, const std::vector<std::string>& names,
                  std::uint64_t loaded = 0x4000) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Machine m(isa::kNano, {.schedule_seed = seed});
    m.load_spad(0, Bytes(loaded));
    m.load_hbm(0, 0, Bytes(4096));
    const Outcome o = run_finding(m, p, kind);
    ASSERT_TRUE(o.error.second.has_value());
    for (const std::string& name : names) EXPECT_THAT(o.text(), HasSubstr(name));
  }
}

void expect_clean(const Builder& p) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Machine m(isa::kNano, {.schedule_seed = seed});
    m.load_spad(0, Bytes(0x4000));
    m.load_hbm(0, 0, Bytes(4096));
    const Outcome o = m.run(p.section());
    EXPECT_EQ(o.status, Status::kDone) << o.text();
  }
}

TEST(RaceIssue, TwoThreadsIssueToOneEngineInNoOrder) {
  Builder p;
  p.thread(0).raw("vsync").halt();
  p.thread(1).raw("sync").raw("vsync").halt();
  expect_found(FindingKind::kRaceIssue, p, {"VPU vsync (pc 0, thread 0)", "VPU vsync (pc 3, thread 1)"});
}

TEST(RaceIssue, AnOrderThroughASemaphoreIsEnough) {
  Builder p;
  p.thread(0).raw("vsync").raw("sync").post(1).halt();
  p.thread(1).raw("sync").wait(1).raw("vsync").halt();
  expect_clean(p);
}

TEST(RaceIssue, TheEnginesOwnPostOrdersTheIssueBehindItToo) {
  Builder p;
  p.thread(0).raw("vsync").post(1).halt();
  p.thread(1).raw("sync").wait(1).raw("vsync").halt();
  expect_clean(p);
}

Builder write_and_read(bool ordered) {
  Builder p;
  p.thread(0).engine("ld", {{"spad", 0x100}, {"hbm", 0}, {"len", 2}, {"npc", 1}});
  if (ordered) p.post(1);
  p.engine("vmov", {{"dst", 0x800}, {"src", 0x120}, {"n", 8}});
  if (ordered) p.wait(1);
  return p.halt();
}

TEST(RaceBytes, AReadThatNothingOrdersWithAWrite) {
  expect_found(FindingKind::kRaceBytes, write_and_read(false),
               {"LD ld (pc 3, thread 0)", "VPU vmov (pc 7, thread 0)", "spad 0x120"});
  expect_clean(write_and_read(true));
}

TEST(RaceBytes, TwoWritesToOneByte) {
  Builder p;  // the last beat of the load, the first of the fill
  p.thread(0).engine("ld", {{"spad", 0x100}, {"hbm", 0}, {"len", 2}, {"npc", 1}}).halt();
  p.thread(1).engine("vfill", {{"dst", 0x120}, {"n", 64}, {"s", 1}}).halt();
  expect_found(FindingKind::kRaceBytes, p, {"LD ld", "VPU vfill", "spad 0x120"});
}

TEST(RaceBytes, AWriteAgainstEachOfSeveralUnorderedReaders) {
  for (const bool both : {false, true}) {
    Builder q;  // ST and VPU read; the load that follows is ordered after VPU, and after ST only if `both`
    q.thread(0).engine("st", {{"spad", 0x100}, {"hbm", 64}, {"len", 1}, {"npc", 1}}).post(1).halt();
    q.thread(1).engine("vmov", {{"dst", 0x800}, {"src", 0x100}, {"n", 8}}).post(2).halt();
    q.thread(2).engine("ld", {{"spad", 0x100}, {"hbm", 0}, {"len", 1}, {"npc", 1}}).wait(2);
    if (both) q.wait(1);
    q.halt();
    if (both) {
      expect_clean(q);
    } else {
      expect_found(FindingKind::kRaceBytes, q, {"ST st", "LD ld", "spad 0x100"});
    }
  }
}

TEST(RaceBytes, BeatsOfHbmCountToo) {
  Builder p;
  p.thread(0).engine("st", {{"spad", 0x100}, {"hbm", 3}, {"len", 2}, {"npc", 1}}).halt();
  p.thread(1).engine("ld", {{"spad", 0x800}, {"hbm", 4}, {"len", 1}, {"npc", 1}}).halt();
  expect_found(FindingKind::kRaceBytes, p, {"ST st", "LD ld", "hbm0 0x80"});
}

TEST(RaceBytes, AThreadsStoreIsNotOrderedBeforeAnEarlierEngineInstruction) {
  Builder p;
  p.thread(0).engine("vmov", {{"dst", 0x800}, {"src", 0x100}, {"n", 8}}).raw("sw", {{"imm", 0x104}}).halt();
  expect_found(FindingKind::kRaceBytes, p, {"VPU vmov", "SEQ sw (pc 4, thread 0)", "spad 0x104"});
  Builder q;  // but before a later one
  q.thread(0).raw("sw", {{"imm", 0x104}}).engine("vmov", {{"dst", 0x800}, {"src", 0x100}, {"n", 8}}).halt();
  expect_clean(q);
}

TEST(RaceBytes, AFullQueueOrdersNothing) {
  Builder p;
  p.thread(0).engine("vfill", {{"dst", 0x100}, {"n", 1}});
  for (std::uint32_t i = 0; i < isa::kNano.queue_depth + 2; ++i) p.raw("vsync");
  p.raw("lw", {{"rd", 9}, {"imm", 0x100}}).halt();  // the fill must have started by now, yet nothing says it has ended
  expect_found(FindingKind::kRaceBytes, p, {"VPU vfill", "SEQ lw"});
}

TEST(RaceBytes, ReadersDoNotRaceAndHostDataComesFirst) {
  Builder p;
  for (int t = 0; t < 4; ++t) p.thread(t).raw("lw", {{"rd", 1}, {"imm", 0x100}}).halt();
  expect_clean(p);
}

TEST(RaceBytes, OneEngineNeedsNoSemaphoreBetweenItsInstructions) {
  Builder p;
  p.thread(0)
      .engine("vfill", {{"dst", 0x100}, {"n", 8}, {"s", 5}})
      .engine("vmov", {{"dst", 0x200}, {"src", 0x100}, {"n", 8}})
      .halt();
  expect_clean(p);
}

TEST(RaceSelf, RunsOfALoadThatOverlap) {
  Builder p;
  p.thread(0)
      .engine("ld", {{"spad", 0x100}, {"hbm", 0}, {"len", 2}, {"cnt", 2}, {"sstep1", 32}, {"hstep1", 2}, {"npc", 1}})
      .halt();
  expect_found(FindingKind::kRaceSelf, p, {"LD ld", "spad 0x120", "twice"});
}

TEST(RaceSelf, RunsOfAStoreThatOverlapInHbmOnly) {
  Builder p;
  p.thread(0)
      .engine("st", {{"spad", 0x100}, {"hbm", 0}, {"len", 2}, {"cnt", 2}, {"sstep1", 64}, {"hstep1", 1}, {"npc", 1}})
      .halt();
  expect_found(FindingKind::kRaceSelf, p, {"ST st", "hbm0 0x20", "twice"});
  Builder q;  // the same bytes of the scratchpad to two places
  q.thread(0)
      .engine("st", {{"spad", 0x100}, {"hbm", 0}, {"len", 2}, {"cnt", 2}, {"sstep1", 0}, {"hstep1", 2}, {"npc", 1}})
      .halt();
  expect_clean(q);
}

TEST(RaceSelf, ColumnsOfMstThatOverlap) {
  for (const std::uint32_t pitch : {0U, 32U}) {
    Machine m(isa::kNano);
    m.load_acc(0, std::vector<std::uint32_t>(16));
    Builder p;
    p.thread(0).engine("mst", {{"dst", 0x100}, {"pitch", pitch}, {"n", 2}}).halt();
    if (pitch == 0) {
      EXPECT_THAT(run_finding(m, p, FindingKind::kRaceSelf).text(), HasSubstr("MXU mst"));
    } else {
      run_done(m, p);
    }
  }
}

TEST(RaceSelf, AVectorSourceThatIsPartlyTheDestination) {
  Builder p;
  p.thread(0).engine("vmov", {{"dst", 0x120}, {"src", 0x100}, {"n", 9}}).halt();
  expect_found(FindingKind::kRaceSelf, p, {"VPU vmov", "spad 0x120"});
  Builder q;
  q.thread(0).engine("vadd", {{"dst", 0x100}, {"src", 0x100}, {"n", 9}, {"src2", 0x120}}).halt();
  expect_found(FindingKind::kRaceSelf, q, {"VPU vadd"});
  Builder r;
  r.thread(0).engine("vadd", {{"dst", 0x100}, {"src", 0x100}, {"n", 8}, {"src2", 0x120}}).halt();
  expect_clean(r);
}

TEST(RaceSelf, AnotherWidthIsNeverTheSame) {
  for (const std::string_view op : {"vcvtbf", "vcvtf"}) {
    Builder p;
    p.thread(0).engine(op, {{"dst", 0x100}, {"src", 0x100}, {"n", 4}}).halt();
    expect_found(FindingKind::kRaceSelf, p, {std::string(op)});
  }
}

TEST(RaceSelf, BlocksScalesAndSourcesOfQuantisation) {
  const auto with = [](std::string_view op, Fields fields) {
    Builder p;
    p.thread(0).engine(op, fields).halt();
    return p;
  };
  const auto found = [&](std::string_view op, Fields fields) {
    expect_found(FindingKind::kRaceSelf, with(op, fields), {std::string(op)});
  };
  found("vqnt", {{"dst", 0x800}, {"src", 0}, {"nblk", 2}, {"scl", 0x900}, {"dstep", 0}, {"sstep", 128}, {"cstep", 1}});
  found("vqnt", {{"dst", 0x800}, {"src", 0}, {"nblk", 2}, {"scl", 0x900}, {"dstep", 16}, {"sstep", 128}, {"cstep", 0}});
  found("vqnt", {{"dst", 0x800},
                 {"src", 0},
                 {"nblk", 2},
                 {"scl", 0x810},
                 {"dstep", 16},
                 {"sstep", 128},
                 {"cstep", 1}});  // scale on codes
  found("vqnt", {{"dst", 0x080},
                 {"src", 0},
                 {"nblk", 2},
                 {"scl", 0x900},
                 {"dstep", 16},
                 {"sstep", 128},
                 {"cstep", 1}});                                             // codes on later source
  found("vqnt", {{"dst", 0x070}, {"src", 0}, {"nblk", 1}, {"scl", 0x900}});  // codes on own source
  found("vdqt", {{"dst", 0x800}, {"src", 0}, {"nblk", 2}, {"scl", 0x100}, {"dstep", 96}, {"sstep", 16}, {"cstep", 1}});
  found("vdqt", {{"dst", 0x800}, {"src", 0}, {"nblk", 2}, {"scl", 0x87f}, {"dstep", 128}, {"sstep", 16}, {"cstep", 1}});
  expect_clean(with(
      "vqnt", {{"dst", 0x800}, {"src", 0}, {"nblk", 2}, {"scl", 0x820}, {"dstep", 16}, {"sstep", 0}, {"cstep", 1}}));
}

TEST(Race, ChecksCanBeTurnedOff) {
  Machine m(isa::kNano, {.check_races = false});
  m.load_spad(0, Bytes(0x1000));
  m.load_hbm(0, 0, Bytes(4096));
  run_done(m, write_and_read(false));
}

}  // namespace
}  // namespace tepin::golden::testing
