// SPDX-License-Identifier: Apache-2.0
// What the plans of the kernels share: parameter blocks, places in HBM, sources with a format filled in.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sw/asm/assembler.h"
#include "sw/kernels/launch.h"
#include "sw/model/panels.h"

namespace tepin::kernels {

inline constexpr std::uint64_t kParamBytes = 256;

inline std::uint64_t div_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }
inline std::uint64_t round_up(std::uint64_t a, std::uint64_t b) { return div_up(a, b) * b; }

/// The parameter block of a kernel; places come from the `.equ P_NAME, offset` lines of its source.
class Params {
 public:
  explicit Params(std::string_view kernel) : source_(kernel_source(kernel)) {}
  /// std::logic_error if the kernel has no such parameter; InputError if the value does not fit.
  void set(std::string_view name, std::uint64_t value) {
    const std::string line = fmt::format(".equ {},", name);
    const std::size_t at = source_.find(line);
    if (at == std::string_view::npos) throw std::logic_error(fmt::format("the kernel has no parameter {}", name));
    const std::size_t offset = std::stoul(std::string(source_.substr(at + line.size(), 12)), nullptr, 0);
    if (value > 0xffffffffU) {
      throw isa::InputError(fmt::format("kernel parameter {}: {} does not fit 32 bits", name, value));
    }
    const auto v = static_cast<std::uint32_t>(value);
    std::memcpy(&bytes_.at(offset), &v, 4);
  }
  [[nodiscard]] std::vector<std::uint8_t> bytes() const { return bytes_; }

 private:
  std::string_view source_;
  std::vector<std::uint8_t> bytes_ = std::vector<std::uint8_t>(kParamBytes);
};

struct FormatAlias {
  std::string_view name;
  isa::Format format;
};
inline isa::Section assemble_kernel(const isa::Config& cfg, const std::string& file,
                                    std::initializer_list<FormatAlias> aliases, std::string source = {}) {
  for (const FormatAlias& a : aliases)
    source += fmt::format(".format {}, {}\n", a.name, isa::kFormats[static_cast<std::size_t>(a.format)].name);
  source += kernel_source(file);
  return assembly::assemble(source, file, cfg).sections.at(0);
}

/// Bytes of one block of X in its panel: codes, padded, then the scales' word.
inline std::uint64_t block_record(std::uint64_t n, isa::Format f) {
  return round_up(n * model::block_bytes(f), 32) + 32;
}

/// Hands out beats of every channel alike, from 0.
class HbmAllocator {
 public:
  explicit HbmAllocator(const isa::Config& cfg) : cfg_(cfg) {}
  std::uint64_t take(std::uint64_t beats) {
    const std::uint64_t at = next_;
    next_ += round_up(beats, 8);
    if (next_ > cfg_.hbm_beats) {
      throw isa::InputError(fmt::format("operands: need {} bytes in each pseudo-channel, it has {}", next_ * 32,
                                        std::uint64_t{cfg_.hbm_beats} * 32));
    }
    return at;
  }

 private:
  const isa::Config& cfg_;
  std::uint64_t next_ = 0;
};

inline std::uint64_t hbm_address(std::uint32_t channel, std::uint64_t beat) {
  return std::uint64_t{channel} << 26 | beat;
}

}  // namespace tepin::kernels
