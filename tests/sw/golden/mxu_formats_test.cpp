// SPDX-License-Identifier: Apache-2.0
// mm with every pair of formats against exact_mm.h.
#include <array>
#include <bit>
#include <string>

#include "exact_mm.h"
#include "fixture.h"
#include "sw/golden/mx.h"

namespace tepin::golden::testing {
namespace {

using isa::Format;

constexpr std::uint32_t kRows = 8;  // of nano
constexpr std::uint32_t kW = 0, kWs = 0x8000, kA = 0x9000, kAs = 0x12000;
constexpr std::array<Format, 6> kActivations{Format::kMxfp4,     Format::kMxfp8E4m3, Format::kMxint8,
                                             Format::kMxfp8E5m2, Format::kMxfp6E2m3, Format::kMxfp6E3m2};
constexpr std::array<Format, 8> kWeights{Format::kMxfp4,     Format::kMxfp8E4m3, Format::kMxint8,  Format::kMxfp6E2m3,
                                         Format::kMxfp6E3m2, Format::kNvfp4,     Format::kInt4g32, Format::kMxint8x2};
std::string name_of(Format f) { return std::string(isa::kFormats[static_cast<std::size_t>(f)].name); }

struct Panels {
  Format fw, fa;
  std::uint32_t kb, n;
  Bytes w, ws, a, as;

  [[nodiscard]] std::uint32_t blocks() const { return fw == Format::kMxint8x2 ? 2 : 1; }
  [[nodiscard]] std::uint32_t scale_bytes() const { return fw == Format::kNvfp4 || fw == Format::kInt4g32 ? 2 : 1; }
  [[nodiscard]] std::uint32_t astep() const { return (n * block_bytes(fa) + 31) / 32 * 32 + 32; }

  /// Random codes; scales so that sums meet (near), or anywhere.
  Panels(Format weight, Format activation, std::uint32_t k, std::uint32_t columns, bool near, std::uint64_t seed)
      : fw(weight), fa(activation), kb(k), n(columns) {
    std::mt19937_64 rng(seed);
    const auto code = [&](Format f) {
      const auto six = f == Format::kMxfp6E2m3 || f == Format::kMxfp6E3m2;
      const auto c = static_cast<unsigned>(rng() & (six ? 0x3fU : 0xffU));
      // NaN and infinity would hide the rest of a column; they are rare here and have tests of their own
      const bool bad = block_bytes(f) == 32 && !exact::element(f, c).finite;
      return static_cast<std::uint8_t>(bad && rng() % 16 != 0 ? 0x31U : c);
    };
    const auto e8m0 = [&] { return static_cast<std::uint8_t>(near ? 121 + rng() % 12 : rng() % 255); };
    w.resize(kb * blocks() * kRows * block_bytes(fw));
    for (auto& c : w) c = code(fw);
    ws.resize(kb * blocks() * kRows * scale_bytes());
    for (std::size_t i = 0; i < ws.size(); ++i) {
      if (fw == Format::kInt4g32 && i % 2 == 1) {
        ws[i] =
            near ? static_cast<std::uint8_t>((rng() & 0x80U) | (0x3dU + rng() % 4)) : static_cast<std::uint8_t>(rng());
      } else {
        ws[i] = scale_bytes() == 2 ? static_cast<std::uint8_t>(rng()) : e8m0();
      }
    }
    a.resize(kb * astep());
    for (auto& c : a) c = code(fa);
    as.resize(kb * 32);
    for (auto& s : as) s = e8m0();
  }

