// SPDX-License-Identifier: Apache-2.0
#include "sw/support/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "sw/isa/program.h"
#include "sw/support/atomic_file.h"
#include "sw/support/file.h"

namespace tepin::support {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are copied as they are in the file");

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::size_t kMaxDims = 32;

struct Header {
  std::optional<NpyType> type;
  std::optional<bool> fortran;
  std::optional<std::vector<std::uint64_t>> shape;
};

/// Reads the header: a Python dictionary of three known keys, e.g. {'descr': '<f4', 'fortran_order': False, 'shape':
/// (3, 4), }
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Header parse() {
    Header h;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr") {
        once(key, h.type.has_value());
        h.type = type();
      } else if (key == "fortran_order") {
        once(key, h.fortran.has_value());
        h.fortran = boolean();
      } else if (key == "shape") {
        once(key, h.shape.has_value());
        h.shape = shape();
      } else {
        fail(fmt::format("header key '{}'; allowed: descr, fortran_order, shape", printable(key)));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip();
    if (pos_ != text_.size()) unexpected("the end of the header");
    if (!h.type || !h.fortran || !h.shape) fail("header lacks a key; expected descr, fortran_order and shape");
    return h;
  }

  [[noreturn]] void fail(const std::string& what) const { throw isa::InputError(name_ + ": " + what); }

 private:
  static std::string printable(std::string_view s) {
    std::string out;
    for (const char c : s.substr(0, 40)) out += c >= 32 && c < 127 ? c : '?';
    return out;
  }
  [[noreturn]] void unexpected(std::string_view expected) const {
    fail(fmt::format("header, character {}: expected {}, found '{}'", pos_, expected,
                     printable(text_.substr(pos_, 10))));
  }
  void once(std::string_view key, bool seen) const {
    if (seen) fail(fmt::format("header key '{}' twice", key));
  }
  void skip() {
    while (pos_ < text_.size() && (text_[pos_] == ' ' || text_[pos_] == '\n' || text_[pos_] == '\t')) ++pos_;
  }
  bool accept(char c) {
    skip();
    if (pos_ >= text_.size() || text_[pos_] != c) return false;
    ++pos_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) unexpected(fmt::format("{}", c));
  }
  std::string_view quoted() {
    skip();
    const char quote = pos_ < text_.size() ? text_[pos_] : ' ';
    if (quote != '\'' && quote != '"') unexpected("a quoted string");
    const std::size_t end = text_.find(quote, pos_ + 1);
    if (end == std::string_view::npos) unexpected("a quoted string that ends");
    const std::string_view s = text_.substr(pos_ + 1, end - pos_ - 1);
    pos_ = end + 1;
    return s;
  }
  NpyType type() {
    const std::string_view descr = quoted();
    std::string allowed;
    for (std::size_t i = 0; i < kNpyTypes.size(); ++i) {
      const NpyTypeDesc& t = kNpyTypes[i];
      if (descr == t.descr ||
          (t.bytes == 1 && descr.size() == 3 && descr[0] == '<' && descr.substr(1) == t.descr.substr(1))) {
        return static_cast<NpyType>(i);
      }
      allowed += fmt::format("{}{} ({})", i == 0 ? "" : ", ", t.descr, t.name);
    }
    fail(fmt::format("element type '{}'; allowed: {}", printable(descr), allowed));
  }
  bool boolean() {
    skip();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(pos_, word.size()) == word) {
        pos_ += word.size();
        return value;
      }
    }
    unexpected("True or False");
  }
  std::vector<std::uint64_t> shape() {
    std::vector<std::uint64_t> dims;
    expect('(');
    while (!accept(')')) {
      if (dims.size() == kMaxDims) fail(fmt::format("more than {} dimensions", kMaxDims));
      dims.push_back(number());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return dims;
  }
  std::uint64_t number() {
    skip();
    const std::size_t start = pos_;
    std::uint64_t v = 0;
    while (pos_ < text_.size() && text_[pos_] >= '0' && text_[pos_] <= '9') {
      if (v > (UINT64_MAX - 9) / 10) fail("a dimension exceeds 2^64-1");
      v = v * 10 + static_cast<std::uint64_t>(text_[pos_] - '0');
      ++pos_;
    }
    if (pos_ == start) unexpected("a number");
    return v;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t pos_ = 0;
};

}  // namespace

NpyArray decode_npy(std::span<const std::uint8_t> bytes, const std::string& name) {
  const auto fail = [&name](const std::string& what) { throw isa::InputError(name + ": " + what); };
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.substr(0, kMagic.size()) != kMagic) fail("not a .npy file; expected it to start with \\x93NUMPY");
  if (bytes.size() < 8) fail(fmt::format("{} bytes; the header is truncated", bytes.size()));
  const unsigned major = bytes[6];
  if ((major != 1 && major != 2) || bytes[7] != 0)
    fail(fmt::format("file version {}.{}; allowed: 1.0, 2.0", major, bytes[7]));
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t start = 8 + length_bytes;
  if (bytes.size() < start) fail(fmt::format("{} bytes; the header is truncated", bytes.size()));
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= std::size_t{bytes[8 + i]} << (8 * i);
  if (length > bytes.size() - start) {
    fail(fmt::format("header of {} bytes, but {} bytes follow; the file is truncated", length, bytes.size() - start));
  }
  HeaderParser parser(text.substr(start, length), name);
  const Header h = parser.parse();
  if (*h.fortran && h.shape->size() > 1) fail("Fortran order; allowed: C order (fortran_order False)");

  const std::span<const std::uint8_t> data = bytes.subspan(start + length);
  std::uint64_t need = kNpyTypes[static_cast<std::size_t>(*h.type)].bytes;
  bool overflow = false;
  for (const std::uint64_t d : *h.shape) overflow = __builtin_mul_overflow(need, d, &need) || overflow;
  if (std::ranges::count(*h.shape, 0U) > 0) {
    need = 0;
    overflow = false;
  }
  if (overflow || need != data.size()) {
    fail(fmt::format("shape ({}) of {} needs {} bytes, the file holds {}", fmt::join(*h.shape, ", "),
                     kNpyTypes[static_cast<std::size_t>(*h.type)].name,
                     overflow ? "more than 2^64" : std::to_string(need), data.size()));
  }
  return {*h.type, *h.shape, {data.begin(), data.end()}};
}

NpyArray read_npy(const std::string& path) { return decode_npy(read_file(path), path); }

std::vector<std::uint8_t> encode_npy(const NpyArray& array) {
  const std::string shape = fmt::format("{}{}", fmt::join(array.shape, ", "), array.shape.size() == 1 ? "," : "");
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                   kNpyTypes[static_cast<std::size_t>(array.type)].descr, shape);
  // Data starts at a multiple of 64 bytes; the header ends with a line break. At most 32 dimensions fit version 1.0.
  const std::size_t start = kMagic.size() + 4;
  header.append(63 - (start + header.size()) % 64, ' ');
  header += '\n';
  if (header.size() > 0xffff) throw std::logic_error("encode_npy: too many dimensions");
  std::string prefix(kMagic);
  for (const std::size_t byte : {std::size_t{1}, std::size_t{0}, header.size() & 0xff, header.size() >> 8}) {
    prefix += static_cast<char>(byte);
  }
  prefix += header;
  std::vector<std::uint8_t> out(prefix.begin(), prefix.end());
  out.insert(out.end(), array.data.begin(), array.data.end());
  return out;
}

void write_npy(const std::string& path, const NpyArray& array) { write_file(path, encode_npy(array)); }

}  // namespace tepin::support
