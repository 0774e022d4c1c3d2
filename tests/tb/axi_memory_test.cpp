// SPDX-License-Identifier: Apache-2.0
// The memory model alone, as a master on its port sees it.
#include "tb/axi_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "axi_port.h"
#include "support.h"

namespace tepin::tb::testing {
namespace {

Word word_at(const Bytes& bytes, std::size_t at) {
  Word w;
  std::memcpy(w.data(), &bytes[at], 32);
  return w;
}
Word filled(std::uint32_t v) {
  Word w;
  w.fill(v);
  return w;
}
Bytes load(const AxiMemory& m, std::uint64_t at, std::size_t n) {
  Bytes b(n);
  m.load(at, b);
  return b;
}

TEST(AxiMemory, FirstBeatIsOfferedTheLatencyAfterTheAddress) {
  for (const std::uint32_t latency : {1U, 7U, 60U}) {
    Port p({.read_latency = latency});
    p.read(3, 64, 1);
    p.run_until_idle();
    ASSERT_EQ(p.beats.size(), 1U);
    // Offered `latency` edges after the edge of the address, so taken at the next one.
    EXPECT_EQ(p.beats[0].at, p.ar_at[0] + latency + 1);
    EXPECT_EQ(p.beats[0].id, 3);
    EXPECT_TRUE(p.beats[0].last);
  }
}

TEST(AxiMemory, ResponseIsOfferedTheLatencyAfterTheLastBeat) {
  Port p({.write_latency = 9});
  p.address(2, 0, 2);
  p.data(filled(1), false);
  p.data(filled(2), true);
  p.run_until_idle();
  ASSERT_EQ(p.responses.size(), 1U);
  EXPECT_EQ(p.responses[0].at, p.w_at[1] + 9 + 1);
  EXPECT_EQ(p.responses[0].id, 2);
  EXPECT_EQ(p.responses[0].resp, 0);
}

TEST(AxiMemory, GivesOneBeatACycleAcrossBursts) {
  Port p({.read_latency = 20});
  const Bytes data = random_bytes(4096, 1);
  p.memory.store(0, data);
  for (std::uint32_t i = 0; i < 8; ++i) p.read(static_cast<std::uint8_t>(i), i * 256, 8);
  p.run_until_idle();
  ASSERT_EQ(p.beats.size(), 64U);
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(p.beats[i].at, p.beats[0].at + i);
    EXPECT_EQ(p.beats[i].data, word_at(data, i * 32));
    EXPECT_EQ(p.beats[i].last, i % 8 == 7);
  }
  EXPECT_EQ(p.memory.beats_read(), 64U);
}

TEST(AxiMemory, KeepsOrderWithinAnIdAndReordersBetweenIds) {
  Port p({.read_latency = 3, .seed = first_seed(), .reorder = true});
  Bytes data = random_bytes(64 * 256, 2);
  p.memory.store(0, data);
  std::map<std::uint8_t, std::vector<std::uint32_t>> asked;  // by ID: addresses of beats in order
  for (std::uint32_t i = 0; i < 60; ++i) {
    const auto id = static_cast<std::uint8_t>(i * 7 % 5);
    p.read(id, i * 256, 8);
    for (std::uint32_t b = 0; b < 8; ++b) asked[id].push_back(i * 256 + b * 32);
  }
  p.run_until_idle();
  ASSERT_EQ(p.beats.size(), 480U);
  std::map<std::uint8_t, std::size_t> next;
  std::size_t interleaved = 0;
  for (std::size_t i = 0; i < p.beats.size(); ++i) {
    const Beat& b = p.beats[i];
    const std::uint32_t address = asked[b.id].at(next[b.id]++);
    ASSERT_EQ(b.data, word_at(data, address)) << replay(first_seed());
    if (i > 0 && p.beats[i - 1].id != b.id && !p.beats[i - 1].last) ++interleaved;
  }
  EXPECT_GT(interleaved, 100U) << "bursts of different IDs must mix beat by beat";
}

TEST(AxiMemory, NeverReordersUnlessTold) {
  Port p({.read_latency = 3, .stall = 0.3});
  for (std::uint32_t i = 0; i < 40; ++i) p.read(static_cast<std::uint8_t>(i % 16), i * 256, 4);
  p.run_until_idle();
  ASSERT_EQ(p.beats.size(), 160U);
  for (std::size_t i = 0; i < 160; ++i) EXPECT_EQ(p.beats[i].id, i / 4 % 16);
}

TEST(AxiMemory, ReordersResponsesOfDifferentIds) {
  Port p({.write_latency = 30, .seed = first_seed(), .reorder = true});
  p.out.b_ready = false;
  for (std::uint32_t i = 0; i < 20; ++i) {
    p.address(static_cast<std::uint8_t>(i), i * 32, 1);
    p.data(filled(i), true);
  }
  // All of them are due before the first is taken.
  for (int i = 0; i < 60; ++i) p.tick();
  p.out.b_ready = true;
  p.run_until_idle();
  ASSERT_EQ(p.responses.size(), 20U);
  EXPECT_FALSE(
      std::is_sorted(p.responses.begin(), p.responses.end(), [](const auto& a, const auto& b) { return a.id < b.id; }));
  for (std::uint32_t i = 0; i < 20; ++i) EXPECT_EQ(load(p.memory, i * 32, 4), words(std::array<std::uint32_t, 1>{i}));
}

TEST(AxiMemory, StallsEveryChannelAboutAsOftenAsAsked) {
  Port p({.read_latency = 1, .write_latency = 1, .seed = first_seed(), .stall = 0.5});
  std::uint64_t cycles = 0;
  std::array<std::uint64_t, 5> open{};
  for (std::uint32_t i = 0; i < 500; ++i) {
    p.out.ar_valid = true;
    p.out.ar_addr = i * 32;
    p.tick();
    ++cycles;
    open[0] += p.in.ar_ready ? 1U : 0U;
    open[1] += p.in.aw_ready ? 1U : 0U;
    open[2] += p.in.w_ready ? 1U : 0U;
    open[3] += p.in.r_valid ? 1U : 0U;
  }
  p.out.ar_valid = false;
  p.run_until_idle();
  for (std::size_t c = 0; c < 4; ++c) {
    EXPECT_GT(open[c], cycles / 4) << "channel " << c;
    EXPECT_LT(open[c], cycles * 3 / 4) << "channel " << c;
  }
}

TEST(AxiMemory, HoldsABeatUntilItIsTaken) {
  Port p({.read_latency = 2, .seed = first_seed(), .stall = 0.3, .reorder = true});
  p.memory.store(0, random_bytes(64 * 32, 3));
  for (std::uint32_t i = 0; i < 16; ++i) p.read(static_cast<std::uint8_t>(i), i * 128, 4);
  std::mt19937_64 rng(first_seed());
  std::size_t held = 0;
  for (int i = 0; i < 2000; ++i) {
    p.out.r_ready = rng() % 4 == 0;
    const MemoryIn before = p.in;
    p.tick();
    if (!before.r_valid || p.out.r_ready) continue;
    ++held;
    ASSERT_TRUE(p.in.r_valid);
    ASSERT_EQ(p.in.r_id, before.r_id);
    ASSERT_EQ(p.in.r_data, before.r_data);
    ASSERT_EQ(p.in.r_last, before.r_last);
  }
  EXPECT_GT(held, 50U);
  EXPECT_EQ(p.beats.size(), 64U);
}

TEST(AxiMemory, AWriteIsThereOnlyOnceItsResponseIsGiven) {
  Port p({.write_latency = 25});
  p.memory.store(0, Bytes(64, 0xaa));
  p.address(1, 0, 2);
  p.data(filled(0x11111111), false);
  p.data(filled(0x22222222), true);
  while (!p.in.b_valid) {
    EXPECT_EQ(load(p.memory, 0, 64), Bytes(64, 0xaa));
    p.tick();
    ASSERT_LT(p.now, 1000U);
  }
  Bytes expected(64, 0x11);
  std::fill(expected.begin() + 32, expected.end(), 0x22);
  EXPECT_EQ(load(p.memory, 0, 64), expected);
  EXPECT_EQ(p.memory.beats_written(), 2U);
}

TEST(AxiMemory, WritesOnlyTheBytesThatAreStrobed) {
  Port p({});
  p.memory.store(32, Bytes(32, 0x77));
  p.address(0, 32, 1);
  p.data(filled(0xffffffffU), true, 0x80000011U);
  p.run_until_idle();
  Bytes expected(32, 0x77);
  expected[0] = expected[4] = expected[31] = 0xff;
  EXPECT_EQ(load(p.memory, 32, 32), expected);
}

TEST(AxiMemory, TakesDataBeforeItsAddress) {
  Port p({});
  p.data(filled(5), true);
  p.address(0, 96, 1);
  p.run_until_idle();
  EXPECT_EQ(p.responses.size(), 1U);
  EXPECT_EQ(load(p.memory, 96, 4), words(std::array<std::uint32_t, 1>{5}));
}

TEST(AxiMemory, OnlyTheFaultyBeatAnswersAnError) {
  Port p({.slverr_beat = 2, .decerr_beat = 5});
  p.memory.store(0, random_bytes(256, 4));
  p.read(0, 0, 8);
  p.address(1, 0, 4);
  for (int b = 0; b < 4; ++b) p.data(filled(9), b == 3);
  p.address(2, 128, 4);
  for (int b = 0; b < 4; ++b) p.data(filled(9), b == 3);
  p.run_until_idle();
  ASSERT_EQ(p.beats.size(), 8U);
  for (std::size_t b = 0; b < 8; ++b) EXPECT_EQ(p.beats[b].resp, b == 2 ? 2 : b == 5 ? 3 : 0);
  ASSERT_EQ(p.responses.size(), 2U);
  EXPECT_EQ(p.responses[0].resp, 2);
  EXPECT_EQ(p.responses[1].resp, 3);
  const Bytes original = random_bytes(256, 4);
  EXPECT_EQ(load(p.memory, 64, 32), Bytes(original.begin() + 64, original.begin() + 96))
      << "a refused beat is not written";
  EXPECT_EQ(load(p.memory, 96, 4), words(std::array<std::uint32_t, 1>{9}));
}

TEST(AxiMemory, BeyondItsCapacityAnswersDecerr) {
  Port p({});
  p.read(0, kCapacity - 32, 1);
  p.read(0, kCapacity, 1);
  p.run_until_idle();
  ASSERT_EQ(p.beats.size(), 2U);
  EXPECT_EQ(p.beats[0].resp, 0);
  EXPECT_EQ(p.beats[1].resp, 3);
  EXPECT_THROW(p.memory.store(kCapacity - 1, Bytes(2)), std::out_of_range);
  Bytes b(2);
  EXPECT_THROW(p.memory.load(kCapacity - 1, b), std::out_of_range);
}

TEST(AxiMemory, ProtocolViolationsThrow) {
  EXPECT_THROW(Port({}).read(0, 16, 1), std::logic_error) << "not a multiple of 32";
  EXPECT_THROW(Port({}).address(0, 4, 1), std::logic_error) << "not a multiple of 32";
  EXPECT_THROW(Port({}).read(0, 4096 - 32, 2), std::logic_error) << "crosses 4 KiB";
  EXPECT_THROW(Port({}).address(0, 4096 - 32, 2), std::logic_error) << "crosses 4 KiB";
  EXPECT_NO_THROW(Port({}).read(0, 4096 - 64, 2));
  Port early({});
  early.address(0, 0, 2);
  EXPECT_THROW(early.data(filled(0), true), std::logic_error) << "last before the end";
  Port late({});
  late.address(0, 0, 1);
  EXPECT_THROW(late.data(filled(0), false), std::logic_error) << "no last at the end";
}

TEST(AxiMemory, BytesNeverStoredReadZero) {
  AxiMemory m(kCapacity, {});
  m.store(AxiMemory::kPage - 1, Bytes{1, 2});
  EXPECT_EQ(load(m, AxiMemory::kPage - 2, 4), (Bytes{0, 1, 2, 0}));
}

}  // namespace
}  // namespace tepin::tb::testing
