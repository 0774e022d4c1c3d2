// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "sw/isa/tepin_window.h"
#include "tb/tile_sim.h"

namespace {

using namespace tepin;

// Any byte range of the scratchpad and of each pseudo-channel, through a memory that stalls.
TEST(TileHost, WindowReadsBackEveryByteRangeItWrote) {
  tb::SimOptions options;
  options.memory.stall = 0.3;
  options.memory.read_latency = 9;
  tb::TileSim sim(options);
  std::mt19937_64 rng(15);
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> regions{
      {isa::kWinSpad, tb::kTileConfig.spad_bytes}, {isa::kWinHbm, 0x20000}, {isa::kWinHbm + (1ULL << 31), 0x20000}};
  std::vector<std::vector<std::uint8_t>> model;
  for (const auto& [base, size] : regions) model.emplace_back(size);
  std::uint64_t checked = 0;
  for (int i = 0; i < 400; ++i) {
    const std::size_t r = rng() % regions.size();
    const std::uint64_t at = rng() % (regions[r].second - 700);
    std::vector<std::uint8_t> bytes(1 + rng() % 600);
    if (i % 2 == 0) {
      for (auto& b : bytes) b = static_cast<std::uint8_t>(rng());
      sim.window_write(regions[r].first + at, bytes);
      std::copy(bytes.begin(), bytes.end(), model[r].begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      sim.window_read(regions[r].first + at, bytes);
      ASSERT_TRUE(std::equal(bytes.begin(), bytes.end(), model[r].begin() + static_cast<std::ptrdiff_t>(at)))
          << "region " << r << " at " << at;
      checked += bytes.size();
    }
  }
  EXPECT_GT(checked, 30000U);
}

TEST(TileHost, AnEntryBeyondTheProgramCounterIsRefused) {
  tb::TileSim sim;
  isa::Section section;
  section.code.push_back({static_cast<std::uint64_t>(isa::Op::kHalt), 0});
  section.entry[0] = 65536;
  EXPECT_THROW(sim.load(section), isa::InputError);
  section.entry[0] = 0;
  EXPECT_NO_THROW(sim.load(section));
}

TEST(TileHost, RefusesWhatIsNotThere) {
  tb::TileSim sim;
  std::vector<std::uint8_t> b(32);
  for (const std::uint64_t address : std::initializer_list<std::uint64_t>{
           isa::kWinSpad + tb::kTileConfig.spad_bytes, isa::kWinImem + tb::kTileConfig.imem_instrs * 16ULL,
           isa::kWinSem + 256, std::uint64_t{0x50000000}, isa::kWinHbm + (2ULL << 31)}) {
    EXPECT_THROW(sim.window_read(address, b), tb::HostError) << std::hex << address;
    EXPECT_THROW(sim.window_write(address, b), tb::HostError) << std::hex << address;
  }
  EXPECT_THROW(sim.window_write(isa::kWinAcc, b), tb::HostError) << "read only";
  EXPECT_THROW(sim.window_write(isa::kWinCounters, b), tb::HostError) << "read only";
  EXPECT_NO_THROW(sim.window_read(isa::kWinAcc, b));
}

}  // namespace
