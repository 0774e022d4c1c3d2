// SPDX-License-Identifier: Apache-2.0
// NET's one-sided instructions, posts to other tiles, and what a chip is.
#include "chip_fixture.h"

namespace tepin::golden::testing {
namespace {

using ::testing::HasSubstr;
constexpr std::array<Mesh, 4> kMeshes{{{1, 1}, {2, 2}, {3, 2}, {8, 8}}};

void run_done(Chip& c, const ChipProgram& p) {
  const Outcome o = c.run(p.program());
  ASSERT_EQ(o.status, Status::kDone) << o.text();
}

TEST(Chip, TidGivesTheOwnTileAndTheLastOfTheMesh) {
  for (const Mesh mesh : kMeshes) {
    isa::Program p;
    Builder b;
    b.thread(0).raw("tid", {{"rd", 3}}).halt();
    p.sections.push_back(b.section());  // for every tile
    Chip c(small_tile(), mesh.x, mesh.y);
    ASSERT_EQ(c.run(p).status, Status::kDone);
    for (const std::uint32_t t : mesh.tiles()) EXPECT_EQ(c.regs(t, 0)[3], (8 * (mesh.y - 1) + mesh.x - 1) << 8 | t);
  }
}

TEST(Chip, ATileRunsItsOwnSectionElseTheOneForEveryTileElseNone) {
  Builder every, own;
  every.thread(0).li(1, 5).halt();
  own.thread(2).li(1, 7).halt();
  isa::Program p;
  p.sections = {own.section()};
  p.sections[0].x = 1;
  p.sections[0].y = 0;
  Chip c(small_tile(), 2, 2);
  EXPECT_EQ(c.run(p).instructions, 2U);
  EXPECT_EQ(c.regs(1, 2)[1], 7U);
  EXPECT_EQ(c.regs(0, 0)[1], 0U);
  p.sections.push_back(every.section());
  EXPECT_EQ(c.run(p).instructions, 8U);
  EXPECT_EQ(c.regs(1, 2)[1], 7U);
  EXPECT_EQ(c.regs(1, 0)[1], 0U);
  for (const std::uint32_t t : {0U, 8U, 9U}) EXPECT_EQ(c.regs(t, 0)[1], 5U);
}

std::string refused(Chip& c, const isa::Program& p) {
  try {
    (void)c.run(p);
  } catch (const isa::InputError& e) {
    return e.what();
  }
  return "run";
}

TEST(Chip, RefusesSectionsThatDoNotFit) {
  Builder b;
  b.thread(0).halt();
  isa::Program p;
  p.sections = {b.section(), b.section()};
  Chip c(small_tile(), 2, 1);
  EXPECT_EQ(refused(c, p), "program: a second section for every tile; expected one a tile");
  p.sections[0].x = p.sections[1].x = 1;
  p.sections[0].y = p.sections[1].y = 0;
  EXPECT_EQ(refused(c, p), "program: a second section for tile 1,0; expected one a tile");
  p.sections[1].y = 1;
  EXPECT_EQ(refused(c, p), "program: has a section for tile 1,1, the mesh is 2x1; allowed: 0,0..1,0 or every tile");
  p.sections.pop_back();
  p.sections[0].code.resize(4097);
  EXPECT_EQ(refused(c, p), "program: 4097 instructions; allowed on nano: up to 4096");
  EXPECT_THROW(Chip(small_tile(), 9, 1), isa::InputError);
  EXPECT_THROW(Chip(small_tile(), 1, 0), isa::InputError);
  EXPECT_THROW(c.load_spad(2, 0, {}), isa::InputError);
  EXPECT_THROW(c.load_spad(0, 16384, Bytes(1)), isa::InputError);
}

TEST(Net, WritesReachEveryTileFromEveryTile) {
  for (const Mesh mesh : {Mesh{1, 1}, Mesh{2, 2}, Mesh{3, 2}}) {
    const auto tiles = mesh.tiles();
    ChipProgram p;  // tile of rank i writes two words to place i of each tile
    for (std::uint32_t i = 0; i < tiles.size(); ++i) {
      for (const std::uint32_t to : tiles)
        p.at(tiles[i]).engine("nwr", {{"dst", 0x2000 + 64 * i}, {"src", 32 * to}, {"len", 2}, {"tile", to}});
    }
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      Chip c = loaded_chip(mesh, seed, 0x1000);
      run_done(c, p);
      for (std::uint32_t i = 0; i < tiles.size(); ++i) {
        for (const std::uint32_t to : tiles)
          EXPECT_EQ(spad(c, to, 0x2000 + 64 * i, 64), spad(c, tiles[i], 32 * to, 64)) << tiles[i] << " to " << to;
      }
    }
  }
}

TEST(Net, ACornerOfTheLargestMeshReachesTheOther) {
  ChipProgram p;
  p.at(63).engine("nwr", {{"dst", 0x2000}, {"src", 0x40}, {"len", 65}, {"tile", 0}}).post_to(0, 9, 200);
  p.at(0).raw("sync").wait(9, 199).raw("lw", {{"rd", 5}, {"imm", 0x2000}});
  Chip c = loaded_chip({8, 8});
  run_done(c, p);
  EXPECT_EQ(spad(c, 0, 0x2000, 65 * 32), spad(c, 63, 0x40, 65 * 32));
  EXPECT_EQ(c.sems(0)[9], 1U);
  EXPECT_EQ(c.sems(63)[9], 0U);
}

TEST(Net, PostsAddToASemaphoreOfAnyTile) {
  for (const Mesh mesh : kMeshes) {
    const std::uint32_t last = mesh.tiles().back();
    ChipProgram p;
    p.at(0).engine("npost", {{"sem", 63}, {"count", 0x10000}, {"tile", last}}).wait(1).post(2, 3).post_to(last, 2, 7);
    p.at(0).raw("sync").post(1);
    Chip c = loaded_chip(mesh);
    run_done(c, p);
    EXPECT_EQ(c.sems(last)[63], 0x10000U);
    EXPECT_EQ(c.sems(last)[2], last == 0 ? 10U : 7U);
    EXPECT_EQ(c.sems(0)[2], last == 0 ? 10U : 3U);
    EXPECT_EQ(c.sems(0)[1], 0U);
  }
}

TEST(Net, EveryEngineAndThreadPostsToOtherTiles) {
  ChipProgram p;
  std::uint32_t sem = 10;
  for (const std::string_view op : {"sync", "ldsync", "stsync", "mxusync", "vsync", "nsync", "li", "nbar"}) {
    if (op == "nbar") p.group(9, 0, bit(9), 9);
    p.at(9).raw(op).post(sem).post_to(8, sem, 5);
    ++sem;
  }
  Chip c = loaded_chip({2, 2});
  run_done(c, p);
  for (std::uint32_t s = 10; s < sem; ++s) {
    EXPECT_EQ(c.sems(8)[s], 5U) << s;
    EXPECT_EQ(c.sems(9)[s], 1U) << s;
  }
}

TEST(Net, LoadsAndStoresReachTheMemoryOfAnyTile) {
  for (const Mesh mesh : kMeshes) {
    const std::uint32_t last = mesh.tiles().back();
    Chip c = loaded_chip(mesh, 0, 0x1000);
    const Bytes channel0 = random_bytes(4096, 1), channel1 = random_bytes(4096, 2);
    c.load_hbm(last, 0, 0, channel0);
    c.load_hbm(last, 1, 0, channel1);
    ChipProgram p;
    // three runs of 10 beats on two channels, 16 beats apart there and 11 words here
    p.at(0).engine("nld", {{"spad", 0x2000},
                           {"hbm", 8},
                           {"len", 10},
                           {"cnt", 2},
                           {"sstep", 352},
                           {"hstep", 16},
                           {"tile", last},
                           {"npc", 2}});
    p.at(0).engine("nst", {{"spad", 0x40},
                           {"hbm", 1U << 26 | 1000},
                           {"len", 3},
                           {"cnt", 1},
                           {"sstep", 96},
                           {"hstep", 5},
                           {"tile", last},
                           {"npc", 1}});
    run_done(c, p);
    for (std::size_t run = 0; run < 3; ++run) {
      Bytes expected;  // beats 0..7 of the run from channel 0, beats 8 and 9 from channel 1
      const auto from = [&](const Bytes& b, std::size_t beat, std::size_t beats) {
        expected.insert(expected.end(), b.begin() + static_cast<std::ptrdiff_t>(32 * beat),
                        b.begin() + static_cast<std::ptrdiff_t>(32 * (beat + beats)));
      };
      from(channel0, 8 + 16 * run, 8);
      from(channel1, 8 + 16 * run, 2);
      EXPECT_EQ(spad(c, 0, 0x2000 + 352 * run, 320), expected) << run;
    }
    Bytes stored(96);
    c.hbm(last, 1).load(1000 * 32, stored);
    EXPECT_EQ(stored, spad(c, 0, 0x40, 96));
    c.hbm(last, 1).load(1005 * 32, stored);
    EXPECT_EQ(stored, spad(c, 0, 0xa0, 96));
  }
}

TEST(Net, MulticastWritesAndPostsAtEveryMember) {
  for (const Mesh mesh : kMeshes) {
    for (const bool sender_in : {true, false}) {
      std::uint64_t mask = 0;
      for (const std::uint32_t t : mesh.tiles()) {
        if (t % 3 == 0 || t == mesh.tiles().back()) mask |= bit(t);
      }
      if (!sender_in && mesh.x > 1) mask &= ~bit(0);
      ChipProgram p;
      p.group(0, 2, mask, mesh.tiles().back());
      p.at(0).engine("nmc", {{"dst", 0x2000}, {"src", 0x20}, {"len", 3}, {"g", 2}, {"sem", 33}, {"scnt", 4}}).post(34);
      p.at(0).engine("nmc", {{"dst", 0x3000}, {"src", 0x20}, {"len", 1}, {"g", 2}});
      Chip c = loaded_chip(mesh, 0, 0x1000);
      run_done(c, p);
      for (const std::uint32_t t : mesh.tiles()) {
        const bool member = (mask & bit(t)) != 0;
        EXPECT_EQ(spad(c, t, 0x2000, 96), member ? spad(c, 0, 0x20, 96) : Bytes(96)) << t;
        EXPECT_EQ(spad(c, t, 0x3000, 32), member ? spad(c, 0, 0x20, 32) : Bytes(32)) << t;
        EXPECT_EQ(c.sems(t)[33], member ? 4U : 0U) << t;
        EXPECT_EQ(c.sems(t)[34], t == 0 ? 1U : 0U) << t;
      }
    }
  }
}

TEST(Net, InstructionsRunInOrderAndAFreshRunForgetsGroups) {
  ChipProgram p;
  p.at(0).raw("nsync").wait(1);
  p.at(0).engine("nwr", {{"dst", 0x2000}, {"src", 0}, {"len", 1}, {"tile", 1}}).post_to(1, 5);
  p.at(1).raw("sync").post_to(0, 1).raw("sync").wait(5).raw("lw", {{"rd", 7}, {"imm", 0x2000}});
  p.group(0, 1, bit(0), 0);
  expect_clean({2, 1}, p);
  Chip c = loaded_chip({2, 1});
  run_done(c, p);
  ChipProgram q;
  q.at(0).raw("nbar", {{"g", 1}});
  EXPECT_THAT(c.run(q.program()).text(), HasSubstr("group 1 was never written"));
}

TEST(NetLog, OneSidedInstructionsStandAtTheReceiverBySource) {
  Chip c = loaded_chip({2, 2}, 0, 0x1000, {.log = true});
  ChipProgram p;
  p.group(9, 0, bit(0) | bit(9), 0);
  p.at(9).engine("nwr", {{"dst", 0x2000}, {"src", 0}, {"len", 2}, {"tile", 0}});
  p.at(9).engine("npost", {{"sem", 7}, {"count", 300}, {"tile", 0}});
  p.at(9).engine("nmc", {{"dst", 0x2100}, {"src", 32}, {"len", 1}, {"g", 0}, {"sem", 8}, {"scnt", 2}});
  p.at(9).engine("nst", {{"spad", 0}, {"hbm", 4}, {"len", 1}, {"tile", 0}, {"npc", 1}}).post(1);
  p.at(9).engine("nld", {{"spad", 0x2200}, {"hbm", 4}, {"len", 1}, {"tile", 0}, {"npc", 1}});
  p.at(1).engine("nwr", {{"dst", 0x2400}, {"src", 0}, {"len", 1}, {"tile", 0}});
  run_done(c, p);
  const Incoming& in = c.incoming(0);
  ASSERT_EQ(in.size(), 2U);
  const AgentLog& a = in.at(9);
  ASSERT_EQ(a.entries.size(), 4U);
  EXPECT_EQ(a.entries[0].op, isa::Op::kNwr);
  ASSERT_EQ(a.entries[0].writes, 1U);
  EXPECT_EQ(a.writes_of(a.entries[0])[0].address, 0x2000U);
  const auto bytes = a.bytes_of(a.writes_of(a.entries[0])[0]);
  EXPECT_EQ(Bytes(bytes.begin(), bytes.end()), spad(c, 9, 0, 64));
  EXPECT_EQ(a.entries[1].op, isa::Op::kNpost);
  EXPECT_EQ(a.entries[1].rd, 7);
  EXPECT_EQ(a.entries[1].value, 300U);
  EXPECT_EQ(a.entries[1].writes, 0U);
  EXPECT_EQ(a.entries[2].rd, 8);
  EXPECT_EQ(a.entries[2].value, 2U);
  EXPECT_EQ(a.writes_of(a.entries[2])[0].address, 0x2100U);
  EXPECT_EQ(a.writes_of(a.entries[3])[0].space, Space::kHbm);
  EXPECT_EQ(a.writes_of(a.entries[3])[0].address, 128U);
  EXPECT_EQ(in.at(1).entries.size(), 1U);
  EXPECT_EQ(c.incoming(9).at(9).entries.size(), 1U) << "nmc to itself";
  const AgentLog& own = c.log(9)[static_cast<std::size_t>(agent_of(isa::Engine::kNet))];
  ASSERT_EQ(own.entries.size(), 6U);
  EXPECT_EQ(a.entries[0].pc, own.entries[1].pc);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(own.entries[i].writes, 0U) << i;
  EXPECT_EQ(own.writes_of(own.entries[5])[0].address, 0x2200U);
}

}  // namespace
}  // namespace tepin::golden::testing
