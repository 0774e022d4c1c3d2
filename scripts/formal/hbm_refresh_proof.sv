// SPDX-License-Identifier: Apache-2.0
// hbm_refresh owes no bank more than eight refreshes and lets no bank be activated more often than RAAMMT, for one bank, chosen
// freely, if the rest of the controller keeps these promises (shortest: tREFI / 4, the interval at the highest rate):
// - a bank that takes neither activates nor column commands (both blocks stand) has been refreshed, or has had its RFM, at the latest in
//   the clock shortest - 1 of that: this one bank's share of all that must happen for it, the other banks' refreshes included;
// - no activate of a bank comes in the third clock in which it is blocked or later, and none beside a refresh or RFM (both proven in
//   hbm_pc); two of a bank are at least two clocks apart (tRC), refreshes and RFMs of a bank three (tRFC, tRFM);
// - the mode, tREFI, the stack IDs and RAA limits stay; rate, temperature, thresholds and all else change freely in every clock.
module hbm_refresh_proof
  import hbm_pkg::*;
#(
    parameter int unsigned Sid = 1,  // stack IDs: 16 banks each
    parameter int unsigned Refi = 0,  // tREFI; 0: any of 8 bits
    parameter bit Steady = 1'b0  // time counts in every clock, at one rate
) (
    input logic             clk_i,
    input cfg_t             free_cfg_i,
    input logic [BankW-1:0] free_bank_i,
    input logic [      2:0] temperature_i,
    input logic             run_i,
    input logic [Banks-1:0] pending_i,
    input logic [Banks-1:0] hits_i,
    input logic [Banks-1:0] ref_ok_i,
    input logic [Banks-1:0] pre_ok_i,
    input logic             all_ok_i,
    input logic             prea_ok_i,
    input logic [Banks-1:0] open_i,
    input logic [Banks-1:0] touched_i,
    input logic             act_i,
    input logic [BankW-1:0] act_bank_i,
    input logic             grant_i
);
  localparam int unsigned Num = 16 * Sid;
  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;
  logic [BankW-1:0] b_q;
  logic all_mode_q;
  logic [15:0] refi;
  logic [7:0] refi_q;
  logic [8:0] imt_q, mmt_q;
  logic [2:0] rate_q;
  always_ff @(posedge clk_i)
    if (!rst_n) begin
      b_q        <= free_bank_i;
      all_mode_q <= free_cfg_i.refresh_ab;
      refi_q     <= free_cfg_i.t_refi[7:0];
      imt_q      <= free_cfg_i.raa_imt;
      mmt_q      <= free_cfg_i.raa_mmt;
      rate_q     <= free_cfg_i.refresh_rate;
    end
  assign refi = Refi != 0 ? 16'(Refi) : {8'b0, refi_q};
  logic [13:0] shortest;
  assign shortest = refi[15:2];
  // What hbm refuses: an interval without a clock for each bank, RAA limits without an activate between two RFMs.
  assume property (@(posedge clk_i) !rst_n || (32'(shortest) >= Num && 32'(b_q) < Num && rate_q <= 3'd4 && imt_q >= 9'd2 &&
                                               10'(mmt_q) >= 10'(imt_q) + 10'd2));
  cfg_t cfg;
  always_comb begin
    cfg            = free_cfg_i;
    cfg.sids       = 3'(Sid);
    cfg.t_refi     = refi;
    cfg.refresh_ab = all_mode_q;
    cfg.raa_imt    = imt_q;
    cfg.raa_mmt    = mmt_q;
    if (Steady) begin
      cfg.refresh_auto = 1'b0;
      cfg.refresh_rate = rate_q;
      cfg.refresh_on   = 1'b1;
    end
  end
  row_op_e op;
  logic [BankW-1:0] bank;
  logic done, overdue;
  logic [Banks-1:0] block_act, block_col;
  hbm_refresh u_refresh (
      .clk_i,
      .rst_ni(rst_n),
      .cfg_i(cfg),
      .temperature_i,
      .run_i(run_i || Steady),
      .pending_i,
      .hits_i,
      .ref_ok_i,
      .pre_ok_i,
      .all_ok_i,
      .prea_ok_i,
      .open_i,
      .touched_i,
      .act_i,
      .act_bank_i,
      .op_o(op),
      .bank_o(bank),
      .pressing_o(),
      .done_i(done),
      .block_act_o(block_act),
      .block_col_o(block_col),
      .overdue_o(overdue)
  );
  assign done = grant_i && op != RowNone;
  `define HOLDS(name, expr) name : assert property (@(posedge clk_i) disable iff (!rst_n) (expr));
  logic refreshed, rfm, act;
  assign refreshed = done && (op == RowRefAb || (op == RowRefPb && bank == b_q));
  assign rfm       = done && op == RowRfmPb && bank == b_q;
  assign act       = act_i && act_bank_i == b_q;

  logic [1:0] served_q, acts_q;  // this one, in the last clocks, the latest in bit 0
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) {served_q, acts_q} <= '0;
    else begin
      served_q <= {served_q[0], refreshed || rfm};
      acts_q   <= {acts_q[0], act};
    end
  end
  assume property (@(posedge clk_i) disable iff (!rst_n) !((refreshed || rfm) && served_q != '0));
  assume property (@(posedge clk_i) disable iff (!rst_n) !(act && acts_q[0]));
  assume property (@(posedge clk_i) disable iff (!rst_n) !(act_i && done && op inside {RowRefAb, RowRefPb, RowRfmPb}));

  // ------------------------------------------------------------------------------------------- debts
  logic blocked;
  logic [13:0] blocked_q, patience;  // clocks for which it has been blocked and not been served
  assign patience  = shortest - 14'd1;
  assign blocked = block_act[b_q] && block_col[b_q];
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) blocked_q <= '0;
    else blocked_q <= blocked && !refreshed && !rfm ? blocked_q + 1'b1 : '0;
  end
  assume property (@(posedge clk_i) disable iff (!rst_n) !(blocked && blocked_q >= patience - 14'd1) || refreshed || rfm);
  logic [3:0] own_debt, debt_q;  // as hbm_refresh has it; counted here from ticks and commands
  logic all_bank, owes, eight_q, refreshed_q;
  logic [6:0] ticks_left;  // until the bank owes one more
  assign own_debt   = {u_refresh.debt_q[3][b_q], u_refresh.debt_q[2][b_q], u_refresh.debt_q[1][b_q], u_refresh.debt_q[0][b_q]};
  assign all_bank   = u_refresh.all_bank_q;
  assign ticks_left = all_bank ? 7'(Num) - 7'(u_refresh.turn_q) :
      u_refresh.turn_q <= b_q ? 7'(b_q) - 7'(u_refresh.turn_q) + 7'd1 : 7'(Num) + 7'd1 + 7'(b_q) - 7'(u_refresh.turn_q);
  assign owes       = u_refresh.tick && ticks_left == 7'd1;
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      debt_q      <= '0;
      refreshed_q <= 1'b0;
      eight_q     <= 1'b0;
    end else begin
      debt_q      <= debt_q + 4'(owes) - 4'(refreshed);
      refreshed_q <= refreshed;
      eight_q     <= own_debt >= 4'd8;
    end
  end
  `HOLDS(OwesEightAtMost_A, debt_q <= 4'd8)
  `HOLDS(NonePaidUnowed_A, !refreshed || debt_q != '0)
  `HOLDS(DebtsAgree_A, own_debt == debt_q + 4'(refreshed_q))  // a clock late
  `HOLDS(BlockedWhenItOwesEight_A, !eight_q || blocked)
  `HOLDS(NoRfmWhileItOwes_A, !rfm || debt_q <= 4'd1)
  // What the induction needs. Time is counted as hbm_refresh does: at most 16 Num a clock, 4 tREFI between two ticks.
  localparam int unsigned Most = 16 * Num;
  logic [25:0] time_left, clocks_left;
  assign time_left   = 26'(ticks_left) * 26'({refi, 2'b0}) - 26'(u_refresh.acc_q);
  assign clocks_left = 26'(Most) * (blocked ? 26'(patience) - 26'(blocked_q) : 26'(shortest));
  `HOLDS(TurnExists_A, 32'(u_refresh.turn_q) < Num && (!all_bank || all_mode_q) && u_refresh.acc_q < {1'b0, refi, 2'b0})
  `HOLDS(ServedBeforeItOwesMore_A, debt_q < 4'd8 || (blocked_q < patience && $signed(clocks_left - time_left) < $signed(26'(Most))))

  // ---------------------------------------------------------------------------------------- activates
  // Counted here from the commands alone.
  logic [8:0] count_q, count1_q;
  logic [1:0] held_q;  // clocks for which activates have been blocked, two at most
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      count_q  <= '0;
      count1_q <= '0;
      held_q   <= '0;
    end else begin
      if (act) count_q <= count_q + 1'b1;
      else if (refreshed || rfm) count_q <= count_q > imt_q ? count_q - imt_q : '0;
      count1_q <= count_q;
      held_q   <= !block_act[b_q] ? '0 : held_q == 2'd2 ? 2'd2 : held_q + 1'b1;
    end
  end
  assume property (@(posedge clk_i) disable iff (!rst_n) !(act && block_act[b_q] && held_q == 2'd2));
  logic [8:0] raa;
  always_comb for (int unsigned k = 0; k < 9; k++) raa[k] = u_refresh.raa_q[k][b_q];
  `HOLDS(ActivatesWithinLimit_A, count_q <= mmt_q)
  `HOLDS(CountsAgree_A, raa == count1_q)  // a clock late

  // ------------------------------------------------------------------------------------ interval, steady
  if (Steady) begin : gen_steady
    logic [17:0] since_q;  // clocks since it last owed one more; all-bank mode begins after the first round
    always_ff @(posedge clk_i or negedge rst_n) begin
      if (!rst_n) since_q <= '0;
      else since_q <= owes || all_bank != all_mode_q ? '0 : since_q + 1'b1;
    end
    // tREFI * 4, 2, 1, 1/2 or 1/4
    `HOLDS(OwesOneMoreEveryInterval_A, all_bank != all_mode_q || 26'(since_q) << rate_q < 26'({refi, 2'b0}))
    `HOLDS(TimeAgrees_A, all_bank != all_mode_q || 26'(Num) * (26'(since_q) << rate_q) <=
           (26'(Num) - 26'(ticks_left)) * 26'({refi, 2'b0}) + 26'(u_refresh.acc_q))
  end
  `undef HOLDS
endmodule
