// SPDX-License-Identifier: Apache-2.0
// tepin bench mxu, tepin bench sim.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "sw/cli/commands.h"
#include "sw/cli/measure.h"
#include "sw/cli/table.h"
#include "sw/model/panels.h"
#include "sw/support/file.h"

namespace tepin::cli {
namespace {

struct Shape {
  std::uint64_t m = 0, k = 0, n = 0;
};

Shape parse_shape(const std::string& text) {
  Shape s;
  const char* at = text.data();
  const char* end = at + text.size();
  bool ok = true;
  for (std::uint64_t* v : {&s.m, &s.k, &s.n}) {
    const auto r = std::from_chars(at, end, *v);
    ok = ok && r.ec == std::errc{} && *v >= 1 && *v <= 1'048'576;
    at = r.ptr;
    if (v != &s.n) ok = ok && at < end && *at++ == 'x';
    if (!ok) break;
  }
  if (!ok || at != end || s.k % 32 != 0 || s.n > 65536) {
    throw isa::InputError(fmt::format(
        "--shape {}: allowed: MxKxN with M of 1..1048576, K a multiple of 32 up to 1048576, N of 1..65536", text));
  }
  return s;
}

/// The CPU time that verilating and compiling took, if the build has left it beside this program.
Json build_cpu_seconds() {
  std::error_code error;
  const auto file = std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "verilate_cpu_s.txt";
  if (error || !std::filesystem::exists(file, error)) return nullptr;
  const std::string text = support::read_text(file.string());
  double v = 0;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), v);
  return r.ec == std::errc{} ? Json(v) : Json(nullptr);
}

}  // namespace

BenchMxuCommand::BenchMxuCommand(CLI::App& parent)
    : Command(parent, "mxu", "Cycles and utilisation of matrix products over shapes and formats",
              "tepin bench mxu --shape 256x1024x32 --act mxint8", true) {
  app()
      .add_option("--shape", shapes_,
                  "Shape in elements; may be repeated; default: a series with both goals of the design")
      ->type_name("MxKxN")
      ->allow_extra_args(false);
  app()
      .add_option("--act", acts_,
                  "Format of the activations: mxfp4, mxfp6_e2m3, mxfp6_e3m2, mxfp8_e4m3, mxfp8_e5m2, mxint8; may be "
                  "repeated; default: mxfp4, mxfp8_e4m3, mxint8")
      ->type_name("FMT")
      ->allow_extra_args(false);
  app()
      .add_option("--weights", weights_,
                  "Format of the weights: mxfp4, mxfp6_e2m3, mxfp6_e3m2, mxfp8_e4m3, mxint8, nvfp4, int4g32, mxint8x2, "
                  "fp8_128x128; may be repeated; default: mxfp4")
      ->type_name("FMT")
      ->allow_extra_args(false);
}

/// A weight format by name; fp8_128x128 is MXFP8 E4M3 elements under FP32 scales of 128 x 128.
namespace {
struct WeightChoice {
  std::string name;
  isa::Format format;
  bool scaled;
};
constexpr std::string_view kFp8Blocks = "fp8_128x128";
WeightChoice weight_choice(const std::string& name) {
  if (name == kFp8Blocks) return {name, isa::Format::kMxfp8E4m3, true};
  std::string allowed;
  for (std::size_t f = 0; f < isa::kFormats.size(); ++f) {
    if (isa::kFormats[f].digits == 0) continue;
    if (isa::kFormats[f].name == name) return {name, static_cast<isa::Format>(f), false};
    allowed += fmt::format("{}, ", isa::kFormats[f].name);
  }
  throw isa::InputError(fmt::format("--weights {}: allowed: {}{}", name, allowed, kFp8Blocks));
}
}  // namespace

