// SPDX-License-Identifier: Apache-2.0
// The tile's end of a router's output: Depth slots, and a registered credit for each flit taken from them. One cycle from the
// link's register to out_o; a flit a cycle with Depth >= 3.
`include "rtl/common/assert.svh"
module net_inbox #(
    parameter int unsigned Width = 256,
    parameter int unsigned Depth = 4
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             in_valid_i,
    input  logic [Width-1:0] in_i,
    output logic             credit_o,
    output logic             out_valid_o,
    input  logic             out_ready_i,
    output logic [Width-1:0] out_o
);
  logic room, credit_q;
  common_fifo #(
      .data_t(logic [Width-1:0]),
      .Depth (Depth)
  ) u_fifo (
      .clk_i,
      .rst_ni,
      .in_valid_i,
      .in_ready_o(room),
      .in_i,
      .out_valid_o,
      .out_ready_i,
      .out_o,
      .count_o   ()
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) credit_q <= 1'b0;
    else credit_q <= out_valid_o && out_ready_i;
  end
  assign credit_o = credit_q;
  `ASSERT_NEVER(RoomForWhatComes_A, in_valid_i && !room)
endmodule
