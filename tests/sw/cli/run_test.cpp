// SPDX-License-Identifier: Apache-2.0
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
