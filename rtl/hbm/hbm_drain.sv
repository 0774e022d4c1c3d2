// SPDX-License-Identifier: Apache-2.0
// Direction of one pseudo-channel's data bus: reads go until writes are due, writes drain in one go. Neither
// direction can keep the bus from the other: a phase of either that the other waits for ends after `longest`
// bursts (reads: half of it) or four times as many clocks, and has moved at least one burst unless it has
// none to move. docs/hbm.md, scheduling.
`include "rtl/common/assert.svh"
module hbm_drain
  import hbm_pkg::*;
#(
    parameter int unsigned Bursts = 128  // that can wait to be written
) (
    input  logic clk_i,
    input  logic rst_ni,
    input  cfg_t cfg_i,
    // reads
    input  logic read_any_i,     // some wait
    input  logic read_stuck_i,   // ... all in banks that are being refreshed
    input  logic read_busy_i,    // a master's read is anywhere in the controller
    input  logic rd_i,           // one goes
    // writes
    input  logic put_i,          // a further burst waits
    input  logic write_any_i,    // some wait whose bytes are complete
    input  logic write_stuck_i,  // all in banks that are being refreshed
    input  logic write_aged_i,   // ... one of them is aged
    input  logic write_full_i,   // a burst finds no place
    input  logic conflict_i,     // a read waits for a burst to be written
    input  logic flush_i,        // self refresh: everything is to be written
    input  logic wr_i,           // one goes
    output logic writing_o,
    output logic prepare_o,      // rows for writes may be opened while reads go
    output logic start_o         // a drain begins
);
  localparam int unsigned CountW = $clog2(Bursts + 1);
  logic writing_q;
  logic [CountW-1:0] count_q;
  logic [7:0] idle_q;
  // This phase's bursts and clocks. 10 bits: four times the longest drain of 255.
  logic [7:0] moved_q;
  logic [9:0] clocks_q;

  // A phase of a few bursts would cost more in turns than it moves.
  logic [7:0] longest;
  logic due, rested, spent, finish;
  assign longest = cfg_i.wr_drain_max < 8'd8 ? 8'd8 : cfg_i.wr_drain_max;
  assign rested    = moved_q >= {1'b0, longest[7:1]} || (moved_q != '0 && clocks_q >= {1'b0, longest, 1'b0});
  assign due       = 10'(count_q) >= 10'(cfg_i.wr_high) || write_full_i || conflict_i || write_aged_i || flush_i ||
      (!read_any_i && idle_q >= cfg_i.wr_idle);
  assign start_o   = !writing_q && write_any_i && !write_stuck_i && due && (!read_any_i || read_stuck_i || rested);
  assign spent     = moved_q != '0 && (moved_q >= longest || clocks_q >= {longest, 2'b0} ||
      (10'(count_q) <= 10'(cfg_i.wr_low) && !write_aged_i && !conflict_i));
  assign finish = !write_any_i || (read_any_i && (write_stuck_i || spent));
  assign writing_o = writing_q;
  assign prepare_o = 10'(count_q) + 10'd16 >= 10'(cfg_i.wr_high) || write_aged_i || conflict_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      writing_q <= 1'b0;
      count_q   <= '0;
      idle_q    <= '0;
      moved_q   <= '0;
      clocks_q  <= '0;
    end else begin
      if (put_i && !wr_i) count_q <= count_q + 1'b1;
      else if (wr_i && !put_i) count_q <= count_q - 1'b1;
      // Scrubbing's own reads do not count: what they correct is to be written.
      if (read_busy_i) idle_q <= '0;
      else if (idle_q != '1) idle_q <= idle_q + 1'b1;
      if (writing_q ? finish : start_o) begin
        writing_q <= !writing_q;
        moved_q   <= '0;
        clocks_q  <= '0;
      end else begin
        if ((writing_q ? wr_i : rd_i) && moved_q != '1) moved_q <= moved_q + 1'b1;
        if (clocks_q != '1) clocks_q <= clocks_q + 1'b1;
      end
    end
  end
  `ASSERT_NEVER(WritesInDrainsOnly_A, wr_i && !writing_q)
  `ASSERT_NEVER(ReadsBetweenDrainsOnly_A, rd_i && writing_q)
  `ASSERT_NEVER(CountFits_A, put_i && !wr_i && 32'(count_q) == Bursts)
endmodule
