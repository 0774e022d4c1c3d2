// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "sw/support/npy.h"
#include "tests/sw/cli/program.h"

namespace tepin::cli::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class GemmTest : public ProgramTest {};

TEST_F(GemmTest, RtlAndGoldenGiveTheSameBits) {
  for (const std::string act : {"mxfp4", "mxfp8_e4m3", "mxint8"}) {
    for (const int tokens : {1, 5, 33}) {
      const std::string arguments =
          "gemm $matrix --index 7 --seed 9 --json --act " + act + " --tokens " + std::to_string(tokens);
      const Result rtl = tepin(arguments + " --out-npy rtl.npy");
      const Result golden = tepin(arguments + " --out-npy golden.npy --target golden");
      ASSERT_EQ(rtl.code, 0) << rtl.err;
      ASSERT_EQ(golden.code, 0) << golden.err;
      EXPECT_EQ(read("rtl.npy"), read("golden.npy"));
      EXPECT_EQ(support::read_npy(path("rtl.npy")).shape,
                (std::vector<std::uint64_t>{static_cast<std::uint64_t>(tokens), 128}));
      EXPECT_GT(rtl.json()["checked_values"], 128 * tokens);
    }
  }
}

TEST_F(GemmTest, ReportHasTheKeysOfTheContract) {
  const json j = tepin("gemm $matrix --act mxfp8_e4m3 --tokens 32 --json").json();
  EXPECT_EQ(j["m"], 128);
  EXPECT_EQ(j["k"], 64);
  EXPECT_EQ(j["n"], 32);
  EXPECT_EQ(j["macs"], 128 * 64 * 32);
  EXPECT_EQ(j["mismatches"], 0);
  const double cycles = j["cycles"];
  EXPECT_DOUBLE_EQ(j["mac_util"], 128 * 64 * 32 / (cycles * 512));  // E4M3 takes two passes
  EXPECT_DOUBLE_EQ(j["mac_util_abs"], 128 * 64 * 32 / (cycles * 1024));
  EXPECT_GT(j["hbm_util"], 0);
  EXPECT_LT(j["hbm_util"], 1);
}

TEST_F(GemmTest, OnesTimesTheWeightsAreTheirRowSums) {
  // Weights 1.0 (code 2) in even rows, -0.5 (code 9) in odd ones, scale 2^1.
  std::vector<std::uint8_t> codes(4 * 2 * 16), scales(8, 128);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = i / 32 % 2 == 0 ? 0x22 : 0x99;
  safetensors("w.safetensors", {{"w.blocks", "U8", "[4,2,16]", codes}, {"w.scales", "U8", "[4,2]", scales}});
  floats("x.npy", std::vector<float>(64, 1.0F), {1, 64});
  for (const std::string target : {"rtl", "golden"}) {
    const Result r =
        tepin("gemm --weights w.safetensors --tensor w --act mxint8 --in x.npy --out-npy y.npy --target " + target);
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(support::read_npy(path("y.npy")).values<float>(), (std::vector<float>{128, -64, 128, -64}));
  }
}

TEST_F(GemmTest, NameMayEndInBlocksAndSeedDecidesTheData) {
  const std::string tail = " --act mxint8 --tokens 3 --out-npy ";
  ASSERT_EQ(tepin("gemm $matrix" + tail + "a.npy").code, 0);
  ASSERT_EQ(tepin("gemm $matrix.blocks" + tail + "b.npy").code, 0);
  ASSERT_EQ(tepin("gemm $matrix --seed 2" + tail + "c.npy").code, 0);
  EXPECT_EQ(read("a.npy"), read("b.npy"));
  EXPECT_NE(read("a.npy"), read("c.npy"));
}

TEST_F(GemmTest, NanInXStopsTheHardwareWithCode3) {
  std::vector<float> x(128, 1.0F);
  x[70] = std::nanf("");
  floats("x.npy", x, {2, 64});
  for (const std::string target : {"rtl", "golden"}) {
    const Result r = tepin("gemm $matrix --act mxint8 --in x.npy --out-npy y.npy --json --target " + target);
    EXPECT_EQ(r.code, 3);
    EXPECT_THAT(r.err, HasSubstr("mxu_nan"));
    EXPECT_THAT(r.json()["fault"].get<std::string>(), HasSubstr("MXU"));
    EXPECT_EQ(r.json()["mismatches"], 0);
    EXPECT_FALSE(exists("y.npy"));
  }
}

TEST_F(GemmTest, TooFewCyclesEndWithCode3) {
  const Result r = tepin("gemm $matrix --act mxint8 --tokens 8 --max-cycles 100");
  EXPECT_EQ(r.code, 3);
  EXPECT_THAT(r.err, HasSubstr("out of cycles"));
}

TEST_F(GemmTest, WavesAndTimelineAreWrittenWhole) {
  const Result r = tepin("gemm $matrix --act mxint8 --tokens 1 --trace w.fst --timeline t.json --out reports");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_GT(read("w.fst").size(), 1000U);
  EXPECT_FALSE(exists("w.fst.part"));
  EXPECT_GT(json::parse(read("t.json"))["traceEvents"].size(), 10U);
  EXPECT_EQ(json::parse(read("reports/report.json"))["mismatches"], 0);
}

}  // namespace
}  // namespace tepin::cli::testing
