// SPDX-License-Identifier: Apache-2.0
// The verilated host port between masters of its window and its registers and slaves in the places of tiles and
// register blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host_agents.h"

class Vchip_host;
class VerilatedContext;

namespace tepin::tb::testing {

inline constexpr unsigned kHostX = 3, kHostY = 2, kHostChannels = 3;
inline constexpr std::size_t kHostTiles = kHostX * kHostY, kHostBlocks = 1 + kHostChannels;
inline constexpr std::size_t kHostEnds = kHostTiles * kHostBlocks;

class HostBench {
 public:
  explicit HostBench(std::uint32_t seed);
  ~HostBench();
  HostBench(const HostBench&) = delete;
  HostBench& operator=(const HostBench&) = delete;

  /// Bursts as the host port's map has them (docs/chip.md); tile is a number 8*y + x.
  [[nodiscard]] Burst window(unsigned id, unsigned tile, std::uint64_t address, unsigned beats, bool write);
  [[nodiscard]] Burst registers(unsigned tile, unsigned block, unsigned address, bool write);
  /// If nothing passes for long although something is open, that is wrong.
  void tick();
  /// Until both masters are answered. False if something was wrong.
  [[nodiscard]] bool drain();
  [[nodiscard]] rtl_test::Rng& rng() { return rng_; }
  [[nodiscard]] std::uint64_t now() const { return now_; }
  void set_irq(std::size_t tile, bool on);
  [[nodiscard]] bool irq() const;

  std::vector<Slave> tiles, ends;
  Master win{tiles}, reg{ends};
  std::string wrong;  // the first thing that was

 private:
  void put();
  void get();
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vchip_host> dut_;
  rtl_test::Rng rng_;
  std::uint64_t now_ = 0, moved_ = 0;  // cycles: since the reset; when something passed at the host's side
  std::size_t passed_ = 0;
};

}  // namespace tepin::tb::testing
