// SPDX-License-Identifier: Apache-2.0
// Every fault of NET, the order of its checks, and what is said of chips that are stuck.
#include "chip_fixture.h"

namespace tepin::golden::testing {
namespace {

using isa::Cause;
using isa::Engine;
using ::testing::HasSubstr;

constexpr std::uint32_t kEnd = 16384;   // of the scratchpad
constexpr std::uint32_t kBeats = 4096;  // of a pseudo-channel
constexpr Mesh kMesh{3, 2};

/// One instruction of NET at tile 9 (1,1), behind groups 1 {0, 9} root 2 and 2 {0, 1} root 0.
std::string fault_of(std::string_view op, Fields fields, Cause cause) {
  ChipProgram p;
  p.group(9, 1, bit(0) | bit(9), 2);
  p.group(9, 2, bit(0) | bit(1), 0);
  p.at(9).engine(op, fields);
  const std::uint32_t pc = p.at(9).pc() - 1;
  const Outcome o = expect_fault(kMesh, p, 9, Engine::kNet, cause);
  EXPECT_EQ(o.fault.pc, pc) << op;
  EXPECT_THAT(o.text(), HasSubstr(": tile 1,1 NET " + std::string(op) + " (pc "));
  return o.text();
}

TEST(NetFault, NwrChecksCountAlignmentTileThenBounds) {
  fault_of("nwr", {{"dst", 1}, {"src", 1}, {"len", 0}, {"tile", 99}}, Cause::kBadOperand);
  fault_of("nwr", {{"len", 65536}}, Cause::kBadOperand);
  fault_of("nwr", {{"dst", 16}, {"len", 1}, {"tile", 99}}, Cause::kMisaligned);
  fault_of("nwr", {{"src", 16}, {"len", 1}, {"tile", 99}}, Cause::kMisaligned);
  for (const std::uint32_t tile : {3U, 16U, 63U, 64U, 0xffffffffU})
    fault_of("nwr", {{"dst", kEnd}, {"src", kEnd}, {"len", 1}, {"tile", tile}}, Cause::kBadTile);
  EXPECT_THAT(fault_of("nwr", {{"len", 1}, {"tile", 67}}, Cause::kBadTile),
              HasSubstr("tile is 67 (chip 1, tile 3,0); allowed: chip 0, tiles 0,0..2,1"));
  EXPECT_THAT(fault_of("nwr", {{"dst", kEnd}, {"src", kEnd}, {"len", 1}}, Cause::kBadSpadAddr), HasSubstr("src"));
  EXPECT_THAT(fault_of("nwr", {{"dst", kEnd - 32}, {"len", 2}}, Cause::kBadSpadAddr), HasSubstr("dst"));
  fault_of("nwr", {{"dst", 0xffffffe0U}, {"len", 1}}, Cause::kBadSpadAddr);
}

TEST(NetFault, NpostChecksItsOperandsThenTheTile) {
  fault_of("npost", {{"sem", 64}, {"count", 1}, {"tile", 99}}, Cause::kBadOperand);
  fault_of("npost", {{"sem", 1}, {"count", 0}, {"tile", 99}}, Cause::kBadOperand);
  fault_of("npost", {{"sem", 1}, {"count", 1}, {"tile", 99}}, Cause::kBadTile);
}

TEST(NetFault, NldAndNstCheckCountAlignmentTileChannelsScratchpadThenHbm) {
  for (const std::string_view op : {"nld", "nst"}) {
    fault_of(op, {{"spad", 1}, {"len", 0}, {"tile", 99}, {"npc", 3}}, Cause::kBadOperand);
    fault_of(op, {{"spad", 1}, {"len", 65536}, {"npc", 1}}, Cause::kBadOperand);
    fault_of(op, {{"spad", 1}, {"len", 1}, {"cnt", 65536}, {"npc", 1}}, Cause::kBadOperand);
    fault_of(op, {{"spad", 16}, {"len", 1}, {"tile", 99}, {"npc", 1}}, Cause::kMisaligned);
    fault_of(op, {{"len", 1}, {"sstep", 8}, {"tile", 99}, {"npc", 1}}, Cause::kMisaligned);
    fault_of(op, {{"spad", kEnd}, {"len", 1}, {"tile", 99}, {"npc", 3}}, Cause::kBadTile);
    fault_of(op, {{"spad", kEnd}, {"len", 1}, {"npc", 3}}, Cause::kBadHbmAddr);
    fault_of(op, {{"spad", kEnd}, {"hbm", kBeats}, {"len", 1}, {"npc", 1}}, Cause::kBadSpadAddr);
    fault_of(op, {{"len", 1}, {"cnt", 1}, {"sstep", kEnd}, {"npc", 1}}, Cause::kBadSpadAddr);
    fault_of(op, {{"len", 1}, {"npc", 3}}, Cause::kBadHbmAddr);
    fault_of(op, {{"hbm", 1U << 26}, {"len", 1}, {"npc", 2}}, Cause::kBadHbmAddr);
    fault_of(op, {{"hbm", kBeats}, {"len", 1}, {"npc", 1}}, Cause::kBadHbmAddr);
    fault_of(op, {{"len", 1}, {"cnt", 1}, {"hstep", kBeats}, {"npc", 1}}, Cause::kBadHbmAddr);
  }
}

TEST(NetFault, NmcChecksCountsAlignmentGroupThenBounds) {
  ChipProgram small;  // a tile of fpga has 32 semaphores
  isa::Config cfg = small_tile();
  cfg.sems = 32;
  small.group(0, 0, 1, 0);
  small.at(0).engine("nmc", {{"len", 1}, {"sem", 32}, {"scnt", 1}});
  Chip c(cfg, 1, 1);
  EXPECT_EQ(c.run(small.program()).fault.cause, Cause::kBadOperand);
  fault_of("nmc", {{"dst", 1}, {"len", 0}, {"g", 3}}, Cause::kBadOperand);
  fault_of("nmc", {{"dst", 1}, {"len", 1}, {"g", 3}, {"sem", 1}}, Cause::kBadOperand);
  fault_of("nmc", {{"dst", 16}, {"len", 1}, {"g", 3}}, Cause::kMisaligned);
  fault_of("nmc", {{"src", 16}, {"len", 1}, {"g", 3}}, Cause::kMisaligned);
  fault_of("nmc", {{"src", kEnd}, {"len", 1}, {"g", 3}}, Cause::kBadGroup);
  fault_of("nmc", {{"src", kEnd}, {"len", 1}, {"g", 2}}, Cause::kBadSpadAddr);  // no member need not be one
  fault_of("nmc", {{"dst", kEnd}, {"len", 1}, {"g", 2}}, Cause::kBadSpadAddr);
}

TEST(NetFault, CollectivesCheckCountAlignmentGroupThenBounds) {
  for (const std::string_view op : {"nred", "nar", "nrs", "nag", "na2a"}) {
    fault_of(op, {{"dst", 1}, {"len", 0}, {"g", 3}}, Cause::kBadOperand);
    fault_of(op, {{"len", 65536}, {"g", 3}}, Cause::kBadOperand);
    fault_of(op, {{"dst", 16}, {"len", 1}, {"g", 3}}, Cause::kMisaligned);
    fault_of(op, {{"src", 16}, {"len", 1}, {"g", 3}}, Cause::kMisaligned);
    EXPECT_THAT(fault_of(op, {{"src", kEnd}, {"len", 1}, {"g", 3}}, Cause::kBadGroup), HasSubstr("never written"));
    EXPECT_THAT(fault_of(op, {{"src", kEnd}, {"len", 1}, {"g", 2}}, Cause::kBadGroup),
                HasSubstr(op == "nrs" ? "no member" : "neither"));
    const bool source_chunks = op == "nrs" || op == "na2a", pieces = op == "nag" || op == "na2a";
    fault_of(op, {{"src", kEnd - (source_chunks ? 32 : 0)}, {"len", 1}, {"g", 1}}, Cause::kBadSpadAddr);
    fault_of(op, {{"dst", kEnd - (pieces ? 32 : 0)}, {"len", 1}, {"g", 1}}, Cause::kBadSpadAddr);
  }
  fault_of("nbar", {{"g", 3}}, Cause::kBadGroup);
  fault_of("nbar", {{"g", 2}}, Cause::kBadGroup);
}

TEST(NetFault, BoundsOfOperandsThatATileDoesNotUseAreCheckedToo) {
  // 0 only gives, 2 is a root that only gets.
  for (const bool root : {false, true}) {
    for (const std::string_view far : {"dst", "src"}) {
      ChipProgram p;
      const std::uint32_t tile = root ? 2 : 0;
      p.group(tile, 0, bit(0), 2);
      p.at(tile).engine("nred", {{far, kEnd}, {"len", 1}});
      expect_fault(kMesh, p, tile, Engine::kNet, Cause::kBadSpadAddr);
    }
  }
}

TEST(NetFault, ARootThatIsNoMemberHasNoPartInAReduceScatter) {
  ChipProgram p;
  p.group(2, 0, bit(0), 2);
  p.at(2).engine("nrs", {{"len", 1}});
  EXPECT_THAT(expect_fault(kMesh, p, 2, Engine::kNet, Cause::kBadGroup).text(), HasSubstr("no member"));
}

TEST(NetFault, GroupsMustNameTilesThatExist) {
  const auto group = [](std::uint64_t mask, std::uint32_t root, std::string_view text) {
    ChipProgram p;
    p.group(1, 3, mask, root);
    EXPECT_THAT(expect_fault(kMesh, p, 1, Engine::kNet, Cause::kBadGroup).text(), HasSubstr(text));
  };
  group(0, 0, "the mask is empty");
  group(bit(0) | bit(3), 0, "the mask names tile 3 (chip 0, tile 3,0); allowed: tiles 0,0..2,1");
  group(bit(63), 0, "the mask names tile 63");
  group(1, 16, "root is 16 (chip 0, tile 0,2)");
  group(1, 64, "root is 64 (chip 1, tile 0,0)");
}

TEST(NetFault, PostsToATileThatDoesNotExistFaultWhereTheyArePosted) {
  for (const auto& [op, engine] : {std::pair{"sync", Engine::kSeq}, std::pair{"vsync", Engine::kVpu},
                                   std::pair{"ldsync", Engine::kLd}, std::pair{"nsync", Engine::kNet}}) {
    ChipProgram p;
    p.at(8).raw(op).post(5).post_to(16, 5);
    const Outcome o = expect_fault(kMesh, p, 8, engine, Cause::kBadTile);
    EXPECT_THAT(o.text(), HasSubstr("posts to s5 of tile 0,2; allowed: 0,0..2,1"));
  }
}

TEST(NetFault, AnOverflowFromAfarIsTheReceiversAndHasNoOrigin) {
  const auto overflow = [](auto poster) {
    ChipProgram p;
    p.at(1).li(1, 0xffffffffU).raw("spost", {{"imm", 7}, {"rs1", 1}}).post_to(8, 1);
    p.at(8).raw("sync").wait(1);
    poster(p);
    const Outcome o = expect_fault(kMesh, p, 1, Engine::kNet, Cause::kSemOverflow);
    EXPECT_EQ(o.fault.pc, 0U);
    EXPECT_EQ(o.fault.thread, 0);
    EXPECT_THAT(o.text(),
                HasSubstr("fault sem_overflow: tile 1,0 NET: semaphore s7 holds 4294967295 and gets 2 from tile 0,1 "));
  };
  overflow(
      [](ChipProgram& p) { p.at(8).raw("vsync").wait(2).raw("sync").post(2), p.at(8).raw("sync").post_to(1, 7, 2); });
  overflow([](ChipProgram& p) { p.at(8).raw("nsync").wait(2).post_to(1, 7, 2).raw("sync").post(2); });
  overflow([](ChipProgram& p) {
    p.at(8).raw("sync").post(2).engine("npost", {{"sem", 7}, {"count", 2}, {"tile", 1}}).wait(2);
  });
  overflow([](ChipProgram& p) {
    p.group(8, 0, bit(1), 1).wait(2);
    p.at(8).engine("nmc", {{"dst", 0}, {"src", 0}, {"len", 1}, {"sem", 7}, {"scnt", 2}}).raw("sync").post(2);
  });
}

TEST(NetFault, ReadsOfBytesThatNothingWroteNameTheTile) {
  ChipProgram p;
  p.at(0).engine("nld", {{"spad", 0}, {"hbm", 3}, {"len", 1}, {"tile", 9}, {"npc", 1}});
  expect_found(kMesh, p, FindingKind::kUninitialised,
               {"uninitialised: tile 0,0 NET nld", "reads tile 1,1 hbm0 0x60, which nothing wrote"});
}

// --- members that disagree, or do not come ---

/// Two tiles that each run one collective of group 0, mask {0, 9} and root 0 unless changed.
Outcome two(std::string_view op0, Fields f0, std::string_view op9, Fields f9, Cause cause,
            std::uint64_t mask9 = bit(0) | bit(9), std::uint32_t root9 = 0) {
  ChipProgram p;
  p.group(0, 0, bit(0) | bit(9), 0);
  p.at(0).engine(op0, f0);
  p.group(9, 0, mask9, root9);
  p.at(9).engine(op9, f9);
  return cause == Cause::kStuck ? expect_fault(kMesh, p, 0, Engine::kHost, cause)
                                : expect_fault(kMesh, p, 0, Engine::kNet, cause);
}

TEST(GroupMismatch, NamesBothAndWhatDiffers) {
  const Fields four{{"dst", 0x2000}, {"len", 4}};
  const auto differ = [&](const Outcome& o, std::string_view why) {
    EXPECT_THAT(o.text(), HasSubstr("fault group_mismatch: tile 0,0 NET n"));
    EXPECT_THAT(o.text(), HasSubstr("group 0 with tile 1,1 NET n"));
    EXPECT_THAT(o.text(), HasSubstr(why));
  };
  constexpr Cause kCause = Cause::kGroupMismatch;
  differ(two("nar", four, "nbar", {}, kCause), "different instructions");
  differ(two("nar", four, "nred", four, kCause), "different instructions");
  differ(two("nar", four, "nar", {{"dst", 0x2000}, {"len", 5}}, kCause), "len is 4, the other's 5");
  differ(two("nar", {{"dst", 0x2000}, {"len", 4}, {"max", 1}}, "nar", four, kCause), "max is 1, the other's 0");
  differ(two("nar", four, "nar", {{"dst", 0x2000}, {"len", 4}, {"bf16", 1}}, kCause), "bf16 is 0, the other's 1");
  differ(two("nag", four, "nag", {{"dst", 0x2020}, {"len", 4}}, kCause), "dst is 0x2000, the other's 0x2020");
  differ(two("na2a", four, "na2a", {{"dst", 0x2020}, {"len", 4}}, kCause), "dst is 0x2000, the other's 0x2020");
  differ(two("nar", four, "nar", four, kCause, bit(0) | bit(8) | bit(9)), "mask is 0x201, the other's 0x301");
  differ(two("nar", four, "nar", four, kCause, bit(0) | bit(9), 9), "root is 0, the other's 9");
}

TEST(GroupMismatch, DstAndSrcOfReductionsMayDiffer) {
  for (const std::string_view op : {"nar", "nred", "nrs"}) {
    ChipProgram p;
    for (const std::uint32_t t : {0U, 9U}) {
      p.group(t, 0, bit(0) | bit(9), 0);
      p.at(t).engine(op, {{"dst", 0x2000 + 32 * t}, {"src", 64 * t}, {"len", 2}});
    }
    expect_clean(kMesh, p);
  }
}

TEST(GroupMismatch, OfThreeTheSmallestTwoAreNamed) {
  ChipProgram p;
  for (const std::uint32_t t : {1U, 2U, 8U}) {
    p.group(t, 3, bit(1) | bit(2) | bit(8), 1);
    p.at(t).engine("nar", {{"dst", 0x2000}, {"len", t}, {"g", 3}});
  }
  const Outcome o = expect_fault(kMesh, p, 1, Engine::kNet, Cause::kGroupMismatch);
  EXPECT_THAT(o.text(), HasSubstr("tile 1,0 NET nar (pc 6, thread 0): group 3 with tile 2,0 NET nar (pc 6, thread 0): "
                                  "len is 1, the other's 2"));
}

TEST(Unmatched, AMemberThatDoesNotComeIsNamed) {
  ChipProgram p;
  p.group(0, 2, kMesh.mask(), 1);
  p.at(0).raw("nbar", {{"g", 2}});
  p.group(1, 2, kMesh.mask(), 1);
  p.at(1).raw("nbar", {{"g", 2}});
  p.group(2, 1, bit(2) | bit(10), 2);
  p.at(2).engine("nred", {{"dst", 0x2000}, {"len", 1}, {"g", 1}});
  p.at(8).raw("nsync").wait(4);
  const Outcome o = expect_fault(kMesh, p, 0, Engine::kHost, Cause::kStuck);
  EXPECT_EQ(
      o.text(),
      "fault stuck: tile 0,0 NET nbar (pc 4, thread 0) waits in group 2 for tile 2,0 (at NET nred (pc 6, thread 0) of "
      "group 1), tile 0,1 (has started none), tile 1,1 (done), tile 2,1 (done); "
      "tile 1,0 NET nbar (pc 4, thread 0) waits in group 2 for tile 2,0 (at NET nred (pc 6, thread 0) of group 1), "
      "tile 0,1 (has started none), tile 1,1 (done), tile 2,1 (done); "
      "tile 2,0 NET nred (pc 6, thread 0) waits in group 1 for tile 2,1 (done); "
      "tile 0,1 NET nsync (pc 0, thread 0) waits for s4 >= 1, holds 0");
  ASSERT_EQ(o.fault.waiters.size(), 4U);
  EXPECT_EQ(o.fault.waiters[0].members, (std::vector<std::uint8_t>{2, 8, 9, 10}));
  EXPECT_EQ(o.fault.waiters[2].at.tile, 2);
}

TEST(Unmatched, ARootThatIsNoMemberMustComeToo) {
  for (const std::string_view op : {"nbar", "nred", "nar", "nag", "na2a"}) {
    ChipProgram p;
    p.group(0, 0, bit(0), 1);
    if (op == "nbar")
      p.at(0).raw(op);
    else
      p.at(0).engine(op, {{"dst", 0x2000}, {"len", 1}});
    EXPECT_THAT(expect_fault(kMesh, p, 0, Engine::kHost, Cause::kStuck).text(), HasSubstr("for tile 1,0 (done)"));
  }
}

TEST(Unmatched, OneSetUnderTwoNumbersIsTwoCollectives) {
  ChipProgram p;
  for (const std::uint32_t t : {0U, 9U}) {
    p.group(t, t % 8, bit(0) | bit(9), 0);
    p.at(t).raw("nbar", {{"g", t % 8}});
  }
  const Outcome o = expect_fault(kMesh, p, 0, Engine::kHost, Cause::kStuck);
  EXPECT_THAT(o.text(), HasSubstr("waits in group 0 for tile 1,1 (at NET nbar (pc 4, thread 0) of group 1)"));
}

TEST(Unmatched, OneThatTheOtherDoesNotWaitForIsStuckNotAMismatch) {
  const Outcome o = two("nar", {{"dst", 0x2000}, {"len", 4}}, "nar", {{"dst", 0x2000}, {"len", 4}}, Cause::kStuck,
                        bit(9) | bit(10), 9);
  EXPECT_THAT(o.text(), HasSubstr("tile 0,0 NET nar (pc 6, thread 0) waits in group 0 for tile 1,1 (at NET nar (pc 6"));
  EXPECT_THAT(o.text(), HasSubstr("tile 1,1 NET nar (pc 6, thread 0) waits in group 0 for tile 2,1 (done)"));
}

}  // namespace
}  // namespace tepin::golden::testing
