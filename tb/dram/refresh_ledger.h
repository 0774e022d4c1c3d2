// SPDX-License-Identifier: Apache-2.0
// What each bank of a pseudo-channel is owed: one refresh a refresh interval, and no more activations than the
// refreshes and RFMs have made room for.
#pragma once

#include <array>
#include <cstdint>

#include "tb/dram/command.h"
#include "tb/dram/config.h"
#include "tb/dram/violation.h"

namespace tepin::tb::dram {

class RefreshLedger {
 public:
  /// start: the clock from which refreshes fall due (the end of initialisation); the first one an interval later.
  RefreshLedger(int pc, const DramConfig& config, Clock start, ViolationLog& violations);

  /// An ACT: RAAMMT is broken if the bank's count gets above it.
  void activated(const Command& c, Clock clk);
  /// A refresh of a bank (by REFpb or REFab): broken if more than max_pulled_in are ahead. A refresh in the very clock
  /// in which one falls due counts for that one.
  void refreshed(const Command& c, int bank, Clock clk);
  void rfm(int bank) { take(bank, config_.timing.raaimt); }
  /// In self refresh the device gives every refresh that falls due itself.
  void set_self_refresh(bool on) { self_refresh_ = on; }
  /// 4 (hot) .. 0.25 (cold). What is left of the running interval is scaled.
  void set_rate(double rate, Clock clk);

  /// Once the commands of the clock are in: refreshes that fall due now. Broken for each bank that is owed too many.
  void settle(Clock clk);
  [[nodiscard]] Clock next_due() const { return next_due_; }
  /// Negative: pulled in.
  [[nodiscard]] std::int64_t owed(int bank) const { return due_ - given_[static_cast<std::size_t>(bank)]; }
  [[nodiscard]] int activations(int bank) const { return raa_[static_cast<std::size_t>(bank)]; }

 private:
  void take(int bank, int activations);

  int pc_;
  const DramConfig& config_;
  ViolationLog& violations_;
  Clock start_;
  int interval_;
  Clock next_due_;
  bool self_refresh_ = false;
  std::int64_t due_ = 0;
  std::array<std::int64_t, DramOrganisation::kMaxBanks> given_{};
  std::array<int, DramOrganisation::kMaxBanks> raa_{};
};

}  // namespace tepin::tb::dram
