// SPDX-License-Identifier: Apache-2.0
// The verilated cells of units_top.sv for unit tests: inputs 0 after reset, one clock a tick.
#pragma once

#include <verilated.h>

#include <memory>

#include "Vunits.h"
#include "tests/rtl/rng.h"

namespace tepin::rtl_test {

class Units {
 public:
  Units() : context_(std::make_unique<VerilatedContext>()) {
    context_->randReset(0);  // inputs too begin with 0; the tile's own tests begin with random registers
    dut_ = std::make_unique<Vunits>(context_.get());
    dut_->rst_ni = 1;
    dut_->eval();
    dut_->rst_ni = 0;
    dut_->eval();
    for (int i = 0; i < 3; ++i) tick();
    dut_->rst_ni = 1;
    dut_->eval();
  }
  ~Units() { dut_->final(); }
  Units(const Units&) = delete;
  Units& operator=(const Units&) = delete;

  Vunits* operator->() { return dut_.get(); }
  /// Combinational outputs follow the inputs that were set.
  void settle() { dut_->eval(); }
  /// One clock: what settle() shows is what the edge sees.
  void tick() {
    dut_->eval();
    dut_->clk_i = 1;
    dut_->eval();
    context_->timeInc(1);
    dut_->clk_i = 0;
    dut_->eval();
    context_->timeInc(1);
  }

 private:
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vunits> dut_;
};

}  // namespace tepin::rtl_test
