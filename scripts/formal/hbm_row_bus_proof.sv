// SPDX-License-Identifier: Apache-2.0
// hbm_row_bus with any requests (an activate comes on its own port: hbm_pc keeps that, NoActivateAsOther_A): no two commands
// in one slot of a clock, what was granted stands on the bus once and where the late flag says, nothing else does, and the wait of
// a request is bounded. The grants are recorded for a clock and compared with the two lanes by what each lane says itself.
module hbm_row_bus_proof
  import hbm_pkg::*;
(
    input logic                   clk_i,
    input logic   [1:0]           act_valid_i,
    input block_t                 act0_i,
    input block_t                 act1_i,
    input row_op_e                row_op0_i,
    input row_op_e                row_op1_i,
    input logic   [BankW-1:0]     row_bank0_i,
    input logic   [BankW-1:0]     row_bank1_i,
    input logic   [1:0]           row_press_i
);
  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;
  block_t act[2];
  row_op_e row_op[2];
  logic [BankW-1:0] row_bank[2];
  assign act      = '{act0_i, act1_i};
  assign row_op   = '{row_op0_i, row_op1_i};
  assign row_bank = '{row_bank0_i, row_bank1_i};
  logic [1:0] act_gnt, row_gnt, row_late, row_valid;
  row_cmd_t lane[2];
  hbm_row_bus u_bus (
      .clk_i,
      .rst_ni(rst_n),
      .act_valid_i,
      .act_i(act),
      .act_gnt_o(act_gnt),
      .row_op_i(row_op),
      .row_bank_i(row_bank),
      .row_press_i,
      .row_gnt_o(row_gnt),
      .row_late_o(row_late),
      .row_o(lane)
  );
  assign row_valid = {row_op1_i != RowNone, row_op0_i != RowNone};
  assume property (@(posedge clk_i) row_op0_i != RowAct && row_op1_i != RowAct);
  `define HOLDS(name, expr) name : assert property (@(posedge clk_i) disable iff (!rst_n) (expr));

  // ------------------------------------------------------------------------------------------ grants
  `HOLDS(GrantOnlyToRequest_A, (act_gnt & ~act_valid_i) == '0 && (row_gnt & ~row_valid) == '0)
  `HOLDS(OneActivate_A, act_gnt != 2'b11)
  `HOLDS(OneOtherBesideActivate_A, act_gnt == '0 || row_gnt != 2'b11)
  `HOLDS(BusIsUsed_A, (act_valid_i == '0 || act_gnt != '0) && (row_valid == '0 || row_gnt != '0) &&
         (act_gnt != '0 || row_gnt == row_valid))
  // What hbm_banks is told (hbm_pc_proof assumes it): beside an activate of its own a command is late.
  `HOLDS(LateBesideActivate_A, act_gnt == '0 || row_late == '1)

  // --------------------------------------------------------------------------------------------- bus
  // The clock before: what was granted, and where it must stand.
  logic seen_q;
  logic [1:0] act_gnt_q, row_gnt_q, row_late_q;
  block_t act_q[2];
  row_op_e row_op_q[2];
  logic [BankW-1:0] row_bank_q[2];
  always_ff @(posedge clk_i) begin
    seen_q     <= rst_n;
    act_gnt_q  <= act_gnt;
    row_gnt_q  <= row_gnt;
    row_late_q <= row_late;
    act_q      <= act;
    row_op_q   <= row_op;
    row_bank_q <= row_bank;
  end
  // Half-CK that a lane's command takes, three of the next clock with them.
  function automatic logic [6:0] slots(input row_cmd_t c);
    return c.op == RowNone ? '0 : (c.op == RowAct ? 7'b111 : 7'b1) << c.slot;
  endfunction
  logic [6:0] taken0, taken1;
  assign taken0 = slots(lane[0]);
  assign taken1 = slots(lane[1]);
  `HOLDS(NoSlotTwice_A, (taken0 & taken1) == '0)
  `HOLDS(WithinTheClock_A, (taken0 | taken1) >> 4 == '0)
  `HOLDS(InOrderOfSlots_A, lane[1].op == RowNone || (lane[0].op != RowNone && lane[0].slot < lane[1].slot))
  `HOLDS(CommandsStartIn0Or3_A, lane[0].slot == 2'd0 && (lane[1].op == RowNone || lane[1].slot == 2'd3) && lane[1].op != RowAct)
  for (genvar p = 0; p < 2; p++) begin : gen_pc
    logic [1:0] is_act, is_row;  // the lane holds this pseudo-channel's grant
    always_comb
      for (int unsigned l = 0; l < 2; l++) begin
        is_act[l] = lane[l].op == RowAct && lane[l].pc == 1'(p) && lane[l].slot == 2'd0 && lane[l].bank == act_q[p].bank &&
            lane[l].row == act_q[p].row;
        is_row[l] = lane[l].op == row_op_q[p] && lane[l].pc == 1'(p) && lane[l].slot == (row_late_q[p] ? 2'd3 : 2'd0) &&
            lane[l].bank == row_bank_q[p];
      end
    `HOLDS(ActivateGoesOut_A, !seen_q || !act_gnt_q[p] || ^is_act)
    `HOLDS(OtherGoesOutWhereTheFlagSays_A, !seen_q || !row_gnt_q[p] || ^is_row)
  end
  `HOLDS(NothingElseGoesOut_A, 2'(lane[0].op != RowNone) + 2'(lane[1].op != RowNone) ==
         (seen_q ? 2'(act_gnt_q[0]) + 2'(act_gnt_q[1]) + 2'(row_gnt_q[0]) + 2'(row_gnt_q[1]) : 2'd0))

  // -------------------------------------------------------------------------------------------- waits
  logic [1:0] act_left_q, row_left_q;  // asked in the last clock and was not granted
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) {act_left_q, row_left_q} <= '0;
    else begin
      act_left_q <= act_valid_i & ~act_gnt;
      row_left_q <= row_valid & ~row_gnt;
    end
  end
  for (genvar p = 0; p < 2; p++) begin : gen_wait
    logic outranked;  // the other's request goes before this one's, whose turn ever it is
    assign outranked = row_press_i[1-p] && !row_press_i[p];
    `HOLDS(ActivateWaitsOneClock_A, !act_left_q[p] || !act_valid_i[p] || act_gnt[p])
    `HOLDS(OtherWaitsOneClock_A, !row_left_q[p] || !row_valid[p] || row_gnt[p] || outranked)
    `HOLDS(PressingGoesFirst_A, !row_valid[p] || !row_press_i[p] || row_press_i[1-p] || row_gnt[p])
    // A command waits only behind an activate and the other pseudo-channel's command.
    `HOLDS(WaitsForThreeCommands_A, !row_valid[p] || row_gnt[p] || (act_gnt != '0 && row_gnt[1-p]))
  end
  `undef HOLDS
endmodule
