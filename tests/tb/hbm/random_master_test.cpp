// SPDX-License-Identifier: Apache-2.0
// The random master against a controller that keeps its promises and ones that break them.
#include "tb/hbm/random_master.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "fake_hbm.h"
#include "tb/hbm/channel_bench.h"

namespace tepin::tb::hbm::testing {
namespace {

Word initial_word(std::uint32_t address) { return burst_data(99, address, 0); }

std::uint64_t seed() {
  const char* text = std::getenv("TEPIN_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 0);
}

struct Played {
  std::unique_ptr<RandomMaster> pc0, pc1;
};

Played play(HbmDut& dut, RandomOptions options = {}, std::uint64_t watchdog = 5000) {
  if (!options.initial) options.initial = initial_word;
  Played r;
  options.seed = seed();
  r.pc0 = std::make_unique<RandomMaster>(options);
  options.port = "PC1";
  options.seed = seed() + 1000;
  r.pc1 = std::make_unique<RandomMaster>(options);
  for (int i = 0; i < 3; ++i) dut.step(false);
  ChannelOptions channel;
  channel.watchdog_clocks = watchdog;
  (void)run_channel(
      dut, [](const dram::DfiOut&, dram::DfiIn&) {}, {r.pc0.get(), r.pc1.get()}, channel);
  return r;
}

RandomOptions small() {
  RandomOptions o;
  o.transactions = 4000;
  o.pages = 16;
  return o;
}

TEST(RandomMaster, AgreesWithAControllerThatKeepsItsPromises) {
  for (const bool late : {false, true}) {
    for (const bool early : {false, true}) {
      FakeHbm dut({.seed = seed(), .late_writes = late, .early_reads = early, .initial = initial_word});
      const Played r = play(dut, small());
      for (const auto* m : {r.pc0.get(), r.pc1.get()}) {
        const RandomCounts& c = m->counts();
        EXPECT_EQ(c.mismatches, 0U) << m->first_mismatch();
        EXPECT_EQ(c.error_responses, 0U);
        EXPECT_EQ(c.beats_exact + c.beats_overlapping, c.beats_read);
        EXPECT_GT(c.beats_exact, 10'000U);
        EXPECT_GT(c.beats_overlapping, 500U);
        EXPECT_GT(c.beats_read_back, 2000U);
        EXPECT_GT(c.beats_written, 10'000U);
        EXPECT_GT(c.strobes_full, 5000U);
        EXPECT_GT(c.strobes_sparse, 1000U);
        EXPECT_GT(c.strobes_empty, 1000U);
        EXPECT_GT(c.data_led, 50U);
      }
    }
  }
}

TEST(RandomMaster, AgreesAtTheEndsOfItsOptions) {
  RandomOptions one = small();
  one.ids = one.max_open = one.max_beats = one.pages = 1;
  one.transactions = 1000;
  one.capacity_bytes = 4096;
  RandomOptions all = small();
  all.ids = 256;
  all.max_open = 256;
  all.capacity_bytes = 1ULL << 32;
  all.stalls = false;
  for (const RandomOptions& o : {one, all}) {
    FakeHbm dut({.seed = seed(), .initial = initial_word});
    const Played r = play(dut, o);
    EXPECT_EQ(r.pc0->counts().mismatches, 0U) << r.pc0->first_mismatch();
    EXPECT_GE(r.pc0->counts().reads + r.pc0->counts().writes, o.transactions);
  }
}

TEST(RandomMaster, WritesWholeBurstsOnlyIfAskedTo) {
  RandomOptions o = small();
  o.partial = false;
  FakeHbm dut({.seed = seed(), .initial = initial_word});
  const RandomCounts c = play(dut, o).pc0->counts();
  EXPECT_EQ(c.strobes_sparse + c.strobes_empty, 0U);
  EXPECT_GT(c.strobes_full, 5000U);
}

TEST(RandomMaster, RefusesOptionsBeyondTheirRange) {
  const auto refused = [](auto change) {
    RandomOptions o;
    change(o);
    EXPECT_THROW(RandomMaster{o}, std::invalid_argument);
  };
  refused([](RandomOptions& o) { o.capacity_bytes = 5000; });
  refused([](RandomOptions& o) { o.ids = 257; });
  refused([](RandomOptions& o) { o.max_open = 0; });
  refused([](RandomOptions& o) { o.max_beats = 129; });
  refused([](RandomOptions& o) { o.pages = 0; });
}

TEST(RandomMaster, FindsWrongData) {
  for (const Fault fault : {Fault::kWrongData, Fault::kWrongOrder, Fault::kStaleRead, Fault::kIgnoredStrobes}) {
    FakeHbm dut({.seed = seed(), .fault = fault, .initial = initial_word});
    const Played r = play(dut, small());
    EXPECT_GT(r.pc0->counts().mismatches, 10U) << static_cast<int>(fault);
    EXPECT_NE(r.pc0->first_mismatch().find("expected 0x"), std::string::npos) << r.pc0->first_mismatch();
  }
}

TEST(RandomMaster, CountsErrorResponses) {
  FakeHbm dut({.seed = seed(), .fault = Fault::kSlverr, .initial = initial_word});
  const Played r = play(dut, small());
  EXPECT_GT(r.pc0->counts().error_responses, 10U);
  EXPECT_EQ(r.pc0->counts().mismatches, 0U);
}

template <typename E>
std::string failure(Fault fault) {
  FakeHbm dut({.seed = seed(), .fault = fault, .initial = initial_word});
  try {
    (void)play(dut, small());
  } catch (const E& e) {
    return e.what();
  }
  return "no failure";
}

TEST(RandomMaster, StopsAtLostAnswers) {
  const std::string response = failure<HangError>(Fault::kLostResponse);
  EXPECT_NE(response.find("; write "), std::string::npos) << response;
  // The next read of the ID answers in the place of the lost one, mostly with another length.
  EXPECT_NE(failure<std::runtime_error>(Fault::kLostRead), "no failure");
}

TEST(RandomMaster, StopsAtABrokenRule) {
  const auto expect = [](Fault fault, const std::string& part) {
    const std::string text = failure<ProtocolError>(fault);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(Fault::kNoLast, "last is low on beat");
  expect(Fault::kUnknownId, "R: ID 200 has no open read");
  expect(Fault::kUnknownResponse, "B: ID 200 has no open write");
  expect(Fault::kEarlyResponse, "B: ID");
  expect(Fault::kValidFalls, "valid fell before ready");
  expect(Fault::kPayloadChanges, "the payload changed before ready");
}

}  // namespace
}  // namespace tepin::tb::hbm::testing
