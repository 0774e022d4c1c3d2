// SPDX-License-Identifier: Apache-2.0
#include "tests/sw/cli/program.h"

namespace tepin::cli::testing {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class ReportTest : public ProgramTest {};

TEST_F(ReportTest, SimChecksEveryExpertMatrixAndWritesItsReport) {
  const Result r = tepin("sim --model $source/models/nano-gptoss --json --out sim_out --tokens 3");
  ASSERT_EQ(r.code, 0) << r.err;
  const json j = r.json();
  EXPECT_EQ(j["mismatches"], 0);
  EXPECT_GT(j["checked_values"], 1'000'000);
  for (const char* key : {"wall_s", "tile_cycles_per_s", "macs_per_s"}) EXPECT_GT(j[key], 0) << key;
  std::uint64_t matrices = 0, expert_rows = 0;
  for (const json& k : j["kernels"]) {
    for (const char* key : {"name", "shape", "format", "cycles", "mac_util", "hbm_util", "mismatches"})
      EXPECT_TRUE(k.contains(key)) << key;
    EXPECT_EQ(k["mismatches"], 0);
    matrices += k["matrices"].get<std::uint64_t>();
    expert_rows += k["matrices"] != 0 ? 1U : 0U;
  }
  EXPECT_EQ(matrices, 4U * 8 * 2 * 3);  // layers, experts, matrices of an expert, formats
  EXPECT_EQ(expert_rows, 6U);
  EXPECT_EQ(json::parse(read("sim_out/report.json")), j);
  EXPECT_THAT(read("sim_out/report.md"), HasSubstr("PASS"));
}

TEST_F(ReportTest, SimRunsTheMoeLayerOnAChipAndSaysWhatEachUnitDid) {
  const Result r = tepin("sim --model $source/models/nano-gptoss --experts 1 --tokens 1 --json --out moe_out");
  ASSERT_EQ(r.code, 0) << r.err;
  const json j = r.json();
  std::uint64_t layers = 0;
  for (const json& k : j["kernels"]) {
    if (k["name"] != "MoE layer, 2x2 tiles") continue;
    ++layers;
    // Each value of the result against the reference, and far more in lockstep.
    EXPECT_GT(k["checked_values"], 100 * 13 * 64);
  }
  EXPECT_EQ(layers, 3U);
  const std::uint64_t cycles = j["moe"]["cycles"];
  const json& causes = j["moe"]["cycles_by_cause"];
  EXPECT_EQ(causes.size(), 4U * 9);
  // Of the units of a tile, whose clock stops with the tile.
  for (const auto& [unit, c] : causes.items()) {
    std::uint64_t sum = 0;
    for (const auto& [cause, n] : c.items()) sum += n.get<std::uint64_t>();
    EXPECT_LE(sum, cycles + 64) << unit;
    EXPECT_GT(sum, cycles / 4) << unit;
  }
  const json timeline = json::parse(read("moe_out/moe_timeline.json"));
  std::uint64_t tiles = 0, links = 0;
  for (const json& e : timeline["traceEvents"]) {
    if (e["ph"] != "M") continue;
    tiles += e["name"] == "process_name" ? 1U : 0U;
    links += e["args"]["name"].get<std::string>().starts_with("link ") ? 1U : 0U;
  }
  EXPECT_EQ(tiles, 4U);
  EXPECT_GE(links, 8U);
}

TEST_F(ReportTest, SimOfACheckpointWithoutThatLayerSaysSoAndPasses) {
  std::filesystem::create_directory(path("plain_mxfp4"));
  safetensors("plain_mxfp4/model.safetensors", {{"w.blocks", "U8", "[64,2,16]", std::vector<std::uint8_t>(2048)},
                                                {"w.scales", "U8", "[64,2]", std::vector<std::uint8_t>(128)}});
  const Result r = tepin("sim --model plain_mxfp4 --tokens 1 --out plain_out");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("MoE layer: not run: "));
  EXPECT_THAT(r.out, HasSubstr("block.0.mlp.mlp1_weight.blocks"));
  EXPECT_THAT(read("plain_out/report.md"), HasSubstr("MoE layer: not run: "));
  EXPECT_FALSE(exists("plain_out/moe_timeline.json"));
}

TEST_F(ReportTest, SimPrintsATableWithAVerdict) {
  const Result r = tepin("sim --model $source/models/nano-gptoss --experts 1 --tokens 1 --target golden");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, ContainsRegex("mlp.mlp1_weight +128x64x1"));
  EXPECT_THAT(r.out, ContainsRegex("MoE layer, 2x2 tiles.* 832 +0 "));  // values checked, mismatches
  EXPECT_THAT(r.out, HasSubstr("GEMV random"));
  EXPECT_THAT(r.out, HasSubstr("PASS: "));
  EXPECT_TRUE(exists("out/sim/report.json"));
}

TEST_F(ReportTest, QuietLeavesStandardErrorEmpty) {
  EXPECT_EQ(tepin("sim --model $source/models/nano-gptoss --experts 1 --tokens 1 --target golden --quiet").err, "");
}

TEST_F(ReportTest, BenchMxuHasARowAShapeAndFormat) {
  const Result r = tepin("bench mxu --shape 64x64x4 --shape 20x96x9 --act mxint8 --act mxfp8_e4m3 --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const json rows = r.json()["rows"];
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[3]["m"], 20);
  EXPECT_EQ(rows[3]["k"], 96);
  EXPECT_EQ(rows[3]["n"], 9);
  EXPECT_EQ(rows[3]["format"], "mxfp8_e4m3");
  for (const json& row : rows) {
    EXPECT_GT(row["cycles"], 0);
    EXPECT_GT(row["mac_util"], 0);
    EXPECT_LE(row["mac_util"], 1);
    EXPECT_GT(row["hbm_util"], 0);
  }
}

TEST_F(ReportTest, BenchSimMeasuresItsSpeed) {
  const json j = tepin("bench sim --seconds 0.1 --json").json();
  EXPECT_GT(j["tile_cycles_per_s"], 1000);
  EXPECT_GT(j["macs_per_s"], 1000);
  EXPECT_TRUE(j.contains("build_cpu_s"));
}

TEST_F(ReportTest, EveryLevelHasHelpWithAnExample) {
  for (const std::string level :
       {"", "sim", "gemm", "vectors", "asm", "disasm", "run", "bench", "bench mxu", "bench sim", "completion"}) {
    const Result r = tepin(level + " --help");
    EXPECT_EQ(r.code, 0) << level;
    EXPECT_THAT(r.out, HasSubstr("Example")) << level;
    EXPECT_THAT(r.out, HasSubstr("tepin " + level)) << level;
  }
  EXPECT_THAT(tepin("--version").out, HasSubstr("tepin 0."));
}

TEST_F(ReportTest, CompletionKnowsSubcommandsAndOptions) {
  const Result r = shell(
      "$tepin completion bash >c.sh && bash -c 'source c.sh; COMP_WORDS=(tepin bench \"\"); COMP_CWORD=2; _tepin; echo "
      "\"${COMPREPLY[@]}\"; "
      "COMP_WORDS=(tepin gemm --wei); COMP_CWORD=2; _tepin; echo \"${COMPREPLY[@]}\"; COMP_WORDS=(tepin gemm --act "
      "mxi); COMP_CWORD=3; _tepin; "
      "echo \"${COMPREPLY[@]}\"'");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("mxu sim"));
  EXPECT_THAT(r.out, HasSubstr("\n--weights\nmxint8\n"));
}

}  // namespace
}  // namespace tepin::cli::testing
