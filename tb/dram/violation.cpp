// SPDX-License-Identifier: Apache-2.0
#include "tb/dram/violation.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

namespace tepin::tb::dram {

std::string to_string(const Violation& v) {
  static constexpr std::array<std::string_view, 3> kUnits = {" clocks", " half-CK", ""};
  static constexpr std::array<std::string_view, 3> kBounds = {"at least ", "at most ", ""};
  std::string line = fmt::format("clk {} pc{} {}:", v.clk, v.pc, v.rule);
  const Command& c = v.command;
  if (c.kind != Kind::kNone) fmt::format_to(std::back_inserter(line), " {}", name_of(c.kind));
  const auto field = [&](std::string_view name, int value) {
    if (value >= 0) fmt::format_to(std::back_inserter(line), " {} {}", name, value);
  };
  field("sid", c.sid);
  field("bg", c.bg);
  field("ba", c.ba);
  field("row", c.row);
  field("col", c.col);
  field("slot", c.slot);
  if (line.back() != ':') line += ':';
  fmt::format_to(std::back_inserter(line), " {}{}", v.actual, kUnits[static_cast<std::size_t>(v.unit)]);
  if (v.after != Kind::kNone) fmt::format_to(std::back_inserter(line), " after {}", name_of(v.after));
  fmt::format_to(std::back_inserter(line), ", {}{} expected", kBounds[static_cast<std::size_t>(v.bound)], v.expected);
  return line;
}

void ViolationLog::add(const Violation& v) {
  ++total_;
  if (kept_.size() < cap_) kept_.push_back(v);
  if (throw_) throw DramViolation(v);
}

}  // namespace tepin::tb::dram
