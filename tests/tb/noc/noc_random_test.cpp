// SPDX-License-Identifier: Apache-2.0
// Random traffic on the verilated mesh over sizes, patterns, packet lengths, loads and sinks that stall; every flit is
// checked. TEPIN_SEED=n replays one; TEPIN_NOC_FLITS=n sets the flits of the long test.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tb/noc/traffic_run.h"

#ifndef TEPIN_NOC_FLITS
#define TEPIN_NOC_FLITS 300'000
#endif

namespace tepin::tb::noc {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Flits delivered.
std::uint64_t run(const Variant& v, std::uint64_t seed, int max_side, std::uint64_t cycles) {
  Rng rng{seed};
  TrafficOptions o;
  const int w = 1 + static_cast<int>(rng.below(static_cast<std::uint32_t>(max_side)));
  int h = 1 + static_cast<int>(rng.below(static_cast<std::uint32_t>(max_side)));
  o.pattern = static_cast<Pattern>(rng.below(static_cast<std::uint32_t>(pattern_names().size())));
  if (o.pattern == Pattern::kTranspose) h = w;
  o.flits = rng.chance(0.5) ? 1 : 1 + static_cast<int>(rng.below(12));
  o.rate = rng.chance(0.3) ? 1.0 : 0.05 + 0.9 * static_cast<double>(rng.below(1000)) / 1000;
  o.split_source = rng.chance(0.5);
  o.sink_stall = rng.chance(0.5) ? 0 : static_cast<double>(rng.below(95)) / 100;
  o.seed = rng.next();
  SCOPED_TRACE(testing::Message() << "TEPIN_SEED=" << seed << ": " << w << "x" << h << " "
                                  << pattern_names()[static_cast<std::size_t>(o.pattern)] << ", " << o.flits
                                  << " flits a packet, load " << o.rate << ", sinks stall " << o.sink_stall << ", "
                                  << v.depth << " slots");
  const auto mesh = make_mesh(w, h, v.depth, v.link_bits, v.checked, static_cast<std::uint32_t>(seed));
  Traffic t(*mesh, o);
  for (std::uint64_t c = 0; c < cycles; ++c) t.cycle();
  t.cut_sources();
  EXPECT_TRUE(t.drain(10'000)) << t.injected() - t.delivered() << " flits lost or stuck";
  EXPECT_EQ(t.delivered(), t.injected());
  EXPECT_EQ(t.errors(), 0U) << t.first_error();
  for (int c = 0; c < 50; ++c) t.cycle();
  EXPECT_EQ(t.delivered(), t.injected()) << "more came than entered";
  return t.delivered();
}

TEST(NocRandom, EveryRouterIsExactWithAssertionsOn) {
  const std::uint64_t first = from_environment("TEPIN_SEED", 1);
  std::uint64_t flits = 0;
  for (std::uint64_t seed = first; seed < first + 20; ++seed) {
    for (const Variant& v : mesh_variants()) {
      if (v.checked) flits += run(v, seed, 5, 400);
      if (::testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GE(flits, 20'000U);
}

TEST(NocRandom, ManyFlitsAreExact) {
  const std::uint64_t first = from_environment("TEPIN_SEED", 100);
  const std::uint64_t goal = from_environment("TEPIN_NOC_FLITS", TEPIN_NOC_FLITS);
  std::uint64_t flits = 0, seed = first;
  for (; flits < goal && seed < first + goal / 100; ++seed) {
    for (const Variant& v : mesh_variants()) {
      if (!v.checked) flits += run(v, seed, kMaxSide, 2000);
      if (::testing::Test::HasFailure()) return;
    }
  }
  std::printf("%llu flits, seeds %llu..%llu\n", static_cast<unsigned long long>(flits),
              static_cast<unsigned long long>(first), static_cast<unsigned long long>(seed - 1));
  EXPECT_GE(flits, goal);
}

}  // namespace
}  // namespace tepin::tb::noc
