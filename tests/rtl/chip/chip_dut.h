// SPDX-License-Identifier: Apache-2.0
// The verilated chip of 2 x 2 nano tiles behind plain structs: the host's ports, the memory channels, and what every
// tile gets and drives.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "tb/dram/dfi.h"
#include "tb/dut.h"

namespace tepin::tb::testing {

inline constexpr std::size_t kChipX = 2, kChipY = 2, kChipTiles = kChipX * kChipY;
static_assert(kPcs == dram::kChannelPcs, "one memory channel a tile");

/// What the host and the PHYs drive. Names of the host's pins as in TileIn.
struct ChipIn {
  bool s_aw_valid = false, s_w_valid = false, s_w_last = false, s_b_ready = false, s_ar_valid = false,
       s_r_ready = false;
  std::uint8_t s_aw_id = 0, s_aw_len = 0, s_ar_id = 0, s_ar_len = 0;
  std::uint64_t s_aw_addr = 0, s_ar_addr = 0;
  std::uint32_t s_w_strb = 0;
  Word s_w_data{};
  bool l_aw_valid = false, l_w_valid = false, l_b_ready = false, l_ar_valid = false, l_r_ready = false;
  std::uint32_t l_aw_addr = 0, l_ar_addr = 0;
  std::uint32_t l_w_data = 0;
  std::array<dram::DfiIn, kChipTiles> dfi;
};
struct ChipOut {
  bool s_aw_ready = false, s_w_ready = false, s_b_valid = false, s_ar_ready = false, s_r_valid = false,
       s_r_last = false;
  std::uint8_t s_b_id = 0, s_b_resp = 0, s_r_id = 0, s_r_resp = 0;
  Word s_r_data{};
  bool l_aw_ready = false, l_w_ready = false, l_b_valid = false, l_ar_ready = false, l_r_valid = false;
  std::uint8_t l_b_resp = 0, l_r_resp = 0;
  std::uint32_t l_r_data = 0;
  bool irq = false;
  std::array<dram::DfiOut, kChipTiles> dfi;
};

class ChipDut {
 public:
  virtual ~ChipDut() = default;
  ChipDut() = default;
  ChipDut(const ChipDut&) = delete;
  ChipDut& operator=(const ChipDut&) = delete;
  /// One clock cycle with the reset line at rst_n.
  virtual void step(bool rst_n) = 0;
  ChipIn in;
  ChipOut out;
  // What the last edge saw at the tiles: their reset, and their memory and host inputs (no place, no links).
  bool tiles_in_reset = true;
  std::array<TileIn, kChipTiles> tile_in;
  // What they drive after it; no trace.
  std::array<TileOut, kChipTiles> tile_out;
};

[[nodiscard]] std::unique_ptr<ChipDut> make_chip_dut();

}  // namespace tepin::tb::testing
