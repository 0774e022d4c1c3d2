// SPDX-License-Identifier: Apache-2.0
#include "tb/dram/command.h"

#include <array>

namespace tepin::tb::dram {

std::string_view name_of(Kind k) {
  static constexpr std::array<std::string_view, kKinds + 1> kNames = {
      "ACT", "PRE", "REFpb", "RFMpb", "REFab", "RFMab", "SRX", "RD", "WR", "SRE", "PREA", "RDA", "WRA", "-"};
  return kNames.at(static_cast<std::size_t>(k));
}

Command command_of(const RowCommand& r) {
  static constexpr std::array<Kind, 10> kKindOf = {Kind::kNone,      Kind::kAct,     Kind::kPre,   Kind::kPreA,
                                                   Kind::kRefPb,     Kind::kRefAb,   Kind::kRfmPb, Kind::kRfmAb,
                                                   Kind::kSelfEnter, Kind::kSelfExit};
  Command c{.kind = kKindOf.at(static_cast<std::size_t>(r.op)), .pc = r.pc, .slot = r.slot};
  if (names_bank(c.kind)) {
    c.sid = r.sid;
    c.bg = r.bg;
    c.ba = r.ba;
  }
  if (c.kind == Kind::kAct) c.row = r.row;
  return c;
}

Command command_of(const ColumnCommand& c, int pc) {
  const Kind kind = c.write ? (c.auto_precharge ? Kind::kWra : Kind::kWr) : (c.auto_precharge ? Kind::kRda : Kind::kRd);
  return {.kind = kind, .pc = pc, .sid = c.sid, .bg = c.bg, .ba = c.ba, .col = c.col};
}

Command bank_of(int pc, int bank) {
  using Org = DramOrganisation;
  return {.pc = pc,
          .sid = bank / Org::kBanksPerSid,
          .bg = bank / Org::kBanksPerGroup % Org::kBankGroups,
          .ba = bank % Org::kBanksPerGroup};
}

}  // namespace tepin::tb::dram
