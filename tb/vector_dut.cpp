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

  std::uint32_t dot(isa::Format fa, isa::Format fw, std::span<const WeightOperand> w,
                    std::span<const Block> a) override {
    std::uint32_t result = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      offer(fa, fw, w[i], a[i]);
      model_->step_valid_i = 1;
      model_->step_init_i = i == 0;
      for (bool last = false; !last;) {
        model_->eval();
        last = model_->step_last_o != 0;
        tick();
      }
      model_->step_valid_i = 0;
      result = wait_update();
    }
    return result;
  }

  Block quantise(isa::Format f, std::span<const std::uint32_t, kBlock> fp32, golden::ScaleRule rule) override {
    Block b;
    model_->rule_i = static_cast<std::uint8_t>(rule);
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

  std::uint32_t fma(std::uint32_t a, std::uint32_t b, std::uint32_t c) override {
    model_->fma_i[0] = a;
    model_->fma_i[1] = b;
    model_->fma_i[2] = c;
    model_->eval();
    return model_->fma_o;
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

  void offer(isa::Format fa, isa::Format fw, const WeightOperand& w, const Block& a) {
    const auto words = [](const std::array<std::uint8_t, kBlock>& bytes) {
      std::array<std::uint32_t, 8> out{};
      for (std::size_t i = 0; i < bytes.size(); ++i) out[i / 4] |= std::uint32_t{bytes[i]} << (i % 4 * 8);
      return out;
    };
    std::array<std::uint8_t, kBlock> packed{};
    golden::pack_codes(fa, a.codes, packed.data());
    const auto wc = words(w.codes);
    const auto ac = words(packed);
    for (std::size_t i = 0; i < 8; ++i) model_->w_i[i] = wc[i];
    for (std::size_t i = 0; i < 8; ++i) model_->a_i[i] = ac[i];
    model_->ws_i = w.scale;
    model_->as_i = a.scale;
    model_->step_fa_i = static_cast<std::uint8_t>(fa);
    model_->step_fw_i = static_cast<std::uint8_t>(fw);
  }

  std::uint32_t wait_update() {
    for (int i = 0; i < kLatency; ++i) {
      if (model_->bad_code_o != 0) throw std::logic_error("matrix unit: a legal code is flagged");
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

WeightOperand weight_operand(isa::Format fw, const golden::WeightBlock& w) {
  WeightOperand out;
  if (const auto* b = std::get_if<golden::Nvfp4Block>(&w)) {
    golden::pack_codes(fw, b->codes, out.codes.data());
    out.scale = static_cast<std::uint16_t>(b->scales[0] | b->scales[1] << 8);
  } else if (const auto* i = std::get_if<golden::Int4Block>(&w)) {
    std::array<std::uint8_t, kBlock> nibbles{};
    for (std::size_t k = 0; k < nibbles.size(); ++k) nibbles[k] = static_cast<std::uint8_t>(i->codes[k] & 15);
    golden::pack_codes(fw, nibbles, out.codes.data());
    out.scale = i->scale_bf16;
  } else {
    const auto& block = std::get<Block>(w);
    golden::pack_codes(fw, block.codes, out.codes.data());
    out.scale = block.scale;
  }
  return out;
}

std::unique_ptr<VectorDut> make_vector_dut() { return std::make_unique<VerilatedUnit>(); }

}  // namespace tepin::tb
