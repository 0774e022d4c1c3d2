// SPDX-License-Identifier: Apache-2.0
// Credits of one sender on dn: a router's output, or the tile towards its router. It has Depth, the slots of the fifo at
// the far end; send_i uses one and may be set only while ready_o is. A credit counts in the cycle in which it arrives.
`include "rtl/common/assert.svh"
module noc_dn_sender #(
    parameter int unsigned Depth = 4
) (
    input  logic clk_i,
    input  logic rst_ni,
    output logic ready_o,  // a flit may be sent; depends on credit_i in the same cycle
    input  logic send_i,   // one goes into the link's register
    input  logic credit_i  // a slot at the far end is free again
);
  localparam int unsigned CountW = $clog2(Depth + 1);
  logic [CountW-1:0] free_q;
  assign ready_o = free_q != '0 || credit_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) free_q <= CountW'(Depth);
    else free_q <= free_q + CountW'(credit_i) - CountW'(send_i);
  end
  `ASSERT(SendsWithACredit_A, !send_i || ready_o)
  `ASSERT(CreditOfASentFlit_A, !credit_i || 32'(free_q) < Depth)
endmodule
