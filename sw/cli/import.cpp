// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstring>

#include "sw/isa/program.h"

namespace tepin::cli {
namespace {

using golden::Block;
using golden::kBlock;
using isa::Format;
using model::Dtype;

constexpr std::array<std::string_view, golden::kNumScaleRules> kRules{"floor", "even", "round-up", "ceiling"};

std::uint32_t f16_to_fp32(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half & 0x8000U} << 16;
  const int exp = half >> 10 & 31;
  const std::uint32_t man = half & 0x3ffU;
  if (exp == 31) return man != 0 ? golden::kNan32 : sign | golden::kInf32;
  // Subnormals are man * 2^-24; the others have a leading one.
  return golden::round_fp32({sign != 0, exp == 0 ? man : man | 0x400U, exp == 0 ? -24 : exp - 25});
}

void append(WeightBytes& out, Format format, const Block& block) {
  const std::size_t at = out.codes.size();
  out.codes.resize(at + golden::block_bytes(format));
  golden::pack_codes(format, block.codes, &out.codes[at]);
  out.scales.push_back(block.scale);
}

}  // namespace

Format import_format(const std::string& name) {
  if (name == "bf16") return Format::kMxint8x2;
  std::string allowed;
  for (std::size_t f = 0; f < isa::kFormats.size(); ++f) {
    const auto format = static_cast<Format>(f);
    if (isa::kFormats[f].digits == 0 || (f >= golden::kNumMxFormats && format != Format::kMxint8x2)) continue;
    if (isa::kFormats[f].name == name) return format;
    allowed += fmt::format("{}, ", isa::kFormats[f].name);
  }
  throw isa::InputError(
      fmt::format("--quantise {}: no format that weights are quantised to; allowed: {}bf16 (mxint8x2)", name, allowed));
}

golden::ScaleRule scale_rule(const std::string& option, const std::string& name) {
  for (std::size_t r = 0; r < kRules.size(); ++r) {
    if (kRules[r] == name) return static_cast<golden::ScaleRule>(r);
  }
  throw isa::InputError(fmt::format("{} {}: no such rule; allowed: {}", option, name, fmt::join(kRules, ", ")));
}

std::string rule_name(golden::ScaleRule rule) { return std::string(kRules[static_cast<std::size_t>(rule)]); }

bool is_float(Dtype dtype) { return dtype == Dtype::kBf16 || dtype == Dtype::kF16 || dtype == Dtype::kF32; }

std::vector<std::uint32_t> to_fp32(Dtype dtype, std::span<const std::uint8_t> bytes) {
  const std::size_t size = model::kDtypes[static_cast<std::size_t>(dtype)].bytes;
  std::vector<std::uint32_t> out(bytes.size() / size);
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint32_t bits = 0;  // numbers may begin at any byte of the file
    std::memcpy(&bits, &bytes[i * size], size);
    if (dtype == Dtype::kBf16) bits <<= 16;
    out[i] = dtype == Dtype::kF16 ? f16_to_fp32(static_cast<std::uint16_t>(bits)) : bits;
  }
  return out;
}

std::optional<std::uint16_t> exact_bf16(std::uint32_t bits) {
  if (golden::is_nan32(bits)) return golden::kNan16;
  if ((bits & 0xffffU) != 0) return std::nullopt;
  return static_cast<std::uint16_t>(bits >> 16);
}

WeightBytes quantise_weights(std::span<const std::uint32_t> values, Format format, golden::ScaleRule rule) {
  WeightBytes out;
  for (std::size_t at = 0; at < values.size(); at += kBlock) {
    const std::span<const std::uint32_t, kBlock> in = values.subspan(at).first<kBlock>();
    if (format != Format::kMxint8x2) {
      append(out, format, golden::quantise(format, in, rule));
      continue;
    }
    const Block coarse = golden::quantise(Format::kMxint8, in, rule);
    const std::array<std::uint32_t, kBlock> back = golden::dequantise(Format::kMxint8, coarse);
    std::array<std::uint32_t, kBlock> residual{};
    for (std::size_t i = 0; i < residual.size(); ++i) residual[i] = golden::fp32_sub(in[i], back[i]);
    append(out, Format::kMxint8, coarse);
    append(out, Format::kMxint8, golden::quantise(Format::kMxint8, residual, rule));
  }
  return out;
}

}  // namespace tepin::cli
