// SPDX-License-Identifier: Apache-2.0
// Copies pins between a verilated controller and the plain structs of hbm_dut.h. Included by the two files that name
// such a class.
#pragma once

#include <verilated.h>

#include <memory>

#include "tb/clocked_model.h"
#include "tb/hbm/hbm_dut.h"
#include "tb/host_pins.h"

namespace tepin::tb::hbm {

/// The pins of a channel's DFI-like boundary: elements [first] and [first + 1] of each array.
template <class Model>
void drive_dfi(Model& m, std::size_t first, const dram::DfiIn& in) {
  for (std::size_t p = 0; p < dram::kChannelPcs; ++p) {
    m.rdata_valid_i[first + p] = in.rdata_valid[p];
    m.rmeta_i[first + p] = in.rdata[p].meta;
    copy_word(m.rdata_i[first + p], in.rdata[p].data);
  }
}
template <class Model>
void sample_dfi(const Model& m, std::size_t first, dram::DfiOut& out) {
  for (std::size_t p = 0; p < dram::kChannelPcs; ++p) {
    const std::size_t at = first + p;
    dram::RowCommand& r = out.row[p];
    r.op = static_cast<dram::RowOp>(m.row_op_o[at]);
    r.pc = m.row_pc_o[at];
    r.slot = m.row_slot_o[at];
    r.sid = static_cast<std::uint8_t>(m.row_bank_o[at] >> 4);
    r.bg = (m.row_bank_o[at] >> 3) & 1;
    r.ba = m.row_bank_o[at] & 7;
    r.row = m.row_row_o[at];
    dram::ColumnCommand& c = out.col[p];
    c.valid = m.col_valid_o[at];
    c.write = m.col_write_o[at];
    c.sid = static_cast<std::uint8_t>(m.col_bank_o[at] >> 4);
    c.bg = (m.col_bank_o[at] >> 3) & 1;
    c.ba = m.col_bank_o[at] & 7;
    c.col = m.col_col_o[at];
    out.wdata_valid[p] = m.wdata_valid_o[at];
    if (m.wdata_valid_o[at]) {
      copy_word(out.wdata[p].data, m.wdata_o[at]);
      out.wdata[p].meta = m.wmeta_o[at];
    }
  }
}

template <class Model>
class HbmDutModel : public ClockedModel<Model, HbmDut> {
 public:
  explicit HbmDutModel(std::unique_ptr<VerilatedContext> context)
      : ClockedModel<Model, HbmDut>(std::move(context), "hbm") {}

 private:
  using HbmDut::in;
  using HbmDut::out;

  void drive(Model& m) override {
    for (std::size_t p = 0; p < 2; ++p) {
      const AxiIn& a = in.axi[p];
      m.ar_valid_i[p] = a.ar_valid;
      m.ar_id_i[p] = a.ar_id;
      m.ar_addr_i[p] = a.ar_addr;
      m.ar_len_i[p] = a.ar_len;
      m.r_ready_i[p] = a.r_ready;
      m.aw_valid_i[p] = a.aw_valid;
      m.aw_id_i[p] = a.aw_id;
      m.aw_addr_i[p] = a.aw_addr;
      m.aw_len_i[p] = a.aw_len;
      m.w_valid_i[p] = a.w_valid;
      m.w_strb_i[p] = a.w_strb;
      m.w_last_i[p] = a.w_last;
      m.b_ready_i[p] = a.b_ready;
      copy_word(m.w_data_i[p], a.w_data);
    }
    drive_dfi(m, 0, in.dfi);
    m.temperature_i = in.temperature;
    drive_registers(m, in);
  }

  void sample(Model& m) override {
    for (std::size_t p = 0; p < 2; ++p) {
      AxiOut& a = out.axi[p];
      a.ar_ready = m.ar_ready_o[p];
      a.aw_ready = m.aw_ready_o[p];
      a.w_ready = m.w_ready_o[p];
      a.r_valid = m.r_valid_o[p];
      a.r_last = m.r_last_o[p];
      a.r_id = m.r_id_o[p];
      a.r_resp = m.r_resp_o[p];
      a.b_valid = m.b_valid_o[p];
      a.b_id = m.b_id_o[p];
      a.b_resp = m.b_resp_o[p];
      if (a.r_valid) copy_word(a.r_data, m.r_data_o[p]);
    }
    sample_dfi(m, 0, out.dfi);
    out.phy_update = m.phy_update_o;
    sample_registers(m, out);
  }
};

}  // namespace tepin::tb::hbm
