// SPDX-License-Identifier: Apache-2.0
// One function a layout: from the tensor that holds the codes to the matrices. Each checks element types and shapes of
// all tensors of the layout and throws InputError with one line that names file, tensor, what it is and what is
// allowed.
#pragma once

#include <string>
#include <string_view>

#include "sw/cli/checkpoint.h"

namespace tepin::cli {

/// Names for errors and reports.
inline constexpr std::string_view kMxfp4Text =
    "MXFP4 as NAME.blocks U8 [M][K/32][16] with NAME.scales U8 [M][K/32] (or _blocks, _scales)";
inline constexpr std::string_view kNvfp4Text =
    "NVFP4 as NAME.weight or NAME.weight_packed U8 [M][K/2] with weight_scale F8_E4M3 [M][K/16] and weight_scale_2 or "
    "weight_global_scale F32 [1]";
inline constexpr std::string_view kInt4Text =
    "INT4 as NAME.weight_packed I32 [M][K/8] with weight_scale BF16 [M][K/32], symmetric, in groups of 32";
inline constexpr std::string_view kFp8Text =
    "FP8 as NAME.weight F8_E4M3 [M][K] with weight_scale_inv F32 or BF16 [M/128][K/128], rounded up";
inline constexpr std::string_view kPlainText = "NAME or NAME.weight BF16, F16 or F32 [M][K]";

/// "BF16 [64, 32]"
[[nodiscard]] std::string describe(const model::Tensor& t);
[[noreturn]] void bad_tensor(const std::string& file, std::string_view tensor, const std::string& what);

[[nodiscard]] Matrices mxfp4_blocks(const model::Safetensors& file, const model::Tensor& blocks,
                                    const std::string& scales);
/// stem: what the partners' names begin with: NAME.weight of NAME.weight_packed.
[[nodiscard]] Matrices nvfp4(const model::Safetensors& file, const model::Tensor& packed, const std::string& stem);
[[nodiscard]] Matrices int4_packed(const model::Safetensors& file, const model::Tensor& packed,
                                   const std::string& stem);
[[nodiscard]] Matrices fp8_blocks(const model::Safetensors& file, const model::Tensor& weight, const std::string& stem);
[[nodiscard]] Matrices plain(const model::Safetensors& file, const model::Tensor& weight, const ImportOptions& options);

}  // namespace tepin::cli
