// SPDX-License-Identifier: Apache-2.0
// An AXI4 memory behind one pseudo-channel's port: sparse storage, a settable latency, one beat a cycle, and, seeded,
// what a real one does: stalls on all five channels, reordering and interleaving between IDs, late write responses,
// SLVERR. Order within an ID is kept. Writes take effect when their response is given, so data that nobody waited for
// is not there.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <unordered_map>
#include <vector>

#include "tb/dut.h"

namespace tepin::tb {

struct MemoryTiming {
  std::uint32_t read_latency = 100;  // cycles from the address to the first beat
  std::uint32_t write_latency = 20;  // cycles from the last beat to the response
  std::uint64_t seed = 1;
  double stall = 0;      // probability, each cycle and channel, that the memory does not take or offer
  bool reorder = false;  // between IDs, beat by beat
  std::optional<std::uint64_t> slverr_beat;  // this beat answers SLVERR
  std::optional<std::uint64_t> decerr_beat;  // this beat answers DECERR
};

class AxiMemory {
 public:
  static constexpr std::uint64_t kPage = 65536;

  AxiMemory(std::uint64_t capacity_bytes, const MemoryTiming& timing);

  /// Backdoor, byte addresses below the capacity (std::out_of_range beyond). Bytes never stored read 0.
  void store(std::uint64_t address, std::span<const std::uint8_t> data);
  void load(std::uint64_t address, std::span<std::uint8_t> out) const;

  /// Called once a cycle after the edge: `tile` and `in` are what was on the port at the edge; `in` becomes what the
  /// memory drives next. Throws std::logic_error if the tile breaks the protocol.
  void cycle(const MemoryOut& tile, MemoryIn& in);

  [[nodiscard]] bool idle() const {
    return reads_.empty() && writes_.empty() && responses_.empty() && !offered_r_ && !offered_b_;
  }
  [[nodiscard]] std::uint64_t beats_read() const { return beats_read_; }
  [[nodiscard]] std::uint64_t beats_written() const { return beats_written_; }
  void set_timing(const MemoryTiming& timing) {
    timing_ = timing;
    rng_.seed(timing.seed);
  }

 private:
  struct Burst {
    std::uint8_t id = 0;
    std::uint64_t address = 0;
    std::uint32_t beats = 0, done = 0;
    std::uint64_t ready_at = 0;
    std::vector<std::pair<Word, std::uint32_t>> data;  // writes: word and strobes
  };
  bool chance(double p) { return p > 0 && std::uniform_real_distribution<>(0, 1)(rng_) < p; }
  std::uint8_t response(std::uint64_t address) const;
  void accept(const MemoryOut& tile, const MemoryIn& in);
  void offer_read(MemoryIn& in);
  void offer_response(MemoryIn& in);
  /// Index of a burst that may go next (the first of its ID, ready), or none.
  std::optional<std::size_t> choose(const std::deque<Burst>& queue);

  std::uint64_t capacity_;
  MemoryTiming timing_;
  std::mt19937_64 rng_;
  std::unordered_map<std::uint64_t, std::unique_ptr<std::array<std::uint8_t, kPage>>> pages_;
  std::deque<Burst> reads_, writes_, responses_;
  std::deque<std::pair<Word, std::uint32_t>> early_data_;
  std::deque<bool> early_last_;
  bool offered_r_ = false, offered_b_ = false;
  std::uint64_t now_ = 0, beats_read_ = 0, beats_written_ = 0;
};

}  // namespace tepin::tb
