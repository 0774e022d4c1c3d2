// SPDX-License-Identifier: Apache-2.0
// tepin bench allreduce: collectives from scratchpad to scratchpad on the verilated network.
#pragma once

#include <cstdint>
#include <string>

#include "sw/cli/common.h"

namespace tepin::cli {

class BenchAllreduceCommand final : public Command {
 public:
  explicit BenchAllreduceCommand(CLI::App& parent);
  int run() override;

 private:
  std::string mesh_ = "4x4", dtype_ = "bf16";
  std::uint32_t elements_ = 2880, bytes_ = 4096;
  int link_bits_ = 512;
};

}  // namespace tepin::cli
