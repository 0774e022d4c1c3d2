// SPDX-License-Identifier: Apache-2.0
// Instructions in flight of a DMA engine: up to four, begun and retired in issue order, each with a
// count of what is open: beats for LD, bursts for ST. A new instruction waits while the bytes that
// it may write meet those of one in flight, so overlapping transfers take effect in issue order
// although responses come in any order.
`include "rtl/common/assert.svh"
module dma_slots
  import tepin_pkg::*;
  import tepin_isa_pkg::*;
  import dma_pkg::*;
#(
    parameter int unsigned NumClose = 2
) (
    input logic clk_i,
    input logic rst_ni,
    input logic stop_i,
    // begin
    input logic begin_valid_i,
    output logic begin_ready_o,
    input engine_instr_t begin_i,
    input logic begin_moves_i,  // it transfers something (else it is a sync)
    input logic [63:0] begin_lo_i,  // what it writes: [lo, hi)
    input logic [63:0] begin_hi_i,
    output logic [SlotW-1:0] begin_slot_o,
    // bursts
    input logic open_i,  // a burst was emitted
    input logic [SlotW-1:0] open_slot_i,
    input logic [3:0] open_count_i,
    input logic open_last_i,  // ... the last of its instruction
    input logic close_i[NumClose],  // one of them is complete
    input logic [SlotW-1:0] close_slot_i[NumClose],
    // posts
    output logic post_valid_o,
    output sem_op_t post_o,
    input logic post_ready_i,
    // status
    output origin_t origin_o[Slots],
    output logic busy_o,
    output retire_t retire_o
);
  typedef struct packed {
    logic [7:0]  op;
    origin_t     origin;
    sync_t       sync;
    logic [63:0] lo,     hi;
  } info_t;
  logic [Slots-1:0] valid_q, walked_q;  // walked: all bursts emitted
  logic  [18:0] open_q[Slots];
  info_t        info_q[Slots];
  logic [SlotW-1:0] head_q, tail_q;
  logic overlap, begin_now, retire;

  always_comb begin
    overlap = 1'b0;
    for (int unsigned s = 0; s < Slots; s++)
    if (valid_q[s] && begin_moves_i && begin_lo_i < info_q[s].hi && info_q[s].lo < begin_hi_i)
      overlap = 1'b1;
  end
  assign begin_ready_o = !valid_q[tail_q] && !overlap;
  assign begin_now     = begin_valid_i && begin_ready_o;
  assign begin_slot_o  = tail_q;

  assign post_o        = post_of(info_q[head_q].sync);
  logic complete;
  assign complete     = valid_q[head_q] && walked_q[head_q] && open_q[head_q] == '0 && !stop_i;
  assign post_valid_o = complete && (post_o.cnt0 != '0 || post_o.cnt1 != '0);
  assign retire       = complete && (!post_valid_o || post_ready_i);
  assign retire_o     = '{valid: retire, origin: info_q[head_q].origin, op: info_q[head_q].op};
  assign busy_o       = valid_q != '0;
  always_comb for (int unsigned s = 0; s < Slots; s++) origin_o[s] = info_q[s].origin;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q  <= '0;
      walked_q <= '0;
      head_q   <= '0;
      tail_q   <= '0;
      for (int unsigned s = 0; s < Slots; s++) open_q[s] <= '0;
    end else begin
      for (int unsigned s = 0; s < Slots; s++) begin
        automatic logic [18:0] n = open_q[s];
        if (open_i && 32'(open_slot_i) == s) n = n + 19'(open_count_i);
        for (int unsigned p = 0; p < NumClose; p++)
        if (close_i[p] && 32'(close_slot_i[p]) == s) n = n - 19'd1;
        open_q[s] <= n;
      end
      if (open_i && open_last_i) walked_q[open_slot_i] <= 1'b1;
      if (begin_now) begin
        valid_q[tail_q]  <= 1'b1;
        walked_q[tail_q] <= !begin_moves_i;
        tail_q           <= tail_q + 1'b1;
      end
      if (retire) begin
        valid_q[head_q] <= 1'b0;
        head_q          <= head_q + 1'b1;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (begin_now) begin
      info_q[tail_q] <= '{
          op: begin_i.op,
          origin: '{thread: begin_i.thread, pc: begin_i.pc},
          sync: begin_i.sync,
          lo: begin_moves_i ? begin_lo_i : '1,
          hi: begin_moves_i ? begin_hi_i : '0
      };
    end
  end

  // Held until taken, unless the tile stops.
  `ASSERT_NEXT(PostHeld_A, post_valid_o && !post_ready_i, stop_i || (post_valid_o && $stable
               (post_o)))
endmodule
