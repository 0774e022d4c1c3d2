// SPDX-License-Identifier: Apache-2.0
// The tile with the HBM4 controller and its DRAM behind its ports.
#include <gtest/gtest.h>

#include "support.h"
#include "sw/isa/hbm_csr.h"
#include "sw/isa/tepin_window.h"
#include "tb/hbm/contents.h"

namespace tepin::tb::testing {
namespace {

using isa::Cause;
using isa::Engine;

TEST(HbmMemory, TheBackdoorAndTheTileSeeTheSameBytes) {
  TileSim sim({.hbm = true, .checked = true});
  for (int pc = 0; pc < kPcs; ++pc) {
    const std::uint64_t base = isa::kWinHbm + (static_cast<std::uint64_t>(pc) << 31);
    const Bytes there = random_bytes(5000, 3 + static_cast<std::uint64_t>(pc));
    sim.store(pc, 0x1fff7, there);
    Bytes seen(there.size());
    sim.window_read(base + 0x1fff7, seen);
    EXPECT_EQ(seen, there);
    const Bytes written = random_bytes(777, 9 + static_cast<std::uint64_t>(pc));
    sim.window_write(base + 0x12345, written);
    Bytes back(written.size());
    sim.load(pc, 0x12345, back);
    EXPECT_EQ(back, written);
    Bytes other(written.size());
    sim.load(1 - pc, 0x12345, other);
    EXPECT_NE(other, written);
  }
  EXPECT_THROW(sim.store(0, std::uint64_t{kTileConfig.hbm_beats} * 32 - 1, Bytes(2)), std::out_of_range);
}

TEST(HbmMemory, AWholeRunIsRightInLockstep) {
  TileSim sim({.hbm = true, .checked = true});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(good_run(sim), "");
}

TEST(HbmMemory, ASingleWrongBitIsCorrectedAndCounted) {
  TileSim sim({.hbm = true, .checked = true});
  const isa::Section section = assemble(
      "main: li r1, 0x1000\n li r2, 4\n li r3, 64\n ld spad=r1, hbm=r2, len=r3, npc=1 post s0\n sync wait s0\n halt\n");
  const Bytes data = random_bytes(64 * 32, 1);
  sim.store(0, 128, data);
  sim.hbm().system().dram().flip(hbm::place_of(0, 128 + 320, hbm::AddressMap(2)), 77);
  sim.load(section);
  const RunResult r = sim.run(100'000);
  ASSERT_EQ(r.stop, Stop::kDone);
  ASSERT_TRUE(r.hbm);
  EXPECT_GE(r.hbm->corrected, 1U);
  EXPECT_LE(r.hbm->corrected, 2U) << "the transfer's read, and the one for the burst's rewrite";
  EXPECT_EQ(r.hbm->reads, 64U);
  Bytes spad(data.size());
  sim.window_read(isa::kWinSpad + 0x1000, spad);
  EXPECT_EQ(spad, data);
}

TEST(HbmMemory, AnUncorrectableBurstStopsTheTransferThatReadIt) {
  TileSim sim({.hbm = true, .checked = true});
  const isa::Section section = assemble(
      "main: li r1, 0x1000\n li r2, 4\n li r3, 64\n li r4, 0x04000100\n"
      " ld spad=r1, hbm=r2, len=r3, npc=1 post s0\n ld spad=r1, hbm=r4, len=r3, npc=1 wait s0 post s1\n sync wait s1\n "
      "halt\n");
  for (const int pc : {0, 1}) {
    sim.soft_reset();
    const std::uint32_t address = pc == 0 ? 128 + 640 : 0x2000 + 96;
    sim.store(0, 128, Bytes(2048));
    sim.store(1, 0x2000, Bytes(2048));
    const dram::BurstAddress at = hbm::place_of(pc, address, hbm::AddressMap(2));
    sim.hbm().system().dram().flip(at, 5);
    sim.hbm().system().dram().flip(at, 200);
    sim.load(section);
    const RunResult r = sim.run(100'000);
    ASSERT_EQ(r.stop, Stop::kFault);
    EXPECT_EQ(r.fault.cause, Cause::kAxiSlverr);
    EXPECT_EQ(r.fault.engine, Engine::kLd);
    EXPECT_EQ(r.fault.pc, pc == 0 ? 4U : 5U);
    EXPECT_EQ(r.fault.addr, static_cast<std::uint32_t>(pc)) << "the pseudo-channel";
  }
  sim.soft_reset();
  EXPECT_EQ(good_run(sim), "") << "the tile works on after a soft reset";
}

}  // namespace
}  // namespace tepin::tb::testing
