// SPDX-License-Identifier: Apache-2.0
// Copies pins between a verilated class and the plain structs of dut.h. Included by the two files that name such a
// class.
#pragma once

#include <verilated.h>

#include <memory>

#include "tb/clocked_model.h"
#include "tb/dut.h"
#include "tb/host_pins.h"

namespace tepin::tb {

template <class Model>
class DutModel : public ClockedModel<Model, Dut> {
 public:
  explicit DutModel(std::unique_ptr<VerilatedContext> context) : ClockedModel<Model, Dut>(std::move(context), "tile") {}

 private:
  using Dut::in;
  using Dut::out;

  void drive(Model& m) override {
    for (std::size_t p = 0; p < kPcs; ++p) {
      const MemoryIn& i = in.mem[p];
      m.ar_ready_i[p] = i.ar_ready;
      m.aw_ready_i[p] = i.aw_ready;
      m.w_ready_i[p] = i.w_ready;
      m.r_valid_i[p] = i.r_valid;
      if (i.r_valid) {
        m.r_id_i[p] = i.r_id;
        m.r_resp_i[p] = i.r_resp;
        m.r_last_i[p] = i.r_last;
        copy_word(m.r_data_i[p], i.r_data);
      }
      m.b_valid_i[p] = i.b_valid;
      m.b_id_i[p] = i.b_id;
      m.b_resp_i[p] = i.b_resp;
    }
    drive_window(m, in);
    drive_registers(m, in);
    m.at_i = in.at;
    m.last_i = in.last;
    m.chip_quiet_i = in.chip_quiet;
    for (std::size_t s = 0; s < kSides; ++s) {
      m.credit_i[s] = in.credit[s];
      // A link that carries nothing is driven once: its payload does not matter while its valids are low.
      if (in.flits[s] == 0 && driven_[s] == 0) continue;
      for (std::size_t i = 0; i < kLinkWords; ++i) m.link_i[s][i] = in.flits[s] != 0 ? in.link[s][i] : 0;
      driven_[s] = in.flits[s];
    }
  }

  void sample(Model& m) override {
    for (std::size_t p = 0; p < kPcs; ++p) {
      MemoryOut& o = out.mem[p];
      o.ar_valid = m.ar_valid_o[p];
      o.ar_id = m.ar_id_o[p];
      o.ar_addr = m.ar_addr_o[p];
      o.ar_len = m.ar_len_o[p];
      o.r_ready = m.r_ready_o[p];
      o.aw_valid = m.aw_valid_o[p];
      o.aw_id = m.aw_id_o[p];
      o.aw_addr = m.aw_addr_o[p];
      o.aw_len = m.aw_len_o[p];
      o.w_valid = m.w_valid_o[p];
      if (o.w_valid) {
        o.w_last = m.w_last_o[p];
        o.w_strb = m.w_strb_o[p];
        copy_word(o.w_data, m.w_data_o[p]);
      }
      o.b_ready = m.b_ready_o[p];
    }
    sample_window(m, out);
    sample_registers(m, out);
    out.irq = m.irq_o;
    out.quiet = m.quiet_o;
    for (std::size_t s = 0; s < kSides; ++s) {
      out.credit[s] = m.credit_o[s];
      out.flits[s] = m.t_flits_o[s];
      if (out.flits[s] == 0) continue;
      static_assert(sizeof(m.link_o[s]) == sizeof(Link));
      for (std::size_t i = 0; i < kLinkWords; ++i) out.link[s][i] = m.link_o[s][i];
    }
    out.running = m.t_running_o;
    out.retire = m.t_retire_o;
    if (out.retire != 0) {
      for (std::size_t e = 0; e < kEngines; ++e) out.retired[e] = {m.t_pc_o[e], m.t_thread_o[e], m.t_op_o[e]};
      out.wb = m.t_wb_o;
      out.wb_reg = m.t_wb_reg_o;
      out.wb_value = m.t_wb_value_o;
    }
    out.writes = m.t_wr_o;
    if (out.writes != 0) {
      for (std::size_t l = 0; l < kWriteLanes; ++l) {
        if ((out.writes >> l & 1) == 0) continue;
        out.lane[l].addr = m.t_wr_addr_o[l];
        out.lane[l].strb = m.t_wr_strb_o[l];
        copy_word(out.lane[l].data, m.t_wr_data_o[l]);
      }
      for (std::size_t l = 0; l < kLdLanes; ++l) out.ld_write_slot[l] = m.t_ld_wr_slot_o[l];
      for (std::size_t l = 0; l < kNetLanes; ++l) out.net_write_from[l] = m.t_net_wr_from_o[l];
    }
    out.nst = m.t_nst_o;
    if (out.nst != 0) {
      out.nst_from = m.t_nst_from_o;
      out.nst_beat = m.t_nst_beat_o;
      copy_word(out.nst_data, m.t_nst_data_o);
    }
    out.acc = m.t_acc_o;
    if (out.acc) {
      out.acc_group = m.t_acc_group_o;
      out.acc_cols = m.t_acc_cols_o;
      out.acc_pc = m.t_acc_pc_o;
      for (std::size_t i = 0; i < out.acc_data.size(); ++i) out.acc_data[i] = m.t_acc_data_o[i];
    }
    out.marker = m.t_marker_o;
    out.marker_id = m.t_marker_id_o;
    out.marker_value = m.t_marker_value_o;
    for (std::size_t u = 0; u < kUnits; ++u) out.activity[u] = m.t_activity_o[u];
  }

  std::array<std::uint8_t, kSides> driven_{1, 1, 1, 1};  // what stands on link_i: nothing known before the first edge
};

}  // namespace tepin::tb
