// SPDX-License-Identifier: Apache-2.0
// What goes wrong between tiles ends in a named fault of the tile that is to blame, never in a hang: on a mesh of 2
// x 2.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support.h"
#include "tb/chip_sim.h"

namespace tepin::tb::testing {
namespace {

using isa::Cause;
using isa::Engine;

constexpr std::uint64_t kEveryone = 0x303;

class ChipFaults : public ::testing::Test {
 protected:
  TileSim& tile(std::uint32_t t) { return chip_.tile(t); }
  /// One text a tile, empty: it does not run. r1 = src 0x1000, r2 = dst 0x2000, r3 = 4 words; group 0 is everyone, root
  /// 0,0.
  ChipResult run(const std::array<std::string, 4>& bodies) {
    std::vector<bool> starts;
    for (std::uint32_t t = 0; t < 4; ++t) {
      tile(t).soft_reset();
      starts.push_back(!bodies[t].empty());
      if (bodies[t].empty()) continue;
      tile(t).load(
          assemble(fmt::format(".thread 2, main\nmain: li r1, 0x1000\nli r2, 0x2000\nli r3, 4\nli r4, {}\n"
                               "ngroup lo=r4, hi=r0, root=r0, g=0\n{}\nhalt\n",
                               kEveryone, bodies[t])));
    }
    return chip_.run(50000, starts);
  }
  static constexpr std::uint32_t kFirst = 5;  // pc of a body's first instruction
  void expect(const ChipResult& r, std::uint32_t t, Engine engine, Cause cause, std::uint32_t pc) {
    ASSERT_EQ(r.stop, Stop::kFault);
    const FaultInfo& f = r.tiles[t].fault;
    EXPECT_EQ(f.cause, cause) << f.text();
    EXPECT_EQ(f.engine, engine) << f.text();
    EXPECT_EQ(f.pc, pc) << f.text();
    EXPECT_EQ(f.thread, cause == Cause::kStuck ? 0U : 2U) << f.text();
  }
  void alone(const std::string& body, Cause cause, std::uint32_t at, Engine engine = Engine::kNet) {
    SCOPED_TRACE(body);
    expect(run({body, "", "", ""}), 0, engine, cause, kFirst + at);
  }
  ChipSim chip_{2, 2, {.checked = true}};
};

TEST_F(ChipFaults, OperandsAreCheckedBeforeAnythingMoves) {
  alone("nwr dst=r2, src=r1, len=r0, tile=r0", Cause::kBadOperand, 0);
  alone("li r3, 65536\nnwr dst=r2, src=r1, len=r3, tile=r0", Cause::kBadOperand, 1);
  alone("li r1, 16\nnwr dst=r2, src=r1, len=r3, tile=r0", Cause::kMisaligned, 1);
  alone("li r2, 8\nnmc dst=r2, src=r1, len=r3, g=0", Cause::kMisaligned, 1);
  alone("li r1, 0x20000\nnwr dst=r2, src=r1, len=r3, tile=r0", Cause::kBadSpadAddr, 1);
  alone("li r2, 0x1ffc0\nnar dst=r2, src=r1, len=r3, g=0", Cause::kBadSpadAddr, 1);
  // Four pieces of four words end one word beyond the scratchpad.
  alone("li r2, 0x1fe20\nnag dst=r2, src=r1, len=r3, g=0", Cause::kBadSpadAddr, 1);
  alone("li r5, 64\nnpost sem=r5, count=r3, tile=r0", Cause::kBadOperand, 1);
  alone("npost sem=r3, count=r0, tile=r0", Cause::kBadOperand, 0);
  alone("nmc dst=r2, src=r1, len=r3, g=0, sem=3, scnt=0", Cause::kBadOperand, 0);
  alone("li r5, 1 << 26\nnld spad=r2, hbm=r5, len=r3, npc=2, tile=r0", Cause::kBadHbmAddr, 1);
  alone("li r5, 16777214\nnst spad=r2, hbm=r5, len=r3, npc=1, tile=r0", Cause::kBadHbmAddr, 1);
  alone("li r5, 65536\nnld spad=r2, hbm=r0, len=r3, cnt=r5, npc=1, tile=r0", Cause::kBadOperand, 1);
}

TEST_F(ChipFaults, APostOverflowsASemaphoreOfATileThatDoesNotRun) {
  const std::string fill = "li r5, 1\nli r6, 0xffffffff\nnpost sem=r5, count=r6, tile=r5\n";
  for (const std::string receiver : {"", "li r7, 1"}) {
    for (const std::string post : {"nsync post s1*255@1,0", "npost sem=r5, count=r5, tile=r5"}) {
      SCOPED_TRACE(receiver + "; " + post);
      const ChipResult r = run({fill + post, receiver, "", ""});
      ASSERT_EQ(r.stop, Stop::kFault);
      EXPECT_EQ(r.fault.cause, Cause::kSemOverflow) << r.fault.text();
      EXPECT_EQ(r.fault.x, 1U) << r.fault.text();
      EXPECT_EQ(r.fault.y, 0U) << r.fault.text();
    }
  }
}

TEST_F(ChipFaults, TilesThatDoNotExist) {
  for (const std::uint32_t t : {2U, 10U, 16U, 63U, 64U, 0x80000001U}) {
    alone(fmt::format("li r5, {}\nnwr dst=r2, src=r1, len=r3, tile=r5", t), Cause::kBadTile, 1);
    alone(fmt::format("li r5, {}\nnpost sem=r3, count=r3, tile=r5", t), Cause::kBadTile, 1);
    alone(fmt::format("li r5, {}\nnld spad=r2, hbm=r0, len=r3, npc=1, tile=r5", t), Cause::kBadTile, 1);
  }
  // Of a post: the engine that posts.
  alone("sync post s1@2,0", Cause::kBadTile, 0, Engine::kSeq);
  alone("vfill dst=r2, n=r3, s=r0 post s1@0,2", Cause::kBadTile, 0, Engine::kVpu);
  alone("nsync post s1@7,7", Cause::kBadTile, 0);
}

TEST_F(ChipFaults, GroupsThatCannotBe) {
  alone("ngroup lo=r0, hi=r0, root=r0, g=1", Cause::kBadGroup, 0);
  alone("li r5, 7\nngroup lo=r5, hi=r0, root=r0, g=1", Cause::kBadGroup, 1);
  alone("li r5, 1\nngroup lo=r5, hi=r5, root=r0, g=1", Cause::kBadGroup, 1);
  alone("li r5, 2\nngroup lo=r4, hi=r0, root=r5, g=1", Cause::kBadGroup, 1);
  alone("nbar g=1", Cause::kBadGroup, 0);  // never written
  alone("nmc dst=r2, src=r1, len=r3, g=2", Cause::kBadGroup, 0);
  // Tile 0 is neither member nor root.
  alone("li r5, 2\nli r6, 1\nngroup lo=r5, hi=r0, root=r6, g=1\nnbar g=1", Cause::kBadGroup, 3);
}

TEST_F(ChipFaults, MembersThatDisagreeAreFoundWhereTheyMeet) {
  // Both are on the way to the root and each has the other in its set.
  const std::string nar = "nar dst=r2, src=r1, len=r3, g=0";
  ChipResult r = run({nar, "li r3, 5\n" + nar, nar, nar});
  expect(r, 0, Engine::kNet, Cause::kGroupMismatch, kFirst);
  // Their heads rest in the routers: that takes the reset line.
  chip_.reset();
  r = run({nar, nar + ", max", nar, nar});
  expect(r, 0, Engine::kNet, Cause::kGroupMismatch, kFirst);
}

TEST_F(ChipFaults, ATileThatHasStoppedSaysSo) {
  const std::string later = "li r5, 300\nloop r5, e\nnop\ne: li r6, 1\n";
  for (const std::string& message :
       std::vector<std::string>{"nwr dst=r2, src=r1, len=r3, tile=r6", "npost sem=r3, count=r3, tile=r6",
                                "nld spad=r2, hbm=r0, len=r3, npc=1, tile=r6",
                                "nst spad=r1, hbm=r0, len=r3, npc=1, tile=r6", "nmc dst=r2, src=r1, len=r3, g=0"}) {
    SCOPED_TRACE(message);
    const ChipResult r = run({later + message, ".word 0, 0xff", "", ""});
    expect(r, 1, Engine::kSeq, Cause::kIllegalInstr, kFirst);
    expect(r, 0, Engine::kNet, Cause::kTileStopped, kFirst + 4);
    // Nothing was written over there.
    std::vector<std::uint8_t> bytes(128, 1);
    tile(1).window_read(0x2000, bytes);
    EXPECT_EQ(bytes, std::vector<std::uint8_t>(128));
  }
}

TEST_F(ChipFaults, WhatNobodyJoinsIsStuckAndNamed) {
  const ChipResult r = run({"nbar g=0", "nbar g=0", "sync wait s5", ""});
  for (const std::uint32_t t : {0U, 1U, 2U}) expect(r, t, Engine::kHost, Cause::kStuck, 0);
  EXPECT_NE(r.tiles[0].fault.text().find("NET thread 2 pc 5 waits for other tiles"), std::string::npos)
      << r.tiles[0].fault.text();
  EXPECT_NE(r.tiles[2].fault.text().find("tile 0,1"), std::string::npos) << r.tiles[2].fault.text();
  EXPECT_NE(r.tiles[2].fault.text().find("waits for s5"), std::string::npos) << r.tiles[2].fault.text();
}

}  // namespace
}  // namespace tepin::tb::testing
