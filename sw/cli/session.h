// SPDX-License-Identifier: Apache-2.0
// The target of a subcommand that runs tiles: one simulation for all its launches, of a tile or a chip of them, with
// the waves and the timeline that the user asked for.
#pragma once

#include <memory>
#include <string>

#include "sw/cli/common.h"
#include "tb/chip_sim.h"

namespace tepin::cli {

class Session {
 public:
  /// InputError as Common::checked_target, if a file cannot be written, or if waves are asked for of a chip.
  explicit Session(const Common& common);
  Session(const Common& common, std::uint32_t mesh_x, std::uint32_t mesh_y, unsigned threads);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] Target target() const { return target_; }
  [[nodiscard]] std::string target_name() const { return target_ == Target::kRtl ? "rtl" : "golden"; }
  [[nodiscard]] const isa::Config& config() const { return config_; }
  /// RTL, a tile alone.
  [[nodiscard]] tb::TileSim& sim() { return *sim_; }
  /// nullptr unless asked for, and of a chip, which records its own.
  [[nodiscard]] tb::Timeline* timeline() { return timeline_.get(); }
  /// RTL, several tiles; nullptr for a tile alone.
  [[nodiscard]] tb::ChipSim* chip() { return chip_.get(); }
  /// RTL: the tile of a place, row by row.
  [[nodiscard]] tb::TileSim& tile(std::size_t place) { return chip_ ? chip_->tile(place) : *sim_; }
  /// Ends the simulation and puts waves and timeline where they belong. Without it nothing is left behind.
  void finish();

 private:
  const isa::Config& config_;
  Target target_;
  std::string trace_, timeline_file_;
  std::unique_ptr<tb::TileSim> sim_;
  std::unique_ptr<tb::ChipSim> chip_;
  std::unique_ptr<tb::Timeline> timeline_;
};

}  // namespace tepin::cli
