// SPDX-License-Identifier: Apache-2.0
// Keeps the order of an AXI ID across destinations: an address passes if nothing of its ID is under way, or if all of it is
// bound for the same destination, which answers in order, and fewer than Max are. No latency: valid_o and ready_o follow
// valid_i, ready_i and payload in the same cycle. Other IDs behind an address that waits wait with it. Reads and
// writes take one chip_order each: AXI orders none with the other.
`include "rtl/common/assert.svh"
module chip_order #(
    parameter int unsigned IdW   = 4,
    parameter int unsigned DestW = 7,
    parameter int unsigned Max   = 8
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    // addresses
    input  logic             valid_i,
    output logic             ready_o,
    input  logic [  IdW-1:0] id_i,
    input  logic [DestW-1:0] dest_i,
    output logic             valid_o,
    input  logic             ready_i,
    // the last beat of a response leaves
    input  logic             done_i,
    input  logic [  IdW-1:0] done_id_i
);
  if (Max < 1) begin : gen_check
    $error("chip_order: Max must be at least 1");
  end
  localparam int unsigned CountW = $clog2(Max + 1);
  logic [CountW-1:0] count_q[2**IdW];
  logic [ DestW-1:0] dest_q [2**IdW];
  logic open, pass;
  assign open    = count_q[id_i] == '0 || (dest_q[id_i] == dest_i && 32'(count_q[id_i]) < Max);
  assign valid_o = valid_i && open;
  assign ready_o = ready_i && open;
  assign pass    = valid_o && ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned i = 0; i < 2 ** IdW; i++) count_q[i] <= '0;
    end else if (!(pass && done_i && id_i == done_id_i)) begin
      if (pass) count_q[id_i] <= count_q[id_i] + 1'b1;
      if (done_i) count_q[done_id_i] <= count_q[done_id_i] - 1'b1;
    end
  end
  always_ff @(posedge clk_i) if (pass) dest_q[id_i] <= dest_i;

  `ASSERT_NEVER(NothingEndsThatHasNotBegun_A, done_i && count_q[done_id_i] == '0)
  `ASSERT_NEXT(OpenUntilTaken_A, valid_o && !ready_i, valid_o)
endmodule
