// SPDX-License-Identifier: Apache-2.0
// When each kind of command last stood on a pseudo-channel, by bank and by "not this bank, group or SID". Times are
// half-CK since construction (4 a clock), so a time's clock is time >> 2.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "tb/dram/command.h"
#include "tb/dram/rules.h"
#include "tb/dram/timing.h"

namespace tepin::tb::dram {

using Time = std::int64_t;
inline constexpr Time kNever = -(Time{1} << 60);
using BankMask = std::uint64_t;

/// The latest time and the latest one under any other key than that one's. Times must not decrease.
class LatestByKey {
 public:
  void note(int key, Time t) {
    if (key != key_) {
      other_ = latest_;
      key_ = key;
    }
    latest_ = t;
  }
  [[nodiscard]] Time latest() const { return latest_; }
  [[nodiscard]] Time latest_other_than(int key) const { return key == key_ ? other_ : latest_; }

 private:
  Time latest_ = kNever, other_ = kNever;
  int key_ = -1;
};

class History {
 public:
  History() {
    for (auto& of_kind : by_bank_) of_kind.fill(kNever);
  }
  /// A command that names a bank, in order of time.
  void note(Kind first, int bank, Time t) {
    const auto k = static_cast<std::size_t>(first);
    const int group = bank / Org::kBanksPerGroup;
    by_bank_[k][static_cast<std::size_t>(bank)] = t;
    in_group_[k][static_cast<std::size_t>(group)].note(bank, t);
    banks_[k].note(bank, t);
    groups_[k].note(group, t);
    sids_[k].note(bank / Org::kBanksPerSid, t);
  }
  /// A precharge, which may lie ahead (auto precharge): only rules of Scope::kBank see it.
  void note_precharge(int bank, Time t) {
    by_bank_[static_cast<std::size_t>(Kind::kPre)][static_cast<std::size_t>(bank)] = t;
  }
  void note_whole_pc(Kind first, Time t) { banks_[static_cast<std::size_t>(first)].note(-1, t); }

  [[nodiscard]] Time of_bank(Kind first, int bank) const {
    return by_bank_[static_cast<std::size_t>(first)][static_cast<std::size_t>(bank)];
  }
  /// The latest `first` in the scope of a command to `bank`. banks: those that Scope::kBank means.
  [[nodiscard]] Time latest(Kind first, Scope scope, int bank, BankMask banks) const {
    const auto k = static_cast<std::size_t>(first);
    const auto group = static_cast<std::size_t>(bank / Org::kBanksPerGroup);
    switch (scope) {
      case Scope::kBank: {
        Time t = kNever;
        for (; banks != 0; banks &= banks - 1) t = std::max(t, by_bank_[k][std::countr_zero(banks)]);
        return t;
      }
      case Scope::kGroup:
        return in_group_[k][group].latest();
      case Scope::kGroupOtherBank:
        return in_group_[k][group].latest_other_than(bank);
      case Scope::kOtherBank:
        return banks_[k].latest_other_than(bank);
      case Scope::kOtherGroup:
        return groups_[k].latest_other_than(static_cast<int>(group));
      case Scope::kOtherSid:
        return sids_[k].latest_other_than(bank / Org::kBanksPerSid);
      case Scope::kPc:
        return banks_[k].latest();
    }
    return kNever;
  }

 private:
  using Org = DramOrganisation;
  static constexpr int kGroups = Org::kMaxSids * Org::kBankGroups;
  template <typename V>
  using PerKind = std::array<V, kFirstKinds>;

  PerKind<std::array<Time, Org::kMaxBanks>> by_bank_;
  PerKind<std::array<LatestByKey, kGroups>> in_group_;
  PerKind<LatestByKey> banks_, groups_, sids_;
};

}  // namespace tepin::tb::dram
