// SPDX-License-Identifier: Apache-2.0
// Bad input ends with exit code 2 and one line that says where, what, and what is allowed.
#include <fmt/format.h>

#include "tests/sw/cli/program.h"

namespace tepin::cli::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct BadInput {
  std::string name, arguments;
  std::vector<std::string> says;
  friend void PrintTo(const BadInput& b, std::ostream* os) { *os << b.name; }
};

class BadInputTest : public ProgramTest, public ::testing::WithParamInterface<BadInput> {
 protected:
  BadInputTest() {
    text("garbage", "no such format");
    text("syntax.s", "li r1, 1\nadd r1, r2\n");
    text("race.s", ".thread 0, a\n.thread 1, b\na: li r1, 5\nsw r1, 0(r0)\nhalt\nb: li r1, 6\nsw r1, 0(r0)\nhalt\n");
    text("unwritten.s", "lw r1, 0x40(r0)\nhalt\n");
    text("halt.s", "halt\n");
    text("tile.s", ".tile 1, 1\nhalt\n");
    // Tile 1 starts its part of the reduction only after tile 0, which is not the root, is done with its own.
    text("buffered.s",
         ".tile 0, 0\nli r1, 3\nli r2, 1\nli r3, 8\nvfill dst=r0, n=r3, s=r0 post s1\n"
         "ngroup lo=r1, hi=r0, root=r2, g=0\nnred dst=r0, src=r0, len=r2, g=0 wait s1 post s0:1@1,0\nhalt\n"
         ".tile 1, 0\nli r1, 3\nli r2, 1\nli r3, 8\nli r4, 64\nvfill dst=r0, n=r3, s=r0 post s1\n"
         "ngroup lo=r1, hi=r0, root=r2, g=0\nnred dst=r4, src=r0, len=r2, g=0 wait s0, s1\nhalt\n");
    // Each takes the other for the root: both operands go out, neither meets another.
    std::string apart;
    for (const int root : {1, 0})
      apart += fmt::format(
          ".tile {}, 0\nli r1, 3\nli r2, {}\nli r3, 8\nli r4, 1\nli r5, 64\nvfill dst=r0, n=r3, s=r0 post s1\n"
          "ngroup lo=r1, hi=r0, root=r2, g=0\nnred dst=r5, src=r0, len=r4, g=0 wait s1\nhalt\n",
          1 - root, root);
    text("apart.s", apart);
    // Both tiles write word 0x40 of the first one.
    text("far_race.s",
         ".tile 0, 0\nli r1, 64\nli r2, 8\nvfill dst=r1, n=r2, s=r0\nhalt\n"
         ".tile 1, 0\nli r1, 64\nli r2, 8\nli r3, 1\nvfill dst=r0, n=r2, s=r1 post s0\n"
         "nwr dst=r1, src=r0, len=r3, tile=r0 wait s0\nhalt\n");
    floats("x.npy", std::vector<float>(128, 1.0F), {2, 64});
    floats("flat.npy", std::vector<float>(64, 1.0F), {64});
    floats("narrow.npy", std::vector<float>(64, 1.0F), {2, 32});
    bytes("bytes.npy", std::vector<std::uint8_t>(64, 1));
    std::filesystem::create_directory(path("empty"));
    std::filesystem::create_directory(path("float_model"));
    const std::vector<std::uint8_t> zeros(64 * 2 * 16);
    safetensors("float_model/model.safetensors", {{"w.weight", "F32", "[4,64]", std::vector<std::uint8_t>(1024)}});
    safetensors("no_scales.safetensors", {{"w.blocks", "U8", "[64,2,16]", zeros}});
    safetensors("bad_scales.safetensors",
                {{"w.blocks", "U8", "[64,2,16]", zeros}, {"w.scales", "U8", "[64,3]", std::vector<std::uint8_t>(192)}});
    safetensors("bad_type.safetensors",
                {{"w.blocks", "I8", "[64,2,16]", zeros}, {"w.scales", "U8", "[64,2]", std::vector<std::uint8_t>(128)}});
    safetensors("bad_k.safetensors",
                {{"w.blocks", "U8", "[64,4,8]", zeros}, {"w.scales", "U8", "[64,4]", std::vector<std::uint8_t>(256)}});
  }
};

