// SPDX-License-Identifier: Apache-2.0
// Runs a short program on the verilated tile in lockstep with the golden model, for tests of one engine.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "sw/asm/assembler.h"
#include "tb/runner.h"

namespace tepin::rtl_test {

/// The first `bytes` of both channels hold zeros, so loads read initialised memory; likewise the scratchpad's first
/// `spad` bytes, which all count as parameters.
inline tb::LaunchResult run(const std::string& text, std::size_t bytes = 1 << 18, std::size_t spad = 1 << 16) {
  static tb::TileSim sim;
  kernels::Launch launch;
  launch.name = "test";
  launch.section = assembly::assemble(text, "test.s", tb::kTileConfig).sections.at(0);
  launch.params.resize(spad);
  for (std::uint32_t c = 0; c < 2; ++c) launch.hbm.push_back({c, 0, std::vector<std::uint8_t>(bytes)});
  return tb::run_rtl(sim, launch, 1'000'000);
}

/// Cycles of a program that must agree with the golden model.
inline std::uint64_t cycles(const std::string& text) {
  const tb::LaunchResult r = run(text);
  EXPECT_EQ(r.golden.status, golden::Status::kDone) << r.golden.text();
  EXPECT_EQ(r.mismatches, 0U) << r.first_mismatch;
  EXPECT_EQ(r.rtl.stop, tb::Stop::kDone) << r.rtl.fault.text();
  return r.rtl.cycles;
}

}  // namespace tepin::rtl_test
