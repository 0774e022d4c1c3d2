// SPDX-License-Identifier: Apache-2.0
// Whole files: read into memory, map read-only. Every failure is an isa::InputError that names the file and the reason.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tepin::support {

/// All bytes of a regular file.
[[nodiscard]] std::vector<std::uint8_t> read_file(const std::string& path);
/// The same as text, bytes unchanged.
[[nodiscard]] std::string read_text(const std::string& path);

/// A regular file mapped read-only; the mapping lives as long as the object. Moving keeps the address of the bytes.
/// The file must not be shortened while it is mapped.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();
  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return bytes_; }

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace tepin::support
