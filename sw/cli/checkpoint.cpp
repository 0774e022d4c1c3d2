// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sw/asm/lexer.h"
#include "sw/model/safetensors_header.h"

namespace tepin::cli {
namespace {

using model::Safetensors;
using model::Tensor;

constexpr std::string_view kBlocks = ".blocks";
constexpr std::string_view kScales = ".scales";
constexpr std::string_view kLayout =
    "allowed: MXFP4 as NAME.blocks U8 [experts][M][K/32][16] with NAME.scales U8 [experts][M][K/32]";

std::string describe(const Tensor& t) {
  return fmt::format("{} [{}]", model::kDtypes[static_cast<std::size_t>(t.dtype)].name, fmt::join(t.shape, ", "));
}

[[noreturn]] void bad(const Safetensors& file, std::string_view name, const std::string& what) {
  throw isa::InputError(fmt::format("{}: tensor {}: {}", file.path(), model::printable(name), what));
}

[[noreturn]] void unknown(const Safetensors& file, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Tensor& t : file.tensors()) {
    if (t.name.ends_with(kBlocks)) names.push_back(std::string_view(t.name).substr(0, t.name.size() - kBlocks.size()));
  }
  std::string what = "does not exist";
  if (std::string near = assembly::suggestion(name, names); !near.empty()) {
    what += near;
  } else if (!names.empty()) {
    what += fmt::format("; there are {} with MXFP4 weights, for example {}", names.size(), names[0]);
  } else {
    what += "; the file has no MXFP4 weights (NAME.blocks and NAME.scales)";
  }
  bad(file, name, what);
}

}  // namespace

Weights Matrices::at(std::uint64_t index) const {
  const std::uint64_t blocks = m * kb;
  return {count > 1 ? fmt::format("{}[{}]", name, index) : name, m, kb, codes.subspan(index * blocks * 16, blocks * 16),
          scales.subspan(index * blocks, blocks)};
}

Matrices find_matrices(const Safetensors& file, std::string_view name) {
  for (const std::string_view end : {kBlocks, kScales}) {
    if (name.ends_with(end)) name.remove_suffix(end.size());
  }
  const std::string base(name);
  const Tensor* blocks = file.find(base + std::string(kBlocks));
  if (blocks == nullptr) {
    const Tensor* plain = file.find(base);
    if (plain == nullptr) plain = file.find(base + ".weight");
    if (plain != nullptr)
      bad(file, plain->name, fmt::format("is {}, which is not quantised; {}", describe(*plain), kLayout));
    unknown(file, name);
  }
  const Tensor* scales = file.find(base + std::string(kScales));
  if (scales == nullptr) bad(file, base + std::string(kScales), fmt::format("does not exist beside {}", blocks->name));
  const auto& shape = blocks->shape;
  if (blocks->dtype != model::Dtype::kU8 || (shape.size() != 3 && shape.size() != 4) || shape.back() != 16) {
    bad(file, blocks->name, fmt::format("is {}; {}", describe(*blocks), kLayout));
  }
  if (scales->dtype != model::Dtype::kU8 ||
      !std::equal(shape.begin(), shape.end() - 1, scales->shape.begin(), scales->shape.end())) {
    bad(file, scales->name,
        fmt::format("is {}, beside {} of {}; {}", describe(*scales), blocks->name, describe(*blocks), kLayout));
  }
  Matrices out;
  out.name = base;
  const std::size_t at = shape.size() - 3;
  out.count = at == 1 ? shape[0] : 1;
  out.m = shape[at];
  out.kb = shape[at + 1];
  out.codes = blocks->data;
  out.scales = scales->data;
  if (out.count == 0 || out.m == 0 || out.kb == 0)
    bad(file, blocks->name, fmt::format("is {}: empty", describe(*blocks)));
  return out;
}

std::vector<Matrices> all_matrices(const Safetensors& file) {
  std::vector<Matrices> out;
  for (const Tensor& t : file.tensors()) {
    if (t.name.ends_with(kBlocks)) out.push_back(find_matrices(file, t.name));
  }
  return out;
}

}  // namespace tepin::cli
