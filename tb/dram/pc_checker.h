// SPDX-License-Identifier: Apache-2.0
// Checks the commands of one pseudo-channel: states of its banks, pairwise rules, tFAW, data bus, tRAS max, refresh,
// self refresh, initialisation. A command that breaks a rule still takes effect, except one that names no bank of the
// device or stands within self refresh: that one is ignored.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "tb/dram/command.h"
#include "tb/dram/config.h"
#include "tb/dram/history.h"
#include "tb/dram/refresh_ledger.h"
#include "tb/dram/rules.h"
#include "tb/dram/violation.h"

namespace tepin::tb::dram {

class PcChecker {
 public:
  static constexpr int kNoRow = -1;

  /// now: the clock in which reset is released; commands are allowed from now + tINIT on.
  PcChecker(int pc, const DramConfig& config, const RuleBook& rules, Clock now, ViolationLog& violations);

  /// Commands of a clock in the order of their slots.
  void row_command(const Command& c, Clock clk);
  /// The row that is read or written, or kNoRow: bank closed, opened with a row that does not exist, or no such bank.
  int column_command(const Command& c, Clock clk);
  /// Once the commands of the clock are in.
  void settle(Clock clk) {
    if (clk >= next_deadline_) pass_deadline(clk);
  }
  void set_refresh_rate(double rate, Clock clk);

  [[nodiscard]] bool is_open(int bank) const { return (open_ >> bank & 1) != 0; }
  [[nodiscard]] const RefreshLedger& refresh() const { return refresh_; }
  /// PRE and PREA that found nothing open.
  [[nodiscard]] std::uint64_t idle_precharges() const { return idle_precharges_; }

 private:
  struct Bank {
    int row = kNoRow;
    Time opened = kNever;
  };
  void report(std::string_view rule, const Command& c, Clock clk, std::int64_t expected, std::int64_t actual,
              Unit unit = Unit::kClocks, Bound bound = Bound::kAtLeast, Kind after = Kind::kNone) {
    violations_.add({clk, pc_, rule, c, after, expected, actual, unit, bound});
  }
  bool acceptable(const Command& c, Clock clk);
  void check_pairs(const Command& c, Time now, BankMask banks);
  void check_distance(std::string_view rule, const Command& c, Kind first, Time then, Time now, const Span& need);
  void check_closed(const Command& c, Clock clk, BankMask banks);
  void check_data_bus(const Command& c, Clock clk);
  void check_open_time(const Command& c, int bank, Clock clk, Clock until);
  void activate(const Command& c, Time now);
  void precharge(const Command& c, Time now);
  void auto_precharge(const Command& c, Clock clk);
  void refresh(const Command& c, Time now);
  void pass_deadline(Clock clk);
  [[nodiscard]] Bank& bank_at(int bank) { return banks_[static_cast<std::size_t>(bank)]; }

  int pc_;
  const DramConfig& config_;
  const DramTiming& timing_;
  const RuleBook& rules_;
  ViolationLog& violations_;
  Clock reset_at_;
  BankMask all_banks_;
  bool self_refresh_ = false;
  BankMask open_ = 0;
  BankMask overdue_ = 0;  // open and already reported for tRAS max
  std::array<Bank, DramOrganisation::kMaxBanks> banks_{};
  History history_;
  std::array<Time, 4> last_acts_{};  // the four latest, oldest at next_act_
  std::size_t next_act_ = 0;
  static constexpr std::size_t kBusDepth = 256;  // more than |RL - WL|
  std::array<Clock, kBusDepth> read_at_{}, write_at_{};
  RefreshLedger refresh_;
  Clock oldest_open_ = 0;  // no bank has been open for longer than since then
  Clock next_deadline_;
  std::uint64_t idle_precharges_ = 0;
};

}  // namespace tepin::tb::dram
