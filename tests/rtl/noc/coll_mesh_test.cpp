// SPDX-License-Identifier: Apache-2.0
// Routers of up and dn wired as meshes: random collectives and multicasts on every shape, every flit checked.
// TEPIN_SEED=n replays one run; TEPIN_COLL_FLITS=n sets the flits of the long tests.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tb/noc/dn_run.h"
#include "tb/noc/up_run.h"

#ifndef TEPIN_COLL_FLITS
#define TEPIN_COLL_FLITS 1'000'000
#endif

namespace tepin::tb::noc {
namespace {

constexpr CollVariant kFast{4, 256, false};

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::uint64_t random_mask(const UpMesh& mesh, Rng& rng) {
  const double density = rng.chance(0.3) ? 1 : 0.05 + 0.9 * static_cast<double>(rng.below(1000)) / 1000;
  std::uint64_t mask = 0;
  for (std::size_t n = 0; n < mesh.nodes(); ++n)
    if (rng.chance(density)) mask |= tile_bit(mesh.coord(n));
  return mask != 0 ? mask : tile_bit(mesh.coord(rng.below(static_cast<std::uint32_t>(mesh.nodes()))));
}

/// A reduction, a barrier, several in a row, or a reduce-scatter: a train for each member, as root, in order of rank.
Stream random_stream(const UpMesh& mesh, Rng& rng, unsigned max_flits, unsigned max_delay) {
  Stream s;
  UpHead h;
  h.mask = random_mask(mesh, rng);
  h.max = rng.chance(0.5);
  h.bf16 = rng.chance(0.5);
  h.word = rng.below(1U << 27);
  const auto train = [&](Coord root) {
    const std::size_t flits = rng.chance(0.2) ? 0 : 1 + rng.below(max_flits);
    h.root = root;
    h.kind = flits == 0 ? Coll::kBar : Coll::kRed;
    h.len = static_cast<std::uint16_t>(flits);
    s.trains.push_back({h, flits});
  };
  if (rng.chance(0.3)) {
    for (std::size_t n = 0; n < mesh.nodes(); ++n) {
      if ((h.mask & tile_bit(mesh.coord(n))) == 0) continue;
      train(mesh.coord(n));
      s.trains.back().head.kind = Coll::kRs;
      s.trains.back().head.chunk = static_cast<std::uint8_t>(s.trains.size() - 1);
    }
  } else {
    for (std::size_t k = 1 + rng.below(3); k != 0; --k)
      train(mesh.coord(rng.below(static_cast<std::uint32_t>(mesh.nodes()))));
  }
  for (auto& d : s.delay) d = static_cast<std::uint16_t>(rng.below(max_delay + 1));
  return s;
}

/// Up to four groups at a time, all of one mesh. Returns flits on links and into tiles.
std::uint64_t run_up(const CollVariant& v, std::uint64_t seed, int max_side, std::uint64_t cycles, int w = 0,
                     int h = 0) {
  Rng rng{seed};
  if (w == 0) w = 1 + static_cast<int>(rng.below(static_cast<std::uint32_t>(max_side)));
  if (h == 0) h = 1 + static_cast<int>(rng.below(static_cast<std::uint32_t>(max_side)));
  UpOptions o;
  o.idle = rng.chance(0.5) ? 0 : static_cast<double>(rng.below(80)) / 100;
  o.sink_stall = rng.chance(0.5) ? 0 : static_cast<double>(rng.below(90)) / 100;
  o.seed = rng.next();
  const unsigned max_flits = rng.chance(0.5) ? 3 : 40;
  const unsigned max_delay = rng.chance(0.3) ? 0 : rng.chance(0.5) ? 10 : 100;
  const std::size_t groups = 1 + rng.below(kGroups);
  SCOPED_TRACE(testing::Message() << "TEPIN_SEED=" << seed << ": up " << w << "x" << h << ", " << v.link_bits
                                  << " bit, " << v.slots << " shared, " << groups << " groups, idle " << o.idle
                                  << ", sinks stall " << o.sink_stall);
  const auto mesh = make_up_mesh(w, h, v, static_cast<std::uint32_t>(seed));
  UpRun run(*mesh, o);
  while (run.cycles() < cycles) {
    for (std::size_t g = 0; g < groups; ++g)
      if (run.done(g)) run.start(g, random_stream(*mesh, rng, max_flits, max_delay));
    run.cycle();
  }
  EXPECT_TRUE(run.finish(2000)) << "stuck";
  EXPECT_EQ(run.errors(), 0U) << run.first_error();
  for (int c = 0; c < 200; ++c) run.cycle();
  EXPECT_EQ(run.errors(), 0U) << run.first_error();
  for (std::size_t n = 0; n < mesh->nodes(); ++n) EXPECT_TRUE(mesh->out[n].idle) << "tile " << n;
  return mesh->hops() + run.arrived();
}

std::uint64_t run_dn(const CollVariant& v, std::uint64_t seed, int max_side, std::uint64_t cycles, int w = 0,
                     int h = 0) {
  Rng rng{seed};
  if (w == 0) w = 1 + static_cast<int>(rng.below(static_cast<std::uint32_t>(max_side)));
  if (h == 0) h = 1 + static_cast<int>(rng.below(static_cast<std::uint32_t>(max_side)));
  DnOptions o;
  o.rate = rng.chance(0.3) ? 1 : 0.02 + static_cast<double>(rng.below(90)) / 100;
  o.density = rng.chance(0.2) ? 0 : rng.chance(0.2) ? 1 : static_cast<double>(rng.below(100)) / 100;
  o.sink_stall = rng.chance(0.5) ? 0 : static_cast<double>(rng.below(90)) / 100;
  o.seed = rng.next();
  SCOPED_TRACE(testing::Message() << "TEPIN_SEED=" << seed << ": dn " << w << "x" << h << ", " << v.link_bits
                                  << " bit, " << v.slots << " slots, rate " << o.rate << ", density " << o.density
                                  << ", sinks stall " << o.sink_stall);
  const auto mesh = make_dn_mesh(w, h, v, static_cast<std::uint32_t>(seed));
  DnRun run(*mesh, o);
  for (std::uint64_t c = 0; c < cycles; ++c) run.cycle(true);
  EXPECT_TRUE(run.finish(2000)) << run.expected() - run.arrived() << " copies lost or stuck";
  for (int c = 0; c < 200; ++c) run.cycle(false);
  EXPECT_EQ(run.arrived(), run.expected());
  EXPECT_EQ(run.errors(), 0U) << run.first_error();
  for (std::size_t n = 0; n < mesh->nodes(); ++n) EXPECT_TRUE(mesh->out[n].idle) << "tile " << n;
  return mesh->hops() + run.arrived();
}

TEST(CollMesh, EveryShapeIsExact) {
  const std::uint64_t seed = from_environment("TEPIN_SEED", 1);
  for (int w = 1; w <= kMaxSide; ++w) {
    for (int h = 1; h <= kMaxSide; ++h) {
      run_up(kFast, seed + static_cast<std::uint64_t>(10 * w + h), 0, 150, w, h);
      run_dn(kFast, seed + static_cast<std::uint64_t>(10 * w + h), 0, 100, w, h);
      if (HasFailure()) return;
    }
  }
}

TEST(CollMesh, EveryBuiltRouterIsExactWithAssertionsOn) {
  const std::uint64_t first = from_environment("TEPIN_SEED", 100);
  std::uint64_t up = 0, dn = 0;
  for (std::uint64_t seed = first; seed < first + 12; ++seed) {
    for (const CollVariant& v : up_variants())
      if (v.checked) up += run_up(v, seed, 4, 250, seed == first ? 4 : 0, seed == first ? 4 : 0);
    for (const CollVariant& v : dn_variants())
      if (v.checked) dn += run_dn(v, seed, 4, 250, seed == first ? 4 : 0, seed == first ? 4 : 0);
    if (HasFailure()) return;
  }
  EXPECT_GE(up, 20'000U);
  EXPECT_GE(dn, 20'000U);
}

void many(const char* net, std::uint64_t (*run)(const CollVariant&, std::uint64_t, int, std::uint64_t, int, int),
          std::uint64_t goal) {
  const std::uint64_t first = from_environment("TEPIN_SEED", 1000);
  std::uint64_t flits = 0, seed = first;
  for (; flits < goal && seed < first + goal / 100 && !testing::Test::HasFailure(); ++seed)
    flits += run(kFast, seed, kMaxSide, 1500, 0, 0);
  std::printf("%s: %llu flits, seeds %llu..%llu\n", net, static_cast<unsigned long long>(flits),
              static_cast<unsigned long long>(first), static_cast<unsigned long long>(seed - 1));
  EXPECT_GE(flits, goal);
}
TEST(CollMesh, ManyReductionsAreExact) {
  many("up", run_up, from_environment("TEPIN_COLL_FLITS", TEPIN_COLL_FLITS) / 2);
}
TEST(CollMesh, ManyMulticastsAreExact) {
  many("dn", run_dn, from_environment("TEPIN_COLL_FLITS", TEPIN_COLL_FLITS) / 2);
}

/// All tiles reduce one long train: after the head's way every hop passes a flit a cycle.
TEST(CollMesh, ALongReductionRunsAtAFlitACycle) {
  for (const auto& [w, h] : {std::pair{8, 8}, {4, 4}, {1, 8}, {8, 1}, {3, 5}}) {
    for (const Coord root : {Coord{0, 0},
                             {static_cast<std::uint8_t>(w / 2), static_cast<std::uint8_t>(h / 2)},
                             {static_cast<std::uint8_t>(w - 1), static_cast<std::uint8_t>(h - 1)}}) {
      const auto mesh = make_up_mesh(w, h, kFast);
      UpRun run(*mesh, {});
      UpHead head;
      for (std::size_t n = 0; n < mesh->nodes(); ++n) head.mask |= tile_bit(mesh->coord(n));
      head.root = root;
      head.len = 400;
      run.start(0, {{{head, 400}}, {}});
      ASSERT_TRUE(run.finish(1000));
      EXPECT_EQ(run.errors(), 0U) << run.first_error();
      // A hop with a join takes three cycles; the root joins too. The head goes ahead.
      const int far = std::max<int>(root.x, w - 1 - root.x) + std::max<int>(root.y, h - 1 - root.y);
      const auto most = static_cast<std::uint64_t>(401 + 3 * (far + 1) + 2);
      EXPECT_LE(run.last_arrival(), most) << w << "x" << h << " to " << int{root.x} << "," << int{root.y};
      std::printf("%dx%d to (%d, %d): head and 400 flits in %llu cycles, %d hops\n", w, h, root.x, root.y,
                  static_cast<unsigned long long>(run.last_arrival()), far);
    }
  }
}

/// A train to each tile as its root, one after the other: a head waits for the joined data before it, and a tile close
/// to one root is far from another, so what its pools do not hold is lost.
TEST(CollMesh, AReduceScatterLosesFewCyclesATrain) {
  for (const auto& [w, h] : {std::pair{4, 4}, {8, 8}}) {
    const auto mesh = make_up_mesh(w, h, kFast);
    UpRun run(*mesh, {});
    UpHead head;
    for (std::size_t n = 0; n < mesh->nodes(); ++n) head.mask |= tile_bit(mesh->coord(n));
    head.kind = Coll::kRs;
    head.len = 16;
    Stream s;
    for (std::size_t n = 0; n < mesh->nodes(); ++n) {
      head.root = mesh->coord(n);
      head.chunk = static_cast<std::uint8_t>(n);
      s.trains.push_back({head, head.len});
    }
    run.start(0, s);
    ASSERT_TRUE(run.finish(1000));
    EXPECT_EQ(run.errors(), 0U) << run.first_error();
    const std::uint64_t trains = mesh->nodes();
    std::printf("%dx%d: %llu trains of a head and 16 flits in %llu cycles\n", w, h,
                static_cast<unsigned long long>(trains), static_cast<unsigned long long>(run.last_arrival()));
    EXPECT_LE(run.last_arrival(), trains * (17 + 8));
  }
}

TEST(CollMesh, AMulticastReachesEveryTileInHopsPlusOneCycles) {
  for (int w = 1; w <= kMaxSide; ++w) {
    for (int h = 1; h <= kMaxSide; ++h) {
      const auto mesh = make_dn_mesh(w, h, kFast);
      std::uint64_t all = 0;
      for (std::size_t n = 0; n < mesh->nodes(); ++n) all |= tile_bit(mesh->coord(n));
      DnRun run(*mesh, {});
      std::uint64_t before = 0;
      for (std::size_t from = 0; from < mesh->nodes(); from += 5) {
        run.post(from, all);
        run.cycle(false);
        const Coord a = mesh->coord(from);
        for (int hops = 0; hops <= w + h; ++hops) {  // a flit is seen in the cycle after it came
          run.cycle(false);
          std::uint64_t reached = 0;
          for (std::size_t n = 0; n < mesh->nodes(); ++n) {
            const Coord b = mesh->coord(n);
            reached += std::abs(a.x - b.x) + std::abs(a.y - b.y) <= hops;
          }
          ASSERT_EQ(run.arrived(), before + reached)
              << w << "x" << h << " from tile " << from << ", " << hops << " hops";
        }
        before = run.arrived();
      }
      EXPECT_EQ(run.errors(), 0U) << run.first_error();
    }
  }
}

TEST(CollMesh, RefusesWhatWasNotBuilt) {
  EXPECT_THROW((void)make_up_mesh(9, 1, kFast), std::invalid_argument);
  EXPECT_THROW((void)make_dn_mesh(1, 0, kFast), std::invalid_argument);
  EXPECT_THROW((void)make_up_mesh(4, 4, {7, 256, false}), std::invalid_argument);
}

}  // namespace
}  // namespace tepin::tb::noc
