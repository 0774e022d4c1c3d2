// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/sim_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>

#include "sw/cli/checkpoint.h"
#include "sw/cli/quantise_run.h"

namespace tepin::cli {
namespace {

constexpr std::array<isa::Format, 3> kFormats{isa::Format::kMxfp4, isa::Format::kMxfp8E4m3, isa::Format::kMxint8};
constexpr std::uint64_t kCopyBytes = 262'144;

std::string shape_text(std::uint64_t m, std::uint64_t k, std::uint64_t n) { return fmt::format("{}x{}x{}", m, k, n); }

SimRow copy_row(Session& session, Random& random) {
  std::vector<std::uint8_t> data(kCopyBytes);
  for (std::uint8_t& b : data) b = static_cast<std::uint8_t>(random.next());
  const kernels::Launch launch = kernels::plan_copy(session.config(), data);
  SimRow row{"copy", fmt::format("{} KiB", kCopyBytes / 1024), "bytes", 0, run_launch(session, launch, true)};
  std::vector<std::uint8_t> expected;
  for (const kernels::Segment& s : launch.outputs) expected.insert(expected.end(), s.bytes.begin(), s.bytes.end());
  if (row.measure.fault.empty()) row.measure.compare_bytes("copy", expected, row.measure.output);
  return row;
}

SimRow quantise_row(Session& session, Random& random, isa::Format format) {
  constexpr std::uint64_t kTokens = 32, kBlocks = 32;
  const std::vector<float> x = random_values(random, kTokens * kBlocks * 32);
  std::vector<std::uint32_t> bits(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) bits[i] = std::bit_cast<std::uint32_t>(x[i]);
  const kernels::Launch launch = kernels::plan_quantise(session.config(), kTokens, kBlocks, format, bits);
  return {"quantise", fmt::format("{}x{}", kTokens, kBlocks * 32), format_name(format), 0,
          run_quantise(session, launch, quantise(x, kTokens, kBlocks, format))};
}

SimRow random_row(Session& session, Random& random, std::uint64_t m, std::uint64_t kb, std::uint64_t n,
                  isa::Format format) {
  const RandomWeights w(random, m, kb);
  const Activations a = quantise(random_values(random, n * kb * 32), n, kb, format);
  return {n == 1 ? "GEMV random" : "GEMM random", shape_text(m, kb * 32, n), format_name(format), 0,
          run_product(session, w.weights, a, true).measure};
}

/// "mlp.mlp1_weight" of "block.3.mlp.mlp1_weight": what is the same in all layers.
std::string kind_of(const std::string& name) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < name.size();) {
    const std::size_t dot = std::min(name.find('.', i), name.size());
    const bool number = dot > i && std::all_of(name.begin() + static_cast<std::ptrdiff_t>(i),
                                               name.begin() + static_cast<std::ptrdiff_t>(dot),
                                               [](unsigned char c) { return std::isdigit(c) != 0; });
    if (number && dot < name.size()) at = dot + 1;
    i = dot + 1;
  }
  return name.substr(at);
}

}  // namespace

std::vector<std::filesystem::path> checkpoints(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder))
    throw isa::InputError(fmt::format("{}: is no folder; a folder with a checkpoint is expected", folder.string()));
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
  }
  if (files.empty()) throw isa::InputError(fmt::format("{}: has no .safetensors file", folder.string()));
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<SimRow> run_sim_kernels(Session& session, const SimPlan& plan,
                                    const std::function<void(const std::string&)>& progress) {
  std::vector<model::Safetensors> files;
  for (const auto& path : checkpoints(plan.model)) files.emplace_back(path.string());
  std::vector<Matrices> matrices;
  for (const model::Safetensors& file : files) {
    for (Matrices& m : all_matrices(file)) matrices.push_back(std::move(m));
  }
  if (matrices.empty())
    throw isa::InputError(
        fmt::format("{}: its checkpoint has no MXFP4 weights (NAME.blocks and NAME.scales)", plan.model.string()));

  Random random(plan.seed);
  std::vector<SimRow> rows;
  progress("copy");
  rows.push_back(copy_row(session, random));
  for (const isa::Format f : kFormats) {
    progress("quantise " + format_name(f));
    rows.push_back(quantise_row(session, random, f));
  }
  // One row a kind of matrix, shape and format; the same activations for all its matrices would hide mistakes.
  const std::size_t first = rows.size();
  for (const Matrices& m : matrices) {
    const std::uint64_t count = plan.experts == 0 ? m.count : std::min(plan.experts, m.count);
    for (const isa::Format f : kFormats) {
      progress(fmt::format("{} {}", m.name, format_name(f)));
      const std::string name = kind_of(m.name), shape = shape_text(m.m, m.kb * 32, plan.tokens);
      auto row = std::find_if(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(), [&](const SimRow& r) {
        return r.name == name && r.shape == shape && r.format == format_name(f);
      });
      if (row == rows.end()) row = rows.insert(rows.end(), SimRow{name, shape, format_name(f), 0, {}});
      for (std::uint64_t i = 0; i < count; ++i) {
        const Activations a = quantise(random_values(random, plan.tokens * m.kb * 32), plan.tokens, m.kb, f);
        row->measure += run_product(session, m.at(i), a, true).measure;
        ++row->matrices;
      }
    }
  }
  for (const bool vector : {false, true}) {
    for (const isa::Format f : kFormats) {
      progress((vector ? "GEMV " : "GEMM ") + format_name(f));
      rows.push_back(vector ? random_row(session, random, 1024, 32, 1, f)
                            : random_row(session, random, 256, 32, 32, f));
    }
  }
  return rows;
}

}  // namespace tepin::cli