  void load(Machine& m) const {
    m.load_spad(kW, w);
    m.load_spad(kWs, ws);
    m.load_spad(kA, a);
    m.load_spad(kAs, as);
  }
  [[nodiscard]] Builder program(bool init = true) const {
    Builder p;
    p.thread(0)
        .engine("mm", {{"w", kW},
                       {"ws", kWs},
                       {"a", kA},
                       {"as", kAs},
                       {"kb", kb},
                       {"n", n},
                       {"astep", astep()},
                       {"asstep", 32},
                       {"fa", static_cast<std::uint32_t>(fa)},
                       {"fw", static_cast<std::uint32_t>(fw)},
                       {"init", init ? 1U : 0U}})
        .halt();
    return p;
  }
  [[nodiscard]] std::vector<std::uint32_t> expected() const {
    std::vector<std::uint32_t> acc(n * kRows);
    for (std::uint32_t c = 0; c < n; ++c) {
      for (std::uint32_t r = 0; r < kRows; ++r) {
        for (std::uint32_t k = 0; k < kb * blocks(); ++k) {
          const std::uint32_t ka = k / blocks();
          acc[c * kRows + r] = exact::add_block(acc[c * kRows + r], fw, &w[(k * kRows + r) * block_bytes(fw)],
                                                &ws[(k * kRows + r) * scale_bytes()], fa,
                                                &a[ka * astep() + c * block_bytes(fa)], &as[ka * 32 + c]);
        }
      }
    }
    return acc;
  }
};

std::vector<std::uint32_t> columns(const Machine& m, std::uint32_t n) {
  return {m.acc().bits.begin(), m.acc().bits.begin() + n * kRows};
}

TEST(MxuFormats, EveryPairIsTheExactSumRoundedOnceABlock) {
  std::uint64_t seed = 1;
  for (const Format fw : kWeights) {
    for (const Format fa : kActivations) {
      int finite = 0;
      for (const bool near : {true, false}) {
        for (const std::uint32_t n : {1U, 5U, 7U}) {
          const Panels p(fw, fa, 6, n, near, seed++);
          Machine m(isa::kNano, {.nan_trap = false});
          p.load(m);
          run_done(m, p.program());
          const auto expected = p.expected();
          ASSERT_EQ(columns(m, n), expected) << name_of(fw) << " x " << name_of(fa) << ", seed " << seed - 1;
          for (const std::uint32_t v : expected) finite += is_finite32(v) && v != 0 ? 1 : 0;
        }
      }
      EXPECT_GE(finite, 30) << name_of(fw) << " x " << name_of(fa);
    }
  }
}

/// Largest magnitudes of one sign: what the integer sums must hold.
TEST(MxuFormats, TheLargestSumOfEveryPairIsExact) {
  const auto largest = [](Format f) -> std::uint8_t {
    switch (f) {
      case Format::kMxfp4:
      case Format::kNvfp4:
        return 0x77;
      case Format::kMxfp8E4m3:
        return 0x7e;
      case Format::kMxfp8E5m2:
        return 0x7b;
      case Format::kMxint8:
      case Format::kMxint8x2:
        return 0x80;  // -2
      case Format::kInt4g32:
        return 0x88;  // -8
      default:
        return 0x1f;
    }
  };
  for (const Format fw : kWeights) {
    for (const Format fa : kActivations) {
      Panels p(fw, fa, 1, 2, true, 1);
      std::fill(p.w.begin(), p.w.end(), largest(fw));
      std::fill(p.a.begin(), p.a.end(), largest(fa));
      std::fill(p.as.begin(), p.as.end(), std::uint8_t{127});
      for (std::size_t i = 0; i < p.ws.size(); ++i) {
        p.ws[i] = fw == Format::kNvfp4 ? 0x7e : fw != Format::kInt4g32 ? 127 : i % 2 == 0 ? 0xff : 0x3f;
      }
      Machine m(isa::kNano);
      p.load(m);
      run_done(m, p.program());
      ASSERT_EQ(columns(m, 2), p.expected()) << name_of(fw) << " x " << name_of(fa);
    }
  }
}

TEST(MxuFormats, Nvfp4HalvesHaveTheirOwnSignedScales) {
  Panels p(Format::kNvfp4, Format::kMxint8, 1, 1, true, 1);
  std::fill(p.w.begin(), p.w.end(), std::uint8_t{0x22});              // 1
  std::fill(p.a.begin(), p.a.end(), std::uint8_t{0x40});              // 1
  std::fill(p.a.begin() + 16, p.a.begin() + 32, std::uint8_t{0x20});  // 1/2
  std::fill(p.as.begin(), p.as.end(), std::uint8_t{127});
  for (std::size_t r = 0; r < kRows; ++r) {
    p.ws[2 * r] = 0x40;      // 2 for elements 0..15
    p.ws[2 * r + 1] = 0xb8;  // -1 for 16..31
  }
  Machine m(isa::kNano);
  p.load(m);
  run_done(m, p.program());
  EXPECT_EQ(m.acc().bits[0], std::bit_cast<std::uint32_t>(24.0F));
}

TEST(MxuFormats, Mxint8x2RoundsTheCoarseBlockBeforeTheFineOne) {
  Panels p(Format::kMxint8x2, Format::kMxint8, 1, 1, true, 1);
  std::fill(p.w.begin(), p.w.end(), std::uint8_t{0});
  std::fill(p.a.begin(), p.a.end(), std::uint8_t{0});
  p.a[0] = 0x40;
  p.a[1] = 0x40;
  p.as[0] = 127;
  for (std::size_t r = 0; r < kRows; ++r) {
    p.w[r * 32] = 0x40;  // coarse: 1 * 2^24
    p.ws[r] = 127 + 24;
    p.w[(kRows + r) * 32] = 0x40;  // fine: 1 + 1, two of which a sum of 64 bits would keep
    p.ws[kRows + r] = 127;
  }
  const auto run = [&] {
    Machine m(isa::kNano);
    p.load(m);
    run_done(m, p.program());
    return m.acc().bits[0];
  };
  EXPECT_EQ(run(), std::bit_cast<std::uint32_t>(0x1p24F));  // 2^24 + 1: a tie, to even
  for (std::size_t r = 0; r < kRows; ++r) std::swap(p.ws[r], p.ws[kRows + r]);
  p.w[1] = 0x20;  // row 0: coarse 1 + 1/2, then fine 2^24: 2^24 + 1.5 rounds up
  EXPECT_EQ(run(), std::bit_cast<std::uint32_t>(0x1p24F + 2));
}

TEST(MxuFormats, AnythingNotFiniteInAScaleOrElementGivesNan) {
  const auto first = [](Format fw, Format fa, void (*spoil)(Panels&)) {
    Panels p(fw, fa, 2, 1, true, 1);
    std::fill(p.w.begin(), p.w.end(), std::uint8_t{0});
    std::fill(p.a.begin(), p.a.end(), std::uint8_t{0});
    std::fill(p.ws.begin(), p.ws.end(), std::uint8_t{0});
    std::fill(p.as.begin(), p.as.end(), std::uint8_t{0});
    spoil(p);
    Machine m(isa::kNano, {.nan_trap = false});
    p.load(m);
    run_done(m, p.program());
    EXPECT_EQ(columns(m, 1), p.expected());
    return m.acc().bits[0];
  };
  EXPECT_EQ(first(Format::kNvfp4, Format::kMxfp4, [](Panels&) {}), 0U);
  EXPECT_EQ(first(Format::kNvfp4, Format::kMxfp4, [](Panels& p) { p.ws[1] = 0x7f; }), kNan32);
  EXPECT_EQ(first(Format::kNvfp4, Format::kMxfp4, [](Panels& p) { p.ws[0] = 0xff; }), kNan32);
  EXPECT_EQ(first(Format::kInt4g32, Format::kMxfp4, [](Panels& p) { p.ws[1] = 0x7f, p.ws[0] = 0x80; }), kNan32);
  EXPECT_EQ(first(Format::kInt4g32, Format::kMxfp4, [](Panels& p) { p.ws[1] = 0xff, p.ws[0] = 0xc0; }), kNan32);
  EXPECT_EQ(first(Format::kMxint8x2, Format::kMxint8, [](Panels& p) { p.ws[kRows] = 0xff; }), kNan32);  // fine
  EXPECT_EQ(first(Format::kMxfp8E4m3, Format::kMxint8, [](Panels& p) { p.w[31] = 0x7f; }), kNan32);
  EXPECT_EQ(first(Format::kMxfp4, Format::kMxfp8E5m2, [](Panels& p) { p.a[31] = 0xfc; }), kNan32);
  EXPECT_EQ(first(Format::kMxint8, Format::kMxfp8E5m2, [](Panels& p) { p.as[32] = 0xff; }), kNan32);
}

TEST(MxuFormats, SixBitCodesWithAnUpperBitAreABadOperand) {
  for (const Format f : {Format::kMxfp6E2m3, Format::kMxfp6E3m2}) {
    for (const auto bit : {std::uint8_t{0x40}, std::uint8_t{0x80}}) {
      Panels w(f, Format::kMxint8, 2, 3, true, 1);
      w.w[w.w.size() - 1] |= bit;  // the last row of the last block
      Machine m(isa::kNano);
      w.load(m);
      run_fault(m, w.program(), isa::Engine::kMxu, isa::Cause::kBadOperand);

      Panels a(Format::kMxfp4, f, 2, 3, true, 1);
      a.a[a.astep() + 3 * 32 - 1] |= bit;  // the last column of the last block
      Machine other(isa::kNano);
      a.load(other);
      run_fault(other, a.program(), isa::Engine::kMxu, isa::Cause::kBadOperand);

      Panels beyond(Format::kMxfp4, f, 2, 3, true, 1);
      beyond.a[3 * 32] |= bit;  // of a column that is not there
      Machine third(isa::kNano);
      beyond.load(third);
      run_done(third, beyond.program());
    }
  }
}

// What comes first in the order of blocks; of one block, the code.
TEST(MxuFormats, AnUpperBitOrANanIsReportedWhicheverComesFirst) {
  const auto run = [](std::size_t nan_block, bool last_code, isa::Cause cause) {
    Panels p(Format::kMxfp6E2m3, Format::kMxint8, 2, 1, true, 1);
    p.as[nan_block * 32] = 0xff;
    (last_code ? p.w.back() : p.w.front()) |= 0x80U;
    Machine m(isa::kNano);
    p.load(m);
    run_fault(m, p.program(), isa::Engine::kMxu, cause);
  };
  run(0, true, isa::Cause::kMxuNan);
  run(1, true, isa::Cause::kBadOperand);
  run(0, false, isa::Cause::kBadOperand);
}

}  // namespace
}  // namespace tepin::golden::testing
