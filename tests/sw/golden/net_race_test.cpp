// SPDX-License-Identifier: Apache-2.0
// Races 1 to 5 of docs/architecture.md between tiles, and what orders them.
#include "chip_fixture.h"

namespace tepin::golden::testing {
namespace {

constexpr Mesh kMesh{3, 2};

void expect_bytes(const ChipProgram& p, const std::vector<std::string>& names) {
  expect_found(kMesh, p, FindingKind::kRaceBytes, names);
}

TEST(NetRace, TwoTilesWriteTheSameBytes) {
  for (const bool ordered : {false, true}) {
    ChipProgram p;
    nwr(p, 0, 9, 0x2000);
    if (ordered) p.at(0).post_to(1, 4);
    nwr(p, 1, 9, 0x2020);
    if (ordered) p.at(1).wait(4);
    if (ordered)
      expect_clean(kMesh, p);
    else
      expect_bytes(
          p, {"tile 0,0 NET nwr (pc 4, thread 0)", "tile 1,0 NET nwr (pc 4, thread 0)", "writes tile 1,1 spad 0x2020"});
  }
}

TEST(NetRace, AWriteFromAfarAgainstAnythingAtHome) {
  for (const std::string_view op : {"lw", "sw", "vmov", "st", "nwr"}) {
    for (const int how : {0, 1, 2}) {  // in no order; the write first; the write last
      ChipProgram p;
      const auto home = [&] {
        Builder& b = p.at(9);
        if (op == "lw" || op == "sw")
          b.raw(op, {{"imm", 0x2004}});
        else if (op == "vmov")
          b.engine(op, {{"dst", 0x3000}, {"src", 0x2020}, {"n", 8}});
        else if (op == "st")
          b.engine(op, {{"spad", 0x2000}, {"len", 1}, {"npc", 1}});
        else
          b.engine(op, {{"dst", 0x3000}, {"src", 0x2000}, {"len", 1}, {"tile", 10}});
      };
      if (how == 2) home(), p.at(9).post_to(0, 6);
      nwr(p, 0, 9, 0x2000);
      if (how == 1) p.at(0).post_to(9, 5);
      if (how == 2) p.at(0).wait(6);
      if (how != 2) home();
      if (how == 1) p.at(9).wait(5);
      if (how != 0)
        expect_clean(kMesh, p);
      else
        expect_bytes(p, {"tile 0,0 NET nwr (pc 4, thread 0)", "tile 1,1 ", std::string(op), "tile 1,1 spad 0x20"});
    }
  }
}

TEST(NetRace, APostOrdersOnlyWhatCameBeforeIt) {
  ChipProgram p;  // the second write is behind the post
  nwr(p, 0, 9, 0x2000);
  p.at(0).post_to(9, 5);
  nwr(p, 0, 9, 0x2000);
  p.at(9).raw("lw", {{"rd", 1}, {"imm", 0x2000}}).wait(5);
  expect_bytes(p, {"SEQ lw", "NET nwr (pc 9"});
}

// A member's words may arrive after another member has been told of its own.
TEST(NetRace, ThePostOfAMulticastSpeaksOfTheWordsAtItsTileOnly) {
  enum class Wait { kMember, kSender, kOwnWords };
  for (const Wait wait : {Wait::kMember, Wait::kSender, Wait::kOwnWords}) {
    ChipProgram p;
    p.group(0, 0, bit(1) | bit(9), 0);
    p.at(0).engine("nmc", {{"dst", 0x2000}, {"src", 0}, {"len", 2}, {"sem", 3}, {"scnt", 1}});
    if (wait == Wait::kSender) p.at(0).post_to(1, 4);
    nwr(p, 1, wait == Wait::kOwnWords ? 1 : 9, 0x2000);
    p.at(1).wait(wait == Wait::kSender ? 4 : 3);
    if (wait == Wait::kMember)
      expect_bytes(p, {"tile 0,0 NET nmc", "tile 1,0 NET nwr", "tile 1,1 spad 0x2000"});
    else
      expect_clean(kMesh, p);
  }
}

TEST(NetRace, AMulticastOverItsOwnSourceIsARaceWithItself) {
  for (const std::uint32_t dst : {0x1000U, 0x1020U}) {
    ChipProgram p;
    p.group(0, 0, bit(0) | bit(1), 0);
    p.at(0).engine("nmc", {{"dst", dst}, {"src", 0x1000}, {"len", 2}, {"sem", 3}, {"scnt", 1}});
    if (dst == 0x1000)
      expect_clean(kMesh, p);
    else
      expect_found(kMesh, p, FindingKind::kRaceSelf, {"tile 0,0 NET nmc", "spad 0x1020"});
  }
}

TEST(NetRace, AnOrderMayLeadOverAThirdTile) {
  for (const bool whole : {true, false}) {
    ChipProgram p;
    nwr(p, 0, 9, 0x2000);
    p.at(0).post_to(1, 5);
    p.at(1).raw("vsync");
    if (whole) p.at(1).wait(5);
    p.at(1).post_to(9, 6);
    p.at(9).raw("lw", {{"rd", 1}, {"imm", 0x2000}}).wait(6);
    if (whole)
      expect_clean(kMesh, p);
    else
      expect_bytes(p, {"SEQ lw", "NET nwr"});
  }
}

TEST(NetRace, BeatsOfFarMemoryCountToo) {
  for (const bool ordered : {false, true}) {
    ChipProgram p;
    p.at(0).engine("nst", {{"spad", 0}, {"hbm", 5}, {"len", 2}, {"tile", 10}, {"npc", 1}});
    if (ordered) p.at(0).post_to(1, 4);
    p.at(1).engine("nld", {{"spad", 0x2000}, {"hbm", 6}, {"len", 1}, {"tile", 10}, {"npc", 1}});
    if (ordered) p.at(1).wait(4).post_to(10, 4);
    p.at(10).engine("st", {{"spad", 0}, {"hbm", 6}, {"len", 1}, {"npc", 1}});
    if (ordered) p.at(10).wait(4);
    if (ordered) {
      expect_clean(kMesh, p);
      continue;
    }
    for (std::uint64_t seed = 0; seed < kChipSeeds; ++seed) {
      Chip c = loaded_chip(kMesh, seed, 16384);
      c.load_hbm(10, 0, 0, Bytes(1024));
      const Outcome o = c.run(p.program());
      EXPECT_EQ(o.error.kind, FindingKind::kRaceBytes) << o.text();
      EXPECT_THAT(o.text(), ::testing::HasSubstr("tile 2,1 hbm0 0xc0"));
    }
  }
}

TEST(NetRace, AMulticastsPostOrdersEachMemberAfterItsWords) {
  for (const bool waits : {true, false}) {
    ChipProgram p;
    p.group(0, 0, bit(1) | bit(9), 1);
    p.at(0).engine("nmc", {{"dst", 0x2000}, {"src", 0}, {"len", 2}, {"sem", 3}, {"scnt", 2}});
    for (const std::uint32_t t : {1U, 9U}) {
      p.at(t).engine("vmov", {{"dst", 0x3000}, {"src", 0x2000}, {"n", 8}});
      if (waits) p.at(t).wait(3, 2);
    }
    if (waits)
      expect_clean(kMesh, p);
    else
      expect_bytes(p, {"tile 0,0 NET nmc (pc 7, thread 0)", "VPU vmov (pc 3, thread 0)", "spad 0x2000"});
  }
}

TEST(NetRace, TwoThreadsIssueToNet) {
  for (const bool ordered : {false, true}) {
    ChipProgram p;
    p.at(0).raw("nsync");
    if (ordered) p.at(0).post_to(1, 3);
    if (ordered) p.at(1).raw("sync").wait(3).post_to(0, 4);
    p.at(0).halt().thread(1).raw("sync");
    if (ordered) p.at(0).wait(4);
    p.at(0).raw("nsync");
    if (ordered)
      expect_clean(kMesh, p);
    else
      expect_found(kMesh, p, FindingKind::kRaceIssue,
                   {"tile 0,0 NET nsync (pc 0, thread 0)", "tile 0,0 NET nsync (pc 3, thread 1)"});
  }
}

TEST(NetRace, TwoTakersOfWhatAnotherTilePosts) {
  for (const bool ordered : {false, true}) {
    ChipProgram p;
    p.at(0).raw("sync").post_to(9, 5, 2);
    p.at(9).raw("sync").wait(5);
    if (ordered) p.at(9).post_to(1, 1);
    if (ordered) p.at(1).raw("sync").wait(1).post_to(9, 7);
    p.at(9).halt().thread(1).raw("sync").wait(5);
    if (ordered) p.at(9).wait(7);
    if (ordered)
      expect_clean(kMesh, p);
    else
      expect_found(kMesh, p, FindingKind::kRaceTake,
                   {"tile 1,1 SEQ sync (pc 0", "both take from tile 1,1 semaphore s5"});
  }
}

TEST(NetRace, TwoTilesPostAndAWaitThatNeedsOne) {
  for (const std::uint32_t needs : {1U, 2U}) {
    for (const bool by_npost : {false, true}) {
      ChipProgram p;
      for (const std::uint32_t t : {0U, 1U}) {
        if (by_npost)
          p.at(t).engine("npost", {{"sem", 5}, {"count", 1}, {"tile", 9}});
        else
          p.at(t).raw("vsync").post_to(9, 5);
      }
      p.at(9).raw("sync").wait(5, needs);
      if (needs == 2)
        expect_clean(kMesh, p);
      else
        expect_found(kMesh, p, FindingKind::kRaceSemaphore,
                     {"tile 0,0 ", "tile 1,0 ", "post to tile 1,1 semaphore s5", "could satisfy tile 1,1 SEQ sync"});
    }
  }
}

TEST(NetRace, AWriteAgainstEachOfTwoReadersFromAfar) {
  for (const bool both : {false, true}) {
    ChipProgram p;
    for (const std::uint32_t t : {0U, 1U}) {
      p.at(t).engine("nld", {{"spad", 0x2000}, {"hbm", 6}, {"len", 1}, {"tile", 10}, {"npc", 1}});
      p.at(t).post_to(10, 4 + t);
    }
    p.at(10).engine("st", {{"spad", 0}, {"hbm", 6}, {"len", 1}, {"npc", 1}}).wait(5);
    if (both) p.at(10).wait(4);
    for (std::uint64_t seed = 0; seed < kChipSeeds; ++seed) {
      Chip c = loaded_chip(kMesh, seed);
      c.load_hbm(10, 0, 0, Bytes(1024));
      const Outcome o = c.run(p.program());
      EXPECT_EQ(o.status, both ? Status::kDone : Status::kError) << o.text();
      if (!both) {
        EXPECT_EQ(o.error.kind, FindingKind::kRaceBytes);
      }
    }
  }
}

TEST(NetRaceSelf, OnlyExactPlacesMayBeSourceAndDestination) {
  const auto one = [](std::string_view op, Fields fields, bool clean) {
    ChipProgram p;
    for (const std::uint32_t t : {1U, 9U}) {
      p.group(t, 0, bit(1) | bit(9), 9);
      p.at(t).engine(op, fields);
    }
    if (clean)
      expect_clean(kMesh, p);
    else
      expect_found(kMesh, p, FindingKind::kRaceSelf, {"NET " + std::string(op), "overlaps itself"});
  };
  one("nar", {{"dst", 64}, {"src", 64}, {"len", 2}}, true);
  one("nar", {{"dst", 96}, {"src", 64}, {"len", 2}}, false);
  one("nar", {{"dst", 128}, {"src", 64}, {"len", 2}}, true);
  one("nred", {{"dst", 64}, {"src", 64}, {"len", 2}}, true);
  one("nred", {{"dst", 32}, {"src", 64}, {"len", 2}}, false);
  one("nrs", {{"dst", 0}, {"src", 64}, {"len", 2}}, true);
  one("nrs", {{"dst", 64}, {"src", 64}, {"len", 2}}, false);  // the place of rank 0, at rank 1 too
  one("nag", {{"dst", 0x400}, {"src", 0x440}, {"len", 2}}, false);
  one("na2a", {{"dst", 0x400}, {"src", 0x400}, {"len", 2}}, false);
  one("na2a", {{"dst", 0x480}, {"src", 0x400}, {"len", 2}}, true);
  for (const std::string_view op : {"nag", "nrs"}) {  // each tile its own place
    ChipProgram p;
    for (const std::uint32_t t : {1U, 9U}) {
      p.group(t, 0, bit(1) | bit(9), 9);
      const std::uint32_t own = 0x400 + (t == 9 ? 64 : 0);
      if (op == "nag")
        p.at(t).engine(op, {{"dst", 0x400}, {"src", own}, {"len", 2}});
      else
        p.at(t).engine(op, {{"dst", own}, {"src", 0x400}, {"len", 2}});
    }
    expect_clean(kMesh, p);
  }
  for (const std::uint32_t dst : {0x400U, 0x420U}) {
    ChipProgram p;
    nwr(p, 1, 1, dst, 0x400);
    ChipProgram q;
    q.group(1, 0, bit(1) | bit(2), 1);
    q.at(1).engine("nmc", {{"dst", dst}, {"src", 0x400}, {"len", 2}});
    for (const ChipProgram* k : {&p, &q}) {
      if (dst == 0x400)
        expect_clean(kMesh, *k);
      else
        expect_found(kMesh, *k, FindingKind::kRaceSelf, {"overlaps itself", "tile 1,0 spad 0x420"});
    }
  }
}

}  // namespace
}  // namespace tepin::golden::testing
