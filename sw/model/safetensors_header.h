// SPDX-License-Identifier: Apache-2.0
// The JSON header of a safetensors file, as it stands: nothing but its grammar is checked here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tepin::model {

struct HeaderEntry {
  std::string name;
  std::optional<std::string> dtype;
  std::optional<std::vector<std::uint64_t>> shape;
  std::optional<std::vector<std::uint64_t>> offsets;
};

struct Header {
  std::vector<HeaderEntry> entries;  // as in the file
  std::map<std::string, std::string> metadata;
};

/// Parses {"tensor": {"dtype": string, "shape": [unsigned...], "data_offsets": [unsigned...]}, "__metadata__": {string:
/// string}}. isa::InputError for any other JSON, for a key that occurs twice and for text that is no JSON; `name` is
/// the file's.
[[nodiscard]] Header parse_header(std::string_view json, const std::string& name);

/// A name as it may stand in an error: quoted, shortened, without control characters.
[[nodiscard]] std::string printable(std::string_view name);

}  // namespace tepin::model
