// SPDX-License-Identifier: Apache-2.0
// The DRAM's rules for the commands of one pseudo-channel, as an observer of hbm_banks' command inputs: written from the rules
// (tb/dram/rules.cpp lists the same ones), not from the design. It follows two banks, a_i and b_i, and looks at every pair
// "command to a, then command to b"; the proof chooses the banks freely, so it holds for all of them. Distances between row
// commands are in half-CK (4 a clock; an activate starts at 0, another command at 0 or, late, at 3), others in clocks.
module hbm_rules
  import hbm_pkg::*;
#(
    parameter int unsigned TimeW = 4  // clocks seen: up to 2**TimeW - 1
) (
    input logic             clk_i,
    input logic             rst_ni,
    input cfg_t             cfg_i,
    input logic [BankW-1:0] a_i,
    input logic [BankW-1:0] b_i,
    input logic             act_i,
    input block_t           act_at_i,
    input row_op_e          row_op_i,
    input logic [BankW-1:0] row_bank_i,
    input logic             row_late_i,
    input logic             rd_i,
    input logic             wr_i,
    input logic [BankW-1:0] col_bank_i,
    output logic            open_o,      // a's row is open
    output logic            asleep_o     // in self refresh
);
  typedef logic [TimeW-1:0] since_t;  // clocks since an event; all ones: long ago or never
  localparam since_t Never = '1;
  function automatic since_t later(input since_t s, input logic now);
    return now ? since_t'(1) : s == Never ? s : s + 1'b1;
  endfunction
  // s clocks ago is less than `least` clocks ago.
  function automatic logic soon(input since_t s, input logic [11:0] least);
    return s != Never && 12'(s) < least;
  endfunction
  // The same in half-CK: first at 3 if late0, now at 3 if late1.
  function automatic logic soon_half(input since_t s, input logic late0, input logic late1,
                                     input logic [11:0] least);
    return s != Never && 14'({s, 2'b00}) + (late1 ? 14'd3 : 14'd0) < {least, 2'b00} + (late0 ? 14'd3 : 14'd0);
  endfunction

  logic pre_op, ref_op, all_op, ab_op;
  assign pre_op = row_op_i inside {RowPre, RowPreA};
  assign ref_op = row_op_i inside {RowRefPb, RowRfmPb};
  assign ab_op  = row_op_i inside {RowRefAb, RowRfmAb, RowSelfEnter};
  assign all_op = row_op_i == RowPreA || ab_op;

  // ------------------------------------------------------------------------------ events of the first bank
  logic act_a, pre_a, refpb_a, rd_a, wr_a;
  assign act_a   = act_i && act_at_i.bank == a_i;
  assign pre_a   = pre_op && (row_op_i == RowPreA || row_bank_i == a_i);
  assign refpb_a = ref_op && row_bank_i == a_i;
  assign rd_a    = rd_i && col_bank_i == a_i;
  assign wr_a    = wr_i && col_bank_i == a_i;
  since_t act_q, pre_q, refpb_q, refab_q, xs_q, rd_q, wr_q;
  logic open_q, asleep_q, pre_late_q, refpb_late_q, refab_late_q, rfm_q, rfmab_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q  <= 1'b0;
      act_q   <= Never;
      pre_q   <= Never;
      refpb_q <= Never;
      refab_q <= Never;
      xs_q    <= Never;
      rd_q    <= Never;
      wr_q    <= Never;
    end else begin
      if (act_a) open_q <= 1'b1;
      else if (pre_a) open_q <= 1'b0;
      act_q   <= later(act_q, act_a);
      pre_q   <= later(pre_q, pre_a && open_q);
      refpb_q <= later(refpb_q, refpb_a);
      refab_q <= later(refab_q, row_op_i inside {RowRefAb, RowRfmAb});
      xs_q    <= later(xs_q, row_op_i == RowSelfExit);
      rd_q    <= later(rd_q, rd_a);
      wr_q    <= later(wr_q, wr_a);
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pre_late_q   <= 1'b0;
      refpb_late_q <= 1'b0;
      refab_late_q <= 1'b0;
      rfm_q        <= 1'b0;
      rfmab_q      <= 1'b0;
    end else begin
      if (pre_a && open_q) pre_late_q <= row_late_i;
      if (refpb_a) refpb_late_q <= row_late_i;
      if (refpb_a) rfm_q <= row_op_i == RowRfmPb;
      if (row_op_i inside {RowRefAb, RowRfmAb}) begin
        refab_late_q <= row_late_i;
        rfmab_q      <= row_op_i == RowRfmAb;
      end
    end
  end
  assign open_o   = open_q;
  assign asleep_o = asleep_q;
  // Activates of the whole pseudo-channel: bit k is k + 1 clocks ago.
  logic [2**TimeW-2:0] acts_q, recent;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) acts_q <= '0;
    else acts_q <= {acts_q[2**TimeW-3:0], act_i};
  end
  always_comb begin
    recent = '0;
    for (int unsigned k = 0; k < 2 ** TimeW - 1; k++) if (k + 1 < 32'(cfg_i.t_faw)) recent[k] = acts_q[k];
  end

  // ------------------------------------------------------------- commands of the same bank: the rules of one bank
  logic idle_now;  // a command that needs the bank closed and rested
  logic late;
  assign idle_now = act_a || refpb_a || ab_op;
  assign late     = !act_a && row_late_i;
  `define RULE(name, broken) name : assert property (@(posedge clk_i) disable iff (!rst_ni) (!(broken)));
  `RULE(ClosedForActivate_A, act_a && open_q)
  `RULE(ClosedForRefresh_A, (refpb_a || ab_op) && open_q)
  `RULE(OpenForColumn_A, (rd_a || wr_a) && !open_q)
  `RULE(NotTwoAtOnce_A, act_a && (pre_a || refpb_a || ab_op))
  `RULE(NoColumnAndPrecharge_A, (rd_a || wr_a) && (pre_a || refpb_a || ab_op))
  `RULE(TRcdRd_A, rd_a && soon(act_q, 12'(cfg_i.t_rcd_rd)))
  `RULE(TRcdWr_A, wr_a && soon(act_q, 12'(cfg_i.t_rcd_wr)))
  `RULE(TRas_A, pre_a && open_q && soon_half(act_q, 1'b0, row_late_i, 12'(cfg_i.t_ras)))
  `RULE(TRc_A, idle_now && soon_half(act_q, 1'b0, late, 12'(cfg_i.t_rc)))
  `RULE(TRp_A, idle_now && soon_half(pre_q, pre_late_q, late, 12'(cfg_i.t_rp)))
  `RULE(TRtp_A, pre_a && open_q && soon(rd_q, 12'(cfg_i.t_rtp)))
  `RULE(TWr_A, pre_a && open_q && soon(wr_q, 12'(cfg_i.wl) + 12'd1 + 12'(cfg_i.t_wr)))
  `RULE(TRfcPb_A, idle_now && !rfm_q && soon_half(refpb_q, refpb_late_q, late, cfg_i.t_rfc_pb))
  `RULE(TRfmPb_A, idle_now && rfm_q && soon_half(refpb_q, refpb_late_q, late, cfg_i.t_rfm_pb))
  `RULE(TRfcAb_A, idle_now && !rfmab_q && soon_half(refab_q, refab_late_q, late, cfg_i.t_rfc_ab))
  `RULE(TRfmAb_A, idle_now && rfmab_q && soon_half(refab_q, refab_late_q, late, cfg_i.t_rfm_pb))
  `RULE(TXs_A, (idle_now || rd_a || wr_a) && soon(xs_q, cfg_i.t_xs))
  `RULE(TFaw_A, act_i && $countones(recent) > 3)

  // ------------------------------------------------------------------ first to bank a, then to another bank b
  logic other, same_group, same_sid, act_b, refpb_b, rd_b, wr_b, late_b;
  assign other      = a_i != b_i;
  assign same_group = a_i[5:3] == b_i[5:3];
  assign same_sid   = a_i[5:4] == b_i[5:4];
  assign act_b      = act_i && act_at_i.bank == b_i;
  assign refpb_b    = ref_op && row_bank_i == b_i;
  assign late_b     = !act_b && row_late_i;
  assign rd_b       = rd_i && col_bank_i == b_i;
  assign wr_b       = wr_i && col_bank_i == b_i;
  `RULE(TRrdL_A, (act_b || refpb_b) && other && same_group && soon_half(act_q, 1'b0, late_b, 12'(cfg_i.t_rrd_l)))
  `RULE(TRrdS_A, (act_b || refpb_b) && !same_group && soon_half(act_q, 1'b0, late_b, 12'(cfg_i.t_rrd_s)))
  `RULE(TRrefD_A, (act_b || refpb_b) && other && soon_half(refpb_q, refpb_late_q, late_b, 12'(cfg_i.t_rrefd)))
  `RULE(NotActivateAndRefresh_A, act_i && ref_op)
  `RULE(TCcdL_A, ((rd_b && soon(rd_q, 12'(cfg_i.t_ccd_l))) || (wr_b && soon(wr_q, 12'(cfg_i.t_ccd_l)))) && same_group)
  `RULE(TCcdS_A, ((rd_b && soon(rd_q, 12'(cfg_i.t_ccd_s))) || (wr_b && soon(wr_q, 12'(cfg_i.t_ccd_s)))) && !same_group)
  `RULE(TCcdR_A, rd_b && soon(rd_q, 12'(cfg_i.t_ccd_r)) && !same_sid)
  `RULE(TWtrL_A, rd_b && soon(wr_q, 12'(cfg_i.wl) + 12'd1 + 12'(cfg_i.t_wtr_l)) && same_group)
  `RULE(TWtrS_A, rd_b && soon(wr_q, 12'(cfg_i.wl) + 12'd1 + 12'(cfg_i.t_wtr_s)) && !same_group)
  `RULE(TRtw_A, wr_b && soon(rd_q, 12'(cfg_i.t_rtw)))
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) asleep_q <= 1'b0;
    else if (row_op_i inside {RowSelfEnter, RowSelfExit}) asleep_q <= row_op_i == RowSelfEnter;
  end
  `RULE(AsleepExitOnly_A, asleep_q && (act_i || rd_i || wr_i || !(row_op_i inside {RowNone, RowSelfExit})))
  `RULE(OneColumn_A, rd_i && wr_i)
  `undef RULE
endmodule
