// SPDX-License-Identifier: Apache-2.0
// One router of up: what waits for what.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <random>
#include <vector>

#include "Vnoc_up_s0_checked.h"
#include "tests/rtl/noc/up_pins.h"

namespace tepin::tb::noc {
namespace {

struct NoShared : CollPins<Vnoc_up_s0_checked, UpFlit> {
  NoShared() : CollPins(256, kUpAt) {}
};

/// A group has one slot at the far end and the shared ones; when these are used the others still have one each.
template <class Pins>
void credits(unsigned shared) {
  std::mt19937_64 rng(1);
  Pins r;
  std::vector<std::uint32_t> came;
  // Each flit when the input has a slot: its credit came back.
  std::uint32_t next = 0;
  unsigned held = 0;
  for (int c = 0; c < 40; ++c) {
    held -= r.credits(kWest) & 1U;
    if (held <= shared && next < 20) {
      r.put(kWest, next == 0 ? head_flit(0, head_of(kThrough, rng)) : data_flit(0, next));
      ++next;
      ++held;
    }
    r.clock();
    if (r.valid(kEast)) came.push_back(r.out(kEast).data[0]);
  }
  EXPECT_EQ(came.size(), 1 + shared) << "credits of one group";
  for (std::uint8_t g = 1; g < kGroups; ++g) {
    r.put(kLocal, head_flit(g, head_of({bit(kLocal), kEast}, rng)));
    r.clock();
    ASSERT_TRUE(r.valid(kEast)) << "group " << int{g} << " has a slot of its own";
    EXPECT_EQ(r.out(kEast).group, g);
  }
  r.put(kLocal, data_flit(1, 77));
  r.clock();
  EXPECT_FALSE(r.valid(kEast)) << "and no second one";
  if (shared != 0) {
    r.credit(kEast, 0);  // group 0 gives back a shared one: whoever's turn it is takes it
    r.clock();
    ASSERT_TRUE(r.valid(kEast));
    const std::uint8_t who = r.out(kEast).group;
    r.credit(kEast, 1 - who);  // of the other: one of its shared ones (0), or its own (1)
    r.clock();
    EXPECT_TRUE(r.valid(kEast));
  } else {
    r.credit(kEast, 0);  // its own
    r.clock();
    ASSERT_TRUE(r.valid(kEast)) << "a credit counts in the cycle in which it comes";
    EXPECT_EQ(r.out(kEast).group, 0);
    r.credit(kEast, 1);
    r.clock();
    EXPECT_EQ(r.out(kEast).data[0], 77U);
  }
}
TEST(NocUpWaits, AGroupHasItsOwnSlotAndTheSharedOnes) { credits<UpPins>(kShared); }
TEST(NocUpWaits, AGroupHasItsOwnSlotIfNoneIsShared) { credits<NoShared>(0); }

TEST(NocUpWaits, AHeadWaitsForEveryInputOfItsSet) {
  std::mt19937_64 rng(2);
  for (const Way& w : ways()) {
    std::vector<unsigned> inputs;
    for (unsigned p = 0; p < kPorts; ++p)
      if ((w.heads() >> p & 1U) != 0) inputs.push_back(p);
    std::shuffle(inputs.begin(), inputs.end(), rng);
    UpPins r;
    const UpHead h = head_of(w, rng);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      for (int idle = 0; idle < 3; ++idle) {
        r.clock();
        ASSERT_EQ(r.model->out_valid_o, 0) << "set " << w.set << " to " << int{w.parent} << ", " << k << " are there";
      }
      r.put(static_cast<Port>(inputs[k]), head_flit(1, h, true));
    }
    r.clock();
    ASSERT_NO_FATAL_FAILURE(expect_output(r, w.parent, 1, true, true, pack(h)));
    EXPECT_EQ(r.model->mismatch_o, 0);
  }
}

TEST(NocUpWaits, ARootOutsideTheMaskStartsButGivesNothing) {
  std::mt19937_64 rng(3);
  const Way w{bit(kWest) | bit(kNorth), kLocal};
  UpPins r;
  UpHead h = head_of(w, rng);
  h.max = h.bf16 = false;
  r.put(kWest, head_flit(0, h));
  r.put(kNorth, head_flit(0, h));
  for (int i = 0; i < 5; ++i) {
    r.clock();
    ASSERT_EQ(r.model->out_valid_o, 0) << "the root has not started";
  }
  r.put(kLocal, head_flit(0, h, true));
  r.clock_taking();
  ASSERT_NO_FATAL_FAILURE(expect_output(r, kLocal, 0, true, false, pack(h)));
  r.put(kLocal, head_flit(0, h, true));  // its next train's; the data do not wait for it, and it waits for them
  r.put(kWest, data_flit(0, 0x3f800000, true));
  r.put(kNorth, data_flit(0, 0x40000000, true));
  r.clock_taking();
  r.clock_taking();
  r.clock_taking();
  expect_output(r, kLocal, 0, false, true, data_flit(0, 0x40400000).data);
}

/// The next train's head is not faster than the last data before it, which are in the adders.
TEST(NocUpWaits, AHeadStaysBehindTheJoinedDataOfItsGroup) {
  std::mt19937_64 rng(4);
  UpPins r;
  UpHead h = head_of(kPair, rng);
  h.max = true;
  h.bf16 = false;
  const auto both = [&](const UpFlit& f) {
    r.put(kWest, f);
    r.put(kLocal, f);
    r.clock_taking();
  };
  both(head_flit(3, h));
  both(data_flit(3, 5, true));
  both(head_flit(3, h, true));
  EXPECT_FALSE(r.valid(kEast));
  // A head of another group passes.
  r.put(kWest, head_flit(2, head_of(kThrough, rng), true));
  r.clock_taking();
  ASSERT_TRUE(r.valid(kEast));
  EXPECT_EQ(r.out(kEast).group, 3) << "the data in their cycle: the register is not free for group 2";
  EXPECT_FALSE(r.out(kEast).head);
  std::vector<int> groups;
  for (int i = 0; i < 2; ++i) {
    r.clock_taking();
    ASSERT_TRUE(r.valid(kEast));
    EXPECT_TRUE(r.out(kEast).head);
    groups.push_back(r.out(kEast).group);
  }
  EXPECT_NE(groups[0], groups[1]);
}

/// A flit a clock of group 0, joined from the west and the east and sent south; the test adds what comes from the
/// north.
struct BesideAJoin : UpPins {
  static constexpr std::uint8_t kJoined = 0;
  std::mt19937_64 rng{6};
  UpHead head = head_of({bit(kWest) | bit(kEast), kSouth}, rng);
  unsigned sent = 0, came = 0;
  std::array<unsigned, kPorts> held{};

