// SPDX-License-Identifier: Apache-2.0
// A mixture-of-experts layer of a gpt-oss checkpoint with tokens for it, and what it must give.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/kernels/moe.h"
#include "sw/model/safetensors.h"

namespace tepin::cli {

/// A layer, and the weights that its experts show. Valid while the checkpoint is open.
struct MoeModel {
  kernels::MoeLayer layer;  // without tokens
  std::vector<float> norm, gate, gate_bias;
  std::vector<float> embedding;  // [vocabulary][hidden]
};

/// The tensor by which a checkpoint shows that it has layer `block`.
[[nodiscard]] std::string moe_tensor(std::uint64_t block);
[[nodiscard]] bool has_moe(const model::Safetensors& file, std::uint64_t block);
/// Layer `block` of a checkpoint. InputError if a tensor is missing or has another shape than the others ask for.
[[nodiscard]] MoeModel load_moe(const model::Safetensors& file, std::uint64_t block);

/// Adds tokens by their numbers in the vocabulary: embedding, RMSNorm, the gate's best `top` experts and the softmax of
/// their scores, all computed here in double precision and rounded to FP32 once. InputError if a token or `top` is out
/// of range.
void add_tokens(MoeModel& m, const std::vector<std::uint32_t>& tokens, std::uint64_t top);

/// The layer's result on a mesh, FP32 bits [token][hidden]: every operation in its documented order (docs/numerics.md,
/// docs/net.md, 4), but neither panels nor programs nor routers.
[[nodiscard]] std::vector<std::uint32_t> moe_reference(const kernels::MoeLayer& layer, std::uint32_t mesh_x,
                                                       std::uint32_t mesh_y);

}  // namespace tepin::cli
