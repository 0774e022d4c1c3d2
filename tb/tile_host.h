// SPDX-License-Identifier: Apache-2.0
// What a host does with a tile: loads programs, starts them, reads faults. Whichever port it comes by: the tile's own
// (TileSim), or a chip's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sw/isa/program.h"
#include "tb/host_port.h"

namespace tepin::tb {

/// Registers of a tile that has stopped, or what it waits for.
struct FaultInfo {
  std::uint32_t x = 0, y = 0;  // the tile
  isa::Cause cause = isa::Cause::kNone;
  isa::Engine engine = isa::Engine::kSeq;
  std::uint32_t thread = 0, pc = 0, addr = 0;
  std::vector<std::string> waiters;  // of a stuck tile: "MXU thread 1 pc 12 waits for s3"
  [[nodiscard]] std::string text() const;
};

class TileHost {
 public:
  TileHost(std::uint32_t x, std::uint32_t y) : x_(x), y_(y) {}
  virtual ~TileHost() = default;
  TileHost(const TileHost&) = delete;
  TileHost& operator=(const TileHost&) = delete;

  /// Registers, byte offsets of tepin_csr_t. HostError if they are refused.
  virtual void csr_write(std::uint32_t offset, std::uint32_t value) = 0;
  [[nodiscard]] virtual std::uint32_t csr_read(std::uint32_t offset) = 0;
  /// Window, addresses of tepin_window.h; any byte range. HostError on SLVERR.
  virtual void window_write(std::uint64_t address, std::span<const std::uint8_t> data) = 0;
  virtual void window_read(std::uint64_t address, std::span<std::uint8_t> out) = 0;
  /// A pseudo-channel's contents; byte addresses.
  virtual void store(int pc, std::uint64_t address, std::span<const std::uint8_t> data) = 0;
  virtual void load(int pc, std::uint64_t address, std::span<std::uint8_t> out) = 0;

  /// Writes the code to instruction memory and sets the entries. InputError if it does not fit.
  void load(const isa::Section& section);
  void start();
  void soft_reset();
  [[nodiscard]] bool ready();
  [[nodiscard]] bool faulted();
  [[nodiscard]] FaultInfo fault_info();

 private:
  std::uint32_t x_, y_;
};

}  // namespace tepin::tb
