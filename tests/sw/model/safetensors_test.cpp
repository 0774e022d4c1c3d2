// SPDX-License-Identifier: Apache-2.0
#include "sw/model/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "sw/isa/program.h"

namespace tepin::model {
namespace {

using ::testing::HasSubstr;

std::vector<std::uint8_t> file(const std::string& header, std::size_t data_bytes) {
  std::string s;
  for (unsigned i = 0; i < 8; ++i) s += static_cast<char>(header.size() >> (8 * i));
  s += header;
  for (std::size_t i = 0; i < data_bytes; ++i) s += static_cast<char>(i);
  return {s.begin(), s.end()};
}

std::string error_of(const std::vector<std::uint8_t>& bytes) {
  try {
    (void)parse_safetensors(bytes, "m.st");
  } catch (const isa::InputError& e) {
    return e.what();
  }
  return "no error";
}

std::string error_of(const std::string& header, std::size_t data_bytes = 16) {
  return error_of(file(header, data_bytes));
}

/// One tensor "a" with the given fields.
std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"a":{"dtype":")" + dtype + R"(","shape":[)" + shape + R"(],"data_offsets":[)" + offsets + "]}}";
}

TEST(Safetensors, ReadsTensorsInTheOrderOfTheirBytes) {
  const auto f = file(
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]},)"
      R"("a":{"data_offsets":[0,4],"shape":[2,2],"dtype":"U8"},"s":{"dtype":"BF16","shape":[],"data_offsets":[12,14]},)"
      R"("e":{"dtype":"I64","shape":[0,18446744073709551615,9],"data_offsets":[0,0]}}   )",
      14);
  const auto c = parse_safetensors(f, "x");
  ASSERT_EQ(c.tensors.size(), 4U);
  EXPECT_EQ(c.tensors[0].name, "e");
  EXPECT_EQ(c.tensors[1].name, "a");
  EXPECT_EQ(c.tensors[1].shape, (std::vector<std::uint64_t>{2, 2}));
  EXPECT_EQ(c.tensors[2].dtype, Dtype::kF32);
  EXPECT_EQ(c.tensors[2].data[0], 4);
  EXPECT_EQ(c.tensors[3].data.size(), 2U);
  EXPECT_EQ(c.metadata.at("format"), "pt");
  EXPECT_TRUE(parse_safetensors(file("{}", 0), "x").tensors.empty());
}

TEST(Safetensors, ReadsARealCheckpoint) {
  const Safetensors st(std::string(TEPIN_SOURCE_DIR) + "/models/nano-gptoss/nano_gptoss.safetensors");
  ASSERT_GT(st.tensors().size(), 10U);
  std::uint64_t bytes = 0;
  for (const Tensor& t : st.tensors()) {
    EXPECT_EQ(st.find(t.name), &t);
    bytes += t.data.size();
  }
  EXPECT_GT(bytes, 100000U);
  EXPECT_EQ(st.find("no such tensor"), nullptr);
  try {
    (void)st.at("lm_hed");
    FAIL();
  } catch (const isa::InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("nano_gptoss.safetensors: no tensor 'lm_hed'; it holds '"));
  }
}

TEST(Safetensors, LyingLengthsAreRefused) {
  EXPECT_EQ(error_of(std::vector<std::uint8_t>{1, 2}), "m.st: 2 bytes; a safetensors file has at least 8");
  auto f = file("{}", 0);
  f[0] = 3;
  EXPECT_EQ(error_of(f), "m.st: header of 3 bytes, but 2 bytes follow; the file is truncated");
  f[7] = 0xff;
  EXPECT_EQ(error_of(f),
            "m.st: header of 18374686479671623683 bytes; allowed: at most 100000000 (is it a safetensors file?)");
  EXPECT_EQ(error_of(file("", 4)), "m.st: header begins with ''; expected '{'");
  EXPECT_EQ(error_of("[1]"), "m.st: header begins with '['; expected '{'");
}

