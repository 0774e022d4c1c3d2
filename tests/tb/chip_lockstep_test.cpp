// SPDX-License-Identifier: Apache-2.0
// The comparison of NET with the golden model: a correct run passes, and every kind of disagreement is found and named.
// Here the golden log is altered, for the RTL cannot be told to be wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "support.h"
#include "sw/isa/tepin_window.h"
#include "tb/chip_sim.h"
#include "tests/sw/golden/chip_fixture.h"

namespace tepin::tb::testing {
namespace {

using golden::testing::ChipProgram;
using golden::testing::Mesh;
using ::testing::HasSubstr;

constexpr Mesh kMesh{2, 1};
constexpr std::size_t kNet = golden::agent_of(isa::Engine::kNet);
constexpr std::uint32_t kLen = 3;

/// Tile 0 does every one-sided instruction to tile 1, then both do each collective.
struct Fixture {
  Fixture() : sim(kMesh.x, kMesh.y, {.checked = true}) {
    for (const std::uint32_t t : kMesh.tiles()) p.group(t, 0, kMesh.mask(), 1);
    auto& b = p.at(0);
    b.engine("nwr", {{"dst", 0x2000}, {"src", 0}, {"len", kLen}, {"tile", 1}});
    b.engine("npost", {{"sem", 5}, {"count", 7}, {"tile", 1}});
    b.engine("nst", {{"spad", 0}, {"hbm", 64}, {"len", kLen}, {"tile", 1}, {"npc", 1}});
    b.engine("nld", {{"spad", 0x2000}, {"hbm", 0}, {"len", kLen}, {"tile", 1}, {"npc", 1}});
    b.engine("nmc", {{"dst", 0x2100}, {"src", 0x20}, {"len", kLen}, {"g", 0}});
    std::uint32_t dst = 0x3000;
    for (const std::string_view op : {"nred", "nar", "nrs", "nag", "na2a"}) {
      for (const std::uint32_t t : kMesh.tiles())
        p.at(t).engine(op, {{"dst", dst}, {"src", 0x100}, {"len", kLen}, {"g", 0}});
      dst += 0x100;
    }
    golden::Chip chip(kTileConfig, kMesh.x, kMesh.y, {.log = true});
    for (const std::uint32_t t : kMesh.tiles()) {
      chip.load_spad(t, 0, random_floats(256, t));
      chip.load_hbm(t, 0, 0, random_bytes(1024, 10 + t));
    }
    const golden::Outcome o = chip.run(p.program());
    if (o.status != golden::Status::kDone) throw std::logic_error(o.text());
    for (const std::uint32_t t : kMesh.tiles()) {
      logs.push_back(chip.log(t));
      incoming.push_back(chip.incoming(t));
    }
  }

  /// Runs against the logs as they are now; the text of the divergence, or empty.
  std::string run() {
    const isa::Program program = p.program();
    for (const std::uint32_t t : kMesh.tiles()) {
      TileSim& tile = sim.tile(t, 0);
      tile.soft_reset();
      tile.load(program.sections[t]);
      tile.window_write(isa::kWinSpad, random_floats(256, t));
      tile.store(0, 0, random_bytes(1024, 10 + t));
    }
    std::vector<ChipLockstep::TileLog> tiles;
    for (const std::uint32_t t : kMesh.tiles()) tiles.push_back({t, 0, logs[t], incoming[t]});
    ChipLockstep lockstep(tiles);
    const ChipResult r = sim.run(50000, {}, &lockstep);
    EXPECT_EQ(r.stop, lockstep.divergence() != nullptr ? Stop::kDivergence : Stop::kDone) << r.fault.text();
    return lockstep.divergence() != nullptr ? lockstep.divergence()->text() : "";
  }

