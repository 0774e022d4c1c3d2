// SPDX-License-Identifier: Apache-2.0
// tepin gemm: one matrix product with weights of a checkpoint.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <chrono>

#include "sw/cli/checkpoint.h"
#include "sw/cli/commands.h"
#include "sw/cli/measure.h"
#include "sw/cli/quantise_run.h"
#include "sw/cli/table.h"
#include "sw/model/panels.h"
#include "sw/support/npy.h"

namespace tepin::cli {
namespace {

constexpr std::uint64_t kMaxTokens = 65536;

/// The values of --in, [n][k].
std::vector<float> read_input(const std::string& path, std::uint64_t k, std::optional<std::uint64_t> tokens,
                              std::uint64_t& n) {
  const support::NpyArray array = support::read_npy(path);
  if (array.type != support::NpyType::kFloat32) {
    throw isa::InputError(fmt::format("{}: elements are {}; allowed: float32", path,
                                      support::kNpyTypes[static_cast<std::size_t>(array.type)].name));
  }
  if (array.shape.size() != 2 || array.shape[1] != k || array.shape[0] < 1 || array.shape[0] > kMaxTokens) {
    throw isa::InputError(fmt::format("{}: shape is [{}]; allowed: [N, {}] with N of 1..{}", path,
                                      fmt::join(array.shape, ", "), k, kMaxTokens));
  }
  n = array.shape[0];
  if (tokens && *tokens != n)
    throw isa::InputError(fmt::format("--tokens {}: {} has {} rows; allowed: {} or no --tokens", *tokens, path, n, n));
  return array.values<float>();
}

std::vector<std::uint16_t> to_bf16(std::span<const float> x) {
  std::vector<std::uint16_t> out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = golden::fp32_to_bf16(std::bit_cast<std::uint32_t>(x[i]));
  return out;
}

}  // namespace

GemmCommand::GemmCommand(CLI::App& parent)
    : Command(parent, "gemm", "One matrix product Y = W X with weights of a checkpoint, checked value by value",
              "tepin gemm --weights models/nano-gptoss/nano_gptoss.safetensors --tensor block.0.mlp.mlp1_weight \\\n"
              "             --index 3 --tokens 32 --act mxint8 --out-npy y.npy",
              true) {
  app().add_option("--weights", weights_, "Checkpoint")->type_name("F.safetensors")->required();
  app()
      .add_option(
          "--tensor", tensor_,
          "Its name, with or without .blocks, .weight, .weight_packed; MXFP4, NVFP4, INT4 and FP8 as published, "
          "BF16, F16 and F32 quantised on import (docs/cli.md)")
      ->type_name("NAME")
      ->required();
  app().add_option("--index", index_, "Which expert's matrix, from 0")->check(whole_number())->capture_default_str();
  app()
      .add_option("--quantise", quantise_,
                  "Format that BF16, F16 or F32 weights are quantised to: mxfp4 (default), mxfp6_e2m3, mxfp6_e3m2, "
                  "mxfp8_e4m3, mxint8, mxint8x2 (two MXINT8 blocks for each 32 weights; also named bf16)")
      ->type_name("FMT")
      ->check(not_empty());
  app()
      .add_option("--rule", rule_, "With that, rule of the scales: floor (default), even, round-up or ceiling")
      ->type_name("RULE")
      ->check(not_empty());
  app()
      .add_option("--tokens", tokens_, "Columns of X, 1..65536; with --in the file's")
      ->check(whole_number(1, kMaxTokens));
  app()
      .add_option("--act", act_,
                  "Format of X: mxfp4, mxfp6_e2m3, mxfp6_e3m2, mxfp8_e4m3, mxfp8_e5m2, mxint8, quantised on import; or "
                  "bf16, quantised by the vector unit")
      ->type_name("FMT")
      ->required();
  app()
      .add_option("--act-rule", act_rule_, "Rule of the scales of X: floor, even, round-up or ceiling")
      ->type_name("RULE")
      ->capture_default_str();
  app()
      .add_option("--bf16-to", bf16_to_, "With --act bf16, the format that the vector unit makes: default mxint8")
      ->type_name("FMT");
  app().add_option("--in", in_, "X, float32 [N][K]; default: seeded, near normal")->type_name("X.npy");
  app().add_option("--out-npy", out_npy_, "Write Y, float32 [N][M]")->type_name("Y.npy");
  app()
      .add_option("--max-cycles", max_cycles_,
                  "With --target rtl: stop after so many cycles (exit 3); 0: many times what it needs")
      ->check(whole_number(0, 1'000'000'000'000))
      ->capture_default_str();
}

ImportOptions GemmCommand::import_options() const {
  ImportOptions options;
  if (!quantise_.empty()) options.format = import_format(quantise_);
  if (!rule_.empty()) options.rule = scale_rule("--rule", rule_);
  if (options.format == isa::Format::kMxint8x2 && options.rule && *options.rule != golden::ScaleRule::kFloor)
    throw isa::InputError(fmt::format("--rule {}: mxint8x2 is defined with one rule only; allowed: floor", rule_));
  return options;
}

int GemmCommand::run() {
  const auto begin = std::chrono::steady_clock::now();
  const bool bf16 = act_ == "bf16";
  check_distinct({{"--weights", weights_}, {"--in", in_}}, {{"--out-npy", out_npy_}});
  if (!bf16 && !bf16_to_.empty())
    throw isa::InputError(fmt::format("--bf16-to {}: found --act {}; allowed with --act bf16", bf16_to_, act_));
  const isa::Format format = bf16 ? activation_format(bf16_to_.empty() ? "mxint8" : bf16_to_, "--bf16-to")
                                  : activation_format(act_, "--act", ", bf16");
  const golden::ScaleRule act_rule = scale_rule("--act-rule", act_rule_);
  const ImportOptions options = import_options();
  if (!tokens_ && in_.empty()) throw isa::InputError("--tokens: required without --in; allowed: 1..65536");
  const model::Safetensors file(weights_);
  const Matrices matrices = find_matrices(file, tensor_, options);
  if (index_ >= matrices.count) {
    throw isa::InputError(fmt::format("--index {}: {} has {}; allowed: 0..{}", index_, matrices.name, matrices.count,
                                      matrices.count - 1));
  }
  const Weights w = matrices.at(index_);
  std::uint64_t n = tokens_.value_or(0);
  // Before X is made: it must fit the memory of the tile.
  const isa::Config& cfg = common_.configuration();
  const std::uint64_t hbm = std::uint64_t{cfg.pcs} * cfg.hbm_beats * 32;
  if (const std::uint64_t bytes = n * w.kb * (model::block_bytes(format) + 1); bytes > hbm) {
    throw isa::InputError(fmt::format("--tokens {}: X takes {} bytes in {}; the tile's memory has {}", n, bytes,
                                      format_name(format), hbm));
  }
  Random random(common_.seed);
  const std::vector<float> x =
      in_.empty() ? random_values(random, n * w.kb * 32) : read_input(in_, w.kb * 32, tokens_, n);

  Session session(common_);
  Measure m;
  Activations a;
  if (bf16) {
    QuantisedInput q = quantise_bf16(session, to_bf16(x), n, w.kb, format, act_rule, max_cycles_);
    m = std::move(q.measure);
    a = std::move(q.activations);
  } else {
    a = quantise(x, n, w.kb, format, act_rule);
  }
  const std::uint64_t quantise_cycles = m.cycles;
  Product p;
  if (m.exit_code() == kOk) {
    p = run_product(session, w, a, true, max_cycles_);
    // Utilisation is that of the pair of formats over all cycles, those of the vector unit too.
    if (p.measure.cycles != 0) m.peak_macs = m.cycles * p.measure.peak_macs / p.measure.cycles;
    m += p.measure;
  }
  session.finish();
  if (!out_npy_.empty() && !p.y.empty()) {
    std::vector<float> y(p.y.size());
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::bit_cast<float>(p.y[i]);
    support::write_npy(out_npy_, support::make_npy<float>(y, {n, w.m}));
  }

  Json j{{"tensor", matrices.name},
         {"index", index_},
         {"layout", matrices.layout_text()},
         {"weights", matrices.format_text()}};
  j["rule"] = matrices.rule ? Json(rule_name(*matrices.rule)) : Json(nullptr);
  j.update({{"act", act_},
            {"act_format", format_name(format)},
            {"act_rule", act_rule_},
            {"target", session.target_name()},
            {"config", common_.config},
            {"m", w.m},
            {"k", w.kb * 32},
            {"n", n}});
  j.update(m.json());
  j["launches"] = m.launches;
  j["quantise_cycles"] = quantise_cycles != 0 ? Json(quantise_cycles) : Json(nullptr);
  j["wall_s"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  report(j);
  print(fmt::format("{}: {} x {} x {}, weights {} from {}{}, activations {}{}, kernel {} on {}", w.name, w.m, w.kb * 32,
                    n, matrices.format_text(), matrices.layout_text(),
                    matrices.rule ? fmt::format(" (rule {})", rule_name(*matrices.rule)) : "",
                    bf16 ? "bf16 as " + format_name(format) : act_,
                    act_rule == golden::ScaleRule::kFloor ? "" : fmt::format(" (rule {})", act_rule_), m.kernel,
                    session.target_name()));
  if (m.cycles != 0) {
    print(fmt::format("cycles {}   mac_util {}   mac_util_abs {}   hbm_util {}", grouped(m.cycles),
                      percent(m.mac_util()), percent(m.mac_util_abs()), percent(m.hbm_util())));
  }
  if (quantise_cycles != 0) print(fmt::format("of these, {} to quantise X", grouped(quantise_cycles)));
  if (!m.fault.empty()) print("stopped: " + m.fault);
  print(fmt::format("{} values checked, {} mismatches", grouped(m.checked), m.mismatches));
  if (m.mismatches != 0)
    fmt::print(stderr, "tepin: mismatch: {}\n", m.first_mismatch);
  else if (!m.fault.empty())
    fmt::print(stderr, "tepin: stopped: {}\n", m.fault);
  return m.exit_code();
}

}  // namespace tepin::cli
