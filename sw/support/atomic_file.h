// SPDX-License-Identifier: Apache-2.0
// Writing a file whole or not at all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tepin::support {

/// Writes a new file beside `path`, then renames it: whoever reads `path` sees the old contents or all of the new, also
/// if the program is killed. Nothing is left behind on failure. A link is followed; what exists and is no regular file
/// (a device, a pipe) is written in place, never replaced. isa::InputError names the file and the reason.
void write_file(const std::string& path, std::span<const std::uint8_t> bytes);
void write_file(const std::string& path, std::string_view text);

/// isa::InputError if write_file(path) could not write, before the work whose result goes there. Changes nothing.
void check_writable(const std::string& path);

/// What a finished temporary file may be renamed to: `path`, or what the link `path` leads to; empty if something
/// exists there that is no regular file and must not be replaced.
[[nodiscard]] std::string replaceable_target(const std::string& path);

}  // namespace tepin::support
