// SPDX-License-Identifier: Apache-2.0
// Seeded bit errors in what is read: one or two flipped bits of a burst's 272, the stored burst untouched.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "tb/dram/burst_store.h"

namespace tepin::tb::dram {

class BitErrors {
 public:
  /// Chances, each burst, of exactly one and of exactly two flipped bits; together at most 1 (std::invalid_argument).
  void set_single(double p) { set(p, double_); }
  void set_double(double p) { set(single_, p); }
  void seed(std::uint64_t seed) { state_ = seed; }

  void apply(Burst& burst) {
    if (single_ + double_ > 0) draw(burst);
  }
  [[nodiscard]] std::uint64_t singles() const { return singles_; }
  [[nodiscard]] std::uint64_t doubles() const { return doubles_; }

 private:
  void set(double single, double twice) {
    if (!(single >= 0 && twice >= 0 && single + twice <= 1)) throw std::invalid_argument("bit error rates beyond 0..1");
    single_ = single;
    double_ = twice;
  }
  void draw(Burst& burst) {
    const double u = static_cast<double>(next() >> 11) * 0x1p-53;
    if (u >= single_ + double_) return;
    const int first = below(BurstStore::kBits);
    flip_bit(burst, first);
    if (u >= double_) {
      ++singles_;
      return;
    }
    const int second = below(BurstStore::kBits - 1);
    flip_bit(burst, second + (second >= first ? 1 : 0));
    ++doubles_;
  }
  int below(int n) { return static_cast<int>((next() >> 32) * static_cast<std::uint64_t>(n) >> 32); }
  std::uint64_t next() {  // SplitMix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }

  double single_ = 0, double_ = 0;
  std::uint64_t state_ = 1, singles_ = 0, doubles_ = 0;
};

}  // namespace tepin::tb::dram
