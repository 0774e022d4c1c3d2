// SPDX-License-Identifier: Apache-2.0
// A second opinion on a channel's commands, as naive as can be: it keeps every command and looks through all of them
// each time. Shares nothing with the device model but its structs; the distances are written out again.
#pragma once

#include <vector>

#include "tb/dram/command.h"

namespace tepin::tb::dram::testing {

/// clk: controller clocks; h: half-CK.
struct Need {
  Clock clk = 0, h = 0;
};
struct ReferenceTiming {
  Clock trcd_rd = 20, trcd_wr = 10;
  Need trp{17, 66}, tras{29, 114}, trc{45, 180}, trrd_s{3, 10}, trrd_l{4, 14}, tfaw{15, 60};
  Clock tccd_l = 2, tccd_r = 2, trtp = 6, twr = 21, twtr_s = 5, twtr_l = 7, trtw = 13, rl = 10, wl = 5;
  Need trfc_pb{280, 1120}, trrefd{8, 32}, trfc_ab{450, 1800};
  Clock txs = 460, trefi = 3900, tras_max = 35100, tinit = 100;
  Clock postponed = 8, pulled_in = 8, raaimt = 64, raa_refresh = 64, raammt = 256;
  int sids = 2, rows = 16384;
};
/// The table's column for 10 Gb/s.
[[nodiscard]] ReferenceTiming reference_at_10000();

class ReferenceChecker {
 public:
  explicit ReferenceChecker(const ReferenceTiming& t) : t_(t) {}
  /// Whether the command would break a rule, the row bus included.
  [[nodiscard]] bool breaks(const Command& c, Clock clk) const;
  void add(const Command& c, Clock clk);
  /// Whether a deadline of the PC passes in a clock whose commands are all added.
  [[nodiscard]] bool deadline_breaks(int pc, Clock clk) const;
  [[nodiscard]] bool is_open(const Command& bank) const { return bank_state(bank.pc, bank.bank()).open; }
  [[nodiscard]] bool in_self_refresh(int pc) const;
  [[nodiscard]] bool any_open(int pc) const;

 private:
  struct Past {
    Command c;
    Clock clk, h;
  };
  struct BankState {
    bool open = false;
    Clock opened = 0, opened_h = 0;  // of the latest ACT
    bool precharged = false;
    Clock precharge_h = 0;  // of the latest precharge that closed it, auto precharge included
    Clock activations = 0, refreshes = 0;
  };
  [[nodiscard]] bool exists(const Command& c) const;
  [[nodiscard]] bool takes_effect(const Command& c) const;
  [[nodiscard]] bool bus_breaks(const Command& c, Clock h) const;
  [[nodiscard]] bool pairs_break(const Command& c, Clock clk, Clock h) const;
  [[nodiscard]] bool faw_breaks(const Command& c, Clock clk, Clock h) const;
  [[nodiscard]] bool bank_breaks(const Command& c, int bank, Clock clk, Clock h) const;
  /// The least distance from p to c, both of one PC.
  [[nodiscard]] Need need(const Command& p, const Command& c) const;
  [[nodiscard]] Clock auto_precharge_h(const Command& c, Clock clk, const BankState& s) const;
  [[nodiscard]] BankState bank_state(int pc, int bank) const;
  [[nodiscard]] Clock dues_up_to(Clock clk) const { return clk < t_.tinit ? 0 : (clk - t_.tinit) / t_.trefi; }

  ReferenceTiming t_;
  std::vector<Past> past_[2];  // those that took effect, by PC
  std::vector<Past> row_bus_;  // everything on the row bus
};

}  // namespace tepin::tb::dram::testing
