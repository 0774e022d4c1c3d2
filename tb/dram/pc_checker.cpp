// SPDX-License-Identifier: Apache-2.0
#include "tb/dram/pc_checker.h"

#include <fmt/format.h>

#include <bit>
#include <cstdlib>
#include <limits>
#include <stdexcept>

namespace tepin::tb::dram {

namespace {
constexpr Clock kNoDeadline = std::numeric_limits<Clock>::max();
constexpr BankMask mask_of(int bank) { return BankMask{1} << bank; }
constexpr Clock clock_of(Time t) { return t >> 2; }
}  // namespace

PcChecker::PcChecker(int pc, const DramConfig& config, const RuleBook& rules, Clock now, ViolationLog& violations)
    : pc_(pc),
      config_(config),
      timing_(config.timing),
      rules_(rules),
      violations_(violations),
      reset_at_(now),
      all_banks_(~BankMask{0} >> (64 - config.organisation.banks())),
      refresh_(pc, config, now + config.timing.tinit, violations),
      oldest_open_(kNoDeadline),
      next_deadline_(refresh_.next_due()) {
  if (std::abs(timing_.rl - timing_.wl) >= static_cast<int>(kBusDepth)) {
    throw std::invalid_argument(fmt::format("RL {} and WL {} differ by {} or more", timing_.rl, timing_.wl, kBusDepth));
  }
  last_acts_.fill(kNever);
  read_at_.fill(kNever);
  write_at_.fill(kNever);
}

bool PcChecker::acceptable(const Command& c, Clock clk) {
  const auto outside = [&](int value, int limit) {
    if (value < limit) return false;
    report(rule::kAddress, c, clk, limit - 1, value, Unit::kCount, Bound::kAtMost);
    return true;
  };
  using Org = DramOrganisation;
  if (outside(c.sid, config_.organisation.sids) || outside(c.bg, Org::kBankGroups) ||
      outside(c.ba, Org::kBanksPerGroup) || outside(c.col, Org::kColumns)) {
    return false;
  }
  if (self_refresh_ != (c.kind == Kind::kSelfExit)) {
    report(rule::kSelfRefresh, c, clk, self_refresh_ ? 0 : 1, self_refresh_ ? 1 : 0, Unit::kCount, Bound::kExactly);
    return false;
  }
  if (clk - reset_at_ < timing_.tinit) report(rule::kInit, c, clk, timing_.tinit, clk - reset_at_);
  return true;
}

void PcChecker::check_distance(std::string_view rule, const Command& c, Kind first, Time then, Time now,
                               const Span& need) {
  const Clock distance = clock_of(now) - clock_of(then);
  if (distance < need.clk) {
    report(rule, c, clock_of(now), need.clk, distance, Unit::kClocks, Bound::kAtLeast, first);
  } else if (now - then < need.half) {
    report(rule, c, clock_of(now), need.half, now - then, Unit::kHalfCk, Bound::kAtLeast, first);
  }
}

void PcChecker::check_pairs(const Command& c, Time now, BankMask banks) {
  const int bank = c.sid < 0 ? 0 : c.bank();
  for (const Rule& r : rules_.before(base_of(c.kind))) {
    check_distance(r.name, c, r.first, history_.latest(r.first, r.scope, bank, banks), now, r.need);
  }
}

void PcChecker::check_closed(const Command& c, Clock clk, BankMask banks) {
  const int open = std::popcount(open_ & banks);
  if (open > 0) report(rule::kBankOpen, c, clk, 0, open, Unit::kCount, Bound::kExactly);
}

void PcChecker::row_command(const Command& c, Clock clk) {
  if (!acceptable(c, clk)) return;
  const Time now = 4 * clk + c.slot;
  switch (c.kind) {
    case Kind::kAct:
      return activate(c, now);
    case Kind::kPre:
    case Kind::kPreA:
      return precharge(c, now);
    case Kind::kSelfEnter:
      check_closed(c, clk, all_banks_);
      check_pairs(c, now, all_banks_);
      self_refresh_ = true;
      return refresh_.set_self_refresh(true);
    case Kind::kSelfExit:
      history_.note_whole_pc(Kind::kSelfExit, now);
      self_refresh_ = false;
      return refresh_.set_self_refresh(false);
    default:
      return refresh(c, now);
  }
}

void PcChecker::activate(const Command& c, Time now) {
  const int bank = c.bank();
  const Clock clk = clock_of(now);
  check_closed(c, clk, mask_of(bank));
  if (c.row >= config_.organisation.rows) {
    report(rule::kAddress, c, clk, config_.organisation.rows - 1, c.row, Unit::kCount, Bound::kAtMost);
  }
  check_pairs(c, now, mask_of(bank));
  const Span faw{timing_.tfaw.clk, config_.strict_half_ck ? timing_.tfaw.half : 0};
  check_distance(rule::kFaw, c, Kind::kAct, last_acts_[next_act_], now, faw);
  last_acts_[next_act_] = now;
  next_act_ = (next_act_ + 1) % last_acts_.size();
  history_.note(Kind::kAct, bank, now);
  refresh_.activated(c, clk);
  bank_at(bank) = {c.row < config_.organisation.rows ? c.row : kNoRow, now};
  open_ |= mask_of(bank);
  overdue_ &= ~mask_of(bank);
  oldest_open_ = std::min(oldest_open_, clk);
  next_deadline_ = std::min(next_deadline_, oldest_open_ + timing_.tras_max + 1);
}

void PcChecker::precharge(const Command& c, Time now) {
  const BankMask closing = open_ & (c.kind == Kind::kPreA ? all_banks_ : mask_of(c.bank()));
  if (closing == 0) ++idle_precharges_;
  check_pairs(c, now, closing);
  for (BankMask m = closing; m != 0; m &= m - 1) {
    check_open_time(c, std::countr_zero(m), clock_of(now), clock_of(now));
    history_.note_precharge(std::countr_zero(m), now);
  }
  open_ &= ~closing;
}

void PcChecker::refresh(const Command& c, Time now) {
  const bool whole = !names_bank(c.kind);
  const BankMask banks = whole ? all_banks_ : mask_of(c.bank());
  check_closed(c, clock_of(now), banks);
  check_pairs(c, now, banks);
  if (whole) {
    history_.note_whole_pc(c.kind, now);
  } else {
    history_.note(c.kind, c.bank(), now);
  }
  const bool is_rfm = c.kind == Kind::kRfmPb || c.kind == Kind::kRfmAb;
  for (BankMask m = banks; m != 0; m &= m - 1) {
    if (is_rfm) {
      refresh_.rfm(std::countr_zero(m));
    } else {
      refresh_.refreshed(c, std::countr_zero(m), clock_of(now));
    }
  }
}

int PcChecker::column_command(const Command& c, Clock clk) {
  if (!acceptable(c, clk)) return kNoRow;
  const int bank = c.bank();
  const bool open = is_open(bank);
  if (!open) report(rule::kBankClosed, c, clk, 1, 0, Unit::kCount, Bound::kExactly);
  check_pairs(c, 4 * clk, mask_of(bank));
  check_data_bus(c, clk);
  history_.note(base_of(c.kind), bank, 4 * clk);
  if (!open) return kNoRow;
  if (c.kind != base_of(c.kind)) auto_precharge(c, clk);
  return bank_at(bank).row;
}

// A read's burst takes clock + RL, a write's clock + WL.
void PcChecker::check_data_bus(const Command& c, Clock clk) {
  const auto at = [](std::array<Clock, kBusDepth>& bus, Clock t) -> Clock& {
    return bus[static_cast<std::size_t>(t) % kBusDepth];
  };
  const bool is_read = base_of(c.kind) == Kind::kRd;
  const Clock data = clk + (is_read ? timing_.rl : timing_.wl);
  const Clock clash = data - (is_read ? timing_.wl : timing_.rl);  // command of the other kind with the same data clock
  if (at(is_read ? write_at_ : read_at_, clash) == clash) {
    report(rule::kDataBus, c, clk, clk - clash + 1, clk - clash, Unit::kClocks, Bound::kAtLeast,
           is_read ? Kind::kWr : Kind::kRd);
  }
  at(is_read ? read_at_ : write_at_, clk) = clk;
}

// The earliest moment at which a PRE would have been legal.
void PcChecker::auto_precharge(const Command& c, Clock clk) {
  const int bank = c.bank();
  const Clock opened = clock_of(bank_at(bank).opened);
  const Clock after = base_of(c.kind) == Kind::kRd ? timing_.trtp : timing_.wl + 1 + timing_.twr;
  const Clock at = std::max(clk + after, opened + timing_.tras.clk);
  const Time fine = config_.strict_half_ck ? bank_at(bank).opened + timing_.tras.half : kNever;
  history_.note_precharge(bank, std::max(4 * at, fine));
  open_ &= ~mask_of(bank);
  check_open_time(c, bank, clk, at);
}

void PcChecker::check_open_time(const Command& c, int bank, Clock clk, Clock until) {
  const Clock open = until - clock_of(bank_at(bank).opened);
  if (open <= timing_.tras_max || (overdue_ & mask_of(bank)) != 0) return;
  overdue_ |= mask_of(bank);
  report(rule::kTrasMax, c, clk, timing_.tras_max, open, Unit::kClocks, Bound::kAtMost, Kind::kAct);
}

void PcChecker::set_refresh_rate(double rate, Clock clk) {
  refresh_.set_rate(rate, clk);
  next_deadline_ = std::min(next_deadline_, refresh_.next_due());
}

void PcChecker::pass_deadline(Clock clk) {
  refresh_.settle(clk);
  oldest_open_ = kNoDeadline;
  for (BankMask m = open_ & ~overdue_; m != 0; m &= m - 1) {
    const int bank = std::countr_zero(m);
    const Clock opened = clock_of(bank_at(bank).opened);
    check_open_time(bank_of(pc_, bank), bank, clk, clk);
    if ((overdue_ & mask_of(bank)) == 0) oldest_open_ = std::min(oldest_open_, opened);
  }
  next_deadline_ = refresh_.next_due();
  if (oldest_open_ != kNoDeadline) next_deadline_ = std::min(next_deadline_, oldest_open_ + timing_.tras_max + 1);
}

}  // namespace tepin::tb::dram
