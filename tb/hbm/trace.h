// SPDX-License-Identifier: Apache-2.0
// Request traces of one pseudo-channel: text, one request of 32 bytes a line, `R|W 0xADDR`. Empty lines and lines that
// begin with # are skipped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tepin::tb::hbm {

struct Request {
  std::uint64_t address = 0;  // bytes, a multiple of 32
  bool write = false;
  friend bool operator==(const Request&, const Request&) = default;
};

/// Parses a trace; `name` is used in errors. isa::InputError names file and line, what is wrong and what is allowed; a
/// trace without a request is one.
[[nodiscard]] std::vector<Request> parse_trace(std::string_view text, const std::string& name);
[[nodiscard]] std::vector<Request> read_trace(const std::string& path);

/// Bytes of one PC: 256 MiB a SID for 1, 2 and 4 SIDs, 576 MiB for 3. std::invalid_argument for any other number.
[[nodiscard]] std::uint64_t pc_capacity_bytes(int sids);

/// The trace as PC `pc` plays it: addresses modulo the capacity; those of PC 1 are shifted by half of it first.
[[nodiscard]] std::vector<Request> trace_of_pc(std::vector<Request> trace, int pc, std::uint64_t capacity_bytes);

}  // namespace tepin::tb::hbm
