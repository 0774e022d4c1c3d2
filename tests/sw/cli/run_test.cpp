// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "sw/support/npy.h"
#include "tests/sw/cli/program.h"

namespace tepin::cli::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class RunTest : public ProgramTest {
 protected:
  RunTest() {
    // 64 values at 0x100 doubled, then to pseudo-channel 1 at byte 0x400.
    text("double.s", R"(
      li r1, 0x100
      li r2, 64
      vadd dst=r1, src=r1, n=r2, src2=r1 post s0
      li r3, 0x04000020
      li r4, 8
      st spad=r1, hbm=r3, len=r4, npc=1 wait s0
      halt
    )");
    std::vector<float> x(64);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) - 20.5F;
    floats("x.npy", x, {64});
  }
};

TEST_F(RunTest, LoadsRunsAndDumpsOnEachTarget) {
  for (const std::string how : {"", "--check", "--check --no-lockstep", "--target golden"}) {
    const Result r = tepin(
        "run double.s --load spad:0x100=x.npy --dump 0,0:hbm1:0x400:256=y.npy --dump spad:256:256=y.bin --json " + how);
    ASSERT_EQ(r.code, 0) << how << r.err;
    EXPECT_EQ(r.json()["mismatches"], 0);
    EXPECT_TRUE(r.json()["fault"].is_null());
    EXPECT_EQ(r.json()["instructions"], 7) << how;
    const std::vector<std::uint8_t> bytes = support::read_npy(path("y.npy")).values<std::uint8_t>();
    for (std::size_t i = 0; i < 64; ++i) {
      float y = 0;
      std::memcpy(&y, &bytes[i * 4], 4);
      EXPECT_EQ(y, 2 * (static_cast<float>(i) - 20.5F));
    }
    EXPECT_EQ(read("y.bin"), std::string(bytes.begin(), bytes.end()));
    if (how.starts_with("--check")) {
      EXPECT_GT(r.json()["checked_values"], 500);
    }
  }
}

TEST_F(RunTest, CountersOfEachUnitAddUpToTheCycles) {
  const json j = tepin("run double.s --load spad:0x100=x.npy --json").json();
  const std::uint64_t cycles = j["cycles"];
  ASSERT_EQ(j["engines"].size(), 9U);
  for (const auto& [unit, causes] : j["engines"].items()) {
    std::uint64_t sum = 0;
    for (const auto& [cause, n] : causes.items()) sum += n.get<std::uint64_t>();
    EXPECT_EQ(sum, cycles) << unit;
  }
  EXPECT_GT(j["engines"]["VPU"]["busy"], 0);
  EXPECT_GT(j["engines"]["ST"]["busy"], 0);
}

TEST_F(RunTest, ProgramFileRunsLikeItsSource) {
  ASSERT_EQ(tepin("asm double.s -o double.tpn").code, 0);
  ASSERT_EQ(tepin("run double.tpn --check --load spad:0x100=x.npy --dump spad:0x100:256=a").code, 0);
  ASSERT_EQ(tepin("run double.s --load spad:0x100=x.npy --dump spad:0x100:256=b").code, 0);
  EXPECT_EQ(read("a"), read("b"));
}

TEST_F(RunTest, DisassemblyAssemblesToTheSameFile) {
  const json a = tepin("asm $source/sw/kernels/copy.s -o a.tpn --json").json();
  EXPECT_GT(a["instructions"], 20);
  EXPECT_EQ(a["bytes"], read("a.tpn").size());
  const json d = tepin("disasm a.tpn -o b.s --json").json();
  EXPECT_EQ(d["instructions"], a["instructions"]);
  ASSERT_EQ(tepin("asm b.s -o b.tpn").code, 0);
  EXPECT_EQ(read("a.tpn"), read("b.tpn"));
  EXPECT_EQ(tepin("disasm a.tpn").out, read("b.s"));
}

