// SPDX-License-Identifier: Apache-2.0
// AXI4 write side of one pseudo-channel: cuts bursts into beats, joins each with its W data and puts it into the write
// queue and the write buffer, one a clock; answers B when the last beat of a burst is there, in the order of AW.
// A beat without bytes takes no place; one beyond the capacity is dropped and answered DECERR. Rewrites of corrected
// bursts (fix) go between beats. b_ready_i low stops W after four answers. The master's WLAST is checked, not used.
`include "rtl/common/assert.svh"
module hbm_write_front
  import hbm_pkg::*;
#(
    parameter int unsigned IdW = 8
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  cfg_t             cfg_i,
    input  logic             accept_i,       // addresses may come
    // AXI4
    input  logic             aw_valid_i,
    output logic             aw_ready_o,
    input  logic   [IdW-1:0] aw_id_i,
    input  logic   [   30:0] aw_addr_i,
    input  logic   [    7:0] aw_len_i,
    input  logic             w_valid_i,
    output logic             w_ready_o,
    input  logic   [  255:0] w_data_i,
    input  logic   [   31:0] w_strb_i,
    input  logic             w_last_i,
    output logic             b_valid_o,
    input  logic             b_ready_i,
    output logic   [IdW-1:0] b_id_o,
    output logic   [    1:0] b_resp_o,
    // rewrite of a burst
    input  logic             fix_valid_i,
    output logic             fix_ready_o,
    input  place_t           fix_place_i,
    // into queue and buffer, which are ready each for itself
    input  logic             queue_ready_i,
    input  logic             buf_ready_i,
    output logic             put_valid_o,    // waits for buf_ready_i
    output place_t           put_place_o,
    output logic   [  255:0] put_data_o,
    output logic   [   31:0] put_strb_o,     // none: a rewrite, the old bytes complete it
    // status
    output logic             wants_put_o,    // a beat that needs a place
    output logic             addr_waits_o,   // a beat's address, W data
    output logic             data_waits_o
);
  typedef struct packed {
    logic         last;
    logic [31:0]  strb;
    logic [255:0] data;
  } w_t;
  typedef struct packed {
    logic [IdW-1:0] id;
    logic           bad;
  } b_t;
  logic aw_ready, beat_valid, beat_ready, exists, last, w_valid, b_ready, bad_q, take;
  logic [IdW-1:0] id;
  place_t place;
  w_t w, w_in;
  b_t b, b_in;
  assign aw_ready_o = aw_ready && accept_i;
  hbm_split #(
      .IdW(IdW)
  ) u_aw (
      .clk_i,
      .rst_ni,
      .cfg_i,
      .ax_valid_i(aw_valid_i && accept_i),
      .ax_ready_o(aw_ready),
      .ax_id_i(aw_id_i),
      .ax_addr_i(aw_addr_i),
      .ax_len_i(aw_len_i),
      .beat_valid_o(beat_valid),
      .beat_ready_i(beat_ready),
      .id_o(id),
      .place_o(place),
      .in_range_o(exists),
      .last_o(last)
  );
  assign w_in = '{last: w_last_i, strb: w_strb_i, data: w_data_i};
  common_spill #(
      .data_t(w_t)
  ) u_w (
      .clk_i,
      .rst_ni,
      .in_valid_i(w_valid_i),
      .in_ready_o(w_ready_o),
      .in_i(w_in),
      .out_valid_o(w_valid),
      .out_ready_i(take),
      .out_o(w)
  );
  common_fifo #(
      .data_t(b_t),
      .Depth (4)
  ) u_b (
      .clk_i,
      .rst_ni,
      .in_valid_i(take && last),
      .in_ready_o(b_ready),
      .in_i(b_in),
      .out_valid_o(b_valid_o),
      .out_ready_i(b_ready_i),
      .out_o(b),
      .count_o()
  );
  assign b_in        = '{id: id, bad: bad_q || !exists};
  assign b_id_o      = b.id;
  assign b_resp_o    = {2{b.bad}};
  // A beat without bytes needs no place. Rewriting a corrected burst (fix) is a write of no bytes that
  // does take one: the old bytes complete it.
  assign wants_put_o = beat_valid && w_valid && b_ready && exists && w.strb != '0;
  always_comb begin
    put_place_o = place;
    put_valid_o = wants_put_o && buf_ready_i;
    beat_ready  = w_valid && b_ready && (!exists || w.strb == '0 || (buf_ready_i && queue_ready_i));
    fix_ready_o = 1'b0;
    if (fix_valid_i && !wants_put_o) begin
      put_place_o = fix_place_i;
      put_valid_o = buf_ready_i;
      fix_ready_o = buf_ready_i && queue_ready_i;
    end
  end
  assign put_data_o   = w.data;
  assign put_strb_o   = fix_ready_o ? '0 : w.strb;
  assign addr_waits_o = beat_valid;
  assign data_waits_o = w_valid;
  assign take         = beat_valid && beat_ready;
  `ASSERT_NEVER(MasterMarksLastBeat_A, take && w.last != last)
  `ASSERT_NEVER(AnswerFits_A, take && last && !b_ready)
  // A beat of this burst was beyond the capacity.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) bad_q <= 1'b0;
    else if (take) bad_q <= !last && (bad_q || !exists);
  end
endmodule
