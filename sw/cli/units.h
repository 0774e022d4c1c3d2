// SPDX-License-Identifier: Apache-2.0
// What the threads and engines of tiles did, as reports show it.
#pragma once

#include <span>

#include "sw/cli/common.h"
#include "sw/cli/table.h"
#include "tb/tile_sim.h"

namespace tepin::cli {

/// {unit: {activity: cycles}}.
[[nodiscard]] Json units_json(std::span<const tb::UnitCounters> units);
/// A row a unit, a column an activity. brief: without units that were idle all the time and activities that none had.
[[nodiscard]] Table units_table(std::span<const tb::UnitCounters> units, bool brief);

}  // namespace tepin::cli
