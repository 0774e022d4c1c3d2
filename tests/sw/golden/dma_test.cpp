// SPDX-License-Identifier: Apache-2.0
#include "fixture.h"

namespace tepin::golden::testing {
namespace {

constexpr std::uint32_t kTwoTimesThree = (1U << 16) | 2U;  // n2 = 2, n1 = 3

std::uint32_t at(std::uint32_t pc, std::uint32_t beat) { return pc << 26 | beat; }

TEST(Dma, LdCopiesOneRun) {
  Machine m(isa::kNano);
  const Bytes data = random_bytes(96, 1);
  m.load_hbm(1, 64 * 32, data);
  Builder p;
  p.thread(0).engine("ld", {{"spad", 128}, {"hbm", at(1, 64)}, {"len", 3}, {"npc", 1}}).halt();
  run_done(m, p);
  EXPECT_EQ(spad(m, 128, 96), data);
  EXPECT_EQ(m.spad().written[127], 0);
  EXPECT_EQ(m.spad().written[224], 0);
}

TEST(Dma, LdStepsInTwoDimensionsOnBothSides) {
  Machine m(isa::kNano);
  const Bytes data = random_bytes(4096, 2);
  m.load_hbm(0, 0, data);
  Builder p;
  p.thread(0)
      .engine("ld", {{"spad", 0x1000},
                     {"hbm", at(0, 2)},
                     {"len", 2},
                     {"cnt", kTwoTimesThree},
                     {"sstep1", 128},
                     {"hstep1", 5},
                     {"sstep2", 1024},
                     {"hstep2", 40},
                     {"npc", 1}})
      .halt();
  run_done(m, p);
  for (std::size_t i2 = 0; i2 < 2; ++i2) {
    for (std::size_t i1 = 0; i1 < 3; ++i1) {
      const std::size_t h = (2 + i1 * 5 + i2 * 40) * 32;
      EXPECT_EQ(spad(m, 0x1000 + i1 * 128 + i2 * 1024, 64), Bytes(data.begin() + static_cast<std::ptrdiff_t>(h),
                                                                  data.begin() + static_cast<std::ptrdiff_t>(h + 64)));
    }
  }
}

TEST(Dma, StripesInUnitsOfEightBeatsOverChannelsBothWays) {
  Machine m(isa::kNano);
  const Bytes data = random_bytes(35 * 32, 3);
  m.load_spad(0, data);
  Builder p;
  p.thread(0).engine("st", {{"spad", 0}, {"hbm", at(0, 3)}, {"len", 35}, {"npc", 2}}).post(1);
  p.engine("ld", {{"spad", 0x8000}, {"hbm", at(0, 3)}, {"len", 35}, {"npc", 2}}).wait(1).halt();
  run_done(m, p);
  for (std::size_t b = 0; b < 35; ++b) {
    const auto channel = static_cast<std::uint32_t>(b / 8 % 2);
    const std::size_t beat = 3 + b / 16 * 8 + b % 8;
    EXPECT_EQ(hbm(m, channel, beat * 32, 32), Bytes(data.begin() + static_cast<std::ptrdiff_t>(b * 32),
                                                    data.begin() + static_cast<std::ptrdiff_t>(b * 32 + 32)))
        << b;
  }
  EXPECT_EQ(spad(m, 0x8000, data.size()), data);
}

TEST(Dma, StPostsOnceItsDataIsThere) {
  Machine m(isa::kFpga);
  m.load_spad(64, random_bytes(32, 4));
  Builder p;
  p.thread(0)
      .engine("st", {{"spad", 64}, {"hbm", 2047}, {"len", 1}, {"npc", 1}})
      .post(3)
      .raw("stsync")
      .wait(3)
      .post(4)
      .halt();
  run_done(m, p);
  EXPECT_EQ(hbm(m, 0, 2047 * 32, 32), random_bytes(32, 4));
  EXPECT_EQ(m.sems()[4], 1U);
  EXPECT_EQ(m.hbm(0).written(2046), 0U);
}

TEST(Dma, ReachesTheVeryEndOfBothMemories) {
  Machine m(isa::kFpga);
  m.load_hbm(0, 2040 * 32, random_bytes(8 * 32, 5));
  Builder p;
  p.thread(0).engine("ld", {{"spad", isa::kFpga.spad_bytes - 256}, {"hbm", 2040}, {"len", 8}, {"npc", 1}}).halt();
  run_done(m, p);
  EXPECT_EQ(spad(m, isa::kFpga.spad_bytes - 256, 256), random_bytes(256, 5));
}

TEST(Dma, LoadRefusesWhatDoesNotFit) {
  Machine m(isa::kFpga);
  EXPECT_THROW(m.load_spad(isa::kFpga.spad_bytes - 1, Bytes(2)), isa::InputError);
  EXPECT_THROW(m.load_hbm(1, 0, Bytes(1)), isa::InputError);
  EXPECT_THROW(m.load_hbm(0, 65536, Bytes(1)), isa::InputError);
  EXPECT_THROW(m.load_acc(8, std::vector<std::uint32_t>(1)), isa::InputError);
}

}  // namespace
}  // namespace tepin::golden::testing
