// SPDX-License-Identifier: Apache-2.0
// Which tensors belong to a name.
#include "sw/cli/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sw/asm/lexer.h"
#include "sw/cli/checkpoint_layouts.h"
#include "sw/model/safetensors_header.h"

namespace tepin::cli {
namespace {

using model::Dtype;
using model::Safetensors;
using model::Tensor;

/// A name may be given with the ending of any of its tensors.
constexpr std::array<std::string_view, 11> kEndings{".blocks",           "_blocks",         ".scales",
                                                    "_scales",           ".weight",         ".weight_packed",
                                                    ".weight_scale",     ".weight_scale_2", ".weight_global_scale",
                                                    ".weight_scale_inv", ".weight_shape"};

std::string_view stem_of(std::string_view name) {
  for (const std::string_view end : kEndings) {
    if (name.ends_with(end)) return name.substr(0, name.size() - end.size());
  }
  return name;
}

/// Ends in .blocks or _blocks, and the name of its scales.
std::optional<std::string> scales_of(std::string_view blocks) {
  constexpr std::string_view kWord = "blocks";
  if (!blocks.ends_with(".blocks") && !blocks.ends_with("_blocks")) return std::nullopt;
  return std::string(blocks.substr(0, blocks.size() - kWord.size())) + "scales";
}

[[noreturn]] void unknown(const Safetensors& file, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Tensor& t : file.tensors()) {
    const bool codes = scales_of(t.name) || t.name.ends_with(".weight_packed") || t.name.ends_with(".weight");
    if (codes || (is_float(t.dtype) && t.shape.size() >= 2)) names.push_back(stem_of(t.name));
  }
  std::string what = "does not exist";
  if (std::string near = assembly::suggestion(name, names); !near.empty()) {
    what += near;
  } else if (!names.empty()) {
    what += fmt::format("; allowed: one of {} with weights, for example {}", names.size(), model::printable(names[0]));
  } else {
    what += "; the file has no weights that are allowed";
  }
  bad_tensor(file.path(), name, what);
}

Matrices by_weight(const Safetensors& file, const Tensor& weight, const std::string& stem,
                   const ImportOptions& options) {
  if (is_float(weight.dtype)) return plain(file, weight, options);
  if (weight.dtype == Dtype::kU8) return nvfp4(file, weight, stem);
  if (weight.dtype == Dtype::kF8E4m3) return fp8_blocks(file, weight, stem);
  if (weight.dtype == Dtype::kI32) return int4_packed(file, weight, stem);
  bad_tensor(file.path(), weight.name,
             fmt::format("is {}; allowed: {}; {}; {}; {}; {}", describe(weight), kPlainText, kMxfp4Text, kNvfp4Text,
                         kInt4Text, kFp8Text));
}

Matrices find(const Safetensors& file, std::string_view name, const ImportOptions& options) {
  // A number format's tensor of exactly that name, whatever its ending.
  if (const Tensor* t = file.find(name); t != nullptr && is_float(t->dtype) && !name.ends_with("_scale") &&
                                         !name.ends_with("_scale_2") && !name.ends_with("_scale_inv")) {
    return plain(file, *t, options);
  }
  const std::string base(stem_of(name));
  for (const std::string_view end : {".blocks", "_blocks"}) {
    const std::string blocks = base + std::string(end);
    if (const Tensor* t = file.find(blocks)) return mxfp4_blocks(file, *t, *scales_of(blocks));
  }
  const std::string stem = base + ".weight";
  for (const std::string& weight : {stem + "_packed", stem}) {
    if (const Tensor* t = file.find(weight)) return by_weight(file, *t, stem, options);
  }
  if (const Tensor* t = file.find(base)) return by_weight(file, *t, base, options);
  unknown(file, name);
}

}  // namespace

Matrices find_matrices(const Safetensors& file, std::string_view name, const ImportOptions& options) {
  Matrices out = find(file, name, options);
  if (out.layout == Layout::kPlain) return out;
  for (const auto& [given, option] :
       {std::pair{options.format.has_value(), "--quantise"}, std::pair{options.rule.has_value(), "--rule"}}) {
    if (given) {
      throw isa::InputError(fmt::format(
          "{}: {}: tensor {}: is quantised already ({}), its numbers are taken as they are; allowed with tensors of "
          "BF16, F16 or F32",
          option, file.path(), model::printable(out.codes->name), out.format_text()));
    }
  }
  return out;
}

std::vector<Matrices> all_matrices(const Safetensors& file) {
  std::vector<Matrices> out;
  for (const Tensor& t : file.tensors()) {
    const auto scales = scales_of(t.name);
    if (scales && t.dtype == Dtype::kU8) out.push_back(mxfp4_blocks(file, t, *scales));
  }
  return out;
}

}  // namespace tepin::cli
