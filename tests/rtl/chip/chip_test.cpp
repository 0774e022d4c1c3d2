// SPDX-License-Identifier: Apache-2.0
// The whole chip: programs and data come by the host port alone, run on 2 x 2 tiles with an HBM4 controller and a DRAM
// device behind each, and results leave by the host port. In every cycle every output of every tile is that of the mesh
// wired in C++; no rule of the DRAM is broken.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "chip_bench.h"
#include "sw/asm/assembler.h"
#include "sw/cli/moe_layer.h"
#include "sw/isa/chip_csr.h"
#include "sw/isa/hbm_csr.h"
#include "sw/isa/tepin_csr.h"
#include "sw/isa/tepin_window.h"
#include "tb/runner.h"

namespace tepin::tb::testing {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Floats = std::vector<float>;

constexpr std::uint32_t kLen = 6;                      // words of a collective
constexpr std::uint32_t kPiece = 4 * kLen * 32;        // bytes of a source, and of each result
constexpr std::uint32_t kSrc = 0x1000, kDst = 0x8000;  // scratchpad
constexpr std::uint32_t kResultBeat = 0x4000, kRemoteBeat = 0x100;
enum Result : std::uint32_t { kWritten, kRemote, kMulticast, kSum, kMax, kScattered, kGathered, kExchanged, kResults };

// Everything that NET does, LD before it and ST after it, on every tile; the same text.
std::string everything() {
  return fmt::format(R"(
.equ LEN, {}
.equ PIECE, {}
.thread 0, main
main:
  tid r1
  andi r1, r1, 63
  xori r2, r1, 9        # diagonally opposite
  xori r3, r1, 1        # beside
  li r4, 0x303          # every tile
  li r5, LEN
  li r6, {}
  li r7, 4 * LEN
  li r8, {}
  ld spad=r6, hbm=r0, len=r7, npc=2 post s1
  sync wait s1
  ngroup lo=r4, hi=r0, root=r1, g=1
  ngroup lo=r4, hi=r0, root=r0, g=0
  nwr dst=r8, src=r6, len=r5, tile=r2 post s2
  li r9, 3
  li r10, 5
  npost sem=r9, count=r10, tile=r2 wait s2
  sync wait s3*5
  addi r8, r8, PIECE
  li r11, {}
  nst spad=r6, hbm=r11, len=r5, npc=2, tile=r2
  nbar g=0
  nld spad=r8, hbm=r11, len=r5, npc=2, tile=r3 post s5
  sync wait s5
  addi r8, r8, PIECE
  andi r12, r1, 1       # each to a place of its own: x + 2 y
  shri r13, r1, 2
  add r12, r12, r13
  li r13, LEN * 32
  mul r12, r12, r13
  add r12, r12, r8
  nmc dst=r12, src=r6, len=r5, g=1, sem=4, scnt=1
  sync wait s4*4
  addi r8, r8, PIECE
  nar dst=r8, src=r6, len=r5, g=0
  addi r8, r8, PIECE
  nred dst=r8, src=r6, len=r5, g=0, max
  addi r8, r8, PIECE
  nrs dst=r8, src=r6, len=r5, g=0
  addi r8, r8, PIECE
  nag dst=r8, src=r6, len=r5, g=0
  addi r8, r8, PIECE
  na2a dst=r8, src=r6, len=r5, g=0 post s6
  sync wait s6
  li r8, {}
  li r14, {}
  li r15, {}
  st spad=r8, hbm=r14, len=r15, npc=2 post s7
  sync wait s7
  halt
)",
                     kLen, kPiece, kSrc, kDst, kRemoteBeat, kDst, kResultBeat, kResults * kPiece / 32);
}

/// Small integers: their sums are exact in any order.
Floats source_of(std::size_t t) {
  Floats v(kPiece / 4);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>((i * 7 + t * 13 + i * t / 5) % 11) - 3;
  return v;
}
std::span<const std::uint8_t> bytes_of(const Floats& v) {
  return {reinterpret_cast<const std::uint8_t*>(v.data()), v.size() * 4};
}

