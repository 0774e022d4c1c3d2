// SPDX-License-Identifier: Apache-2.0
// Two-entry buffer that cuts every combinational path between its sides: all outputs are
// flip-flops. Latency 1 cycle, throughput 1 a cycle. Does not reorder, does not drop; holds out_o
// until out_ready_i.
`include "rtl/common/assert.svh"
module common_spill #(
    parameter type data_t = logic
) (
    input  logic  clk_i,
    input  logic  rst_ni,
    // upstream
    input  logic  in_valid_i,
    output logic  in_ready_o,   // registered: does not depend on out_ready_i in the same cycle
    input  data_t in_i,
    // downstream
    output logic  out_valid_o,
    input  logic  out_ready_i,
    output data_t out_o
);
  logic out_valid_q, spare_valid_q, in_ready_q;
  data_t out_q, spare_q;
  logic push, pop;

  assign push        = in_valid_i && in_ready_q;
  assign pop         = out_valid_q && out_ready_i;
  assign in_ready_o  = in_ready_q;
  assign out_valid_o = out_valid_q;
  assign out_o       = out_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_valid_q   <= 1'b0;
      spare_valid_q <= 1'b0;
      in_ready_q    <= 1'b0;
    end else begin
      if (pop || !out_valid_q) begin
        out_valid_q   <= spare_valid_q || push;
        spare_valid_q <= 1'b0;
        in_ready_q    <= 1'b1;
      end else if (push) begin
        spare_valid_q <= 1'b1;
        in_ready_q    <= 1'b0;
      end
    end
  end
  // in_ready_q implies that the spare is empty, so a push never meets a full spare.
  always_ff @(posedge clk_i) begin
    if (pop || !out_valid_q) begin
      if (spare_valid_q) out_q <= spare_q;
      else if (push) out_q <= in_i;
    end else if (push) begin
      spare_q <= in_i;
    end
  end

  `ASSERT_HELD(OutHeldUntilReady_A, out_valid_o, out_ready_i, out_o)
  `ASSERT_NEVER(SpareOnlyWhenNotReady_A, spare_valid_q && in_ready_q)
endmodule
