// SPDX-License-Identifier: Apache-2.0
// Random commands, most of them legal and many as early as is legal, some not: the device model and the naive checker
// agree, clock by clock, which commands break a rule.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>

#include "bench.h"
#include "reference_checker.h"

namespace tepin::tb::dram::testing {
namespace {

constexpr int kEpisodes = 300, kClocks = 20'000;
constexpr std::size_t kCommandsAnEpisode = 700;

/// Short intervals, so that refresh deadlines, activation counts and tRAS max are met within an episode.
void shorten(ReferenceTiming& t) {
  t.trfc_pb = {40, 157}, t.trfc_ab = {60, 238}, t.txs = 70;
  t.trefi = 500, t.tras_max = 700, t.postponed = 3, t.pulled_in = 2, t.raaimt = 2, t.raa_refresh = 3, t.raammt = 6;
}

/// The device starts from its own values of the speed; what is shortened is shortened for both.
DramConfig config_of(const ReferenceTiming& t, int mbps, bool shortened) {
  DramConfig c = DramConfig::of(mbps, t.sids);
  const auto span = [](Need n) { return Span{static_cast<int>(n.clk), static_cast<int>(n.h)}; };
  const auto value = [](Clock v) { return static_cast<int>(v); };
  c.timing.tinit = t.tinit;
  c.violation_cap = 1'000'000;
  if (!shortened) return c;
  c.timing.trfc_pb = c.timing.trfm_pb = span(t.trfc_pb);
  c.timing.trfc_ab = c.timing.trfm_ab = span(t.trfc_ab);
  c.timing.txs = value(t.txs);
  c.timing.trefi = value(t.trefi);
  c.timing.tras_max = value(t.tras_max);
  c.timing.max_postponed = value(t.postponed);
  c.timing.max_pulled_in = value(t.pulled_in);
  c.timing.raaimt = value(t.raaimt);
  c.timing.raa_refresh = value(t.raa_refresh);
  c.timing.raammt = value(t.raammt);
  return c;
}

struct Totals {
  std::size_t commands = 0, illegal = 0, deadlines = 0;
  std::set<std::string, std::less<>> rules;
};

class Episode {
 public:
  Episode(std::uint64_t seed, Totals& totals) : rng_(seed), totals_(totals) {
    shortened_ = below(4) != 0;
    const int mbps = below(2) == 0 ? 8000 : 10000;
    if (mbps == 10000) timing_ = reference_at_10000();
    if (shortened_) shorten(timing_);
    illegal_percent_ = static_cast<int>(below(3));
    reference_.emplace(timing_);
    bench_.emplace(config_of(timing_, mbps, shortened_));
    for (auto& pool : pool_) {
      for (int i = 0; i < 5; ++i)
        pool.push_back(bank_of(0, static_cast<int>(below(16U * static_cast<unsigned>(timing_.sids)))));
    }
  }

  void run() {
    for (Clock clk = 0; clk < kClocks && commands_ < kCommandsAnEpisode; ++clk) {
      expected_.clear();
      if (quiet_until_ <= clk && below(70) == 0) quiet_until_ = clk + below(below(8) == 0 ? 1500 : 60);
      if (clk + 8 >= timing_.tinit && clk >= quiet_until_) put_commands(clk);
      for (int pc = 0; pc < 2; ++pc) {
        if (!reference_->deadline_breaks(pc, clk)) continue;
        expected_.insert({pc, Kind::kNone});
        ++totals_.deadlines;
      }
      bench_->tick();
      compare(clk);
      if (::testing::Test::HasFatalFailure()) return;
    }
    for (const Violation& v : bench_->device.violations()) totals_.rules.emplace(v.rule);
    totals_.commands += commands_;
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(rng_() % n); }

  void put_commands(Clock clk) {
    // Row commands in the order of their slots, then columns: the order in which the device takes them.
    int rows = 0;
    for (int slot = 0; slot < 4 && rows < 2; ++slot) {
      for (int attempt = 0; attempt < 2; ++attempt) {
        Command c = row_candidate(static_cast<int>(below(2)));
        c.slot = slot;
        if (!put(c, clk)) continue;
        bench_->row(row_op(c.kind), {std::max(c.sid, 0), std::max(c.bg, 0), std::max(c.ba, 0)}, slot,
                    std::max(c.row, 0), c.pc);
        ++rows;
        break;
      }
    }
    for (int pc = 0; pc < 2; ++pc) {
      if (below(3) == 0) continue;
      Command c = any_bank(pc);
      c.kind = std::array{Kind::kRd, Kind::kRda, Kind::kWr, Kind::kWra, Kind::kRd, Kind::kWr}[below(6)];
      c.col = static_cast<int>(below(32));
      if (!put(c, clk)) continue;
      const Bank b{c.sid, c.bg, c.ba};
      if (c.kind == Kind::kRd || c.kind == Kind::kRda) {
        bench_->read(b, c.col, pc, c.kind == Kind::kRda);
      } else {
        bench_->write(b, c.col, {}, pc, c.kind == Kind::kWra);
      }
    }
  }

