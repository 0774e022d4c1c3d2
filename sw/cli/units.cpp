// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/units.h"

#include <fmt/format.h>

#include <algorithm>

namespace tepin::cli {
namespace {

constexpr std::size_t kIdle = 0;

}  // namespace

std::string tile_name(std::size_t place, std::uint32_t mesh_x) {
  return fmt::format("{},{}", place % mesh_x, place / mesh_x);
}

std::vector<tb::UnitCounters> units_by_place(std::span<const tb::RunResult> tiles, std::uint32_t mesh_x) {
  std::vector<tb::UnitCounters> all;
  for (std::size_t t = 0; t < tiles.size(); ++t) {
    for (const tb::UnitCounters& u : tiles[t].units)
      all.push_back({fmt::format("{} {}", tile_name(t, mesh_x), u.unit), u.cycles});
  }
  return all;
}

Json units_json(std::span<const tb::UnitCounters> units) {
  Json all = Json::object();
  for (const tb::UnitCounters& u : units) {
    for (std::size_t a = 0; a < u.cycles.size(); ++a) all[u.unit][std::string(tb::kActivities[a])] = u.cycles[a];
  }
  return all;
}

Table units_table(std::span<const tb::UnitCounters> units, bool brief) {
  std::vector<std::size_t> shown;
  std::vector<std::string> head{"unit"};
  for (std::size_t a = 0; a < tb::kActivities.size(); ++a) {
    if (brief && std::ranges::none_of(units, [a](const tb::UnitCounters& u) { return u.cycles[a] != 0; })) continue;
    shown.push_back(a);
    head.emplace_back(tb::kActivities[a]);
  }
  Table table(head, 1);
  for (const tb::UnitCounters& u : units) {
    if (brief && std::all_of(u.cycles.begin() + kIdle + 1, u.cycles.end(), [](std::uint64_t n) { return n == 0; }))
      continue;
    std::vector<std::string> row{u.unit};
    for (const std::size_t a : shown) row.push_back(grouped(u.cycles[a]));
    table.add(std::move(row));
  }
  return table;
}

}  // namespace tepin::cli
