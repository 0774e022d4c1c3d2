// SPDX-License-Identifier: Apache-2.0
#include "tests/sw/cli/program.h"

namespace tepin::cli::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class VectorsTest : public ProgramTest {};

TEST_F(VectorsTest, AllVectorsAgreeOnBothTargets) {
  const Result r = tepin("vectors $source/tests/data/vectors --target both --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const json j = r.json();
  EXPECT_EQ(j["mismatches"], 0);
  EXPECT_GT(j["cases"], 700'000);
  EXPECT_GT(j["programs"], 15'000);
  std::uint64_t files = 0;
  for (const json& f : j["files"]) {
    for (const char* key : {"file", "cases", "mismatches", "skipped", "skip_reasons"})
      EXPECT_TRUE(f.contains(key)) << key;
    std::uint64_t reasons = 0;
    for (const auto& [reason, count] : f["skip_reasons"].items()) reasons += count.get<std::uint64_t>();
    EXPECT_EQ(f["skipped"], reasons);
    // Only pairs of formats that the matrix unit does not take may be left out, and only on the hardware.
    if (f["target"] == "golden" || f["file"] != "mx_dots.json") {
      EXPECT_EQ(f["skipped"], 0) << f;
    }
    ++files;
  }
  EXPECT_EQ(files, 34U);
}

TEST_F(VectorsTest, AWrongExpectationIsAMismatchOnEachTarget) {
  ASSERT_EQ(
      shell("mkdir v && cp $source/tests/data/vectors/e8m0_decode.csv $source/tests/data/vectors/mx_dots.json v").code,
      0);
  std::string csv = read("v/e8m0_decode.csv");
  const std::size_t at = csv.rfind("7fc00000");
  ASSERT_NE(at, std::string::npos);
  text("v/e8m0_decode.csv", csv.replace(at, 8, "7f800000"));
  json dots = json::parse(read("v/mx_dots.json"));
  for (json& c : dots["cases"]) {
    if (c["fa"] == "int8" && c["fb"] == "e2m1") c["fp32_per_block"] = "3f9d70a4";
  }
  text("v/mx_dots.json", dots.dump());
  for (const std::string target : {"rtl", "golden"}) {
    const Result r = tepin("vectors v --json --target " + target);
    EXPECT_EQ(r.code, 1);
    EXPECT_EQ(r.json()["files"][0]["mismatches"], 1);
    EXPECT_EQ(r.json()["files"][1]["mismatches"], 8);
    EXPECT_EQ(r.json()["mismatches"], 9);
    EXPECT_THAT(r.err, HasSubstr("e8m0_decode.csv: scale"));
    EXPECT_THAT(r.err, HasSubstr("expected 7f800000"));
  }
}

TEST_F(VectorsTest, ABrokenFileIsBadInput) {
  ASSERT_EQ(shell("mkdir v && head -c 1000 $source/tests/data/vectors/mx_dots.json >v/mx_dots.json").code, 0);
  for (const std::string target : {"rtl", "golden", "both"}) {
    const Result r = tepin("vectors v --target " + target);
    EXPECT_EQ(r.code, 2);
    EXPECT_THAT(r.err, HasSubstr("v/mx_dots.json: is no JSON"));
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1);
  }
}

}  // namespace
}  // namespace tepin::cli::testing
