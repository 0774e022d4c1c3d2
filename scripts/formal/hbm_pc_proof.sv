// SPDX-License-Identifier: Apache-2.0
// hbm_pc with any requests, any returns and any grants of what it asks for: every command is one that hbm_banks permits in that
// clock (hbm_permits), none but the exit comes in self refresh, and no FIFO is pushed when it is full. The two queues keep their
// first promises (hbm_queue_promises), which are proven on hbm_queue alone.
module hbm_pc_proof
  import hbm_pkg::*;
#(
    parameter int unsigned IdW = 1,
    parameter int unsigned RdEntries = 2,
    parameter int unsigned WrEntries = 2,
    parameter int unsigned Slots = 4
) (
    input logic           clk_i,
    input cfg_t           cfg_i,
    input logic [2:0]     temperature_i,
    input logic           run_i,
    input logic           quiet_i,
    input logic           ar_valid_i,
    input logic [IdW-1:0] ar_id_i,
    input logic [   30:0] ar_addr_i,
    input logic [    7:0] ar_len_i,
    input logic           r_ready_i,
    input logic           aw_valid_i,
    input logic [IdW-1:0] aw_id_i,
    input logic [   30:0] aw_addr_i,
    input logic [    7:0] aw_len_i,
    input logic           w_valid_i,
    input logic [  255:0] w_data_i,
    input logic [   31:0] w_strb_i,
    input logic           w_last_i,
    input logic           b_ready_i,
    input logic           act_grant_i,
    input logic           row_grant_i,
    input logic           row_late_i,
    input logic           rdata_valid_i,
    input burst_t         rdata_i
);
  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;
  logic act_valid;
  row_op_e row_op;
  hbm_pc #(
      .IdW(IdW),
      .RdEntries(RdEntries),
      .WrEntries(WrEntries),
      .Slots(Slots)
  ) u_pc (
      .rst_ni(rst_n),
      .act_valid_o(act_valid),
      .act_gnt_i(act_grant_i && act_valid),
      .row_op_o(row_op),
      .row_gnt_i(row_grant_i && row_op != RowNone),
      .row_late_i(row_late_i || (act_grant_i && act_valid)),
      .ar_ready_o(),
      .r_valid_o(),
      .r_id_o(),
      .r_data_o(),
      .r_resp_o(),
      .r_last_o(),
      .aw_ready_o(),
      .w_ready_o(),
      .b_valid_o(),
      .b_id_o(),
      .b_resp_o(),
      .act_o(),
      .row_bank_o(),
      .row_press_o(),
      .col_o(),
      .wdata_valid_o(),
      .wdata_o(),
      .event_o(),
      .idle_o(),
      .sleeping_o(),
      .settled_o(),
      .written_o(),
      .error_valid_o(),
      .error_place_o(),
      .*
  );
  // What hbm_row_bus is told: an activate comes on its own port only.
  NoActivateAsOther_A : assert property (@(posedge clk_i) disable iff (!rst_n) row_op != RowAct);
  // What hbm_refresh_proof assumes: no activate of a bank that hbm_refresh has blocked in this clock and the two before.
  logic [Banks-1:0] blocked1_q, blocked2_q;
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) {blocked2_q, blocked1_q} <= '0;
    else {blocked2_q, blocked1_q} <= {blocked1_q, u_pc.block_act};
  end
  NoActivateOfBlocked_A : assert property (@(posedge clk_i) disable iff (!rst_n)
      !(act_grant_i && act_valid && u_pc.block_act[u_pc.act_o.bank] && blocked1_q[u_pc.act_o.bank] && blocked2_q[u_pc.act_o.bank]));
endmodule
bind hbm_queue hbm_queue_promises #(.Entries(Entries), .Overwrite(Overwrite)) u_promises (
    .*,
    .own_valid_i(valid_q),
    .own_hit_i(hit_q),
    .own_aged1_i(aged1_q),
    .own_aged_i(aged_q),
    .own_older_i(older_q),
    .own_block_i(block_q),
    .own_mask_i(mask_q)
);
bind hbm_banks hbm_permits #(.Prove(1'b1)) u_permits (.*);
