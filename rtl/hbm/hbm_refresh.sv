// SPDX-License-Identifier: Apache-2.0
// Refresh and RFM of one pseudo-channel. Every bank owes one refresh a tREFI (staggered over the banks);
// per-bank mode refreshes a bank while nobody asks for it, up to `ref_force` postponed; from `ref_urgent`
// on one bank at a time is closed to new activates until it has been served, from `ref_force` on every
// such bank, to column commands too, so a ninth postponement cannot happen. A bank whose rolling activate
// count reaches RAAIMT gets an RFM (or a refresh) when it is idle, and is forced below RAAMMT.
// All-bank mode: one REFab a tREFI, at once, with everything held back. A request is chosen in one clock and
// offered from the next on.
`include "rtl/common/assert.svh"
module hbm_refresh
  import hbm_pkg::*;
(
    input  logic                clk_i,
    input  logic                rst_ni,
    input  cfg_t                cfg_i,
    input  logic    [      2:0] temperature_i,  // the device's wish, coded as cfg_i.refresh_rate
    input  logic                run_i,          // time counts (initialised, not in self refresh)
    // banks
    input  logic    [Banks-1:0] pending_i,      // somebody asks for it
    input  logic    [Banks-1:0] hits_i,         // ... in its open row
    input  logic    [Banks-1:0] ref_ok_i,
    input  logic    [Banks-1:0] pre_ok_i,
    input  logic                all_ok_i,
    input  logic                prea_ok_i,
    input  logic    [Banks-1:0] open_i,
    input  logic    [Banks-1:0] touched_i,      // by an activate or column command, this cycle
    input  logic                act_i,
    input  logic    [BankW-1:0] act_bank_i,
    // request: at most one
    output row_op_e             op_o,           // RowNone: nothing; legal in this clock
    output logic    [BankW-1:0] bank_o,
    output logic                pressing_o,     // goes before other row commands of its kind
    input  logic                done_i,         // the request was issued
    // restrictions
    output logic    [Banks-1:0] block_act_o,
    output logic    [Banks-1:0] block_col_o,
    output logic                overdue_o       // a bank owes more than nine: an error
);
  typedef logic [Banks-1:0] banks_t;

  // ------------------------------------------------------------------------------------------ ticks
  // One bank's turn every tREFI / banks, without a divider: banks times the rate are added up until they pass
  // 4 tREFI. So a change of the rate neither loses nor adds anything.
  logic   [6:0] banks;
  banks_t       exist;
  logic [18:0] acc_q, acc_d, round;
  logic [10:0] step;
  logic tick, all_tick, all_bank_q;
  logic [BankW-1:0] turn_q;
  assign banks = {cfg_i.sids, 4'b0};
  always_comb for (int unsigned s = 0; s < Sids; s++) exist[16*s+:16] = {16{3'(s) < cfg_i.sids}};
  always_comb begin
    unique case (cfg_i.refresh_auto ? temperature_i : cfg_i.refresh_rate)
      3'd0:    step = {4'b0, banks};
      3'd1:    step = {3'b0, banks, 1'b0};
      3'd2:    step = {2'b0, banks, 2'b0};
      3'd3:    step = {1'b0, banks, 3'b0};
      default: step = {banks, 4'b0};  // 4, and what does not exist: the fastest
    endcase
    round = {1'b0, cfg_i.t_refi, 2'b0};
    acc_d = acc_q + 19'(step);
    tick  = run_i && cfg_i.refresh_on && acc_d >= round;
  end
  assign all_tick = tick && 7'(turn_q) == banks - 7'd1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      acc_q      <= '0;
      turn_q     <= '0;
      all_bank_q <= 1'b0;
    end else if (run_i && cfg_i.refresh_on) begin
      acc_q <= tick ? acc_d - round : acc_d;
      if (tick) turn_q <= 7'(turn_q) >= banks - 7'd1 ? '0 : turn_q + 1'b1;
      // A change of mode waits for the end of a round: every bank owes one refresh a round in either mode.
      if (all_tick) all_bank_q <= cfg_i.refresh_ab;
    end else if (!run_i && turn_q == '0) all_bank_q <= cfg_i.refresh_ab;
  end

  // ------------------------------------------------------------------- debts and activates, bit-sliced
  logic [3:0][Banks-1:0] debt_q, debt_d;
  logic [8:0][Banks-1:0] raa_q, raa_d;
  banks_t due, urgent, forced, overdue, rfm_due, rfm_forced, inc, dec;
  function automatic banks_t at_least(input logic [8:0][Banks-1:0] c, input logic [8:0] v);
    banks_t ge;
    ge = '1;
    for (int unsigned k = 0; k < 9; k++) ge = v[k] ? (ge & c[k]) : (ge | c[k]);
    return ge;
  endfunction
  logic [8:0][Banks-1:0] debt;  // with room for the same comparison
  assign debt       = {{5 * Banks{1'b0}}, debt_q};
  assign due        = debt_q[0] | debt_q[1] | debt_q[2] | debt_q[3];
  assign urgent     = at_least(debt, 9'(cfg_i.ref_urgent)) & due;
  assign forced     = at_least(debt, cfg_i.ref_force > 4'd8 ? 9'd8 : 9'(cfg_i.ref_force)) & due;
  assign overdue    = at_least(debt, 9'd10);
  assign overdue_o  = overdue != '0;
  assign rfm_due    = at_least(raa_q, cfg_i.raa_imt);
  // Room for the activate that may be on its way.
  assign rfm_forced = at_least(raa_q, cfg_i.raa_mmt - 9'd2);

  // Counts follow commands a clock later: no bank gets two of either kind in two clocks.
  row_op_e done_q;
  logic act_q;
  logic [BankW-1:0] done_bank_q, act_bank_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      done_q <= RowNone;
      act_q  <= 1'b0;
    end else begin
      done_q <= done_i ? op_o : RowNone;
      act_q  <= act_i;
    end
  end
  always_ff @(posedge clk_i) begin
    done_bank_q <= bank_o;
    act_bank_q  <= act_bank_i;
  end
  logic is_ref_pb, is_ref_ab, is_rfm;
  assign is_ref_pb = done_q == RowRefPb;
  assign is_ref_ab = done_q == RowRefAb;
  assign is_rfm    = done_q == RowRfmPb;
  logic [8:0] raa_act, raa_ref;
  always_comb begin
    inc = '0;
    dec = '0;
    if (tick) begin
      if (!all_bank_q) inc = banks_t'(1) << turn_q;
      else if (all_tick) inc = exist;
    end
    if (is_ref_pb) dec = banks_t'(1) << done_bank_q;
    if (is_ref_ab) dec = due;
    debt_d = debt_q;
    if ((inc | dec) != '0) begin
      automatic banks_t carry = inc & ~dec;
      automatic banks_t borrow = dec & ~inc & due;
      for (int unsigned k = 0; k < 4; k++) begin
        debt_d[k] = debt_q[k] ^ carry ^ borrow;
        carry = carry & debt_q[k];
        borrow = borrow & ~debt_q[k];
      end
    end
  end
  always_comb begin
    raa_act = '0;
    raa_ref = '0;
    raa_d   = raa_q;
    for (int unsigned k = 0; k < 9; k++) begin
      raa_act[k] = raa_q[k][act_bank_q];
      raa_ref[k] = raa_q[k][done_bank_q];
    end
    raa_act = raa_act + 9'd1;
    raa_ref = raa_ref > cfg_i.raa_imt ? raa_ref - cfg_i.raa_imt : '0;
    if (act_q) for (int unsigned k = 0; k < 9; k++) raa_d[k][act_bank_q] = raa_act[k];
    if (is_ref_pb || is_rfm)
      for (int unsigned k = 0; k < 9; k++) raa_d[k][done_bank_q] = raa_ref[k];
    if (is_ref_ab) begin
      // All counts less RAAIMT, not below zero.
      automatic banks_t borrow = '0;
      automatic banks_t above = rfm_due;
      for (int unsigned k = 0; k < 9; k++) begin
        raa_d[k] = (raa_q[k] ^ {Banks{cfg_i.raa_imt[k]}} ^ borrow) & above;
        borrow   = (~raa_q[k] & ({Banks{cfg_i.raa_imt[k]}} | borrow)) | ({Banks{cfg_i.raa_imt[k]}} & borrow);
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      debt_q <= '0;
      raa_q  <= '0;
    end else begin
      debt_q <= debt_d;
      raa_q  <= raa_d;
    end
  end

  // --------------------------------------------------------------------------------------- choices
  // fresh: touched within the last one to two epochs of 32 clocks; used: of 1,024. A bank in use is
  // refreshed right after its use, one that lies idle at any time, one in between only when it owes more.
  logic [9:0] epoch_q;
  banks_t touch_q, fresh_q, seen_q, used_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      epoch_q <= '0;
      touch_q <= '0;
      fresh_q <= '0;
      seen_q  <= '0;
      used_q  <= '0;
    end else begin
      epoch_q <= epoch_q + 1'b1;
      touch_q <= epoch_q[4:0] == '1 ? touched_i : touch_q | touched_i;
      if (epoch_q[4:0] == '1) fresh_q <= touch_q;
      seen_q <= epoch_q == '1 ? touched_i : seen_q | touched_i;
      if (epoch_q == '1) used_q <= seen_q;
    end
  end
  banks_t fresh, used, calm, victim_q, pressed, ref_now, pre_now, rfm_now;
  assign fresh = touch_q | fresh_q;
  assign used  = seen_q | used_q;
  assign calm  = (due | rfm_due) & ~pending_i & (fresh | ~used | at_least(debt, 9'd3) | rfm_due);

  // One urgent bank at a time is made to wait for nobody.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) victim_q <= '0;
    else if ((victim_q & urgent) == '0) victim_q <= lowest_bank(urgent);
  end
  // tRAS max is nine tREFI whatever the temperature: a bank that has been open for four to eight is closed.
  logic [17:0] long_cnt_q;
  banks_t long1_q, long_q, must;
  logic long_tick;
  assign long_tick = long_cnt_q == '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      long_cnt_q <= '0;
      long1_q    <= '0;
      long_q     <= '0;
    end else begin
      long_cnt_q <= long_tick ? {cfg_i.t_refi, 2'b0} - 18'd1 : long_cnt_q - 1'b1;
      long1_q    <= (long_tick ? open_i : long1_q) & open_i;
      long_q     <= (long_tick ? long1_q : long_q) & open_i;
    end
  end
  logic all_due;  // all-bank refresh
  banks_t block_act, block_col, block_act_q, block_col_q, hits_q;
  // What some banks alone owe, from the time before all-bank mode, they get one by one.
  assign all_due   = all_bank_q && due == exist;
  assign pressed   = (victim_q & urgent) | forced | rfm_forced;
  assign block_act = pressed | {Banks{all_due}};
  assign block_col = forced | rfm_forced | long_q | {Banks{all_due}};
  assign must      = pressed | long_q;
  assign ref_now   = all_due ? '0 : due & ref_ok_i & (pressed | calm);
  assign rfm_now   = rfm_due & ~due & ref_ok_i & (pressed | calm);
  assign pre_now   = pre_ok_i & (calm | long_q | (pressed & (~hits_q | block_col_q)));

  // The choice is registered, one clock's work, and looked at again when it stands: it is offered while it is
  // legal, and while nobody asks for the bank unless it presses. What it stands for is blocked meanwhile.
  row_op_e op, op_q;
  banks_t choice, choice_q;
  logic pressing, pressing_q, calm_q, legal;
  always_comb begin
    op       = RowNone;
    choice   = '0;
    pressing = 1'b0;
    if (all_due) begin
      pressing = 1'b1;
      op = open_i != '0 ? RowPreA : RowRefAb;
    end else if (ref_now != '0) begin
      op = RowRefPb;
      choice = lowest_bank((ref_now & pressed) != '0 ? ref_now & pressed : (ref_now & used) != '0 ? ref_now & used : ref_now
          );
      pressing = 1'b1;
    end else if (rfm_now != '0) begin
      op       = RowRfmPb;
      pressing = (rfm_now & pressed) != '0;
      choice   = lowest_bank(pressing ? rfm_now & pressed : rfm_now);
    end else if (pre_now != '0) begin
      op       = RowPre;
      pressing = (pre_now & must) != '0;
      choice   = lowest_bank(pressing ? pre_now & must : pre_now);
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      op_q        <= RowNone;
      block_act_q <= '0;
      block_col_q <= '0;
    end else begin
      op_q        <= op;
      block_act_q <= block_act;
      block_col_q <= block_col;
    end
  end
  always_ff @(posedge clk_i) begin
    choice_q   <= choice;
    pressing_q <= pressing;
    calm_q     <= op == RowPre ? !pressing : (choice & pressed) == '0;
    hits_q     <= hits_i;
  end
  always_comb begin
    unique case (op_q)
      RowPreA:            legal = open_i != '0 && prea_ok_i;
      RowRefAb:           legal = all_ok_i;
      RowRefPb, RowRfmPb: legal = (choice_q & ref_ok_i) != '0;
      RowPre:             legal = (choice_q & pre_ok_i) != '0;
      default:            legal = 1'b0;
    endcase
    if (calm_q && (choice_q & pending_i) != '0) legal = 1'b0;
  end
  assign op_o        = legal ? op_q : RowNone;
  assign bank_o      = number_of(choice_q);
  assign pressing_o  = pressing_q;
  assign block_act_o = block_act_q;
  assign block_col_o = block_col_q | (op_q == RowPre ? choice_q : '0);

  `ASSERT(OneChoice_A, $onehot0(choice_q)
          && (op_q == RowNone || (op_q inside {RowRefPb, RowRfmPb, RowPre}) == (choice_q != '0)))
  `ASSERT(PrechargeAllHoldsColumns_A, op_q != RowPreA || block_col_q == '1)
  `ASSERT(NeverOverdue_A, overdue == '0)
  `ASSERT(ActivatesBelowLimit_A, at_least(raa_q, cfg_i.raa_mmt + 9'd1) == '0)
endmodule
