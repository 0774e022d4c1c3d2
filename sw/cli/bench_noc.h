// SPDX-License-Identifier: Apache-2.0
// tepin bench noc: open-loop traffic on the verilated mesh of routers.
#pragma once

#include <cstdint>
#include <string>

#include "sw/cli/common.h"

namespace tepin::cli {

class BenchNocCommand final : public Command {
 public:
  explicit BenchNocCommand(CLI::App& parent);
  int run() override;

 private:
  std::string mesh_ = "4x4", pattern_ = "uniform", source_ = "split";
  int flits_ = 1, buffer_ = 4, link_bits_ = 256;
  double rate_ = 0.5;
  std::uint64_t cycles_ = 20'000;
  bool point_ = false;
};

}  // namespace tepin::cli
