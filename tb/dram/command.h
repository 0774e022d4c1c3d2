// SPDX-License-Identifier: Apache-2.0
// A command of either bus in one form, as the checker, the log and the violations see it.
#pragma once

#include <cstdint>
#include <string_view>

#include "tb/dram/dfi.h"
#include "tb/dram/timing.h"

namespace tepin::tb::dram {

/// The first ones, up to kWr, start distances that later commands must keep.
enum class Kind : std::uint8_t {
  kAct,
  kPre,
  kRefPb,
  kRfmPb,
  kRefAb,
  kRfmAb,
  kSelfExit,
  kRd,
  kWr,
  kSelfEnter,
  kPreA,
  kRda,
  kWra,
  kNone,  // no command: a deadline that passed, or write data
};
inline constexpr int kKinds = static_cast<int>(Kind::kNone);
inline constexpr int kFirstKinds = static_cast<int>(Kind::kWr) + 1;

constexpr int index_of(Kind k) { return static_cast<int>(k); }
/// "ACT", "REFpb", ... as in the command log; "SRE", "SRX" for self refresh; "-" for none.
[[nodiscard]] std::string_view name_of(Kind k);
/// The kind whose rules a command keeps: PREA those of PRE, RDA those of RD, WRA those of WR.
constexpr Kind base_of(Kind k) {
  switch (k) {
    case Kind::kPreA:
      return Kind::kPre;
    case Kind::kRda:
      return Kind::kRd;
    case Kind::kWra:
      return Kind::kWr;
    default:
      return k;
  }
}
constexpr bool is_column(Kind k) { return k == Kind::kRd || k == Kind::kRda || k == Kind::kWr || k == Kind::kWra; }
/// Names one bank (the others mean the whole pseudo-channel).
constexpr bool names_bank(Kind k) {
  return k == Kind::kAct || k == Kind::kPre || k == Kind::kRefPb || k == Kind::kRfmPb || is_column(k);
}

/// -1 where a field does not apply.
struct Command {
  Kind kind = Kind::kNone;
  int pc = 0, sid = -1, bg = -1, ba = -1, row = -1, col = -1, slot = -1;

  [[nodiscard]] int bank() const {
    return (sid * DramOrganisation::kBankGroups + bg) * DramOrganisation::kBanksPerGroup + ba;
  }
};
/// op must not be kNone; column commands must be valid.
[[nodiscard]] Command command_of(const RowCommand& r);
[[nodiscard]] Command command_of(const ColumnCommand& c, int pc);
/// The bank with that index, without a command.
[[nodiscard]] Command bank_of(int pc, int bank);

}  // namespace tepin::tb::dram
