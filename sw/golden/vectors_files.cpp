// SPDX-License-Identifier: Apache-2.0
#include "sw/golden/vectors_files.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

#include "sw/isa/program.h"

namespace tepin::golden::detail {
namespace {

std::vector<std::string> split_line(const std::string& line) {
  std::vector<std::string> out(1);
  for (const char c : line) {
    if (c == ',') {
      out.emplace_back();
    } else if (c != '\r') {
      out.back() += c;
    }
  }
  return out;
}

// The value of a key of an .npy header's dictionary, up to the end of its string, word or tuple.
std::string header_value(const Path& file, const std::string& header, const std::string& key) {
  const auto at = header.find("'" + key + "':");
  if (at == std::string::npos)
    bad_file(file, "the header has no key '" + key + "'; an .npy file of version 1 or 2 is expected");
  auto from = header.find_first_not_of(' ', at + key.size() + 3);
  if (from == std::string::npos) bad_file(file, "the header ends after '" + key + "'");
  const std::string ends = header[from] == '(' ? ")" : header[from] == '\'' ? "'" : ",}";
  if (header[from] == '(' || header[from] == '\'') ++from;
  const auto to = header.find_first_of(ends, from);
  if (to == std::string::npos) bad_file(file, "the header's '" + key + "' has no end");
  return header.substr(from, to - from);
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string s = "(";
  for (const std::size_t n : shape) s += (n == 0 ? std::string("any") : std::to_string(n)) + ",";
  return s + ")";
}

}  // namespace

void bad_file(const Path& file, const std::string& what) { throw isa::InputError(file.string() + ": " + what); }

std::string read_text(const Path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) bad_file(file, "cannot be read");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string hex(std::uint32_t value, int digits) {
  std::string s(static_cast<std::size_t>(digits), '0');
  for (auto it = s.rbegin(); it != s.rend(); ++it, value >>= 4) *it = "0123456789abcdef"[value & 15U];
  return s;
}

std::uint32_t parse_hex(const Path& file, std::string_view text, int max_bits, const std::string& where) {
  std::uint32_t v = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v, 16);
  const bool fits = max_bits == 32 || (v >> max_bits) == 0;
  if (error != std::errc{} || end != text.data() + text.size() || !fits) {
    bad_file(file, where + ": '" + std::string(text) + "' is not a hexadecimal number of at most " +
                       std::to_string(max_bits) + " bits");
  }
  return v;
}

isa::Format parse_elem(const Path& file, std::string_view name, const std::string& where) {
  if (const auto f = format_of_elem(name)) return *f;
  std::string allowed;
  for (std::size_t f = 0; f < kNumMxFormats; ++f)
    allowed += std::string(allowed.empty() ? "" : ", ") + std::string(isa::kFormats[f].elem);
  bad_file(file, where + ": element '" + std::string(name) + "' is unknown; allowed: " + allowed);
}

Csv::Csv(const Path& file, const std::vector<std::string>& columns) : file_(file), columns_(columns) {
  std::istringstream in(read_text(file));
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> header = split_line(line);
  std::vector<std::size_t> index;
  for (const std::string& name : columns) {
    const auto it = std::find(header.begin(), header.end(), name);
    if (it == header.end()) bad_file(file, "line 1: no column '" + name + "'; found: " + line);
    index.push_back(static_cast<std::size_t>(it - header.begin()));
  }
  for (std::size_t number = 2; std::getline(in, line); ++number) {
    const std::vector<std::string> all = split_line(line);
    if (all.size() != header.size()) {
      bad_file(file, "line " + std::to_string(number) + ": " + std::to_string(all.size()) + " columns, expected " +
                         std::to_string(header.size()));
    }
    auto& row = cells_.emplace_back();
    for (const std::size_t i : index) row.push_back(all[i]);
  }
}

std::string Csv::where(std::size_t row, std::size_t column) const {
  return "line " + std::to_string(row + 2) + ", column " + columns_[column];
}

std::uint32_t Csv::hex_cell(std::size_t row, std::size_t column, int max_bits) const {
  return parse_hex(file_, cell(row, column), max_bits, where(row, column));
}

Npy read_npy(const Path& file, std::string_view descr, const std::vector<std::size_t>& shape) {
  const std::string data = read_text(file);
  const auto byte = [&](std::size_t i) { return std::size_t{static_cast<std::uint8_t>(data[i])}; };
  if (data.size() < 12 || data.compare(0, 6, "\x93NUMPY") != 0 || byte(6) < 1 || byte(6) > 2) {
    bad_file(file, "is not an .npy file of version 1 or 2");
  }
  const std::size_t at = byte(6) == 1 ? 10 : 12;
  const std::size_t length = byte(8) | byte(9) << 8 | (at == 12 ? byte(10) << 16 | byte(11) << 24 : 0);
  if (data.size() < at + length) bad_file(file, "ends inside its header");
  const std::string header = data.substr(at, length);
  const std::string found = header_value(file, header, "descr");
  if (found != descr) bad_file(file, "has elements '" + found + "', expected '" + std::string(descr) + "'");
  if (header_value(file, header, "fortran_order") != "False") bad_file(file, "is in Fortran order, expected C order");
  Npy out;
  std::istringstream dims(header_value(file, header, "shape"));
  for (std::string dim; std::getline(dims, dim, ',');) {
    dim.erase(std::remove(dim.begin(), dim.end(), ' '), dim.end());
    if (dim.empty()) continue;
    std::size_t n = 0;
    const auto [end, error] = std::from_chars(dim.data(), dim.data() + dim.size(), n);
    if (error != std::errc{} || end != dim.data() + dim.size())
      bad_file(file, "shape has the extent '" + dim + "', expected a number");
    out.shape.push_back(n);
  }
  bool same = out.shape.size() == shape.size();
  // The count is bounded before it is multiplied on, so that no header can make it overflow.
  std::size_t bytes = descr == "<f4" ? 4 : 1;
  for (std::size_t i = 0; same && i < shape.size(); ++i) {
    same = (shape[i] == 0 || shape[i] == out.shape[i]) && (out.shape[i] == 0 || bytes <= data.size() / out.shape[i]);
    bytes *= out.shape[i];
  }
  if (!same)
    bad_file(file,
             "has shape " + shape_text(out.shape) + ", expected " + shape_text(shape) + " within the file's size");
  if (data.size() - at - length != bytes) {
    bad_file(file, "holds " + std::to_string(data.size() - at - length) + " bytes of data, its shape needs " +
                       std::to_string(bytes));
  }
  out.bytes.assign(data.end() - static_cast<std::ptrdiff_t>(bytes), data.end());
  return out;
}

void Tally::skip(const std::string& reason, std::uint64_t cases) {
  report_.cases += cases;
  report_.skipped += cases;
  report_.skip_reasons[reason] += cases;
}

}  // namespace tepin::golden::detail
