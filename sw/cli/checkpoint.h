// SPDX-License-Identifier: Apache-2.0
// Matrices of a checkpoint, in the layouts that models are published in (docs/cli.md, gemm). All may have one more
// dimension in front, of the experts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sw/cli/import.h"
#include "sw/cli/operands.h"
#include "sw/model/safetensors.h"

namespace tepin::cli {

enum class Layout : std::uint8_t {
  kMxfp4Blocks,
  kNvfp4ModelOpt,
  kNvfp4CompressedTensors,
  kInt4PackQuantized,
  kFp8BlockScales,
  kPlain
};

/// What to do with tensors that are not quantised. format: an MX one or mxint8x2; default mxfp4. rule: default floor.
struct ImportOptions {
  std::optional<isa::Format> format;
  std::optional<golden::ScaleRule> rule;
};

/// The matrices of one name, all of one shape. Valid while the checkpoint is open.
struct Matrices {
  std::string file, name;  // name: without .blocks, .weight, ...
  Layout layout = Layout::kMxfp4Blocks;
  isa::Format format = isa::Format::kMxfp4;
  std::optional<golden::ScaleRule> rule;  // kPlain
  std::uint64_t count = 1, m = 0, kb = 0;
  const model::Tensor* codes = nullptr;
  const model::Tensor* scales = nullptr;  // nullptr: kPlain
  const model::Tensor* global = nullptr;  // NVFP4: of the tensor, one number or one for each expert

  /// index: below count. InputError if a scale has no equal in the hardware's format: INT4 scales that are no BF16,
  /// a global scale of 0 that would have to be inverted.
  [[nodiscard]] Weights at(std::uint64_t index) const;
  /// "nvfp4", ...; FP8 under scales of 128 x 128 elements: "fp8_128x128".
  [[nodiscard]] std::string format_text() const;
  /// "mxfp4_blocks", "plain_bf16", ...
  [[nodiscard]] std::string layout_text() const;
};

/// The matrices of a name, with or without .blocks, .weight, ... InputError, with near names, if there are none, if
/// they are in no layout as above, or if options are given for weights that are quantised already.
[[nodiscard]] Matrices find_matrices(const model::Safetensors& file, std::string_view name,
                                     const ImportOptions& options = {});
/// All that are MXFP4 blocks, in the order of the file.
[[nodiscard]] std::vector<Matrices> all_matrices(const model::Safetensors& file);

}  // namespace tepin::cli
