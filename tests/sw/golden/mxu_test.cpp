// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "fixture.h"
#include "sw/golden/dot.h"

namespace tepin::golden::testing {
namespace {

constexpr std::uint32_t kRows = 8;  // of nano
constexpr std::uint32_t kW = 0, kWs = 0x4000, kA = 0x5000, kAs = 0x9000, kOut = 0xa000;

/// Random panels of kb blocks and n columns with steps larger than needed, and the result block by block through dot().
struct Problem {
  isa::Format fa;
  std::uint32_t kb;
  std::uint32_t n;
  std::vector<std::uint32_t> expected;  // column after column

  void load(Machine& m, std::uint64_t seed) {
    std::mt19937_64 rng(seed);
    std::vector<std::uint32_t> start = expected;
    start.resize(n * kRows, 0);
    for (std::uint32_t k = 0; k < kb; ++k) {
      std::vector<Block> w(kRows);
      std::vector<Block> a(n);
      for (Block& b : w) b = random_block(rng, isa::Format::kMxfp4);
      for (Block& b : a) b = random_block(rng, fa);
      for (std::uint32_t r = 0; r < kRows; ++r)
        put(m, isa::Format::kMxfp4, w[r], kW + (k * kRows + r) * 16, kWs + k * kRows + r);
      for (std::uint32_t c = 0; c < n; ++c) put(m, fa, a[c], kA + k * astep() + c * block_bytes(fa), kAs + k * 64 + c);
      for (std::uint32_t c = 0; c < n; ++c) {
        for (std::uint32_t r = 0; r < kRows; ++r) {
          std::uint32_t& sum = start[c * kRows + r];
          sum = accumulate(sum, dot(isa::Format::kMxfp4, w[r], fa, a[c]));
        }
      }
    }
    expected = start;
  }
  [[nodiscard]] std::uint32_t astep() const { return (n * block_bytes(fa) + 31) / 32 * 32 + 64; }

