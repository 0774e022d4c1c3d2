// SPDX-License-Identifier: Apache-2.0
#include "tb/vector_dut.h"

#include <stdexcept>

#include "Vvector_unit.h"

namespace tepin::tb {
namespace {

using golden::Block;
using golden::kBlock;

constexpr int kLatency = 16;  // cycles to wait for a result, more than the pipeline has

class VerilatedUnit final : public VectorDut {
 public:
  VerilatedUnit() : model_(std::make_unique<Vvector_unit>(&context_, "vectors")) {
    model_->rst_ni = 0;
    tick();
    tick();
    model_->rst_ni = 1;
  }
  ~VerilatedUnit() override { model_->final(); }

  std::uint32_t dot(isa::Format fa, std::span<const Block> w, std::span<const Block> a) override {
    const bool two = fa == isa::Format::kMxfp8E4m3;
    std::uint32_t result = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      offer(fa, w[i], a[i]);
      if (two) step(false, false, false);
      step(two, true, i == 0);
      result = wait_update();
    }
    return result;
  }

  Block quantise(isa::Format f, std::span<const std::uint32_t, kBlock> fp32) override {
    Block b;
    set_values(f, 127, fp32);
    b.scale = model_->block_scale_o;
    for (std::size_t i = 0; i < b.codes.size(); ++i) b.codes[i] = model_->block_code_o[i];
    return b;
  }

  std::array<std::uint8_t, kBlock> convert(isa::Format f, std::span<const std::uint32_t> fp32) override {
    std::array<std::uint8_t, kBlock> codes{};
    set_values(f, 127, fp32);
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = model_->code_o[i];
    return codes;
  }

  std::array<std::uint32_t, kBlock> dequantise(isa::Format f, const Block& b) override {
    std::array<std::uint32_t, kBlock> values{};
    model_->fmt_i = static_cast<std::uint8_t>(f);
    model_->scale_i = b.scale;
    for (std::size_t i = 0; i < values.size(); ++i) model_->code_i[i] = b.codes[i];
    model_->eval();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = model_->value_o[i];
    return values;
  }

  std::uint16_t to_bf16(std::uint32_t fp32) override {
    set_values(isa::Format::kMxint8, 127, {&fp32, 1});
    return model_->bf16_o[0];
  }

 private:
  void tick() {
    model_->clk_i = 1;
    model_->eval();
    model_->clk_i = 0;
    model_->eval();
  }

  void set_values(isa::Format f, std::uint8_t scale, std::span<const std::uint32_t> fp32) {
    if (fp32.size() > kBlock) throw std::logic_error("VectorDut: more than 32 values");
    model_->fmt_i = static_cast<std::uint8_t>(f);
    model_->scale_i = scale;
    for (std::size_t i = 0; i < kBlock; ++i) model_->x_i[i] = i < fp32.size() ? fp32[i] : 0;
    model_->eval();
  }

  void offer(isa::Format fa, const Block& w, const Block& a) {
    const auto words = [](isa::Format f, const Block& b) {
      std::array<std::uint8_t, kBlock> packed{};
      golden::pack_codes(f, b.codes, packed.data());
      std::array<std::uint32_t, 8> out{};
      for (std::size_t i = 0; i < packed.size(); ++i) out[i / 4] |= std::uint32_t{packed[i]} << (i % 4 * 8);
      return out;
    };
    const auto wc = words(isa::Format::kMxfp4, w);
    const auto ac = words(fa, a);
    for (std::size_t i = 0; i < 4; ++i) model_->w_i[i] = wc[i];
    for (std::size_t i = 0; i < 8; ++i) model_->a_i[i] = ac[i];
    model_->ws_i = w.scale;
    model_->as_i = a.scale;
    model_->step_fa_i = static_cast<std::uint8_t>(fa);
    model_->step_group_i = 0;
  }

  void step(bool hi, bool update, bool init) {
    model_->step_valid_i = 1;
    model_->step_hi_i = hi;
    model_->step_update_i = update;
    model_->step_init_i = init;
    tick();
    model_->step_valid_i = 0;
  }

  std::uint32_t wait_update() {
    for (int i = 0; i < kLatency; ++i) {
      if (model_->update_valid_o != 0) {
        const std::uint32_t value = model_->update_o[0];
        for (const std::uint32_t v : model_->update_o.m_storage) {
          if (v != value)
            throw std::logic_error("matrix unit: accumulators differ although their operands are the same");
        }
        tick();  // written
        return value;
      }
      tick();
    }
    throw std::logic_error("matrix unit: a step gives no result");
  }

  VerilatedContext context_;
  std::unique_ptr<Vvector_unit> model_;
};

}  // namespace

std::unique_ptr<VectorDut> make_vector_dut() { return std::make_unique<VerilatedUnit>(); }

}  // namespace tepin::tb
