// SPDX-License-Identifier: Apache-2.0
// The verilated arithmetic of a tile (vector_top.sv) behind plain types: dot products of the matrix unit's datapath and
// the conversions of the vector unit. Nothing that includes this header sees Verilator.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "sw/golden/vectors.h"

namespace tepin::tb {

/// A weight block of one row as memory holds it: codes (4-bit ones in the first 16 bytes) and scale (one-byte ones in
/// the low byte).
struct WeightOperand {
  std::array<std::uint8_t, golden::kBlock> codes{};
  std::uint16_t scale = 0;
};
[[nodiscard]] WeightOperand weight_operand(isa::Format fw, const golden::WeightBlock& w);

class VectorDut {
 public:
  virtual ~VectorDut() = default;
  VectorDut() = default;
  VectorDut(const VectorDut&) = delete;
  VectorDut& operator=(const VectorDut&) = delete;

  /// Accumulators after all blocks of weights w and activations a, from +0, in ascending order, as FP32 bits. fw, fa:
  /// formats that mm takes. std::logic_error if the accumulators of the array, which all get the same operands, differ,
  /// if no result comes, or if it flags a code as wrong that is none.
  virtual std::uint32_t dot(isa::Format fa, isa::Format fw, std::span<const WeightOperand> w,
                            std::span<const golden::Block> a) = 0;
  /// vqnt of a block.
  virtual golden::Block quantise(isa::Format f, std::span<const std::uint32_t, golden::kBlock> fp32,
                                 golden::ScaleRule rule) = 0;
  /// Each value alone, under scale 127 (that is 1): at most 32.
  virtual std::array<std::uint8_t, golden::kBlock> convert(isa::Format f, std::span<const std::uint32_t> fp32) = 0;
  /// vdqt of a block.
  virtual std::array<std::uint32_t, golden::kBlock> dequantise(isa::Format f, const golden::Block& b) = 0;
  virtual std::uint16_t to_bf16(std::uint32_t fp32) = 0;
  /// a * b + c, as vfmas and, with a factor of one or a zero, the other arithmetic.
  virtual std::uint32_t fma(std::uint32_t a, std::uint32_t b, std::uint32_t c) = 0;
};

[[nodiscard]] std::unique_ptr<VectorDut> make_vector_dut();

}  // namespace tepin::tb
