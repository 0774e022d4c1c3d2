// SPDX-License-Identifier: Apache-2.0
// The row bus that both pseudo-channels of a channel share: 4 half-CK slots a clock. ACT takes 3 of them and starts in
// slot 0 or 2 (a rising edge), every other row command takes 1.
#pragma once

#include "tb/dram/command.h"
#include "tb/dram/history.h"
#include "tb/dram/rules.h"
#include "tb/dram/violation.h"

namespace tepin::tb::dram {

class RowBus {
 public:
  explicit RowBus(ViolationLog& violations) : violations_(violations) {}

  /// Commands in order of slots; c.slot: 0..3.
  void command(const Command& c, Clock clk) {
    const Time start = 4 * clk + c.slot;
    if (c.kind == Kind::kAct && c.slot % 2 != 0) {
      violations_.add({clk, c.pc, rule::kSlot, c, Kind::kNone, c.slot - 1, c.slot, Unit::kHalfCk, Bound::kExactly});
    }
    if (start < free_at_) {
      violations_.add({clk, c.pc, rule::kRowBus, c, last_kind_, free_at_ - last_, start - last_, Unit::kHalfCk});
    }
    const Time end = start + (c.kind == Kind::kAct ? 3 : 1);
    if (end < free_at_) return;  // within what stands there already
    last_ = start;
    last_kind_ = c.kind;
    free_at_ = end;
  }

 private:
  ViolationLog& violations_;
  Time last_ = kNever, free_at_ = kNever;
  Kind last_kind_ = Kind::kNone;
};

}  // namespace tepin::tb::dram
