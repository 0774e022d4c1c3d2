// SPDX-License-Identifier: Apache-2.0
// tepin bench hbm: traces on the HBM4 controller of one channel.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sw/cli/common.h"

namespace tepin::cli {

class BenchHbmCommand final : public Command {
 public:
  explicit BenchHbmCommand(CLI::App& parent);
  int run() override;

 private:
  void check_options() const;
  [[nodiscard]] int sids() const { return sids_ != 0 ? sids_ : speed_ == 8000 ? 2 : 3; }

  std::vector<std::string> traces_;
  std::string arrival_ = "saturate", log_, latencies_, waves_;
  int speed_ = 8000, sids_ = 0;
  std::uint32_t window_ = 256;
};

}  // namespace tepin::cli
