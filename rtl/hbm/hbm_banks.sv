// SPDX-License-Identifier: Apache-2.0
// State and timing of one pseudo-channel's banks: which row is open, and what may be issued now. Told of
// every command in the cycle it is chosen; its answers hold from the next cycle. Times are from clock to
// clock; a row command in the last half-CK slot of its clock (late) counts as one clock later, so the
// distances hold in half-CK too; so do those from column commands in the second CK to a precharge. Rules: JESD270-4 names, docs/hbm.md.
`include "rtl/common/assert.svh"
module hbm_banks
  import hbm_pkg::*;
#(
    parameter bit SecondCk = 1'b0  // column commands stand in the clock's second CK
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  cfg_t                 cfg_i,
    // commands chosen this cycle
    input  logic                 act_i,
    input  block_t               act_at_i,
    input  row_op_e              row_op_i,       // PRE, PREA, REF, RFM, self refresh, or none
    input  logic    [ BankW-1:0] row_bank_i,
    input  logic                 row_late_i,
    input  logic                 rd_i,
    input  logic                 wr_i,
    input  logic    [ BankW-1:0] col_bank_i,
    // rows of two banks, where they are open
    input  logic    [ BankW-1:0] look0_bank_i,
    output logic    [  RowW-1:0] look0_row_o,
    input  logic    [ BankW-1:0] look1_bank_i,
    output logic    [  RowW-1:0] look1_row_o,
    // what may be issued now
    output logic    [ Banks-1:0] open_o,
    output logic    [ Banks-1:0] idle_ok_o,      // closed, and tRP, tRC, tRFC met
    output logic    [ Banks-1:0] act_ok_o,       // ... and tRRD, tFAW, tRREFD too
    output logic    [ Banks-1:0] ref_ok_o,       // ... for a per-bank refresh
    output logic                 all_ok_o,       // all closed and idle
    output logic    [ Banks-1:0] pre_ok_o,       // open, and tRAS, tRTP, tWR met
    output logic                 prea_ok_o,      // every open bank may be closed
    output logic    [ Banks-1:0] rd_ok_o,        // open, tRCD met
    output logic    [ Banks-1:0] wr_ok_o,
    output logic    [Groups-1:0] rd_group_ok_o,
    output logic    [Groups-1:0] wr_group_ok_o,
    output logic                 rd_turned_o,    // legal but for tCCD
    output logic                 wr_turned_o
);
  logic [Banks-1:0] open_q, act_bit, row_bit, col_bit;
  logic [RowW-1:0] row_q[Banks];
  logic is_pre, is_ref, is_all;
  logic [11:0] ref_time, late;
  assign late    = {11'b0, row_late_i};
  assign act_bit = act_i ? Banks'(1) << act_at_i.bank : '0;
  assign col_bit = rd_i || wr_i ? Banks'(1) << col_bank_i : '0;
  always_comb begin
    is_pre   = row_op_i == RowPre || row_op_i == RowPreA;
    is_all   = row_op_i inside {RowPreA, RowRefAb, RowRfmAb, RowSelfEnter, RowSelfExit};
    is_ref   = row_op_i inside {RowRefPb, RowRfmPb};
    row_bit  = '0;
    ref_time = '0;
    if (row_op_i != RowNone) row_bit = is_all ? '1 : Banks'(1) << row_bank_i;
    unique case (row_op_i)
      RowPre, RowPreA:    ref_time = {4'b0, cfg_i.t_rp};
      RowRefPb:           ref_time = cfg_i.t_rfc_pb;
      RowRefAb:           ref_time = cfg_i.t_rfc_ab;
      RowRfmPb, RowRfmAb: ref_time = cfg_i.t_rfm_pb;
      RowSelfExit:        ref_time = cfg_i.t_xs;
      default:            ref_time = '0;
    endcase
  end

  // ------------------------------------------------------------------------------------------ banks
  logic [Banks-1:0] act_done, pre_done, rd_done, wr_done;
  hbm_timers #(
      .Num  (Banks),
      .Width(12)
  ) u_act (
      .clk_i,
      .rst_ni,
      .set0_i(act_bit),
      .distance0_i({4'b0, cfg_i.t_rc}),
      .set1_i(row_bit),
      .distance1_i(ref_time + late),
      .done_o(act_done)
  );
  hbm_timers #(
      .Num  (Banks),
      .Width(8)
  ) u_pre (
      .clk_i,
      .rst_ni,
      .set0_i(act_bit),
      .distance0_i(cfg_i.t_ras),
      .set1_i(col_bit),
      .distance1_i(rd_i ? cfg_i.t_rtp + {7'b0, SecondCk} : cfg_i.wl + cfg_i.t_wr + 8'd1 + {7'b0, SecondCk}),
      .done_o(pre_done)
  );
  hbm_timers #(
      .Num  (Banks),
      .Width(8)
  ) u_rd (
      .clk_i,
      .rst_ni,
      .set0_i(act_bit),
      .distance0_i(cfg_i.t_rcd_rd),
      .set1_i('0),
      .distance1_i('0),
      .done_o(rd_done)
  );
  hbm_timers #(
      .Num  (Banks),
      .Width(8)
  ) u_wr (
      .clk_i,
      .rst_ni,
      .set0_i(act_bit),
      .distance0_i(cfg_i.t_rcd_wr),
      .set1_i('0),
      .distance1_i('0),
      .done_o(wr_done)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) open_q <= '0;
    else open_q <= (open_q & ~(is_pre ? row_bit : '0)) | act_bit;
  end
  always_ff @(posedge clk_i) if (act_i) row_q[act_at_i.bank] <= act_at_i.row;
  assign look0_row_o = row_q[look0_bank_i];
  assign look1_row_o = row_q[look1_bank_i];

  // ------------------------------------------------------------------------- activates and refreshes
  logic [Groups-1:0] act_group, rrd_l_done;
  logic rrd_s_done, rrefd_done;
  logic [3:0] faw_done, faw_slot_q;
  assign act_group = act_i ? Groups'(1) << act_at_i.bank[5:3] : '0;
  hbm_timers #(
      .Num  (Groups),
      .Width(8)
  ) u_rrd_l (
      .clk_i,
      .rst_ni,
      .set0_i(act_group),
      .distance0_i(cfg_i.t_rrd_l),
      .set1_i('0),
      .distance1_i('0),
      .done_o(rrd_l_done)
  );
  hbm_timers #(
      .Num  (1),
      .Width(8)
  ) u_rrd_s (
      .clk_i,
      .rst_ni,
      .set0_i(act_i),
      .distance0_i(cfg_i.t_rrd_s),
      .set1_i(1'b0),
      .distance1_i('0),
      .done_o(rrd_s_done)
  );
  // The fourth last activate's count is the next one's to use.
  hbm_timers #(
      .Num  (4),
      .Width(8)
  ) u_faw (
      .clk_i,
      .rst_ni,
      .set0_i(act_i ? faw_slot_q : '0),
      .distance0_i(cfg_i.t_faw),
      .set1_i('0),
      .distance1_i('0),
      .done_o(faw_done)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) faw_slot_q <= 4'd1;
    else if (act_i) faw_slot_q <= {faw_slot_q[2:0], faw_slot_q[3]};
  end
  hbm_timers #(
      .Num  (1),
      .Width(12)
  ) u_rrefd (
      .clk_i,
      .rst_ni,
      .set0_i(is_ref),
      .distance0_i({4'b0, cfg_i.t_rrefd} + late),
      .set1_i(1'b0),
      .distance1_i('0),
      .done_o(rrefd_done)
  );
  logic [Banks-1:0] rrd_ok;
  always_comb
    for (int unsigned g = 0; g < Groups; g++) rrd_ok[8*g+:8] = {8{rrd_l_done[g] && rrd_s_done}};
  assign open_o    = open_q;
  assign idle_ok_o = ~open_q & act_done;
  assign ref_ok_o  = rrefd_done ? idle_ok_o & rrd_ok : '0;
  assign act_ok_o  = (faw_done & faw_slot_q) != '0 ? ref_ok_o : '0;
  assign all_ok_o  = &idle_ok_o && rrefd_done && rrd_s_done;
  assign pre_ok_o  = open_q & pre_done;
  assign prea_ok_o = (open_q & ~pre_done) == '0;
  assign rd_ok_o   = open_q & rd_done;
  assign wr_ok_o   = open_q & wr_done;

  // --------------------------------------------------------------------------------- column commands
  logic [Groups-1:0] col_group, ccd_l_done, wtr_l_done, sid_ok;
  logic ccd_s_done, ccd_r_done, rtw_done, wtr_s_done;
  logic [1:0] last_sid_q;
  logic [7:0] after_wr;
  assign after_wr  = cfg_i.wl + 8'd1;
  assign col_group = rd_i || wr_i ? Groups'(1) << col_bank_i[5:3] : '0;
  hbm_timers #(
      .Num  (Groups),
      .Width(8)
  ) u_ccd_l (
      .clk_i,
      .rst_ni,
      .set0_i(col_group),
      .distance0_i(cfg_i.t_ccd_l),
      .set1_i('0),
      .distance1_i('0),
      .done_o(ccd_l_done)
  );
  hbm_timers #(
      .Num  (1),
      .Width(8)
  ) u_ccd_s (
      .clk_i,
      .rst_ni,
      .set0_i(rd_i || wr_i),
      .distance0_i(cfg_i.t_ccd_s),
      .set1_i(1'b0),
      .distance1_i('0),
      .done_o(ccd_s_done)
  );
  hbm_timers #(
      .Num  (1),
      .Width(8)
  ) u_ccd_r (
      .clk_i,
      .rst_ni,
      .set0_i(rd_i),
      .distance0_i(cfg_i.t_ccd_r),
      .set1_i(1'b0),
      .distance1_i('0),
      .done_o(ccd_r_done)
  );
  hbm_timers #(
      .Num  (1),
      .Width(8)
  ) u_rtw (
      .clk_i,
      .rst_ni,
      .set0_i(rd_i),
      .distance0_i(cfg_i.t_rtw),
      .set1_i(1'b0),
      .distance1_i('0),
      .done_o(rtw_done)
  );
  hbm_timers #(
      .Num  (1),
      .Width(8)
  ) u_wtr_s (
      .clk_i,
      .rst_ni,
      .set0_i(wr_i),
      .distance0_i(after_wr + cfg_i.t_wtr_s),
      .set1_i(1'b0),
      .distance1_i('0),
      .done_o(wtr_s_done)
  );
  hbm_timers #(
      .Num  (Groups),
      .Width(8)
  ) u_wtr_l (
      .clk_i,
      .rst_ni,
      .set0_i(wr_i ? col_group : '0),
      .distance0_i(after_wr + cfg_i.t_wtr_l),
      .set1_i('0),
      .distance1_i('0),
      .done_o(wtr_l_done)
  );
  always_ff @(posedge clk_i) if (rd_i) last_sid_q <= col_bank_i[5:4];
  always_comb
    for (int unsigned g = 0; g < Groups; g++) sid_ok[g] = ccd_r_done || 2'(g >> 1) == last_sid_q;
  assign rd_turned_o   = wtr_s_done;
  assign wr_turned_o   = rtw_done;
  assign rd_group_ok_o = wtr_s_done && ccd_s_done ? ccd_l_done & wtr_l_done & sid_ok : '0;
  assign wr_group_ok_o = rtw_done && ccd_s_done ? ccd_l_done : '0;

  `ASSERT_NEVER(ActivateClosedOnly_A, (act_bit & open_q) != '0)
  `ASSERT_NEVER(ColumnOfOpenOnly_A, (col_bit & ~open_q) != '0)
  `ASSERT_NEVER(RefreshClosedOnly_A, is_ref && (row_bit & open_q) != '0)
endmodule
