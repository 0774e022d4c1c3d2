// SPDX-License-Identifier: Apache-2.0
// Walks a transfer and emits its bursts, one a cycle: runs in order, each striped over npc
// pseudo-channels in 256-byte units. Counters only, no division. A burst never leaves a 256-byte
// unit of its channel, so never crosses AXI4's 4 KiB. bad_o: the burst reaches beyond the channel's
// capacity; nothing is emitted from then on until the next start.
`include "rtl/common/assert.svh"
module dma_gen
  import tepin_pkg::*;
  import dma_pkg::*;
#(
    parameter int unsigned HbmBeats = 16777216
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  stop_i,
    // transfer
    input  logic                  start_valid_i,
    output logic                  start_ready_o,
    input  transfer_t             start_i,
    input  logic      [SlotW-1:0] start_slot_i,
    // bursts
    output logic                  burst_valid_o,
    input  logic                  burst_ready_i,
    output burst_t                burst_o,
    output logic                  last_o,         // with burst_o: the transfer's last
    // status
    output logic                  busy_o,
    output logic                  bad_o,
    output logic      [SlotW-1:0] bad_slot_o,
    output logic      [     31:0] bad_addr_o
);
  localparam int unsigned W = AddrW;
  logic run_q, bad_q;
  transfer_t             t_q;
  logic      [SlotW-1:0] slot_q;
  logic [15:0] i1_q, i2_q;
  logic [W-1:0] s2_q, s1_q, h2_q, h1_q;  // bases of this outer and this inner run (bytes; beats)
  logic [ 15:0] left_q;  // beats left of the run, this burst included
  logic [  3:0] k_q;  // channel within the stripe
  logic [  3:0] pos_q;  // beat within the unit
  logic [ 16:0] row_q;  // beats of earlier units in this channel
  logic [W-1:0] word_q;  // scratchpad byte address of this burst
  logic [W-1:0] beat;
  logic [3:0] beats, unit_left, align_left;
  logic out_of_range, fire, run_end, unit_end;

  assign beat       = h1_q + W'(row_q) + W'(pos_q);
  assign unit_left  = 4'd8 - pos_q;
  assign align_left = 4'd8 - {1'b0, beat[2:0]};
  always_comb begin
    beats = unit_left;
    if (align_left < beats) beats = align_left;
    if (left_q < 16'(beats)) beats = left_q[3:0];
  end
  assign out_of_range = run_q && beat + W'(beats) > W'(HbmBeats);
  assign burst_valid_o = run_q && !out_of_range && !stop_i && !bad_q;
  assign burst_o = '{
          pc: t_q.pc + 6'(k_q),
          beat: beat[25:0],
          word: word_q[31:5],
          beats: beats,
          slot: slot_q
      };
  assign fire = burst_valid_o && burst_ready_i;
  assign run_end = left_q == 16'(beats);
  assign unit_end = pos_q + beats == 4'd8;
  assign last_o = run_end && i1_q == t_q.n1 && i2_q == t_q.n2;
  assign busy_o = run_q;
  assign bad_o = out_of_range && !bad_q;
  assign bad_slot_o = slot_q;
  assign bad_addr_o = {burst_o.pc, beat[25:0]};
  assign start_ready_o = !run_q || (fire && last_o);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q <= 1'b0;
      bad_q <= 1'b0;
    end else begin
      if (out_of_range) bad_q <= 1'b1;
      if (start_valid_i && start_ready_o) run_q <= 1'b1;
      else if (fire && last_o) run_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (start_valid_i && start_ready_o) begin
      t_q    <= start_i;
      slot_q <= start_slot_i;
      i1_q   <= '0;
      i2_q   <= '0;
      s1_q   <= W'(start_i.spad);
      s2_q   <= W'(start_i.spad);
      h1_q   <= W'(start_i.beat);
      h2_q   <= W'(start_i.beat);
      word_q <= W'(start_i.spad);
      left_q <= start_i.len;
      k_q    <= '0;
      pos_q  <= '0;
      row_q  <= '0;
    end else if (fire) begin
      if (!run_end) begin
        left_q <= left_q - 16'(beats);
        word_q <= word_q + W'({beats, 5'b0});
        pos_q  <= unit_end ? '0 : pos_q + beats;
        if (unit_end) begin
          if (k_q + 4'd1 == t_q.npc) begin
            k_q   <= '0;
            row_q <= row_q + 17'd8;
          end else k_q <= k_q + 4'd1;
        end
      end else begin
        left_q <= t_q.len;
        k_q    <= '0;
        pos_q  <= '0;
        row_q  <= '0;
        if (i1_q != t_q.n1) begin
          i1_q   <= i1_q + 16'd1;
          s1_q   <= s1_q + W'(t_q.sstep1);
          word_q <= s1_q + W'(t_q.sstep1);
          h1_q   <= h1_q + W'(t_q.hstep1);
        end else begin
          i1_q   <= '0;
          i2_q   <= i2_q + 16'd1;
          s2_q   <= s2_q + W'(t_q.sstep2);
          s1_q   <= s2_q + W'(t_q.sstep2);
          word_q <= s2_q + W'(t_q.sstep2);
          h2_q   <= h2_q + W'(t_q.hstep2);
          h1_q   <= h2_q + W'(t_q.hstep2);
        end
      end
    end
  end

  `ASSERT_NEVER(BurstWithinUnit_A,
                burst_valid_o && (beats == '0 || 32'(beat[2:0]) + 32'(beats) > 8))
  // Held until taken, unless the tile stops.
  `ASSERT_NEXT(BurstHeld_A, burst_valid_o && !burst_ready_i, stop_i || (burst_valid_o && $stable
               (burst_o)))
endmodule
