// SPDX-License-Identifier: Apache-2.0
#include "tb/timeline.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sw/isa/program.h"
#include "tb/tile_sim.h"

namespace tepin::tb {

namespace {
constexpr std::array<std::string_view, 8> kUnits{"SEQ thread 0", "SEQ thread 1", "SEQ thread 2", "SEQ thread 3",
                                                 "LD",           "ST",           "MXU",          "VPU"};
constexpr std::uint8_t kIdle = 0;
}  // namespace

void Timeline::cycle(const TileOut& out, std::uint64_t now) {
  for (std::size_t u = 0; u < 8; ++u) {
    if (out.activity[u] == last_[u]) continue;
    if (last_[u] != kIdle) spans_.push_back({static_cast<std::uint8_t>(u), last_[u], since_[u], now});
    last_[u] = out.activity[u];
    since_[u] = now;
  }
  if (out.marker)
    marks_.push_back({now, fmt::format("marker {}", out.marker_id), out.retired[0].thread, out.marker_value});
  for (std::uint32_t e = 1; e < 5; ++e) {
    if ((out.retire >> e & 1) == 0) continue;
    const isa::Instr* i = isa::find_instr(out.retired[e].op);
    marks_.push_back(
        {now, fmt::format("{} pc {}", i != nullptr ? i->name : "?", out.retired[e].pc), e + 3, out.retired[e].thread});
  }
}

std::string Timeline::json(std::uint64_t now) {
  for (std::size_t u = 0; u < 8; ++u) {
    if (last_[u] != kIdle) spans_.push_back({static_cast<std::uint8_t>(u), last_[u], since_[u], now});
    last_[u] = kIdle;
  }
  nlohmann::json events = nlohmann::json::array();
  events.push_back({{"ph", "M"}, {"pid", 0}, {"name", "process_name"}, {"args", {{"name", "tile 0,0"}}}});
  for (std::size_t u = 0; u < kUnits.size(); ++u) {
    events.push_back({{"ph", "M"}, {"pid", 0}, {"tid", u}, {"name", "thread_name"}, {"args", {{"name", kUnits[u]}}}});
  }
  for (const Span& s : spans_) {
    events.push_back({{"ph", "X"},
                      {"pid", 0},
                      {"tid", s.unit},
                      {"ts", s.begin},
                      {"dur", s.end - s.begin},
                      {"name", kActivities[s.activity]}});
  }
  for (const Mark& m : marks_) {
    events.push_back({{"ph", "i"},
                      {"s", "t"},
                      {"pid", 0},
                      {"tid", m.unit},
                      {"ts", m.at},
                      {"name", m.name},
                      {"args", {{"value", m.value}}}});
  }
  return nlohmann::json{
      {"displayTimeUnit", "ns"}, {"otherData", {{"unit", "1 us is one cycle"}}}, {"traceEvents", std::move(events)}}
      .dump();
}

}  // namespace tepin::tb