TEST(Safetensors, OffsetsAndSizesAreChecked) {
  EXPECT_EQ(error_of(one("U8", "16", "0,16")), "no error");
  EXPECT_EQ(error_of(one("U8", "17", "0,17")),
            "m.st: tensor 'a': data_offsets 0..17; allowed: ascending, within the 16 bytes behind the header");
  EXPECT_THAT(error_of(one("U8", "4", "8,4")), HasSubstr("data_offsets 8..4; allowed: ascending"));
  EXPECT_THAT(error_of(one("U8", "1", "18446744073709551615,18446744073709551615")), HasSubstr("within the 16 bytes"));
  EXPECT_EQ(error_of(one("F32", "3", "2,14")),
            "m.st: tensor 'a': begins at byte 2; expected a multiple of 4, the size of F32");
  EXPECT_EQ(error_of(one("F32", "2, 2", "0,12")),
            "m.st: tensor 'a': shape [2, 2] of F32 needs 16 bytes, data_offsets give 12");
  EXPECT_EQ(error_of(one("F32", "4611686018427387905", "0,4")),
            "m.st: tensor 'a': shape [4611686018427387905] of F32 needs more than 2^64 bytes, data_offsets give 4");
  EXPECT_EQ(error_of(one("U8", "8", "8,16")),
            "m.st: tensor 'a': begins at byte 8, after a gap; expected 0, where the one before ends");
  EXPECT_EQ(error_of(one("U8", "8", "0,8")), "m.st: 8 bytes behind the last tensor; expected none");
  EXPECT_EQ(
      error_of(
          R"({"a":{"dtype":"U8","shape":[12],"data_offsets":[0,12]},"b":{"dtype":"U8","shape":[8],"data_offsets":[8,16]}})"),
      "m.st: tensor 'b': begins at byte 8, inside another; expected 12, where the one before ends");
  EXPECT_EQ(
      error_of(
          R"({"a":{"dtype":"U8","shape":[16],"data_offsets":[0,16]},"b":{"dtype":"U8","shape":[16],"data_offsets":[0,16]}})"),
      "m.st: tensor 'b': begins at byte 0, inside another; expected 16, where the one before ends");
  EXPECT_EQ(error_of("{}", 1), "m.st: 1 bytes behind the last tensor; expected none");
}

TEST(Safetensors, OtherJsonIsRefused) {
  const auto in_a = [](const std::string& s) { return error_of(R"({"a":{)" + s + "}}"); };
  EXPECT_EQ(error_of(R"({"a":5})"), "m.st: 'a' in the header: expected an object, found 5");
  EXPECT_EQ(error_of(R"({"a":[]})"), "m.st: 'a' in the header: expected an object, found an array");
  EXPECT_EQ(error_of(R"({"a":null})"), "m.st: 'a' in the header: expected an object, found null");
  EXPECT_EQ(error_of(R"({"__metadata__":{"x":1}})"), "m.st: __metadata__, key 'x': expected a text, found 1");
  EXPECT_EQ(error_of(R"({"__metadata__":{"x":{}}})"), "m.st: __metadata__, key 'x': expected a text, found an object");
  EXPECT_EQ(error_of(R"({"__metadata__":{"x":"1","x":"2"}})"), "m.st: 'x' twice in the header");
  EXPECT_EQ(error_of(R"({"__metadata__":{},"__metadata__":{}})"), "m.st: '__metadata__' twice in the header");
  EXPECT_EQ(
      error_of(
          R"({"a":{"dtype":"U8","shape":[16],"data_offsets":[0,16]},"a":{"dtype":"U8","shape":[16],"data_offsets":[0,16]}})"),
      "m.st: 'a' twice in the header");
  EXPECT_EQ(in_a(R"("dtype":"U8","dtype":"U8")"), "m.st: tensor 'a', dtype twice in the header");
  EXPECT_EQ(in_a(R"("dtype":8)"), "m.st: tensor 'a', dtype: expected a text, found 8");
  EXPECT_EQ(in_a(R"("dtype":"F4","shape":[],"data_offsets":[0,16])").substr(0, 50),
            "m.st: tensor 'a': element type 'F4'; allowed: BOOL");
  EXPECT_EQ(in_a(R"("shape":5)"), "m.st: tensor 'a', shape: expected an array of numbers from 0 to 2^64-1, found 5");
  EXPECT_EQ(in_a(R"("shape":[-1])"), "m.st: tensor 'a', shape: expected a number from 0 to 2^64-1, found -1");
  EXPECT_EQ(in_a(R"("shape":[1.5])"), "m.st: tensor 'a', shape: expected a number from 0 to 2^64-1, found '1.5'");
  EXPECT_EQ(in_a(R"("shape":[18446744073709551616])"),
            "m.st: tensor 'a', shape: expected a number from 0 to 2^64-1, found '18446744073709551616'");
  EXPECT_EQ(in_a(R"("shape":["x"])"),
            "m.st: tensor 'a', shape: expected a number from 0 to 2^64-1, found the text 'x'");
  EXPECT_EQ(in_a(R"("shape":[[1]])"), "m.st: tensor 'a', shape: expected a number from 0 to 2^64-1, found an array");
  EXPECT_EQ(in_a(R"("shap":[1])"), "m.st: tensor 'a': key 'shap'; allowed: dtype, shape, data_offsets");
  EXPECT_EQ(in_a(R"("shape":[1])"), "m.st: tensor 'a': no dtype; expected dtype, shape and data_offsets");
  EXPECT_EQ(in_a(R"("dtype":"U8","shape":[1],"data_offsets":[0])"),
            "m.st: tensor 'a': 1 data_offsets; expected two, begin and end");
  EXPECT_EQ(error_of(R"({"a" 1})"), "m.st: header, byte 5: not JSON; found '1}'");
  EXPECT_EQ(error_of("{\"a\xff\":1}"), "m.st: header, byte 3: not JSON; found '\xff\":1}'");
  EXPECT_EQ(error_of("{"), "m.st: header, byte 1: not JSON; found its end");
  EXPECT_EQ(error_of("{} x"), "m.st: header, byte 3: not JSON; found 'x'");
}

