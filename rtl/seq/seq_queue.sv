// SPDX-License-Identifier: Apache-2.0
// In-order queue in front of an engine. The head waits here until its semaphores have been granted,
// then is offered to the engine. Depth entries, the offered one included until the engine takes it;
// after a fault (stop_i) nothing is offered. Latency 1 cycle from push to the first request,
// throughput 1 a cycle for instructions without waits.
`include "rtl/common/assert.svh"
module seq_queue
  import tepin_pkg::*;
#(
    parameter int unsigned Depth = 8
) (
    input  logic          clk_i,
    input  logic          rst_ni,
    input  logic          stop_i,
    // from SEQ
    input  logic          push_i,
    output logic          room_o,
    input  engine_instr_t instr_i,
    // to the semaphores
    output logic          wait_valid_o,
    output sem_op_t       wait_o,
    input  logic          wait_gnt_i,
    // to the engine
    output logic          out_valid_o,
    input  logic          out_ready_i,
    output engine_instr_t out_o,
    // status
    output logic          empty_o,
    output logic          waiting_o,     // the head waits for a semaphore
    output origin_t       head_o
);
  logic head_valid, granted_q, needs_wait;

  common_fifo #(
      .data_t(engine_instr_t),
      .Depth (Depth)
  ) u_fifo (
      .clk_i,
      .rst_ni,
      .in_valid_i(push_i),
      .in_ready_o(room_o),
      .in_i(instr_i),
      .out_valid_o(head_valid),
      .out_ready_i(out_valid_o && out_ready_i),
      .out_o,
      .count_o()
  );

  assign needs_wait   = out_o.sync.wait0_cnt != '0 || out_o.sync.wait1_cnt != '0;
  assign wait_o       = wait_of(out_o.sync);
  assign wait_valid_o = head_valid && needs_wait && !granted_q && !stop_i;
  assign out_valid_o  = head_valid && (!needs_wait || granted_q) && !stop_i;
  assign empty_o      = !head_valid;
  assign waiting_o    = head_valid && needs_wait && !granted_q;
  assign head_o       = '{thread: out_o.thread, pc: out_o.pc};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) granted_q <= 1'b0;
    else if (out_valid_o && out_ready_i) granted_q <= 1'b0;
    else if (wait_gnt_i) granted_q <= 1'b1;
  end

  `ASSERT_NEVER(NoPushWhenFull_A, push_i && !room_o)
endmodule
