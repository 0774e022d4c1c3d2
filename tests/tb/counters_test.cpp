// SPDX-License-Identifier: Apache-2.0
// The performance counters: activities of every unit add up to the cycles, and the beats are those that a kernel must
// move.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "support.h"
#include "sw/isa/tepin_csr.h"
#include "sw/isa/tepin_window.h"
#include "sw/kernels/gemm.h"

namespace tepin::tb::testing {
namespace {

struct Kernel {
  std::string name;
  kernels::Launch launch;
  std::uint64_t beats_read = 0, beats_written = 0;  // counted by hand from the layout
};

std::uint64_t beats(std::uint64_t bytes) { return (bytes + 31) / 32; }

/// Matrix products: weight tiles with their scales padded to a beat, X in records of codes and one beat of scales.
Kernel product(const std::string& name, std::uint64_t m, std::uint64_t kb, std::uint64_t n,
               kernels::GemmKernel kernel) {
  const Bytes w_codes = random_bytes(m * kb * 16, 1), a_codes = random_bytes(n * kb * 32, 2);
  const Bytes w_scales(m * kb, 126), a_scales(n * kb, 128);
  Kernel k{name, kernels::plan_gemm(kTileConfig, {m, kb, n, isa::Format::kMxint8, w_codes, w_scales, a_codes, a_scales},
                                    kernel)};
  std::uint64_t tiles = (m + kRows - 1) / kRows;
  if (kernel == kernels::GemmKernel::kGemv) tiles += tiles % 2;
  const std::uint64_t tile_beats = kb * kRows * 16 / 32 + beats(kb * kRows);
  k.beats_read = tiles * tile_beats + kb * (n + 1);
  k.beats_written = tiles * n;
  if (kernel == kernels::GemmKernel::kStream) {
    // Pieces of half of K, each with its scales padded to a beat. One column tile fits and is read once; of two, X is
    // read again for each row tile, and W for each column tile.
    const std::uint64_t w = tiles * (kb * kRows * 16 / 32 + 2 * beats(kb / 2 * kRows));
    k.beats_read = n <= 32 ? w + kb * (n + 1) : 2 * w + tiles * kb * (n + 2);
  }
  return k;
}

std::vector<Kernel> kernel_list() {
  std::vector<Kernel> list{product("gemm", 20, 10, 9, kernels::GemmKernel::kResident),
                           product("gemv", 40, 5, 2, kernels::GemmKernel::kGemv),
                           product("gemm_stream", 20, 10, 9, kernels::GemmKernel::kStream),
                           product("gemm_stream", 20, 10, 40, kernels::GemmKernel::kStream)};
  const Bytes data = random_bytes(5000 * 32, 3);
  list.push_back({"copy", kernels::plan_copy(kTileConfig, data), 5120, 5120});  // whole chunks of 128 beats
  std::vector<std::uint32_t> values(5 * 7 * 32, 0x3f800000U);
  // Five tokens of 7 blocks of 128 bytes; a record of the panel is 5 columns of 16 bytes, padded, and a beat of scales.
  list.push_back({"quantise", kernels::plan_quantise(kTileConfig, 5, 7, isa::Format::kMxfp4, values), 5 * 7 * 4,
                  7 * (beats(5 * 16) + 1)});
  return list;
}

TEST(Counters, ActivitiesOfEveryUnitAddUpToTheCyclesAndBeatsAreThoseOfTheLaunch) {
  TileSim sim({.checked = true});
  for (const Kernel& k : kernel_list()) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      SCOPED_TRACE(fmt::format("{}, timing {}", k.name, seed));
      set_timing(sim, seed == 0 ? MemoryTiming{} : random_timing(seed));
      const LaunchResult r = run_rtl(sim, k.launch, 1'000'000);
      ASSERT_EQ(r.rtl.stop, Stop::kDone);
      ASSERT_EQ(r.first_mismatch, "");
      ASSERT_EQ(r.rtl.units.size(), 9U);
      EXPECT_GT(r.rtl.cycles, 100U);
      for (const UnitCounters& u : r.rtl.units) {
        EXPECT_EQ(std::accumulate(u.cycles.begin(), u.cycles.end(), std::uint64_t{0}), r.rtl.cycles) << u.unit;
        EXPECT_EQ(u.cycles[7], 0U) << u.unit << " was stopped";
      }
      EXPECT_EQ(r.rtl.beats_read, k.beats_read);
      EXPECT_EQ(r.rtl.beats_written, k.beats_written);
      // A beat a channel a cycle at most, and the engine was busy whenever it wrote one.
      const UnitCounters& ld = r.rtl.units[4];
      EXPECT_GE(ld.cycles[1] * kPcs * 2, k.beats_read);
      EXPECT_GE(r.rtl.cycles * kPcs, k.beats_read);
    }
  }
}

TEST(Counters, IdleUnitsCountIdleAndWaitersCountWhatTheyWaitFor) {
  TileSim sim({.checked = true});
  // Thread 0 works for about 3 * 3000 cycles; thread 1 and the vector unit wait for it.
  sim.load(
      assemble(".thread 0, a\n.thread 1, b\na: li r1, 3000\nloop r1, e\nnop\ne: sync post s1, s2\nhalt\nb: vsync wait "
               "s2\nsync wait s1\nhalt\n"));
  const RunResult r = sim.run(100'000);
  ASSERT_EQ(r.stop, Stop::kDone);
  const auto share = [&](std::size_t unit, std::size_t activity) {
    return static_cast<double>(r.units[unit].cycles[activity]) / static_cast<double>(r.cycles);
  };
  EXPECT_GT(r.cycles, 8000U);
  EXPECT_GT(share(0, 1), 0.95) << "thread 0 busy";
  EXPECT_GT(share(1, 2), 0.95) << "thread 1 waits for a semaphore";
  EXPECT_GT(share(7, 2), 0.95) << "so does VPU";
  for (const std::size_t idle : {2U, 3U, 4U, 5U, 6U})
    EXPECT_EQ(r.units[idle].cycles[0], r.cycles) << r.units[idle].unit;
}

TEST(Counters, AThreadThatWaitsForRoomInAQueueCountsIt) {
  TileSim sim({.checked = true});
  sim.load(
      assemble(".thread 0, a\n.thread 1, b\na: vsync wait s1\n.rept 12\nvsync\n.endr\nhalt\nb: li r1, 1000\nloop r1, "
               "e\nnop\ne: sync post s1\nhalt\n"));
  const RunResult r = sim.run(100'000);
  ASSERT_EQ(r.stop, Stop::kDone);
  EXPECT_GT(r.units[0].cycles[6], 2000U);
}

TEST(Counters, AreClearedOnRequestAndStandStillWhenNothingRuns) {
  TileSim sim({.checked = true});
  sim.load(assemble("li r1, 50\nloop r1, e\nnop\ne: halt\n"));
  const std::uint64_t cycles = sim.run(10'000).cycles;
  EXPECT_GT(cycles, 150U);
  for (int i = 0; i < 500; ++i) sim.tick();
  std::uint64_t now = 0;
  const auto read = [&] { sim.window_read(isa::kWinCounters + 72 * 8, {reinterpret_cast<std::uint8_t*>(&now), 8}); };
  read();
  EXPECT_EQ(now, cycles);
  sim.csr_write(offsetof(tepin_csr_t, CTRL),
                sim.csr_read(offsetof(tepin_csr_t, CTRL)) | TEPIN_CSR__CTRL__CLEAR_COUNTERS_bm);
  read();
  EXPECT_EQ(now, 0U);
}

}  // namespace
}  // namespace tepin::tb::testing
