// SPDX-License-Identifier: Apache-2.0
// The mixture-of-experts layer of the model on meshes of whole tiles: in lockstep with the golden model, and the result
// against the reference that knows no program.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "support.h"
#include "sw/cli/moe_layer.h"
#include "tb/chip_runner.h"

namespace tepin::tb::testing {
namespace {

const std::string kModel = std::string(TEPIN_SOURCE_DIR) + "/models/nano-gptoss/nano_gptoss.safetensors";

struct Mesh {
  std::uint32_t x, y;
};
class MoeTest : public ::testing::TestWithParam<Mesh> {};

TEST_P(MoeTest, EveryBitOfTheLayerIsAsTheReference) {
  const model::Safetensors file(kModel);
  ChipSim chip(GetParam().x, GetParam().y, {.checked = true});
  for (const isa::Format act : {isa::Format::kMxint8, isa::Format::kMxfp8E4m3}) {
    cli::MoeModel m = cli::load_moe(file, 0);
    m.layer.act = act;
    cli::add_tokens(m, {38, 73, 82, 83, 84, 0, 35}, 2);
    std::set<std::uint32_t> used;
    for (const auto& c : m.layer.choice)
      for (const auto& e : c) used.insert(e.expert);
    EXPECT_GE(used.size(), 4U) << "the tokens must differ in their experts";
    const kernels::ChipLaunch launch = kernels::plan_moe(kTileConfig, chip.mesh_x(), chip.mesh_y(), m.layer);
    const ChipLaunchResult r = run_chip(chip, launch, 2'000'000);
    ASSERT_EQ(r.golden.status, golden::Status::kDone) << r.golden.text();
    ASSERT_EQ(r.mismatches, 0U) << r.first_mismatch;
    ASSERT_EQ(r.rtl.stop, Stop::kDone) << r.rtl.fault.text();
    // Each of the two matrices of each chosen expert, and the result, at the very least.
    EXPECT_GT(r.checked, m.layer.choice.size() * 2 * (3 * m.layer.inner + 2 * m.layer.hidden));
    EXPECT_EQ(kernels::moe_result(m.layer, launch.tiles.size(), r.outputs),
              cli::moe_reference(m.layer, chip.mesh_x(), chip.mesh_y()));
    std::printf("%ux%u %s: %llu cycles\n", GetParam().x, GetParam().y,
                isa::kFormats[static_cast<std::size_t>(act)].name.data(),
                static_cast<unsigned long long>(r.rtl.cycles));
  }
}

INSTANTIATE_TEST_SUITE_P(Meshes, MoeTest, ::testing::Values(Mesh{1, 1}, Mesh{2, 2}),
                         [](const auto& i) { return fmt::format("{}x{}", i.param.x, i.param.y); });

TEST(ChipSim, SeveralThreadsGiveTheSameBits) {
  const model::Safetensors file(kModel);
  cli::MoeModel m = cli::load_moe(file, 0);
  cli::add_tokens(m, {38, 73, 82}, 2);
  const kernels::ChipLaunch launch = kernels::plan_moe(kTileConfig, 2, 2, m.layer);
  ChipSim one(2, 2, {}, 1), two(2, 2, {}, 2);
  const ChipLaunchResult a = run_chip(one, launch, 1'000'000), b = run_chip(two, launch, 1'000'000);
  ASSERT_EQ(a.rtl.stop, Stop::kDone) << a.rtl.fault.text();
  EXPECT_EQ(a.rtl.cycles, b.rtl.cycles);
  EXPECT_EQ(a.outputs, b.outputs);
  for (std::size_t t = 0; t < a.rtl.tiles.size(); ++t) {
    for (std::size_t u = 0; u < a.rtl.tiles[t].units.size(); ++u)
      EXPECT_EQ(a.rtl.tiles[t].units[u].cycles, b.rtl.tiles[t].units[u].cycles)
          << t << " " << a.rtl.tiles[t].units[u].unit;
  }
}

}  // namespace
}  // namespace tepin::tb::testing
