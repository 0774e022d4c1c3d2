// SPDX-License-Identifier: Apache-2.0
#include "Vhbm_checked.h"
#include "tb/hbm/hbm_dut_model.h"

namespace tepin::tb::hbm {

std::unique_ptr<HbmDut> make_checked_hbm_dut(const std::string& fst_file, std::uint32_t seed) {
  return std::make_unique<WavedModel<HbmDutModel<Vhbm_checked>>>(fst_file, seed);
}

}  // namespace tepin::tb::hbm
