// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <random>

#include "tests/rtl/engine_run.h"

namespace {

using namespace tepin;
using rtl_test::cycles;

TEST(Vpu, ElementwiseOperationsProduceSixteenResultsACycle) {
  for (const char* op : {"vmov", "vadds", "vmuls", "vcvtf", "vcvtbf"}) {
    const auto text = [&](int n) {
      const std::string s = std::string(op) == "vadds" || std::string(op) == "vmuls" ? ", s=r4" : "";
      return fmt::format(
          " li r1, 0x8000\n li r2, 0\n li r3, {}\n li r4, 0x3f800000\n {} dst=r1, src=r2, n=r3{}\n halt\n", n, op, s);
    };
    // The formula is without bank conflicts; results and operands that meet in a bank cost a few cycles more.
    const std::uint64_t measured = cycles(text(3200)) - cycles(text(1600));
    EXPECT_GE(measured, 100U) << op;
    EXPECT_LE(measured, 120U) << op;
  }
}

TEST(Vpu, QuantiseAndDequantiseTakeTwoCyclesABlock) {
  const auto text = [](const char* op, int n) {
    return fmt::format(
        " li r1, 0x8000\n li r2, 0\n li r3, {}\n li r4, 0xf000\n li r5, {}\n li r6, {}\n li r7, 1\n"
        " {} dst=r1, src=r2, nblk=r3, scl=r4, dstep=r5, sstep=r6, cstep=r7, fmt=mxint8\n halt\n",
        n, std::string(op) == "vqnt" ? 32 : 128, std::string(op) == "vqnt" ? 128 : 32, op);
  };
  for (const char* op : {"vqnt", "vdqt"}) {
    // One cycle either way depends on which banks the ends fall into; conflicts add.
    const std::uint64_t measured = cycles(text(op, 200)) - cycles(text(op, 100));
    EXPECT_GE(measured, 199U) << op;
    EXPECT_LE(measured, 240U) << op;
  }
}

TEST(Vpu, AddsSubtractsAndMultipliesEveryKindOfOperandBitForBit) {
  // Pairs over zeros, subnormals, normals, the largest, infinity and NaN, both signs; lockstep compares each byte.
  const std::vector<std::uint32_t> kinds{0x00000000, 0x00000001, 0x00400000, 0x007fffff, 0x00800000,
                                         0x00800001, 0x3f800000, 0x3f800001, 0x3fffffff, 0x4b800000,
                                         0x4b7fffff, 0x7f7fffff, 0x7f000000, 0x7f800000, 0x7fc00000,
                                         0x7f800001, 0x33800000, 0x33800001, 0x1f800000, 0x20000000};
  std::vector<std::uint32_t> a, b;
  for (const std::uint32_t x : kinds) {
    for (const std::uint32_t y : kinds) {
      for (const std::uint32_t s : {0U, 1U, 2U, 3U}) {
        a.push_back(x | (s & 1) << 31);
        b.push_back(y | (s >> 1) << 31);
      }
    }
  }
  std::mt19937 rng(13);
  while (a.size() < 6000) {
    const auto e = static_cast<std::uint32_t>(rng() % 255);
    a.push_back((static_cast<std::uint32_t>(rng()) & 0x807fffffU) | e << 23);
    b.push_back((static_cast<std::uint32_t>(rng()) & 0x807fffffU) |
                std::min<std::uint32_t>(254, e + static_cast<std::uint32_t>(rng() % 30)) << 23);
  }
  tb::TileSim sim;
  kernels::Launch launch;
  launch.params.resize(0x10000);
  std::memcpy(&launch.params[0x0000], a.data(), a.size() * 4);
  std::memcpy(&launch.params[0x8000], b.data(), b.size() * 4);
  launch.section =
      assembly::assemble(
          fmt::format(" li r1, 0\n li r2, 0x8000\n li r3, 0x10000\n li r4, {}\n vadd dst=r3, src=r1, src2=r2, n=r4\n"
                      " vsub dst=r3, src=r1, src2=r2, n=r4\n vmul dst=r3, src=r1, src2=r2, n=r4\n"
                      " vcvtbf dst=r3, src=r1, n=r4\n halt\n",
                      a.size()),
          "test.s", tb::kTileConfig)
          .sections.at(0);
  const tb::LaunchResult r = tb::run_rtl(sim, launch, 100000);
  EXPECT_EQ(r.golden.status, golden::Status::kDone) << r.golden.text();
  EXPECT_EQ(r.mismatches, 0U) << r.first_mismatch;
  EXPECT_GT(r.checked, a.size() * 14);
}

TEST(Vpu, FunctionsTakeTheirStepsForEachChunk) {
  struct Case {
    const char* op;
    std::uint64_t steps;
  };
  for (const Case& c : {Case{"vexp2 dst=r1, src=r2, n=r3", 10}, Case{"vrcp dst=r1, src=r2, n=r3", 8},
                        Case{"vswiglu dst=r1, src=r2, n=r3, src2=r2, s=r4, k=r4", 22},
                        Case{"vmin dst=r1, src=r2, n=r3, src2=r2", 1}, Case{"vmaxs dst=r1, src=r2, n=r3, s=r4", 1}}) {
    const auto text = [&](int n) {
      return fmt::format(" li r1, 0x8000\n li r2, 0\n li r3, {}\n li r4, 0x3f800000\n {}\n halt\n", n, c.op);
    };
    const std::uint64_t measured = cycles(text(3200)) - cycles(text(1600));
    EXPECT_GE(measured, 100 * c.steps) << c.op;
    EXPECT_LE(measured, 100 * c.steps + 20) << c.op;
  }
}

TEST(Vpu, FunctionsGiveTheBitsOfTheirDefinition) {
  // Every exponent of both signs, special values, and what is near the ends of 2^x; lockstep compares each byte.
  std::vector<std::uint32_t> a, b;
  std::mt19937 rng(17);
  for (std::uint32_t e = 0; e < 256; ++e)
    for (const std::uint32_t f : {0U, 1U, 0x400000U, 0x7fffffU, static_cast<std::uint32_t>(rng()) & 0x7fffffU})
      for (const std::uint32_t sign : {0U, 1U << 31}) a.push_back(sign | e << 23 | f);
  for (std::uint32_t i = 0; i < 400; ++i) {
    a.push_back(0x43000000 - 200 + i);  // about 128
    a.push_back(0xc3160000 - 200 + i);  // about -150
    a.push_back(0xc2fc0000 - 200 + i);  // about -126
  }
  while (a.size() < 6400) {  // -256..256, as exponents of 2 and as gates
    const auto e = 100 + static_cast<std::uint32_t>(rng()) % 35;
    a.push_back((static_cast<std::uint32_t>(rng()) & 0x807fffffU) | e << 23);
  }
  for (std::size_t i = 0; i < a.size(); ++i) b.push_back(a[(i * 7 + 3) % a.size()]);
  tb::TileSim sim;
  kernels::Launch launch;
  launch.params.resize(0x10000);
  std::memcpy(&launch.params[0x0000], a.data(), a.size() * 4);
  std::memcpy(&launch.params[0x8000], b.data(), b.size() * 4);
  launch.section =
      assembly::assemble(
          fmt::format(" li r1, 0\n li r2, 0x8000\n li r3, 0x10000\n li r4, {}\n li r5, 0x40e00000\n li r6, 0xc01d265f\n"
                      " vexp2 dst=r3, src=r1, n=r4\n vrcp dst=r3, src=r1, n=r4\n"
                      " vswiglu dst=r3, src=r1, src2=r2, n=r4, s=r5, k=r6\n vmin dst=r3, src=r1, src2=r2, n=r4\n"
                      " vmax dst=r3, src=r1, src2=r2, n=r4\n vmins dst=r3, src=r1, n=r4, s=r5\n"
                      " vmaxs dst=r3, src=r1, n=r4, s=r6\n halt\n",
                      a.size()),
          "test.s", tb::kTileConfig)
          .sections.at(0);
  const tb::LaunchResult r = tb::run_rtl(sim, launch, 100000);
  EXPECT_EQ(r.golden.status, golden::Status::kDone) << r.golden.text();
  EXPECT_EQ(r.mismatches, 0U) << r.first_mismatch;
  EXPECT_GT(r.checked, a.size() * 28);
}

}  // namespace
