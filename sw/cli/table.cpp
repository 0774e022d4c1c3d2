// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace tepin::cli {

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> w(rows_[0].size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) w[i] = std::max(w[i], row[i].size());
  }
  return w;
}

std::string Table::text() const {
  const auto w = widths();
  std::string out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (std::size_t i = 0; i < rows_[r].size(); ++i) {
      line += i == 0 ? "" : "  ";
      line += i < left_ ? fmt::format("{:<{}}", rows_[r][i], w[i]) : fmt::format("{:>{}}", rows_[r][i], w[i]);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    if (r != 0) continue;
    std::size_t total = 2 * (w.size() - 1);
    for (const std::size_t x : w) total += x;
    out += std::string(total, '-') + "\n";
  }
  return out;
}

std::string Table::markdown() const {
  std::string out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (const std::string& cell : rows_[r]) out += "| " + cell + " ";
    out += "|\n";
    if (r != 0) continue;
    for (std::size_t i = 0; i < rows_[r].size(); ++i) out += i < left_ ? "|---" : "|--:";
    out += "|\n";
  }
  return out;
}

std::string grouped(std::uint64_t value) {
  std::string s = std::to_string(value);
  for (std::size_t at = s.size(); at > 3; at -= 3) s.insert(at - 3, ",");
  return s;
}

std::string percent(std::optional<double> fraction) {
  return fraction ? fmt::format("{:.1f} %", *fraction * 100) : "-";
}

}  // namespace tepin::cli
