// SPDX-License-Identifier: Apache-2.0
// The mesh in SystemVerilog and the mesh wired in C++ are the same machine: while a program runs on the one, the other
// gets the same memory and host inputs, and every output of every tile is compared in every cycle, links included.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <cstring>
#include <memory>

#include "Vchip_mesh.h"
#include "sw/asm/assembler.h"
#include "sw/cli/moe_layer.h"
#include "tb/chip_runner.h"

namespace tepin::tb::testing {
namespace {

constexpr std::size_t kTiles = 4;
// Each tile writes to, stores to and loads from the tile diagonally opposite (number xor 9).
constexpr std::string_view kEverything = R"(
.thread 0, main
main:
  tid r1
  andi r1, r1, 63
  xori r2, r1, 9
  li r3, 0x303
  li r4, 0
  li r5, 24
  li r6, 0x4000
  li r7, 3
  ngroup lo=r3, hi=r4, root=r1, g=1
  ngroup lo=r3, hi=r4, root=r4, g=0
  nwr dst=r6, src=r4, len=r5, tile=r2 post s1
  npost sem=r7, count=r5, tile=r2 wait s1
  sync wait s3*24
  addi r6, r6, 0x1000
  nst spad=r4, hbm=r5, len=r5, npc=2, tile=r2
  nbar g=0
  nld spad=r6, hbm=r5, len=r5, npc=2, tile=r2
  addi r6, r6, 0x1000
  nmc dst=r6, src=r4, len=r5, g=1, sem=4, scnt=1
  sync wait s4*4
  addi r6, r6, 0x1000
  nar dst=r6, src=r4, len=r5, g=0, bf16
  addi r6, r6, 0x1000
  nred dst=r6, src=r4, len=r5, g=0, max
  addi r6, r6, 0x1000
  nrs dst=r6, src=r4, len=r5, g=0
  addi r6, r6, 0x1000
  nag dst=r6, src=r4, len=r5, g=0
  addi r6, r6, 0x1000
  na2a dst=r6, src=r4, len=r5, g=0 post s2
  sync wait s2
  halt
)";

template <class A, class B>
void copy(A& to, const B& from) {
  for (std::size_t i = 0; i < 8; ++i) to[i] = from[i];
}
template <class A, class B>
bool same(const A& a, const B& b, std::size_t words = 8) {
  for (std::size_t i = 0; i < words; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

/// The SystemVerilog mesh, fed with what the other one's tiles get.
class Twin final : public ChipObserver {
 public:
  Twin() : model_(std::make_unique<Vchip_mesh>(&context_, "mesh")) {
    model_->clk_i = 0;
    model_->rst_ni = 1;
    model_->eval();
    model_->rst_ni = 0;
    model_->eval();
  }
  ~Twin() override { model_->final(); }

  void before(ChipSim& chip, bool reset) override {
    Vchip_mesh& m = *model_;
    m.rst_ni = !reset;
    for (std::size_t t = 0; t < kTiles; ++t) {
      const TileIn& in = chip.tile(t % 2, static_cast<std::uint32_t>(t / 2)).in();
      for (std::size_t c = 0; c < kPcs; ++c) {
        const MemoryIn& i = in.mem[c];
        const std::size_t p = t * kPcs + c;
        m.ar_ready_i[p] = i.ar_ready;
        m.aw_ready_i[p] = i.aw_ready;
        m.w_ready_i[p] = i.w_ready;
        m.r_valid_i[p] = i.r_valid;
        m.r_id_i[p] = i.r_id;
        m.r_resp_i[p] = i.r_resp;
        m.r_last_i[p] = i.r_last;
        copy(m.r_data_i[p], i.r_data);
        m.b_valid_i[p] = i.b_valid;
        m.b_id_i[p] = i.b_id;
        m.b_resp_i[p] = i.b_resp;
      }
      m.s_aw_valid_i[t] = in.s_aw_valid;
      m.s_aw_addr_i[t] = in.s_aw_addr;
      m.s_aw_len_i[t] = in.s_aw_len;
      m.s_w_valid_i[t] = in.s_w_valid;
      m.s_w_strb_i[t] = in.s_w_strb;
      m.s_w_last_i[t] = in.s_w_last;
      copy(m.s_w_data_i[t], in.s_w_data);
      m.s_b_ready_i[t] = in.s_b_ready;
      m.s_ar_valid_i[t] = in.s_ar_valid;
      m.s_ar_addr_i[t] = in.s_ar_addr;
      m.s_ar_len_i[t] = in.s_ar_len;
      m.s_r_ready_i[t] = in.s_r_ready;
      m.l_aw_valid_i[t] = in.l_aw_valid;
      m.l_aw_addr_i[t] = in.l_aw_addr;
      m.l_w_valid_i[t] = in.l_w_valid;
      m.l_w_data_i[t] = in.l_w_data;
      m.l_b_ready_i[t] = in.l_b_ready;
      m.l_ar_valid_i[t] = in.l_ar_valid;
      m.l_ar_addr_i[t] = in.l_ar_addr;
      m.l_r_ready_i[t] = in.l_r_ready;
    }
    m.clk_i = 0;
    m.eval();
    m.clk_i = 1;
    m.eval();
  }

  void after(ChipSim& chip) override {
    const Vchip_mesh& m = *model_;
    ++cycles;
    for (std::size_t t = 0; t < kTiles; ++t) {
      const TileOut& o = chip.tile(t % 2, static_cast<std::uint32_t>(t / 2)).out();
      const auto check = [&](bool ok, const std::string& what) {
        if (!ok && first.empty()) first = fmt::format("cycle {}: tile {} {}", cycles, t, what);
        compared += 1;
      };
      for (std::size_t c = 0; c < kPcs; ++c) {
        const MemoryOut& w = o.mem[c];
        const std::size_t p = t * kPcs + c;
        check(m.ar_valid_o[p] == w.ar_valid && m.aw_valid_o[p] == w.aw_valid && m.w_valid_o[p] == w.w_valid &&
                  m.r_ready_o[p] == w.r_ready && m.b_ready_o[p] == w.b_ready,
              "memory handshakes");
        check(!w.ar_valid || (m.ar_id_o[p] == w.ar_id && m.ar_addr_o[p] == w.ar_addr && m.ar_len_o[p] == w.ar_len),
              "AR");
        check(!w.aw_valid || (m.aw_id_o[p] == w.aw_id && m.aw_addr_o[p] == w.aw_addr && m.aw_len_o[p] == w.aw_len),
              "AW");
        check(!w.w_valid || (m.w_last_o[p] == w.w_last && m.w_strb_o[p] == w.w_strb && same(m.w_data_o[p], w.w_data)),
              "W");
      }
      check(m.s_aw_ready_o[t] == o.s_aw_ready && m.s_w_ready_o[t] == o.s_w_ready && m.s_b_valid_o[t] == o.s_b_valid &&
                m.s_ar_ready_o[t] == o.s_ar_ready && m.s_r_valid_o[t] == o.s_r_valid,
            "window handshakes");
      check(!o.s_r_valid ||
                (same(m.s_r_data_o[t], o.s_r_data) && m.s_r_last_o[t] == o.s_r_last && m.s_r_resp_o[t] == o.s_r_resp),
            "window data");
      check(m.l_aw_ready_o[t] == o.l_aw_ready && m.l_w_ready_o[t] == o.l_w_ready && m.l_b_valid_o[t] == o.l_b_valid &&
                m.l_ar_ready_o[t] == o.l_ar_ready && m.l_r_valid_o[t] == o.l_r_valid,
            "register handshakes");
      check(!o.l_r_valid || (m.l_r_data_o[t] == o.l_r_data && m.l_r_resp_o[t] == o.l_r_resp), "register data");
      check(m.irq_o[t] == o.irq && m.quiet_o[t] == o.quiet, "irq, quiet");
      for (std::size_t s = 0; s < kSides; ++s) {
        check(m.credit_o[t * 4 + s] == o.credit[s] && m.flits_o[t * 4 + s] == o.flits[s],
              fmt::format("side {} credits, valids", s));
        // A link's payloads mean something while its network's valid is set; the whole vector is the same register.
        if (o.flits[s] != 0) {
          ++links;
          check(same(m.link_o[t * 4 + s], o.link[s], kLinkWords), fmt::format("side {} flits", s));
        }
      }
    }
  }

  std::uint64_t cycles = 0, compared = 0, links = 0;
  std::string first;

 private:
  VerilatedContext context_;
  std::unique_ptr<Vchip_mesh> model_;
};

TEST(ChipMesh, EveryOutputOfEveryTileIsThatOfTheMeshWiredInCpp) {
  const model::Safetensors file(std::string(TEPIN_SOURCE_DIR) + "/models/nano-gptoss/nano_gptoss.safetensors");
  cli::MoeModel m = cli::load_moe(file, 0);
  cli::add_tokens(m, {38, 73, 82, 83, 84}, 2);
  Twin twin;
  // From the reset on: the observer sees it too.
  ChipSim chip(2, 2, {}, 1, &twin);
  const ChipLaunchResult r = run_chip(chip, kernels::plan_moe(kTileConfig, 2, 2, m.layer), 1'000'000);
  ASSERT_EQ(r.rtl.stop, Stop::kDone) << r.rtl.fault.text();
  // And one that keeps all links busy: every instruction of NET, 24 words each.
  const isa::Section all = assembly::assemble(kEverything, "everything.s", kTileConfig).sections.at(0);
  for (std::uint32_t t = 0; t < kTiles; ++t) {
    TileSim& tile = chip.tile(t % 2, t / 2);
    tile.soft_reset();
    tile.load(all);
    tile.window_write(0, std::vector<std::uint8_t>(std::size_t{24} * 32 * 4, static_cast<std::uint8_t>(t + 1)));
  }
  const ChipResult e = chip.run(100'000);
  ASSERT_EQ(e.stop, Stop::kDone) << e.fault.text();
  EXPECT_EQ(twin.first, "");
  EXPECT_GT(twin.cycles, 5000U);
  EXPECT_GT(twin.links, 1000U) << "flits passed between the tiles";
}

TEST(ChipMesh, SeveralThreadsGiveTheSameBits) {
  const model::Safetensors file(std::string(TEPIN_SOURCE_DIR) + "/models/nano-gptoss/nano_gptoss.safetensors");
  cli::MoeModel m = cli::load_moe(file, 0);
  cli::add_tokens(m, {38, 73, 82}, 2);
  const kernels::ChipLaunch launch = kernels::plan_moe(kTileConfig, 2, 2, m.layer);
  ChipSim one(2, 2, {}, 1), two(2, 2, {}, 2);
  const ChipLaunchResult a = run_chip(one, launch, 1'000'000), b = run_chip(two, launch, 1'000'000);
  ASSERT_EQ(a.rtl.stop, Stop::kDone) << a.rtl.fault.text();
  EXPECT_EQ(a.rtl.cycles, b.rtl.cycles);
  EXPECT_EQ(a.outputs, b.outputs);
  for (std::size_t t = 0; t < kTiles; ++t) {
    for (std::size_t u = 0; u < a.rtl.tiles[t].units.size(); ++u)
      EXPECT_EQ(a.rtl.tiles[t].units[u].cycles, b.rtl.tiles[t].units[u].cycles)
          << t << " " << a.rtl.tiles[t].units[u].unit;
  }
}

}  // namespace
}  // namespace tepin::tb::testing
