// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <sstream>

#include "tests/sw/cli/program.h"

namespace tepin::cli::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class BenchHbmTest : public ProgramTest {
 protected:
  BenchHbmTest() {
    std::string lines;
    for (int i = 0; i < 2000; ++i) lines += fmt::format("{} {:#x}\n", i % 5 == 4 ? "W" : "R", i * 32);
    text("t.trace", lines);
  }
  void refused(const std::string& arguments, const std::string& part) {
    const Result r = tepin("bench hbm " + arguments);
    EXPECT_EQ(r.code, 2) << arguments;
    EXPECT_THAT(r.err, HasSubstr(part)) << arguments;
    EXPECT_EQ(r.out, "") << arguments;
  }
};

TEST_F(BenchHbmTest, GivesTheFiguresOfATrace) {
  for (const std::string how :
       {"", "--speed 10000", "--sids 1", "--sids 4", "--speed 8000 --sids 3", "--arrival 12.5"}) {
    const Result r = tepin("bench hbm --trace t.trace --json " + how);
    ASSERT_EQ(r.code, 0) << how << r.err;
    const json j = r.json();
    EXPECT_EQ(j["requests"], 2000);
    EXPECT_EQ(j["violations"], 0);
    EXPECT_EQ(j["data_mismatches"], 0);
    EXPECT_EQ(j["clock_ghz"], how == "--speed 10000" ? 1.25 : 1.0);
    const double bandwidth = 2000.0 / j["cycles"].get<double>();
    EXPECT_NEAR(j["bandwidth_frac"].get<double>(), bandwidth, 1e-9);
    EXPECT_LE(j["p50_ns"].get<double>(), j["p99_ns"].get<double>());
    EXPECT_LE(j["p99_ns"].get<double>(), j["max_ns"].get<double>());
    for (const char* key : {"avg_ns", "refreshes", "row_hits", "stalls"}) EXPECT_TRUE(j.contains(key)) << key;
  }
}

TEST_F(BenchHbmTest, TheLogHasEveryCommandInOrderAndFields) {
  ASSERT_EQ(tepin("bench hbm --trace t.trace --log log.cmd --latencies l.npy").code, 0);
  for (const char* file : {"log.cmd", "log.cmd.pc1"}) {
    std::istringstream in(read(file));
    std::string line;
    long last = -1;
    int bursts = 0, activates = 0;
    while (std::getline(in, line)) {
      std::istringstream fields(line);
      long clk = 0, sid = 0, bg = 0, ba = 0, row = 0, col = 0, slot = 0;
      std::string command, rest;
      ASSERT_TRUE(fields >> clk >> command >> sid >> bg >> ba >> row >> col >> slot) << line;
      EXPECT_FALSE(fields >> rest) << line;
      EXPECT_GE(clk, last) << line;
      last = clk;
      const bool column = command == "RD" || command == "WR";
      bursts += column;
      activates += command == "ACT";
      EXPECT_EQ(col >= 0, column) << line;
      EXPECT_EQ(slot >= 0, !column) << line;
      EXPECT_EQ(row >= 0, command == "ACT") << line;
    }
    EXPECT_GE(bursts, 2000) << file;
    EXPECT_LE(bursts, 2000 + last / 1024 + 2) << file << ": scrubbing reads a burst every 1,024 clocks";
    EXPECT_GT(activates, 10) << file;
  }
}

TEST_F(BenchHbmTest, BadInputIsOneLineAndLeavesNothing) {
  refused("", "--trace");
  refused("--trace absent.trace", "absent.trace");
  text("bad.trace", "R 0x0\nX 0x20\n");
  refused("--trace bad.trace --log log.cmd", "bad.trace:2");
  text("odd.trace", "R 0x11\n");
  refused("--trace odd.trace", "odd.trace:1");
  text("huge.trace", "R 0x123456789012345678901\n");
  refused("--trace huge.trace", "huge.trace:1");
  text("empty.trace", "");
  refused("--trace empty.trace", "empty.trace");
  refused("--trace t.trace --speed 9000", "9000");
  refused("--trace t.trace --sids 5", "5");
  refused("--trace t.trace --sids 0", "0");
  refused("--trace t.trace --arrival fast", "saturate");
  refused("--trace t.trace --arrival -1", "-1");
  refused("--trace t.trace --log t.trace", "t.trace");
  refused("--trace t.trace --log no/folder/log.cmd", "no/folder");
  EXPECT_FALSE(exists("log.cmd"));
  EXPECT_FALSE(exists("log.cmd.pc1"));
}

}  // namespace
}  // namespace tepin::cli::testing