TEST(Safetensors, DeepNestingAndManyNumbersAreRefusedAtOnce) {
  EXPECT_THAT(error_of(R"({"a":{"shape":)" + std::string(1000000, '[')),
              HasSubstr("tensor 'a', shape: expected a number"));
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += R"({"a":)";
  EXPECT_THAT(error_of(objects), HasSubstr("tensor 'a': key 'a'; allowed"));
  std::string many = R"({"a":{"shape":[1)";
  for (int i = 0; i < 100000; ++i) many += ",1";
  EXPECT_EQ(error_of(many), "m.st: tensor 'a', shape: more than 64 numbers");
}

TEST(Safetensors, ThirtyThousandMutatedFilesAreReadOrRefusedNeverACrash) {
  std::mt19937_64 rng(5);
  const std::string good =
      R"({"__metadata__":{"format":"pt"},"w":{"dtype":"U8","shape":[2,3],"data_offsets":[0,6]},)"
      R"("x.scales":{"dtype":"BF16","shape":[5],"data_offsets":[6,16]},"y":{"dtype":"F32","shape":[],"data_offsets":[16,20]}})";
  constexpr std::string_view kBites = "{}[]\",:0123456789-.eE\\u \n\0tfn";
  int read = 0;
  int refused = 0;
  for (int i = 0; i < 30000; ++i) {
    std::string h = good;
    for (std::uint64_t k = 0; k <= rng() % 3; ++k) {
      const std::size_t at = rng() % h.size();
      const char bite = rng() % 4 == 0 ? static_cast<char>(rng()) : kBites[rng() % kBites.size()];
      switch (rng() % 4) {
        case 0:
          h[at] = bite;
          break;
        case 1:
          h.insert(at, 1, bite);
          break;
        case 2:
          h.insert(at, good.substr(rng() % good.size(), rng() % 40));
          break;
        default:
          h.erase(at, 1 + rng() % 3);
          break;
      }
    }
    auto f = file(h, 20);
    if (rng() % 20 == 0) f.resize(rng() % f.size());
    if (rng() % 20 == 0) f[rng() % 8] = static_cast<std::uint8_t>(rng());
    try {
      const auto c = parse_safetensors(f, "m.st");
      std::size_t bytes = 0;
      for (const Tensor& t : c.tensors) {
        for (const std::uint8_t b : t.data) bytes += b < 20 ? 1 : 0;  // every byte can be read
      }
      ASSERT_EQ(bytes, 20U);
      ++read;
    } catch (const isa::InputError& e) {
      ASSERT_EQ(std::string(e.what()).substr(0, 6), "m.st: ");
      ++refused;
    }
  }
  EXPECT_EQ(read + refused, 30000);
  EXPECT_GT(read, 500);
  EXPECT_GT(refused, 10000);
}

}  // namespace
}  // namespace tepin::model