TEST_P(BadInputTest, EndsWithCode2AndOneLine) {
  const Result r = tepin(GetParam().arguments);
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(r.out, "");
  EXPECT_THAT(r.err, StartsWith("tepin: error: "));
  EXPECT_THAT(r.err, EndsWith("\n"));
  EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  for (const std::string& s : GetParam().says) EXPECT_THAT(r.err, HasSubstr(s));
  EXPECT_FALSE(exists("y.npy"));
}

const std::string kGemm = "gemm $matrix --tokens 2 --act mxint8 --out-npy y.npy ";

INSTANTIATE_TEST_SUITE_P(
    Usage, BadInputTest,
    ::testing::Values(
        BadInput{"NoSubcommand", "", {"subcommand is required", "--help"}},
        BadInput{"UnknownSubcommand", "gem", {"gem"}}, BadInput{"UnknownOption", "sim --modle x", {"--modle"}},
        BadInput{"BenchWithoutWhat", "bench", {"subcommand is required"}},
        BadInput{"NegativeSeed", kGemm + "--seed -1", {"--seed", "-1", "allowed"}},
        BadInput{"SeedBeyond64Bits", kGemm + "--seed 18446744073709551616", {"--seed", "allowed"}},
        BadInput{"UnknownConfiguration", kGemm + "--config mega", {"mega", "nano", "fpga", "jalapeno"}},
        BadInput{"ConfigurationNotVerilated", kGemm + "--config fpga", {"fpga", "nano"}},
        BadInput{"ConfigurationWithoutKernels",
                 kGemm + "--config jalapeno --target golden",
                 {"jalapeno", "2 pseudo-channels"}},
        BadInput{"ConfigurationWithoutTheKernelOfBf16",
                 "gemm $matrix --tokens 2 --act bf16 --config fpga --target golden",
                 {"fpga", "2 pseudo-channels"}},
        BadInput{"CycleTargetNotThereYet", kGemm + "--target cycle", {"not available yet", "rtl, golden"}},
        BadInput{"UnknownTarget", kGemm + "--target verilog", {"verilog", "rtl, golden"}},
        BadInput{"WavesOfTheGoldenModel", kGemm + "--target golden --trace t.fst", {"--trace", "rtl"}},
        BadInput{"TimelineOfTheGoldenModel", kGemm + "--target golden --timeline t.json", {"--timeline", "rtl"}},
        BadInput{"WavesThatCannotBeWritten", kGemm + "--trace no/t.fst", {"no/t.fst", "cannot be written"}},
        BadInput{"ReportFolderThatIsAFile", kGemm + "--out garbage", {"garbage"}},
        BadInput{"UnknownShell", "completion fish", {"fish", "bash"}}),
    [](const auto& i) { return i.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Gemm, BadInputTest,
    ::testing::Values(
        BadInput{"NoFormat", "gemm $matrix --tokens 2", {"--act"}},
        BadInput{"NoTokensAndNoInput", "gemm $matrix --act mxint8", {"--tokens", "1..65536"}},
        BadInput{"NoTokens", "gemm $matrix --act mxint8 --tokens 0", {"--tokens", "1..65536"}},
        BadInput{"TooManyTokens", "gemm $matrix --act mxint8 --tokens 65537", {"--tokens", "1..65536"}},
        BadInput{"FormatOfWeightsOnly",
                 "gemm $matrix --tokens 2 --act nvfp4",
                 {"nvfp4", "allowed: mxfp4, mxfp8_e4m3, mxint8, mxfp8_e5m2, mxfp6_e2m3, mxfp6_e3m2, bf16\n"}},
        BadInput{"UnknownFormat",
                 "gemm $matrix --tokens 2 --act fp7",
                 {"fp7", "allowed: mxfp4, mxfp8_e4m3, mxint8, mxfp8_e5m2, mxfp6_e2m3, mxfp6_e3m2, bf16\n"}},
        BadInput{"IndexOutOfRange", kGemm + "--index 8", {"--index 8", "0..7"}},
        BadInput{"MissingCheckpoint",
                 "gemm --weights none.safetensors --tensor w --tokens 2 --act mxint8",
                 {"none.safetensors", "No such file"}},
        BadInput{"CheckpointThatIsNone", "gemm --weights garbage --tensor w --tokens 2 --act mxint8", {"garbage"}},
        BadInput{"UnknownTensor",
                 "gemm --weights $weights --tensor block.0.mlp.mlp1_wieght --tokens 2 --act mxint8",
                 {"block.0.mlp.mlp1_wieght", "did you mean 'block.0.mlp.mlp1_weight'"}},
        BadInput{"TensorOfOneDimension",
                 "gemm --weights $weights --tensor block.0.attn.norm.scale --tokens 2 --act mxint8",
                 {"block.0.attn.norm.scale", "BF16 [64]", "[M][K]"}},
        BadInput{"TensorWithoutScales",
                 "gemm --weights no_scales.safetensors --tensor w --tokens 2 --act mxint8",
                 {"w.scales"}},
        BadInput{"ScalesOfAnotherShape",
                 "gemm --weights bad_scales.safetensors --tensor w --tokens 2 --act mxint8",
                 {"w.scales", "[64, 3]"}},
        BadInput{"BlocksOfAnotherType",
                 "gemm --weights bad_type.safetensors --tensor w --tokens 2 --act mxint8",
                 {"w.blocks", "I8", "U8"}},
        BadInput{"BlocksOfAnotherSize",
                 "gemm --weights bad_k.safetensors --tensor w --tokens 2 --act mxint8",
                 {"w.blocks", "[64, 4, 8]", "[K/32][16]"}},
        BadInput{"MissingInput", "gemm $matrix --act mxint8 --in none.npy", {"none.npy"}},
        BadInput{"InputThatIsNoArray", "gemm $matrix --act mxint8 --in garbage", {"garbage"}},
        BadInput{"InputOfAnotherType", "gemm $matrix --act mxint8 --in bytes.npy", {"bytes.npy", "uint8", "float32"}},
        BadInput{"InputOfAnotherK", "gemm $matrix --act mxint8 --in narrow.npy", {"narrow.npy", "[2, 32]", "[N, 64]"}},
        BadInput{"InputWithoutTokens", "gemm $matrix --act mxint8 --in flat.npy", {"flat.npy", "[64]", "[N, 64]"}},
        BadInput{"TokensNotTheInputs", "gemm $matrix --act mxint8 --in x.npy --tokens 3", {"--tokens 3", "2"}}),
    [](const auto& i) { return i.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Programs, BadInputTest,
    ::testing::Values(
        BadInput{"MissingSource", "asm none.s -o a.tpn", {"none.s"}},
        BadInput{"SourceWithAnError", "asm syntax.s -o a.tpn", {"syntax.s:2:", "expected"}},
        BadInput{"OutputThatCannotBeWritten", "asm halt.s -o no/a.tpn", {"no/a.tpn"}},
        BadInput{"NoOutput", "asm halt.s", {"--output"}}, BadInput{"ProgramThatIsNone", "disasm garbage", {"garbage"}},
        BadInput{"RunOfNoProgram", "run garbage", {"garbage"}},
        BadInput{"MeshOfTooManyTiles", "run halt.s --mesh 9x2", {"--mesh 9x2", "8x8"}},
        BadInput{"MeshOfNoTiles", "run halt.s --mesh 0x2", {"--mesh 0x2", "1x1"}},
        BadInput{"MoreThreadsThanTiles", "run halt.s --mesh 2x1 --threads 3", {"--threads 3", "1 to 2"}},
        BadInput{"WavesOfAChip", "run halt.s --mesh 2x1 --trace a.fst", {"--trace", "1x1"}},
        BadInput{"RanksNotThereYet", "run halt.s --ranks 2", {"--ranks", "1"}},
        BadInput{"NoCycles", "run halt.s --max-cycles 0", {"--max-cycles"}},
        BadInput{"SectionOfAnotherTile", "run tile.s", {"tile.s", "1,1"}},
        BadInput{"LoadToAnUnknownSpace", "run halt.s --load hbm2:0=x.npy", {"hbm2", "spad, hbm0..hbm1"}},
        BadInput{"LoadToAnotherTile", "run halt.s --load 1,0:spad:0=x.npy", {"1,0", "0,0"}},
        BadInput{"LoadOutsideTheMesh", "run halt.s --mesh 2x3 --load 2,0:spad:0=x.npy", {"2,0", "0,0..1,2"}},
        BadInput{"LoadToATileOfNoNumber", "run halt.s --load ,0:spad:0=x.npy", {"column", "no number"}},
        BadInput{"DumpOutsideTheMesh", "run halt.s --mesh 2x3 --dump 0,3:spad:0:4=y", {"0,3", "0,0..1,2"}},
        BadInput{"SectionOutsideTheMesh", "run tile.s --mesh 2x1", {"tile.s", "1,1", "2x1", "0,0..1,0"}},
        BadInput{"RaceBetweenTiles",
                 "run far_race.s --mesh 2x1 --check",
                 {"not defined", "race", "tile 1,0 NET nwr", "tile 0,0 VPU vfill", "spad 0x40"}},
        BadInput{"MembersThatDifferWhereNobodySees",
                 "run apart.s --mesh 2x1 --check",
                 {"not defined", "members differ", "root is", "tile 0,0 NET nred", "tile 1,0 NET nred"}},
        BadInput{"LoadBeyondTheEnd", "run halt.s --load spad:0x1fff0=x.npy", {"131072"}},
        BadInput{"LoadAtNoNumber", "run halt.s --load spad:zero=x.npy", {"zero"}},
        BadInput{"LoadWithoutFile", "run halt.s --load spad:0", {"SPACE:ADDR"}},
        BadInput{"LoadOfAMissingFile", "run halt.s --load spad:0=none.npy", {"none.npy"}},
        BadInput{"DumpThatCannotBeWritten", "run halt.s --dump spad:0:32=y --dump spad:0:32=no/y", {"no/y"}},
        BadInput{"DumpWithoutSize", "run halt.s --dump spad:0=y.npy", {"SPACE:ADDR:BYTES"}},
        BadInput{"DumpOfNothing", "run halt.s --dump spad:0:0=y.npy", {"1..131072"}},
        BadInput{"Race", "run race.s --check", {"not defined", "race", "spad 0x0"}},
        BadInput{"RaceOnTheGoldenModel", "run race.s --target golden", {"race", "spad 0x0"}},
        BadInput{"ReadOfUnwrittenMemory", "run unwritten.s --check", {"spad 0x40", "nothing wrote"}}),
    [](const auto& i) { return i.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Others, BadInputTest,
    ::testing::Values(
        BadInput{"VectorsOfNoFolder", "vectors none", {"none"}},
        BadInput{"VectorsOfAnEmptyFolder", "vectors empty", {"empty"}},
        BadInput{"VectorsOnAnUnknownTarget", "vectors empty --target all", {"all", "allowed: rtl, golden, both\n"}},
        BadInput{"VectorsOnATargetNotThereYet", "vectors empty --target cycle", {"allowed: rtl, golden, both\n"}},
        BadInput{"ModelThatIsNoFolder", "sim --model garbage", {"garbage"}},
        BadInput{"ModelWithoutCheckpoint", "sim --model empty", {"empty", ".safetensors"}},
        BadInput{"ModelWithoutMxfp4", "sim --model float_model", {"MXFP4"}},
        BadInput{"ShapeOfTwoNumbers", "bench mxu --shape 64x64", {"64x64", "MxKxN"}},
        BadInput{"ShapeWithOddK", "bench mxu --shape 8x33x1", {"multiple of 32"}},
        BadInput{"SpeedOfTheGoldenModel", "bench sim --target golden", {"rtl"}},
        BadInput{"SpeedInNoTime", "bench sim --seconds 0", {"--seconds"}}),
    [](const auto& i) { return i.param.name; });

class JsonErrorTest : public ProgramTest {};

TEST_F(JsonErrorTest, ErrorIsAnObjectTooIfAsked) {
  for (const std::string arguments : {"gemm --json", "gemm $matrix --act fp7 --tokens 1 --json"}) {
    const Result r = tepin(arguments);
    EXPECT_EQ(r.code, 2);
    EXPECT_EQ(r.json()["exit_code"], 2);
    EXPECT_THAT(r.err, HasSubstr(r.json()["error"].get<std::string>()));
  }
}

TEST_F(JsonErrorTest, FullDiskIsReported) {
  const Result r = tepin("completion bash >/dev/full");
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.err, HasSubstr("standard output"));
}

}  // namespace
}  // namespace tepin::cli::testing
