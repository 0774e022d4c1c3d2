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

void load_golden(golden::Chip& chip, std::uint32_t tile, const kernels::Launch& launch) {
  if (!launch.params.empty()) chip.load_spad(tile, 0, launch.params);
  for (const kernels::Segment& s : launch.hbm) chip.load_hbm(tile, s.channel, s.address, s.bytes);
}

golden::Machine make_golden(const isa::Config& cfg, const kernels::Launch& launch, const golden::Options& options) {
  golden::Machine machine(cfg, options);
  load_golden(machine.chip(), 0, launch);
  return machine;
}

void load_launch(TileHost& tile, const kernels::Launch& launch) {
  tile.soft_reset();
  tile.load(launch.section);
  if (!launch.params.empty()) tile.window_write(isa::kWinSpad, launch.params);
  for (const kernels::Segment& s : launch.hbm) tile.store(static_cast<int>(s.channel), s.address, s.bytes);
}

std::vector<std::vector<std::uint8_t>> read_outputs(TileHost& tile, const kernels::Launch& launch) {
  return outputs_of(launch, [&](std::uint32_t c, std::uint64_t a, std::span<std::uint8_t> o) {
    tile.load(static_cast<int>(c), a, o);
  });
}

std::vector<std::vector<std::uint8_t>> golden_outputs(const golden::Chip& chip, std::uint32_t tile,
                                                      const kernels::Launch& launch) {
  return outputs_of(launch,
                    [&](std::uint32_t c, std::uint64_t a, std::span<std::uint8_t> o) { chip.hbm(tile, c).load(a, o); });
}

LaunchResult run_golden(const isa::Config& cfg, const kernels::Launch& launch) {
  golden::Machine machine = make_golden(cfg, launch, {});
  LaunchResult result;
  result.golden = machine.run(launch.section);
  result.outputs = golden_outputs(machine.chip(), 0, launch);
  return result;
}

Comparison compare_final(TileSim& sim, const golden::Chip& chip, std::uint32_t tile) {
  Comparison result;
  const auto note = [&](const std::string& place, std::uint64_t expected, std::uint64_t actual) {
    result.add_mismatch(fmt::format("tile {},{} {}: expected {:#x}, actual {:#x}", tile % isa::kMaxMesh,
                                    tile / isa::kMaxMesh, place, expected, actual));
  };
  const auto& spad = chip.spad(tile);
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
    if (actual[i] != spad.bytes[i]) note(fmt::format("spad {:#x}", i), spad.bytes[i], actual[i]);
  }
  for (std::uint32_t c = 0; c < chip.config().pcs; ++c) {
    for (const auto& [number, page] : chip.hbm(tile, c).pages()) {
      std::vector<std::uint8_t> bytes(golden::HbmChannel::kPageBytes);
      sim.load(static_cast<int>(c), number * golden::HbmChannel::kPageBytes, bytes);
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        if ((page->written[i / 32] >> (i % 32) & 1) == 0) continue;
        ++result.checked;
        if (bytes[i] != page->bytes[i])
          note(fmt::format("hbm{} {:#x}", c, number * bytes.size() + i), page->bytes[i], bytes[i]);
      }
    }
  }
  const auto& acc = chip.acc(tile);
  std::vector<std::uint32_t> values(acc.bits.size());
  sim.window_read(isa::kWinAcc, {reinterpret_cast<std::uint8_t*>(values.data()), values.size() * 4});
  const std::uint32_t cols = chip.config().mxu_cols;
  for (std::size_t i = 0; i < acc.bits.size(); ++i) {
    if (acc.written[i] == 0) continue;
    const std::size_t column = i / acc.rows;
    const std::size_t row = i % acc.rows;
    ++result.checked;
    const std::uint32_t v = values[(column / cols * acc.rows + row) * cols + column % cols];
    if (v != acc.bits[i]) note(fmt::format("acc row {} column {}", row, column), acc.bits[i], v);
  }
  std::vector<std::uint32_t> sems(chip.sems(tile).size());
  sim.window_read(isa::kWinSem, {reinterpret_cast<std::uint8_t*>(sems.data()), sems.size() * 4});
  for (std::size_t i = 0; i < sems.size(); ++i) {
    ++result.checked;
    if (sems[i] != chip.sems(tile)[i]) note(fmt::format("semaphore s{}", i), chip.sems(tile)[i], sems[i]);
  }
  return result;
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
  if (compare) result.add(compare->comparison());
  if (result.rtl.stop == Stop::kDone) {
    if (result.golden.status != golden::Status::kDone)
      result.add_mismatch(fmt::format("tile 0,0: the golden model stopped, the RTL did not: {}", result.golden.text()));
    result.add(compare_final(sim, machine.chip()));
  }
  result.outputs = read_outputs(sim, launch);
  return result;
}

}  // namespace tepin::tb
