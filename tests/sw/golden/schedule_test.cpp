// SPDX-License-Identifier: Apache-2.0
// Race-free programs have one result, whatever the order of agents.
#include "fixture.h"

namespace tepin::golden::testing {
namespace {

constexpr std::uint32_t kTiles = 6;   // of weights; double buffered
constexpr std::uint32_t kBlocks = 4;  // along K
constexpr std::uint32_t kPanel = kBlocks * 8 * 16;
constexpr std::uint32_t kBeats = kPanel / 32 + 1;  // codes, then 32 scales
constexpr std::uint32_t kBuffer0 = 0x1000, kBuffer1 = 0x2000, kActs = 0x3000, kActScales = 0x4000, kFp = 0x5000,
                        kOut = 0x6000;

// Semaphores: a weight buffer is full, is free; sums are in the scratchpad, may be overwritten; results ready, written.
enum : std::uint32_t { kFull = 1, kFree = 2, kSums = 3, kSumsFree = 4, kReady = 5, kReadyFree = 6, kActReady = 7 };

/// Four threads: loads, multiplies, scales and stores, on double buffers.
Builder pipeline() {
  Builder p;
  p.thread(0)
      .raw("sync")
      .post(kFree, 2)
      .li(1, kBuffer0)
      .li(2, 0)
      .li(3, kBeats)
      .li(4, kTiles)
      .li(5, kBuffer0 ^ kBuffer1);
  p.raw("loop", {{"rs1", 4}, {"imm", p.pc() + 4}});
  p.raw("ld", {{"spad", 1}, {"hbm", 2}, {"len", 3}, {"npc", 1}}).wait(kFree).post(kFull);
  p.raw("xor", {{"rd", 1}, {"rs1", 1}, {"rs2", 5}}).raw("add", {{"rd", 2}, {"rs1", 2}, {"rs2", 3}}).halt();

  p.thread(1)
      .raw("sync")
      .wait(kActReady)
      .li(1, kBuffer0)
      .li(2, kBuffer0 + kPanel)
      .li(3, kActs)
      .li(4, kActScales)
      .li(5, kBlocks)
      .li(6, 4)
      .li(7, 128);
  p.li(8, 32).li(9, kFp).li(10, 32).li(11, kTiles).li(12, kBuffer0 ^ kBuffer1);
  p.raw("loop", {{"rs1", 11}, {"imm", p.pc() + 5}});
  p.raw("mm", {{"w", 1},
               {"ws", 2},
               {"a", 3},
               {"as", 4},
               {"kb", 5},
               {"n", 6},
               {"astep", 7},
               {"asstep", 8},
               {"fa", 2},
               {"init", 1}})
      .wait(kFull)
      .post(kFree);
  p.raw("mst", {{"dst", 9}, {"pitch", 10}, {"n", 6}}).wait(kSumsFree).post(kSums);
  p.raw("xor", {{"rd", 1}, {"rs1", 1}, {"rs2", 12}}).raw("addi", {{"rd", 2}, {"rs1", 1}, {"imm", kPanel}}).halt();

  p.thread(2).li(1, kActs).li(2, 0).li(3, 16).li(4, kActScales).li(5, 32).li(6, 128).li(7, 8);
  // activations: 4 columns in each of 4 blocks of K; quantised a block of K at a time, scales 32 apart
  for (std::uint32_t k = 0; k < kBlocks; ++k) {
    p.li(1, kActs + k * 128).li(2, k * 512).li(3, 4).li(4, kActScales + k * 32).li(7, 1);
    p.raw("vqnt",
          {{"dst", 1}, {"src", 2}, {"nblk", 3}, {"scl", 4}, {"dstep", 5}, {"sstep", 6}, {"cstep", 7}, {"fmt", 2}});
    if (k == kBlocks - 1) p.post(kActReady);
  }
  p.raw("sync").post(kSumsFree).post(kReadyFree).li(1, kOut).li(2, kFp).li(3, 32).li(4, 0x3f400000).li(11, kTiles);
  p.raw("loop", {{"rs1", 11}, {"imm", p.pc() + 3}});
  p.raw("vmuls", {{"dst", 2}, {"src", 2}, {"n", 3}, {"s", 4}}).wait(kSums);
  p.raw("vmov", {{"dst", 1}, {"src", 2}, {"n", 3}}).wait(kReadyFree).post(kReady).post(kSumsFree).halt();

  p.thread(3).li(1, kOut).li(2, 1000).li(3, 4).li(11, kTiles);
  p.raw("loop", {{"rs1", 11}, {"imm", p.pc() + 3}});
  p.raw("st", {{"spad", 1}, {"hbm", 2}, {"len", 3}, {"npc", 1}}).wait(kReady).post(kReadyFree);
  p.raw("addi", {{"rd", 2}, {"rs1", 2}, {"imm", 4}}).halt();
  return p;
}

Machine loaded(std::uint64_t seed) {
  Machine m(isa::kNano, {.log = true, .schedule_seed = seed});
  Bytes weights;
  for (std::uint32_t t = 0; t < kTiles; ++t) {
    const Bytes codes = random_bytes(kPanel, t);
    weights.insert(weights.end(), codes.begin(), codes.end());
    for (std::uint32_t i = 0; i < 32; ++i) weights.push_back(static_cast<std::uint8_t>(120 + (t + i) % 10));
  }
  m.load_hbm(0, 0, weights);
  std::mt19937_64 rng(99);
  std::vector<std::uint32_t> x(kBlocks * 4 * 32);
  for (auto& v : x) v = (static_cast<std::uint32_t>(rng()) & 0x81ffffffU) + 0x3e000000U;
  m.load_spad(0, words(x));
  return m;
}

bool same_log(const Log& a, const Log& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].bytes != b[i].bytes || a[i].entries.size() != b[i].entries.size()) return false;
    for (std::size_t e = 0; e < a[i].entries.size(); ++e) {
      if (a[i].entries[e].pc != b[i].entries[e].pc || a[i].entries[e].value != b[i].entries[e].value) return false;
    }
  }
  return true;
}

