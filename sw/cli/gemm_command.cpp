// SPDX-License-Identifier: Apache-2.0
// tepin gemm: one matrix product with weights of a checkpoint.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <chrono>

#include "sw/cli/checkpoint.h"
#include "sw/cli/commands.h"
#include "sw/cli/measure.h"
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

}  // namespace

GemmCommand::GemmCommand(CLI::App& parent)
    : Command(parent, "gemm", "One matrix product Y = W X with MXFP4 weights of a checkpoint, checked value by value",
              "tepin gemm --weights models/nano-gptoss/nano_gptoss.safetensors --tensor block.0.mlp.mlp1_weight \\\n"
              "             --index 3 --tokens 32 --act mxint8 --out-npy y.npy",
              true) {
  app().add_option("--weights", weights_, "Checkpoint")->type_name("F.safetensors")->required();
  app().add_option("--tensor", tensor_, "NAME of NAME.blocks and NAME.scales")->type_name("NAME")->required();
  app().add_option("--index", index_, "Which expert's matrix, from 0")->check(whole_number())->capture_default_str();
  app()
      .add_option("--tokens", tokens_, "Columns of X, 1..65536; with --in the file's")
      ->check(whole_number(1, kMaxTokens));
  app().add_option("--act", act_, "Format of X: mxfp4, mxfp8_e4m3 or mxint8")->type_name("FMT")->required();
  app()
      .add_option("--in", in_,
                  "X, float32 [N][K], quantised on import (OCP MX, floor rule); default: seeded, near normal")
      ->type_name("X.npy");
  app().add_option("--out-npy", out_npy_, "Write Y, float32 [N][M]")->type_name("Y.npy");
  app()
      .add_option("--max-cycles", max_cycles_,
                  "With --target rtl: stop after so many cycles (exit 3); 0: many times what it needs")
      ->check(whole_number(0, 1'000'000'000'000))
      ->capture_default_str();
}

int GemmCommand::run() {
  const auto begin = std::chrono::steady_clock::now();
  const isa::Format format = activation_format(act_);
  if (!tokens_ && in_.empty()) throw isa::InputError("--tokens: required without --in; allowed: 1..65536");
  const model::Safetensors file(weights_);
  const Matrices matrices = find_matrices(file, tensor_);
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
    throw isa::InputError(
        fmt::format("--tokens {}: X takes {} bytes in {}; the tile's memory has {}", n, bytes, act_, hbm));
  }
  Random random(common_.seed);
  const std::vector<float> x =
      in_.empty() ? random_values(random, n * w.kb * 32) : read_input(in_, w.kb * 32, tokens_, n);
  const Activations a = quantise(x, n, w.kb, format);

  Session session(common_);
  const Product p = run_product(session, w, a, true, max_cycles_);
  session.finish();
  const Measure& m = p.measure;
  if (!out_npy_.empty() && !p.y.empty()) {
    std::vector<float> y(p.y.size());
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::bit_cast<float>(p.y[i]);
    support::write_npy(out_npy_, support::make_npy<float>(y, {n, w.m}));
  }

  Json j{{"tensor", matrices.name},  {"index", index_}, {"act", act_},    {"target", session.target_name()},
         {"config", common_.config}, {"m", w.m},        {"k", w.kb * 32}, {"n", n}};
  j.update(m.json());
  j["wall_s"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  report(j);
  print(fmt::format("{}: {} x {} x {}, weights mxfp4, activations {}, kernel {} on {}", w.name, w.m, w.kb * 32, n, act_,
                    m.kernel, session.target_name()));
  if (m.cycles != 0) {
    print(fmt::format("cycles {}   mac_util {}   mac_util_abs {}   hbm_util {}", grouped(m.cycles),
                      percent(m.mac_util()), percent(m.mac_util_abs()), percent(m.hbm_util())));
  }
  if (!m.fault.empty()) print("stopped: " + m.fault);
  print(fmt::format("{} values checked, {} mismatches", grouped(m.checked), m.mismatches));
  if (m.mismatches != 0)
    fmt::print(stderr, "tepin: mismatch: {}\n", m.first_mismatch);
  else if (!m.fault.empty())
    fmt::print(stderr, "tepin: stopped: {}\n", m.fault);
  return m.exit_code();
}

}  // namespace tepin::cli