  /// To the next clock; gives what left southwards, of any group.
  std::optional<UpFlit> step() {
    for (const Port p : {kWest, kEast})
      if ((credits(p) >> kJoined & 1U) != 0) --held[p];
    if (held[kWest] <= kShared && held[kEast] <= kShared) {
      for (const Port p : {kWest, kEast}) {
        put(p, sent == 0 ? head_flit(kJoined, head) : data_flit(kJoined, 0x3f800000));
        ++held[p];
      }
      ++sent;
    }
    clock_taking();
    if (!valid(kSouth)) return std::nullopt;
    const UpFlit f = out(kSouth);
    if (f.group == kJoined) ++came;
    return f;
  }
};

/// A head that needs no join, to the output that a join fills: three clocks until its results have left, and one more
/// for each other group that waits too.
TEST(NocUpWaits, JoinsDoNotKeepAHeadFromTheirOutput) {
  for (unsigned heads = 1; heads < kGroups; ++heads) {
    for (unsigned start = 5; start < 25; ++start) {
      BesideAJoin r;
      const UpHead through = head_of({bit(kNorth), kSouth}, r.rng);
      unsigned passed = 0;
      for (unsigned clock = 0; clock < 80; ++clock) {
        if (clock >= start && clock < start + heads)
          r.put(kNorth, head_flit(static_cast<std::uint8_t>(1 + clock - start), through, true));
        const auto f = r.step();
        if (!f || f->group == BesideAJoin::kJoined) continue;
        ++passed;
        EXPECT_LE(clock, start + 3 + heads - 1) << heads << " heads, group " << int{f->group};
      }
      EXPECT_EQ(passed, heads);
      // All that the join loses are the clocks in which it does not start: three, or one more for each head that came
      // meanwhile.
      EXPECT_GE(r.came, 80U - 4 - 3 - heads) << heads << " heads from clock " << start;
    }
  }
}

/// A joined train that fills the output and later one of a single input that could, too: about half for each, and it is
/// never idle.
TEST(NocUpWaits, AJoinedTrainAndASingleOneShareAnOutput) {
  BesideAJoin r;
  const UpHead through = head_of({bit(kNorth), kSouth}, r.rng);
  unsigned sent = 0, came = 0, held = 0;
  for (unsigned clock = 0; clock < 400; ++clock) {
    if ((r.credits(kNorth) >> 1 & 1U) != 0) --held;
    if (clock >= 20 && held <= kShared) {
      r.put(kNorth, sent == 0 ? head_flit(1, through) : data_flit(1, sent));
      ++sent;
      ++held;
    }
    const auto f = r.step();
    if (!f || f->group != 1) continue;
    if (came != 0) {
      EXPECT_EQ(f->data[0], came);
    }
    ++came;
  }
  EXPECT_GE(came, 160U);
  EXPECT_GE(r.came, 160U);
  EXPECT_GE(came + r.came, 390U);
}

/// Two inputs with two groups each to one output: every group a quarter of it.
TEST(NocUpWaits, GroupsTakeTurns) {
  std::mt19937_64 rng(5);
  UpPins r;
  std::array<unsigned, kGroups> sent{}, held{}, came{};
  constexpr std::array<Port, kGroups> kFrom{kWest, kWest, kLocal, kLocal};
  for (int c = 0; c < 403; ++c) {
    for (std::size_t g = 0; g < kGroups; ++g)
      if ((r.credits(kFrom[g]) >> g & 1U) != 0) --held[g];
    for (const std::uint8_t pair : {std::uint8_t{0}, std::uint8_t{2}}) {
      const auto g = static_cast<std::uint8_t>(held[pair] <= held[pair + 1U] ? pair : pair + 1U);
      if (held[g] == 3) continue;
      r.put(kFrom[g], sent[g] == 0 ? head_flit(g, head_of({bit(kFrom[g]), kEast}, rng)) : data_flit(g, sent[g]));
      ++sent[g];
      ++held[g];
    }
    if (r.valid(kEast)) {
      const UpFlit f = r.out(kEast);
      EXPECT_EQ(f.head, came[f.group] == 0);
      if (came[f.group] != 0) {
        EXPECT_EQ(f.data[0], came[f.group]);
      }
      ++came[f.group];
    }
    r.clock_taking();
  }
  for (const unsigned n : came) EXPECT_NEAR(n, 100, 3);
}

}  // namespace
}  // namespace tepin::tb::noc
