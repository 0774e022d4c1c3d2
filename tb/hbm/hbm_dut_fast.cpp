// SPDX-License-Identifier: Apache-2.0
#include "Vhbm_fast.h"
#include "tb/hbm/hbm_dut_model.h"

namespace tepin::tb::hbm {

std::unique_ptr<HbmDut> make_hbm_dut() {
  return std::make_unique<HbmDutModel<Vhbm_fast>>(std::make_unique<VerilatedContext>());
}

}  // namespace tepin::tb::hbm
