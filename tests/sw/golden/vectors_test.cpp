// SPDX-License-Identifier: Apache-2.0
#include "sw/golden/vectors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sw/isa/program.h"

namespace tepin::golden {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A folder of its own for each test, removed afterwards.
class VectorFolder : public ::testing::Test {
 protected:
  VectorFolder()
      : dir_(fs::temp_directory_path() /
             ("tepin_vectors_" + std::to_string(::getpid()) +
              std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    fs::remove_all(dir_);
    fs::create_directories(dir_);
  }
  ~VectorFolder() override { fs::remove_all(dir_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(dir_ / name, std::ios::binary) << text;
  }
  void copy(const std::string& name) const { fs::copy_file(fs::path(TEPIN_VECTORS_DIR) / name, dir_ / name); }
  [[nodiscard]] std::string error() const {
    GoldenBackend golden;
    try {
      (void)run_vectors(dir_, golden);
    } catch (const isa::InputError& e) {
      return e.what();
    }
    return "no error";
  }
  fs::path dir_;
};

TEST(Vectors, GoldenModelAgreesWithEveryFile) {
  GoldenBackend golden;
  const VectorReport r = run_vectors(TEPIN_VECTORS_DIR, golden);
  std::map<std::string, std::uint64_t> cases;
  for (const VectorFileReport& f : r.files) {
    cases[f.file] = f.cases;
    EXPECT_EQ(f.mismatches, 0U) << f.file << ": " << (f.first_mismatches.empty() ? "" : f.first_mismatches[0]);
    EXPECT_EQ(f.skipped, 0U) << f.file;
  }
  const std::map<std::string, std::uint64_t> expected{{"bf16_to_e2m1_rne_sat.npy", 65536},
                                                      {"bf16_to_e2m3_rne_sat.npy", 65536},
                                                      {"bf16_to_e3m2_rne_sat.npy", 65536},
                                                      {"bf16_to_e4m3_rne_sat.npy", 65536},
                                                      {"bf16_to_e5m2_rne_sat.npy", 65536},
                                                      {"e8m0_decode.csv", 256},
                                                      {"elem_decode.csv", 912},
                                                      {"fp32_to_elem_boundaries.csv", 4026},
                                                      {"mx_blocks.json", 2625},
                                                      {"mx_dots.json", 259},
                                                      {"mxfp4_dequant_all.csv", 8192},
                                                      {"rand_e2m1_codes.npy", 2000},
                                                      {"rand_e2m1_scale.npy", 2000},
                                                      {"rand_e4m3_codes.npy", 2000},
                                                      {"rand_e4m3_scale.npy", 2000},
                                                      {"rand_e5m2_codes.npy", 2000},
                                                      {"rand_e5m2_scale.npy", 2000}};
  EXPECT_EQ(cases, expected);
  EXPECT_EQ(r.mismatches, 0U);
}

/// Every answer differs from the golden model's in its lowest bit.
class WrongBackend final : public Backend {
 public:
  Answer<std::uint32_t> decode_elem(isa::Format f, std::uint8_t code) override {
    return *golden_.decode_elem(f, code).value ^ 1U;
  }
  Answer<std::uint32_t> decode_scale(std::uint8_t scale) override { return *golden_.decode_scale(scale).value ^ 1U; }
  Answer<std::uint16_t> to_bf16(std::uint32_t fp32) override {
    return static_cast<std::uint16_t>(*golden_.to_bf16(fp32).value ^ 1U);
  }
  Answer<std::array<std::uint32_t, kBlock>> dequantise(isa::Format f, const Block& b) override {
    auto v = *golden_.dequantise(f, b).value;
    v[0] ^= 1U;
    v[31] ^= 1U;
    return v;
  }
  Answer<Block> quantise(isa::Format f, std::span<const std::uint32_t, kBlock> fp32, ScaleRule rule) override {
    Block b = *golden_.quantise(f, fp32, rule).value;
    b.scale ^= 1U;
    b.codes[31] ^= 1U;
    return b;
  }
  Answer<std::vector<std::uint8_t>> convert(isa::Format f, std::span<const std::uint32_t> fp32) override {
    auto v = *golden_.convert(f, fp32).value;
    for (auto& c : v) c ^= 1U;
    return v;
  }
  Answer<DotBits> dot(const DotCase& c) override {
    DotBits d = *golden_.dot(c).value;
    (c.tensor_scale ? *d.scaled : d.per_block) ^= 1U;
    return d;
  }

 private:
  GoldenBackend golden_;
};

TEST(Vectors, EveryCaseCatchesAWrongBit) {
  WrongBackend wrong;
  const VectorReport r = run_vectors(TEPIN_VECTORS_DIR, wrong);
  for (const VectorFileReport& f : r.files) {
    EXPECT_EQ(f.mismatches, f.cases) << f.file;
    EXPECT_EQ(f.first_mismatches.size(), kMaxDescribed);
  }
  EXPECT_EQ(r.files.size(), 17U);
}

/// Implements nothing but dots with E2M1 weights.
class PartialBackend final : public Backend {
 public:
  Answer<std::uint32_t> decode_elem(isa::Format, std::uint8_t) override {
    return Answer<std::uint32_t>::no("no decoder");
  }
  Answer<std::uint32_t> decode_scale(std::uint8_t) override { return Answer<std::uint32_t>::no("no decoder"); }
  Answer<std::uint16_t> to_bf16(std::uint32_t) override { return Answer<std::uint16_t>::no("no decoder"); }
  Answer<std::array<std::uint32_t, kBlock>> dequantise(isa::Format, const Block&) override {
    return Answer<std::array<std::uint32_t, kBlock>>::no("no dequantiser");
  }
  Answer<Block> quantise(isa::Format, std::span<const std::uint32_t, kBlock>, ScaleRule) override {
    return Answer<Block>::no("no quantiser");
  }
  Answer<std::vector<std::uint8_t>> convert(isa::Format, std::span<const std::uint32_t>) override {
    return Answer<std::vector<std::uint8_t>>::no("no converter");
  }
  Answer<DotBits> dot(const DotCase& c) override {
    if (c.weight != "e2m1") return Answer<DotBits>::no(c.weight + " weights");
    return GoldenBackend().dot(c);
  }
};

TEST(Vectors, CountsWhatABackendDoesNotTakeWithItsReason) {
  PartialBackend partial;
  const VectorReport r = run_vectors(TEPIN_VECTORS_DIR, partial);
  EXPECT_EQ(r.files.size(), 17U);
  for (const VectorFileReport& f : r.files) {
    EXPECT_EQ(f.mismatches, 0U);
    std::uint64_t reasons = 0;
    for (const auto& [reason, count] : f.skip_reasons) reasons += count;
    EXPECT_EQ(reasons, f.skipped);
    if (f.file != "mx_dots.json") {
      EXPECT_EQ(f.skipped, f.cases) << f.file;
      continue;
    }
    EXPECT_EQ(f.cases, 259U);
    EXPECT_EQ(f.skipped, 259U - 95U);
    EXPECT_EQ(f.skip_reasons.at("nvfp4 weights"), 24U);
    EXPECT_EQ(f.skip_reasons.at("e5m2 weights"), 44U);
  }
}

TEST_F(VectorFolder, MayLackFilesAndHoldOthers) {
  write("README.md", "nothing");
  copy("e8m0_decode.csv");
  GoldenBackend golden;
  const VectorReport r = run_vectors(dir_, golden);
  ASSERT_EQ(r.files.size(), 1U);
  EXPECT_EQ(r.cases, 256U);
}

TEST_F(VectorFolder, RandomBlocksWithoutInputsAreSkippedNotForgotten) {
  copy("rand_e2m1_codes.npy");
  GoldenBackend golden;
  const VectorReport r = run_vectors(dir_, golden);
  ASSERT_EQ(r.files.size(), 1U);
  EXPECT_EQ(r.files[0].skip_reasons.at("rand_x.npy is missing"), 2000U);
}

TEST_F(VectorFolder, TakesOtherContentsOfTheSameLayout) {
  write("elem_decode.csv", "note,fp32_bits_hex,code_hex,format\r\nx,3f000000,01,e2m1\r\n,3f800000,01,e2m1\n");
  GoldenBackend golden;
  const VectorReport r = run_vectors(dir_, golden);
  EXPECT_EQ(r.cases, 2U);
  EXPECT_EQ(r.mismatches, 1U);
  EXPECT_THAT(r.files[0].first_mismatches.at(0), HasSubstr("e2m1 code 01: got 3f000000, expected 3f800000"));
}

TEST_F(VectorFolder, RefusesAFolderThatIsNone) {
  dir_ /= "absent";
  EXPECT_THAT(error(), HasSubstr("absent: is no folder"));
}

TEST_F(VectorFolder, NamesTheLineOfABadNumber) {
  write("e8m0_decode.csv", "code_hex,fp32_bits_hex\n00,00400000\n1zz,0\n");
  EXPECT_THAT(
      error(),
      HasSubstr("e8m0_decode.csv: line 3, column code_hex: '1zz' is not a hexadecimal number of at most 8 bits"));
}

TEST_F(VectorFolder, NamesAMissingColumnAndAShortRow) {
  write("e8m0_decode.csv", "code,fp32_bits_hex\n");
  EXPECT_THAT(error(), HasSubstr("line 1: no column 'code_hex'"));
  write("e8m0_decode.csv", "code_hex,fp32_bits_hex\n00\n");
  EXPECT_THAT(error(), HasSubstr("line 2: 1 columns, expected 2"));
}

TEST_F(VectorFolder, NamesAnUnknownElement) {
  write("elem_decode.csv", "format,code_hex,fp32_bits_hex\ne9m9,00,0\n");
  EXPECT_THAT(error(), HasSubstr("element 'e9m9' is unknown; allowed: e2m1, e4m3, int8, e5m2, e2m3, e3m2"));
}

TEST_F(VectorFolder, ScalesUnderOtherRulesMayBeMissingButNotUnknown) {
  std::ifstream in(fs::path(TEPIN_VECTORS_DIR) / "mx_blocks.json", std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string s = whole;
    for (std::size_t at = 0; (at = s.find(from, at)) != std::string::npos; at += to.size())
      s.replace(at, from.size(), to);
    return s;
  };
  write("mx_blocks.json", replaced("scale_by_mode", "note"));
  GoldenBackend golden;
  const VectorReport r = run_vectors(dir_, golden);
  EXPECT_EQ(r.cases, 1006U);
  EXPECT_EQ(r.mismatches, 0U);
  write("mx_blocks.json", replaced("\"rceil\"", "\"nearest\""));
  EXPECT_THAT(error(), HasSubstr("scale_by_mode: expected the keys floor, even, rceil and ceil, found 'nearest'"));
}

TEST_F(VectorFolder, RefusesBrokenArrays) {
  write("bf16_to_e2m1_rne_sat.npy", "no array");
  EXPECT_THAT(error(), HasSubstr("is not an .npy file"));
  std::ifstream in(fs::path(TEPIN_VECTORS_DIR) / "bf16_to_e2m1_rne_sat.npy", std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  write("bf16_to_e2m1_rne_sat.npy", whole.substr(0, whole.size() - 1));
  EXPECT_THAT(error(), HasSubstr("holds 65535 bytes of data, its shape needs 65536"));
  write("bf16_to_e2m1_rne_sat.npy", whole.substr(0, 40));
  EXPECT_THAT(error(), HasSubstr("ends inside its header"));
  fs::copy_file(fs::path(TEPIN_VECTORS_DIR) / "rand_x.npy", dir_ / "bf16_to_e2m1_rne_sat.npy",
                fs::copy_options::overwrite_existing);
  EXPECT_THAT(error(), HasSubstr("has elements '<f4', expected '|u1'"));
}

TEST_F(VectorFolder, NamesThePlaceOfABadJsonValue) {
  write("mx_dots.json", "{\"cases\": [");
  EXPECT_THAT(error(), HasSubstr("mx_dots.json: is no JSON"));
  write("mx_dots.json",
        R"({"cases": [{"name": "n", "fa": "e2m1", "fb": "e2m1", "a": [{"scale": 256, "codes": []}], "b": []}]})");
  EXPECT_THAT(error(), HasSubstr("file.cases[0].a[0].scale: expected an integer of 0..255"));
  write("mx_dots.json", R"({"cases": [{"name": "n", "fa": "e2m1"}]})");
  EXPECT_THAT(error(), HasSubstr("file.cases[0]: expected the key 'fb'"));
  write("mx_dots.json", R"({"cases": [{"name": "n", "fa": "e2m1", "fb": "mx9"}]})");
  EXPECT_THAT(error(), HasSubstr("element 'mx9' is unknown"));
}

}  // namespace
}  // namespace tepin::golden
