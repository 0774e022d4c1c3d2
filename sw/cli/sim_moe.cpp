// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/sim_moe.h"

#include <fmt/format.h>

#include <memory>

#include "sw/cli/moe_layer.h"
#include "tb/chip_runner.h"

namespace tepin::cli {
namespace {

constexpr std::uint32_t kMeshX = 2, kMeshY = 2;
constexpr std::uint64_t kBlock = 0, kTop = 2;
constexpr std::uint64_t kMaxCycles = 10'000'000;
constexpr std::array kActs{isa::Format::kMxint8, isa::Format::kMxfp8E4m3, isa::Format::kMxfp4};
// Letters of the model's alphabet (chr(id + 32)) whose experts differ: "First Citizen".
constexpr std::string_view kText = "First Citizen";

Measure measure_of(const kernels::ChipLaunch& launch, const tb::ChipLaunchResult& r) {
  Measure m;
  m.kernel = launch.name;
  m.launches = 1;
  m.cycles = r.rtl.cycles;
  m.sim_cycles = r.rtl.cycles * launch.tiles.size();  // of a tile
  m.sim_seconds = r.sim_seconds;
  for (std::size_t t = 0; t < launch.tiles.size(); ++t) {
    const tb::RunResult& tile = r.rtl.tiles[t];
    m.macs += launch.tiles[t].useful_macs;
    m.abs_macs += r.rtl.cycles * launch.tiles[t].array_macs_per_cycle;
    m.port_bytes += (tile.beats_read + tile.beats_written) * 32;
    m.payload_bytes += launch.tiles[t].payload_bytes;
    m.window_bytes += r.rtl.cycles * 64;
  }
  m.peak_macs = m.abs_macs;
  if (r.rtl.stop != tb::Stop::kDone)
    m.fault = r.rtl.stop == tb::Stop::kFault ? r.rtl.fault.text() : "moe: too many cycles";
  return m;
}

}  // namespace

MoeReport run_sim_moe(const std::vector<std::filesystem::path>& files, const std::string& memory, bool timeline) {
  std::unique_ptr<model::Safetensors> file;
  for (const std::filesystem::path& path : files) {
    file = std::make_unique<model::Safetensors>(path.string());
    if (has_moe(*file, kBlock)) break;
    file.reset();
  }
  if (!file) return {.not_run = fmt::format("no file has a tensor {}", moe_tensor(kBlock))};
  MoeModel m = load_moe(*file, kBlock);
  std::vector<std::uint32_t> tokens;
  for (const char c : kText) tokens.push_back(static_cast<std::uint32_t>(c - ' '));
  try {
    add_tokens(m, tokens, kTop);
    (void)kernels::plan_moe(tb::kTileConfig, kMeshX, kMeshY, m.layer);
  } catch (const isa::InputError& e) {
    return {.not_run = e.what()};
  }

  MoeReport report;
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    report.tokens += fmt::format("{}'{}' {}+{}", k == 0 ? "" : ", ", kText[k], m.layer.choice[k][0].expert,
                                 m.layer.choice[k][1].expert);
  }
  tb::SimOptions options;
  options.hbm = memory == "hbm4";
  tb::ChipSim chip(kMeshX, kMeshY, options);
  for (const isa::Format act : kActs) {
    m.layer.act = act;
    const kernels::ChipLaunch launch = kernels::plan_moe(tb::kTileConfig, kMeshX, kMeshY, m.layer);
    const bool first = report.rows.empty();
    if (first && timeline) chip.record_timeline();
    const tb::ChipLaunchResult r = tb::run_chip(chip, launch, kMaxCycles);
    if (first && timeline) report.timeline = chip.take_timeline();
    Measure measure = measure_of(launch, r);
    if (measure.fault.empty()) {
      const auto expected = moe_reference(m.layer, kMeshX, kMeshY);
      const auto actual = kernels::moe_result(m.layer, launch.tiles.size(), r.outputs);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        measure.compare(actual[i] == expected[i],
                        fmt::format("moe token {} value {}: expected {:#010x}, actual {:#010x}", i / m.layer.hidden,
                                    i % m.layer.hidden, expected[i], actual[i]));
      }
    }
    if (first) {
      report.cycles = r.rtl.cycles;
      for (std::size_t t = 0; t < r.rtl.tiles.size(); ++t) {
        for (tb::UnitCounters u : r.rtl.tiles[t].units) {
          u.unit = fmt::format("{},{} {}", t % kMeshX, t / kMeshX, u.unit);
          report.causes.push_back(std::move(u));
        }
      }
    }
    report.rows.push_back({"MoE layer, 2x2 tiles",
                           fmt::format("{}x{}, {} of {}, {} tokens", m.layer.hidden, m.layer.inner, kTop,
                                       m.layer.experts.size(), tokens.size()),
                           std::string(isa::kFormats[static_cast<std::size_t>(act)].name), 0, std::move(measure)});
  }
  return report;
}

}  // namespace tepin::cli
