// SPDX-License-Identifier: Apache-2.0
// Weights in no layout that `tepin gemm` takes end with exit code 2 and one line: file, tensor, what is wrong, what is
// allowed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sw/model/safetensors.h"
#include "tests/sw/cli/program.h"

namespace tepin::cli::testing {
namespace {

using ::testing::AnyOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct TensorOf {
  std::string name, dtype;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint8_t> begin = {};  // of its bytes; the others are zero
};

struct BadLayout {
  std::string name;
  std::vector<TensorOf> tensors;
  std::vector<std::string> says;
  std::string arguments = "--tensor w --act mxint8";
  friend void PrintTo(const BadLayout& b, std::ostream* os) { *os << b.name; }
};

class BadLayoutTest : public ProgramTest, public ::testing::WithParamInterface<BadLayout> {};

TEST_P(BadLayoutTest, EndsWithCode2AndOneLine) {
  std::vector<Entry> entries;
  for (const TensorOf& t : GetParam().tensors) {
    const auto* dtype = std::ranges::find(model::kDtypes, std::string_view(t.dtype), &model::DtypeDesc::name);
    ASSERT_NE(dtype, model::kDtypes.end());
    std::uint64_t bytes = dtype->bytes;
    for (const std::uint64_t d : t.shape) bytes *= d;
    std::vector<std::uint8_t> data = t.begin;
    data.resize(bytes);
    entries.push_back({t.name, t.dtype, fmt::format("[{}]", fmt::join(t.shape, ",")), data});
  }
  safetensors("m.safetensors", entries);
  for (const std::string target : {"rtl", "golden"}) {
    const Result r = tepin("gemm --weights m.safetensors --tokens 2 --out-npy y.npy --target " + target + " " +
                           GetParam().arguments);
    EXPECT_EQ(r.code, 2);
    EXPECT_EQ(r.out, "");
    EXPECT_THAT(r.err, StartsWith("tepin: error: "));
    EXPECT_THAT(r.err, EndsWith("\n"));
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    EXPECT_THAT(r.err, AnyOf(HasSubstr("allowed"), HasSubstr("did you mean")));
    for (const std::string& s : GetParam().says) EXPECT_THAT(r.err, HasSubstr(s));
    EXPECT_FALSE(exists("y.npy"));
  }
}

const auto kName = [](const auto& i) { return i.param.name; };

// --- MXFP4 ---
const TensorOf kBlocks{"w_blocks", "U8", {4, 2, 16}};
INSTANTIATE_TEST_SUITE_P(
    Mxfp4, BadLayoutTest,
    ::testing::Values(
        BadLayout{"WithoutScales", {kBlocks}, {"m.safetensors: tensor 'w_scales'", "does not exist beside 'w_blocks'"}},
        BadLayout{"ScalesOfAnotherShape",
                  {kBlocks, {"w_scales", "U8", {4, 1}}},
                  {"tensor 'w_scales': is U8 [4, 1], expected U8 [4, 2]", "[M][K/32]"}},
        BadLayout{"ScalesOfAnotherType", {kBlocks, {"w_scales", "F8_E8M0", {4, 2}}}, {"F8_E8M0", "U8 [M][K/32]"}},
        BadLayout{"Empty",
                  {{"w.blocks", "U8", {0, 2, 16}}, {"w.scales", "U8", {0, 2}}},
                  {"'w.blocks'", "empty", "["},
                  "--tensor w --act mxint8 --index 0"},
        BadLayout{"QuantisedAgain",
                  {kBlocks, {"w_scales", "U8", {4, 2}}},
                  {"--quantise: m.safetensors: tensor 'w_blocks': is quantised already (mxfp4)", "BF16, F16 or F32"},
                  "--tensor w --act mxint8 --quantise mxint8"}),
    kName);

// --- NVFP4 ---
const TensorOf kPacked{"w.weight", "U8", {4, 32}};
const TensorOf kScale{"w.weight_scale", "F8_E4M3", {4, 4}};
const TensorOf kScale2{"w.weight_scale_2", "F32", {}};
INSTANTIATE_TEST_SUITE_P(
    Nvfp4, BadLayoutTest,
    ::testing::Values(
        BadLayout{"WithoutScales", {kPacked, kScale2}, {"tensor 'w.weight_scale': does not exist beside 'w.weight'"}},
        BadLayout{"WithoutScaleOfTheTensor",
                  {kPacked, kScale},
                  {"tensor 'w.weight_scale_2': does not exist beside", "weight_scale_2 or weight_global_scale"}},
        BadLayout{"WithBothScalesOfTheTensor",
                  {kPacked, kScale, kScale2, {"w.weight_global_scale", "F32", {1}}},
                  {"'w.weight_global_scale': stands beside 'w.weight_scale_2'", "one of them"}},
        BadLayout{"ScalesOfAnotherShape",
                  {kPacked, {"w.weight_scale", "F8_E4M3", {4, 2}}, kScale2},
                  {"tensor 'w.weight_scale': is F8_E4M3 [4, 2], expected F8_E4M3 [4, 4]", "[M][K/16]"}},
        BadLayout{"ScalesOfAnotherType",
                  {kPacked, {"w.weight_scale", "U8", {4, 4}}, kScale2},
                  {"tensor 'w.weight_scale': is U8 [4, 4]", "F8_E4M3 [M][K/16]"}},
        BadLayout{"ScaleOfTheTensorOfAnotherType",
                  {kPacked, kScale, {"w.weight_scale_2", "BF16", {1}}},
                  {"tensor 'w.weight_scale_2': is BF16 [1], expected F32"}},
        BadLayout{"ManyScalesOfTheTensor",
                  {kPacked, kScale, {"w.weight_scale_2", "F32", {3}}},
                  {"tensor 'w.weight_scale_2': is F32 [3], expected F32, one number"}},
        BadLayout{"GlobalScaleOfZero",
                  {kPacked, kScale, {"w.weight_global_scale", "F32", {1}}},
                  {"tensor 'w.weight_global_scale': is 0", "any other number"}},
        BadLayout{"KNoMultipleOf32",
                  {{"w.weight", "U8", {4, 24}}, {"w.weight_scale", "F8_E4M3", {4, 3}}, kScale2},
                  {"tensor 'w.weight': is U8 [4, 24], K = 48, no multiple of 32"}},
        BadLayout{"OneDimension", {{"w.weight", "U8", {64}}, kScale, kScale2}, {"tensor 'w.weight': is U8 [64];"}},
        BadLayout{"IndexOutOfRange",
                  {{"w.weight", "U8", {2, 4, 16}}, {"w.weight_scale", "F8_E4M3", {2, 4, 2}}, kScale2},
                  {"--index 2", "0..1"},
                  "--tensor w --act mxint8 --index 2"},
        BadLayout{"QuantisedAgain",
                  {kPacked, kScale, kScale2},
                  {"--quantise: m.safetensors: tensor 'w.weight': is quantised already (nvfp4)"},
                  "--tensor w --act mxint8 --quantise mxfp4"},
        BadLayout{"RuleWithoutQuantisation",
                  {kPacked, kScale, kScale2},
                  {"--rule: m.safetensors: tensor 'w.weight': is quantised already (nvfp4)"},
                  "--tensor w --act mxint8 --rule floor"}),
    kName);

// --- INT4 ---
const TensorOf kInt4{"w.weight_packed", "I32", {4, 8}};
const TensorOf kGroups{"w.weight_scale", "BF16", {4, 2}};
INSTANTIATE_TEST_SUITE_P(
    Int4, BadLayoutTest,
    ::testing::Values(
        BadLayout{"WithoutScales", {kInt4}, {"tensor 'w.weight_scale': does not exist beside 'w.weight_packed'"}},
        BadLayout{"GroupsOf16",
                  {kInt4, {"w.weight_scale", "BF16", {4, 4}}},
                  {"tensor 'w.weight_scale': is BF16 [4, 4]: groups of 16", "allowed: groups of 32"}},
        BadLayout{"AScaleForEachRow", {kInt4, {"w.weight_scale", "BF16", {4, 1}}}, {"groups of 64", "groups of 32"}},
        BadLayout{"ScalesOfOtherRows",
                  {kInt4, {"w.weight_scale", "BF16", {5, 2}}},
                  {"is BF16 [5, 2], expected BF16 or F16 or F32 [4, 2]", "[M][K/32]"}},
        BadLayout{"ScalesOfAnotherType", {kInt4, {"w.weight_scale", "F8_E4M3", {4, 2}}}, {"F8_E4M3", "BF16 [M][K/32]"}},
        BadLayout{"Float16ScalesThatBf16DoesNotHold",
                  {kInt4, {"w.weight_scale", "F16", {4, 2}, {0, 0, 0, 0, 0, 0, 0x01, 0x3c}}},
                  {"tensor 'w.weight_scale': is F16 [4, 2]", "row 1, group 1", "0x3f802000", "BF16 holds exactly"}},
        BadLayout{"Float32ScalesThatBf16DoesNotHold",
                  {kInt4, {"w.weight_scale", "F32", {4, 2}, {0x01, 0x00, 0x80, 0x3f}}},
                  {"row 0, group 0", "0x3f800001", "BF16 holds exactly"}},
        BadLayout{"ZeroPoints",
                  {kInt4, kGroups, {"w.weight_zero_point", "I32", {1, 2}}},
                  {"tensor 'w.weight_zero_point': zero points", "symmetric"}},
        BadLayout{
            "OrderOfActivations", {kInt4, kGroups, {"w.weight_g_idx", "I32", {64}}}, {"'w.weight_g_idx'", "actorder"}},
        BadLayout{"ShapeThatDisagrees",
                  {kInt4, kGroups, {"w.weight_shape", "I32", {2}, {4, 0, 0, 0, 62, 0, 0, 0}}},
                  {"tensor 'w.weight_shape'", "[4, 62]", "[4, 64]"}},
        BadLayout{
            "ShapeOfAnotherType", {kInt4, kGroups, {"w.weight_shape", "F32", {2}}}, {"'w.weight_shape': is F32 [2]"}},
        BadLayout{"KNoMultipleOf32",
                  {{"w.weight_packed", "I32", {4, 6}}, {"w.weight_scale", "BF16", {4, 2}}},
                  {"tensor 'w.weight_packed': is I32 [4, 6], K = 48, no multiple of 32"}},
        BadLayout{"QuantisedAgain",
                  {kInt4, kGroups},
                  {"is quantised already (int4g32)"},
                  "--tensor w --act mxint8 --quantise mxfp4"}),
    kName);

// --- FP8 ---
const TensorOf kFp8{"w.weight", "F8_E4M3", {130, 160}};
INSTANTIATE_TEST_SUITE_P(
    Fp8, BadLayoutTest,
    ::testing::Values(
        BadLayout{"WithoutScales", {kFp8}, {"tensor 'w.weight_scale_inv': does not exist beside 'w.weight'"}},
        BadLayout{"OneScaleForAll",
                  {kFp8, {"w.weight_scale_inv", "F32", {1, 1}}},
                  {"tensor 'w.weight_scale_inv': is F32 [1, 1], expected F32 or BF16 [2, 2]", "[M/128][K/128]"}},
        BadLayout{"ScalesOfAnotherType",
                  {kFp8, {"w.weight_scale_inv", "F8_E8M0", {2, 2}}},
                  {"is F8_E8M0 [2, 2]", "F32 or BF16"}},
        BadLayout{"KNoMultipleOf32", {{"w.weight", "F8_E4M3", {4, 40}}}, {"K = 40, no multiple of 32"}},
        BadLayout{"QuantisedAgain",
                  {kFp8, {"w.weight_scale_inv", "F32", {2, 2}}},
                  {"is quantised already (fp8_128x128)"},
                  "--tensor w --act mxint8 --quantise mxfp8_e4m3"},
        BadLayout{"OtherFormatOf8Bits", {{"w.weight", "F8_E5M2", {4, 32}}}, {"is F8_E5M2 [4, 32]", "F8_E4M3 [M][K]"}}),
    kName);

// --- quantised on import, activations ---
const TensorOf kPlain{"w.weight", "BF16", {4, 64}};
INSTANTIATE_TEST_SUITE_P(
    Plain, BadLayoutTest,
    ::testing::Values(
        BadLayout{
            "KNoMultipleOf32", {{"w", "F32", {4, 40}}}, {"tensor 'w': is F32 [4, 40], K = 40, no multiple of 32"}},
        BadLayout{"OneDimension", {{"w.weight", "F16", {64}}}, {"tensor 'w.weight': is F16 [64]", "[M][K]"}},
        BadLayout{"Empty", {{"w.weight", "F16", {4, 0}}}, {"empty"}},
        BadLayout{"DoublePrecision", {{"w.weight", "F64", {4, 64}}}, {"is F64 [4, 64]", "BF16, F16 or F32"}},
        BadLayout{
            "UnknownName", {kPlain}, {"tensor 'x': does not exist", "for example 'w'"}, "--tensor x --act mxint8"},
        BadLayout{"NearName",
                  {{"layer.up_proj.weight", "BF16", {4, 64}}},
                  {"did you mean 'layer.up_proj'"},
                  "--tensor layer.up_prj --act mxint8"},
        BadLayout{
            "FormatOfActivationsOnly",
            {kPlain},
            {"--quantise mxfp8_e5m2", "allowed: mxfp4, mxfp8_e4m3, mxint8, mxfp6_e2m3, mxfp6_e3m2, mxint8x2, bf16"},
            "--tensor w --act mxint8 --quantise mxfp8_e5m2"},
        BadLayout{"FormatWithoutQuantiser", {kPlain}, {"--quantise nvfp4"}, "--tensor w --act mxint8 --quantise nvfp4"},
        BadLayout{"UnknownRule",
                  {kPlain},
                  {"--rule rceil", "allowed: floor, even, round-up, ceiling\n"},
                  "--tensor w --act mxint8 --rule rceil"},
        BadLayout{"RuleOfPairs",
                  {kPlain},
                  {"--rule even", "allowed: floor\n"},
                  "--tensor w --act mxint8 --quantise bf16 --rule even"},
        BadLayout{"UnknownRuleOfActivations",
                  {kPlain},
                  {"--act-rule up", "allowed: floor, even, round-up, ceiling\n"},
                  "--tensor w --act mxint8 --act-rule up"},
        BadLayout{"Bf16ToAFormatOfWeights",
                  {kPlain},
                  {"--bf16-to nvfp4", "allowed: mxfp4, mxfp8_e4m3, mxint8, mxfp8_e5m2, mxfp6_e2m3, mxfp6_e3m2\n"},
                  "--tensor w --act bf16 --bf16-to nvfp4"},
        BadLayout{"Bf16ToWithoutBf16",
                  {kPlain},
                  {"--bf16-to mxfp4", "allowed with --act bf16"},
                  "--tensor w --act mxint8 --bf16-to mxfp4"}),
    kName);

}  // namespace
}  // namespace tepin::cli::testing
