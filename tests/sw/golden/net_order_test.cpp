// SPDX-License-Identifier: Apache-2.0
// What a collective orders between tiles, and what it does not (docs/net.md, 2).
#include "chip_fixture.h"

namespace tepin::golden::testing {
namespace {

constexpr Mesh kMesh{3, 2};

void expect_bytes(const ChipProgram& p, const std::vector<std::string>& names) {
  expect_found(kMesh, p, FindingKind::kRaceBytes, names);
}

/// Tile 0 writes to tile 9, both run the collective of {0, 9} root 0, tile 9 reads.
ChipProgram write_collective_read(std::string_view op, std::uint32_t writer, std::uint32_t reader) {
  ChipProgram p;
  nwr(p, writer, reader, 0x2800);
  for (const std::uint32_t t : {0U, 9U}) {
    p.group(t, 0, bit(0) | bit(9), 0);
    if (op == "nbar")
      p.at(t).raw(op).post(1);
    else
      p.at(t).engine(op, {{"dst", 0x2000}, {"src", 0}, {"len", 1}}).post(1);
  }
  p.at(reader).raw("lw", {{"rd", 1}, {"imm", 0x2800}}).wait(1);
  return p;
}

TEST(CollectiveOrder, ACollectiveOrdersStartsBeforeCompletionsThatReceive) {
  for (const std::string_view op : {"nbar", "nar", "nrs", "nag", "na2a"}) {
    expect_clean(kMesh, write_collective_read(op, 0, 9));
    expect_clean(kMesh, write_collective_read(op, 9, 0));
  }
  expect_clean(kMesh, write_collective_read("nred", 9, 0));
  expect_bytes(write_collective_read("nred", 0, 9), {"tile 1,1 SEQ lw", "tile 0,0 NET nwr"});
}

TEST(CollectiveOrder, ARootThatIsNoMemberGivesItsStartAndReceivesOfBarriersAndReductionsOnly) {
  for (const std::string_view op : {"nbar", "nred", "nar", "nag", "na2a"}) {
    for (const bool from_root : {false, true}) {
      const std::uint32_t writer = from_root ? 1U : 9U, reader = from_root ? 9U : 1U;
      ChipProgram p;
      nwr(p, writer, reader, 0x2800);
      for (const std::uint32_t t : {1U, 9U}) {
        p.group(t, 0, bit(9), 1);
        if (op == "nbar")
          p.at(t).raw(op).post(1);
        else
          p.at(t).engine(op, {{"dst", 0x2000}, {"src", 0}, {"len", 1}}).post(1);
      }
      p.at(reader).raw("lw", {{"rd", 1}, {"imm", 0x2800}}).wait(1);
      const bool receives = from_root ? op != "nred" : op == "nbar" || op == "nred";
      if (receives)
        expect_clean(kMesh, p);
      else
        expect_bytes(p, {"SEQ lw", "NET nwr"});
    }
  }
}

TEST(CollectiveOrder, ACollectiveDoesNotOrderCompletionsAmongEachOther) {
  for (const std::string_view op : {"nar", "nrs", "nag", "na2a"}) {
    for (const bool barrier : {false, true}) {
      for (const std::uint32_t place : {0U, 0x2000U}) {  // what the collective reads, or writes, at tile 9
        ChipProgram p;
        for (const std::uint32_t t : {0U, 9U}) {
          p.group(t, 0, bit(0) | bit(9), 0);
          p.at(t).engine(op, {{"dst", 0x2000}, {"src", 0}, {"len", 1}});
          if (barrier) p.at(t).raw("nbar");
        }
        nwr(p, 0, 9, place, 0x1000);
        if (barrier)
          expect_clean(kMesh, p);
        else
          expect_bytes(p, {"tile 0,0 NET nwr", "tile 1,1 NET " + std::string(op), "tile 1,1 spad 0x"});
      }
    }
  }
}

TEST(CollectiveOrder, OperandsMustBeReadyWhereTheyAreWhenTheirTileStarts) {
  for (const std::string_view op : {"nred", "nar", "nrs", "nag", "na2a"}) {
    for (const bool ordered : {false, true}) {
      ChipProgram p;  // tile 9 starts after the write at tile 0, but tile 0 itself may start before
      for (const std::uint32_t t : {0U, 9U}) {
        p.group(t, 0, bit(0) | bit(9), 0);
        p.at(t).engine(op, {{"dst", 0x2000}, {"src", 0}, {"len", 1}});
        if (t == 9) p.at(t).wait(1);
        if (t == 0 && ordered) p.at(t).wait(2);
      }
      p.at(0).halt().thread(1).raw("sw", {{"imm", 0}}).raw("sync").post(2).post_to(9, 1);
      if (ordered)
        expect_clean(kMesh, p);
      else
        expect_bytes(p, {"tile 0,0 SEQ sw", "tile 0,0 NET " + std::string(op), "tile 0,0 spad 0x0"});
    }
  }
}

TEST(CollectiveOrder, AFarWriteAfterAStartRacesWithTheResult) {
  for (const bool ordered : {false, true}) {
    ChipProgram p;
    for (const std::uint32_t t : {0U, 9U}) {
      p.group(t, 0, bit(0) | bit(9), 0);
      p.at(t).engine("nar", {{"dst", 0x2000}, {"src", 0}, {"len", 1}});
      if (t == 9 && ordered) p.at(t).wait(3);
    }
    nwr(p, 10, 9, 0x2000);
    if (ordered) p.at(10).post_to(9, 3);
    if (ordered)
      expect_clean(kMesh, p);
    else
      expect_bytes(p, {"tile 2,1 NET nwr", "tile 1,1 NET nar", "tile 1,1 spad 0x2000"});
  }
}

}  // namespace
}  // namespace tepin::golden::testing
