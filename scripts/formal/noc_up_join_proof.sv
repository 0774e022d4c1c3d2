// SPDX-License-Identifier: Apache-2.0
// noc_up_join, values as terms (common_fp_terms): any jobs, one a clock or fewer. A lane is watched, chosen freely; the others'
// data are anything. Two clocks after a job its result, control bits and parent are there, and then only; the value of the lane
// is ((W o E) o (N o S)) o L of the inputs in the set, absent ones left out; BF16 is rounded once, after the last join.
module noc_up_join_proof
  import noc_pkg::*;
  import noc_coll_pkg::*;
  import common_fp_pkg::*;
(
    input logic           clk_i,
    input logic           valid_i,
    input ports_t         set_i,
    input logic           max_i,
    input logic           bf16_i,
    input up_ctl_t        ctl_i,
    input port_e          parent_i,
    input logic    [63:0] data_i   [Ports],
    input logic    [ 1:0] lane_i
);
  localparam int unsigned Width = 64;
  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;
  logic [1:0] lane_q;
  always_ff @(posedge clk_i) if (!rst_n) lane_q <= lane_i;

  typedef struct packed {
    logic    valid;
    ports_t  set;
    logic    max;
    logic    bf16;
    up_ctl_t ctl;
    port_e   parent;
  } job_t;
  job_t now, one_q, two_q;
  logic [Width-1:0] data[Ports];
  always_comb begin
    now = '{
        valid: valid_i && $countones(set_i) > 1,
        set: set_i,
        max: max_i,
        bf16: bf16_i,
        ctl: ctl_i,
        parent: parent_i
    };
    for (int unsigned p = 0; p < Ports; p++) begin  // the watched lane holds the operand of its input
      data[p] = data_i[p];
      for (int unsigned k = 0; k < Width / 16; k++) begin
        if (bf16_i && 32'(lane_q) == k) data[p][k*16+:16] = 16'(p + 1);
        if (!bf16_i && 32'(lane_q) / 2 == k / 2 && k % 2 == 0) data[p][k*16+:32] = {4'd1, 28'(p + 1)};
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      one_q <= '0;
      two_q <= '0;
    end else begin
      one_q <= now;
      two_q <= one_q;
    end
  end

  // What is there of two values, or their join.
  function automatic logic [32:0] either(input job_t job, input logic [32:0] a, input logic [32:0] b);
    if (!b[32]) return a;
    if (!a[32]) return b;
    return {1'b1, job.max ? fp_max(a[31:0], b[31:0]) : fp_add(a[31:0], b[31:0])};
  endfunction
  function automatic logic [32:0] operand(input job_t job, input port_e p);
    return {job.set[p], 4'd1, 28'(p) + 28'd1};
  endfunction
  function automatic logic [32:0] row(input job_t job);
    return either(job, operand(job, PortW), operand(job, PortE));
  endfunction
  function automatic logic [32:0] column(input job_t job);
    return either(job, operand(job, PortN), operand(job, PortS));
  endfunction
  function automatic logic [32:0] all(input job_t job);
    return either(job, either(job, row(job), column(job)), operand(job, PortL));
  endfunction

  logic res_valid;
  up_ctl_t res_ctl;
  port_e res_parent;
  logic [Width-1:0] res;
  groups_t busy;
  noc_up_join #(
      .Width(Width)
  ) u_join (
      .clk_i,
      .rst_ni(rst_n),
      .valid_i(now.valid),
      .set_i,
      .max_i,
      .bf16_i,
      .ctl_i,
      .parent_i,
      .data_i(data),
      .res_valid_o(res_valid),
      .res_ctl_o(res_ctl),
      .res_parent_o(res_parent),
      .res_o(res),
      .busy_o(busy)
  );
  logic [32:0] expected;
  logic [Width-1:0] moved;  // the watched lane comes lowest
  logic right;
  assign expected = all(two_q);
  assign moved = res >> (two_q.bf16 ? 16 * 32'(lane_q) : 16 * (32'(lane_q) & 32'd2));
  assign right = two_q.bf16 ? moved[15:0] == to_bf16(expected[31:0]) : moved[31:0] == expected[31:0];
  Order_A : assert property (@(posedge clk_i) disable iff (!rst_n) !two_q.valid || right);
  TwoClocks_A : assert property (@(posedge clk_i) disable iff (!rst_n)
                                 res_valid == two_q.valid && (!res_valid || {res_ctl, res_parent} == {two_q.ctl, two_q.parent}));
  BusyGroups_A : assert property (@(posedge clk_i) disable iff (!rst_n)
      busy == ((one_q.valid ? groups_t'(1) << one_q.ctl.group : '0) | (two_q.valid ? groups_t'(1) << two_q.ctl.group : '0)));

  // Covers: each is reached (noc_up_join_reach).
  AllFiveFp32_C : assert property (@(posedge clk_i) disable iff (!rst_n) !(two_q.valid && two_q.set == '1 && !two_q.bf16));
  AllFiveBf16_C : assert property (@(posedge clk_i) disable iff (!rst_n) !(two_q.valid && two_q.set == '1 && two_q.bf16 && lane_q[0]));
  EveryClock_C : assert property (@(posedge clk_i) disable iff (!rst_n) !(now.valid && one_q.valid && two_q.valid));
endmodule
