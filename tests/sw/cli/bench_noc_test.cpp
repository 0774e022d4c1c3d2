// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/sw/cli/program.h"

namespace tepin::cli::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class BenchNocTest : public ProgramTest {
 protected:
  void refused(const std::string& arguments, const std::string& part) {
    const Result r = tepin("bench noc " + arguments);
    EXPECT_EQ(r.code, 2) << arguments;
    EXPECT_THAT(r.err, HasSubstr(part)) << arguments;
    EXPECT_EQ(r.out, "") << arguments;
  }
};

TEST_F(BenchNocTest, GivesTheFiguresOfEveryPattern) {
  for (const std::string how :
       {"--pattern uniform", "--pattern transpose", "--pattern neighbor", "--pattern hotspot", "--pattern tornado",
        "--pattern complement", "--mesh 5x2 --flits 3 --link-bits 512", "--mesh 1x1", "--source fifo --buffer 5"}) {
    const Result r = tepin("bench noc --rate 0.2 --cycles 2000 --point --json " + how);
    ASSERT_EQ(r.code, 0) << how << r.err;
    const json j = r.json();
    EXPECT_NEAR(j["offered"].get<double>(), 0.2, 0.03) << how;
    EXPECT_NEAR(j["accepted"].get<double>(), 0.2, 0.03) << how;
    EXPECT_EQ(j["lost"], 0) << how;
    EXPECT_EQ(j["errors"], 0) << how;
    EXPECT_GE(j["avg_latency"].get<double>(), j["zero_load"].get<double>() - 0.5) << how;
    EXPECT_LE(j["p99_latency"].get<double>(), j["max_latency"].get<double>()) << how;
    EXPECT_EQ(j["delivered"].get<std::uint64_t>() > 0, how != "--mesh 1x1") << how;
  }
}

TEST_F(BenchNocTest, GivesSaturationAndOverload) {
  const Result r = tepin("bench noc --mesh 2x2 --cycles 1000 --json --seed 3");
  ASSERT_EQ(r.code, 0) << r.err;
  const json j = r.json();
  EXPECT_GT(j["saturation"].get<double>(), 0.8);
  EXPECT_GT(j["overload"].get<double>(), 0.8);
  EXPECT_GT(j["overload_worst_share"].get<double>(), 0.8);
  EXPECT_EQ(j["seed"], 3);
  EXPECT_EQ(tepin("bench noc --mesh 2x2 --cycles 1000 --json --seed 3").out, r.out) << "the same bits from a seed";
  EXPECT_THAT(tepin("bench noc --mesh 2x2 --cycles 1000").out, HasSubstr("saturation"));
}

TEST_F(BenchNocTest, BadInputIsOneLine) {
  refused("--mesh 9x1", "8x8");
  refused("--mesh 4", "WxH");
  refused("--mesh 4x4x4", "WxH");
  refused("--mesh 0x4", "1x1");
  refused("--pattern zigzag", "uniform, transpose");
  refused("--pattern transpose --mesh 4x3", "square");
  refused("--flits 0", "--flits");
  refused("--rate 0", "--rate");
  refused("--rate 1.5", "--rate");
  refused("--rate nan", "--rate");
  refused("--flits 1000 --cycles 500", "no packet of 1000 flits");
  refused("--cycles 10", "--cycles");
  refused("--buffer 3", "allowed: 4");
  refused("--link-bits 300", "allowed: 4");
  refused("--buffer 8 --link-bits 512", "8 (256 bit)");
  refused("--source both", "fifo");
  refused("--target golden", "golden");
}

}  // namespace
}  // namespace tepin::cli::testing
