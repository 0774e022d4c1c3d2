// SPDX-License-Identifier: Apache-2.0
#include "tb/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>

#include "sw/isa/tepin_window.h"

namespace tepin::tb {

namespace {

void note(LaunchResult& result, const std::string& place, std::uint64_t expected, std::uint64_t actual) {
  if (result.mismatches++ == 0)
    result.first_mismatch = fmt::format("tile 0,0 {}: expected {:#x}, actual {:#x}", place, expected, actual);
}

template <class Output>
std::vector<std::vector<std::uint8_t>> outputs_of(const kernels::Launch& launch, Output&& load) {
  std::vector<std::vector<std::uint8_t>> out;
  for (const kernels::Segment& s : launch.outputs) {
    out.emplace_back(s.bytes.size());
    load(s.channel, s.address, std::span<std::uint8_t>(out.back()));
  }
  return out;
}

}  // namespace

golden::Machine make_golden(const isa::Config& cfg, const kernels::Launch& launch, const golden::Options& options) {
  golden::Machine machine(cfg, options);
  if (!launch.params.empty()) machine.load_spad(0, launch.params);
  for (const kernels::Segment& s : launch.hbm) machine.load_hbm(s.channel, s.address, s.bytes);
  return machine;
}

void load_launch(TileSim& sim, const kernels::Launch& launch) {
  sim.soft_reset();
  sim.load(launch.section);
  if (!launch.params.empty()) sim.window_write(isa::kWinSpad, launch.params);
  for (const kernels::Segment& s : launch.hbm) sim.store(static_cast<int>(s.channel), s.address, s.bytes);
}

std::vector<std::vector<std::uint8_t>> read_outputs(TileSim& sim, const kernels::Launch& launch) {
  return outputs_of(launch, [&](std::uint32_t c, std::uint64_t a, std::span<std::uint8_t> o) {
    sim.load(static_cast<int>(c), a, o);
  });
}

LaunchResult run_golden(const isa::Config& cfg, const kernels::Launch& launch) {
  golden::Machine machine = make_golden(cfg, launch, {});
  LaunchResult result;
  result.golden = machine.run(launch.section);
  result.outputs = outputs_of(
      launch, [&](std::uint32_t c, std::uint64_t a, std::span<std::uint8_t> o) { machine.hbm(c).load(a, o); });
  return result;
}

void compare_final(TileSim& sim, const golden::Machine& machine, LaunchResult& result) {
  const auto& spad = machine.spad();
  std::vector<std::uint8_t> actual(spad.bytes.size());
  // Only what the golden model has written is read back: the host's window takes a beat a cycle.
  constexpr std::size_t kPiece = 1024;
  for (std::size_t at = 0; at < actual.size(); at += kPiece) {
    const std::size_t n = std::min(kPiece, actual.size() - at);
    const auto written = spad.written.begin() + static_cast<std::ptrdiff_t>(at);
    if (std::find(written, written + static_cast<std::ptrdiff_t>(n), 1) == written + static_cast<std::ptrdiff_t>(n))
      continue;
    sim.window_read(isa::kWinSpad + at, std::span(actual).subspan(at, n));
  }
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (spad.written[i] == 0) continue;
    ++result.checked;
    if (actual[i] != spad.bytes[i]) note(result, fmt::format("spad {:#x}", i), spad.bytes[i], actual[i]);
  }
  for (std::uint32_t c = 0; c < machine.config().pcs; ++c) {
    for (const auto& [number, page] : machine.hbm(c).pages()) {
      std::vector<std::uint8_t> bytes(golden::HbmChannel::kPageBytes);
      sim.load(static_cast<int>(c), number * golden::HbmChannel::kPageBytes, bytes);
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        if ((page->written[i / 32] >> (i % 32) & 1) == 0) continue;
        ++result.checked;
        if (bytes[i] != page->bytes[i])
          note(result, fmt::format("hbm{} {:#x}", c, number * bytes.size() + i), page->bytes[i], bytes[i]);
      }
    }
  }
  const auto& acc = machine.acc();
  std::vector<std::uint32_t> values(acc.bits.size());
  sim.window_read(isa::kWinAcc, {reinterpret_cast<std::uint8_t*>(values.data()), values.size() * 4});
  const std::uint32_t cols = machine.config().mxu_cols;
  for (std::size_t i = 0; i < acc.bits.size(); ++i) {
    if (acc.written[i] == 0) continue;
    const std::size_t column = i / acc.rows;
    const std::size_t row = i % acc.rows;
    ++result.checked;
    const std::uint32_t v = values[(column / cols * acc.rows + row) * cols + column % cols];
    if (v != acc.bits[i]) note(result, fmt::format("acc row {} column {}", row, column), acc.bits[i], v);
  }
  std::vector<std::uint32_t> sems(machine.sems().size());
  sim.window_read(isa::kWinSem, {reinterpret_cast<std::uint8_t*>(sems.data()), sems.size() * 4});
  for (std::size_t i = 0; i < sems.size(); ++i) {
    ++result.checked;
    if (sems[i] != machine.sems()[i]) note(result, fmt::format("semaphore s{}", i), machine.sems()[i], sems[i]);
  }
}

LaunchResult run_rtl(TileSim& sim, const kernels::Launch& launch, std::uint64_t max_cycles, bool lockstep,
                     Timeline* timeline) {
  golden::Options options;
  options.log = lockstep;
  golden::Machine machine = make_golden(kTileConfig, launch, options);
  LaunchResult result;
  result.golden = machine.run(launch.section);
  if (result.golden.status == golden::Status::kError) return result;

  load_launch(sim, launch);
  std::optional<Lockstep> compare;
  // A fault stops engines in the middle of their work: then only the kind of end is compared.
  if (lockstep && result.golden.status == golden::Status::kDone) compare.emplace(machine.log());
  const std::uint64_t begin = sim.now();
  const auto t0 = std::chrono::steady_clock::now();
  result.rtl = sim.run(max_cycles, compare ? &*compare : nullptr, timeline);
  result.sim_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();
  result.sim_cycles = sim.now() - begin;
  if (compare) {
    result.checked += compare->checked();
    if (compare->divergence()) {
      ++result.mismatches;
      result.first_mismatch = compare->divergence()->text();
    }
  }
  if (result.rtl.stop == Stop::kDone) {
    if (result.golden.status != golden::Status::kDone) {
      ++result.mismatches;
      result.first_mismatch =
          fmt::format("tile 0,0: the golden model stopped, the RTL did not: {}", result.golden.text());
    }
    compare_final(sim, machine, result);
  }
  result.outputs = read_outputs(sim, launch);
  return result;
}

}  // namespace tepin::tb
