// SPDX-License-Identifier: Apache-2.0
// What was compared with the golden model or a reference, and what did not agree.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace tepin::tb {

struct Comparison {
  std::uint64_t checked = 0;  // values
  std::uint64_t mismatches = 0;
  std::string first_mismatch = {};  // one line, empty if none

  void add(const Comparison& c) {
    checked += c.checked;
    if (mismatches == 0) first_mismatch = c.first_mismatch;
    mismatches += c.mismatches;
  }
  /// A value that was not counted as checked.
  void add_mismatch(std::string text) {
    if (mismatches++ == 0) first_mismatch = std::move(text);
  }
};

}  // namespace tepin::tb