/// What the program leaves at a tile, from the instructions' definitions (docs/net.md, 2).
Floats expected_at(std::size_t t) {
  constexpr std::size_t n = kLen * 8, piece = kPiece / 4;  // values
  Floats out(kResults * piece);
  const auto put = [&](Result r, std::size_t at, const Floats& from, std::size_t first) {
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(first), n,
                out.begin() + static_cast<std::ptrdiff_t>(r * piece + at));
  };
  const auto opposite = [](std::size_t u) { return u ^ 3; };
  put(kWritten, 0, source_of(opposite(t)), 0);
  put(kRemote, 0, source_of(opposite(t ^ 1)), 0);
  for (std::size_t u = 0; u < kChipTiles; ++u) {
    const Floats s = source_of(u);
    put(kMulticast, u * n, s, 0);
    put(kGathered, u * n, s, 0);
    put(kExchanged, u * n, s, t * n);
    for (std::size_t i = 0; i < n; ++i) {
      out[kSum * piece + i] += s[i];
      out[kScattered * piece + i] += s[t * n + i];
      float& top = out[kMax * piece + i];
      if (t == 0) top = u == 0 ? s[i] : std::max(top, s[i]);  // the root alone
    }
  }
  return out;
}

class ChipTest : public ::testing::Test {
 protected:
  /// One chip serves all tests: its bring-up takes most of the time.
  static ChipBench& chip() {
    static ChipBench bench;
    return bench;
  }
  void TearDown() override {
    EXPECT_EQ(chip().first_difference, "") << "from the mesh wired in C++";
    for (std::size_t t = 0; t < kChipTiles; ++t) {
      const dram::DramDevice& d = chip().device(t);
      EXPECT_EQ(d.violation_count(), 0U) << t << ": " << (d.violations().empty() ? "" : to_string(d.violations()[0]));
    }
  }
};

