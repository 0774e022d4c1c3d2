// SPDX-License-Identifier: Apache-2.0
// The tile's memory as it is built: the verilated HBM4 controller of a channel, both pseudo-channels' ports on the
// tile's, with the DRAM device model behind it, one clock for all. Contents have a backdoor into the device.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "tb/dut.h"
#include "tb/hbm/hbm_system.h"

namespace tepin::tb {

class HbmMemory {
 public:
  /// 8000 Mb/s, two stack IDs: 512 MiB a pseudo-channel. Bytes never stored read 0. checked: the controller with
  /// assertions.
  explicit HbmMemory(bool checked);
  ~HbmMemory();
  HbmMemory(const HbmMemory&) = delete;
  HbmMemory& operator=(const HbmMemory&) = delete;

  /// One clock edge: `tile` is what the tile drove before it; `in` becomes what the controller drives after it.
  /// dram::DramViolation at the first timing rule that the controller breaks.
  void cycle(const std::array<MemoryOut, kPcs>& tile, std::array<MemoryIn, kPcs>& in);

  /// What the controller drives now: the tile's ports must be told after any of the calls below, during which the
  /// controller has clocks of its own while the tile has none, and nothing passes between them.
  void present(std::array<MemoryIn, kPcs>& in) const;

  /// Backdoor, byte addresses below the capacity (std::out_of_range beyond). Writes that wait in the controller go to
  /// the device first.
  void store(int pc, std::uint64_t address, std::span<const std::uint8_t> data);
  void load(int pc, std::uint64_t address, std::span<std::uint8_t> out);

  /// Of the controller, both pseudo-channels added, since the last clear.
  void clear_counters();
  [[nodiscard]] hbm::HbmCounters counters();
  [[nodiscard]] hbm::HbmSystem& system() { return *system_; }

 private:
  void hold_ports();
  void settle();
  template <class Each>
  void each_burst(std::uint64_t address, std::uint64_t bytes, const Each& each);

  std::unique_ptr<hbm::HbmSystem> system_;
  hbm::DfiTarget device_;
};

}  // namespace tepin::tb
