// SPDX-License-Identifier: Apache-2.0
#include "tb/dram/refresh_ledger.h"

#include <algorithm>
#include <cmath>

#include "tb/dram/rules.h"

namespace tepin::tb::dram {

RefreshLedger::RefreshLedger(int pc, const DramConfig& config, Clock start, ViolationLog& violations)
    : pc_(pc),
      config_(config),
      violations_(violations),
      start_(start),
      interval_(config.timing.refresh_interval()),
      next_due_(start + interval_) {}

void RefreshLedger::activated(const Command& c, Clock clk) {
  const int count = ++raa_[static_cast<std::size_t>(c.bank())];
  if (count <= config_.timing.raammt) return;
  violations_.add({.clk = clk,
                   .pc = pc_,
                   .rule = rule::kRaaMmt,
                   .command = c,
                   .expected = config_.timing.raammt,
                   .actual = count,
                   .unit = Unit::kCount,
                   .bound = Bound::kAtMost});
}

void RefreshLedger::refreshed(const Command& c, int bank, Clock clk) {
  take(bank, config_.timing.raa_refresh);
  const std::int64_t given = ++given_[static_cast<std::size_t>(bank)];
  const std::int64_t ahead = given - due_ - (clk == next_due_ ? 1 : 0);
  if (ahead <= config_.timing.max_pulled_in) return;
  violations_.add({.clk = clk,
                   .pc = pc_,
                   .rule = rule::kPulledIn,
                   .command = c,
                   .expected = config_.timing.max_pulled_in,
                   .actual = ahead,
                   .unit = Unit::kCount,
                   .bound = Bound::kAtMost});
}

void RefreshLedger::take(int bank, int activations) {
  int& count = raa_[static_cast<std::size_t>(bank)];
  count = std::max(0, count - activations);
}

void RefreshLedger::set_rate(double rate, Clock clk) {
  DramTiming timing = config_.timing;
  timing.refresh_rate = rate;
  const int interval = timing.refresh_interval();
  const Clock from = std::max(clk, start_);
  const double left = static_cast<double>(next_due_ - from) * interval / interval_;
  next_due_ = from + static_cast<Clock>(std::ceil(left));
  interval_ = interval;
}

void RefreshLedger::settle(Clock clk) {
  if (clk < next_due_) return;
  ++due_;
  next_due_ += interval_;
  for (int bank = 0; bank < config_.organisation.banks(); ++bank) {
    if (self_refresh_) {
      ++given_[static_cast<std::size_t>(bank)];
      take(bank, config_.timing.raa_refresh);
    } else if (owed(bank) > config_.timing.max_postponed) {
      violations_.add({.clk = clk,
                       .pc = pc_,
                       .rule = rule::kPostponed,
                       .command = bank_of(pc_, bank),
                       .expected = config_.timing.max_postponed,
                       .actual = owed(bank),
                       .unit = Unit::kCount,
                       .bound = Bound::kAtMost});
    }
  }
}

}  // namespace tepin::tb::dram
