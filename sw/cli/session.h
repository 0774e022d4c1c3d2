// SPDX-License-Identifier: Apache-2.0
// The target of a subcommand that runs tiles: one simulation for all its launches, with the waves and the timeline that
// the user asked for.
#pragma once

#include <memory>
#include <string>

#include "sw/cli/common.h"
#include "tb/tile_sim.h"

namespace tepin::cli {

class Session {
 public:
  /// InputError as Common::checked_target, or if a file cannot be written.
  explicit Session(const Common& common);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] Target target() const { return target_; }
  [[nodiscard]] std::string target_name() const { return target_ == Target::kRtl ? "rtl" : "golden"; }
  [[nodiscard]] const isa::Config& config() const { return config_; }
  /// RTL only.
  [[nodiscard]] tb::TileSim& sim() { return *sim_; }
  /// nullptr unless asked for.
  [[nodiscard]] tb::Timeline* timeline() { return timeline_.get(); }
  /// Ends the simulation and puts waves and timeline where they belong. Without it nothing is left behind.
  void finish();

 private:
  const isa::Config& config_;
  Target target_;
  std::string trace_, timeline_file_;
  std::unique_ptr<tb::TileSim> sim_;
  std::unique_ptr<tb::Timeline> timeline_;
};

}  // namespace tepin::cli
