// SPDX-License-Identifier: Apache-2.0
// The pairwise timing rules as data: after a command of kind `first`, a command of a kind in `next` within `scope` must
// keep a distance. What is not pairwise (tFAW, refresh, bank states) is in pc_checker.h and refresh_ledger.h.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "tb/dram/command.h"
#include "tb/dram/timing.h"

namespace tepin::tb::dram {

/// Where the first command stood, seen from the next one. A bank group is {SID, BG}.
enum class Scope : std::uint8_t {
  kBank,
  kGroup,           // the same bank group, the same bank included
  kGroupOtherBank,  // another bank of the same bank group
  kOtherBank,       // any other bank
  kOtherGroup,      // any bank of another bank group
  kOtherSid,
  kPc,  // anywhere in the pseudo-channel
};

struct RuleSpec {
  std::string_view name;
  Kind first;
  unsigned next;  // bit index_of(kind)
  Scope scope;
  Span (*distance)(const DramTiming&);
};
[[nodiscard]] std::span<const RuleSpec> pairwise_rules();

/// The same with distances filled in, by the kind of the next command.
struct Rule {
  std::string_view name;
  Kind first;
  Scope scope;
  Span need;
};
class RuleBook {
 public:
  /// strict_half_ck: false leaves distances in half-CK out.
  RuleBook(const DramTiming& timing, bool strict_half_ck);
  /// base: a result of base_of().
  [[nodiscard]] const std::vector<Rule>& before(Kind base) const { return rules_[static_cast<std::size_t>(base)]; }

 private:
  std::array<std::vector<Rule>, kKinds> rules_;
};

/// Names of the rules that are not pairwise.
namespace rule {
inline constexpr std::string_view kFaw = "tFAW", kTrasMax = "tRASmax", kInit = "tINIT", kBankOpen = "bank open",
                                  kBankClosed = "bank closed", kAddress = "address", kRowBus = "row bus",
                                  kSlot = "slot", kDataBus = "data bus", kWdataMissing = "wdata missing",
                                  kWdataUnexpected = "wdata unexpected", kSelfRefresh = "self refresh",
                                  kPostponed = "postponed refreshes", kPulledIn = "pulled-in refreshes",
                                  kRaaMmt = "RAAMMT";
}  // namespace rule

}  // namespace tepin::tb::dram
