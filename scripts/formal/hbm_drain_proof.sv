// SPDX-License-Identifier: Apache-2.0
// hbm_drain shares the bus: neither direction waits longer than a phase of the other, and every phase that is cut
// short has moved a burst. Holds for any fixed setting of DRAIN and any traffic, provided that a phase's first burst goes
// within Start clocks (what the timings, hbm_queue and hbm_refresh are there for).
module hbm_drain_proof
  import hbm_pkg::*;
(
    input logic clk_i,
    input logic read_any_i,
    input logic read_stuck_i,
    input logic read_busy_i,
    input logic rd_i,
    input logic put_i,
    input logic write_any_i,
    input logic write_stuck_i,
    input logic write_aged_i,
    input logic write_full_i,
    input logic conflict_i,
    input logic flush_i,
    input logic wr_i,
    input logic [31:0] drain_i
);
  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;
  logic [31:0] drain_q;
  always_ff @(posedge clk_i) if (!rst_n) drain_q <= drain_i;
  cfg_t cfg;
  always_comb begin
    cfg = '0;
    {cfg.wr_idle, cfg.wr_drain_max, cfg.wr_low, cfg.wr_high} = drain_q;
  end
  hbm_drain #(
      .Bursts(16)
  ) u_drain (
      .rst_ni(rst_n),
      .cfg_i(cfg),
      .writing_o(),
      .prepare_o(),
      .start_o(),
      .*
  );
endmodule

module hbm_drain_promises
  import hbm_pkg::*;
#(
    parameter int unsigned Start = 60
) (
    input logic clk_i,
    input logic rst_ni,
    input cfg_t cfg_i,
    input logic read_any_i,
    input logic read_stuck_i,
    input logic rd_i,
    input logic write_any_i,
    input logic write_stuck_i,
    input logic write_aged_i,
    input logic write_full_i,
    input logic conflict_i,
    input logic flush_i,
    input logic wr_i,
    input logic writing_o,
    input logic put_i,
    input logic [4:0] own_count_i,
    input logic [7:0] own_moved_i,
    input logic [9:0] own_clocks_i
);
  assume property (@(posedge clk_i) !(wr_i && !writing_o) && !(rd_i && writing_o));
  assume property (@(posedge clk_i) !(put_i && !wr_i && own_count_i == 5'd16));  // the buffer's own limit
  // For how many clocks a read, and an urgent write, have waited without a break, with the bus turned the other way.
  logic [11:0] read_wait_q, write_wait_q, longest;
  logic urgent, contested, was_q, contested_q, moved_q, moved;
  assign longest   = cfg_i.wr_drain_max < 8'd8 ? 12'd8 : {4'b0, cfg_i.wr_drain_max};
  assign urgent    = write_any_i && !write_stuck_i && (write_full_i || conflict_i || write_aged_i || flush_i);
  assign contested = read_any_i && !read_stuck_i && write_any_i && !write_stuck_i;
  assign moved     = moved_q && writing_o == was_q;  // this phase's; moved_q is the last clock's
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {was_q, contested_q, moved_q} <= '0;
      read_wait_q  <= '0;
      write_wait_q <= '0;
    end else begin
      was_q        <= writing_o;
      contested_q  <= contested;
      moved_q      <= moved || (writing_o ? wr_i : rd_i);
      read_wait_q  <= writing_o && read_any_i ? read_wait_q + 1'b1 : '0;
      write_wait_q <= !writing_o && urgent ? write_wait_q + 1'b1 : '0;
    end
  end
  // For how many clocks a phase could have moved its first burst: Start at most.
  logic able;
  logic [9:0] able_q;
  assign able = own_moved_i == '0 && (writing_o ? write_any_i && !write_stuck_i && !wr_i : read_any_i && !read_stuck_i && !rd_i);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) able_q <= '0;
    else able_q <= able ? able_q + 1'b1 : '0;
  end
  assume property (@(posedge clk_i) disable iff (!rst_ni) able_q <= 10'(Start));
  // What the induction needs.
  MovedIsKnown_A :
  assert property (@(posedge clk_i) disable iff (!rst_ni) moved == (own_moved_i != '0));
  ReadsWaitWithinThePhase_A :
  assert property (@(posedge clk_i) disable iff (!rst_ni) !writing_o || (read_wait_q <= {2'b0, own_clocks_i} &&
      (own_moved_i != '0 || read_wait_q <= {2'b0, able_q})));
  WritesWaitWithinThePhase_A :
  assert property (@(posedge clk_i) disable iff (!rst_ni) writing_o || (write_wait_q <= {2'b0, own_clocks_i} &&
      (own_moved_i != '0 || write_wait_q <= {2'b0, able_q})));
  ReadsWaitForOnePhase_A :
  assert property (@(posedge clk_i) disable iff (!rst_ni) read_wait_q <= 12'd4 * longest + 12'(Start) + 12'd2);
  WritesWaitForOnePhase_A :
  assert property (@(posedge clk_i) disable iff (!rst_ni) write_wait_q <= 12'd2 * longest + 12'(Start) + 12'd2);
  // A contested phase ends only when it has moved a burst.
  APhaseCutShortHasMovedABurst_A :
  assert property (@(posedge clk_i) disable iff (!rst_ni) writing_o == was_q || !contested_q || moved_q);
endmodule
bind hbm_drain hbm_drain_promises u_promises (
    .*,
    .own_count_i(count_q),
    .own_moved_i(moved_q),
    .own_clocks_i(clocks_q)
);
