// SPDX-License-Identifier: Apache-2.0
#include "Vtile_checked.h"
#include "tb/dut_model.h"

namespace tepin::tb {

std::unique_ptr<Dut> make_checked_dut(const std::string& fst_file, std::uint32_t seed) {
  return std::make_unique<WavedModel<DutModel<Vtile_checked>>>(fst_file, seed);
}

}  // namespace tepin::tb
