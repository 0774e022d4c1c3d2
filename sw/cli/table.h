// SPDX-License-Identifier: Apache-2.0
// Tables of text, aligned for a terminal or as Markdown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tepin::cli {

class Table {
 public:
  /// The first `left` columns are aligned left, the others right.
  Table(std::vector<std::string> header, std::size_t left) : rows_{std::move(header)}, left_(left) {}
  /// As many cells as the header has.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string markdown() const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths() const;
  std::vector<std::vector<std::string>> rows_;
  std::size_t left_;
};

/// "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t value);
/// "12.3 %", "-" if there is none.
[[nodiscard]] std::string percent(std::optional<double> fraction);

}  // namespace tepin::cli
