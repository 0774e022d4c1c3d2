// SPDX-License-Identifier: Apache-2.0
// Contents of a channel: bursts of 32 bytes with their 16 metadata bits, in pages of 64 rows that exist once something
// in them was stored. A burst never stored reads as what the fill gives for its address.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tb/dram/dfi.h"
#include "tb/dram/timing.h"

namespace tepin::tb::dram {

struct BurstAddress {
  int pc = 0, sid = 0, bg = 0, ba = 0, row = 0, col = 0;
};

/// bit: 0..255 of the data, 256..271 of the metadata (std::out_of_range beyond).
void flip_bit(Burst& burst, int bit);

class BurstStore {
 public:
  using Fill = std::function<Burst(const BurstAddress&)>;
  static constexpr int kDataBits = 256, kBits = 272;  // bits 256.. are the metadata

  /// Fill: data and metadata zero.
  explicit BurstStore(const DramOrganisation& organisation);

  void set_fill(Fill fill) { fill_ = std::move(fill); }
  /// All three throw std::out_of_range outside the device.
  [[nodiscard]] Burst load(const BurstAddress& a) const;
  void store(const BurstAddress& a, const Burst& burst);
  /// bit: 0..271.
  void flip(const BurstAddress& a, int bit);
  [[nodiscard]] std::size_t pages() const { return page_count_; }

 private:
  static constexpr int kPageRows = 64;
  struct Row {
    std::array<std::array<std::uint32_t, 8>, DramOrganisation::kColumns> data;
    std::array<std::uint16_t, DramOrganisation::kColumns> meta;
  };
  struct Page {
    std::array<std::uint32_t, kPageRows> stored;  // a bit a column
    std::array<Row, kPageRows> rows;              // holds garbage where nothing was stored
  };
  [[nodiscard]] std::size_t page_of(const BurstAddress& a) const;

  DramOrganisation organisation_;
  int pages_a_bank_;
  Fill fill_ = [](const BurstAddress&) { return Burst{}; };
  std::vector<std::unique_ptr<Page>> pages_;
  std::size_t page_count_ = 0;
};

}  // namespace tepin::tb::dram
