// SPDX-License-Identifier: Apache-2.0
// Arbiter of the row bus that two pseudo-channels share. A clock has four half-CK slots: an activate takes 0..2 and
// leaves slot 3 to one other command; without an activate two others take slots 0 and 3. Grants and late flags are
// combinational, row_o follows a clock later. Activates take turns; so do the others, but a pressing request goes
// before one that is not. A request that stands is granted in its second clock at the latest, unless it is no activate,
// the other pseudo-channel's presses, and this one's does not (then as long as that and activates last).
// Not checked here: DRAM timings (hbm_banks); a request need not stand until it is granted.
module hbm_row_bus
  import hbm_pkg::*;
(
    input  logic                 clk_i,
    input  logic                 rst_ni,
    // activates
    input  logic     [      1:0] act_valid_i,
    input  block_t               act_i      [2],
    output logic     [      1:0] act_gnt_o,
    // others; RowNone: no request
    input  row_op_e              row_op_i   [2],
    input  logic     [BankW-1:0] row_bank_i [2],
    input  logic     [      1:0] row_press_i,
    output logic     [      1:0] row_gnt_o,
    output logic     [      1:0] row_late_o,      // in slot 3
    // the bus, registered
    output row_cmd_t             row_o      [2]
);
  logic act_turn_q, row_turn_q, first;  // whose turn it is
  logic [1:0] row_valid;
  assign row_valid = {row_op_i[1] != RowNone, row_op_i[0] != RowNone};
  always_comb begin
    act_gnt_o = act_valid_i == 2'b11 ? (act_turn_q ? 2'b10 : 2'b01) : act_valid_i;
    first     = row_turn_q;
    if (row_press_i == 2'b01) first = 1'b0;
    if (row_press_i == 2'b10) first = 1'b1;
    row_gnt_o  = row_valid;
    row_late_o = '0;
    if (act_gnt_o != '0) begin
      row_late_o = '1;
      if (row_valid == 2'b11) row_gnt_o = first ? 2'b10 : 2'b01;
    end else if (row_valid == 2'b11) begin
      row_late_o = first ? 2'b01 : 2'b10;
    end
  end

  row_cmd_t lane0, lane1;
  logic only;  // the pseudo-channel of the one command beside an activate, or of slot 0's
  assign only = row_gnt_o == 2'b11 ? first : row_gnt_o[1];
  always_comb begin
    lane0 = '0;
    lane1 = '0;
    if (act_gnt_o != '0) begin
      lane0 = '{
          op: RowAct,
          pc: act_gnt_o[1],
          slot: 2'd0,
          bank: act_i[act_gnt_o[1]].bank,
          row: act_i[act_gnt_o[1]].row
      };
      if (row_gnt_o != '0)
        lane1 = '{op: row_op_i[only], pc: only, slot: 2'd3, bank: row_bank_i[only], row: '0};
    end else begin
      if (row_gnt_o != '0)
        lane0 = '{op: row_op_i[only], pc: only, slot: 2'd0, bank: row_bank_i[only], row: '0};
      if (row_gnt_o == 2'b11)
        lane1 = '{
            op: row_op_i[!only],
            pc: !only,
            slot: 2'd3,
            bank: row_bank_i[!only],
            row: '0
        };
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      act_turn_q <= 1'b0;
      row_turn_q <= 1'b0;
      row_o[0]   <= '0;
      row_o[1]   <= '0;
    end else begin
      if (act_gnt_o != '0) act_turn_q <= act_gnt_o[0];
      if (row_gnt_o != '0) row_turn_q <= row_gnt_o[0];
      row_o[0] <= lane0;
      row_o[1] <= lane1;
    end
  end
endmodule