// Every tile sends its own number to the next one in a ring, then all of them add what they got.
constexpr std::string_view kRing = R"(
  tid   r1
  andi  r1, r1, 63
  li    r2, 8
  vfill dst=r0, n=r2, s=r1 post s0
  lw    r3, 0x40(r0)
  li    r4, 0x100
  li    r5, 1
  nwr   dst=r4, src=r0, len=r5, tile=r3 wait s0 post s1
  lw    r6, 0x44(r0)
  lw    r7, 0x48(r0)
  ngroup lo=r6, hi=r7, root=r0, g=0
  nbar  g=0
  li    r8, 0x200
  nar   dst=r8, src=r4, len=r5, g=0 post s2
  li    r9, 0x04000000
  st    spad=r8, hbm=r9, len=r5, npc=1 wait s2
  sync  wait s1
  halt
)";

TEST_F(RunTest, AChipRunsOnEachTargetWithAnyThreads) {
  text("ring.s", std::string(kRing));
  // Tiles 0, 1, 8, 9: the next one and the mask, in words of 32 bits.
  const std::array<std::uint32_t, 4> numbers{0, 1, 8, 9};
  std::string loads, dumps;
  for (std::size_t t = 0; t < 4; ++t) {
    const std::string tile = fmt::format("{},{}", t % 2, t / 2);
    std::vector<std::uint8_t> p(12);
    p[0] = static_cast<std::uint8_t>(numbers[(t + 1) % 4]);
    p[4] = p[5] = 3;
    bytes("p" + std::to_string(t) + ".npy", p);
    loads += fmt::format(" --load {}:spad:0x40=p{}.npy", tile, t);
    dumps += fmt::format(" --dump {0}:spad:0x100:4=got{1} --dump {0}:hbm1:0:4=sum{1}", tile, t);
  }
  std::string first;
  for (const std::string how :
       {"--check", "--check --threads 2", "--memory flat --threads 4", "--check --no-lockstep", "--target golden"}) {
    const Result r = tepin("run ring.s --mesh 2x2 --json " + how + loads + dumps);
    ASSERT_EQ(r.code, 0) << how << r.err;
    EXPECT_EQ(r.json()["mismatches"], 0);
    for (std::size_t t = 0; t < 4; ++t) {
      const std::string got = read(fmt::format("got{}", (t + 1) % 4));
      EXPECT_EQ(static_cast<std::uint32_t>(got[0]), numbers[t]) << how;
      // The sum as integers of 32 bits: FP32 sums of such small patterns are those of denormals, which add the same.
      EXPECT_EQ(static_cast<int>(read(fmt::format("sum{}", t))[0]), 0 + 1 + 8 + 9) << how;
    }
    if (how.starts_with("--check")) {
      EXPECT_GT(r.json()["checked_values"], 4 * 64);
    }
    if (how == "--target golden") continue;
    const json j = r.json();
    EXPECT_EQ(j["tiles"].size(), 4U);
    std::uint64_t busy = 0;
    for (const auto& [tile, units] : j["tiles"].items()) busy += units["NET"]["busy"].get<std::uint64_t>();
    EXPECT_GT(busy, 0U);
    EXPECT_EQ(j["engines"]["NET"]["busy"], busy);
    if (how.starts_with("--check")) {
      if (first.empty()) first = j["cycles"].dump();
      EXPECT_EQ(j["cycles"].dump(), first) << how;
    }
  }
}

TEST_F(RunTest, TilesWithoutASectionOnlyServe) {
  text("one.s",
       ".tile 1, 1\nli r1, 7\nli r2, 8\nvfill dst=r0, n=r2, s=r1 post s0\nli r3, 1\n"
       "nwr dst=r0, src=r0, len=r3, tile=r0 wait s0\nhalt\n");
  for (const std::string how : {"--check", "--target golden"}) {
    const Result r = tepin("run one.s --mesh 2x2 --dump spad:0:4=a --json " + how);
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(read("a"), std::string("\x07\0\0\0", 4));
  }
}

