// SPDX-License-Identifier: Apache-2.0
#include "tb/hbm/trace.h"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

#include "sw/isa/program.h"
#include "sw/support/file.h"

namespace tepin::tb::hbm {
namespace {

constexpr std::size_t kQuoted = 40;  // characters of a bad line that an error shows
constexpr std::string_view kBlanks = " \t\r";

std::string quoted(std::string_view line) {
  std::string text(line.substr(0, kQuoted));
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return fmt::format("'{}{}'", text, line.size() > kQuoted ? "..." : "");
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

Request parse_line(std::string_view line, const std::string& name, std::size_t number) {
  const auto fail = [&](std::string_view what) {
    throw isa::InputError(
        fmt::format("{}:{}: {}: {}; allowed: R or W, a blank, 0x and a hexadecimal byte address below 2^64 that is a "
                    "multiple of 32",
                    name, number, quoted(line), what));
  };
  if (line.front() != 'R' && line.front() != 'W') fail("the request is neither R nor W");
  const std::string_view address = trimmed(line.substr(1));
  if (address.size() == line.size() - 1) fail("no blank behind the request");
  if (!address.starts_with("0x")) fail("the address does not begin with 0x");
  Request r{0, line.front() == 'W'};
  const char* end = address.data() + address.size();
  const auto [at, error] = std::from_chars(address.data() + 2, end, r.address, 16);
  if (error == std::errc::result_out_of_range) fail("the address has more than 64 bits");
  if (error != std::errc{} || at != end) fail("the address is no hexadecimal number");
  if (r.address % 32 != 0) fail("the address is no multiple of 32");
  return r;
}

}  // namespace

std::vector<Request> parse_trace(std::string_view text, const std::string& name) {
  std::vector<Request> trace;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.empty() && line.front() != '#') trace.push_back(parse_line(line, name, number));
  }
  if (trace.empty()) throw isa::InputError(fmt::format("{}: no request; allowed: lines of R|W 0xADDR", name));
  return trace;
}

std::vector<Request> read_trace(const std::string& path) { return parse_trace(support::read_text(path), path); }

std::uint64_t pc_capacity_bytes(int sids) {
  constexpr std::uint64_t kMib = 1U << 20;
  if (sids < 1 || sids > 4) throw std::invalid_argument(fmt::format("{} SIDs; allowed: 1, 2, 3, 4", sids));
  return sids == 3 ? 576 * kMib : static_cast<std::uint64_t>(sids) * 256 * kMib;
}

std::vector<Request> trace_of_pc(std::vector<Request> trace, int pc, std::uint64_t capacity_bytes) {
  const std::uint64_t shift = pc == 0 ? 0 : capacity_bytes / 2;
  for (Request& r : trace) r.address = (r.address % capacity_bytes + shift) % capacity_bytes;
  return trace;
}

}  // namespace tepin::tb::hbm
