// SPDX-License-Identifier: Apache-2.0
// The verilated chip with a DRAM device behind every memory channel, and beside it the mesh wired in C++, whose tiles
// get in every cycle what the chip's tiles get: reset, memory and host. All else is wired between them, so every output
// of every tile must be the same.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "chip_dut.h"
#include "tb/chip_sim.h"
#include "tb/dram/device.h"
#include "tb/hbm/contents.h"
#include "tb/tile_host.h"

namespace tepin::tb::testing {

class ChipBench;

/// A tile by way of the chip's host port; nothing here knows a backdoor.
class ChipTile final : public TileHost {
 public:
  ChipTile(ChipBench& bench, std::uint32_t x, std::uint32_t y) : TileHost(x, y), bench_(bench), number_(8 * y + x) {}
  void csr_write(std::uint32_t offset, std::uint32_t value) override;
  [[nodiscard]] std::uint32_t csr_read(std::uint32_t offset) override;
  void window_write(std::uint64_t address, std::span<const std::uint8_t> data) override;
  void window_read(std::uint64_t address, std::span<std::uint8_t> out) override;
  using TileHost::load;
  void store(int pc, std::uint64_t address, std::span<const std::uint8_t> data) override;
  void load(int pc, std::uint64_t address, std::span<std::uint8_t> out) override;
  /// Registers of the tile's memory controller, byte offsets of hbm_csr_t.
  void memory_write(std::uint32_t offset, std::uint32_t value);
  [[nodiscard]] std::uint32_t memory_read(std::uint32_t offset);

 private:
  ChipBench& bench_;
  std::uint32_t number_;
};

class ChipBench {
 public:
  /// Reset, then until all tiles are ready and all controllers initialised.
  ChipBench();

  void tick();
  [[nodiscard]] HostPort<ChipIn, ChipOut> host() {
    return {dut_->in, dut_->out, [this] { tick(); }};
  }
  [[nodiscard]] ChipTile& tile(std::size_t t) { return *tiles_.at(t); }
  /// Starts all tiles and ticks until each has raised its interrupt, which only the registers are asked about. False
  /// after max_cycles.
  [[nodiscard]] bool run(std::uint64_t max_cycles);
  [[nodiscard]] std::uint64_t now() const { return now_; }
  [[nodiscard]] std::uint8_t next_id() { return static_cast<std::uint8_t>(ids_++ % 16); }
  [[nodiscard]] const dram::DramDevice& device(std::size_t tile) const { return *devices_.at(tile); }

  std::uint64_t compared = 0, flits = 0;  // groups of outputs; links that carried something
  std::string first_difference;

 private:
  void compare();
  void bring_up_memory(ChipTile& tile, const dram::DramConfig& config);

  std::unique_ptr<ChipDut> dut_;
  ChipSim mesh_;
  std::vector<std::unique_ptr<dram::DramDevice>> devices_;
  std::vector<std::unique_ptr<ChipTile>> tiles_;
  std::uint64_t now_ = 0;
  std::uint32_t ids_ = 0;
  bool rst_n_ = false;
};

}  // namespace tepin::tb::testing
