// SPDX-License-Identifier: Apache-2.0
// FIFO of Depth entries. Latency 1 cycle, throughput 1 a cycle; in_ready_o and out_valid_o depend
// on registers alone. Not supported: fall-through (an entry is visible the cycle after its push).
`include "rtl/common/assert.svh"
module common_fifo #(
    parameter type data_t = logic,
    parameter int unsigned Depth = 4
) (
    input logic clk_i,
    input logic rst_ni,
    // upstream
    input logic in_valid_i,
    output logic in_ready_o,
    input data_t in_i,
    // downstream
    output logic out_valid_o,
    input logic out_ready_i,
    output data_t out_o,
    // status
    output logic [$clog2(Depth+1)-1:0] count_o
);
  if (Depth < 1) begin : gen_check
    $error("common_fifo: Depth must be at least 1");
  end
  localparam int unsigned PtrWidth = Depth > 1 ? $clog2(Depth) : 1;
  localparam logic [PtrWidth-1:0] Last = PtrWidth'(Depth - 1);

  data_t mem_q[Depth];
  logic [PtrWidth-1:0] rd_q, wr_q;
  logic [$clog2(Depth+1)-1:0] count_q;
  logic push, pop;

  assign in_ready_o  = count_q != ($clog2(Depth + 1))'(Depth);
  assign out_valid_o = count_q != '0;
  assign out_o       = mem_q[rd_q];
  assign count_o     = count_q;
  assign push        = in_valid_i && in_ready_o;
  assign pop         = out_valid_o && out_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rd_q    <= '0;
      wr_q    <= '0;
      count_q <= '0;
    end else begin
      if (push) wr_q <= wr_q == Last ? '0 : wr_q + 1'b1;
      if (pop) rd_q <= rd_q == Last ? '0 : rd_q + 1'b1;
      if (push && !pop) count_q <= count_q + 1'b1;
      if (pop && !push) count_q <= count_q - 1'b1;
    end
  end
  always_ff @(posedge clk_i) if (push) mem_q[wr_q] <= in_i;

  `ASSERT_HELD(OutHeldUntilReady_A, out_valid_o, out_ready_i, out_o)
  `ASSERT(CountWithinDepth_A, 32'(count_q) <= Depth)
endmodule
