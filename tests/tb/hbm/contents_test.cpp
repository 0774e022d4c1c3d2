// SPDX-License-Identifier: Apache-2.0
// Places of addresses and what a device holds at first.
#include "tb/hbm/contents.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "tb/hbm/trace.h"

namespace tepin::tb::hbm {
namespace {

TEST(Contents, EveryAddressHasAPlaceOfItsOwnInTheDevice) {
  for (const int sids : {1, 2, 3, 4}) {
    const dram::BurstStore store(dram::DramOrganisation::of(sids));
    const std::uint64_t capacity = pc_capacity_bytes(sids);
    std::set<std::tuple<int, int, int, int, int>> places;
    std::size_t n = 0;
    // Steps that reach every bit of an address, and the ends.
    for (std::uint64_t a = 0; a < capacity; a += 32 * 4093, ++n) {
      for (const std::uint64_t address : {a, capacity - 32 - a}) {
        const dram::BurstAddress p = place_of(0, static_cast<std::uint32_t>(address), AddressMap(sids));
        (void)store.load(p);  // throws outside the device
        places.insert({p.sid, p.bg, p.ba, p.row, p.col});
      }
    }
    EXPECT_GT(n, 2000U);
    EXPECT_EQ(places.size(), 2 * n);
  }
}

TEST(Contents, AMebibyteTouchesEachOfItsBurstsOnce) {
  std::set<std::tuple<int, int, int, int, int>> places;
  for (std::uint32_t a = 0; a < 1U << 20; a += 32) {
    const dram::BurstAddress p = place_of(0, a, AddressMap(2));
    places.insert({p.sid, p.bg, p.ba, p.row, p.col});
  }
  EXPECT_EQ(places.size(), (1U << 20) / 32);
}

TEST(Contents, CheckBitsAreTheColumnsOfTheCode) {
  // Ten bits hold 120 values of weight 3, then those of weight 5 follow.
  const std::pair<std::size_t, std::uint32_t> columns[] = {{0, 7}, {1, 11}, {2, 13}, {3, 14}, {119, 896}, {120, 31}};
  for (const auto& [bit, column] : columns) {
    Word w{};
    w[bit / 32] = 1U << bit % 32;
    EXPECT_EQ(metadata_of({}, w), column << 6) << bit;
  }
  EXPECT_EQ(metadata_of({}, Word{}), 0);
}

TEST(Contents, PlacesThatDifferInABitHaveDifferentTags) {
  const dram::BurstAddress p{.pc = 0, .sid = 1, .bg = 1, .ba = 5, .row = 0x1234, .col = 17};
  const int tag = metadata_of(p, {}) & 63;
  const auto differs = [&](const dram::BurstAddress& q) { EXPECT_NE(metadata_of(q, {}) & 63, tag); };
  for (int i = 0; i < 5; ++i) differs({p.pc, p.sid, p.bg, p.ba, p.row, p.col ^ 1 << i});
  for (int i = 0; i < 14; ++i) differs({p.pc, p.sid, p.bg, p.ba, p.row ^ 1 << i, p.col});
  for (int i = 0; i < 3; ++i) differs({p.pc, p.sid, p.bg, p.ba ^ 1 << i, p.row, p.col});
  differs({p.pc, p.sid, p.bg ^ 1, p.ba, p.row, p.col});
  differs({p.pc, p.sid ^ 1, p.bg, p.ba, p.row, p.col});
}

TEST(Contents, DeviceAndMastersAgree) {
  const auto fill = initial_fill(7);
  for (const int pc : {0, 1}) {
    const auto contents = initial_contents(pc, AddressMap(3), 7);
    for (std::uint32_t a = 0; a < 1U << 29; a += 32 * 99991)
      EXPECT_EQ(fill(place_of(pc, a, AddressMap(3))).data, contents(a));
  }
  EXPECT_NE(initial_contents(0, AddressMap(3), 7)(0), initial_contents(1, AddressMap(3), 7)(0));
}

}  // namespace
}  // namespace tepin::tb::hbm
