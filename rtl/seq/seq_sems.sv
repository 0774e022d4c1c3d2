// SPDX-License-Identifier: Apache-2.0
// The tile's semaphores: Sems unsigned 32-bit counters, 0 after reset.
// Waits: NumWait requesters; in a cycle at most one whose both counts are there is granted (round
// robin) and both are subtracted. A request holds until granted. Grant is combinational from the
// request and the counters. Posts: NumPost sources, one accepted a cycle (lowest number first;
// every source is an engine that stops until accepted, so none starves). A post adds up to two
// counts; with take it subtracts (stake). Overflow and underflow are reported the cycle they happen
// and leave the counter unchanged. The second count of a remote post goes to rpost_o instead (taken together with the
// first; while rpost_ready_i is low such posts wait and others pass them); a tile outside the mesh is reported.
`include "rtl/common/assert.svh"
module seq_sems
  import tepin_pkg::*;
  import tepin_isa_pkg::*;
#(
    parameter int unsigned Sems = 64,
    parameter int unsigned NumWait = 5,
    parameter int unsigned NumPost = 5
) (
    input logic clk_i,
    input logic rst_ni,
    // waits
    input logic wait_valid_i[NumWait],
    input sem_op_t wait_i[NumWait],
    output logic wait_gnt_o[NumWait],
    // posts
    input logic post_valid_i[NumPost],
    input sem_op_t post_i[NumPost],
    output logic post_ready_o[NumPost],
    // posts to other tiles
    input noc_pkg::coord_t last_i,  // south-east corner of the mesh
    output logic rpost_valid_o,
    output remote_post_t rpost_o,
    input logic rpost_ready_i,
    // host: reads any counter, sets one
    input logic [5:0] host_sem_i,
    input logic host_set_i,
    input logic [31:0] host_value_i,
    output logic [31:0] host_value_o,
    // status
    output logic activity_o,  // a grant or a post this cycle
    output logic overflow_o,
    output logic underflow_o,
    output logic bad_tile_o,
    output logic [31:0] bad_sem_o,  // which semaphore
    output logic [$clog2(NumPost)-1:0] bad_post_o  // which source
);
  if (Sems < 2 || Sems > 64) begin : gen_check
    $error("seq_sems: Sems must be 2..64");
  end
  localparam int unsigned SemW = $clog2(Sems);

  logic [31:0] sem_q[Sems];
  logic [$clog2(NumWait)-1:0] rr_q;
  logic take, post;
  logic [$clog2(NumWait)-1:0] who;
  sem_op_t take_op, post_op;
  logic [$clog2(NumPost)-1:0] post_who;

  // Choice of the wait: the first satisfied requester after the last one granted.
  always_comb begin
    take = 1'b0;
    who = '0;
    take_op = wait_i[0];
    for (int unsigned i = 0; i < 2 * NumWait; i++) begin
      automatic int unsigned k = i >= NumWait ? i - NumWait : i;
      if (!take && wait_valid_i[k] && (i >= NumWait || k > 32'(rr_q)) &&
          sem_q[wait_i[k].sem0[SemW-1:0]] >= wait_i[k].cnt0 &&
          sem_q[wait_i[k].sem1[SemW-1:0]] >= wait_i[k].cnt1) begin
        take    = 1'b1;
        who     = $clog2(NumWait)'(k);
        take_op = wait_i[k];
      end
    end
    for (int unsigned i = 0; i < NumWait; i++) wait_gnt_o[i] = take && 32'(who) == i;
  end

  always_comb begin
    post     = 1'b0;
    post_who = '0;
    post_op  = post_i[0];
    for (int unsigned i = 0; i < NumPost; i++) begin
      post_ready_o[i] = post_valid_i[i] && !post && (!post_i[i].remote || rpost_ready_i);
      if (post_ready_o[i]) begin
        post     = 1'b1;
        post_who = $clog2(NumPost)'(i);
        post_op  = post_i[i];
      end
    end
    rpost_o = '{tile: post_op.tile, sem: post_op.sem1, cnt: post_op.cnt1[7:0]};
    bad_tile_o = post && post_op.remote && (post_op.tile[2:0] > last_i.x || post_op.tile[5:3] > last_i.y);
    rpost_valid_o = post && post_op.remote && !bad_tile_o;
    if (post_op.remote) begin
      post_op.sem1 = '0;
      post_op.cnt1 = '0;
    end
  end

  // Arithmetic of one semaphore: 34 bits, so that both borrow and carry show.
  function automatic logic signed [33:0] changed(input logic [31:0] old, input logic [5:0] s,
                                                 input logic t, input sem_op_t top, input logic p,
                                                 input sem_op_t pop);
    logic signed [33:0] v;
    v = signed'({2'b0, old});
    if (t && top.sem0 == s) v = v - signed'({2'b0, top.cnt0});
    if (t && top.sem1 == s) v = v - signed'({2'b0, top.cnt1});
    if (p && pop.sem0 == s)
      v = pop.take ? v - signed'({2'b0, pop.cnt0}) : v + signed'({2'b0, pop.cnt0});
    if (p && pop.sem1 == s)
      v = pop.take ? v - signed'({2'b0, pop.cnt1}) : v + signed'({2'b0, pop.cnt1});
    return v;
  endfunction

  logic signed [33:0] next0, next1, next2, next3;
  always_comb begin
    next0 = changed(sem_q[take_op.sem0[SemW-1:0]], take_op.sem0, take, take_op, post, post_op);
    next1 = changed(sem_q[take_op.sem1[SemW-1:0]], take_op.sem1, take, take_op, post, post_op);
    next2 = changed(sem_q[post_op.sem0[SemW-1:0]], post_op.sem0, take, take_op, post, post_op);
    next3 = changed(sem_q[post_op.sem1[SemW-1:0]], post_op.sem1, take, take_op, post, post_op);
    overflow_o = post && ((!next2[33] && next2[32]) || (!next3[33] && next3[32]));
    underflow_o = post && (next2[33] || next3[33]);
    bad_sem_o = 32'((next2[33] || next2[32]) ? post_op.sem0 : post_op.sem1);
    if (bad_tile_o) bad_sem_o = 32'(rpost_o.tile);
    bad_post_o = post_who;
    activity_o = take || post || host_set_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned i = 0; i < Sems; i++) sem_q[i] <= '0;
      rr_q <= '0;
    end else begin
      if (take) begin
        rr_q <= who;
        sem_q[take_op.sem0[SemW-1:0]] <= next0[31:0];
        sem_q[take_op.sem1[SemW-1:0]] <= next1[31:0];
      end
      if (post && !overflow_o && !underflow_o && !bad_tile_o) begin
        sem_q[post_op.sem0[SemW-1:0]] <= next2[31:0];
        sem_q[post_op.sem1[SemW-1:0]] <= next3[31:0];
      end
      if (host_set_i) sem_q[host_sem_i[SemW-1:0]] <= host_value_i;
    end
  end
  assign host_value_o = sem_q[host_sem_i[SemW-1:0]];

  `ASSERT_NEVER(WaitNeverUnderflows_A, take && (next0[33] || next1[33]))
endmodule