  /// Whether the command is sent: if it is legal, or now and then.
  bool put(const Command& c, Clock clk) {
    const bool illegal = reference_->breaks(c, clk);
    if (illegal && below(300) >= static_cast<unsigned>(illegal_percent_)) return false;
    if (illegal) {
      ++totals_.illegal;
      expected_.insert({c.pc, c.kind});
    }
    reference_->add(c, clk);
    ++commands_;
    return true;
  }

  Command any_bank(int pc) {
    Command c = below(200) == 0 ? bank_of(pc, 16 * timing_.sids) : pool_[static_cast<std::size_t>(pc)][below(5)];
    c.pc = pc;
    return c;
  }

  Command row_candidate(int pc) {
    if (reference_->in_self_refresh(pc) && below(40) == 0) return {.kind = Kind::kSelfExit, .pc = pc};
    bool& draining = draining_[static_cast<std::size_t>(pc)];
    draining = draining || below(1500) == 0;  // towards a command that wants every bank closed
    if (draining && !reference_->any_open(pc)) {
      const Kind kind = std::array{Kind::kRefAb, Kind::kRfmAb, Kind::kSelfEnter}[below(3)];
      draining = below(4) != 0;
      return {.kind = kind, .pc = pc};
    }
    Command c = any_bank(pc);
    if (reference_->is_open(c)) {
      const bool all = draining || below(60) == 0;
      if (all) return {.kind = Kind::kPreA, .pc = pc};
      c.kind = below(20) == 0 ? Kind::kPre : below(400) == 0 ? Kind::kRefPb : Kind::kNone;
      if (c.kind == Kind::kNone) c.kind = below(2) == 0 ? Kind::kAct : Kind::kPre;
    } else {
      c.kind = std::array{Kind::kAct, Kind::kAct, Kind::kAct, Kind::kRefPb, Kind::kRfmPb, Kind::kPre}[below(6)];
    }
    if (c.kind == Kind::kAct) c.row = static_cast<int>(below(100) == 0 ? 12288U + below(2) : below(12288));
    return c;
  }

  static RowOp row_op(Kind k) {
    switch (k) {
      case Kind::kAct:
        return RowOp::kAct;
      case Kind::kPre:
        return RowOp::kPre;
      case Kind::kPreA:
        return RowOp::kPreA;
      case Kind::kRefPb:
        return RowOp::kRefPb;
      case Kind::kRefAb:
        return RowOp::kRefAb;
      case Kind::kRfmPb:
        return RowOp::kRfmPb;
      case Kind::kRfmAb:
        return RowOp::kRfmAb;
      case Kind::kSelfEnter:
        return RowOp::kSelfEnter;
      default:
        return RowOp::kSelfExit;
    }
  }

  void compare(Clock clk) {
    std::set<std::pair<int, Kind>> found;
    std::string lines;
    const auto& all = bench_->device.violations();
    for (; seen_ < all.size(); ++seen_) {
      found.insert({all[seen_].pc, all[seen_].command.kind});
      lines += to_string(all[seen_]) + "\n";
    }
    std::string wanted;
    for (const auto& [pc, kind] : expected_) wanted += fmt::format(" pc{} {}", pc, name_of(kind));
    ASSERT_EQ(found == expected_, true) << "clk " << clk << ": the naive checker finds{" << wanted << " }, the device\n"
                                        << lines;
  }

  std::mt19937_64 rng_;
  Totals& totals_;
  ReferenceTiming timing_;
  bool shortened_ = false;
  int illegal_percent_ = 0;
  std::optional<ReferenceChecker> reference_;
  std::optional<Bench> bench_;
  std::array<std::vector<Command>, 2> pool_;
  std::array<bool, 2> draining_{};
  std::set<std::pair<int, Kind>> expected_;
  std::size_t seen_ = 0, commands_ = 0;
  Clock quiet_until_ = 0;
};

TEST(RandomTraffic, DeviceAndNaiveCheckerAgreeOnEveryCommand) {
  const char* given = std::getenv("TEPIN_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
  Totals totals;
  for (std::uint64_t i = 0; i < (given != nullptr ? 1 : kEpisodes); ++i) {
    SCOPED_TRACE(fmt::format("replay: TEPIN_SEED={} dram_random_traffic_test", seed + i));
    Episode(seed + i, totals).run();
    if (HasFatalFailure()) return;
  }
  std::string rules;
  for (const auto& r : totals.rules) rules += " " + r + ",";
  fmt::print("{} commands, {} illegal, {} deadlines passed, rules broken:{}\n", totals.commands, totals.illegal,
             totals.deadlines, rules);
  if (given != nullptr) return;
  EXPECT_GE(totals.commands, 100'000U);
  EXPECT_GE(totals.illegal, 2000U);
  EXPECT_GE(totals.deadlines, 300U);
  EXPECT_GE(totals.rules.size(), 30U);
}

}  // namespace
}  // namespace tepin::tb::dram::testing
