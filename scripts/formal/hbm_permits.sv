// SPDX-License-Identifier: Apache-2.0
// What hbm_banks asks of its user: each command is one that its outputs permit in that clock. Assumed where hbm_banks is
// proven alone, proven where its user is (Prove).
module hbm_permits
  import hbm_pkg::*;
#(
    parameter bit Prove = 1'b0
) (
    input logic              clk_i,
    input logic              rst_ni,
    input logic              act_i,
    input block_t            act_at_i,
    input row_op_e           row_op_i,
    input logic [ BankW-1:0] row_bank_i,
    input logic              rd_i,
    input logic              wr_i,
    input logic [ BankW-1:0] col_bank_i,
    input logic [ Banks-1:0] act_ok_o,
    input logic [ Banks-1:0] ref_ok_o,
    input logic              all_ok_o,
    input logic [ Banks-1:0] pre_ok_o,
    input logic              prea_ok_o,
    input logic [ Banks-1:0] open_o,
    input logic [ Banks-1:0] rd_ok_o,
    input logic [ Banks-1:0] wr_ok_o,
    input logic [Groups-1:0] rd_group_ok_o,
    input logic [Groups-1:0] wr_group_ok_o
);
  logic act, pre, prea, refpb, whole, exits, rd, wr, column, alone;
  assign act   = !act_i || act_ok_o[act_at_i.bank];
  assign pre   = row_op_i != RowPre || pre_ok_o[row_bank_i];
  assign prea  = row_op_i != RowPreA || prea_ok_o;
  assign refpb = !(row_op_i inside {RowRefPb, RowRfmPb}) || ref_ok_o[row_bank_i];
  assign whole = !(row_op_i inside {RowRefAb, RowRfmAb, RowSelfEnter}) || all_ok_o;
  assign exits = row_op_i != RowAct && (row_op_i != RowSelfExit || open_o == '0);
  assign rd    = !rd_i || (rd_ok_o[col_bank_i] && rd_group_ok_o[col_bank_i[5:3]]);
  assign wr    = !wr_i || (wr_ok_o[col_bank_i] && wr_group_ok_o[col_bank_i[5:3]]);
  // Nothing but a precharge beside an activate; one column command, not of the bank that is closed now.
  assign alone  = !act_i || row_op_i inside {RowNone, RowPre};
  assign column = !(rd_i && wr_i) && !((rd_i || wr_i) && (row_op_i == RowPreA ||
                  (row_op_i == RowPre && row_bank_i == col_bank_i)));
  if (Prove) begin : gen_prove
    `define PERMIT(name, expr) name : assert property (@(posedge clk_i) disable iff (!rst_ni) (expr));
    `PERMIT(ActivatePermitted_A, act)
    `PERMIT(PrechargePermitted_A, pre)
    `PERMIT(PrechargeAllPermitted_A, prea)
    `PERMIT(RefreshPermitted_A, refpb)
    `PERMIT(WholePermitted_A, whole)
    `PERMIT(ExitPermitted_A, exits)
    `PERMIT(ReadPermitted_A, rd)
    `PERMIT(WritePermitted_A, wr)
    `PERMIT(OnlyPrechargeBesideActivate_A, alone)
    `PERMIT(NoColumnBesidePrecharge_A, column)
    logic asleep_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) asleep_q <= 1'b0;
      else if (row_op_i inside {RowSelfEnter, RowSelfExit}) asleep_q <= row_op_i == RowSelfEnter;
    end
    `PERMIT(AsleepExitOnly_A, !asleep_q || !(act_i || rd_i || wr_i || !(row_op_i inside {RowNone, RowSelfExit})))
    `undef PERMIT
  end else begin : gen_assume
    assume property (@(posedge clk_i) disable iff (!rst_ni) (act && pre && prea && refpb && whole && exits && rd &&
                                                             wr && alone && column));
  end
endmodule
