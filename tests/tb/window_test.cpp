// SPDX-License-Identifier: Apache-2.0
// The host's window on the tile: what is written is read back, read-only and missing regions answer SLVERR.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support.h"
#include "sw/isa/tepin_window.h"

namespace tepin::tb::testing {
namespace {

constexpr std::uint64_t hbm_window(std::uint64_t channel, std::uint64_t byte) {
  return isa::kWinHbm | channel << 31 | byte;
}

/// Writes and reads random ranges of a region of `size` bytes, multiples of `unit`, against a copy.
void random_ranges(TileSim& sim, std::uint64_t base, std::uint64_t size, std::uint64_t unit, std::uint64_t longest,
                   int count) {
  std::mt19937_64 rng(first_seed());
  Bytes copy(size);
  for (std::uint64_t at = 0; at < size; at += 65536) {
    sim.window_read(base + at, std::span(copy).subspan(at, std::min<std::uint64_t>(65536, size - at)));
  }
  std::uint64_t written = 0;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t length = std::min((1 + rng() % (longest / unit)) * unit, size);
    // The ends of the region as often as its middle.
    std::uint64_t at = rng() % ((size - length) / unit + 1) * unit;
    if (i % 5 == 0) at = 0;
    if (i % 5 == 1) at = size - length;
    if (rng() % 3 != 0) {
      const Bytes data = random_bytes(length, rng());
      sim.window_write(base + at, data);
      std::copy(data.begin(), data.end(), copy.begin() + static_cast<std::ptrdiff_t>(at));
      written += length;
    } else {
      Bytes actual(length);
      sim.window_read(base + at, actual);
      ASSERT_TRUE(std::equal(actual.begin(), actual.end(), copy.begin() + static_cast<std::ptrdiff_t>(at)))
          << fmt::format("{} bytes at {:#x}; ", length, base + at) << replay(first_seed());
    }
  }
  Bytes all(size);
  sim.window_read(base, all);
  EXPECT_EQ(all, copy) << replay(first_seed());
  EXPECT_GT(written, static_cast<std::uint64_t>(count) * unit);
}

TEST(Window, AnyBytesOfTheScratchpadReadBackWhatWasWritten) {
  TileSim sim({.checked = true});
  random_ranges(sim, isa::kWinSpad, 16384, 1, 300, 150);
  random_ranges(sim, isa::kWinSpad + kTileConfig.spad_bytes - 16384, 16384, 1, 9000, 20);
}

TEST(Window, InstructionsReadBackWhatWasWritten) {
  TileSim sim({.checked = true});
  random_ranges(sim, isa::kWinImem, std::uint64_t{kTileConfig.imem_instrs} * 16, 16, 640, 150);
}

TEST(Window, SemaphoresReadBackWhatWasWritten) {
  TileSim sim({.checked = true});
  random_ranges(sim, isa::kWinSem, std::uint64_t{kTileConfig.sems} * 4, 4, 64, 150);
}

TEST(Window, AnyBytesOfEveryPseudoChannelReadBackWhatWasWritten) {
  TileSim sim({.checked = true});
  const std::uint64_t capacity = std::uint64_t{kTileConfig.hbm_beats} * 32;
  for (std::uint64_t c = 0; c < kPcs; ++c) {
    set_timing(sim, random_timing(first_seed() + c));
    random_ranges(sim, hbm_window(c, 0), 6000, 1, 500, 60);
    random_ranges(sim, hbm_window(c, capacity - 4096), 4096, 1, 100, 20);
    // The channel's own memory holds it, and the other one's does not.
    const Bytes mark = random_bytes(100, 7 + c);
    sim.window_write(hbm_window(c, 0x20005), mark);
    Bytes seen(100), other(100);
    sim.memory(static_cast<int>(c)).load(0x20005, seen);
    EXPECT_EQ(seen, mark);
    sim.memory(static_cast<int>(1 - c)).load(0x20005, other);
    EXPECT_NE(other, mark);
  }
}

TEST(Window, WhatDoesNotExistOrIsReadOnlyAnswersSlverr) {
  TileSim sim({.checked = true});
  const std::uint64_t capacity = std::uint64_t{kTileConfig.hbm_beats} * 32;
  Bytes word(32);
  for (const std::uint64_t hole :
       {std::uint64_t{kTileConfig.spad_bytes}, isa::kWinSpad + 0xfffffe0,
        isa::kWinImem + std::uint64_t{kTileConfig.imem_instrs} * 16,
        isa::kWinAcc + std::uint64_t{kRows} * kTileConfig.acc_cols * 4,
        isa::kWinSem + std::uint64_t{kTileConfig.sems} * 4, isa::kWinCounters + 19 * 32, std::uint64_t{0x50000000},
        std::uint64_t{0x70000000}, std::uint64_t{0x80000000}, std::uint64_t{0x1000000000}, hbm_window(kPcs, 0),
        hbm_window(63, 0), hbm_window(0, capacity), hbm_window(1, capacity)}) {
    EXPECT_THROW(sim.window_read(hole, word), HostError) << fmt::format("{:#x}", hole);
    EXPECT_THROW(sim.window_write(hole, word), HostError) << fmt::format("{:#x}", hole);
  }
  for (const std::uint64_t read_only : {isa::kWinAcc, isa::kWinCounters}) {
    EXPECT_NO_THROW(sim.window_read(read_only, word));
    EXPECT_THROW(sim.window_write(read_only, word), HostError);
  }
  // A burst that runs out of a region: refused, though its first beats exist.
  Bytes long_run(128);
  EXPECT_THROW(sim.window_read(kTileConfig.spad_bytes - 64, long_run), HostError);
  EXPECT_NO_THROW(sim.window_read(kTileConfig.spad_bytes - 64, word)) << "the window still answers";
}

TEST(Window, PartOfAnElementIsRefusedAndChangesNothing) {
  TileSim sim({.checked = true});
  const Bytes data = random_bytes(32, 1);
  for (const auto& [base, unit] : {std::pair{isa::kWinImem, 16U}, std::pair{isa::kWinSem, 4U}}) {
    sim.window_write(base, data);
    EXPECT_THROW(sim.window_write(base + 1, Bytes(unit - 1)), HostError);
    EXPECT_THROW(sim.window_write(base + unit, Bytes(2)), HostError);
    Bytes now(32);
    sim.window_read(base, now);
    EXPECT_EQ(now, data);
  }
}

TEST(Window, AccumulatorsLieByGroupRowAndColumn) {
  TileSim sim({.checked = true});
  // Blocks whose only element is +-4 (row) and 1 (column), with scales that tell rows and columns apart.
  Bytes w(kRows * 16), ws(32), a(32 * 32), as(32);
  for (std::size_t r = 0; r < kRows; ++r) {
    w[r * 16] = r % 2 == 0 ? 6 : 14;  // E2M1 code of +4, -4
    ws[r] = static_cast<std::uint8_t>(120 + r);
  }
  for (std::size_t c = 0; c < 32; ++c) {
    a[c * 32] = 64;  // INT8 code of 1
    as[c] = static_cast<std::uint8_t>(110 + c);
  }
  sim.window_write(0x1000, w);
  sim.window_write(0x1100, ws);
  sim.window_write(0x2000, a);
  sim.window_write(0x3000, as);
  sim.load(assemble(
      "li r1, 0x1000\nli r2, 0x1100\nli r3, 0x2000\nli r4, 0x3000\nli r5, 1\nli r6, 32\nli r7, 1024\nli r8, 32\n"
      "mm w=r1, ws=r2, a=r3, as=r4, kb=r5, n=r6, astep=r7, asstep=r8, fa=mxint8, fw=mxfp4, init\nhalt\n"));
  ASSERT_EQ(sim.run(1000).stop, Stop::kDone);
  std::vector<float> acc(kRows * 32);
  sim.window_read(isa::kWinAcc, {reinterpret_cast<std::uint8_t*>(acc.data()), acc.size() * 4});
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t c = 0; c < 32; ++c) {
      const float expected = std::ldexp(r % 2 == 0 ? 4.0F : -4.0F, static_cast<int>(r + c) - 7 - 17);
      EXPECT_EQ(acc[(c / kCols * kRows + r) * kCols + c % kCols], expected) << "row " << r << " column " << c;
    }
  }
}

}  // namespace
}  // namespace tepin::tb::testing
