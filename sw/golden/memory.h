// SPDX-License-Identifier: Apache-2.0
// Memories of one tile with a "written" mark for each byte. Addresses are checked by the caller.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace tepin::golden {

inline constexpr std::uint32_t kBeat = 32;  // bytes

/// The scratchpad.
struct Scratchpad {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint8_t> written;  // 1 a byte

  explicit Scratchpad(std::uint32_t size) : bytes(size), written(size) {}
  void store(std::uint64_t address, std::span<const std::uint8_t> data);
  /// The first byte of the range that nothing wrote.
  [[nodiscard]] std::optional<std::uint64_t> first_unwritten(std::uint64_t address, std::uint64_t length) const;
};

/// One pseudo-channel: pages that exist once something is stored in them.
class HbmChannel {
 public:
  static constexpr std::uint64_t kPageBytes = 65536;
  struct Page {
    std::array<std::uint8_t, kPageBytes> bytes{};
    std::array<std::uint32_t, kPageBytes / kBeat> written{};  // a mask a beat, bit i: byte i
  };

  void store(std::uint64_t address, std::span<const std::uint8_t> data);
  /// Copies bytes out; those that nothing wrote read 0.
  void load(std::uint64_t address, std::span<std::uint8_t> out) const;
  /// Which bytes of a beat were written, bit i: byte i.
  [[nodiscard]] std::uint32_t written(std::uint64_t beat) const;
  /// Page number (address / kPageBytes) to page, in ascending order.
  [[nodiscard]] std::map<std::uint64_t, const Page*> pages() const;

 private:
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
};

/// mxu_rows x acc_cols FP32, column after column.
struct Accumulators {
  std::uint32_t rows;
  std::vector<std::uint32_t> bits;
  std::vector<std::uint8_t> written;  // 1 a value

  Accumulators(std::uint32_t rows_, std::uint32_t cols)
      : rows(rows_), bits(std::size_t{rows_} * cols), written(std::size_t{rows_} * cols) {}
};

}  // namespace tepin::golden