  static Block random_block(std::mt19937_64& rng, isa::Format f) {
    Block b;
    b.scale = static_cast<std::uint8_t>(117 + rng() % 20);
    for (auto& c : b.codes) {
      do c = static_cast<std::uint8_t>(rng() & ((1U << elem_info(f).bits) - 1U));
      while (decode_elem(f, c).kind != ElemKind::kFinite);
    }
    return b;
  }
  static void put(Machine& m, isa::Format f, const Block& b, std::uint32_t codes, std::uint32_t scale) {
    Bytes packed(block_bytes(f));
    pack_codes(f, b.codes, packed.data());
    m.load_spad(codes, packed);
    m.load_spad(scale, {&b.scale, 1});
  }
};

Builder& mm(Builder& p, const Problem& q, bool init, std::uint32_t cg) {
  return p.engine("mm", {{"w", kW},
                         {"ws", kWs},
                         {"a", kA},
                         {"as", kAs},
                         {"kb", q.kb},
                         {"n", q.n},
                         {"astep", q.astep()},
                         {"asstep", 64},
                         {"fa", static_cast<std::uint32_t>(q.fa)},
                         {"init", init ? 1U : 0U},
                         {"cg", cg}});
}

std::vector<std::uint32_t> columns(const Machine& m, std::uint32_t first, std::uint32_t n) {
  const auto& b = m.acc().bits;
  return {b.begin() + first * kRows, b.begin() + (first + n) * kRows};
}

TEST(Mxu, MmEqualsTheBlockDotsForEveryActivationFormat) {
  for (const auto fa : {isa::Format::kMxfp4, isa::Format::kMxfp8E4m3, isa::Format::kMxint8}) {
    for (const std::uint32_t n : {1U, 3U, 4U, 7U}) {
      Machine m(isa::kNano);
      Problem q{fa, 9, n, {}};
      q.load(m, n);
      Builder p;
      mm(p.thread(0), q, true, 2).halt();
      run_done(m, p);
      EXPECT_EQ(columns(m, 8, n), q.expected);
      EXPECT_EQ(m.acc().written[(8 + n) * kRows], 0) << "lanes beyond n are not written";
      EXPECT_EQ(m.acc().written[8 * kRows - 1], 0);
    }
  }
}

TEST(Mxu, WithoutInitItStartsFromTheAccumulator) {
  Machine m(isa::kNano);
  Problem q{isa::Format::kMxint8, 3, 2, std::vector<std::uint32_t>(2 * kRows, 0x41234567U)};
  m.load_acc(0, q.expected);
  q.load(m, 5);
  Builder p;
  mm(p.thread(0), q, false, 0).halt();
  run_done(m, p);
  EXPECT_EQ(columns(m, 0, 2), q.expected);
}

TEST(Mxu, InitForgetsWhatTheAccumulatorHeld) {
  for (const std::uint32_t before : {0x41234567U, 0x7f800000U, 0x7fc00000U}) {
    Machine m(isa::kNano);
    m.load_acc(0, std::vector<std::uint32_t>(2 * kRows, before));
    Problem q{isa::Format::kMxint8, 3, 2, {}};
    q.load(m, 11);
    Builder p;
    mm(p.thread(0), q, true, 0).halt();
    run_done(m, p);
    EXPECT_EQ(columns(m, 0, 2), q.expected);
  }
}

TEST(Mxu, MstStoresColumnsAtThePitchAndKeepsTheAccumulators) {
  Machine m(isa::kNano);
  std::vector<std::uint32_t> acc(32 * kRows);
  for (std::size_t i = 0; i < acc.size(); ++i) acc[i] = static_cast<std::uint32_t>(0x1000 + i);
  m.load_acc(0, acc);
  Builder p;
  p.thread(0).engine("mst", {{"dst", kOut}, {"pitch", 64}, {"n", 5}, {"cg", 1}}).halt();
  run_done(m, p);
  for (std::uint32_t c = 0; c < 5; ++c) {
    for (std::uint32_t r = 0; r < kRows; ++r) EXPECT_EQ(word(m, kOut + c * 64 + 4 * r), acc[(4 + c) * kRows + r]);
    EXPECT_EQ(m.spad().written[kOut + c * 64 + 32], 0);
  }
  EXPECT_EQ(m.acc().bits, acc);
}

TEST(Mxu, AColumnGroupIsAsWideAsTheArray) {
  Machine m(isa::kFpga);  // 2 rows, groups of 2 columns
  m.load_acc(0, std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  Builder p;
  p.thread(0).engine("mst", {{"dst", 0}, {"pitch", 8}, {"n", 2}, {"cg", 3}});
  p.engine("mm", {{"w", 32}, {"ws", 64}, {"a", 96}, {"as", 128}, {"kb", 1}, {"n", 1}, {"init", 1}, {"cg", 3}}).halt();
  m.load_spad(32, Bytes(128));
  run_done(m, p);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(word(m, 4 * i), 12 + i);
  EXPECT_EQ(m.acc().bits[12], 0U);  // column 6
  EXPECT_EQ(m.acc().bits[14], 14U);
}

TEST(Mxu, UsesEveryColumnOfTheLastGroup) {
  Machine m(isa::kNano);
  Problem q{isa::Format::kMxfp4, 1, 4, {}};
  q.load(m, 6);
  Builder p;
  mm(p.thread(0), q, true, 7).engine("mst", {{"dst", kOut}, {"pitch", 32}, {"n", 4}, {"cg", 7}}).halt();
  run_done(m, p);
  for (std::uint32_t i = 0; i < 4 * kRows; ++i) EXPECT_EQ(word(m, kOut + 4 * i), q.expected[i]);
}

TEST(Mxu, NanScaleTrapsAndNamesTheAccumulator) {
  Machine m(isa::kNano);
  Problem q{isa::Format::kMxint8, 2, 3, {}};
  q.load(m, 7);
  const std::uint8_t bad = 0xff;
  m.load_spad(kAs + 64 + 1, {&bad, 1});
  Builder p;
  mm(p.thread(0), q, true, 0).post(3).halt();
  const Outcome o = run_fault(m, p, isa::Engine::kMxu, isa::Cause::kMxuNan);
  EXPECT_THAT(o.fault.text, ::testing::HasSubstr("row 0, column 1"));
  EXPECT_EQ(m.sems()[3], 0U);
}

TEST(Mxu, WithTheTrapOffNanIsAValueThatStays) {
  Machine m(isa::kNano, {.nan_trap = false});
  Problem q{isa::Format::kMxfp8E4m3, 2, 2, {}};
  q.load(m, 8);
  const std::uint8_t nan_code = 0x7f;
  m.load_spad(kA, {&nan_code, 1});  // first element of column 0 in block 0
  Builder p;
  mm(p.thread(0), q, true, 0).halt();
  run_done(m, p);
  const auto got = columns(m, 0, 2);
  for (std::uint32_t r = 0; r < kRows; ++r) {
    EXPECT_EQ(got[r], kNan32);
    EXPECT_EQ(got[kRows + r], q.expected[kRows + r]);
  }
}

TEST(Mxu, ANanThatWasThereBeforeDoesNotTrapAgain) {
  Machine m(isa::kNano);
  Problem q{isa::Format::kMxint8, 1, 1, {}};
  q.load(m, 9);
  m.load_acc(0, std::vector<std::uint32_t>(kRows, 0xffc00001U));
  Builder p;
  mm(p.thread(0), q, false, 0).halt();
  run_done(m, p);
  EXPECT_EQ(columns(m, 0, 1), std::vector<std::uint32_t>(kRows, kNan32));
}

TEST(Mxu, AnInfiniteAccumulatorStaysInfinite) {
  Machine m(isa::kNano);
  Problem q{isa::Format::kMxint8, 2, 1, std::vector<std::uint32_t>(kRows, 0xff800000U)};
  m.load_acc(0, q.expected);
  q.load(m, 10);
  Builder p;
  mm(p.thread(0), q, false, 0).halt();
  run_done(m, p);
  EXPECT_EQ(columns(m, 0, 1), std::vector<std::uint32_t>(kRows, 0xff800000U));
}

TEST(Mxu, WorksWithRowsThatAreNoPowerOfTwo) {
  Machine m(isa::kJalapeno);
  Block b{127, {}};
  b.codes.fill(2);  // 1.0
  Bytes packed(16);
  pack_codes(isa::Format::kMxfp4, b.codes, packed.data());
  for (std::uint32_t r = 0; r < 240; ++r) {
    m.load_spad(r * 16, packed);
    m.load_spad(240 * 20 + r, {&b.scale, 1});
  }
  m.load_spad(0x8000, packed);
  m.load_spad(0x9000, {&b.scale, 1});
  Builder p;
  p.thread(0).engine("mm",
                     {{"w", 0}, {"ws", 240 * 20}, {"a", 0x8000}, {"as", 0x9000}, {"kb", 1}, {"n", 1}, {"init", 1}});
  p.engine("mst", {{"dst", 960 * 40}, {"pitch", 960}, {"n", 1}}).halt();
  run_done(m, p);
  EXPECT_EQ(word(m, 960 * 40 + 4 * 239), 0x42000000U);  // 32.0
}

}  // namespace
}  // namespace tepin::golden::testing
