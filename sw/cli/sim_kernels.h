// SPDX-License-Identifier: Apache-2.0
// The kernels of the demonstration `tepin sim`: what is run and what each must give.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sw/cli/measure.h"

namespace tepin::cli {

/// A row of the table.
struct SimRow {
  std::string name, shape, format;
  std::uint64_t matrices = 0;  // of the model; 0: none
  Measure measure;
};

struct SimPlan {
  std::filesystem::path model;
  std::uint64_t tokens = 32;  // columns of each product with the model's matrices
  std::uint64_t experts = 0;  // matrices of a tensor that are run; 0: all
  std::uint64_t seed = 1;
};

/// Runs copy, quantise, every expert matrix of the model and the benchmark shapes. `progress` is told what comes next.
/// InputError if the model's folder has no checkpoint with MXFP4 weights.
/// The checkpoint files of a folder, in the order of their names. InputError if there are none.
[[nodiscard]] std::vector<std::filesystem::path> checkpoints(const std::filesystem::path& folder);

[[nodiscard]] std::vector<SimRow> run_sim_kernels(Session& session, const SimPlan& plan,
                                                  const std::function<void(const std::string&)>& progress);

}  // namespace tepin::cli
