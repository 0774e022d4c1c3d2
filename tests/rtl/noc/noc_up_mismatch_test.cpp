// SPDX-License-Identifier: Apache-2.0
// One router of up: what is told when heads do not fit.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <vector>

#include "tests/rtl/noc/up_pins.h"

namespace tepin::tb::noc {
namespace {

/// Group 2 keeps working while group 1 is blocked.
void expect_blocked(UpPins& r, std::mt19937_64& rng) {
  EXPECT_EQ(r.model->mismatch_o, 1);
  EXPECT_EQ(r.model->mismatch_group_o, 1);
  const UpHead other = head_of({bit(kLocal), kEast}, rng);
  for (std::uint32_t i = 0; i <= 10; ++i) {  // at a flit a cycle: the blocked one takes no turns
    const UpFlit f = i == 0 ? head_flit(2, other) : data_flit(2, i, i == 10);
    r.put(kLocal, f);
    r.clock_taking();
    ASSERT_NO_FATAL_FAILURE(expect_output(r, kEast, 2, f.head, f.last, f.data));
  }
  r.clock_taking();
  for (int i = 0; i < 20; ++i) {
    r.clock_taking();
    ASSERT_EQ(r.model->out_valid_o, 0);
  }
  EXPECT_EQ(r.model->mismatch_o, 1) << "holds";
  EXPECT_EQ(r.model->mismatch_group_o, 1);
  EXPECT_EQ(r.model->idle_o, 0);
}

TEST(NocUpMismatch, HeadsThatDifferInOneFieldAreAMismatch) {
  std::mt19937_64 rng(6);
  const std::vector<std::function<void(UpHead&)>> fields = {
      [](UpHead& h) { h.kind = static_cast<Coll>((static_cast<int>(h.kind) + 1) % 6); },
      [](UpHead& h) { h.max = !h.max; },
      [](UpHead& h) { h.bf16 = !h.bf16; },
      [](UpHead& h) { h.len ^= 0x8000; },
      [](UpHead& h) { h.len ^= 1; },
      [](UpHead& h) { h.chunk ^= 32; },
      [](UpHead& h) { h.word ^= 1U << 26; },
      [](UpHead& h) { h.word ^= 1; },
      [](UpHead& h) { h.root.y ^= 1; },                     // the same parent and set
      [](UpHead& h) { h.mask ^= 1; },                       // likewise
      [](UpHead& h) { h.mask ^= std::uint64_t{1} << 63; },  // likewise
  };
  for (const auto& change : fields) {
    for (const unsigned gap : {0U, 1U, 4U}) {
      for (const bool swap : {false, true}) {
        UpPins r;
        const UpHead a = head_of(kPair, rng);
        UpHead b = a;
        change(b);
        ASSERT_NE(a, b);
        r.put(swap ? kLocal : kWest, head_flit(1, a));
        for (unsigned c = 0; c < gap; ++c) r.clock_taking();
        r.put(swap ? kWest : kLocal, head_flit(1, b));
        r.clock_taking();
        ASSERT_EQ(r.model->out_valid_o, 0);
        ASSERT_NO_FATAL_FAILURE(expect_blocked(r, rng));
      }
    }
  }
}

/// Any two of a larger set, before the others have come.
TEST(NocUpMismatch, TwoOfASetAreEnough) {
  std::mt19937_64 rng(7);
  const Way w{31, kLocal};
  for (unsigned p = 0; p < kPorts; ++p) {
    for (unsigned q = 0; q < p; ++q) {
      UpPins r;
      const UpHead a = head_of(w, rng);
      UpHead b = a;
      b.len ^= 4;
      r.put(static_cast<Port>(p), head_flit(1, a));
      r.clock_taking();
      EXPECT_EQ(r.model->mismatch_o, 0);
      r.put(static_cast<Port>(q), head_flit(1, b));
      r.clock_taking();
      ASSERT_NO_FATAL_FAILURE(expect_blocked(r, rng)) << p << ", " << q;
    }
  }
  // The third differs from two that are equal.
  UpPins r;
  const UpHead a = head_of(w, rng);
  UpHead b = a;
  b.max = !b.max;
  r.put(kWest, head_flit(1, a));
  r.put(kEast, head_flit(1, a));
  r.clock_taking();
  r.clock_taking();
  EXPECT_EQ(r.model->mismatch_o, 0);
  r.put(kSouth, head_flit(1, b));
  r.clock_taking();
  expect_blocked(r, rng);
}

/// Sets differ, but each waits for the other.
TEST(NocUpMismatch, HeadsOfDifferentSetsThatWaitForEachOtherAreAMismatch) {
  std::mt19937_64 rng(8);
  UpPins r;
  UpHead a = head_of({bit(kWest) | bit(kEast) | bit(kLocal), kLocal}, rng);
  UpHead b = a;
  b.mask &= ~side_tiles(kEast);
  r.put(kWest, head_flit(1, a));
  r.put(kLocal, head_flit(1, b));
  r.clock_taking();
  expect_blocked(r, rng);
}

/// It is told although the parent has no credit.
TEST(NocUpMismatch, NeedsNoCredit) {
  std::mt19937_64 rng(9);
  UpPins r;
  const UpHead h = head_of(kPair, rng);
  UpHead other = h;
  other.bf16 = !other.bf16;
  unsigned gone = 0;
  for (int i = 0; i < 30; ++i) {
    if (i < 6) {
      r.put(kWest, head_flit(1, h, true));
      r.put(kLocal, head_flit(1, i < 5 ? h : other, true));
    }
    r.clock();
    gone += r.valid(kEast);
  }
  EXPECT_EQ(gone, 1 + kShared);
  EXPECT_EQ(r.model->mismatch_o, 1);
  EXPECT_EQ(r.model->mismatch_group_o, 1);
}

/// One waits for the other, which goes alone: no mismatch, and what waits goes when its partner comes.
TEST(NocUpMismatch, AHeadThatIsNotWaitedForIsNone) {
  std::mt19937_64 rng(10);
  for (const auto& [waits, alone] : {std::pair{kWest, kLocal}, {kLocal, kWest}}) {
    UpPins r;
    const UpHead a = head_of(kPair, rng);
    UpHead b = a;
    b.mask &= ~side_tiles(waits);
    r.put(waits, head_flit(1, a, true));
    for (int i = 0; i < 4; ++i) r.clock_taking();
    r.put(alone, head_flit(1, b, true));
    r.clock_taking();
    ASSERT_NO_FATAL_FAILURE(expect_output(r, kEast, 1, true, true, pack(b)));
    for (int i = 0; i < 4; ++i) r.clock_taking();
    EXPECT_EQ(r.model->out_valid_o, 0);
    r.put(alone, head_flit(1, a, true));
    r.clock_taking();
    expect_output(r, kEast, 1, true, true, pack(a));
    EXPECT_EQ(r.model->mismatch_o, 0);
  }
}

/// The first group that does not fit is the one that is named.
TEST(NocUpMismatch, TheFirstOneIsNamed) {
  std::mt19937_64 rng(11);
  UpPins r;
  for (const std::uint8_t group : {std::uint8_t{3}, std::uint8_t{0}}) {
    const UpHead a = head_of(kPair, rng);
    UpHead b = a;
    b.max = !b.max;
    r.put(kWest, head_flit(group, a));
    r.put(kLocal, head_flit(group, b));
    r.clock_taking();
    EXPECT_EQ(r.model->mismatch_o, 1);
    EXPECT_EQ(r.model->mismatch_group_o, 3);
  }
}

}  // namespace
}  // namespace tepin::tb::noc
