// SPDX-License-Identifier: Apache-2.0
// How long an mm occupies the array: mm_cycles(). All mm's of a program are queued before the first may begin, so they
// run back to back, and the distance between the ends of two of them is what one holds the array, the cycles included
// in which a single-pass mm of one column group must leave out every second step. Operands begin in banks of their own:
// if they share one, the first fetch of an mm of a single pass comes two cycles late.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support.h"
#include "sw/golden/mx.h"
#include "sw/isa/tepin_csr.h"
#include "sw/isa/tepin_window.h"
#include "sw/kernels/gemm.h"

namespace tepin::tb::testing {
namespace {

using isa::Format;

/// Cycles at which mm's ended (a mxusync before them first), and what the counters say of the matrix unit.
struct Measured {
  std::vector<std::uint64_t> ends;
  std::uint64_t busy = 0;
};

Measured measure(TileSim& sim, std::uint64_t kb, std::uint64_t n, Format fa, Format fw, int count) {
  const std::uint64_t unit = fa == Format::kMxfp4 ? 16 : 32;
  const std::uint64_t astep = (n * unit + 31) / 32 * 32;
  // Weights begin in bank 0, their scales in 5, activations in 6, their scales in 15.
  std::string text = fmt::format(
      "li r1, 0\nli r2, 0x60a0\nli r3, 0x80c0\nli r4, 0x71e0\nli r5, {}\nli r6, {}\nli r7, {}\nli r8, 32\nmxusync wait "
      "s0\n",
      kb, n, astep);
  for (int i = 0; i < count; ++i) {
    text +=
        fmt::format("mm w=r1, ws=r2, a=r3, as=r4, kb=r5, n=r6, astep=r7, asstep=r8, fa={}, fw={}, init\n",
                    isa::kFormats[static_cast<std::size_t>(fa)].name, isa::kFormats[static_cast<std::size_t>(fw)].name);
  }
  sim.soft_reset();
  sim.load(assemble(text + "sync post s0\nhalt\n"));
  Measured m;
  sim.csr_write(offsetof(tepin_csr_t, CTRL),
                sim.csr_read(offsetof(tepin_csr_t, CTRL)) | TEPIN_CSR__CTRL__CLEAR_COUNTERS_bm);
  sim.csr_write(offsetof(tepin_csr_t, CTRL), sim.csr_read(offsetof(tepin_csr_t, CTRL)) | TEPIN_CSR__CTRL__START_bm);
  for (int i = 0; i < 200'000 && static_cast<int>(m.ends.size()) < count + 1; ++i) {
    sim.tick();
    if ((sim.out().retire >> 3 & 1U) != 0) m.ends.push_back(sim.now());
  }
  while (sim.out().running) sim.tick();
  std::array<std::uint64_t, 8> activity{};
  sim.window_read(isa::kWinCounters + 6 * 64, {reinterpret_cast<std::uint8_t*>(activity.data()), 64});
  m.busy = activity[1];
  return m;
}

/// The distances between the ends of mm's, and the busy cycles, at one point.
void check(TileSim& sim, std::uint64_t kb, std::uint64_t n, Format fa, Format fw) {
  constexpr int kCount = 5;
  const isa::FormatDesc& a = isa::kFormats[static_cast<std::size_t>(fa)];
  const isa::FormatDesc& w = isa::kFormats[static_cast<std::size_t>(fw)];
  SCOPED_TRACE(fmt::format("{} x {} kb {} n {}", w.name, a.name, kb, n));
  const Measured m = measure(sim, kb, n, fa, fw, kCount);
  ASSERT_EQ(m.ends.size(), kCount + 1U);
  // Busy are the cycles in which the array takes a step: all of them but the forced gaps.
  EXPECT_EQ(m.busy, kCount * kb * ((n + 3) / 4) * static_cast<std::uint64_t>(a.parts * w.digits * w.blocks));
  const std::uint64_t formula = kernels::mm_cycles(kTileConfig, kb, n, fa, fw);
  for (std::size_t i = 2; i <= kCount; ++i) {
    const std::uint64_t took = m.ends[i] - m.ends[i - 1];
    if (kb == 1 && formula == 2) {
      EXPECT_TRUE(took == 2 || took == 3)
          << "mm " << i << " took " << took << ": so short that instructions do not follow fast enough";
    } else if (golden::block_bytes(fw) == 32 && formula == kb * 2) {
      // The fetch of weights has no cycle to spare here, so each word that finds its bank taken costs one.
      EXPECT_GE(took, formula) << "mm " << i;
      EXPECT_LE(took, formula + (kb + 3) / 2) << "mm " << i;
    } else {
      EXPECT_EQ(took, formula) << "mm " << i;
    }
  }
}

TEST(Occupancy, AnMmHoldsTheArrayAsLongAsTheFormulaSays) {
  TileSim sim({.checked = true});
  sim.window_write(0, Bytes(0x18000, 0x11));
  for (const Format fa : {Format::kMxfp4, Format::kMxfp8E4m3, Format::kMxint8}) {
    for (const std::uint64_t n : {1U, 3U, 4U, 5U, 8U, 9U, 16U, 29U, 32U}) {
      for (const std::uint64_t kb : {1U, 2U, 4U, 17U, 32U}) check(sim, kb, n, fa, Format::kMxfp4);
    }
  }
}

TEST(Occupancy, TheFormulaHoldsForEveryPairOfFormats) {
  TileSim sim({.checked = true});
  sim.window_write(0, Bytes(0x18000, 0x11));
  int pairs = 0;
  for (std::size_t fa = 0; fa < isa::kFormats.size(); ++fa) {
    for (std::size_t fw = 0; fw < isa::kFormats.size(); ++fw) {
      if (isa::kFormats[fa].parts == 0 || isa::kFormats[fw].digits == 0) continue;
      ++pairs;
      for (const std::uint64_t n : {1U, 7U, 32U}) {
        for (const std::uint64_t kb : {2U, 17U}) check(sim, kb, n, static_cast<Format>(fa), static_cast<Format>(fw));
      }
    }
  }
  EXPECT_EQ(pairs, 48);
}

TEST(Occupancy, AStoreBesideTheNextProductOfOtherGroupsCostsOneCycleOfTheArray) {
  TileSim sim({.checked = true});
  sim.window_write(0, Bytes(0x18000, 0x11));
  const auto run = [&](bool stores) {
    std::string text =
        "li r1, 0\nli r2, 0x6000\nli r3, 0x8000\nli r4, 0x7000\nli r5, 16\nli r6, 16\nli r7, 512\nli r8, 32\nli r9, "
        "0x1a000\n";
    for (int i = 0; i < 6; ++i) {
      text += fmt::format(
          "mm w=r1, ws=r2, a=r3, as=r4, kb=r5, n=r6, astep=r7, asstep=r8, fa=mxint8, fw=mxfp4, init, cg={}\n",
          i % 2 * 4);
      if (stores) text += fmt::format("mst dst=r9, pitch=r8, n=r6, cg={}\n", i % 2 * 4);
    }
    sim.soft_reset();
    sim.load(assemble(text + "halt\n"));
    const RunResult r = sim.run(10'000);
    EXPECT_EQ(r.stop, Stop::kDone);
    return r.cycles;
  };
  const std::uint64_t without = run(false), with = run(true);
  EXPECT_GE(without, 6U * 16 * 4);
  // Six stores of one cycle; the last one's own path is not hidden.
  EXPECT_LE(with, without + 6 + 20) << "stores must overlap with the products";
}

}  // namespace
}  // namespace tepin::tb::testing
