// SPDX-License-Identifier: Apache-2.0
// Weights quantised on import, and numbers of a checkpoint converted without a change of value.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sw/golden/mx.h"
#include "sw/model/safetensors.h"

namespace tepin::cli {

/// The format of --quantise: an MX format that the matrix unit takes as weights, or mxint8x2, also named bf16.
/// InputError, which lists them, for others.
[[nodiscard]] isa::Format import_format(const std::string& name);
/// floor, even, round-up, ceiling (docs/numerics.md, 1); InputError, which names the option, for others.
[[nodiscard]] golden::ScaleRule scale_rule(const std::string& option, const std::string& name);
[[nodiscard]] std::string rule_name(golden::ScaleRule rule);

/// Whether values of a type are floating point numbers that all are FP32 values too: BF16, F16, F32.
[[nodiscard]] bool is_float(model::Dtype dtype);
/// Bytes that are numbers of such a type as FP32 bits: exact; a NaN of F16 is 0x7fc00000.
[[nodiscard]] std::vector<std::uint32_t> to_fp32(model::Dtype dtype, std::span<const std::uint8_t> bytes);
/// FP32 bits as BF16: nullopt unless that is exact. A NaN is 0x7fc0.
[[nodiscard]] std::optional<std::uint16_t> exact_bf16(std::uint32_t bits);

/// codes, scales of weights as model::WeightLayout says, and scales of 128 x 128 elements where there are some.
struct WeightBytes {
  std::vector<std::uint8_t> codes, scales;
  std::vector<std::uint32_t> block_scales;
};
/// Quantises FP32 bits, a whole number of blocks of 32 along K, as vqnt does. mxint8x2: coarse by the rule, then the
/// exact residual by the rule (docs/numerics.md, 4).
[[nodiscard]] WeightBytes quantise_weights(std::span<const std::uint32_t> values, isa::Format format,
                                           golden::ScaleRule rule);

}  // namespace tepin::cli
