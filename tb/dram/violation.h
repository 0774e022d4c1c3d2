// SPDX-License-Identifier: Apache-2.0
// Broken rules: what was kept of each, and the list of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tb/dram/command.h"
#include "tb/dram/timing.h"

namespace tepin::tb::dram {

enum class Unit : std::uint8_t { kClocks, kHalfCk, kCount };
enum class Bound : std::uint8_t { kAtLeast, kAtMost, kExactly };

struct Violation {
  Clock clk = 0;
  int pc = 0;
  std::string_view rule;     // a name of rules.h
  Command command;           // kind kNone: a deadline that passed (of the bank, if sid >= 0) or write data
  Kind after = Kind::kNone;  // the earlier command of a pairwise rule
  std::int64_t expected = 0, actual = 0;
  Unit unit = Unit::kClocks;
  Bound bound = Bound::kAtLeast;
};
/// One line without its end: "clk 116 pc0 tRP: ACT sid 0 bg 0 ba 3 row 5 slot 0: 16 clocks after PRE, at least 17
/// expected".
[[nodiscard]] std::string to_string(const Violation& v);

/// Thrown at the first violation in that mode; what() is its line.
class DramViolation : public std::runtime_error {
 public:
  explicit DramViolation(const Violation& v) : std::runtime_error(to_string(v)), violation_(v) {}
  [[nodiscard]] const Violation& violation() const { return violation_; }

 private:
  Violation violation_;
};

/// Counts all, keeps the first `cap`.
class ViolationLog {
 public:
  ViolationLog(std::size_t cap, bool throw_at_first) : cap_(cap), throw_(throw_at_first) {}
  void add(const Violation& v);
  [[nodiscard]] const std::vector<Violation>& kept() const { return kept_; }
  [[nodiscard]] std::uint64_t total() const { return total_; }

 private:
  std::size_t cap_;
  bool throw_;
  std::uint64_t total_ = 0;
  std::vector<Violation> kept_;
};

}  // namespace tepin::tb::dram
