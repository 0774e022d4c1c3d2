// SPDX-License-Identifier: Apache-2.0
// The verilated arithmetic of a tile (vector_top.sv) behind plain types: dot products of the matrix unit's datapath and
// the conversions of the vector unit. Nothing that includes this header sees Verilator.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "sw/golden/mx.h"

namespace tepin::tb {

class VectorDut {
 public:
  virtual ~VectorDut() = default;
  VectorDut() = default;
  VectorDut(const VectorDut&) = delete;
  VectorDut& operator=(const VectorDut&) = delete;

  /// Accumulators after each block of E2M1 weights w and activations a, from +0, in ascending order, as FP32 bits. fa:
  /// mxfp4, mxfp8_e4m3 or mxint8. std::logic_error if the accumulators of the array, which all get the same operands,
  /// differ, or if no result comes.
  virtual std::uint32_t dot(isa::Format fa, std::span<const golden::Block> w, std::span<const golden::Block> a) = 0;
  /// vqnt of a block.
  virtual golden::Block quantise(isa::Format f, std::span<const std::uint32_t, golden::kBlock> fp32) = 0;
  /// Each value alone, under scale 127 (that is 1): at most 32.
  virtual std::array<std::uint8_t, golden::kBlock> convert(isa::Format f, std::span<const std::uint32_t> fp32) = 0;
  /// vdqt of a block.
  virtual std::array<std::uint32_t, golden::kBlock> dequantise(isa::Format f, const golden::Block& b) = 0;
  virtual std::uint16_t to_bf16(std::uint32_t fp32) = 0;
};

[[nodiscard]] std::unique_ptr<VectorDut> make_vector_dut();

}  // namespace tepin::tb
