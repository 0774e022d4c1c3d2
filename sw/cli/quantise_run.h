// SPDX-License-Identifier: Apache-2.0
// Activations quantised by the target's vector unit.
#pragma once

#include <cstdint>
#include <span>

#include "sw/cli/measure.h"

namespace tepin::cli {

/// Runs a launch of kernels::plan_quantise in lockstep and compares every byte of its panel with the one of `expected`.
[[nodiscard]] Measure run_quantise(Session& session, const kernels::Launch& launch, const Activations& expected,
                                   std::uint64_t max_cycles = 0);

/// BF16 values x, [n][32*kb], quantised by the golden model, and by the target in launches of up to 32 tokens and of as
/// much of K as the scratchpad holds, each checked against it. The launches after one that stopped or disagreed are not
/// run.
struct QuantisedInput {
  Activations activations;
  Measure measure;
};
[[nodiscard]] QuantisedInput quantise_bf16(Session& session, std::span<const std::uint16_t> x, std::uint64_t n,
                                           std::uint64_t kb, isa::Format format, golden::ScaleRule rule,
                                           std::uint64_t max_cycles = 0);

}  // namespace tepin::cli
