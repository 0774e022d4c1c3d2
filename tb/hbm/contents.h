// SPDX-License-Identifier: Apache-2.0
// Where a byte address lies in the device, and what a device holds before anything was written: bursts with data of
// their own and the metadata that the controller's error correction expects. A second implementation of what
// rtl/hbm/hbm_pkg.sv (place_of) and rtl/hbm/hbm_ecc_pkg.sv define.
#pragma once

#include <array>
#include <cstdint>

#include "tb/dram/burst_store.h"
#include "tb/hbm/hbm_dut.h"
#include "tb/hbm/port_master.h"

namespace tepin::tb::hbm {

struct AddressMap {
  int sids = 2;  // 1..4
  /// Bits of the 32-byte address whose parity is BA[0], BA[1], BA[2] and the bank group; at first the registers' reset
  /// values.
  std::array<std::uint32_t, 4> masks;
  explicit AddressMap(int sids);
};

/// address: below the capacity of a PC.
[[nodiscard]] dram::BurstAddress place_of(int pc, std::uint32_t address, const AddressMap& map);

/// The 16 metadata bits of a burst: ten check bits above a tag of six bits that the place gives.
[[nodiscard]] std::uint16_t metadata_of(const dram::BurstAddress& place, const Word& data);

/// What a place holds at first, by seed.
[[nodiscard]] Word initial_data(const dram::BurstAddress& place, std::uint64_t seed);
/// The same for the device (DramDevice::set_fill) and for the masters of a PC.
[[nodiscard]] dram::BurstStore::Fill initial_fill(std::uint64_t seed);
[[nodiscard]] InitialContents initial_contents(int pc, const AddressMap& map, std::uint64_t seed);

}  // namespace tepin::tb::hbm
