// SPDX-License-Identifier: Apache-2.0
#include "support.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>

#include "sw/asm/assembler.h"
#include "sw/kernels/gemm.h"

namespace tepin::tb::testing {

isa::Section assemble(std::string_view text) { return assembly::assemble(text, "test.s", kTileConfig).sections.at(0); }

kernels::Launch launch_of(std::string_view text) {
  kernels::Launch launch;
  launch.name = "test";
  launch.section = assemble(text);
  return launch;
}

Bytes random_bytes(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  Bytes b(n);
  for (auto& x : b) x = static_cast<std::uint8_t>(rng());
  return b;
}

Bytes words(std::span<const std::uint32_t> v) {
  Bytes b;
  for (const std::uint32_t w : v) {
    for (unsigned s = 0; s < 32; s += 8) b.push_back(static_cast<std::uint8_t>(w >> s));
  }
  return b;
}

Bytes random_floats(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::vector<std::uint32_t> v(n);
  for (auto& x : v) {
    const auto r = static_cast<std::uint32_t>(rng());
    x = (r & 0x807fffffU) | (112U + (r >> 23 & 15U)) << 23;
  }
  return words(v);
}

std::uint64_t first_seed(std::uint64_t standard) {
  const char* s = std::getenv("TEPIN_SEED");
  return s == nullptr ? standard : std::strtoull(s, nullptr, 0);
}

std::uint64_t cases(std::uint64_t standard) {
  if (const char* n = std::getenv("TEPIN_CASES")) return std::strtoull(n, nullptr, 0);
  return std::getenv("TEPIN_SEED") == nullptr ? standard : 1;
}

std::string replay(std::uint64_t seed) {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  std::string program = ::testing::internal::GetArgvs().at(0);
  return fmt::format("replay: TEPIN_SEED={} {} --gtest_filter={}.{}", seed, program, info->test_suite_name(),
                     info->name());
}

MemoryTiming random_timing(std::uint64_t seed) {
  std::mt19937_64 rng(seed * 0x9e3779b97f4a7c15U + 77);
  MemoryTiming t;
  t.seed = seed;
  t.read_latency = 1 + static_cast<std::uint32_t>(rng() % (rng() % 2 == 0 ? 20 : 200));
  t.write_latency = 1 + static_cast<std::uint32_t>(rng() % 60);
  t.stall = rng() % 3 == 0 ? 0.0 : static_cast<double>(rng() % 51) / 100;
  t.reorder = rng() % 3 != 0;
  return t;
}

void set_timing(TileSim& sim, MemoryTiming timing) {
  const std::uint64_t seed = timing.seed;
  for (int p = 0; p < kPcs; ++p) {
    timing.seed = seed * kPcs + static_cast<std::uint64_t>(p);
    sim.memory(p).set_timing(timing);
  }
}

std::string good_run(TileSim& sim) {
  constexpr std::uint64_t kM = 9, kKb = 3, kN = 5;
  const Bytes w_codes = random_bytes(kM * kKb * 16, 1), a_codes = random_bytes(kN * kKb * 32, 2);
  const Bytes w_scales(kM * kKb, 126), a_scales(kN * kKb, 128);
  const kernels::GemmOperands op{kM, kKb, kN, isa::Format::kMxint8, w_codes, w_scales, a_codes, a_scales};
  const LaunchResult r = run_rtl(sim, kernels::plan_gemm(kTileConfig, op), 100'000);
  if (r.rtl.stop == Stop::kDone && r.checked > 1000) return r.first_mismatch;
  return fmt::format("the good kernel ends with {} after {} values: {} {}", static_cast<int>(r.rtl.stop), r.checked,
                     r.rtl.fault.text(), r.first_mismatch);
}

}  // namespace tepin::tb::testing