TEST(Schedule, APipelineOfFourThreadsGivesTheSameUnderFiftySchedules) {
  Machine first = loaded(0);
  const Builder p = pipeline();
  run_done(first, p);
  const Bytes result = hbm(first, 0, 1000 * 32, kTiles * 128);
  EXPECT_EQ(first.hbm(0).written(1000 + kTiles * 4 - 1), ~0U);
  EXPECT_NE(result, Bytes(result.size()));
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Machine m = loaded(seed);
    run_done(m, p);
    ASSERT_EQ(m.spad().bytes, first.spad().bytes) << "seed " << seed;
    ASSERT_EQ(m.acc().bits, first.acc().bits) << "seed " << seed;
    ASSERT_EQ(hbm(m, 0, 1000 * 32, kTiles * 128), result) << "seed " << seed;
    ASSERT_TRUE(std::equal(m.sems().begin(), m.sems().end(), first.sems().begin())) << "seed " << seed;
    ASSERT_TRUE(same_log(m.log(), first.log())) << "seed " << seed;
    for (int t = 0; t < kThreads; ++t) ASSERT_EQ(m.regs(t), first.regs(t));
  }
}

// Each post and wait of the pipeline is needed: without any one of them the tile gets stuck or the sanitizer finds
// something, under every schedule tried.
TEST(Schedule, TheSanitizerMissesNoPostOrWaitThatIsTakenOut) {
  const isa::Section whole = pipeline().section();
  int removed = 0;
  int races = 0;
  for (std::size_t i = 0; i < whole.code.size(); ++i) {
    for (const auto& [sem, count] :
         {std::pair{isa::kBitsWait0Sem, isa::kBitsWait0Cnt}, std::pair{isa::kBitsPost0Sem, isa::kBitsPost0Cnt},
          std::pair{isa::kBitsPost1Sem, isa::kBitsPost1Cnt}}) {
      if (isa::get(whole.code[i], count) == 0) continue;
      ++removed;
      for (std::uint64_t seed = 0; seed < 8; ++seed) {
        isa::Section broken = whole;
        isa::set(broken.code[i], count, 0);
        isa::set(broken.code[i], sem, 0);
        Machine m = loaded(seed);
        const Outcome o = m.run(broken);
        EXPECT_NE(o.status, Status::kDone) << "instruction " << i << ", seed " << seed;
        if (o.status == Status::kError) ++races;
      }
    }
  }
  EXPECT_EQ(removed, 17);
  EXPECT_GT(races, 40);
}

TEST(Schedule, DiffersBetweenSeedsWhereAProgramLeavesItOpen) {
  Builder p;  // a race, unchecked: who stores last wins
  p.thread(0).li(1, 1).raw("sync").raw("sw", {{"rs2", 1}, {"imm", 0}}).halt();
  p.thread(1).li(1, 2).raw("sync").raw("sw", {{"rs2", 1}, {"imm", 0}}).halt();
  int ones = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Machine m(isa::kNano, {.check_races = false, .schedule_seed = seed});
    run_done(m, p);
    ones += word(m, 0) == 1 ? 1 : 0;
  }
  EXPECT_GT(ones, 5);
  EXPECT_LT(ones, 45);
}

}  // namespace
}  // namespace tepin::golden::testing
