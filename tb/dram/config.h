// SPDX-License-Identifier: Apache-2.0
// Everything settable of the device model.
#pragma once

#include <cstddef>

#include "tb/dram/timing.h"

namespace tepin::tb::dram {

struct DramConfig {
  DramOrganisation organisation{};
  DramTiming timing{};
  bool strict_half_ck = true;        // row to row distances also in half-CK, not only in clocks
  int extra_read_latency = 0;        // clocks the PHY adds to RL + 1
  bool throw_at_first = false;       // DramViolation at the first broken rule
  std::size_t violation_cap = 1000;  // so many are kept; all are counted

  /// A named speed: 8000 or 10000 Mb/s with 1..4 SIDs (std::invalid_argument beyond).
  [[nodiscard]] static DramConfig of(int mbps, int sids) {
    return {.organisation = DramOrganisation::of(sids), .timing = DramTiming::of(mbps, sids)};
  }
};

}  // namespace tepin::tb::dram
