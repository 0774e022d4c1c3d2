// SPDX-License-Identifier: Apache-2.0
// A kernel that is interrupted: by drain, by soft reset while transactions are in flight.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support.h"
#include "sw/isa/tepin_csr.h"
#include "sw/isa/tepin_window.h"
#include "sw/kernels/gemm.h"

namespace tepin::tb::testing {
namespace {

constexpr std::uint32_t kCtrl = offsetof(tepin_csr_t, CTRL), kStatus = offsetof(tepin_csr_t, STATUS);

struct Product {
  Bytes w_codes = random_bytes(24 * 6 * 16, 1), w_scales = Bytes(24 * 6, 126), a_codes = random_bytes(9 * 6 * 32, 2),
        a_scales = Bytes(9 * 6, 128);
  kernels::GemmOperands op{24, 6, 9, isa::Format::kMxint8, w_codes, w_scales, a_codes, a_scales};
  kernels::Launch launch = kernels::plan_gemm(kTileConfig, op);
};

void prepare(TileSim& sim, const kernels::Launch& launch) {
  sim.soft_reset();
  sim.load(launch.section);
  sim.window_write(0, launch.params);
  for (const kernels::Segment& s : launch.hbm) sim.memory(static_cast<int>(s.channel)).store(s.address, s.bytes);
}

TEST(Reset, DrainStopsAKernelAnywhereAndResumeGivesTheSameResult) {
  const Product product;
  TileSim sim({.checked = true});
  const LaunchResult whole = run_rtl(sim, product.launch, 100'000);
  ASSERT_EQ(whole.first_mismatch, "");
  ASSERT_EQ(whole.rtl.stop, Stop::kDone);
  int drained = 0;
  for (std::uint64_t at = 1; at < whole.rtl.cycles; at += whole.rtl.cycles / 23 + 1) {
    SCOPED_TRACE(fmt::format("drained after {} cycles", at));
    prepare(sim, product.launch);
    const std::uint32_t ctrl = sim.csr_read(kCtrl);
    sim.csr_write(kCtrl, ctrl | TEPIN_CSR__CTRL__START_bm);
    for (std::uint64_t i = 0; i < at; ++i) sim.tick();
    sim.csr_write(kCtrl, ctrl | TEPIN_CSR__CTRL__DRAIN_bm);
    for (int i = 0; i < 2000; ++i) sim.tick();
    const std::uint32_t status = sim.csr_read(kStatus);
    EXPECT_EQ(status & TEPIN_CSR__STATUS__FAULTED_bm, 0U);
    const auto stopped = (status & TEPIN_CSR__STATUS__STOPPED_bm) >> TEPIN_CSR__STATUS__STOPPED_bp;
    if (stopped != 0) ++drained;
    // Threads that wait for a semaphore have begun their instruction: nothing that begins afterwards changes that.
    const std::uint64_t read = sim.memory(0).beats_read(), written = sim.memory(1).beats_written();
    for (int i = 0; i < 300; ++i) sim.tick();
    EXPECT_EQ(sim.memory(0).beats_read(), read);
    EXPECT_EQ(sim.memory(1).beats_written(), written);
    sim.csr_write(kCtrl, ctrl);
    sim.csr_write(kCtrl, ctrl | 15U << TEPIN_CSR__CTRL__RESUME0_bp);
    const RunResult r = sim.resume(100'000);
    ASSERT_EQ(r.stop, Stop::kDone);
    Bytes y(product.launch.outputs[0].bytes.size());
    sim.memory(1).load(product.launch.outputs[0].address, y);
    EXPECT_EQ(y, whole.outputs[0]);
    sim.memory(1).store(product.launch.outputs[0].address, Bytes(y.size()));
  }
  EXPECT_GE(drained, 10);
}

TEST(Reset, ASoftResetWithTransactionsInFlightLetsTheNextRunBeRight) {
  const Product product;
  TileSim sim({.checked = true});
  set_timing(sim, {.read_latency = 150, .write_latency = 80, .seed = 3, .stall = 0.2, .reorder = true});
  const LaunchResult whole = run_rtl(sim, product.launch, 100'000);
  ASSERT_EQ(whole.rtl.stop, Stop::kDone);
  int in_flight = 0, resets = 0;
  for (std::uint64_t at = 5; at < whole.rtl.cycles; at += whole.rtl.cycles / 25 + 1, ++resets) {
    SCOPED_TRACE(fmt::format("reset after {} cycles", at));
    prepare(sim, product.launch);
    sim.csr_write(kCtrl, sim.csr_read(kCtrl) | TEPIN_CSR__CTRL__START_bm);
    for (std::uint64_t i = 0; i < at; ++i) sim.tick();
    if (!sim.memory(0).idle() || !sim.memory(1).idle()) ++in_flight;
    const LaunchResult again = run_rtl(sim, product.launch, 100'000);
    ASSERT_EQ(again.rtl.stop, Stop::kDone);
    ASSERT_EQ(again.first_mismatch, "");
    EXPECT_EQ(again.outputs, whole.outputs);
    sim.memory(1).store(product.launch.outputs[0].address, Bytes(product.launch.outputs[0].bytes.size()));
  }
  EXPECT_GE(resets, 20);
  EXPECT_GE(in_flight, 10);
}

TEST(Reset, ASoftResetKeepsMemoriesAndClearsSemaphoresAndState) {
  TileSim sim({.checked = true});
  sim.load(assemble("li r1, 9\nspost s3, r1\nsw r1, 0x80(r0)\nsync wait s4\nhalt\n"));
  EXPECT_EQ(sim.run(2000).stop, Stop::kFault);
  sim.soft_reset();
  EXPECT_EQ(sim.csr_read(kStatus), TEPIN_CSR__STATUS__READY_bm | TEPIN_CSR__STATUS__DRAINED_bm);
  EXPECT_EQ(sim.fault_info().cause, isa::Cause::kNone);
  Bytes sems(256, 1);
  sim.window_read(isa::kWinSem, sems);
  EXPECT_EQ(sems, Bytes(256));
  Bytes word(4);
  sim.window_read(0x80, word);
  EXPECT_EQ(word, (Bytes{9, 0, 0, 0}));
}

}  // namespace
}  // namespace tepin::tb::testing
