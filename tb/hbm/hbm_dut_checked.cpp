// SPDX-License-Identifier: Apache-2.0
#include <verilated_fst_c.h>

#include "Vhbm_checked.h"
#include "tb/hbm/hbm_dut_model.h"

namespace tepin::tb::hbm {
namespace {

class CheckedHbmDut final : public HbmDutModel<Vhbm_checked> {
 public:
  CheckedHbmDut(std::unique_ptr<VerilatedContext> context, const std::string& fst_file)
      : HbmDutModel(std::move(context)) {
    if (fst_file.empty()) return;
    fst_ = std::make_unique<VerilatedFstC>();
    model().trace(fst_.get(), 99);
    fst_->open(fst_file.c_str());
  }
  ~CheckedHbmDut() override {
    if (fst_) fst_->close();
  }
  CheckedHbmDut(const CheckedHbmDut&) = delete;
  CheckedHbmDut& operator=(const CheckedHbmDut&) = delete;

 protected:
  void after_edge() override {
    if (fst_) fst_->dump(context().time());
    HbmDutModel::after_edge();
  }

 private:
  std::unique_ptr<VerilatedFstC> fst_;
};

}  // namespace

std::unique_ptr<HbmDut> make_checked_hbm_dut(const std::string& fst_file, std::uint32_t seed) {
  auto context = std::make_unique<VerilatedContext>();
  context->traceEverOn(true);
  context->randReset(2);
  context->randSeed(static_cast<int>(seed & 0x7fffffffU) | 1);
  return std::make_unique<CheckedHbmDut>(std::move(context), fst_file);
}

}  // namespace tepin::tb::hbm
