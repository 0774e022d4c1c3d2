// SPDX-License-Identifier: Apache-2.0
// What the tests of the tile share: programs from text, random data, seeds that a reader can replay.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sw/kernels/launch.h"
#include "tb/runner.h"

namespace tepin::tb::testing {

using Bytes = std::vector<std::uint8_t>;

/// Assembled for the verilated configuration.
[[nodiscard]] isa::Section assemble(std::string_view text);
/// A launch of a text with no parameters and no data.
[[nodiscard]] kernels::Launch launch_of(std::string_view text);

[[nodiscard]] Bytes random_bytes(std::size_t n, std::uint64_t seed);
[[nodiscard]] Bytes words(std::span<const std::uint32_t> v);
/// FP32 bits of small random values: no overflow, no NaN, signs mixed.
[[nodiscard]] Bytes random_floats(std::size_t n, std::uint64_t seed);

/// TEPIN_SEED if it is set, else `standard`.
[[nodiscard]] std::uint64_t first_seed(std::uint64_t standard = 1);
/// How many cases to run: TEPIN_CASES if it is set, one if only TEPIN_SEED is (a replay), else `standard`.
[[nodiscard]] std::uint64_t cases(std::uint64_t standard);
/// One line that runs the current test again with this seed alone.
[[nodiscard]] std::string replay(std::uint64_t seed);

/// A memory that stalls and reorders, its nature drawn from the seed: read latency 1..200, stall 0..0.5.
[[nodiscard]] MemoryTiming random_timing(std::uint64_t seed);
/// The same timing on all ports, each with a seed of its own.
void set_timing(TileSim& sim, MemoryTiming timing);

/// Resets the tile softly and runs a small matrix product on it in lockstep: empty, or what is wrong. What a tile must
/// still be able to do after any fault.
[[nodiscard]] std::string good_run(TileSim& sim);

}  // namespace tepin::tb::testing
