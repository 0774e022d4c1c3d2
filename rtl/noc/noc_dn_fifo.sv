// SPDX-License-Identifier: Apache-2.0
// Input of a router on dn: Depth flits in order. The oldest is offered; one that arrives at an empty fifo in the same cycle.
// It stays until take_i, which may come in that cycle; its credit goes back the cycle after. No ready: the sender counts.
`include "rtl/common/assert.svh"
module noc_dn_fifo
  import noc_coll_pkg::*;
#(
    parameter int unsigned Width = 256,
    parameter int unsigned Depth = 4
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    // arriving
    input  logic                in_valid_i,
    input  dn_ctl_t             in_ctl_i,
    input  logic    [Width-1:0] in_data_i,
    output logic                credit_o,
    // oldest
    output logic                out_valid_o,
    output dn_ctl_t             out_ctl_o,
    output logic    [Width-1:0] out_data_o,
    input  logic                take_i,
    // status
    output logic                empty_o       // nothing stored
);
  localparam int unsigned PtrW = Depth > 1 ? $clog2(Depth) : 1;
  localparam int unsigned CountW = $clog2(Depth + 1);
  localparam logic [PtrW-1:0] Last = PtrW'(Depth - 1);
  dn_ctl_t ctl_q[Depth];
  logic [Width-1:0] data_q[Depth];
  logic [PtrW-1:0] rd_q, wr_q;
  logic [CountW-1:0] count_q;
  logic credit_q, push, pop;

  assign empty_o     = count_q == '0;
  assign out_valid_o = !empty_o || in_valid_i;
  assign out_ctl_o   = empty_o ? in_ctl_i : ctl_q[rd_q];
  assign out_data_o  = empty_o ? in_data_i : data_q[rd_q];
  assign push        = in_valid_i && !(empty_o && take_i);
  assign pop         = take_i && !empty_o;
  assign credit_o    = credit_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rd_q     <= '0;
      wr_q     <= '0;
      count_q  <= '0;
      credit_q <= 1'b0;
    end else begin
      if (push) wr_q <= wr_q == Last ? '0 : wr_q + 1'b1;
      if (pop) rd_q <= rd_q == Last ? '0 : rd_q + 1'b1;
      count_q  <= count_q + CountW'(push) - CountW'(pop);
      credit_q <= take_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (push) begin
      ctl_q[wr_q]  <= in_ctl_i;
      data_q[wr_q] <= in_data_i;
    end
  end

  `ASSERT(TakesWhatIsThere_A, !take_i || out_valid_o)
  `ASSERT(ArrivesWhereFree_A, !in_valid_i || 32'(count_q) < Depth)
endmodule
