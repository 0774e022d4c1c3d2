// SPDX-License-Identifier: Apache-2.0
// The trace's master and the figures, against a controller that keeps its promises and ones that break them.
#include "tb/hbm/trace_master.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
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

/// Reads and writes over few bursts, so that hazards are common.
std::vector<Request> busy_trace(std::size_t n, std::uint32_t bursts, std::uint32_t write_share = 100) {
  Rng rng{seed()};
  std::vector<Request> t;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t address = rng.below(bursts) * std::uint64_t{32};
    t.push_back({address, rng.chance(write_share)});
  }
  return t;
}

std::vector<Request> reads(std::size_t n) {
  std::vector<Request> t;
  for (std::size_t i = 0; i < n; ++i) t.push_back({i * 32, false});
  return t;
}

struct Played {
  std::unique_ptr<TraceMaster> pc0, pc1;
  std::uint64_t clocks = 0;
};

Played play(HbmDut& dut, const std::vector<Request>& trace, TraceOptions options = {}, std::uint64_t watchdog = 5000) {
  if (!options.initial) options.initial = initial_word;
  Played r;
  r.pc0 = std::make_unique<TraceMaster>(trace, options);
  options.port = "PC1";
  r.pc1 = std::make_unique<TraceMaster>(trace, options);
  for (int i = 0; i < 3; ++i) dut.step(false);
  dut.step(true);  // it is ready from the next clock on
  ChannelOptions channel;
  channel.watchdog_clocks = watchdog;
  r.clocks = run_channel(
      dut, [](const dram::DfiOut&, dram::DfiIn&) {}, {r.pc0.get(), r.pc1.get()}, channel);
  return r;
}

FakeOptions fast() { return {.delay = 0, .stall = 0, .reorder = false, .initial = initial_word}; }