int BenchMxuCommand::run() {
  std::vector<Shape> shapes;
  if (shapes_.empty()) {
    shapes_ = {"64x64x1",     "64x64x4",     "64x64x32",    "256x512x8",   "256x1024x16",
               "256x1024x32", "256x2048x64", "1024x1024x1", "1024x1024x4", "2880x2880x1"};
  }
  for (const std::string& s : shapes_) shapes.push_back(parse_shape(s));
  if (acts_.empty()) acts_ = {"mxfp4", "mxfp8_e4m3", "mxint8"};
  std::vector<isa::Format> formats;
  for (const std::string& a : acts_) formats.push_back(activation_format(a));
  if (weights_.empty()) weights_ = {"mxfp4"};
  std::vector<WeightChoice> weights;
  for (const std::string& w : weights_) weights.push_back(weight_choice(w));
  Session session(common_);
  Random random(common_.seed);
  Json rows = Json::array();
  Table table(
      {"kernel", "m", "k", "n", "weights", "format", "cycles", "mac_util", "mac_util_abs", "hbm_util", "mismatches"},
      1);
  Measure total;
  for (const Shape& s : shapes) {
    for (const WeightChoice& choice : weights) {
      // Before the operands are made: they must fit the memory of the tile.
      const isa::Config& cfg = common_.configuration();
      const model::WeightLayout layout{s.m, s.k / 32, cfg.mxu_rows, choice.format};
      const std::uint64_t bytes = layout.bytes() + s.n * s.k;
      if (const std::uint64_t hbm = std::uint64_t{cfg.pcs} * cfg.hbm_beats * 32; bytes > hbm) {
        throw isa::InputError(
            fmt::format("--shape {}x{}x{}: weights in {} and X take up to {} bytes; the tile's memory has {}", s.m, s.k,
                        s.n, choice.name, bytes, hbm));
      }
      const RandomWeights w(random, s.m, s.k / 32, choice.format, choice.scaled);
      for (const isa::Format f : formats) {
        progress(fmt::format("running {}x{}x{} {} {}", s.m, s.k, s.n, choice.name, format_name(f)));
        const Activations a = quantise(random_values(random, s.n * s.k), s.n, s.k / 32, f);
        const Measure m = run_product(session, w.weights, a, false).measure;
        total += m;
        Json row{{"m", s.m}, {"k", s.k}, {"n", s.n}, {"weights", choice.name}, {"format", format_name(f)}};
        row.update(m.json());
        rows.push_back(std::move(row));
        table.add({m.kernel, std::to_string(s.m), std::to_string(s.k), std::to_string(s.n), choice.name, format_name(f),
                   m.cycles != 0 ? grouped(m.cycles) : "-", percent(m.mac_util()), percent(m.mac_util_abs()),
                   percent(m.hbm_util()), std::to_string(m.mismatches)});
      }
    }
  }
  session.finish();
  progress("");
  report(Json{{"target", session.target_name()},
              {"config", common_.config},
              {"rows", std::move(rows)},
              {"checked_values", total.checked},
              {"mismatches", total.mismatches},
              {"fault", total.fault.empty() ? Json(nullptr) : Json(total.fault)}});
  print(table.text());
  print(fmt::format("{} values checked, {} mismatches", grouped(total.checked), total.mismatches));
  if (total.exit_code() != kOk)
    fmt::print(stderr, "tepin: {}\n",
               total.mismatches != 0 ? "mismatch: " + total.first_mismatch : "stopped: " + total.fault);
  return total.exit_code();
}

BenchSimCommand::BenchSimCommand(CLI::App& parent)
    : Command(parent, "sim", "Speed of the simulator: GEMM 256x1024x32, activations mxint8, no lockstep",
              "tepin bench sim --seconds 5", true) {
  app().add_option("--seconds", seconds_, "Simulate for at least so long, 0.1..600 s")->capture_default_str();
}

int BenchSimCommand::run() {
  if (!(seconds_ >= 0.1 && seconds_ <= 600))
    throw isa::InputError(fmt::format("--seconds {}: allowed: 0.1..600", seconds_));
  if (common_.checked_target() != Target::kRtl)
    throw isa::InputError("--target golden: bench sim measures the verilated tile; allowed: rtl");
  Session session(common_);
  Random random(common_.seed);
  const RandomWeights w(random, 256, 32);
  const Activations a = quantise(random_values(random, std::uint64_t{32} * 1024), 32, 32, isa::Format::kMxint8);
  Measure total;
  while (total.sim_seconds < seconds_ && total.exit_code() == kOk) {
    progress(fmt::format("{:.1f} of {:.1f} s", total.sim_seconds, seconds_));
    total += run_product(session, w.weights, a, false).measure;
  }
  session.finish();
  progress("");
  const Json build = build_cpu_seconds();
  report(Json{{"tile_cycles_per_s", json_of(total.cycles_per_second())},
              {"macs_per_s", json_of(total.macs_per_second())},
              {"build_cpu_s", build},
              {"launches", total.launches},
              {"cycles", total.sim_cycles},
              {"sim_s", total.sim_seconds},
              {"mismatches", total.mismatches},
              {"fault", total.fault.empty() ? Json(nullptr) : Json(total.fault)}});
  print(
      fmt::format("{} tile cycles/s, {:.1f} MMAC/s ({} launches of GEMM 256x1024x32 mxint8 in {:.1f} s, lockstep off)",
                  grouped(static_cast<std::uint64_t>(total.cycles_per_second().value_or(0))),
                  total.macs_per_second().value_or(0) / 1e6, total.launches, total.sim_seconds));
  if (total.exit_code() != kOk)
    fmt::print(stderr, "tepin: {}\n",
               total.mismatches != 0 ? "mismatch: " + total.first_mismatch : "stopped: " + total.fault);
  return total.exit_code();
}

}  // namespace tepin::cli
