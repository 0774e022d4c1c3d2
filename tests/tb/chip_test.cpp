// SPDX-License-Identifier: Apache-2.0
// Whole tiles wired to meshes: every NET instruction, on data whose result is computed here from the definition.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "support.h"
#include "sw/isa/tepin_window.h"
#include "tb/chip_sim.h"

namespace tepin::tb::testing {
namespace {

constexpr std::uint32_t kSrc = 0x1000, kDst = 0x8000;
constexpr std::uint32_t kLen = 5;  // words

struct Mesh {
  std::uint32_t x = 1, y = 1;
};

class ChipTest : public ::testing::TestWithParam<Mesh> {
 protected:
  ChipTest() : chip_(GetParam().x, GetParam().y, {.checked = true}) {
    for (std::uint32_t t = 0; t < tiles(); ++t) {
      // Small integers: sums are exact in any order, in FP32 and (up to 256) in BF16.
      std::vector<float> v(std::size_t{8} * kLen * 64);
      for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>((i * 7 + t * 13) % 4);
      data_.push_back(v);
      tile(t).window_write(isa::kWinSpad + kSrc, {reinterpret_cast<const std::uint8_t*>(v.data()), v.size() * 4});
    }
  }
  [[nodiscard]] std::uint32_t tiles() const { return chip_.mesh_x() * chip_.mesh_y(); }
  TileSim& tile(std::uint32_t t) { return chip_.tile(t); }
  [[nodiscard]] std::uint32_t number(std::uint32_t t) const { return t / chip_.mesh_x() * 8 + t % chip_.mesh_x(); }
  [[nodiscard]] std::uint64_t everyone() const {
    std::uint64_t m = 0;
    for (std::uint32_t t = 0; t < tiles(); ++t) m |= std::uint64_t{1} << number(t);
    return m;
  }
  /// The same text for every tile, with {me}, {src}, {dst}, {len} in registers r1..r4 and group 0 = everyone with that
  /// root.
  void run(const std::string& body, std::uint32_t root = 0) {
    for (std::uint32_t t = 0; t < tiles(); ++t) {
      tile(t).load(
          assemble(fmt::format(".thread 0, main\nmain:\n tid r1\n andi r1, r1, 63\n li r2, {}\n li r3, {}\n li r4, {}\n"
                               " li r5, {}\n li r6, {}\n li r7, {}\n ngroup lo=r5, hi=r6, root=r7, g=0\n{}\n halt\n",
                               kSrc, kDst, kLen, everyone() & 0xffffffff, everyone() >> 32, number(root), body)));
    }
    result_ = chip_.run(100000);
    ASSERT_EQ(result_.stop, Stop::kDone) << result_.fault.text();
  }
  std::vector<float> read(std::uint32_t t, std::uint32_t address, std::size_t words) {
    std::vector<float> v(words * 8);
    tile(t).window_read(isa::kWinSpad + address, {reinterpret_cast<std::uint8_t*>(v.data()), v.size() * 4});
    return v;
  }
  std::vector<float> source(std::uint32_t t, std::size_t first_word, std::size_t words) {
    const auto at = data_[t].begin() + static_cast<std::ptrdiff_t>(first_word * 8);
    return {at, at + static_cast<std::ptrdiff_t>(words * 8)};
  }
  std::vector<float> sum(std::size_t first_word, std::size_t words) {
    std::vector<float> s(words * 8);
    for (std::uint32_t t = 0; t < tiles(); ++t) {
      const auto v = source(t, first_word, words);
      for (std::size_t i = 0; i < s.size(); ++i) s[i] += v[i];
    }
    return s;
  }
  ChipSim chip_;
  ChipResult result_;
  std::vector<std::vector<float>> data_;
};

TEST_P(ChipTest, RemoteWriteAndPost) {
  // To the tile after this one, by number in rows; each waits for what it gets.
  std::string body = " li r8, 0\n";
  for (std::uint32_t t = 0; t < tiles(); ++t)
    body +=
        fmt::format(" li r9, {}\n bne r1, r9, not{}\n li r8, {}\nnot{}:\n", number(t), t, number((t + 1) % tiles()), t);
  body +=
      " nwr dst=r3, src=r2, len=r4, tile=r8 post s1\n li r10, 2\n li r11, 3\n npost sem=r10, count=r11, tile=r8 wait "
      "s1\n"
      " sync wait s2*3\n vmov dst=r3, src=r3, n=r4 post s4\n sync wait s4\n";
  run(body);
  for (std::uint32_t t = 0; t < tiles(); ++t)
    EXPECT_EQ(read((t + 1) % tiles(), kDst, kLen), source(t, 0, kLen)) << "from tile " << t;
}

TEST_P(ChipTest, MulticastFromEachInTurn) {
  for (std::uint32_t from = 0; from < tiles(); ++from) {
    run(
        fmt::format(" li r8, {}\n bne r1, r8, others\n nmc dst=r3, src=r2, len=r4, g=0, sem=7, scnt=2 post s1\n"
                    " sync wait s1\nothers:\n sync wait s7*2\n",
                    number(from)));
    for (std::uint32_t t = 0; t < tiles(); ++t)
      EXPECT_EQ(read(t, kDst, kLen), source(from, 0, kLen)) << from << " to " << t;
    for (std::uint32_t t = 0; t < tiles(); ++t) tile(t).soft_reset();
  }
}

TEST_P(ChipTest, BarrierAllReduceAndReduceWithEveryRoot) {
  for (std::uint32_t root = 0; root < tiles(); ++root) {
    run(" nbar g=0\n nar dst=r3, src=r2, len=r4, g=0\n addi r8, r3, 0x400\n nred dst=r8, src=r2, len=r4, g=0 post s1\n"
        " sync wait s1\n",
        root);
    for (std::uint32_t t = 0; t < tiles(); ++t) EXPECT_EQ(read(t, kDst, kLen), sum(0, kLen)) << root << " at " << t;
    EXPECT_EQ(read(root, kDst + 0x400, kLen), sum(0, kLen)) << root;
    for (std::uint32_t t = 0; t < tiles(); ++t) tile(t).soft_reset();
  }
}

TEST_P(ChipTest, ReduceScatterAllGatherAllToAll) {
  run(
      fmt::format(" nrs dst=r3, src=r2, len=r4, g=0\n addi r8, r3, 0x400\n nag dst=r8, src=r3, len=r4, g=0\n"
                  " addi r9, r3, {}\n na2a dst=r9, src=r2, len=r4, g=0 post s1\n sync wait s1\n",
                  0x400 + tiles() * kLen * 32));
  for (std::uint32_t t = 0; t < tiles(); ++t) {
    EXPECT_EQ(read(t, kDst, kLen), sum(t * kLen, kLen)) << t;
    EXPECT_EQ(read(t, kDst + 0x400, tiles() * kLen), sum(0, tiles() * kLen)) << t;
    for (std::uint32_t from = 0; from < tiles(); ++from) {
      EXPECT_EQ(read(t, kDst + 0x400 + (tiles() + from) * kLen * 32, kLen), source(from, t * kLen, kLen))
          << from << " to " << t;
    }
  }
}

TEST_P(ChipTest, RemoteMemory) {
  // Each writes its words to the memory of the tile after it, and reads back those of the one before it.
  std::string body;
  for (std::uint32_t t = 0; t < tiles(); ++t) {
    body += fmt::format(" li r9, {}\n bne r1, r9, not{}\n li r8, {}\n li r12, {}\nnot{}:\n", number(t), t,
                        number((t + 1) % tiles()), number((t + 2) % tiles()), t);
  }
  body +=
      " li r10, 3\n nst spad=r2, hbm=r10, len=r4, npc=2, tile=r8\n nbar g=0\n li r11, 64\n"
      " nld spad=r3, hbm=r10, len=r4, npc=2, tile=r12 post s1\n sync wait s1\n";
  run(body);
  for (std::uint32_t t = 0; t < tiles(); ++t)
    EXPECT_EQ(read(t, kDst, kLen), source((t + 1) % tiles(), 0, kLen)) << "at tile " << t;
}

INSTANTIATE_TEST_SUITE_P(Meshes, ChipTest, ::testing::Values(Mesh{1, 1}, Mesh{2, 1}, Mesh{2, 2}, Mesh{3, 2}),
                         [](const auto& i) { return fmt::format("{}x{}", i.param.x, i.param.y); });

}  // namespace
}  // namespace tepin::tb::testing
