// SPDX-License-Identifier: Apache-2.0
// Runs a folder of arithmetic test vectors (laid out as tests/data/vectors) on anything that implements the arithmetic.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "sw/golden/dot.h"

namespace tepin::golden {

/// A result, or why the backend does not implement the case (then value is empty).
template <typename T>
struct Answer {
  std::optional<T> value;
  std::string unsupported;
  Answer(T v) : value(std::move(v)) {}  // NOLINT: a plain result reads best unwrapped
  static Answer no(std::string reason) { return Answer(std::move(reason), 0); }

 private:
  Answer(std::string reason, int) : unsupported(std::move(reason)) {}
};

using WeightBlock = std::variant<Block, Nvfp4Block, Int4Block>;

/// One dot product of blocks. weight is "nvfp4", "int4g32" or the element name of `weight_format`.
struct DotCase {
  std::string name;
  std::string weight;
  isa::Format weight_format = isa::Format::kMxfp4;  // of Block weights
  isa::Format activation = isa::Format::kMxfp4;
  std::vector<Block> a;
  std::vector<WeightBlock> w;                 // as many as a
  std::optional<std::uint32_t> tensor_scale;  // FP32 bits, nvfp4 only
};
struct DotBits {
  std::uint32_t per_block = 0;          // from +0, one rounding after each block in ascending order
  std::optional<std::uint32_t> scaled;  // per_block times tensor_scale, rounded; if there is a tensor scale
  friend bool operator==(const DotBits&, const DotBits&) = default;
};

/// What vectors are run on. All numbers are bit patterns.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual Answer<std::uint32_t> decode_elem(isa::Format f, std::uint8_t code) = 0;  // FP32
  virtual Answer<std::uint32_t> decode_scale(std::uint8_t scale) = 0;               // FP32
  virtual Answer<std::uint16_t> to_bf16(std::uint32_t fp32) = 0;
  virtual Answer<std::array<std::uint32_t, kBlock>> dequantise(isa::Format f, const Block& b) = 0;
  virtual Answer<Block> quantise(isa::Format f, std::span<const std::uint32_t, kBlock> fp32, ScaleRule rule) = 0;
  /// FP32 values to codes without a scale, nearest even, saturating.
  virtual Answer<std::vector<std::uint8_t>> convert(isa::Format f, std::span<const std::uint32_t> fp32) = 0;
  virtual Answer<DotBits> dot(const DotCase& c) = 0;
};

/// The golden model itself; supports everything.
class GoldenBackend final : public Backend {
 public:
  Answer<std::uint32_t> decode_elem(isa::Format f, std::uint8_t code) override;
  Answer<std::uint32_t> decode_scale(std::uint8_t scale) override;
  Answer<std::uint16_t> to_bf16(std::uint32_t fp32) override;
  Answer<std::array<std::uint32_t, kBlock>> dequantise(isa::Format f, const Block& b) override;
  Answer<Block> quantise(isa::Format f, std::span<const std::uint32_t, kBlock> fp32, ScaleRule rule) override;
  Answer<std::vector<std::uint8_t>> convert(isa::Format f, std::span<const std::uint32_t> fp32) override;
  Answer<DotBits> dot(const DotCase& c) override;
};

struct VectorFileReport {
  std::string file;
  std::uint64_t cases = 0;  // found in the file, including skipped ones
  std::uint64_t mismatches = 0;
  std::uint64_t skipped = 0;
  std::map<std::string, std::uint64_t> skip_reasons;
  std::vector<std::string> first_mismatches;  // at most kMaxDescribed, one line each
};
inline constexpr std::size_t kMaxDescribed = 5;

struct VectorReport {
  std::vector<VectorFileReport> files;  // by name
  std::uint64_t cases = 0;
  std::uint64_t mismatches = 0;
  std::uint64_t skipped = 0;
};

/// Runs every file of the folder that has one of these names; files that are missing are no error, and any other is
/// ignored:
///   elem_decode.csv, e8m0_decode.csv       a case a code
///   mxfp4_dequant_all.csv                  two cases a row: FP32, BF16
///   fp32_to_elem_boundaries.csv            a case a row, column rne(OCP)
///   bf16_to_<elem>_rne_sat.npy             a case a BF16 pattern
///   mx_blocks.json                         two cases a block and element: quantise (with packing), dequantise; and one
///                                          for each scale of `scale_by_mode` (floor, even, rceil, ceil), if any
///                                          (rceil is no case where max|x| / largest value rounds to zero in FP32:
///                                          some sources divide in FP32 and have no rule for that)
///   rand_<elem>_{codes,scale}.npy          a case a block, of the blocks of rand_x.npy
///   mx_dots.json                           a case a dot: fp32_per_block and, with a tensor scale, fp32_scaled
/// isa::InputError (one line: file, what, what is allowed) on a malformed file or if `dir` is no folder.
[[nodiscard]] VectorReport run_vectors(const std::filesystem::path& dir, Backend& backend);

}  // namespace tepin::golden
