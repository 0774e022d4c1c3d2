// SPDX-License-Identifier: Apache-2.0
// hbm_queue with free inputs keeps its promises (hbm_queue_promises).
module hbm_queue_proof
  import hbm_pkg::*;
#(
    parameter int unsigned Entries = 2,
    parameter bit Overwrite = 1'b0,
    localparam int unsigned IdxW = $clog2(Entries)
) (
    input logic clk_i,
    input logic put_valid_i,
    input place_t put_i,
    input logic put_hit_i,
    input logic find_valid_i,
    input place_t find_i,
    input logic [IdxW-1:0] peek_idx_i,
    input logic [Banks-1:0] act_ok_i,
    input logic [Banks-1:0] pre_ok_i,
    input logic [Banks-1:0] col_ok_i,
    input logic [Groups-1:0] group_ok_i,
    input logic [Entries-1:0][7:0] burst_ok_i,
    input logic age_tick_i,
    input logic [2:0] last_group_i,
    input logic col_take_i,
    input logic open_i,
    input block_t open_at_i,
    input logic [Banks-1:0] close_i
);
  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;
  logic [7:0] burst_ok[Entries];
  always_comb for (int unsigned i = 0; i < Entries; i++) burst_ok[i] = burst_ok_i[i];
  hbm_queue #(
      .Entries  (Entries),
      .Overwrite(Overwrite)
  ) u_queue (
      .rst_ni(rst_n),
      .burst_ok_i(burst_ok),
      .put_ready_o(),
      .put_idx_o(),
      .put_new_o(),
      .put_over_o(),
      .find_o(),
      .peek_o(),
      .act_valid_o(),
      .act_o(),
      .pre_valid_o(),
      .pre_bank_o(),
      .col_valid_o(),
      .col_idx_o(),
      .col_o(),
      .pending_o(),
      .hits_o(),
      .any_o(),
      .any_go_o(),
      .aged_o(),
      .row_open_o(),
      .row_ready_o(),
      .*
  );
endmodule
bind hbm_queue hbm_queue_promises #(.Entries(Entries), .Overwrite(Overwrite), .Prove(1'b1)) u_promises (
    .*,
    .own_valid_i(valid_q),
    .own_hit_i(hit_q),
    .own_aged1_i(aged1_q),
    .own_aged_i(aged_q),
    .own_older_i(older_q),
    .own_block_i(block_q),
    .own_mask_i(mask_q)
);
