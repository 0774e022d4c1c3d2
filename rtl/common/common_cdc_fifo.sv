// SPDX-License-Identifier: Apache-2.0
// FIFO between two unrelated clocks: Gray-coded pointers through two flip-flops each way (C. E. Cummings,
// "Simulation and synthesis techniques for asynchronous FIFO design", SNUG 2002). Depth is a power of two, at
// least 4. Throughput 1 a cycle of the slower clock from Depth 8 on; latency 1 source cycle and 2 to 3 sink
// cycles. in_ready_o and out_valid_o depend on registers of their own side alone. Both resets must have
// been low together, and each is released synchronously to its own clock. Paths from wr_gray_q, rd_gray_q and
// mem_q into the other domain need a bound on delay and skew of less than one period: constraints/hbm_cdc.sdc.
`include "rtl/common/assert.svh"
module common_cdc_fifo #(
    parameter type data_t = logic,
    parameter int unsigned Depth = 8
) (
    // source
    input  logic  in_clk_i,
    input  logic  in_rst_ni,
    input  logic  in_valid_i,
    output logic  in_ready_o,
    input  data_t in_i,
    // sink
    input  logic  out_clk_i,
    input  logic  out_rst_ni,
    output logic  out_valid_o,
    input  logic  out_ready_i,
    output data_t out_o
);
  localparam int unsigned W = $clog2(Depth);
  if (Depth < 4 || Depth != 1 << W) begin : gen_check
    $error("common_cdc_fifo: Depth must be a power of two, at least 4");
  end
  typedef logic [W:0] pointer_t;
  function automatic pointer_t gray(input pointer_t binary);
    return binary ^ (binary >> 1);
  endfunction

  data_t mem_q[Depth];
  pointer_t wr_q, wr_gray_q, rd_q, rd_gray_q;
  pointer_t rd_meta_q, rd_seen_q;  // in the source's domain
  pointer_t wr_meta_q, wr_seen_q;  // in the sink's
  pointer_t wr_next, rd_next;
  logic push, pop;

  // Full: the pointers are Depth apart, in Gray code their two upper bits differ and the rest agree.
  assign in_ready_o  = wr_gray_q != {~rd_seen_q[W:W-1], rd_seen_q[W-2:0]};
  assign out_valid_o = rd_gray_q != wr_seen_q;
  assign push        = in_valid_i && in_ready_o;
  assign pop         = out_valid_o && out_ready_i;
  assign wr_next     = wr_q + 1'b1;
  assign rd_next     = rd_q + 1'b1;
  assign out_o       = mem_q[rd_q[W-1:0]];

  always_ff @(posedge in_clk_i or negedge in_rst_ni) begin
    if (!in_rst_ni) begin
      wr_q      <= '0;
      wr_gray_q <= '0;
      rd_meta_q <= '0;
      rd_seen_q <= '0;
    end else begin
      rd_meta_q <= rd_gray_q;
      rd_seen_q <= rd_meta_q;
      if (push) begin
        wr_q      <= wr_next;
        wr_gray_q <= gray(wr_next);
      end
    end
  end
  always_ff @(posedge in_clk_i) if (push) mem_q[wr_q[W-1:0]] <= in_i;

  always_ff @(posedge out_clk_i or negedge out_rst_ni) begin
    if (!out_rst_ni) begin
      rd_q      <= '0;
      rd_gray_q <= '0;
      wr_meta_q <= '0;
      wr_seen_q <= '0;
    end else begin
      wr_meta_q <= wr_gray_q;
      wr_seen_q <= wr_meta_q;
      if (pop) begin
        rd_q      <= rd_next;
        rd_gray_q <= gray(rd_next);
      end
    end
  end
endmodule
