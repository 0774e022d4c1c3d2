// SPDX-License-Identifier: Apache-2.0
// Random programs: the golden model says what must come out, the RTL runs in lockstep with it under random memory
// timing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <optional>

#include "random_program.h"
#include "support.h"
#include "sw/isa/tepin_csr.h"
#include "sw/isa/tepin_window.h"

namespace tepin::tb::testing {
namespace {

#ifndef TEPIN_RANDOM_PROGRAMS
#define TEPIN_RANDOM_PROGRAMS 200
#endif
constexpr std::uint64_t kPrograms = TEPIN_RANDOM_PROGRAMS;
constexpr std::uint64_t kMaxCycles = 2'000'000;

golden::Machine make_machine(const RandomProgram& p) {
  golden::Machine m = make_golden(kTileConfig, p.launch, {.nan_trap = false, .log = true});
  for (const auto& [address, bytes] : p.spad) m.load_spad(address, bytes);
  return m;
}

/// Runs a program whose golden run is done; empty, or what differs. everything: compares all memory, not only what it
/// uses.
std::string run_on(TileSim& sim, const RandomProgram& p, const golden::Machine& machine, const MemoryTiming& timing,
                   bool everything, std::uint64_t& checked) {
  set_timing(sim, timing);
  sim.soft_reset();
  sim.csr_write(offsetof(tepin_csr_t, CTRL), TEPIN_CSR__CTRL__STUCK_TRAP_bm);  // NaN trap off
  sim.load(p.launch.section);
  for (const auto& [address, bytes] : p.spad) sim.window_write(isa::kWinSpad + address, bytes);
  for (const kernels::Segment& s : p.launch.hbm) sim.memory(static_cast<int>(s.channel)).store(s.address, s.bytes);
  Lockstep lockstep(machine.log());
  const RunResult r = sim.run(kMaxCycles, &lockstep);
  checked += lockstep.checked();
  if (lockstep.divergence()) return lockstep.divergence()->text();
  if (r.stop != Stop::kDone) return fmt::format("no end: {} ({})", static_cast<int>(r.stop), r.fault.text());
  if (everything) {
    const Comparison final = compare_final(sim, machine.chip());
    checked += final.checked;
    return final.first_mismatch;
  }
  for (const auto& [address, bytes] : p.spad) {
    Bytes actual(bytes.size());
    sim.window_read(isa::kWinSpad + address, actual);
    for (std::size_t i = 0; i < actual.size(); ++i, ++checked) {
      if (actual[i] != machine.spad().bytes[address + i]) return fmt::format("spad {:#x} at the end", address + i);
    }
  }
  return {};
}

struct Totals {
  std::uint64_t clean = 0, waits = 0, checked = 0;
  std::array<std::uint64_t, 5> operations{};
};

void run_programs(TileSim& sim, std::uint64_t first, std::uint64_t count, Totals& totals) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const RandomProgram p = random_program(seed);
    golden::Machine machine = make_machine(p);
    const golden::Outcome o = machine.run(p.launch.section);
    if (o.status != golden::Status::kDone) {
      std::printf("program %llu is not clean: %s\n", static_cast<unsigned long long>(seed), o.text().c_str());
      continue;
    }
    ++totals.clean;
    totals.waits += p.waits;
    for (std::size_t i = 0; i < 5; ++i) totals.operations[i] += p.operations[i];
    const std::string wrong = run_on(sim, p, machine, random_timing(seed), seed % 8 == 0, totals.checked);
    ASSERT_EQ(wrong, "") << "program " << seed << "; " << replay(seed) << (count == 1 ? "\n" + p.text : "");
  }
}

void expect_enough(const Totals& t, std::uint64_t count) {
  std::printf(
      "%llu of %llu programs clean, %llu waits, %llu values compared; operations: threads %llu, LD %llu, ST %llu, MXU "
      "%llu, VPU %llu\n",
      static_cast<unsigned long long>(t.clean), static_cast<unsigned long long>(count),
      static_cast<unsigned long long>(t.waits), static_cast<unsigned long long>(t.checked),
      static_cast<unsigned long long>(t.operations[0]), static_cast<unsigned long long>(t.operations[1]),
      static_cast<unsigned long long>(t.operations[2]), static_cast<unsigned long long>(t.operations[3]),
      static_cast<unsigned long long>(t.operations[4]));
  if (count == 1) return;  // a replay
  EXPECT_GE(t.clean * 10, count * 8) << "at least 80 % of the programs must be free of races";
  EXPECT_GE(t.waits, count * 5);
  EXPECT_GE(t.checked, count * 5000);
  for (const std::uint64_t n : t.operations) EXPECT_GE(n, count);
}

TEST(RandomPrograms, FastModelDoesWhatTheGoldenModelDoes) {
  TileSim sim;
  Totals totals;
  const std::uint64_t count = cases(kPrograms);
  run_programs(sim, first_seed(1), count, totals);
  if (!HasFatalFailure()) expect_enough(totals, count);
}

TEST(RandomPrograms, CheckedModelDoesWhatTheGoldenModelDoesFromAnyInitialState) {
  Totals totals;
  const std::uint64_t first = first_seed(1'000'001);
  const std::uint64_t count = cases(kPrograms / 6);
  for (std::uint64_t seed = first; seed < first + count && !HasFatalFailure(); ++seed) {
    TileSim sim({.checked = true, .x_seed = static_cast<std::uint32_t>(seed)});
    run_programs(sim, seed, 1, totals);
  }
  if (!HasFatalFailure()) expect_enough(totals, count);
}

TEST(RandomPrograms, ResultsDoNotDependOnMemoryTiming) {
  TileSim sim;
  std::uint64_t checked = 0;
  const std::uint64_t programs = cases(6);
  for (std::uint64_t n = 0, seed = first_seed(2'000'001); n < programs; ++seed) {
    const RandomProgram p = random_program(seed);
    golden::Machine machine = make_machine(p);
    if (machine.run(p.launch.section).status != golden::Status::kDone) continue;
    ++n;
    for (std::uint64_t timing = 1; timing <= 20; ++timing) {
      const std::string wrong = run_on(sim, p, machine, random_timing(seed * 100 + timing), true, checked);
      ASSERT_EQ(wrong, "") << "program " << seed << ", timing " << seed * 100 + timing << "; " << replay(seed);
    }
  }
  EXPECT_GE(checked, programs * 20 * 5000);
}

}  // namespace
}  // namespace tepin::tb::testing
