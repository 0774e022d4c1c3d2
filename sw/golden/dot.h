// SPDX-License-Identifier: Apache-2.0
// Exact dot products of 32-element blocks (docs/numerics.md, 3): any activation format with any weight format, and the
// two weight formats outside OCP MX that checkpoints use.
#pragma once

#include <array>
#include <cstdint>

#include "sw/golden/fp32.h"
#include "sw/golden/mx.h"

namespace tepin::golden {

/// E2M1 codes; a signed E4M3 scale code for each half of 16. The FP32 tensor scale is applied after accumulation.
struct Nvfp4Block {
  std::array<std::uint8_t, 2> scales{};
  std::array<std::uint8_t, kBlock> codes{};
};

/// Integers -8..7 under one BF16 scale.
struct Int4Block {
  std::uint16_t scale_bf16 = 0;
  std::array<std::int8_t, kBlock> codes{};
};

/// sum * 2^exp, or NaN. |sum| < 2^71 (E5M2 with E5M2 is the largest).
struct BlockSum {
  bool nan = false;
  Int128 sum = 0;
  int exp = 0;
};

/// NaN if a scale is NaN or an element is NaN or infinite, on either side. For INT4 an infinite scale is NaN too.
[[nodiscard]] BlockSum dot(isa::Format fw, const Block& w, isa::Format fa, const Block& a);
[[nodiscard]] BlockSum dot(const Nvfp4Block& w, isa::Format fa, const Block& a);
[[nodiscard]] BlockSum dot(const Int4Block& w, isa::Format fa, const Block& a);

/// accumulate_block with NaN: 0x7fc00000, which then stays.
[[nodiscard]] std::uint32_t accumulate(std::uint32_t acc, const BlockSum& s);

}  // namespace tepin::golden
