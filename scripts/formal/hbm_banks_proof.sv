// SPDX-License-Identifier: Apache-2.0
// hbm_banks with any commands that its outputs permit: no rule is broken. Timings are chosen freely below 2**V clocks, and stay;
// so do the two banks that hbm_rules watches.
module hbm_banks_proof
  import hbm_pkg::*;
#(
    parameter int unsigned V = 2,
    parameter int unsigned TimeW = 4
) (
    input logic clk_i,
    input cfg_t free_cfg_i,
    input logic [BankW-1:0] free_a_i,
    input logic [BankW-1:0] free_b_i,
    input logic act_i,
    input logic [BankW-1:0] act_bank_i,
    input row_op_e row_op_i,
    input logic [BankW-1:0] row_bank_i,
    input logic row_late_i,
    input logic rd_i,
    input logic wr_i,
    input logic [BankW-1:0] col_bank_i
);
  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;
  logic [20:0][V-1:0] t_q;
  logic [BankW-1:0] a_q, b_q;
  always_ff @(posedge clk_i)
    if (!rst_n) begin
      a_q <= free_a_i;
      b_q <= free_b_i;
      t_q <= {free_cfg_i.t_rcd_rd[V-1:0], free_cfg_i.t_rcd_wr[V-1:0], free_cfg_i.t_rp[V-1:0], free_cfg_i.t_ras[V-1:0],
              free_cfg_i.t_rc[V-1:0], free_cfg_i.t_rrd_s[V-1:0], free_cfg_i.t_rrd_l[V-1:0], free_cfg_i.t_faw[V-1:0],
              free_cfg_i.t_ccd_s[V-1:0], free_cfg_i.t_ccd_l[V-1:0], free_cfg_i.t_ccd_r[V-1:0], free_cfg_i.t_rtp[V-1:0],
              free_cfg_i.t_wr[V-1:0], free_cfg_i.t_wtr_s[V-1:0], free_cfg_i.t_wtr_l[V-1:0], free_cfg_i.t_rtw[V-1:0],
              free_cfg_i.wl[V-1:0], free_cfg_i.t_rrefd[V-1:0], free_cfg_i.t_rfc_pb[V-1:0], free_cfg_i.t_rfc_ab[V-1:0],
              free_cfg_i.t_rfm_pb[V-1:0]};
    end
  cfg_t cfg;
  always_comb begin
    cfg = '0;
    cfg.t_rcd_rd = 8'(t_q[20]);
    cfg.t_rcd_wr = 8'(t_q[19]);
    cfg.t_rp     = 8'(t_q[18]);
    cfg.t_ras    = 8'(t_q[17]);
    cfg.t_rc     = 8'(t_q[16]);
    cfg.t_rrd_s  = 8'(t_q[15]);
    cfg.t_rrd_l  = 8'(t_q[14]);
    cfg.t_faw    = {7'(t_q[13]), 1'b0};
    cfg.t_ccd_s  = 8'(t_q[12]);
    cfg.t_ccd_l  = 8'(t_q[11]);
    cfg.t_ccd_r  = 8'(t_q[10]);
    cfg.t_rtp    = 8'(t_q[9]);
    cfg.t_wr     = 8'(t_q[8]);
    cfg.t_wtr_s  = 8'(t_q[7]);
    cfg.t_wtr_l  = 8'(t_q[6]);
    cfg.t_rtw    = 8'(t_q[5]);
    cfg.wl       = 8'(t_q[4]);
    cfg.t_rrefd  = 8'(t_q[3]);
    cfg.t_rfc_pb = 12'(t_q[2]);
    cfg.t_rfc_ab = 12'(t_q[1]);
    cfg.t_rfm_pb = 12'(t_q[0]);
    cfg.t_xs     = 12'(t_q[1]);
  end
  block_t act_at;
  assign act_at = '{bank: act_bank_i, row: '0, blk: '0};

  logic [Banks-1:0] open, idle_ok, act_ok, ref_ok, pre_ok, rd_ok, wr_ok;
  logic [Groups-1:0] rd_group_ok, wr_group_ok;
  logic all_ok, prea_ok;
  hbm_banks u_banks (
      .clk_i,
      .rst_ni(rst_n),
      .cfg_i(cfg),
      .act_i,
      .act_at_i(act_at),
      .row_op_i,
      .row_bank_i,
      .row_late_i,
      .rd_i,
      .wr_i,
      .col_bank_i,
      .look0_bank_i('0),
      .look0_row_o(),
      .look1_bank_i('0),
      .look1_row_o(),
      .open_o(open),
      .idle_ok_o(idle_ok),
      .act_ok_o(act_ok),
      .ref_ok_o(ref_ok),
      .all_ok_o(all_ok),
      .pre_ok_o(pre_ok),
      .prea_ok_o(prea_ok),
      .rd_ok_o(rd_ok),
      .wr_ok_o(wr_ok),
      .rd_group_ok_o(rd_group_ok),
      .wr_group_ok_o(wr_group_ok),
      .rd_turned_o(),
      .wr_turned_o()
  );
  hbm_permits u_permits (
      .clk_i,
      .rst_ni(rst_n),
      .act_i,
      .act_at_i(act_at),
      .row_op_i,
      .row_bank_i,
      .rd_i,
      .wr_i,
      .col_bank_i,
      .act_ok_o(act_ok),
      .ref_ok_o(ref_ok),
      .all_ok_o(all_ok),
      .pre_ok_o(pre_ok),
      .prea_ok_o(prea_ok),
      .open_o(open),
      .rd_ok_o(rd_ok),
      .wr_ok_o(wr_ok),
      .rd_group_ok_o(rd_group_ok),
      .wr_group_ok_o(wr_group_ok)
  );
  // row_late_i without a command means nothing; an activate takes slots 0 to 2, so what is beside it is late.
  assume property (@(posedge clk_i) !act_i || row_late_i);
  logic open_a, asleep;
  hbm_rules #(
      .TimeW(TimeW)
  ) u_rules (
      .clk_i,
      .rst_ni(rst_n),
      .cfg_i(cfg),
      .a_i(a_q),
      .b_i(b_q),
      .act_i,
      .act_at_i(act_at),
      .row_op_i,
      .row_bank_i,
      .row_late_i,
      .rd_i,
      .wr_i,
      .col_bank_i,
      .open_o(open_a),
      .asleep_o(asleep)
  );
  // hbm_pc's to see to, and proven there.
  assume property (@(posedge clk_i) !asleep || (!act_i && !rd_i && !wr_i && row_op_i inside {RowNone, RowSelfExit}));
  assume property (@(posedge clk_i) asleep || row_op_i != RowSelfExit);
  OpenIsOpen_A : assert property (@(posedge clk_i) disable iff (!rst_n) open_a == open[a_q]);
endmodule
