// SPDX-License-Identifier: Apache-2.0
// Random programs without races for the whole tile. Operations are drawn in one order; each waits, through semaphores,
// for the operations of other agents that touch the same bytes before it. Since all waits point backwards in that
// order, none deadlocks. What is not needed for order is left out, so engines overlap as far as the definition allows.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sw/kernels/launch.h"

namespace tepin::tb::testing {

struct RandomProgram {
  std::string text;                                                       // assembly, for the reader of a failure
  kernels::Launch launch;                                                 // its code and HBM contents
  std::vector<std::pair<std::uint64_t, std::vector<std::uint8_t>>> spad;  // scratchpad contents by address
  std::array<std::uint32_t, 5> operations{};  // of threads (sw, lw and blocks of scalar code), LD, ST, MXU, VPU
  std::uint32_t waits = 0;                    // between agents
};

[[nodiscard]] RandomProgram random_program(std::uint64_t seed);

inline constexpr std::uint64_t kHbmBeats = 256;  // of each channel that a program uses

/// [lo, hi) of a space: 0 is the scratchpad (bytes), 1 + c pseudo-channel c (beats).
struct Range {
  int space = 0;
  std::uint64_t lo = 0, hi = 0;
};

/// One operation of an agent: 0..3 threads, 4..7 LD, ST, MXU, VPU.
struct Operation {
  int agent = 0, thread = 0;
  std::vector<std::string> setup;  // lines of the thread before it
  std::vector<std::string> lines;  // the instruction, or several (then waits and posts stand on syncs around them)
  std::vector<Range> reads, writes;
  std::vector<std::pair<int, std::uint32_t>> waits, posts;  // semaphore, count
};

class ProgramGenerator {
 public:
  explicit ProgramGenerator(std::uint64_t seed);
  RandomProgram make();

 private:
  std::uint64_t below(std::uint64_t n) { return rng_() % n; }
  std::uint64_t between(std::uint64_t lo, std::uint64_t hi) { return lo + below(hi - lo + 1); }
  bool percent(std::uint64_t p) { return below(100) < p; }
  std::uint64_t arena(std::uint64_t bytes, std::uint64_t align) {
    return base_ + below((size_ - bytes) / align + 1) * align;
  }
  Range spad(std::uint64_t at, std::uint64_t bytes) const { return {0, at, at + bytes}; }

  // Operations; false: no fitting operands were found.
  bool load_or_store(bool load);
  bool multiply();
  bool store_accumulators();
  bool elementwise();
  bool quantise(bool to_codes);
  bool repeated();  // a hardware loop around an engine's instruction
  bool word_access();
  void scalar_block();
  void scalar_lines(std::vector<std::string>& out, int thread, int depth, std::uint64_t count);
  std::string scalar_line(int thread);
  std::string reg() { return "r" + std::to_string(below(32)); }
  std::string target() { return "r" + std::to_string(below(12)); }  // r0 too: the write is dropped
  std::string label(int thread) {
    return "l" + std::to_string(thread) + "_" + std::to_string(labels_[static_cast<std::size_t>(thread)]++);
  }
  void barrier();

  /// Text of an instruction whose register operands hold these values; fills setup. flags are appended.
  std::string engine_text(Operation& op, const std::string& name,
                          const std::vector<std::pair<std::string, std::uint64_t>>& operands, const std::string& flags);
  /// Adds it to the program with the waits that it needs.
  void add(Operation op);
  void wait_for(Operation& op, std::size_t producer);
  std::string emit();

  std::mt19937_64 rng_;
  std::uint64_t base_ = 0, size_ = 0;  // of the scratchpad area that engines use
  std::uint64_t hbm_base_ = 0;         // beat of the HBM area, in every channel
  std::array<int, 8> owner_{};         // agent to the thread that issues for it
  std::vector<Operation> ops_;
  std::array<std::array<std::int64_t, 8>, 8> synced_{};  // [from][to]: last operation of from that to has waited for
  std::array<std::uint32_t, 64> weight_{};               // counts of a post, by semaphore
  std::uint32_t acc_written_ = 0;                        // accumulator columns
  std::array<int, 4> labels_{};
  RandomProgram program_;
};

}  // namespace tepin::tb::testing
