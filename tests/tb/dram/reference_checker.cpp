// SPDX-License-Identifier: Apache-2.0
#include "reference_checker.h"

#include <algorithm>

namespace tepin::tb::dram::testing {

namespace {
bool is_read(const Command& c) { return c.kind == Kind::kRd || c.kind == Kind::kRda; }
bool is_write(const Command& c) { return c.kind == Kind::kWr || c.kind == Kind::kWra; }
bool is_auto(const Command& c) { return c.kind == Kind::kRda || c.kind == Kind::kWra; }
bool is_pre(const Command& c) { return c.kind == Kind::kPre || c.kind == Kind::kPreA; }
bool is_bank_refresh(const Command& c) { return c.kind == Kind::kRefPb || c.kind == Kind::kRfmPb; }
bool is_whole_refresh(const Command& c) { return c.kind == Kind::kRefAb || c.kind == Kind::kRfmAb; }
// Anything that wants its bank, or all banks, closed and at rest.
bool is_start(const Command& c) {
  return c.kind == Kind::kAct || is_bank_refresh(c) || is_whole_refresh(c) || c.kind == Kind::kSelfEnter;
}
bool same_sid(const Command& a, const Command& b) { return a.sid == b.sid; }
bool same_group(const Command& a, const Command& b) { return same_sid(a, b) && a.bg == b.bg; }
bool same_bank(const Command& a, const Command& b) { return same_group(a, b) && a.ba == b.ba; }
Need longer(Need a, Need b) { return {std::max(a.clk, b.clk), std::max(a.h, b.h)}; }
}  // namespace

ReferenceTiming reference_at_10000() {
  ReferenceTiming t;
  t.trcd_rd = 25, t.trcd_wr = 12;
  t.trp = {21, 83}, t.tras = {36, 143}, t.trc = {57, 225}, t.trrd_s = {4, 13}, t.trrd_l = {5, 18}, t.tfaw = {19, 75};
  t.trtp = 8, t.twr = 27, t.twtr_s = 6, t.twtr_l = 9, t.trtw = 16, t.rl = 13, t.wl = 7;
  t.trfc_pb = {350, 1400}, t.trrefd = {10, 40}, t.trfc_ab = {663, 2650};
  t.txs = 675, t.trefi = 4875, t.tras_max = 43875;
  t.sids = 3, t.rows = 12288;
  return t;
}

bool ReferenceChecker::in_self_refresh(int pc) const {
  bool inside = false;
  for (const Past& p : past_[pc]) {
    if (p.c.kind == Kind::kSelfEnter) inside = true;
    if (p.c.kind == Kind::kSelfExit) inside = false;
  }
  return inside;
}

bool ReferenceChecker::any_open(int pc) const {
  for (int bank = 0; bank < 16 * t_.sids; ++bank) {
    if (bank_state(pc, bank).open) return true;
  }
  return false;
}

bool ReferenceChecker::exists(const Command& c) const { return c.sid < t_.sids; }

bool ReferenceChecker::takes_effect(const Command& c) const {
  return exists(c) && in_self_refresh(c.pc) == (c.kind == Kind::kSelfExit);
}

Clock ReferenceChecker::auto_precharge_h(const Command& c, Clock clk, const BankState& s) const {
  const Clock after = is_read(c) ? t_.trtp : t_.wl + 1 + t_.twr;
  return std::max({4 * (clk + after), 4 * (s.opened + t_.tras.clk), s.opened_h + t_.tras.h});
}

ReferenceChecker::BankState ReferenceChecker::bank_state(int pc, int bank) const {
  BankState s;
  Clock entered = 0;
  const auto refreshed = [&] {
    ++s.refreshes;
    s.activations = std::max<Clock>(0, s.activations - t_.raa_refresh);
  };
  for (const Past& p : past_[pc]) {
    const bool here = p.c.sid >= 0 && p.c.bank() == bank;
    if (p.c.kind == Kind::kAct && here) {
      s.open = true;
      s.opened = p.clk;
      s.opened_h = p.h;
      ++s.activations;
    }
    if (s.open && ((p.c.kind == Kind::kPre && here) || p.c.kind == Kind::kPreA || (is_auto(p.c) && here))) {
      s.open = false;
      s.precharged = true;
      s.precharge_h = is_auto(p.c) ? auto_precharge_h(p.c, p.clk, s) : p.h;
    }
    if ((p.c.kind == Kind::kRefPb && here) || p.c.kind == Kind::kRefAb) refreshed();
    if ((p.c.kind == Kind::kRfmPb && here) || p.c.kind == Kind::kRfmAb) {
      s.activations = std::max<Clock>(0, s.activations - t_.raaimt);
    }
    if (p.c.kind == Kind::kSelfEnter) entered = p.clk;
    if (p.c.kind == Kind::kSelfExit) {
      for (Clock d = dues_up_to(entered - 1); d < dues_up_to(p.clk - 1); ++d) refreshed();
    }
  }
  return s;
}

Need ReferenceChecker::need(const Command& p, const Command& c) const {
  if (p.kind == Kind::kSelfExit) return {t_.txs, 0};
  if (is_whole_refresh(p)) return is_start(c) ? t_.trfc_ab : Need{};
  const bool all = c.sid < 0;  // c means every bank
  if (is_bank_refresh(p)) {
    if (!is_start(c)) return {};
    return all || same_bank(p, c) ? t_.trfc_pb : t_.trrefd;
  }
  if (p.kind == Kind::kAct) {
    if (is_read(c)) return same_bank(p, c) ? Need{t_.trcd_rd, 0} : Need{};
    if (is_write(c)) return same_bank(p, c) ? Need{t_.trcd_wr, 0} : Need{};
    if (!is_start(c)) return {};
    return all || same_bank(p, c) ? t_.trc : same_group(p, c) ? t_.trrd_l : t_.trrd_s;
  }
  if (is_read(p) && is_read(c)) {
    Need n{1, 0};
    if (same_group(p, c)) n = longer(n, {t_.tccd_l, 0});
    if (!same_sid(p, c)) n = longer(n, {t_.tccd_r, 0});
    return n;
  }
  if (is_read(p) && is_write(c)) return {std::max(t_.trtw, t_.rl - t_.wl + 1), 0};
  if (is_write(p) && is_write(c)) return {same_group(p, c) ? t_.tccd_l : 1, 0};
  if (is_write(p) && is_read(c)) return {t_.wl + 1 + (same_group(p, c) ? t_.twtr_l : t_.twtr_s), 0};
  return {};
}

bool ReferenceChecker::pairs_break(const Command& c, Clock clk, Clock h) const {
  return std::any_of(past_[c.pc].begin(), past_[c.pc].end(), [&](const Past& p) {
    const Need n = need(p.c, c);
    return clk - p.clk < n.clk || (n.h > 0 && h - p.h < n.h);
  });
}

bool ReferenceChecker::faw_breaks(const Command& c, Clock clk, Clock h) const {
  std::vector<Past> acts;
  for (const Past& p : past_[c.pc]) {
    if (p.c.kind == Kind::kAct) acts.push_back(p);
  }
  if (c.kind != Kind::kAct || acts.size() < 4) return false;
  const Past& fourth = acts[acts.size() - 4];
  return clk - fourth.clk < t_.tfaw.clk || h - fourth.h < t_.tfaw.h;
}

// What c does to one bank.
bool ReferenceChecker::bank_breaks(const Command& c, int bank, Clock clk, Clock h) const {
  const BankState s = bank_state(c.pc, bank);
  const Clock overdue_at = s.opened + t_.tras_max + 1;  // reported once that clock is over
  if (is_start(c)) {
    if (s.open) return true;
    if (s.precharged && (clk - (s.precharge_h >> 2) < t_.trp.clk || h - s.precharge_h < t_.trp.h)) return true;
    if (c.kind == Kind::kAct && s.activations + 1 > t_.raammt) return true;
    const bool refresh = c.kind == Kind::kRefPb || c.kind == Kind::kRefAb;
    return refresh && s.refreshes + 1 - dues_up_to(clk) > t_.pulled_in;
  }
  if (is_pre(c)) {
    if (!s.open) return false;
    if (clk - s.opened < t_.tras.clk || h - s.opened_h < t_.tras.h || clk == overdue_at) return true;
    return std::any_of(past_[c.pc].begin(), past_[c.pc].end(), [&](const Past& p) {
      if (p.c.sid < 0 || p.c.bank() != bank) return false;
      return (is_read(p.c) && clk - p.clk < t_.trtp) || (is_write(p.c) && clk - p.clk < t_.wl + 1 + t_.twr);
    });
  }
  if (!s.open) return is_read(c) || is_write(c);
  return is_auto(c) && clk <= overdue_at &&
         std::max(clk + (is_read(c) ? t_.trtp : t_.wl + 1 + t_.twr), s.opened + t_.tras.clk) >= overdue_at;
}

bool ReferenceChecker::bus_breaks(const Command& c, Clock h) const {
  if (c.slot < 0) return false;
  const auto length = [](const Command& x) { return x.kind == Kind::kAct ? 3 : 1; };
  if (c.kind == Kind::kAct && c.slot % 2 == 1) return true;
  return std::any_of(row_bus_.begin(), row_bus_.end(),
                     [&](const Past& p) { return h < p.h + length(p.c) && p.h < h + length(c); });
}

bool ReferenceChecker::breaks(const Command& c, Clock clk) const {
  const Clock h = 4 * clk + std::max(c.slot, 0);
  if (!takes_effect(c) || bus_breaks(c, h)) return true;
  if (clk < t_.tinit || c.row >= t_.rows || pairs_break(c, clk, h) || faw_breaks(c, clk, h)) return true;
  if (c.kind == Kind::kSelfExit) return false;
  if (c.sid >= 0) return bank_breaks(c, c.bank(), clk, h);
  for (int bank = 0; bank < 16 * t_.sids; ++bank) {
    if (bank_breaks(c, bank, clk, h)) return true;
  }
  return false;
}

void ReferenceChecker::add(const Command& c, Clock clk) {
  const Past p{c, clk, 4 * clk + std::max(c.slot, 0)};
  if (c.slot >= 0) row_bus_.push_back(p);
  if (takes_effect(c)) past_[c.pc].push_back(p);
}

bool ReferenceChecker::deadline_breaks(int pc, Clock clk) const {
  const bool due = dues_up_to(clk) != dues_up_to(clk - 1) && !in_self_refresh(pc);
  const bool old_act = std::any_of(past_[pc].begin(), past_[pc].end(), [&](const Past& p) {
    return p.c.kind == Kind::kAct && clk == p.clk + t_.tras_max + 1;
  });
  if (!due && !old_act) return false;
  for (int bank = 0; bank < 16 * t_.sids; ++bank) {
    const BankState s = bank_state(pc, bank);
    if (s.open && clk == s.opened + t_.tras_max + 1) return true;
    if (due && dues_up_to(clk) - s.refreshes > t_.postponed) return true;
  }
  return false;
}

}  // namespace tepin::tb::dram::testing
