// SPDX-License-Identifier: Apache-2.0
// Patterns, latencies and the scoreboard, on a network whose behaviour is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "tb/noc/noc_bench.h"
#include "tests/tb/noc/fake_mesh.h"

namespace tepin::tb::noc {
namespace {

using ::testing::HasSubstr;

TEST(NocPattern, EachNameIsItsPattern) {
  for (std::size_t i = 0; i < pattern_names().size(); ++i)
    EXPECT_EQ(parse_pattern(pattern_names()[i]), static_cast<Pattern>(i));
  EXPECT_THROW((void)parse_pattern("shuffle"), std::invalid_argument);
  EXPECT_THROW(check_pattern(Pattern::kTranspose, 4, 3), std::invalid_argument);
  EXPECT_NO_THROW(check_pattern(Pattern::kNeighbor, 4, 3));
}

TEST(NocPattern, FixedOnesGoWhereTheirDefinitionSays) {
  Rng rng{1};
  const auto to = [&](Pattern p, Coord src, int w, int h) { return destination(p, src, w, h, rng); };
  EXPECT_EQ(to(Pattern::kTranspose, {1, 3}, 4, 4), (Coord{3, 1}));
  EXPECT_EQ(to(Pattern::kNeighbor, {1, 3}, 4, 4), (Coord{2, 0}));
  EXPECT_EQ(to(Pattern::kNeighbor, {4, 1}, 5, 3), (Coord{0, 2}));
  EXPECT_EQ(to(Pattern::kTornado, {1, 3}, 4, 4), (Coord{2, 0}));
  EXPECT_EQ(to(Pattern::kTornado, {6, 0}, 8, 5), (Coord{1, 2}));
  EXPECT_EQ(to(Pattern::kComplement, {1, 3}, 4, 4), (Coord{2, 0}));
  EXPECT_EQ(to(Pattern::kComplement, {0, 0}, 8, 3), (Coord{7, 2}));
  for (const Pattern p : {Pattern::kUniform, Pattern::kTranspose, Pattern::kNeighbor, Pattern::kHotspot,
                          Pattern::kTornado, Pattern::kComplement})
    EXPECT_EQ(to(p, {0, 0}, 1, 1), (Coord{0, 0}));
}

TEST(NocPattern, UniformReachesAllTilesAndHotspotTheCornersEqually) {
  Rng rng{5};
  std::map<std::pair<int, int>, int> uniform, hotspot;
  constexpr int kDraws = 120'000;
  for (int i = 0; i < kDraws; ++i) {
    const Coord u = destination(Pattern::kUniform, {1, 1}, 4, 3, rng),
                h = destination(Pattern::kHotspot, {1, 1}, 4, 3, rng);
    ++uniform[{u.x, u.y}];
    ++hotspot[{h.x, h.y}];
  }
  EXPECT_EQ(uniform.size(), 12U);
  for (const auto& [at, n] : uniform) EXPECT_NEAR(n, kDraws / 12, 500) << at.first << "," << at.second;
  ASSERT_EQ(hotspot.size(), 4U);
  for (const auto& [at, n] : hotspot) {
    EXPECT_NEAR(n, kDraws / 4, 800);
    EXPECT_TRUE((at.first == 0 || at.first == 3) && (at.second == 0 || at.second == 2));
  }
}

TEST(NocPattern, PercentilesAreNearestRank) {
  std::vector<std::uint32_t> v{5, 1, 4, 2, 3, 10, 9, 8, 7, 6};
  EXPECT_EQ(percentile(v, 0.5), 5U);
  EXPECT_EQ(percentile(v, 0.99), 10U);
  EXPECT_EQ(percentile(v, 0.1), 1U);
  EXPECT_EQ(percentile(v, 0.11), 2U);
  std::vector<std::uint32_t> none;
  EXPECT_EQ(percentile(none, 0.5), 0U);
}

TEST(NocTraffic, LatencyCountsFromBirthToTheLastFlit) {
  for (const int flits : {1, 3}) {
    for (const bool split : {false, true}) {
      FakeMesh mesh(4, 4, 7);
      TrafficOptions o;
      o.pattern = Pattern::kNeighbor;  // no two to one tile, none to itself
      o.flits = flits;
      o.split_source = split;
      o.rate = 0.001;
      Traffic t(mesh, o);
      t.begin_window();
      for (int c = 0; c < 20'000; ++c) t.cycle();
      t.end_window();
      EXPECT_TRUE(t.drain(100));
      ASSERT_GT(t.latencies().size(), 50U);
      EXPECT_EQ(t.latencies().size(), t.window_packets());
      // Alone in its source a packet takes 7 cycles and one for each further flit.
      const auto expected = static_cast<std::uint32_t>(7 + flits - 1);
      EXPECT_EQ(*std::min_element(t.latencies().begin(), t.latencies().end()), expected);
      EXPECT_GE(std::count(t.latencies().begin(), t.latencies().end(), expected) * 10,
                static_cast<std::ptrdiff_t>(t.latencies().size()) * 9);
      EXPECT_EQ(t.errors(), 0U) << t.first_error();
    }
  }
}

TEST(NocTraffic, OffersWhatItIsToldAndCountsSelfTraffic) {
  FakeMesh mesh(4, 4, 3);
  TrafficOptions o;
  o.pattern = Pattern::kTranspose;  // the diagonal's own
  o.rate = 0.25;
  Traffic t(mesh, o);
  for (int c = 0; c < 20'000; ++c) t.cycle();
  t.cut_sources();
  EXPECT_TRUE(t.drain(100));
  const double tile_cycles = 16 * 20'000;
  EXPECT_NEAR(static_cast<double>(t.counts().offered_flits) / tile_cycles, 0.25, 0.005);
  EXPECT_NEAR(static_cast<double>(t.counts().accepted_flits) / tile_cycles, 0.25, 0.005);
  EXPECT_NEAR(static_cast<double>(t.delivered()) / tile_cycles, 0.25 * 12 / 16, 0.005) << "self traffic stays out";
  EXPECT_EQ(t.errors(), 0U) << t.first_error();
}

class NocScoreboard : public ::testing::Test {
 protected:
  /// What the scoreboard says of a network that does `tamper` to the 50th flit that enters.
  void finds(const std::function<void(Flit&, std::size_t&, std::size_t&)>& tamper, const std::string& part) {
    FakeMesh mesh(4, 4, 3);
    int flits = 0;
    mesh.tamper = [&](Flit& f, std::size_t& to, std::size_t& copies) {
      if (++flits == 50) tamper(f, to, copies);
    };
    TrafficOptions o;
    o.pattern = Pattern::kNeighbor;
    o.rate = 0.3;
    Traffic t(mesh, o);
    for (int c = 0; c < 2000; ++c) t.cycle();
    t.cut_sources();
    lost_ = !t.drain(100);
    EXPECT_GT(t.errors(), 0U);
    EXPECT_THAT(t.first_error(), HasSubstr(part));
  }
  bool lost_ = false;
};

TEST_F(NocScoreboard, FindsALostFlit) {
  finds([](Flit&, std::size_t&, std::size_t& copies) { copies = 0; }, "lost");
  EXPECT_TRUE(lost_);
}
TEST_F(NocScoreboard, FindsADuplicatedFlit) {
  finds([](Flit&, std::size_t&, std::size_t& copies) { copies = 2; }, "duplicated");
}
TEST_F(NocScoreboard, FindsACorruptedFlit) {
  for (std::size_t word = 3; word < 8; ++word)
    finds([=](Flit& f, std::size_t&, std::size_t&) { f.data[word] ^= 1U << word; }, "corrupted");
}
TEST_F(NocScoreboard, FindsAMisroutedFlit) {
  finds([](Flit&, std::size_t& to, std::size_t&) { to = (to + 3) % 16; }, "flit from");
}
TEST_F(NocScoreboard, FindsAWrongSource) {
  finds([](Flit& f, std::size_t&, std::size_t&) { f.src.x ^= 1; }, "from tile");
}
TEST_F(NocScoreboard, FindsAnOvertakenFlit) {
  Flit held;
  int flits = 0;
  FakeMesh mesh(2, 1, 3);
  mesh.tamper = [&](Flit& f, std::size_t&, std::size_t& copies) {  // swaps the 50th and the 51st of one stream
    if (f.src.x != 0) return;
    if (++flits == 50) {
      held = f;
      copies = 0;
    } else if (flits == 51) {
      std::swap(held, f);
      std::swap(held, f);
    } else if (flits == 52) {
      f = held;
    }
  };
  TrafficOptions o;
  o.pattern = Pattern::kNeighbor;
  o.rate = 0.3;
  Traffic t(mesh, o);
  for (int c = 0; c < 1000; ++c) t.cycle();
  EXPECT_GT(t.errors(), 0U);
  EXPECT_THAT(t.first_error(), HasSubstr("overtaken"));
}

TEST(NocBench, TellsWhatAKnownNetworkDoes) {
  BenchOptions o;
  o.traffic.pattern = Pattern::kNeighbor;
  o.cycles = 4000;
  o.make = [] { return std::make_unique<FakeMesh>(4, 4, 9); };
  const Point p = run_point(o, 0.4);
  EXPECT_NEAR(p.offered, 0.4, 0.02);
  EXPECT_NEAR(p.accepted, 0.4, 0.02);
  EXPECT_EQ(p.avg_latency, 9.0) << "one flit a cycle is taken: no waiting";
  EXPECT_EQ(p.max_latency, 9U);
  EXPECT_EQ(p.lost + p.errors + p.unfinished, 0U);
  const Characteristics c = characterise(o);
  EXPECT_EQ(c.zero_load.avg_latency, 9.0);
  EXPECT_EQ(c.saturation, 1.0);
  EXPECT_EQ(c.overload.accepted, 1.0);
  EXPECT_EQ(c.overload.worst_share, 1.0);
}

TEST(NocBench, FindsTheSaturationOfAQueueThatIsKnown) {
  // Each sink takes a flit every second cycle: a Geo/D/1 queue, mean wait r / (1 - 2 r) at a load of r. Three times the
  // latency of 9 is reached where the wait is 18 (and that of zero-load three times): r = 18 / 37.
  BenchOptions o;
  o.traffic.pattern = Pattern::kNeighbor;
  o.cycles = 20'000;
  o.make = [] { return std::make_unique<FakeMesh>(4, 4, 9, 2); };
  const Characteristics c = characterise(o);
  EXPECT_NEAR(c.zero_load.avg_latency, 9 + 0.02 / 0.96, 0.01);
  EXPECT_NEAR(c.saturation, 18.0 / 37, 0.006);
  EXPECT_NEAR(c.overload.accepted, 0.5, 0.001);
  EXPECT_EQ(c.errors, 0U) << c.first_error;
}

TEST(NocBench, TheWorstSourceIsToldAsAShareOfTheMean) {
  // What tile 5 sends is taken at half of the others' rate: 15 x 1 and 0.5 make a mean of 15.5 / 16.
  BenchOptions o;
  o.traffic.pattern = Pattern::kNeighbor;
  o.cycles = 4000;
  o.make = [] {
    auto mesh = std::make_unique<FakeMesh>(4, 4, 3);
    mesh->slow_sink = 10;  // (2, 2), the neighbour of tile 5, takes a flit every second cycle
    return mesh;
  };
  EXPECT_NEAR(run_point(o, 1.0).worst_share, 0.5 / (15.5 / 16), 0.01);
}

}  // namespace
}  // namespace tepin::tb::noc
