// SPDX-License-Identifier: Apache-2.0
#include "sw/support/npy.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "sw/isa/program.h"

namespace tepin::support {
namespace {

using ::testing::HasSubstr;

std::vector<std::uint8_t> file(const std::string& header, std::size_t data_bytes, unsigned major = 1) {
  std::string s = "\x93NUMPY";
  s += static_cast<char>(major);
  s += '\0';
  for (unsigned i = 0; i < (major == 1 ? 2U : 4U); ++i) s += static_cast<char>(header.size() >> (8 * i));
  s += header + std::string(data_bytes, 'x');
  return {s.begin(), s.end()};
}

std::string error_of(const std::vector<std::uint8_t>& bytes) {
  try {
    (void)decode_npy(bytes, "f.npy");
  } catch (const isa::InputError& e) {
    return e.what();
  }
  return "no error";
}

template <typename T>
void round_trip(const std::vector<T>& values, std::vector<std::uint64_t> shape) {
  const NpyArray a = make_npy<T>(std::span<const T>(values), std::move(shape));
  const auto bytes = encode_npy(a);
  const NpyArray b = decode_npy(bytes, "x");
  EXPECT_EQ(a, b);
  EXPECT_EQ(b.values<T>(), values);
  EXPECT_EQ((bytes.size() - a.data.size()) % 64, 0U);
}

TEST(Npy, EveryTypeAndRankSurvivesARoundTrip) {
  round_trip<std::uint8_t>({1, 255}, {2});
  round_trip<std::int8_t>({-128}, {1, 1, 1});
  round_trip<std::uint16_t>({65535, 0, 7, 8}, {2, 2});
  round_trip<std::int32_t>({-5}, {});
  round_trip<std::uint32_t>({0xffffffffU, 1}, {1, 2});
  round_trip<float>({1.5F, -0.0F, 3e38F, 1e-45F, 0, 1}, {3, 2});
  round_trip<float>({}, {0, 7});
}

TEST(Npy, BytesAreThoseNumPyWrites) {
  const std::vector<std::uint16_t> v{0x0102, 0x0304};
  const auto b = encode_npy(make_npy<std::uint16_t>(std::span<const std::uint16_t>(v), {2}));
  std::string expected("\x93NUMPY\x01\0\x76\0{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }", 67);
  expected.append(127 - expected.size(), ' ');
  expected += "\n\x02\x01\x04\x03";
  EXPECT_EQ(std::string(b.begin(), b.end()), expected);
}

TEST(Npy, ReadsFilesThatNumPyWrote) {
  const NpyArray x = read_npy(std::string(TEPIN_VECTORS_DIR) + "/rand_x.npy");
  EXPECT_EQ(x.type, NpyType::kFloat32);
  EXPECT_EQ(x.shape, (std::vector<std::uint64_t>{2000, 32}));
  const NpyArray t = read_npy(std::string(TEPIN_VECTORS_DIR) + "/bf16_to_e4m3_rne_sat.npy");
  EXPECT_EQ(t.type, NpyType::kUint8);
  EXPECT_EQ(t.data.size(), 65536U);
}

TEST(Npy, ReadsVersion2AndOtherSpellings) {
  EXPECT_EQ(decode_npy(file("{\"shape\":(2,2),'descr':'<u1','fortran_order':False}\n", 4, 2), "x").shape.size(), 2U);
  EXPECT_EQ(decode_npy(file("{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}", 4), "x").data.size(), 4U);
}

TEST(Npy, ErrorsNameFileFoundAndAllowed) {
  const auto with = [](const std::string& header, std::size_t n = 4) { return error_of(file(header, n)); };
  EXPECT_EQ(error_of({}), "f.npy: not a .npy file; expected it to start with \\x93NUMPY");
  EXPECT_EQ(error_of(file("", 0, 3)), "f.npy: file version 3.0; allowed: 1.0, 2.0");
  EXPECT_EQ(with("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}"),
            "f.npy: element type '<f8'; allowed: |u1 (uint8), |i1 (int8), <u2 (uint16), <i4 (int32), <u4 (uint32), <f4 "
            "(float32)");
  EXPECT_EQ(with("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}").substr(0, 26),
            "f.npy: element type '>f4';");
  EXPECT_EQ(with("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1)}"),
            "f.npy: Fortran order; allowed: C order (fortran_order False)");
  EXPECT_EQ(with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}"),
            "f.npy: shape (2, 3) of float32 needs 24 bytes, the file holds 4");
  EXPECT_THAT(with("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}"),
              HasSubstr("needs more than 2^64 bytes, the file holds 4"));
  EXPECT_EQ(with("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 0)}", 0), "no error");
  EXPECT_THAT(with("{'shape': (99999999999999999999,)}"), HasSubstr("a dimension exceeds 2^64-1"));
  EXPECT_THAT(with("{'shape': (-1,)}"), HasSubstr("header, character 11: expected a number, found '-1,)}'"));
  EXPECT_THAT(with("{'shape': (1,), 'shape': (1,)}"), HasSubstr("header key 'shape' twice"));
  EXPECT_THAT(with("{'shape': (1,)}"), HasSubstr("header lacks a key"));
  EXPECT_THAT(with("{'x': 1}"), HasSubstr("header key 'x'; allowed: descr, fortran_order, shape"));
  EXPECT_THAT(with("{'descr': '<f4', 'fortran_order': Maybe}"), HasSubstr("expected True or False, found 'Maybe}'"));
  EXPECT_THAT(with("{} x"), HasSubstr("expected the end of the header, found 'x'"));
  EXPECT_THAT(with("{'descr"), HasSubstr("expected a quoted string that ends"));
  EXPECT_THAT(with("{'shape': (" + std::string(99, '1') + ")}"), HasSubstr("exceeds"));
  std::string many = "{'shape': (";
  for (int i = 0; i < 33; ++i) many += "1,";
  EXPECT_THAT(with(many + ")}"), HasSubstr("more than 32 dimensions"));
  auto truncated = file(std::string(70, ' '), 0);
  truncated.resize(60);
  EXPECT_EQ(error_of(truncated), "f.npy: header of 70 bytes, but 50 bytes follow; the file is truncated");
  truncated.resize(7);
  EXPECT_EQ(error_of(truncated), "f.npy: 7 bytes; the header is truncated");
}

TEST(Npy, TwentyThousandMutatedFilesAreReadOrRefusedNeverACrash) {
  std::mt19937_64 rng(2);
  const std::vector<float> v(12, 1.0F);
  const auto good = encode_npy(make_npy<float>(std::span<const float>(v), {3, 4}));
  constexpr std::string_view kBites = "{}()',:<>|0123456789uif TrueFalse\n\0";
  int read = 0;
  int refused = 0;
  for (int i = 0; i < 30000; ++i) {
    auto b = good;
    for (std::uint64_t k = 0; k <= rng() % 4; ++k) {
      const std::size_t at = rng() % (rng() % 2 == 0 ? 80 : b.size());
      const auto bite =
          static_cast<std::uint8_t>(rng() % 2 == 0 ? kBites[rng() % kBites.size()] : static_cast<char>(rng()));
      switch (rng() % 3) {
        case 0:
          b[at] = bite;
          break;
        case 1:
          b.insert(b.begin() + static_cast<std::ptrdiff_t>(at), bite);
          break;
        default:
          b.erase(b.begin() + static_cast<std::ptrdiff_t>(at));
          break;
      }
    }
    if (rng() % 8 == 0) b.resize(rng() % b.size());
    try {
      const NpyArray a = decode_npy(b, "x");
      ASSERT_EQ(decode_npy(encode_npy(a), "y"), a);
      ++read;
    } catch (const isa::InputError&) {
      ++refused;
    }
  }
  EXPECT_EQ(read + refused, 30000);
  EXPECT_GT(read, 300);
  EXPECT_GT(refused, 10000);
}

}  // namespace
}  // namespace tepin::support
