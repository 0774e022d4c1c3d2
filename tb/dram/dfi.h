// SPDX-License-Identifier: Apache-2.0
// The command boundary between the HBM4 controller and a PHY, as the device model sees it: one channel, two
// pseudo-channels (PCs), one controller clock (2 CK = 4 half-CK slots of the shared row bus) a step. docs/hbm.md.
#pragma once

#include <array>
#include <cstdint>

namespace tepin::tb::dram {

inline constexpr int kChannelPcs = 2;

enum class RowOp : std::uint8_t { kNone, kAct, kPre, kPreA, kRefPb, kRefAb, kRfmPb, kRfmAb, kSelfEnter, kSelfExit };

/// A command on the row bus. ACT occupies 3 half-CK slots from `slot` (0 or 2), every other one 1 slot.
struct RowCommand {
  RowOp op = RowOp::kNone;
  std::uint8_t pc = 0, slot = 0, sid = 0, bg = 0, ba = 0;
  std::uint16_t row = 0;
};
/// A command on the column bus: PC p's stands in CK p of the clock. BL8: one 32-byte burst, column 0..31 of the row.
struct ColumnCommand {
  bool valid = false, write = false, auto_precharge = false;
  std::uint8_t sid = 0, bg = 0, ba = 0, col = 0;
};
/// 32 bytes and the 16 metadata bits that travel with them.
struct Burst {
  std::array<std::uint32_t, 8> data{};
  std::uint16_t meta = 0;
};

/// What the controller drives in a clock.
struct DfiOut {
  std::array<RowCommand, 2> row;  // at most two row commands a clock, slots distinct
  std::array<ColumnCommand, kChannelPcs> col;
  std::array<bool, kChannelPcs> wdata_valid{};  // stands WL clocks after the clock of its write command
  std::array<Burst, kChannelPcs> wdata;
};
/// What the PHY answers: data of a read command of clock t stands at clock t + RL + 1 (the burst takes clock t + RL).
struct DfiIn {
  std::array<bool, kChannelPcs> rdata_valid{};
  std::array<Burst, kChannelPcs> rdata;
};

}  // namespace tepin::tb::dram