  ChipProgram p;
  ChipSim sim;
  std::deque<golden::Log> logs;  // by tile
  std::deque<golden::Incoming> incoming;
};

golden::LogEntry& entry_of(golden::AgentLog& log, isa::Op op) {
  for (auto& e : log.entries) {
    if (e.op == op) return e;
  }
  throw std::logic_error("no entry of that instruction");
}
/// Changes the last byte that an instruction writes.
void spoil(golden::AgentLog& log, isa::Op op) {
  const golden::LogEntry& e = entry_of(log, op);
  const golden::LogWrite& w = log.writes.at(e.first_write + e.writes - 1);
  log.bytes.at(w.offset + w.length - 1) ^= 1;
}

TEST(ChipLockstepTest, ACorrectRunHasNoDivergence) {
  Fixture f;
  EXPECT_EQ(f.run(), "");
}

TEST(ChipLockstepTest, FindsAWrongByteOfEachInstructionThatWritesAtHome) {
  Fixture f;
  const auto clean = f.logs;
  struct Case {
    isa::Op op;
    std::uint32_t tile;
    std::string text;
  };
  for (const Case& c : {Case{isa::Op::kNld, 0, "tile 0,0 NET pc 22 (nld): spad 0x205f"},
                        Case{isa::Op::kNred, 1, "tile 1,0 NET"}, Case{isa::Op::kNar, 0, "tile 0,0 NET"},
                        Case{isa::Op::kNar, 1, "(nar): spad 0x315f"}, Case{isa::Op::kNrs, 0, "(nrs): spad 0x325f"},
                        Case{isa::Op::kNag, 1, "(nag): spad 0x33bf"}, Case{isa::Op::kNa2a, 0, "(na2a): spad 0x34bf"}}) {
    f.logs = clean;
    spoil(f.logs[c.tile][kNet], c.op);
    EXPECT_THAT(f.run(), HasSubstr(c.text));
    f.sim.reset();  // stopped in the middle
  }
}

TEST(ChipLockstepTest, FindsAWrongByteOfEachInstructionThatWritesElsewhere) {
  Fixture f;
  const auto clean = f.incoming;
  for (const auto& [op, tile, text] :
       {std::tuple{isa::Op::kNwr, 1U, "tile 1,0 NET of tile 0,0 pc 8 (nwr): spad 0x205f"},
        std::tuple{isa::Op::kNst, 1U, "tile 1,0 NET of tile 0,0 pc 17 (nst): hbm0 0x85f"},
        std::tuple{isa::Op::kNmc, 1U, "tile 1,0 NET of tile 0,0"},
        std::tuple{isa::Op::kNmc, 0U, "(nmc): spad 0x215f"}}) {
    f.incoming = clean;
    spoil(f.incoming[tile].at(0), op);
    EXPECT_THAT(f.run(), HasSubstr(text));
    f.sim.reset();
  }
}

TEST(ChipLockstepTest, FindsWritesOfATileThatShouldNotWriteHere) {
  Fixture f;
  f.incoming[1].clear();
  EXPECT_THAT(f.run(), HasSubstr("tile 1,0 NET of tile 0,0 pc 0 (beyond the last): spad 0x2000: expected no write"));
}

TEST(ChipLockstepTest, FindsAnInstructionThatEndsBeforeItHasWrittenAll) {
  Fixture f;
  golden::AgentLog& log = f.incoming[1].at(0);
  golden::LogWrite more = log.writes.at(entry_of(log, isa::Op::kNst).first_write);
  more.address += 4096;
  log.writes.push_back(more);
  golden::LogEntry& e = log.entries.back();  // the multicast, whose writes are the last
  ASSERT_EQ(e.op, isa::Op::kNmc);
  ++e.writes;
  EXPECT_THAT(f.run(), HasSubstr("(nmc): bytes written when it ended: expected 192, actual 96"));
}

TEST(ChipLockstepTest, FindsAWrongPcAndAMissingInstruction) {
  Fixture f;
  const auto clean = f.logs;
  entry_of(f.logs[0][kNet], isa::Op::kNpost).pc = 77;
  EXPECT_THAT(f.run(), HasSubstr("expected pc 77 npost of thread 0"));
  f.sim.reset();
  f.logs = clean;
  golden::AgentLog& log = f.logs[1][kNet];
  golden::LogEntry more = log.entries.back();
  more.writes = 0;
  log.entries.push_back(more);
  EXPECT_THAT(f.run(), HasSubstr("tile 1,0 NET pc"));
}

}  // namespace
}  // namespace tepin::tb::testing
