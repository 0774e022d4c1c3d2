// SPDX-License-Identifier: Apache-2.0
// Two collectives of one group number with different sets or roots whose trees meet (docs/net.md, 2).
#include "chip_fixture.h"

namespace tepin::golden::testing {
namespace {

constexpr Mesh kMesh{4, 2};

void part(ChipProgram& p, std::uint32_t tile, std::uint32_t g, std::uint64_t mask, std::uint32_t root,
          std::string_view op = "nbar") {
  p.group(tile, g, mask, root);
  if (op == "nbar")
    p.at(tile).raw(op, {{"g", g}});
  else
    p.at(tile).engine(op, {{"dst", 0x2000}, {"src", 0}, {"len", 1}, {"g", g}});
}
void expect_race(const ChipProgram& p, const std::vector<std::string>& names = {}) {
  expect_found(kMesh, p, FindingKind::kRaceGroup, names);
}

TEST(RaceGroup, TreesThatMeetUnderOneNumber) {
  for (const std::uint32_t g : {0U, 1U}) {  // {0, 1} with the same number, or another
    ChipProgram p;
    for (const std::uint32_t t : {0U, 1U}) part(p, t, 0, bit(0) | bit(1), 0);
    for (const std::uint32_t t : {1U, 2U}) part(p, t, g, bit(1) | bit(2), 1);
    if (g == 1)
      expect_clean(kMesh, p);
    else
      expect_race(p, {"tile 2,0 NET nbar (pc 4, thread 0)", "tile 0,0 NET nbar (pc 4, thread 0)", "group number 0",
                      "the router of tile 1,0"});
  }
}

TEST(RaceGroup, ATreeThatOnlyPassesThroughCounts) {
  for (const std::uint32_t other : {1U, 8U}) {  // on the way from 2 to 0, or beside it
    ChipProgram p;
    for (const std::uint32_t t : {0U, 2U}) part(p, t, 3, bit(0) | bit(2), 0);
    part(p, other, 3, bit(other), other);
    if (other == 8)
      expect_clean(kMesh, p);
    else
      expect_race(p, {"the router of tile 1,0"});
  }
}

TEST(RaceGroup, TheWayLeadsAlongTheRowFirst) {
  for (const std::uint32_t other : {1U, 8U}) {  // from (1,1) to (0,0) over (0,1)
    ChipProgram p;
    for (const std::uint32_t t : {0U, 9U}) part(p, t, 3, bit(0) | bit(9), 0);
    part(p, other, 3, bit(other), other);
    if (other == 1)
      expect_clean(kMesh, p);
    else
      expect_race(p, {"the router of tile 0,1"});
  }
}

TEST(RaceGroup, RowsDoNotMeetSoOneNumberServesAll) {
  ChipProgram p;
  for (const std::uint32_t row : {0U, 8U}) {
    for (std::uint32_t x = 0; x < 4; ++x) part(p, row + x, 0, std::uint64_t{15} << row, row + 1, "nar");
  }
  expect_clean(kMesh, p);
}

TEST(RaceGroup, ACompletionThatReceivedOrders) {
  for (const std::string_view op : {"nbar", "nar", "nred"}) {
    for (const std::uint32_t poster : {0U, 1U}) {  // the root, the other member
      ChipProgram p;
      for (const std::uint32_t t : {0U, 1U}) {
        part(p, t, 0, bit(0) | bit(1), 0, op);
        if (t == poster) p.at(t).post_to(2, 9);
      }
      p.group(2, 0, bit(1) | bit(2), 1);
      p.at(2).raw("nbar").wait(9);
      part(p, 1, 0, bit(1) | bit(2), 1);
      if (op == "nred" && poster == 1)
        expect_race(p);
      else
        expect_clean(kMesh, p);
    }
  }
}

TEST(RaceGroup, OfReduceScatterAllCompletionsAreNeeded) {
  for (const bool both : {false, true}) {
    ChipProgram p;
    for (const std::uint32_t t : {0U, 1U}) {
      part(p, t, 0, bit(0) | bit(1), 0, "nrs");
      if (both || t == 1) p.at(t).post_to(2, 9);
    }
    p.group(2, 0, bit(1) | bit(2), 1);
    p.at(2).raw("nbar").wait(9, both ? 2 : 1);
    part(p, 1, 0, bit(1) | bit(2), 1);
    if (both)
      expect_clean(kMesh, p);
    else
      expect_race(p);
  }
}

TEST(RaceGroup, MembersOfTheEarlierOneAreInOrderByThemselves) {
  ChipProgram p;  // other roots, then fewer members, then other kinds: all had their part before
  const std::uint64_t all = 0xf0f;
  for (std::uint32_t t = 0; t < 12; ++t) {
    if ((all >> t & 1U) == 0) continue;
    part(p, t, 0, all, 0, "nred");
    part(p, t, 0, all, 11, "nred");
    part(p, t, 0, all, 2, "nrs");
    part(p, t, 0, all, 2, "nag");
    if (t != 3) part(p, t, 0, all & ~bit(3), 9, "na2a");
  }
  expect_clean(kMesh, p);
}

TEST(RaceGroup, MoreMembersNeedAnOrder) {
  for (const bool ordered : {false, true}) {
    ChipProgram p;
    for (const std::uint32_t t : {0U, 8U}) part(p, t, 0, bit(0) | bit(8), 0);
    if (ordered) p.at(8).post_to(9, 9);
    for (const std::uint32_t t : {0U, 8U, 9U}) {
      p.group(t, 0, bit(0) | bit(8) | bit(9), 0);
      p.at(t).raw("nbar");
      if (ordered && t == 9) p.at(t).wait(9);
    }
    if (ordered)
      expect_clean(kMesh, p);
    else
      expect_race(p, {"tile 1,1 NET nbar"});
  }
}

}  // namespace
}  // namespace tepin::golden::testing
