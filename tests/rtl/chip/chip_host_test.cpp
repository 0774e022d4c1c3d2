// SPDX-License-Identifier: Apache-2.0
// The host port before 3 x 2 tiles: whatever is asked, everybody sees what is theirs, in order, and the host gets what
// they answered, in the order of each ID.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>

#include "host_bench.h"
#include "sw/isa/chip_csr.h"

namespace tepin::tb::testing {
namespace {

constexpr unsigned kChipRegisters = 64;  // where the tiles' numbers end: bit 20 of the address

std::uint32_t first_seed() {
  const char* const s = std::getenv("TEPIN_SEED");
  return s == nullptr ? 1 : static_cast<std::uint32_t>(std::strtoul(s, nullptr, 0));
}

/// A register of the chip and what must come back.
Burst chip_register(HostBench& bench, std::size_t offset, bool write, std::uint32_t value, unsigned resp = 0) {
  Burst b = bench.registers(kChipRegisters, 0, static_cast<unsigned>(offset), write);
  b.end.reset();
  b.answers = {{0, resp, write ? HostWord{} : HostWord{value}, true}};
  if (write) {
    b.data[0].data[0] = value;
    b.data[0].strb = 15;
  }
  return b;
}
std::uint32_t read_chip(HostBench& bench, std::size_t offset, std::uint32_t expected) {
  bench.reg.send(chip_register(bench, offset, false, expected), false);
  EXPECT_TRUE(bench.drain()) << bench.wrong;
  return expected;
}

struct Mix {
  const char* name;
  unsigned ids, max_beats;
  unsigned absent;  // of 256
  Pace host, tile;  // of slave t the delay grows with t
  unsigned bursts = 1500, accesses = 1500;
};
std::ostream& operator<<(std::ostream& o, const Mix& m) { return o << m.name; }

class Traffic : public ::testing::TestWithParam<Mix> {};

TEST_P(Traffic, EverybodyGetsWhatIsTheirs) {
  const Mix& m = GetParam();
  const std::uint32_t seed = first_seed();
  SCOPED_TRACE(fmt::format("TEPIN_SEED={} rtl_chip_host_test --gtest_filter='*/{}'", seed, m.name));
  HostBench bench(seed);
  bench.win.pace = bench.reg.pace = m.host;
  for (std::vector<Slave>* side : {&bench.tiles, &bench.ends}) {
    unsigned i = 0;
    for (Slave& s : *side) {
      s.pace = m.tile;
      s.pace.delay *= i++ % 4;
    }
  }
  rtl_test::Rng& rng = bench.rng();
  const auto a_tile = [&](bool absent) {
    for (;;) {
      const unsigned t = rng() % 64;
      if ((t % 8 < kHostX && t / 8 < kHostY) != absent) return t;
    }
  };
  unsigned bursts = 0, accesses = 0, reads_at_once = 0;
  while (bench.wrong.empty() && (bursts < m.bursts || accesses < m.accesses)) {
    if (bursts < m.bursts && bench.win.open_writes + bench.win.open_reads < 40 && rng() % 2 == 0) {
      const unsigned beats = 1 + rng() % m.max_beats;
      const std::uint64_t page = rng() & 0x7ffffffU;
      const std::uint64_t address = page << 12 | (rng() % (129 - beats)) << 5 | (rng() & 31U);
      const bool write = rng() % 2 == 0;
      bench.win.send(bench.window(rng() % m.ids, a_tile((rng() & 255U) < m.absent), address, beats, write), write);
      ++bursts;
    }
    if (accesses < m.accesses && bench.reg.open_writes + bench.reg.open_reads < 20 && rng() % 2 == 0) {
      const bool absent = (rng() & 255U) < m.absent, write = rng() % 2 == 0;
      const unsigned kind = rng() % 8;
      Burst b;
      if (!absent && kind == 0) {
        // IRQ_ENABLE_LO is only written here, ID only read; SHAPE cannot be written.
        b = rng() % 2 == 0 ? chip_register(bench, offsetof(chip_csr_t, SHAPE), write,
                                           write ? 0 : kHostX | kHostY << 4 | kHostChannels << 8, write ? 2 : 0)
            : write        ? chip_register(bench, offsetof(chip_csr_t, IRQ_ENABLE_LO), true, rng())
                           : chip_register(bench, offsetof(chip_csr_t, ID), false, 0x54504348);
      } else if (absent && kind < 3) {  // a tile that is there, a block or an address that is not
        b = kind == 0
                ? bench.registers(a_tile(false), kHostChannels + 1 + rng() % (7 - kHostChannels), rng() & 0x7fcU, write)
            : kind == 1 ? bench.registers(a_tile(false), 0, 256 + 4 * (rng() % 448), write)
                        : bench.registers(kChipRegisters + rng() % 64, rng() % 8, 32 + 4 * (rng() % 504), write);
      } else {
        const unsigned block = absent ? rng() % 8 : rng() % (kHostChannels + 1);
        b = bench.registers(a_tile(absent), block, rng() & (block == 0 ? 0xfcU : 0x7fcU), write);
      }
      bench.reg.send(b, write);
      ++accesses;
    }
    bench.tick();
    reads_at_once = std::max(reads_at_once, bench.win.open_reads);
  }
  EXPECT_TRUE(bench.drain()) << bench.wrong;
  EXPECT_EQ(bench.win.answered, m.bursts);
  EXPECT_EQ(bench.reg.answered, m.accesses);
  EXPECT_GT(reads_at_once, 8U);
  if (m.absent != 0) {
    EXPECT_GT(bench.win.refused, m.bursts * m.absent / 256 / 2);
    EXPECT_GT(bench.reg.refused, m.accesses * m.absent / 256 / 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Mixes, Traffic,
                         ::testing::Values(Mix{"at_full_speed", 16, 8, 0, {256, 256, 0}, {256, 256, 0}},
                                           Mix{"one_id_and_slow_tiles", 1, 4, 16, {256, 256, 0}, {256, 256, 60}},
                                           Mix{"few_ids_and_slow_tiles", 3, 16, 64, {200, 200, 0}, {128, 128, 100}},
                                           Mix{"host_that_hardly_takes", 16, 8, 32, {256, 24, 0}, {256, 256, 0}},
                                           Mix{"tiles_that_hardly_take", 16, 8, 32, {256, 256, 0}, {64, 20, 0}},
                                           Mix{"host_that_hardly_sends", 4, 8, 32, {20, 256, 0}, {256, 256, 0}},
                                           Mix{"nobody_there", 4, 128, 256, {256, 128, 0}, {256, 256, 0}, 300, 1500},
                                           Mix{"long_bursts", 8, 128, 8, {256, 230, 0}, {230, 230, 10}, 300, 1500}),
                         [](const auto& i) { return std::string(i.param.name); });

class Place : public ::testing::TestWithParam<unsigned> {};

// The figures of the modules' headers and of docs/chip.md.
TEST_P(Place, IsReachedInTheStatedCycles) {
  const unsigned t = GetParam(), x = t % kHostX, y = t / kHostX;
  HostBench bench(1);
  for (int i = 0; i < 4; ++i) bench.tick();
  bench.win.send(bench.window(3, y * 8 + x, 0x1000, 4, false), false);
  bench.win.send(bench.window(3, y * 8 + x, 0x1000, 4, true), true);
  bench.reg.send(bench.registers(y * 8 + x, 1, 0x20, false), false);
  bench.reg.send(bench.registers(y * 8 + x, 1, 0x20, true), true);
  ASSERT_TRUE(bench.drain()) << bench.wrong;
  const Times &h = bench.win.times, &s = bench.tiles[t].times;
  EXPECT_EQ(s.ar.at(0) - h.ar.at(0), x + y + 4);
  EXPECT_EQ(s.aw.at(0) - h.aw.at(0), x + y + 4);
  EXPECT_EQ(h.r.at(0) - s.r.at(0), x + y + 3);
  EXPECT_EQ(h.b.at(0) - s.b.at(0), x + y + 3);
  EXPECT_EQ(h.r.at(3) - h.r.at(0), 3U) << "a beat a cycle";
  EXPECT_EQ(s.w.at(3) - s.w.at(0), 3U) << "a beat a cycle";
  const Times &hr = bench.reg.times, &sr = bench.ends[t * kHostBlocks + 1].times;
  EXPECT_EQ(sr.ar.at(0) - hr.ar.at(0), x + y + 5);
  EXPECT_EQ(sr.aw.at(0) - hr.aw.at(0), x + y + 5);
  EXPECT_EQ(hr.r.at(0) - sr.r.at(0), x + y + 4);
  EXPECT_EQ(hr.b.at(0) - sr.b.at(0), x + y + 4);
}
INSTANTIATE_TEST_SUITE_P(Tiles, Place, ::testing::Range(0U, static_cast<unsigned>(kHostTiles)));

TEST(ChipHost, ReadsOfOneIdWaitForEachOtherAcrossTiles) {
  HostBench bench(1);
  bench.tiles[0].pace.delay = 0;
  bench.tiles[0].pace.offer = 4;  // slow to answer
  bench.win.send(bench.window(5, 0, 0x40, 2, false), false);
  bench.win.send(bench.window(5, 9, 0x80, 1, false), false);
  bench.win.send(bench.window(6, 1, 0x80, 1, false), false);
  ASSERT_TRUE(bench.drain()) << bench.wrong;
  EXPECT_GT(bench.tiles[4].times.ar.at(0), bench.win.times.r.at(0)) << "tile 9 was asked before tile 0 had answered";
}

TEST(ChipHost, ReadsOfSeveralIdsAreUnderWayTogether) {
  HostBench bench(1);
  for (Slave& s : bench.tiles) s.pace.take = 256;
  bench.tiles[0].pace.offer = 0;  // does not answer yet
  bench.win.send(bench.window(0, 0, 0, 1, false), false);
  for (unsigned id = 1; id < 6; ++id)
    bench.win.send(bench.window(id, (id / kHostX) * 8 + id % kHostX, 0, 1, false), false);
  for (int i = 0; i < 60; ++i) bench.tick();
  EXPECT_EQ(bench.win.open_reads, 1U) << "five overtake the first";
  bench.tiles[0].pace.offer = 256;
  EXPECT_TRUE(bench.drain()) << bench.wrong;
}

TEST(ChipHost, EightReadsOfAnIdGoOutAndTheNinthWaits) {
  HostBench bench(1);
  bench.tiles[2].pace.offer = 0;
  for (unsigned i = 0; i < 12; ++i) bench.win.send(bench.window(7, 2, 64 * i, 2, false), false);
  for (int i = 0; i < 100; ++i) bench.tick();
  EXPECT_EQ(bench.tiles[2].times.ar.size(), 8U);
  bench.tiles[2].pace.offer = 256;
  EXPECT_TRUE(bench.drain()) << bench.wrong;
}

TEST(ChipHost, ABlockedTileHoldsNobodyElse) {
  HostBench bench(1);
  bench.tiles[0].pace.take = 0;  // takes nothing: two addresses wait before it
  bench.win.send(bench.window(1, 0, 0, 1, false), false);
  for (unsigned i = 0; i < 20; ++i) bench.win.send(bench.window(2 + i % 4, 10, 32 * i, 1, false), false);
  for (int i = 0; i < 200; ++i) bench.tick();
  EXPECT_EQ(bench.win.open_reads, 1U);
  bench.tiles[0].pace.take = 256;
  EXPECT_TRUE(bench.drain()) << bench.wrong;
}

TEST(ChipHost, InterruptsAreJoinedMaskedAndNamed) {
  HostBench bench(1);
  read_chip(bench, offsetof(chip_csr_t, ID), 0x54504348);
  read_chip(bench, offsetof(chip_csr_t, VERSION), 1);
  read_chip(bench, offsetof(chip_csr_t, SHAPE), 0x323);
  read_chip(bench, offsetof(chip_csr_t, IRQ_ENABLE_LO), 0xffffffff);
  read_chip(bench, offsetof(chip_csr_t, IRQ_ENABLE_HI), 0xffffffff);
  EXPECT_FALSE(bench.irq());
  for (std::size_t t = 0; t < kHostTiles; ++t) {
    const std::uint32_t bit = 1U << (t / kHostX * 8 + t % kHostX);
    bench.set_irq(t, true);
    bench.tick();
    EXPECT_TRUE(bench.irq()) << t << ": a cycle later";
    read_chip(bench, offsetof(chip_csr_t, IRQ_LO), bit);
    read_chip(bench, offsetof(chip_csr_t, IRQ_HI), 0);
    bench.reg.send(chip_register(bench, offsetof(chip_csr_t, IRQ_ENABLE_LO), true, ~bit), true);
    ASSERT_TRUE(bench.drain()) << bench.wrong;
    EXPECT_FALSE(bench.irq()) << t << " is masked";
    read_chip(bench, offsetof(chip_csr_t, IRQ_LO), bit);
    bench.reg.send(chip_register(bench, offsetof(chip_csr_t, IRQ_ENABLE_LO), true, bit), true);
    ASSERT_TRUE(bench.drain()) << bench.wrong;
    EXPECT_TRUE(bench.irq()) << t;
    bench.set_irq(t, false);
    bench.tick();
    EXPECT_FALSE(bench.irq()) << t;
    bench.reg.send(chip_register(bench, offsetof(chip_csr_t, IRQ_ENABLE_LO), true, 0xffffffff), true);
    ASSERT_TRUE(bench.drain()) << bench.wrong;
  }
}

}  // namespace
}  // namespace tepin::tb::testing
