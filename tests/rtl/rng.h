// SPDX-License-Identifier: Apache-2.0
// Random numbers for tests of pins.
#pragma once

#include <cstdint>
#include <random>

namespace tepin::rtl_test {

/// 32 random bits a call, as the pins take them.
class Rng {
 public:
  explicit Rng(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t operator()() { return static_cast<std::uint32_t>(engine_()); }

 private:
  std::mt19937 engine_;
};

}  // namespace tepin::rtl_test
