// SPDX-License-Identifier: Apache-2.0
#include "Vtile_fast.h"
#include "tb/dut_model.h"

namespace tepin::tb {

std::unique_ptr<Dut> make_dut() { return std::make_unique<DutModel<Vtile_fast>>(std::make_unique<VerilatedContext>()); }

}  // namespace tepin::tb
