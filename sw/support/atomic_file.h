// SPDX-License-Identifier: Apache-2.0
// Writing a file whole or not at all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tepin::support {

/// Writes a new file beside `path`, then renames it: whoever reads `path` sees the old contents or all of the new, also
/// if the program is killed. Nothing is left behind on failure. isa::InputError names the file and the reason.
void write_file(const std::string& path, std::span<const std::uint8_t> bytes);
void write_file(const std::string& path, std::string_view text);

}  // namespace tepin::support
