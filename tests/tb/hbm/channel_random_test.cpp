// SPDX-License-Identifier: Apache-2.0
// Random AXI4 traffic on both ports of the verilated controller, every byte checked, over organisations, refresh modes,
// temperatures and injected errors. The device stops at the first timing rule broken. TEPIN_SEED=n replays one;
// TEPIN_HBM_BURSTS=n sets the bursts of the long test.
#include <cstdlib>
#include <memory>

#include "tb/hbm/random_master.h"
#include "tests/tb/hbm/channel_support.h"

#ifndef TEPIN_HBM_BURSTS
#define TEPIN_HBM_BURSTS 300'000
#endif

namespace tepin::tb::hbm {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

struct Regime {
  const char* name;
  int mbps = 8000, sids = 2;
  std::vector<HbmSetting> settings;
  double errors = 0;  // bursts with a flipped bit
  bool temperatures = false;
  std::uint32_t ids = 16, max_open = 64, max_beats = 128, write_share = 128;
};

std::vector<Regime> regimes() {
  const HbmSetting short_window{offsetof(hbm_csr_t, PHY0), HBM_CSR__PHY0__PERIOD_bm, 5000};
  const HbmSetting all_bank{offsetof(hbm_csr_t, REFRESH), HBM_CSR__REFRESH__ALL_BANK_bm, 1};
  const HbmSetting often{offsetof(hbm_csr_t, ECC), HBM_CSR__ECC__INTERVAL_bm, 30};
  const HbmSetting small_drains{offsetof(hbm_csr_t, DRAIN), HBM_CSR__DRAIN__HIGH_bm, 4};
  return {
      {.name = "one SID", .sids = 1, .settings = {}},
      {.name = "two SIDs, single-bit errors", .settings = {often}, .errors = 0.01},
      {.name = "three SIDs at 10 Gb/s, temperatures",
       .mbps = 10000,
       .sids = 3,
       .settings = {short_window},
       .temperatures = true},
      {.name = "four SIDs, single beats", .sids = 4, .settings = {}, .max_beats = 1},
      {.name = "all-bank refresh", .mbps = 10000, .sids = 3, .settings = {all_bank}},
      {.name = "one ID, one open",
       .settings = {small_drains},
       .errors = 0.002,
       .ids = 1,
       .max_open = 1,
       .max_beats = 4},
      {.name = "mostly writes",
       .mbps = 10000,
       .sids = 2,
       .settings = {},
       .temperatures = true,
       .max_beats = 16,
       .write_share = 230},
      {.name = "mostly reads", .settings = {short_window, often}, .errors = 0.05, .max_beats = 8, .write_share = 20},
  };
}

/// Bursts checked or written on both ports.
std::uint64_t run(const Regime& g, std::uint64_t seed, std::uint64_t transactions, bool checked) {
  SCOPED_TRACE(std::string(g.name) + ", TEPIN_SEED=" + std::to_string(seed));
  HbmSystemOptions o;
  o.mbps = g.mbps;
  o.sids = g.sids;
  o.seed = seed;
  o.checked = checked;
  o.throw_at_first = true;
  o.settings = g.settings;
  HbmSystem system(o);
  if (g.errors > 0) system.dram().set_error_rate(g.errors, seed);
  std::vector<std::unique_ptr<RandomMaster>> masters;
  for (int pc = 0; pc < 2; ++pc) {
    RandomOptions r;
    r.port = "PC" + std::to_string(pc);
    r.seed = seed * 2 + static_cast<std::uint64_t>(pc);
    r.transactions = transactions;
    r.pages = 64;
    r.capacity_bytes = g.sids == 3 ? 576ULL << 20 : static_cast<std::uint64_t>(g.sids) << 28;
    r.ids = g.ids;
    r.max_open = g.max_open;
    r.max_beats = g.max_beats;
    r.write_share = g.write_share;
    r.initial = system.initial(pc);
    masters.push_back(std::make_unique<RandomMaster>(r));
  }
  system.bring_up();
  const DfiTarget device = system.device();
  constexpr std::array<double, 5> kRates{0.25, 0.5, 1, 2, 4};
  Rng rng{seed};
  std::uint64_t clock = 0;
  system.set_auto_refresh(g.temperatures);
  const DfiTarget target = [&](const dram::DfiOut& out, dram::DfiIn& in) {
    if (g.temperatures && ++clock % 20'000 == 0) {
      const std::uint32_t code = rng.below(5);
      system.dut().in.temperature = static_cast<std::uint8_t>(code);
      system.dram().set_refresh_rate(kRates[code]);
    }
    device(out, in);
  };
  (void)run_channel(system.dut(), target, {masters[0].get(), masters[1].get()});
  std::uint64_t bursts = 0;
  for (const auto& m : masters) {
    EXPECT_EQ(m->counts().mismatches, 0U) << m->first_mismatch();
    EXPECT_EQ(m->counts().error_responses, 0U);
    EXPECT_GE(m->counts().beats_exact + m->counts().beats_overlapping, transactions / 4);
    bursts += m->counts().beats_read + m->counts().beats_written;
  }
  EXPECT_EQ(system.violations(), 0U) << system.first_violation();
  const HbmCounters n = system.counters(0);
  EXPECT_EQ(n.uncorrected, 0U);
  if (g.errors > 0) {
    EXPECT_GT(n.corrected, 0U);
  }
  return bursts;
}

TEST(HbmChannelRandom, EveryRegimeIsExactWithAssertionsOn) {
  const std::uint64_t seed = from_environment("TEPIN_SEED", 1);
  for (const Regime& g : regimes()) ASSERT_NO_THROW((void)run(g, seed, g.max_open == 1 ? 300 : 400, true));
}

TEST(HbmChannelRandom, ManyBurstsAreExact) {
  const std::uint64_t first = from_environment("TEPIN_SEED", 100);
  const std::uint64_t goal = from_environment("TEPIN_HBM_BURSTS", TEPIN_HBM_BURSTS);
  std::uint64_t bursts = 0, seed = first;
  for (; bursts < goal; ++seed) {
    for (const Regime& g : regimes()) ASSERT_NO_THROW(bursts += run(g, seed, 2000, false));
    if (::testing::Test::HasFailure()) break;
  }
  RecordProperty("bursts", std::to_string(bursts));
  std::printf("%llu bursts, seeds %llu..%llu\n", static_cast<unsigned long long>(bursts),
              static_cast<unsigned long long>(first), static_cast<unsigned long long>(seed - 1));
  EXPECT_GE(bursts, goal);
}

}  // namespace
}  // namespace tepin::tb::hbm
