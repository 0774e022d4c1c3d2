// SPDX-License-Identifier: Apache-2.0
// The mixture-of-experts layer of `tepin sim`: a chip of tiles.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sw/cli/sim_kernels.h"

namespace tepin::cli {

struct MoeReport {
  std::string not_run{};                   // why there are none of the following; empty: there are
  std::vector<SimRow> rows{};              // one a format of activations
  std::vector<tb::UnitCounters> causes{};  // of the first row; unit: "0,0 SEQ0", ...; RTL only, as the next two
  std::uint64_t cycles = 0;                // of the first row
  std::string timeline{};                  // of the first row, for Perfetto; empty unless asked for
  std::string tokens{};                    // as text: which experts
};

/// The first MoE layer of the first of these checkpoint files that has one, on a mesh of 2 x 2: on the RTL in lockstep
/// with the golden model, or on the golden model alone; every value against the reference. Not run if there is none, or
/// it does not fit the tiles.
[[nodiscard]] MoeReport run_sim_moe(const std::vector<std::filesystem::path>& files, const isa::Config& cfg,
                                    Target target, const std::string& memory, bool timeline);

}  // namespace tepin::cli
