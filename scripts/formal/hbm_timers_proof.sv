// SPDX-License-Identifier: Apache-2.0
// hbm_timers against one plain counter an item: for all sets and distances, but no item is set twice in a clock (a bank takes
// one command a clock: hbm_rules proves it).
module hbm_timers_proof #(
    parameter int unsigned Num   = 3,
    parameter int unsigned Width = 8
) (
    input logic clk_i,
    input logic [Num-1:0] set0_i,
    input logic [Width-1:0] distance0_i,
    input logic [Num-1:0] set1_i,
    input logic [Width-1:0] distance1_i
);
  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;
  logic [Num-1:0] done, set1;
  assign set1 = set1_i & ~set0_i;
  hbm_timers #(
      .Num  (Num),
      .Width(Width)
  ) u_timers (
      .rst_ni(rst_n),
      .clk_i,
      .set0_i,
      .distance0_i,
      .set1_i(set1),
      .distance1_i,
      .done_o(done)
  );
  for (genvar i = 0; i < Num; i++) begin : gen_item
    logic [Width-1:0] left_q, left, least;  // clocks until the item is done
    always_comb begin
      least = set0_i[i] ? distance0_i : set1[i] ? distance1_i : '0;
      left  = left_q == '0 ? '0 : left_q - 1'b1;
      if (least != '0 && least - 1'b1 > left) left = least - 1'b1;
    end
    always_ff @(posedge clk_i or negedge rst_n) begin
      if (!rst_n) left_q <= '0;
      else left_q <= left;
    end
    DoneInTime_A : assert property (@(posedge clk_i) disable iff (!rst_n) done[i] == (left_q == '0));
  end
endmodule
