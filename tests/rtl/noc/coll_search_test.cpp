// SPDX-License-Identifier: Apache-2.0
// Search for deadlocks on a 2x2 mesh with the least buffers: one slot a group and none shared (up), one slot (dn).
// up: every pair of groups (set, root), every choice at each tile of who starts first, by how much, and how long the
// roots take nothing; and a third group of all tiles. Each runs to its end with every value checked.
// TEPIN_COLL_SEARCH=1: all distances.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tb/noc/dn_run.h"
#include "tb/noc/up_run.h"

#ifndef TEPIN_COLL_SEARCH
#define TEPIN_COLL_SEARCH 0
#endif

namespace tepin::tb::noc {
namespace {

constexpr std::size_t kTiles = 4;
constexpr Coord kTile[kTiles] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};

std::uint64_t mask_of(unsigned set) {
  std::uint64_t m = 0;
  for (std::size_t t = 0; t < kTiles; ++t)
    if ((set >> t & 1U) != 0) m |= tile_bit(kTile[t]);
  return m;
}
/// Two trains, the second to another root.
Stream stream(unsigned set, std::size_t root, std::size_t flits) {
  UpHead h;
  h.mask = mask_of(set);
  h.root = kTile[root];
  h.kind = flits == 0 ? Coll::kBar : Coll::kRed;
  h.len = static_cast<std::uint16_t>(flits);
  UpHead h2 = h;
  h2.root = kTile[root ^ 1];
  return {{{h, flits}, {h2, flits}}, {}};
}
unsigned takes_part(unsigned set, std::size_t root) { return set | 1U << root | 1U << (root ^ 1); }

struct Search {
  std::uint64_t runs = 0, flits = 0;
};
/// Groups 0 and 1; `order` bit t: tile t starts group 1 first; the other `gap` cycles later. third: its root, or none.
void run(UpMesh& mesh, const Stream& a, const Stream& b, unsigned order, std::uint16_t gap, std::uint64_t closed,
         std::size_t third, Search& total) {
  Stream s[2] = {a, b};
  for (std::size_t t = 0; t < kTiles; ++t) s[(order >> t & 1U) != 0 ? 0 : 1].delay[tile_number(kTile[t])] = gap;
  UpOptions o;
  o.sink_closed = closed;
  o.seed = order;
  UpRun r(mesh, o);
  r.start(0, s[0]);
  r.start(1, s[1]);
  if (third < kTiles) r.start(2, stream(15, third, 1));
  const bool done = r.finish(closed + gap + 100);
  // Credits that are still on their way belong to this run.
  for (int c = 0; c < 8; ++c) r.cycle();
  ++total.runs;
  total.flits += r.arrived();
  ASSERT_TRUE(done && r.errors() == 0) << (done ? "" : "stuck; ") << r.first_error() << " sets " << std::hex
                                       << a.trains[0].head.mask << ", " << b.trains[0].head.mask << " roots "
                                       << tile_number(a.trains[0].head.root) << ", "
                                       << tile_number(b.trains[0].head.root) << " order " << order << " gap " << gap
                                       << " closed " << closed << " third " << third;
}

TEST(CollSearch, NoPairOfReductionsOnFourTilesDeadlocks) {
  const bool all = TEPIN_COLL_SEARCH != 0 || std::getenv("TEPIN_COLL_SEARCH") != nullptr;
  const std::vector<std::uint16_t> gaps =
      all ? std::vector<std::uint16_t>{1, 2, 3, 5, 8, 13} : std::vector<std::uint16_t>{3};
  const std::vector<std::uint64_t> closings =
      all ? std::vector<std::uint64_t>{0, 12, 40} : std::vector<std::uint64_t>{25};
  const auto mesh = make_up_mesh(2, 2, {0, 256, false});
  Search total;
  for (unsigned set_a = 1; set_a < 16; ++set_a) {
    for (std::size_t root_a = 0; root_a < kTiles; ++root_a) {
      const Stream a = stream(set_a, root_a, 2);
      for (unsigned set_b = 1; set_b <= set_a; ++set_b) {  // the other half are the same pairs
        for (std::size_t root_b = 0; root_b < kTiles; ++root_b) {
          const Stream b = stream(set_b, root_b, 3);
          // Who starts first matters at tiles that take part in both.
          const unsigned both = takes_part(set_a, root_a) & takes_part(set_b, root_b);
          for (unsigned order = 0; order < 16; ++order) {
            if ((order & ~both) != 0) continue;
            for (const std::uint16_t gap : gaps) {
              for (const std::uint64_t closed : closings) {
                const std::size_t third = all ? (order + gap) % (kTiles + 1) : (order + set_a) % (kTiles + 1);
                ASSERT_NO_FATAL_FAILURE(run(*mesh, a, b, order, gap, closed, third, total));
              }
            }
          }
        }
      }
    }
  }
  std::printf("%llu runs, %llu flits at roots\n", static_cast<unsigned long long>(total.runs),
              static_cast<unsigned long long>(total.flits));
  EXPECT_GE(total.runs, 5000U);
}

/// Every pair of masks from every pair of tiles, three flits each, while no sink takes anything at first, and
/// staggered.
TEST(CollSearch, NoPairOfMulticastsOnFourTilesDeadlocks) {
  const auto mesh = make_dn_mesh(2, 2, {1, 256, true});
  std::uint64_t runs = 0;
  for (std::size_t from_a = 0; from_a < kTiles; ++from_a) {
    for (std::size_t from_b = 0; from_b < kTiles; ++from_b) {
      for (unsigned set_a = 1; set_a < 16; ++set_a) {
        for (unsigned set_b = 1; set_b < 16; ++set_b) {
          for (const unsigned gap : {0U, 1U, 2U}) {
            DnOptions o;
            o.sink_closed = gap * 9;
            DnRun r(*mesh, o);
            for (int k = 0; k < 3; ++k) r.post(from_a, mask_of(set_a));
            for (unsigned c = 0; c < gap; ++c) r.cycle(false);
            for (int k = 0; k < 3; ++k) r.post(from_b, mask_of(set_b));
            ASSERT_TRUE(r.finish(100)) << from_a << ", " << from_b << " sets " << set_a << ", " << set_b << " gap "
                                       << gap;
            for (int c = 0; c < 4; ++c) r.cycle(false);
            ASSERT_EQ(r.errors(), 0U) << r.first_error();
            ++runs;
          }
        }
      }
    }
  }
  EXPECT_EQ(runs, 4U * 4 * 15 * 15 * 3);
}

}  // namespace
}  // namespace tepin::tb::noc
