// SPDX-License-Identifier: Apache-2.0
#include "tb/timeline.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sw/isa/program.h"
#include "tb/tile_sim.h"

namespace tepin::tb {

namespace {
constexpr std::array<std::string_view, kUnits> kNames{
    "SEQ thread 0", "SEQ thread 1", "SEQ thread 2", "SEQ thread 3", "LD", "ST", "MXU", "VPU", "NET"};
constexpr std::array<std::string_view, kSides> kSideNames{"N", "E", "S", "W"};
constexpr std::array<std::string_view, kNetworks> kNetworkNames{"req", "rsp", "up", "dn"};
constexpr std::uint8_t kIdle = 0;
}  // namespace

void Timeline::cycle(const TileOut& out, std::uint64_t now) {
  for (std::size_t u = 0; u < kUnits; ++u) {
    if (out.activity[u] == last_[u]) continue;
    if (last_[u] != kIdle) spans_.push_back({static_cast<std::uint8_t>(u), last_[u], since_[u], now});
    last_[u] = out.activity[u];
    since_[u] = now;
  }
  for (std::size_t l = 0; l < kLinks; ++l) {
    const bool flit = (out.flits[l / kNetworks] >> (l % kNetworks) & 1) != 0;
    if (flit == (flit_since_[l] != 0)) continue;
    if (!flit) {
      spans_.push_back(
          {static_cast<std::uint8_t>(kUnits + l), static_cast<std::uint8_t>(l % kNetworks), flit_since_[l], now});
    }
    flit_since_[l] = flit ? now : 0;
  }
  if (out.marker)
    marks_.push_back({now, fmt::format("marker {}", out.marker_id), out.retired[0].thread, out.marker_value});
  for (std::uint32_t e = 1; e < kEngines; ++e) {
    if ((out.retire >> e & 1) == 0) continue;
    const isa::Instr* i = isa::find_instr(out.retired[e].op);
    marks_.push_back(
        {now, fmt::format("{} pc {}", i != nullptr ? i->name : "?", out.retired[e].pc), e + 3, out.retired[e].thread});
  }
}

void Timeline::close(std::uint64_t now) {
  for (std::size_t u = 0; u < kUnits; ++u) {
    if (last_[u] != kIdle) spans_.push_back({static_cast<std::uint8_t>(u), last_[u], since_[u], now});
    last_[u] = kIdle;
  }
}

std::string Timeline::json(std::uint64_t now) {
  Timeline* const one = this;
  return json(std::span(&one, 1), now);
}

std::string Timeline::json(std::span<Timeline* const> tiles, std::uint64_t now) {
  nlohmann::json events = nlohmann::json::array();
  for (Timeline* t : tiles) {
    t->close(now);
    const std::uint32_t pid = t->y_ * 8 + t->x_;
    const auto name = [&](const char* what, std::size_t tid, const std::string& text) {
      events.push_back({{"ph", "M"}, {"pid", pid}, {"tid", tid}, {"name", what}, {"args", {{"name", text}}}});
    };
    name("process_name", 0, fmt::format("tile {},{}", t->x_, t->y_));
    for (std::size_t u = 0; u < kNames.size(); ++u) name("thread_name", u, std::string(kNames[u]));
    std::array<bool, kLinks> used{};
    for (const Span& s : t->spans_) {
      if (s.track >= kUnits) used[s.track - std::size_t{kUnits}] = true;
    }
    for (std::size_t l = 0; l < kLinks; ++l) {
      if (used[l])
        name("thread_name", kUnits + l,
             fmt::format("link {} {}", kSideNames[l / kNetworks], kNetworkNames[l % kNetworks]));
    }
    for (const Span& s : t->spans_) {
      events.push_back({{"ph", "X"},
                        {"pid", pid},
                        {"tid", s.track},
                        {"ts", s.begin},
                        {"dur", s.end - s.begin},
                        {"name", s.track < kUnits ? kActivities[s.activity] : kNetworkNames[s.activity]}});
    }
    for (const Mark& m : t->marks_) {
      events.push_back({{"ph", "i"},
                        {"s", "t"},
                        {"pid", pid},
                        {"tid", m.unit},
                        {"ts", m.at},
                        {"name", m.name},
                        {"args", {{"value", m.value}}}});
    }
  }
  return nlohmann::json{
      {"displayTimeUnit", "ns"}, {"otherData", {{"unit", "1 us is one cycle"}}}, {"traceEvents", std::move(events)}}
      .dump();
}

}  // namespace tepin::tb
