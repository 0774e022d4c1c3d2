// SPDX-License-Identifier: Apache-2.0
#include <verilated_fst_c.h>

#include "Vtile_checked.h"
#include "tb/dut_model.h"

namespace tepin::tb {
namespace {

class CheckedDut final : public DutModel<Vtile_checked> {
 public:
  CheckedDut(std::unique_ptr<VerilatedContext> context, const std::string& fst_file) : DutModel(std::move(context)) {
    if (fst_file.empty()) return;
    fst_ = std::make_unique<VerilatedFstC>();
    model().trace(fst_.get(), 99);
    fst_->open(fst_file.c_str());
  }
  ~CheckedDut() override {
    if (fst_) fst_->close();
  }
  CheckedDut(const CheckedDut&) = delete;
  CheckedDut& operator=(const CheckedDut&) = delete;

 protected:
  void after_edge() override {
    if (fst_) fst_->dump(context().time());
    DutModel::after_edge();
  }

 private:
  std::unique_ptr<VerilatedFstC> fst_;
};

}  // namespace

std::unique_ptr<Dut> make_checked_dut(const std::string& fst_file, std::uint32_t seed) {
  auto context = std::make_unique<VerilatedContext>();
  context->traceEverOn(true);
  context->randReset(2);
  context->randSeed(static_cast<int>(seed & 0x7fffffffU) | 1);
  return std::make_unique<CheckedDut>(std::move(context), fst_file);
}

}  // namespace tepin::tb
