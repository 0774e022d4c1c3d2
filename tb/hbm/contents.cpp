// SPDX-License-Identifier: Apache-2.0
#include "tb/hbm/contents.h"

#include <bit>

#include "sw/isa/hbm_csr.h"

namespace tepin::tb::hbm {
namespace {

constexpr int kDataBits = 256, kTagBits = 6, kCheckBits = 10;
constexpr std::uint32_t kTagMask = (1U << kTagBits) - 1;

/// Bits of {tag, data} whose parity is a check bit; words of 32 bits, the last one the tag's.
using ParityRow = std::array<std::uint32_t, kDataBits / 32 + 1>;

/// Column j is the j-th value of weight 3, then of weight 5, in ascending order.
constexpr std::array<ParityRow, kCheckBits> make_rows() {
  std::array<ParityRow, kCheckBits> rows{};
  std::uint32_t j = 0;
  for (const int weight : {3, 5}) {
    for (std::uint32_t v = 1; v < 1U << kCheckBits; ++v) {
      if (std::popcount(v) != weight || j == kDataBits + kTagBits) continue;
      for (std::uint32_t i = 0; i < kCheckBits; ++i) rows[i][j / 32] |= (v >> i & 1) << j % 32;
      ++j;
    }
  }
  return rows;
}
constexpr std::array<ParityRow, kCheckBits> kRows = make_rows();

/// {sid, bg, ba, row, col}: 25 bits.
std::uint32_t packed(const dram::BurstAddress& p) {
  const int bank = (p.sid * 2 + p.bg) * 8 + p.ba;
  return static_cast<std::uint32_t>((bank << 14 | p.row) << 5 | p.col);
}

}  // namespace

AddressMap::AddressMap(int sids_in)
    : sids(sids_in),
      masks{HBM_CSR__MAP_BA0__MASK_reset, HBM_CSR__MAP_BA1__MASK_reset, HBM_CSR__MAP_BA2__MASK_reset,
            HBM_CSR__MAP_BG__MASK_reset} {}

dram::BurstAddress place_of(int pc, std::uint32_t address, const AddressMap& map) {
  const std::uint32_t beat = address / 32;
  const auto parity = [&](std::size_t i) { return std::popcount(beat & map.masks[i]) & 1; };
  // Units of 64 MiB: four a SID, with three SIDs three.
  const int unit = static_cast<int>(beat >> 21), units = map.sids == 3 ? 3 : 4;
  dram::BurstAddress p;
  p.pc = pc;
  p.sid = unit / units;
  p.bg = parity(3);
  p.ba = parity(2) << 2 | parity(1) << 1 | parity(0);
  p.row = unit % units << 12 | static_cast<int>(beat >> 9 & 0xfff);
  p.col = static_cast<int>((beat >> 4 & 3) << 3 | (beat & 7));
  return p;
}

std::uint16_t metadata_of(const dram::BurstAddress& place, const Word& data) {
  const std::uint32_t a = packed(place);
  const std::uint32_t tag = (a ^ a >> 6 ^ a >> 12 ^ a >> 18 ^ a >> 24) & kTagMask;
  std::uint32_t check = 0;
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    std::uint32_t x = tag & kRows[i].back();
    for (std::size_t k = 0; k < data.size(); ++k) x ^= data[k] & kRows[i][k];
    check |= static_cast<std::uint32_t>(std::popcount(x) & 1) << i;
  }
  return static_cast<std::uint16_t>(check << kTagBits | tag);
}

Word initial_data(const dram::BurstAddress& place, std::uint64_t seed) {
  return burst_data(seed, packed(place) | static_cast<std::uint32_t>(place.pc) << 25, 0);
}

dram::BurstStore::Fill initial_fill(std::uint64_t seed) {
  return [seed](const dram::BurstAddress& place) {
    dram::Burst burst;
    burst.data = initial_data(place, seed);
    burst.meta = metadata_of(place, burst.data);
    return burst;
  };
}

InitialContents initial_contents(int pc, const AddressMap& map, std::uint64_t seed) {
  return [=](std::uint32_t address) { return initial_data(place_of(pc, address, map), seed); };
}

}  // namespace tepin::tb::hbm
