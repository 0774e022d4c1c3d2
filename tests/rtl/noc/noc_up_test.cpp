// SPDX-License-Identifier: Apache-2.0
// One router of up, its neighbours played by the test: what docs/net.md promises at the ports, cycle by cycle.
#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

#include "tests/rtl/noc/up_pins.h"

namespace tepin::tb::noc {
namespace {

template <class Pins>
class NocUp : public testing::Test {};
using Widths = testing::Types<UpPins, UpWidePins>;
TYPED_TEST_SUITE(NocUp, Widths);

/// Every set of inputs towards every parent, all operations: the head takes one cycle, data one (alone) or three, a
/// flit a cycle, and nothing else comes out.
TYPED_TEST(NocUp, EverySetTakesOneCycleForHeadsAndThreeForJoinedDataAtFullRate) {
  std::mt19937_64 rng(1);
  ASSERT_EQ(ways().size(), 3U + 3 + 15 + 15 + 31);
  for (const Way& w : ways()) {
    TypeParam r;
    for (unsigned round = 0; round < 8; ++round) {
      UpHead h = head_of(w, rng);
      h.max = (round & 1) != 0;
      h.bf16 = (round & 2) != 0;
      SCOPED_TRACE(testing::Message() << "set " << w.set << " to " << int{w.parent} << (h.max ? " max" : " sum")
                                      << (h.bf16 ? " bf16" : " fp32"));
      expect_train(r, w, h, static_cast<std::uint8_t>(rng() & 3), round < 4 ? 30 : rng() % 3, rng);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

/// All pairs of special values at every pair of inputs, and with a third.
TYPED_TEST(NocUp, JoinsSpecialValuesBitForBit) {
  std::mt19937_64 rng(2);
  std::size_t pairs = 0;
  for (const Way& w : ways()) {
    if (w.parent != kLocal || std::popcount(w.set) < 2 || std::popcount(w.set) > 3) continue;
    for (unsigned op = 0; op < 4; ++op) {
      UpHead h = head_of(w, rng);
      h.max = (op & 1) != 0;
      h.bf16 = (op & 2) != 0;
      TypeParam r;
      for (unsigned p = 0; p < kPorts; ++p)
        if ((w.heads() >> p & 1U) != 0) r.put(static_cast<Port>(p), {0, true, false, pack(h)});
      r.clock_taking();
      std::deque<Join> flying;
      const std::size_t n = std::size(kSpecials), flits = (n * n + r.words() - 1) / r.words();
      for (std::size_t f = 0; f < flits + 3; ++f) {
        if (f < flits) {
          Join j;
          unsigned k = 0;
          for (unsigned p = 0; p < kPorts; ++p) {
            if (!w.has(p)) continue;
            Payload d{};
            for (std::size_t i = 0; i < r.words(); ++i) {
              const std::size_t pair = (f * r.words() + i) % (n * n);
              d[i] = k == 0 ? kSpecials[pair % n] : k == 1 ? kSpecials[pair / n] : kSpecials[rng() % n];
              // BF16: the upper half is the same special cut short, the lower one any.
              if (h.bf16) d[i] = (d[i] & 0xffff0000U) | kSpecials[rng() % n] >> 16;
            }
            j.in[p] = d;
            r.put(static_cast<Port>(p), {0, false, f + 1 == flits, d});
            ++k;
          }
          j.result = join_flit(j.in, h.max, h.bf16, r.words());
          flying.push_back(j);
          pairs += r.words();
        }
        r.clock_taking();
        if (f < 2) continue;
        if (f - 2 == flits) break;
        SCOPED_TRACE(testing::Message() << "set " << w.set << ", operation " << op);
        ASSERT_NO_FATAL_FAILURE(expect_output(r, kLocal, 0, false, f - 1 == flits, flying.front().result));
        flying.pop_front();
      }
    }
  }
  EXPECT_GE(pairs, 20U * 4 * std::size(kSpecials) * std::size(kSpecials));
}

/// One input's data are copied: signalling NaN, their payloads, -0 and subnormals stay as they are.
TYPED_TEST(NocUp, DataOfOneInputAreUnchangedBitByBit) {
  std::mt19937_64 rng(3);
  for (const Way& w : ways()) {
    if (std::popcount(w.set) != 1) continue;
    for (const bool bf16 : {false, true}) {
      TypeParam r;
      UpHead h = head_of(w, rng);
      h.bf16 = bf16;
      for (unsigned p = 0; p < kPorts; ++p)
        if ((w.heads() >> p & 1U) != 0) r.put(static_cast<Port>(p), {2, true, false, pack(h)});
      r.clock_taking();
      Payload d{};
      for (std::size_t i = 0; i < d.size(); ++i)
        d[i] = i % 2 == 0 ? 0x7f800001U + static_cast<std::uint32_t>(i) : 0xff81ffa5U;
      d[3] = 0x80000000;
      d[5] = 0x80000001;
      r.put(static_cast<Port>(std::countr_zero(w.set)), {2, false, true, d});
      r.clock_taking();
      expect_output(r, w.parent, 2, false, true, d);
    }
  }
}

TYPED_TEST(NocUp, OutputsDoNotFollowInputsWithoutAClock) {
  std::mt19937_64 rng(4);
  TypeParam r;
  const Way w{1U << kWest, kEast};
  r.put(kWest, {0, true, true, pack(head_of(w, rng))});
  r.model->eval();
  EXPECT_EQ(r.model->out_valid_o, 0);
  EXPECT_EQ(r.model->idle_o, 1);
  EXPECT_EQ(r.credits(kWest), 0U);
}

}  // namespace
}  // namespace tepin::tb::noc
