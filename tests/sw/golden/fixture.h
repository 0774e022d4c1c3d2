// SPDX-License-Identifier: Apache-2.0
// What the tests of the machine share: data, and runs that must end in a certain way.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "builder.h"
#include "sw/golden/machine.h"

namespace tepin::golden::testing {

using Bytes = std::vector<std::uint8_t>;

inline Bytes random_bytes(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  Bytes b(n);
  for (auto& x : b) x = static_cast<std::uint8_t>(rng());
  return b;
}
inline Bytes words(std::span<const std::uint32_t> v) {
  Bytes b;
  for (const std::uint32_t w : v) {
    for (unsigned s = 0; s < 32; s += 8) b.push_back(static_cast<std::uint8_t>(w >> s));
  }
  return b;
}
inline Bytes floats(std::initializer_list<float> v) {
  std::vector<std::uint32_t> bits;
  for (const float f : v) bits.push_back(std::bit_cast<std::uint32_t>(f));
  return words(bits);
}
inline Bytes spad(const Machine& m, std::uint64_t at, std::size_t n) {
  const auto& b = m.spad().bytes;
  return {b.begin() + static_cast<std::ptrdiff_t>(at), b.begin() + static_cast<std::ptrdiff_t>(at + n)};
}
inline std::uint32_t word(const Machine& m, std::uint64_t at) {
  const std::uint8_t* p = &m.spad().bytes[at];
  return std::uint32_t{p[0]} | std::uint32_t{p[1]} << 8 | std::uint32_t{p[2]} << 16 | std::uint32_t{p[3]} << 24;
}
inline Bytes hbm(const Machine& m, std::uint32_t channel, std::uint64_t at, std::size_t n) {
  Bytes b(n);
  m.hbm(channel).load(at, b);
  return b;
}

inline void run_done(Machine& m, const Builder& b) {
  const Outcome o = m.run(b.section());
  ASSERT_EQ(o.status, Status::kDone) << o.text();
}
/// One fault: its engine and cause; the whole outcome for more.
inline Outcome run_fault(Machine& m, const Builder& b, isa::Engine engine, isa::Cause cause) {
  Outcome o = m.run(b.section());
  EXPECT_EQ(o.status, Status::kFault) << o.text();
  EXPECT_EQ(o.fault.engine, engine) << o.text();
  EXPECT_EQ(isa::kCauses[static_cast<std::size_t>(o.fault.cause)].name,
            isa::kCauses[static_cast<std::size_t>(cause)].name)
      << o.text();
  return o;
}
inline Outcome run_finding(Machine& m, const Builder& b, FindingKind kind) {
  Outcome o = m.run(b.section());
  EXPECT_EQ(o.status, Status::kError) << o.text();
  EXPECT_EQ(name_of(o.error.kind), name_of(kind)) << o.text();
  return o;
}

}  // namespace tepin::golden::testing
