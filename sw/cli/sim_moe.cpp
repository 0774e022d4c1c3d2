// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/sim_moe.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "sw/cli/moe_layer.h"
#include "sw/cli/units.h"
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
  if (r.golden.status == golden::Status::kError)
    throw std::logic_error(fmt::format("kernel {}: {}", launch.name, r.golden.text()));
  Measure m;
  m.kernel = launch.name;
  m.launches = 1;
  m.add(r);
  for (const kernels::Launch& tile : launch.tiles) {
    m.macs += tile.useful_macs;
    m.payload_bytes += tile.payload_bytes;
  }
  if (r.golden.status == golden::Status::kFault) m.fault = r.golden.text();
  if (r.rtl.tiles.empty()) return m;  // the golden model alone

  m.cycles = r.rtl.cycles;
  m.sim_cycles = r.rtl.cycles * launch.tiles.size();  // of a tile
  m.sim_seconds = r.sim_seconds;
  for (std::size_t t = 0; t < launch.tiles.size(); ++t) {
    m.abs_macs += r.rtl.cycles * launch.tiles[t].array_macs_per_cycle;
    m.port_bytes += (r.rtl.tiles[t].beats_read + r.rtl.tiles[t].beats_written) * 32;
    m.window_bytes += r.rtl.cycles * 64;
  }
  m.peak_macs = m.abs_macs;
  if (r.rtl.stop == tb::Stop::kFault) {
    m.fault = r.rtl.fault.text();
    m.compare(r.golden.status == golden::Status::kFault, fmt::format("{}: expected {}", m.fault, r.golden.text()));
  }
  if (r.rtl.stop == tb::Stop::kMaxCycles) m.fault = fmt::format("chip: out of cycles: not done after {}", kMaxCycles);
  return m;
}

}  // namespace

MoeReport run_sim_moe(const std::vector<std::filesystem::path>& files, const isa::Config& cfg, Target target,
                      const std::string& memory, bool timeline) {
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
    (void)kernels::plan_moe(cfg, kMeshX, kMeshY, m.layer);
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
  std::optional<tb::ChipSim> chip;
  if (target == Target::kRtl) chip.emplace(kMeshX, kMeshY, options);
  for (const isa::Format act : kActs) {
    m.layer.act = act;
    const kernels::ChipLaunch launch = kernels::plan_moe(cfg, kMeshX, kMeshY, m.layer);
    const bool first = report.rows.empty();
    if (chip && first && timeline) chip->record_timeline();
    const tb::ChipLaunchResult r = chip ? tb::run_chip(*chip, launch, kMaxCycles) : tb::run_golden_chip(cfg, launch);
    if (chip && first && timeline) report.timeline = chip->take_timeline();
    Measure measure = measure_of(launch, r);
    if (measure.exit_code() == kOk) {
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
      report.causes = units_by_place(r.rtl.tiles, kMeshX);
    }
    report.rows.push_back({"MoE layer, 2x2 tiles",
                           fmt::format("{}x{}, {} of {}, {} tokens", m.layer.hidden, m.layer.inner, kTop,
                                       m.layer.experts.size(), tokens.size()),
                           std::string(isa::kFormats[static_cast<std::size_t>(act)].name), 0, std::move(measure)});
  }
  return report;
}

}  // namespace tepin::cli
