// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "fixture.h"
#include "sw/golden/mx.h"

namespace tepin::golden::testing {
namespace {

std::uint32_t fp(float f) { return std::bit_cast<std::uint32_t>(f); }

TEST(Vpu, MovesAndFillsBitsUnchanged) {
  Machine m(isa::kNano);
  m.load_spad(0x100, words(std::array{0xff800001U, 2U, 3U}));  // a NaN's payload survives
  Builder p;
  p.thread(0).engine("vmov", {{"dst", 0x200}, {"src", 0x100}, {"n", 3}});
  p.engine("vfill", {{"dst", 0x300}, {"n", 5}, {"s", 0x7f812345U}}).halt();
  run_done(m, p);
  EXPECT_EQ(spad(m, 0x200, 12), words(std::array{0xff800001U, 2U, 3U}));
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(word(m, 0x300 + 4 * i), 0x7f812345U);
  EXPECT_EQ(m.spad().written[0x20c], 0);
  EXPECT_EQ(m.spad().written[0x314], 0);
}

TEST(Vpu, AddsSubtractsAndMultipliesElementwiseAndByAScalar) {
  const Bytes a = floats({1.5F, -2.0F, 1e30F, 3.0F});
  const Bytes b = floats({0.25F, 4.0F, 1e30F, -3.0F});
  const std::vector<std::pair<std::string_view, Bytes>> cases{{"vadd", floats({1.75F, 2.0F, 2e30F, 0.0F})},
                                                              {"vsub", floats({1.25F, -6.0F, 0.0F, 6.0F})},
                                                              {"vmul", floats({0.375F, -8.0F, INFINITY, -9.0F})}};
  for (const auto& [op, expected] : cases) {
    Machine m(isa::kNano);
    m.load_spad(0x100, a);
    m.load_spad(0x200, b);
    Builder p;
    p.thread(0).engine(op, {{"dst", 0x300}, {"src", 0x100}, {"n", 4}, {"src2", 0x200}}).halt();
    run_done(m, p);
    EXPECT_EQ(spad(m, 0x300, 16), expected) << op;
  }
  Machine m(isa::kNano);
  m.load_spad(0x100, a);
  Builder p;
  p.thread(0).engine("vadds", {{"dst", 0x300}, {"src", 0x100}, {"n", 4}, {"s", fp(-1.5F)}});
  p.engine("vmuls", {{"dst", 0x400}, {"src", 0x100}, {"n", 4}, {"s", fp(-0.5F)}}).halt();
  run_done(m, p);
  EXPECT_EQ(spad(m, 0x300, 16), floats({0.0F, -3.5F, 1e30F, 1.5F}));
  EXPECT_EQ(spad(m, 0x400, 16), floats({-0.75F, 1.0F, -5e29F, -1.5F}));
}

TEST(Vpu, FmaByAScalarRoundsOnce) {
  const float eps = 0x1p-23F;
  Machine m(isa::kNano);
  m.load_spad(0x100, floats({1 + eps, 2.0F, INFINITY, -0.0F, 1.0F}));
  m.load_spad(0x200, floats({-1 - 2 * eps, 0.5F, 1.0F, -0.0F, NAN}));
  Builder p;
  p.thread(0).engine("vfmas", {{"dst", 0x300}, {"src", 0x100}, {"n", 5}, {"src2", 0x200}, {"s", fp(1 + eps)}});
  p.engine("vfmas", {{"dst", 0x400}, {"src", 0x100}, {"n", 3}, {"src2", 0x200}, {"s", 0}}).halt();
  run_done(m, p);
  EXPECT_EQ(spad(m, 0x300, 16), floats({eps * eps, 2.5F + 2 * eps, INFINITY, -0.0F}));
  EXPECT_EQ(word(m, 0x310), kNan32);
  EXPECT_EQ(spad(m, 0x400, 8), floats({-1 - 2 * eps, 0.5F}));
  EXPECT_EQ(word(m, 0x408), kNan32) << "infinity times zero";
}

TEST(Vpu, FmaMayWriteToEitherSource) {
  for (const std::uint32_t dst : {0x100U, 0x200U}) {
    Machine m(isa::kNano);
    m.load_spad(0x100, floats({1.0F, 2.0F}));
    m.load_spad(0x200, floats({10.0F, 20.0F}));
    Builder p;
    p.thread(0).engine("vfmas", {{"dst", dst}, {"src", 0x100}, {"n", 2}, {"src2", 0x200}, {"s", fp(3.0F)}}).halt();
    run_done(m, p);
    EXPECT_EQ(spad(m, dst, 8), floats({13.0F, 26.0F}));
  }
  Machine m(isa::kNano);  // any other overlap is a race
  m.load_spad(0x100, Bytes(256));
  Builder p;
  p.thread(0).engine("vfmas", {{"dst", 0x120}, {"src", 0x180}, {"n", 16}, {"src2", 0x100}}).halt();
  run_finding(m, p, FindingKind::kRaceSelf);
}

TEST(Vpu, ADestinationMayBeTheSourceItself) {
  Machine m(isa::kNano);
  m.load_spad(0x100, floats({1.0F, 2.0F}));
  Builder p;
  p.thread(0).engine("vadd", {{"dst", 0x100}, {"src", 0x100}, {"n", 2}, {"src2", 0x100}}).halt();
  run_done(m, p);
  EXPECT_EQ(spad(m, 0x100, 8), floats({2.0F, 4.0F}));
}

TEST(Vpu, ConvertsToBf16AndBack) {
  Machine m(isa::kNano);
  m.load_spad(0, words(std::array{0x3f808000U, 0x3f818000U, 0x7f7fffffU, 0xff900000U}));
  Builder p;
  p.thread(0).engine("vcvtbf", {{"dst", 0x100}, {"src", 0}, {"n", 4}});
  p.engine("vcvtf", {{"dst", 0x200}, {"src", 0x100}, {"n", 4}}).halt();
  run_done(m, p);
  EXPECT_EQ(spad(m, 0x100, 8), (Bytes{0x80, 0x3f, 0x82, 0x3f, 0x80, 0x7f, 0xc0, 0x7f}));
  EXPECT_EQ(spad(m, 0x200, 16), words(std::array{0x3f800000U, 0x3f820000U, 0x7f800000U, 0x7fc00000U}));
}

TEST(Vpu, QuantisesAndDequantisesEveryFormatWithSteps) {
  for (std::uint32_t f = 0; f < kNumMxFormats; ++f) {
    const auto format = static_cast<isa::Format>(f);
    const std::uint32_t b = block_bytes(format);
    Machine m(isa::kNano);
    std::mt19937_64 rng(f);
    std::array<std::array<std::uint32_t, kBlock>, 3> x{};
    for (std::uint32_t k = 0; k < 3; ++k) {
      for (auto& v : x[k]) v = (static_cast<std::uint32_t>(rng()) & 0x83ffffffU) + 0x3c000000U;
      m.load_spad(k * 160, words(x[k]));
    }
    Builder p;
    p.thread(0).engine("vqnt", {{"dst", 0x1000},
                                {"src", 0},
                                {"nblk", 3},
                                {"scl", 0x2001},
                                {"dstep", 2 * b},
                                {"sstep", 160},
                                {"cstep", 7},
                                {"fmt", f}});
    p.engine("vdqt", {{"dst", 0x3000},
                      {"src", 0x1000},
                      {"nblk", 3},
                      {"scl", 0x2001},
                      {"dstep", 128},
                      {"sstep", 2 * b},
                      {"cstep", 7},
                      {"fmt", f}})
        .halt();
    run_done(m, p);
    for (std::uint32_t k = 0; k < 3; ++k) {
      const Block q = quantise(format, x[k]);
      Bytes packed(b);
      pack_codes(format, q.codes, packed.data());
      EXPECT_EQ(spad(m, 0x1000 + k * 2 * b, b), packed);
      EXPECT_EQ(m.spad().bytes[0x2001 + k * 7], q.scale);
      EXPECT_EQ(spad(m, 0x3000 + k * 128, 128), words(dequantise(format, q)));
      EXPECT_EQ(m.spad().written[0x1000 + k * 2 * b + b], 0);
    }
  }
}

TEST(Vpu, QuantisesByTheRuleAndFromBf16) {
  std::mt19937_64 rng(1);
  for (std::uint32_t f = 0; f < kNumMxFormats; ++f) {
    const auto format = static_cast<isa::Format>(f);
    const std::uint32_t b = block_bytes(format);
    for (std::uint32_t rule = 0; rule < kNumScaleRules; ++rule) {
      for (const bool bf16 : {false, true}) {
        Machine m(isa::kNano);
        std::array<std::array<std::uint32_t, kBlock>, 3> x{};
        for (std::uint32_t k = 0; k < 3; ++k) {
          Bytes halves;
          for (auto& v : x[k]) {
            v = static_cast<std::uint32_t>(rng()) & 0xbfffffffU;
            if (bf16) v &= 0xffff0000U;
            halves.push_back(static_cast<std::uint8_t>(v >> 16));
            halves.push_back(static_cast<std::uint8_t>(v >> 24));
          }
          m.load_spad(k * 160, bf16 ? halves : words(x[k]));
        }
        Builder p;
        p.thread(0)
            .engine("vqnt", {{"dst", 0x1000},
                             {"src", 0},
                             {"nblk", 3},
                             {"scl", 0x2001},
                             {"dstep", b},
                             {"sstep", 160},
                             {"cstep", 1},
                             {"fmt", f},
                             {"rule", rule},
                             {"bf16", bf16 ? 1U : 0U}})
            .halt();
        run_done(m, p);
        for (std::uint32_t k = 0; k < 3; ++k) {
          const Block q = quantise(format, x[k], static_cast<ScaleRule>(rule));
          Bytes packed(b);
          pack_codes(format, q.codes, packed.data());
          EXPECT_EQ(spad(m, 0x1000 + k * b, b), packed) << f << " rule " << rule << " bf16 " << bf16;
          EXPECT_EQ(m.spad().bytes[0x2001 + k], q.scale) << f << " rule " << rule << " bf16 " << bf16;
        }
      }
    }
  }
}

TEST(Vpu, VdqtMayShareAScaleBetweenBlocks) {
  Machine m(isa::kNano);
  m.load_spad(0, Bytes(64, 0x38));
  m.load_spad(0x100, Bytes{128});
  Builder p;
  p.thread(0)
      .engine("vdqt", {{"dst", 0x400},
                       {"src", 0},
                       {"nblk", 2},
                       {"scl", 0x100},
                       {"dstep", 128},
                       {"sstep", 32},
                       {"cstep", 0},
                       {"fmt", 1}})
      .halt();
  run_done(m, p);
  EXPECT_EQ(word(m, 0x400), 0x40000000U);
  EXPECT_EQ(word(m, 0x400 + 252), 0x40000000U);
}

TEST(Vpu, ASixBitCodeWithAnUpperBitIsABadOperand) {
  Machine m(isa::kNano);
  Bytes codes(32, 0x01);
  codes[9] = 0x40;
  m.load_spad(0, codes);
  m.load_spad(0x100, Bytes{127});
  Builder p;
  p.thread(0).engine("vdqt", {{"dst", 0x400}, {"src", 0}, {"nblk", 1}, {"scl", 0x100}, {"fmt", 4}}).halt();
  run_fault(m, p, isa::Engine::kVpu, isa::Cause::kBadOperand);
}

}  // namespace
}  // namespace tepin::golden::testing