TEST(TraceMaster, EveryReadSeesTheLastWriteEarlierInTheTrace) {
  for (const bool late : {false, true}) {
    for (const bool early : {false, true}) {
      FakeHbm dut({.seed = seed(), .late_writes = late, .early_reads = early, .initial = initial_word});
      const Played r = play(dut, busy_trace(20'000, 200));
      for (const auto* m : {r.pc0.get(), r.pc1.get()}) {
        EXPECT_EQ(m->mismatches(), 0U);
        EXPECT_EQ(m->error_responses(), 0U);
        EXPECT_GT(m->reads_checked(), 10'000U);
        EXPECT_GT(m->hazard_waits(), 1000U);
        EXPECT_GE(m->hazard_clocks(), m->hazard_waits());
      }
    }
  }
}

TEST(TraceMaster, OffersAReadAClock) {
  FakeHbm dut(fast());
  const Played r = play(dut, reads(20'000));
  const TraceFigures f = trace_figures(*r.pc0, 1.25);
  EXPECT_EQ(f.requests, 20'000U);
  EXPECT_GT(f.bandwidth_frac, 0.999);
  EXPECT_EQ(f.avg_ns, 0.8);  // the fake answers at the next clock
  EXPECT_EQ(f.max_ns, 0.8);
  EXPECT_EQ(f.hazard_waits, 0U);
}

TEST(TraceMaster, OffersAReadAndAWriteAClock) {
  std::vector<Request> t = reads(20'000);
  for (std::size_t i = 1; i < t.size(); i += 2) t[i].write = true;
  FakeHbm dut(fast());
  const Played r = play(dut, t);
  EXPECT_GT(trace_figures(*r.pc0, 1).bandwidth_frac, 1.99);  // the fake has no pins that would carry only one
}

TEST(TraceMaster, CyclesRunFromTheFirstAcceptanceToTheLastBeatOrResponse) {
  FakeHbm dut(fast());
  const Played r = play(dut, {{0, false}});
  EXPECT_EQ(r.pc0->cycles(), 2U);
  EXPECT_EQ(r.pc0->latencies(), std::vector<std::uint32_t>{1});
}

TEST(TraceMaster, LatenciesAreOfReadsOrElseOfWrites) {
  FakeHbm dut({.seed = seed(), .initial = initial_word});
  const std::vector<Request> t = busy_trace(1000, 5000);
  std::size_t n = 0;
  for (const Request& q : t) n += q.write ? 0 : 1;
  EXPECT_EQ(play(dut, t).pc0->latencies().size(), n);
  std::vector<Request> writes;
  for (const Request& q : t) writes.push_back({q.address, true});
  const TraceFigures f = trace_figures(*play(dut, writes).pc0, 1);
  EXPECT_EQ(f.latencies_ns.size(), 1000U);
  EXPECT_GE(f.avg_ns, 1);
}

TEST(TraceMaster, PercentilesAreNearestRank) {
  FakeHbm dut({.seed = seed(), .initial = initial_word});
  const TraceFigures f = trace_figures(*play(dut, reads(1000)).pc0, 2.0);
  std::vector<float> sorted = f.latencies_ns;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(f.p50_ns, sorted[499]);
  EXPECT_EQ(f.p99_ns, sorted[989]);
  EXPECT_EQ(f.max_ns, sorted[999]);
  EXPECT_LT(f.p50_ns, f.p99_ns);
}

/// Watches the requests that one PC's master makes.
class Watch final : public HbmDut {
 public:
  explicit Watch(const FakeOptions& options, bool writes_blocked = false)
      : fake_(options), writes_blocked_(writes_blocked) {}
  void step(bool rst_n) override {
    fake_.in = in;
    fake_.in.axi[0].aw_valid = in.axi[0].aw_valid && !blocked();
    fake_.in.axi[0].w_valid = in.axi[0].w_valid && !blocked();
    if (in.axi[0].ar_valid && out.axi[0].ar_ready) {
      reads_at.push_back(clock_);
      addresses.push_back(in.axi[0].ar_addr);
    }
    fake_.step(rst_n);
    out = fake_.out;
    if (blocked()) out.axi[0].aw_ready = out.axi[0].w_ready = false;
    fake_.out = out;
    if (rst_n) ++clock_;
  }
  std::vector<std::uint64_t> reads_at;
  std::vector<std::uint32_t> addresses;

 private:
  [[nodiscard]] bool blocked() const { return writes_blocked_ && clock_ < 1000; }
  FakeHbm fake_;
  bool writes_blocked_;
  std::uint64_t clock_ = 0;
};

TEST(TraceMaster, RequestsArriveAtTheRate) {
  Watch dut(fast());
  // 32 bytes at 8 GB/s: every 4 ns, 5 clocks at 1.25 GHz.
  const Played r = play(dut, reads(100), {.interval_clocks = arrival_interval_clocks(8, 1.25)});
  ASSERT_EQ(dut.reads_at.size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(dut.reads_at[i], 1 + i * 5);
  EXPECT_EQ(trace_figures(*r.pc0, 1.25).source_avg_ns, 0);
}

TEST(TraceMaster, RequestsThatArriveFasterThanTheyAreAcceptedWaitInTheSource) {
  FakeHbm dut(fast());
  const Played r = play(dut, reads(1000), {.interval_clocks = 0.5});
  EXPECT_GT(trace_figures(*r.pc0, 1).source_avg_ns, 100);
}

TEST(TraceMaster, OneKindRunsAtMostTheWindowAheadOfTheOther) {
  std::vector<Request> t{{32 * 5000, true}};
  for (const Request& q : reads(500)) t.push_back(q);
  for (const std::uint32_t window : {1U, 16U, 256U}) {
    Watch dut(fast(), true);
    (void)play(dut, t, {.window = window});
    std::size_t early = 0;
    for (const std::uint64_t at : dut.reads_at) early += at < 1000 ? 1 : 0;
    EXPECT_EQ(early, window);
  }
}

TEST(TraceMaster, IssuesReadsInTheOrderOfTheTrace) {
  Watch dut({.seed = seed(), .initial = initial_word});
  const std::vector<Request> t = busy_trace(5000, 300);
  (void)play(dut, t);
  std::vector<std::uint32_t> expected;
  for (const Request& q : t) {
    if (!q.write) expected.push_back(static_cast<std::uint32_t>(q.address));
  }
  EXPECT_EQ(dut.addresses, expected);
}

TEST(TraceMaster, RefusesOptionsBeyondTheirRange) {
  EXPECT_THROW(TraceMaster({}, {}), std::invalid_argument);
  EXPECT_THROW(TraceMaster(reads(1), {.max_open = 257}), std::invalid_argument);
  EXPECT_THROW(TraceMaster(reads(1), {.interval_clocks = -1}), std::invalid_argument);
  EXPECT_THROW(TraceMaster({{1ULL << 32, false}}, {}), std::invalid_argument);
}

TEST(TraceMaster, CountsWrongDataAndNamesTheFirst) {
  for (const Fault fault : {Fault::kWrongData, Fault::kStaleRead}) {
    FakeHbm dut({.seed = seed(), .fault = fault, .initial = initial_word});
    const Played r = play(dut, busy_trace(20'000, 1000));
    EXPECT_GT(r.pc0->mismatches(), 10U);
    const TraceMismatch& m = r.pc0->first_mismatch();
    EXPECT_NE(m.expected, m.actual);
    const std::string text = trace_figures(*r.pc0, 1).first_mismatch;
    EXPECT_NE(text.find("expected 0x"), std::string::npos) << text;
  }
}

TEST(TraceMaster, CountsErrorResponses) {
  FakeHbm dut({.seed = seed(), .fault = Fault::kSlverr, .initial = initial_word});
  const Played r = play(dut, busy_trace(5000, 1000));
  EXPECT_GT(r.pc0->error_responses(), 10U);
  EXPECT_EQ(r.pc0->mismatches(), 0U);
}

template <typename E>
std::string failure(Fault fault) {
  FakeHbm dut({.seed = seed(), .fault = fault, .initial = initial_word});
  try {
    (void)play(dut, busy_trace(20'000, 1000));
  } catch (const E& e) {
    return e.what();
  }
  return "no failure";
}

TEST(TraceMaster, StopsAtLostAnswersAndNamesThem) {
  EXPECT_NE(failure<HangError>(Fault::kLostRead).find("open reads: ID"), std::string::npos);
  EXPECT_NE(failure<HangError>(Fault::kLostResponse).find("open writes: ID"), std::string::npos);
}

TEST(TraceMaster, StopsAtABrokenRule) {
  const auto expect = [](Fault fault, const std::string& part) {
    const std::string text = failure<ProtocolError>(fault);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(Fault::kNoLast, "last is low");
  expect(Fault::kUnknownId, "R: ID 200");
  expect(Fault::kUnknownResponse, "B: ID 200");
  expect(Fault::kEarlyResponse, "B: ID");
}

TEST(TraceMaster, AgreesOverALongTraceAndPrintsItsTime) {
  FakeHbm dut(fast());
  const std::vector<Request> t = busy_trace(500'000, 4096, 64);
  const auto start = std::chrono::steady_clock::now();
  const Played r = play(dut, t);
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
  const double ns = time.count() / static_cast<double>(r.clocks);
  std::printf("%.0f ns a clock: both masters, their set-up and the fake controller\n", ns);
  for (const auto* m : {r.pc0.get(), r.pc1.get()}) {
    EXPECT_EQ(m->mismatches(), 0U);
    EXPECT_GT(m->reads_checked(), 300'000U);
  }
}

}  // namespace
}  // namespace tepin::tb::hbm::testing
