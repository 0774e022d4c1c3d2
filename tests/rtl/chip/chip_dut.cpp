// SPDX-License-Identifier: Apache-2.0
#include "chip_dut.h"

#include <verilated.h>

#include "Vchip.h"
#include "tb/clocked_model.h"
#include "tb/hbm/hbm_dut_model.h"
#include "tb/host_pins.h"

namespace tepin::tb::testing {
namespace {

class ChipDutModel final : public ClockedModel<Vchip, ChipDut> {
 public:
  explicit ChipDutModel(std::unique_ptr<VerilatedContext> context)
      : ClockedModel<Vchip, ChipDut>(std::move(context), "chip") {}

 private:
  void drive(Vchip& m) override {
    drive_window(m, in);
    drive_registers(m, in);
    for (std::size_t t = 0; t < kChipTiles; ++t) hbm::drive_dfi(m, t * kPcs, in.dfi[t]);
  }

  // Both half-cycles end here: at the falling edge everything stands as the next rising one will see it.
  void after_edge() override {
    if (model().clk_i == 0) sample_tile_inputs(model());
    ClockedModel<Vchip, ChipDut>::after_edge();
  }

  void sample_tile_inputs(const Vchip& m) {
    tiles_in_reset = m.t_rst_no == 0;
    for (std::size_t t = 0; t < kChipTiles; ++t) {
      TileIn& i = tile_in[t];
      for (std::size_t c = 0; c < kPcs; ++c) {
        MemoryIn& to = i.mem[c];
        const std::size_t p = t * kPcs + c;
        to.ar_ready = m.t_ar_ready_o[p];
        to.aw_ready = m.t_aw_ready_o[p];
        to.w_ready = m.t_w_ready_o[p];
        to.r_valid = m.t_r_valid_o[p];
        to.r_id = m.t_r_id_o[p];
        to.r_resp = m.t_r_resp_o[p];
        to.r_last = m.t_r_last_o[p];
        copy_word(to.r_data, m.t_r_data_o[p]);
        to.b_valid = m.t_b_valid_o[p];
        to.b_id = m.t_b_id_o[p];
        to.b_resp = m.t_b_resp_o[p];
      }
      i.s_aw_valid = m.t_s_aw_valid_o[t];
      i.s_aw_id = m.t_s_aw_id_o[t];
      i.s_aw_addr = m.t_s_aw_addr_o[t];
      i.s_aw_len = m.t_s_aw_len_o[t];
      i.s_w_valid = m.t_s_w_valid_o[t];
      i.s_w_strb = m.t_s_w_strb_o[t];
      i.s_w_last = m.t_s_w_last_o[t];
      copy_word(i.s_w_data, m.t_s_w_data_o[t]);
      i.s_b_ready = m.t_s_b_ready_o[t];
      i.s_ar_valid = m.t_s_ar_valid_o[t];
      i.s_ar_id = m.t_s_ar_id_o[t];
      i.s_ar_addr = m.t_s_ar_addr_o[t];
      i.s_ar_len = m.t_s_ar_len_o[t];
      i.s_r_ready = m.t_s_r_ready_o[t];
      i.l_aw_valid = m.t_l_aw_valid_o[t];
      i.l_aw_addr = m.t_l_aw_addr_o[t];
      i.l_w_valid = m.t_l_w_valid_o[t];
      i.l_w_data = m.t_l_w_data_o[t];
      i.l_b_ready = m.t_l_b_ready_o[t];
      i.l_ar_valid = m.t_l_ar_valid_o[t];
      i.l_ar_addr = m.t_l_ar_addr_o[t];
      i.l_r_ready = m.t_l_r_ready_o[t];
    }
  }

  void sample(Vchip& m) override {
    sample_window(m, out);
    sample_registers(m, out);
    out.irq = m.irq_o;
    for (std::size_t t = 0; t < kChipTiles; ++t) {
      hbm::sample_dfi(m, t * kPcs, out.dfi[t]);
      TileOut& o = tile_out[t];
      for (std::size_t c = 0; c < kPcs; ++c) {
        MemoryOut& to = o.mem[c];
        const std::size_t p = t * kPcs + c;
        to.ar_valid = m.t_ar_valid_o[p];
        to.ar_id = m.t_ar_id_o[p];
        to.ar_addr = m.t_ar_addr_o[p];
        to.ar_len = m.t_ar_len_o[p];
        to.r_ready = m.t_r_ready_o[p];
        to.aw_valid = m.t_aw_valid_o[p];
        to.aw_id = m.t_aw_id_o[p];
        to.aw_addr = m.t_aw_addr_o[p];
        to.aw_len = m.t_aw_len_o[p];
        to.w_valid = m.t_w_valid_o[p];
        to.w_strb = m.t_w_strb_o[p];
        to.w_last = m.t_w_last_o[p];
        copy_word(to.w_data, m.t_w_data_o[p]);
        to.b_ready = m.t_b_ready_o[p];
      }
      o.s_aw_ready = m.t_s_aw_ready_o[t];
      o.s_w_ready = m.t_s_w_ready_o[t];
      o.s_b_valid = m.t_s_b_valid_o[t];
      o.s_b_id = m.t_s_b_id_o[t];
      o.s_b_resp = m.t_s_b_resp_o[t];
      o.s_ar_ready = m.t_s_ar_ready_o[t];
      o.s_r_valid = m.t_s_r_valid_o[t];
      o.s_r_id = m.t_s_r_id_o[t];
      o.s_r_resp = m.t_s_r_resp_o[t];
      o.s_r_last = m.t_s_r_last_o[t];
      copy_word(o.s_r_data, m.t_s_r_data_o[t]);
      o.l_aw_ready = m.t_l_aw_ready_o[t];
      o.l_w_ready = m.t_l_w_ready_o[t];
      o.l_b_valid = m.t_l_b_valid_o[t];
      o.l_b_resp = m.t_l_b_resp_o[t];
      o.l_ar_ready = m.t_l_ar_ready_o[t];
      o.l_r_valid = m.t_l_r_valid_o[t];
      o.l_r_resp = m.t_l_r_resp_o[t];
      o.l_r_data = m.t_l_r_data_o[t];
      o.irq = m.t_irq_o[t];
      o.quiet = m.t_quiet_o[t];
      for (std::size_t s = 0; s < kSides; ++s) {
        const std::size_t at = t * kSides + s;
        o.flits[s] = m.t_flits_o[at];
        o.credit[s] = m.t_credit_o[at];
        static_assert(sizeof(m.t_link_o[at]) == sizeof(Link));
        for (std::size_t i = 0; i < kLinkWords; ++i) o.link[s][i] = m.t_link_o[at][i];
      }
    }
  }
};

}  // namespace

std::unique_ptr<ChipDut> make_chip_dut() {
  return std::make_unique<ChipDutModel>(std::make_unique<VerilatedContext>());
}

}  // namespace tepin::tb::testing
