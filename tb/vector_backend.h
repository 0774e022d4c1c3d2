// SPDX-License-Identifier: Apache-2.0
// Test vectors on the RTL. Every case the hardware implements runs on the arithmetic alone (vector_dut.h); quantising,
// dequantising and dot products also run as programs on the whole tile, and the two answers must be the same.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "sw/golden/vectors.h"
#include "tb/tile_sim.h"
#include "tb/vector_dut.h"

namespace tepin::tb {

class RtlVectorBackend final : public golden::Backend {
 public:
  RtlVectorBackend();

  golden::Answer<std::uint32_t> decode_elem(isa::Format f, std::uint8_t code) override;
  golden::Answer<std::uint32_t> decode_scale(std::uint8_t scale) override;
  golden::Answer<std::uint16_t> to_bf16(std::uint32_t fp32) override;
  golden::Answer<std::array<std::uint32_t, golden::kBlock>> dequantise(isa::Format f, const golden::Block& b) override;
  golden::Answer<golden::Block> quantise(isa::Format f, std::span<const std::uint32_t, golden::kBlock> fp32,
                                         golden::ScaleRule rule) override;
  /// The hardware converts no lone NaN or infinity: vqnt answers such a block with scale 0xFF. For these elements the
  /// vectors' rule is applied here; all finite values are the hardware's.
  golden::Answer<std::vector<std::uint8_t>> convert(isa::Format f, std::span<const std::uint32_t> fp32) override;
  golden::Answer<golden::DotBits> dot(const golden::DotCase& c) override;

  /// Programs run, and how many of them gave another result than the arithmetic alone (or faulted).
  [[nodiscard]] std::uint64_t programs() const { return programs_; }
  [[nodiscard]] std::uint64_t disagreements() const { return disagreements_; }
  /// At most golden::kMaxDescribed of them, a line each.
  [[nodiscard]] const std::vector<std::string>& described() const { return described_; }

 private:
  enum class Kind : std::uint8_t { kQuantise, kDequantise, kDot };
  /// Loads the program of a kind and format unless it is the one that is loaded. variant: the weight format of a dot
  /// product, the scale rule of a quantisation.
  void select(Kind kind, isa::Format f, unsigned variant = 0);
  /// Runs the program that is loaded; false, counted as a disagreement, if it does not end.
  bool run(const std::string& what);
  void agree(bool same, const std::string& what);
  [[nodiscard]] std::vector<std::uint8_t> read(std::uint32_t address, std::size_t bytes);

  std::unique_ptr<VectorDut> unit_;
  TileSim tile_;
  std::map<std::tuple<Kind, isa::Format, unsigned>, isa::Section> sections_;
  const isa::Section* loaded_ = nullptr;
  std::uint64_t programs_ = 0, disagreements_ = 0;
  std::vector<std::string> described_;
};

}  // namespace tepin::tb
