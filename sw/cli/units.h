// SPDX-License-Identifier: Apache-2.0
// What the threads and engines of tiles did, as reports show it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sw/cli/common.h"
#include "sw/cli/table.h"
#include "tb/tile_sim.h"

namespace tepin::cli {

/// "x,y" of a place, row by row.
[[nodiscard]] std::string tile_name(std::size_t place, std::uint32_t mesh_x);
/// The units of all tiles, each named with its tile: "1,0 LD".
[[nodiscard]] std::vector<tb::UnitCounters> units_by_place(std::span<const tb::RunResult> tiles, std::uint32_t mesh_x);
/// {unit: {activity: cycles}}.
[[nodiscard]] Json units_json(std::span<const tb::UnitCounters> units);
/// A row a unit, a column an activity. brief: without units that were idle all the time and activities that none had.
[[nodiscard]] Table units_table(std::span<const tb::UnitCounters> units, bool brief);

}  // namespace tepin::cli
