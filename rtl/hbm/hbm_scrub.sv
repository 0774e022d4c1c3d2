// SPDX-License-Identifier: Apache-2.0
// Scrubbing: while nobody reads, one burst every scrub_interval clocks is read and, if a bit was wrong,
// written again; so is any burst in which a read by others found a wrong bit, one at a time (others that
// come meanwhile wait for their next read).
module hbm_scrub
  import hbm_pkg::*;
(
    input  logic   clk_i,
    input  logic   rst_ni,
    input  cfg_t   cfg_i,
    input  logic   calm_i,             // nothing else is asked for
    // read of a burst
    output logic   read_valid_o,
    input  logic   read_ready_i,
    output place_t read_place_o,
    input  logic   back_i,             // it has come
    // a burst with a corrected bit
    input  logic   corrected_i,
    input  place_t corrected_place_i,
    // rewrite of a burst
    output logic   fix_valid_o,
    input  logic   fix_ready_i,
    output place_t fix_place_o
);
  logic [15:0] wait_q;
  logic open_q;
  place_t place_q, next;
  logic [1:0] last_top;
  // Bursts of a row, then rows of a bank, then banks; with three SIDs rows end at 12,288.
  assign last_top = cfg_i.sids == 3'd3 ? 2'd2 : 2'd3;
  always_comb begin
    next = place_q;
    {next.block.blk, next.burst} = {place_q.block.blk, place_q.burst} + 5'd1;
    if ({place_q.block.blk, place_q.burst} == '1) begin
      next.block.row = place_q.block.row + 1'b1;
      if (place_q.block.row == {last_top, 12'hfff}) begin
        next.block.row  = '0;
        next.block.bank = place_q.block.bank + 1'b1;
        if ({1'b0, place_q.block.bank} == {cfg_i.sids, 4'b0} - 7'd1) next.block.bank = '0;
      end
    end
  end
  assign read_valid_o = cfg_i.scrub_on && cfg_i.ecc_on && wait_q == '0 && !open_q && calm_i;
  assign read_place_o = place_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wait_q      <= '0;
      open_q      <= 1'b0;
      place_q     <= '0;
      fix_valid_o <= 1'b0;
    end else begin
      if (read_valid_o && read_ready_i) begin
        wait_q  <= cfg_i.scrub_interval;
        open_q  <= 1'b1;
        place_q <= next;
      end else if (wait_q != '0) wait_q <= wait_q - 1'b1;
      if (back_i) open_q <= 1'b0;
      if (corrected_i && cfg_i.scrub_on) fix_valid_o <= 1'b1;
      else if (fix_ready_i) fix_valid_o <= 1'b0;
    end
  end
  always_ff @(posedge clk_i)
    if (corrected_i && (!fix_valid_o || fix_ready_i))
      fix_place_o <= corrected_place_i;
endmodule
