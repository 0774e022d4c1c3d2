// SPDX-License-Identifier: Apache-2.0
// A kernel ready to run: its program, its parameters, its data in HBM, and where the result will be. Any target can run
// it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sw/isa/program.h"

namespace tepin::kernels {

/// Bytes of one pseudo-channel.
struct Segment {
  std::uint32_t channel = 0;
  std::uint64_t address = 0;  // bytes, a multiple of 32
  std::vector<std::uint8_t> bytes;
};

struct Launch {
  std::string name;  // "gemm", "gemv", ...
  isa::Section section;
  std::vector<std::uint8_t> params;  // to the scratchpad at 0
  std::vector<Segment> hbm;          // inputs
  std::vector<Segment> outputs;      // where results will be; bytes has their size
  std::uint64_t output_pitch = 0;    // matrix products: bytes from one column of Y to the next
  std::uint64_t useful_macs = 0;
  std::uint64_t array_macs_per_cycle = 0;  // of the configuration
  std::uint64_t passes = 1;         // of the array for the pair of formats: the peak is array_macs_per_cycle / passes
  std::uint64_t payload_bytes = 0;  // codes, scales and results that must cross the memory ports once
};

/// Splits a run of bytes (a multiple of 32) over `channels` pseudo-channels as ld and st stripe it, from `beat` in
/// each; adds to segments.
void stripe(std::span<const std::uint8_t> bytes, std::uint64_t beat, std::uint32_t channels,
            std::vector<Segment>& segments);
/// Beats that a striped run of `beats` takes in its fullest channel, rounded up to whole 256-byte units.
[[nodiscard]] std::uint64_t striped_beats(std::uint64_t beats, std::uint32_t channels);

/// Source text of a shipped kernel ("gemm.s", ...), as compiled into the program.
[[nodiscard]] std::string_view kernel_source(std::string_view file);

}  // namespace tepin::kernels
