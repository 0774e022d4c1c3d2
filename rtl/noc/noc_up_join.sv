// SPDX-License-Identifier: Apache-2.0
// Joins the data of up to five inputs of a router on up: ((W o E) o (N o S)) o L in FP32, sum or maximum; absent inputs are
// left out (docs/net.md, 4). Latency: what enters in one cycle is in the second register, and its result on res_o, two
// cycles later, so that the router's output register is the third; a word a cycle. It never stalls: the router has the
// credit before. 8 FP32 or 16 BF16 values in 256 bits; BF16 is widened, joined in FP32 and rounded once, here.
// Not supported: one input alone, which need not pass here and would be rounded.
`include "rtl/common/assert.svh"
module noc_up_join
  import noc_pkg::*;
  import noc_coll_pkg::*;
  import common_fp_pkg::*;
#(
    parameter int unsigned Width = 256
) (
    input logic clk_i,
    input logic rst_ni,
    // operands
    input logic valid_i,
    input ports_t set_i,
    input logic max_i,
    input logic bf16_i,
    input up_ctl_t ctl_i,
    input port_e parent_i,
    input logic [Width-1:0] data_i[Ports],
    // result
    output logic res_valid_o,
    output up_ctl_t res_ctl_o,
    output port_e res_parent_o,
    output logic [Width-1:0] res_o,
    // status
    output groups_t busy_o  // groups that have something in the two registers
);
  localparam int unsigned Lanes = Width / 16;  // the odd ones for BF16 alone

  typedef struct packed {
    ports_t  set;
    logic    max;
    logic    bf16;
    up_ctl_t ctl;
    port_e   parent;
  } job_t;

  // The value of lane k.
  function automatic logic [31:0] value(input logic [Width-1:0] word, input logic bf16,
                                        input int unsigned k);
    logic [31:0] pair;
    pair = word[(k/2)*32+:32];
    if (bf16) return from_bf16(k % 2 == 0 ? pair[15:0] : pair[31:16]);
    return pair;
  endfunction
  function automatic logic [31:0] join_two(input logic max, input logic has_a, input logic has_b,
                                           input logic [31:0] a, input logic [31:0] b);
    if (!has_b) return a;
    if (!has_a) return b;
    return max ? fp_max(a, b) : fp_add(a, b);
  endfunction

  logic valid1_q, valid2_q;
  job_t job1_q, job2_q;
  logic [Width-1:0] local1_q, local2_q;  // the tile's operand as it came
  logic [31:0] row_q[Lanes], column_q[Lanes];  // W o E, N o S
  logic [31:0] sum_q[Lanes];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
    end else begin
      valid1_q <= valid_i;
      valid2_q <= valid1_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      job1_q   <= '{set: set_i, max: max_i, bf16: bf16_i, ctl: ctl_i, parent: parent_i};
      local1_q <= data_i[PortL];
      /* verilator unroll_disable */
      for (int unsigned k = 0; k < Lanes; k++) begin
        if (bf16_i || k % 2 == 0) begin
          row_q[k] <= join_two(
              max_i,
              set_i[PortW],
              set_i[PortE],
              value(
                  data_i[PortW], bf16_i, k
              ),
              value(
                  data_i[PortE], bf16_i, k)
          );
          column_q[k] <= join_two(
              max_i,
              set_i[PortN],
              set_i[PortS],
              value(
                  data_i[PortN], bf16_i, k
              ),
              value(
                  data_i[PortS], bf16_i, k)
          );
        end
      end
    end
    if (valid1_q) begin
      job2_q   <= job1_q;
      local2_q <= local1_q;
      /* verilator unroll_disable */
      for (int unsigned k = 0; k < Lanes; k++) begin
        if (job1_q.bf16 || k % 2 == 0)
          sum_q[k] <= join_two(
              job1_q.max,
              job1_q.set[PortW] || job1_q.set[PortE],
              job1_q.set[PortN] || job1_q.set[PortS],
              row_q[k],
              column_q[k]
          );
      end
    end
  end

  always_comb begin
    res_o = '0;
    if (valid2_q) begin
      /* verilator unroll_disable */
      for (int unsigned k = 0; k < Lanes; k++) begin
        automatic
        logic [31:0]
        r = join_two(
            job2_q.max, 1'b1, job2_q.set[PortL], sum_q[k], value(local2_q, job2_q.bf16, k)
        );
        if (job2_q.bf16) res_o[k*16+:16] = to_bf16(r);
        else if (k % 2 == 0) res_o[(k/2)*32+:32] = r;
      end
    end
  end
  assign res_valid_o = valid2_q;
  assign res_ctl_o = job2_q.ctl;
  assign res_parent_o = job2_q.parent;
  assign busy_o = (valid1_q ? groups_t'(1) << job1_q.ctl.group : '0) |
      (valid2_q ? groups_t'(1) << job2_q.ctl.group : '0);

  `ASSERT(JoinsTwoAtLeast_A, !valid_i || $countones(set_i) > 1)
endmodule
