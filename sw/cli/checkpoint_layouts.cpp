// SPDX-License-Identifier: Apache-2.0
// Layouts of weights, and where they are defined:
//   MXFP4: openai/gpt-oss, gpt_oss/torch/weights.py; with _blocks and _scales in the checkpoint for transformers.
//   NVFP4: NVIDIA/Model-Optimizer, modelopt/torch/quantization/qtensor/nvfp4_tensor.py: value = code * weight_scale *
//     weight_scale_2; vllm-project/compressed-tensors, compressors/nvfp4: value = code * weight_scale /
//     weight_global_scale. The first of two codes is in the low nibble in both.
//   INT4: vllm-project/compressed-tensors, compressors/pack_quantized: element i at bits 4i, stored as value + 8. So
//     moonshotai/Kimi-K2-Thinking and its successors.
//   FP8: deepseek-ai/DeepSeek-V3, README_WEIGHTS.md: value = code * weight_scale_inv, in blocks of 128 x 128.
#include "sw/cli/checkpoint_layouts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "sw/model/safetensors_header.h"

namespace tepin::cli {
namespace {

using model::Dtype;
using model::Safetensors;
using model::Tensor;
using Shape = std::vector<std::uint64_t>;

/// The shape with other last dimensions.
Shape with_last(const Shape& shape, std::initializer_list<std::uint64_t> last) {
  Shape out(shape.begin(), shape.end() - static_cast<std::ptrdiff_t>(last.size()));
  out.insert(out.end(), last);
  return out;
}

/// Fills in name, codes, count, m and kb. per_word: elements of K in one element of the tensor.
Matrices start(const Safetensors& file, const Tensor& codes, std::string_view end, std::uint64_t per_word,
               std::string_view text) {
  const Shape& shape = codes.shape;
  const auto refuse = [&](const std::string& what) {
    bad_tensor(file.path(), codes.name, fmt::format("is {}{}; allowed: {}", describe(codes), what, text));
  };
  if (shape.size() != 2 && shape.size() != 3) refuse("");
  if (std::ranges::count(shape, 0U) > 0) refuse(", empty");
  const std::uint64_t k = shape.back() * per_word;
  if (k % 32 != 0) refuse(fmt::format(", K = {}, no multiple of 32", k));
  Matrices out;
  out.file = file.path();
  out.name = codes.name;
  if (out.name.ends_with(end)) out.name.resize(out.name.size() - end.size());
  out.codes = &codes;
  out.count = shape.size() == 3 ? shape[0] : 1;
  out.m = shape[shape.size() - 2];
  out.kb = k / 32;
  return out;
}

/// A partner tensor; InputError if there is none.
const Tensor& partner(const Safetensors& file, const Tensor& codes, const std::string& name, std::string_view text) {
  const Tensor* t = file.find(name);
  if (t == nullptr) {
    bad_tensor(file.path(), name,
               fmt::format("does not exist beside {} of {}; allowed: {}", model::printable(codes.name), describe(codes),
                           text));
  }
  return *t;
}

std::vector<std::string_view> names_of(std::initializer_list<Dtype> dtypes) {
  std::vector<std::string_view> names;
  for (const Dtype d : dtypes) names.push_back(model::kDtypes[static_cast<std::size_t>(d)].name);
  return names;
}

void check(const Safetensors& file, const Tensor& t, std::initializer_list<Dtype> dtypes, const Shape& shape,
           const Tensor& codes, std::string_view text) {
  if (std::ranges::count(dtypes, t.dtype) > 0 && t.shape == shape) return;
  bad_tensor(file.path(), t.name,
             fmt::format("is {}, expected {} [{}] beside {} of {}; allowed: {}", describe(t),
                         fmt::join(names_of(dtypes), " or "), fmt::join(shape, ", "), model::printable(codes.name),
                         describe(codes), text));
}

void refuse_partner(const Safetensors& file, const std::string& name, std::string_view what, std::string_view text) {
  if (file.find(name) != nullptr) bad_tensor(file.path(), name, fmt::format("{}; allowed: {}", what, text));
}

/// The integers of weight_shape.
Shape integers(const Tensor& t) {
  Shape out;
  const std::size_t size = t.dtype == Dtype::kI64 ? 8 : 4;
  for (std::size_t i = 0; i < t.data.size(); i += size) {
    std::uint64_t v = 0;
    std::memcpy(&v, &t.data[i], size);
    out.push_back(v);
  }
  return out;
}

/// Number `index` of `count` equal parts of a tensor's bytes.
std::span<const std::uint8_t> part(const Tensor& t, std::uint64_t index, std::uint64_t count) {
  const std::uint64_t bytes = t.data.size() / count;
  return t.data.subspan(index * bytes, bytes);
}

}  // namespace

std::string describe(const Tensor& t) {
  return fmt::format("{} [{}]", model::kDtypes[static_cast<std::size_t>(t.dtype)].name, fmt::join(t.shape, ", "));
}

void bad_tensor(const std::string& file, std::string_view tensor, const std::string& what) {
  throw isa::InputError(fmt::format("{}: tensor {}: {}", file, model::printable(tensor), what));
}

Matrices mxfp4_blocks(const Safetensors& file, const Tensor& blocks, const std::string& scales) {
  const Shape& shape = blocks.shape;
  if (blocks.dtype != Dtype::kU8 || (shape.size() != 3 && shape.size() != 4) || shape.back() != 16)
    bad_tensor(file.path(), blocks.name, fmt::format("is {}; allowed: {}", describe(blocks), kMxfp4Text));
  if (std::ranges::count(shape, 0U) > 0)
    bad_tensor(file.path(), blocks.name, fmt::format("is {}, empty; allowed: {}", describe(blocks), kMxfp4Text));
  Matrices out;
  out.file = file.path();
  out.name = blocks.name.substr(0, blocks.name.size() - std::string_view(".blocks").size());
  out.codes = &blocks;
  out.scales = &partner(file, blocks, scales, kMxfp4Text);
  check(file, *out.scales, {Dtype::kU8}, Shape(shape.begin(), shape.end() - 1), blocks, kMxfp4Text);
  out.count = shape.size() == 4 ? shape[0] : 1;
  out.m = shape[shape.size() - 3];
  out.kb = shape[shape.size() - 2];
  return out;
}

Matrices nvfp4(const Safetensors& file, const Tensor& packed, const std::string& stem) {
  Matrices out = start(file, packed, packed.name.ends_with("_packed") ? ".weight_packed" : ".weight", 2, kNvfp4Text);
  out.format = isa::Format::kNvfp4;
  out.scales = &partner(file, packed, stem + "_scale", kNvfp4Text);
  check(file, *out.scales, {Dtype::kF8E4m3}, with_last(packed.shape, {out.kb * 2}), packed, kNvfp4Text);
  const Tensor* multiplier = file.find(stem + "_scale_2");
  const Tensor* divisor = file.find(stem + "_global_scale");
  if (multiplier != nullptr && divisor != nullptr) {
    bad_tensor(file.path(), divisor->name,
               fmt::format("stands beside {}; allowed: one of them", model::printable(multiplier->name)));
  }
  out.layout = divisor != nullptr ? Layout::kNvfp4CompressedTensors : Layout::kNvfp4ModelOpt;
  out.global = divisor != nullptr ? divisor : &partner(file, packed, stem + "_scale_2", kNvfp4Text);
  const std::uint64_t numbers = out.global->data.size() / 4;
  if (out.global->dtype != Dtype::kF32 || (numbers != 1 && numbers != out.count)) {
    bad_tensor(file.path(), out.global->name,
               fmt::format("is {}, expected F32, one number{}; allowed: {}", describe(*out.global),
                           out.count > 1 ? fmt::format(" or {}", out.count) : "", kNvfp4Text));
  }
  return out;
}

Matrices int4_packed(const Safetensors& file, const Tensor& packed, const std::string& stem) {
  Matrices out = start(file, packed, ".weight_packed", 8, kInt4Text);
  out.layout = Layout::kInt4PackQuantized;
  out.format = isa::Format::kInt4g32;
  refuse_partner(file, stem + "_zero_point", "zero points are not supported", kInt4Text);
  refuse_partner(file, stem + "_g_idx", "an order of activations (actorder) is not supported", kInt4Text);
  const std::uint64_t k = out.kb * 32;
  if (const Tensor* t = file.find(stem + "_shape"); t != nullptr) {
    const bool whole = t->dtype == Dtype::kI64 || t->dtype == Dtype::kI32;
    const Shape says = whole ? integers(*t) : Shape{};
    if (says != Shape{out.m, k} && says != with_last(packed.shape, {k})) {
      bad_tensor(file.path(), t->name,
                 fmt::format("is {} and says [{}]; allowed: I64 or I32 that say [{}, {}], the shape of {}",
                             describe(*t), fmt::join(says, ", "), out.m, k, model::printable(packed.name)));
    }
  }
  const Tensor& scales = partner(file, packed, stem + "_scale", kInt4Text);
  if (const Shape& s = scales.shape; s.size() == packed.shape.size() && s.back() != 0 && s.back() != out.kb &&
                                     k % s.back() == 0 && with_last(s, {out.kb}) == with_last(packed.shape, {out.kb})) {
    bad_tensor(file.path(), scales.name,
               fmt::format("is {}: groups of {} elements along K = {}; allowed: groups of 32", describe(scales),
                           k / s.back(), k));
  }
  check(file, scales, {Dtype::kBf16, Dtype::kF16, Dtype::kF32}, with_last(packed.shape, {out.kb}), packed, kInt4Text);
  out.scales = &scales;
  return out;
}

Matrices fp8_blocks(const Safetensors& file, const Tensor& weight, const std::string& stem) {
  Matrices out = start(file, weight, ".weight", 1, kFp8Text);
  out.layout = Layout::kFp8BlockScales;
  out.format = isa::Format::kMxfp8E4m3;
  out.scales = &partner(file, weight, stem + "_scale_inv", kFp8Text);
  check(file, *out.scales, {Dtype::kF32, Dtype::kBf16},
        with_last(weight.shape, {(out.m + 127) / 128, (out.kb + 3) / 4}), weight, kFp8Text);
  return out;
}

Matrices plain(const Safetensors& file, const Tensor& weight, const ImportOptions& options) {
  Matrices out = start(file, weight, ".weight", 1, kPlainText);
  out.layout = Layout::kPlain;
  out.format = options.format.value_or(isa::Format::kMxfp4);
  out.rule = options.rule.value_or(golden::ScaleRule::kFloor);
  return out;
}

std::string Matrices::format_text() const {
  return layout == Layout::kFp8BlockScales ? "fp8_128x128"
                                           : std::string(isa::kFormats[static_cast<std::size_t>(format)].name);
}

std::string Matrices::layout_text() const {
  switch (layout) {
    case Layout::kMxfp4Blocks:
      return "mxfp4_blocks";
    case Layout::kNvfp4ModelOpt:
      return "nvfp4_modelopt";
    case Layout::kNvfp4CompressedTensors:
      return "nvfp4_compressed_tensors";
    case Layout::kInt4PackQuantized:
      return "int4_pack_quantized";
    case Layout::kFp8BlockScales:
      return "fp8_block_scales";
    case Layout::kPlain:
      break;
  }
  return codes->dtype == Dtype::kBf16 ? "plain_bf16" : codes->dtype == Dtype::kF16 ? "plain_f16" : "plain_f32";
}

Weights Matrices::at(std::uint64_t index) const {
  Weights out;
  out.name = count > 1 ? fmt::format("{}[{}]", name, index) : name;
  out.m = m;
  out.kb = kb;
  out.format = format;
  const auto own = std::make_shared<WeightBytes>();
  out.storage = own;
  const std::span<const std::uint8_t> code_bytes = part(*codes, index, count);
  out.codes = code_bytes;
  if (scales != nullptr) out.scales = part(*scales, index, count);
  switch (layout) {
    case Layout::kMxfp4Blocks:
      break;
    case Layout::kNvfp4ModelOpt:
    case Layout::kNvfp4CompressedTensors: {
      const bool each = global->data.size() > 4;
      std::memcpy(&out.tensor_scale, &global->data[each ? index * 4 : 0], 4);
      if (layout == Layout::kNvfp4ModelOpt) break;
      float divisor = 0;
      std::memcpy(&divisor, &out.tensor_scale, 4);
      if (divisor == 0)
        bad_tensor(file, global->name, "is 0, and the scales are to be divided by it; allowed: any other number");
      const float inverse = 1.0F / divisor;  // to the nearest FP32, ties to even
      std::memcpy(&out.tensor_scale, &inverse, 4);
      break;
    }
    case Layout::kInt4PackQuantized:
      // value + 8 to two's complement: the upper bit of each nibble changes.
      own->codes.assign(code_bytes.begin(), code_bytes.end());
      for (std::uint8_t& b : own->codes) b ^= 0x88;
      out.codes = own->codes;
      if (scales->dtype == Dtype::kBf16) break;
      for (const std::uint32_t bits : to_fp32(scales->dtype, out.scales)) {
        const std::optional<std::uint16_t> scale = exact_bf16(bits);
        if (!scale) {
          const std::uint64_t at = own->scales.size() / 2;
          bad_tensor(file, scales->name,
                     fmt::format("is {}, and its scale of row {}, group {} is no BF16 number ({:#010x} as FP32); "
                                 "allowed: scales that BF16 holds exactly",
                                 describe(*scales), at / kb, at % kb, bits));
        }
        own->scales.push_back(static_cast<std::uint8_t>(*scale));
        own->scales.push_back(static_cast<std::uint8_t>(*scale >> 8));
      }
      out.scales = own->scales;
      break;
    case Layout::kFp8BlockScales:
      own->block_scales = to_fp32(scales->dtype, out.scales);
      own->scales.assign(m * kb, 127);  // the blocks themselves are not scaled
      out.scales = own->scales;
      out.block_scales = own->block_scales;
      break;
    case Layout::kPlain:
      *own = quantise_weights(to_fp32(codes->dtype, code_bytes), format, *rule);
      out.codes = own->codes;
      out.scales = own->scales;
      break;
  }
  return out;
}

}  // namespace tepin::cli
