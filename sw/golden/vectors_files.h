// SPDX-License-Identifier: Apache-2.0
// Internal to the vector runner: the file formats, and how cases are counted. Every reader throws isa::InputError, one
// line that names the file, on anything malformed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sw/golden/vectors.h"

namespace tepin::golden::detail {

using Path = std::filesystem::path;

[[noreturn]] void bad_file(const Path& file, const std::string& what);
[[nodiscard]] std::string read_text(const Path& file);
/// Hex digits only, at most `max_bits` bits; `where` is used in errors ("line 3, column code_hex").
[[nodiscard]] std::uint32_t parse_hex(const Path& file, std::string_view text, int max_bits, const std::string& where);
[[nodiscard]] std::string hex(std::uint32_t value, int digits);
/// The format of an element name; bad_file listing the names if there is none.
[[nodiscard]] isa::Format parse_elem(const Path& file, std::string_view name, const std::string& where);

/// A CSV file without quoting: the named columns in the order asked for, whatever else the file has.
class Csv {
 public:
  Csv(const Path& file, const std::vector<std::string>& columns);
  [[nodiscard]] std::size_t rows() const { return cells_.size(); }
  [[nodiscard]] const std::string& cell(std::size_t row, std::size_t column) const { return cells_[row][column]; }
  [[nodiscard]] std::uint32_t hex_cell(std::size_t row, std::size_t column, int max_bits) const;
  [[nodiscard]] std::string where(std::size_t row, std::size_t column) const;

 private:
  Path file_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> cells_;
};

/// A NumPy array of version 1 or 2, C order.
struct Npy {
  std::vector<std::size_t> shape;
  std::vector<std::uint8_t> bytes;
};
/// descr: "|u1" or "<f4". shape: expected, 0 for any extent.
[[nodiscard]] Npy read_npy(const Path& file, std::string_view descr, const std::vector<std::size_t>& shape);

/// Counts the cases of one file.
class Tally {
 public:
  explicit Tally(std::string file) { report_.file = std::move(file); }
  void skip(const std::string& reason, std::uint64_t cases = 1);
  /// One case; `describe` is called only for the mismatches that are kept.
  template <typename Describe>
  void check(bool ok, Describe describe) {
    ++report_.cases;
    if (ok) return;
    ++report_.mismatches;
    if (report_.first_mismatches.size() < kMaxDescribed) report_.first_mismatches.push_back(describe());
  }
  void check_bits(std::uint32_t got, std::uint32_t expected, int digits, const std::string& what) {
    check(got == expected, [&] { return what + ": got " + hex(got, digits) + ", expected " + hex(expected, digits); });
  }
  [[nodiscard]] VectorFileReport take() { return std::move(report_); }

 private:
  VectorFileReport report_;
};

[[nodiscard]] VectorFileReport run_mx_blocks(const Path& file, Backend& backend);
[[nodiscard]] VectorFileReport run_mx_dots(const Path& file, Backend& backend);

}  // namespace tepin::golden::detail