TEST_F(ChipTest, ProgramsAndDataComeAndGoByTheHostPort) {
  const isa::Section program = assembly::assemble(everything(), "everything.s", kTileConfig).sections.at(0);
  const std::uint64_t flits = chip().flits;
  for (std::size_t t = 0; t < kChipTiles; ++t) {
    ChipTile& tile = chip().tile(t);
    tile.soft_reset();
    tile.load(program);
    std::vector<kernels::Segment> segments;
    const Floats source = source_of(t);
    kernels::stripe(bytes_of(source), 0, kPcs, segments);
    for (const kernels::Segment& s : segments) tile.store(static_cast<int>(s.channel), s.address, s.bytes);
  }
  ASSERT_TRUE(chip().run(50'000));
  for (std::size_t t = 0; t < kChipTiles; ++t) {
    ChipTile& tile = chip().tile(t);
    ASSERT_FALSE(tile.faulted()) << tile.fault_info().text();
    const Floats expected = expected_at(t);
    Floats actual(expected.size());
    std::span<std::uint8_t> bytes{reinterpret_cast<std::uint8_t*>(actual.data()), actual.size() * 4};
    tile.window_read(isa::kWinSpad + kDst, bytes);
    EXPECT_EQ(actual, expected) << "scratchpad of tile " << t;
    // And as ST left it in the DRAM.
    std::vector<kernels::Segment> segments;
    kernels::stripe(bytes_of(expected), kResultBeat, kPcs, segments);
    for (kernels::Segment& s : segments) {
      const Bytes wanted = std::exchange(s.bytes, Bytes(s.bytes.size()));
      tile.load(static_cast<int>(s.channel), s.address, s.bytes);
      EXPECT_EQ(s.bytes, wanted) << "tile " << t << " pseudo-channel " << s.channel << " at " << s.address;
    }
    EXPECT_GT(chip().device(t).statistics().count(0, dram::Kind::kRd), 50U);
    EXPECT_GT(chip().device(t).statistics().count(1, dram::Kind::kWr), 50U);
  }
  EXPECT_GT(chip().flits - flits, 500U) << "flits passed between the tiles";
}

TEST_F(ChipTest, EveryBitOfAnExpertLayerIsAsTheReference) {
  const model::Safetensors file(std::string(TEPIN_SOURCE_DIR) + "/models/nano-gptoss/nano_gptoss.safetensors");
  cli::MoeModel m = cli::load_moe(file, 0);
  cli::add_tokens(m, {38, 73, 82}, 2);
  const kernels::ChipLaunch launch = kernels::plan_moe(kTileConfig, kChipX, kChipY, m.layer);
  for (std::size_t t = 0; t < kChipTiles; ++t) load_launch(chip().tile(t), launch.tiles[t]);
  ASSERT_TRUE(chip().run(100'000));
  std::vector<std::vector<Bytes>> outputs;
  for (std::size_t t = 0; t < kChipTiles; ++t) {
    ASSERT_FALSE(chip().tile(t).faulted()) << chip().tile(t).fault_info().text();
    outputs.push_back(read_outputs(chip().tile(t), launch.tiles[t]));
  }
  EXPECT_EQ(kernels::moe_result(m.layer, kChipTiles, outputs), cli::moe_reference(m.layer, kChipX, kChipY));
}

TEST_F(ChipTest, EveryRegisterBlockIsWhereTheMapSays) {
  const auto at = [](std::size_t offset) { return static_cast<std::uint32_t>(offset); };
  for (std::uint32_t t = 0; t < kChipTiles; ++t) {
    ChipTile& tile = chip().tile(t);
    EXPECT_EQ(tile.csr_read(at(offsetof(tepin_csr_t, TILE))), t % 2 | t / 2 << 3 | 1U << 8 | 1U << 11);
    // A field of each controller that nothing else uses, and of no other controller.
    tile.memory_write(at(offsetof(hbm_csr_t, ECC)),
                      (tile.memory_read(at(offsetof(hbm_csr_t, ECC))) & 0xffffU) | (0x400U + t) << 16);
  }
  for (std::uint32_t t = 0; t < kChipTiles; ++t)
    EXPECT_EQ(chip().tile(t).memory_read(at(offsetof(hbm_csr_t, ECC))) >> 16, 0x400U + t);
  constexpr std::uint32_t kChip = 1U << 20;
  EXPECT_EQ(chip().host().csr_read(kChip | at(offsetof(chip_csr_t, SHAPE))), 0x122U);
  EXPECT_THROW((void)chip().host().csr_read(2U << 14), HostError) << "tile 2 of a mesh of two columns";
  EXPECT_THROW((void)chip().host().csr_read(2U << 11), HostError) << "a second channel";
  EXPECT_THROW(chip().host().csr_write(16U << 14, 0), HostError);
  Bytes some(64);
  EXPECT_THROW(chip().host().window_read(std::uint64_t{18} << 39, some), HostError);
  EXPECT_THROW(chip().host().window_write(std::uint64_t{63} << 39, some), HostError);
}

// docs/chip.md, 3.
TEST_F(ChipTest, AnAccessTakesTheStatedCycles) {
  const auto cycles = [](const auto& access) {
    const std::uint64_t begin = chip().now();
    access();
    return chip().now() - begin;
  };
  Bytes word(32);
  for (std::uint32_t t = 0; t < kChipTiles; ++t) {
    ChipTile& tile = chip().tile(t);
    const std::uint64_t hops = t % kChipX + t / kChipX;
    EXPECT_EQ(cycles([&] { tile.window_read(isa::kWinSpad, word); }), 14 + 2 * hops) << t;
    EXPECT_EQ(cycles([&] { tile.window_write(isa::kWinSpad, word); }), 14 + 2 * hops) << t;
    EXPECT_EQ(cycles([&] { (void)tile.csr_read(0); }), 14 + 2 * hops) << t;
    EXPECT_EQ(cycles([&] { (void)tile.memory_read(0); }), 13 + 2 * hops) << t;
  }
}

TEST_F(ChipTest, AFaultRaisesTheChipsInterruptAndNamesItsTile) {
  const isa::Section bad = assembly::assemble(".thread 0, main\nmain:\n li r1, 7\n ld spad=r1, hbm=r0, len=r1\n halt\n",
                                              "bad.s", kTileConfig)
                               .sections.at(0);
  const isa::Section good = assembly::assemble(".thread 0, main\nmain:\n halt\n", "good.s", kTileConfig).sections.at(0);
  for (std::size_t t = 0; t < kChipTiles; ++t) {
    chip().tile(t).soft_reset();
    chip().tile(t).load(t == 2 ? bad : good);
  }
  ASSERT_TRUE(chip().run(20'000));
  for (std::size_t t = 0; t < kChipTiles; ++t) EXPECT_EQ(chip().tile(t).faulted(), t == 2) << t;
  const FaultInfo fault = chip().tile(2).fault_info();
  EXPECT_EQ(fault.cause, isa::Cause::kMisaligned) << fault.text();
  EXPECT_EQ(fault.text().substr(0, 11), "tile 0,1 LD");
}

}  // namespace
}  // namespace tepin::tb::testing