TEST_F(RunTest, FaultsOfAChipNameTheirTile) {
  const std::string stuck = "li r1, 3\nngroup lo=r1, hi=r0, root=r0, g=0\n";
  text("alone.s", stuck + "tid r2\nandi r2, r2, 63\nbne r2, r0, out\nnbar g=0\nout: halt\n");
  text("far.s",
       ".tile 0, 0\nhalt\n.tile 1, 0\nli r1, 64\nli r2, 8\nvfill dst=r0, n=r2, s=r0 post s0\n"
       "nwr dst=r0, src=r0, len=r2, tile=r1 wait s0\nhalt\n");
  text("differ.s", stuck +
                       "tid r2\nandi r2, r2, 63\nli r3, 1\nadd r3, r3, r2\nli r4, 0x100\nli r5, 16\n"
                       "vfill dst=r0, n=r5, s=r0 post s0\nnar dst=r4, src=r0, len=r3, g=0 wait s0\nhalt\n");
  struct Case {
    std::string file, cause, tile;
  };
  for (const Case& c :
       {Case{"alone.s", "stuck", "0,0"}, Case{"far.s", "bad_tile", "1,0"}, Case{"differ.s", "group_mismatch", ""}}) {
    for (const std::string how : {"--check", "--target golden"}) {
      const Result r = tepin("run " + c.file + " --mesh 2x1 --json " + how);
      EXPECT_EQ(r.code, 3) << c.file << how << r.err;
      EXPECT_EQ(r.json()["mismatches"], 0) << c.file << r.err;
      EXPECT_EQ(r.json()["fault"]["cause"], c.cause);
      if (!c.tile.empty()) {
        EXPECT_EQ(r.json()["fault"]["tile"], c.tile);
      }
    }
  }
}

struct Stop {
  std::string name, source, cause;
  friend void PrintTo(const Stop& s, std::ostream* os) { *os << s.name; }
};
class StopTest : public ProgramTest, public ::testing::WithParamInterface<Stop> {};

TEST_P(StopTest, EndsWithCode3OnEachTarget) {
  text("p.s", GetParam().source);
  for (const std::string how : {"", "--check", "--target golden"}) {
    const Result r = tepin("run p.s --json --max-cycles 5000 " + how);
    EXPECT_EQ(r.code, 3) << how << r.err;
    EXPECT_EQ(r.json()["fault"]["cause"], GetParam().cause) << how;
    EXPECT_EQ(r.json()["mismatches"], 0) << how;
    EXPECT_THAT(r.err, HasSubstr("tile 0,0"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Run, StopTest,
    ::testing::Values(
        Stop{"NoEnd", "a: jmp a\n", "out_of_cycles"}, Stop{"Stuck", "sync wait s3\nhalt\n", "stuck"},
        Stop{"StuckEngine", "vsync wait s3\nhalt\n", "stuck"},
        Stop{"Misaligned", "li r1, 1\nld spad=r1, hbm=r0, len=r1, npc=1\nhalt\n", "misaligned"},
        Stop{"BadOperand", "mst dst=r0, pitch=r0, n=r0\nhalt\n", "bad_operand"},
        Stop{"BeyondTheScratchpad", "li r1, 0x20000\nli r2, 1\nvfill dst=r1, n=r2, s=r0\nhalt\n", "bad_spad_addr"},
        Stop{"BeyondHbm", "li r1, 0xfffffff\nli r2, 1\nld spad=r0, hbm=r1, len=r2, npc=1\nhalt\n", "bad_hbm_addr"},
        Stop{"SemaphoreBelowZero", "li r1, 1\nstake s0, r1\nhalt\n", "sem_underflow"},
        Stop{"IllegalInstruction", ".word 0, 0xff\n", "illegal_instr"}),
    [](const auto& i) { return i.param.name; });

TEST_F(RunTest, OneOfTwoUnorderedFaultsIsNoMismatch) {
  text("p.s",
       ".thread 0, a\n.thread 1, b\na: li r1, 1\nnop\nnop\nstake s0, r1\nhalt\nb: mst dst=r0, pitch=r0, n=r0\nhalt\n");
  const Result r = tepin("run p.s --check --json");
  EXPECT_EQ(r.code, 3) << r.err;
  EXPECT_EQ(r.json()["mismatches"], 0) << r.err;
}

}  // namespace
}  // namespace tepin::cli::testing
