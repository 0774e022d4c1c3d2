// SPDX-License-Identifier: Apache-2.0
// Bytes of the bursts that wait in the write queue, one place for each burst of each entry, and which
// of them are complete. One write a cycle: either a W beat or the old bytes that complete a partial burst
// (those go first: put_ready_o is low). Read: data two cycles after take_i, with poison set where the old
// bytes could not be read.
`include "rtl/common/assert.svh"
module hbm_write_buffer #(
    parameter  int unsigned Entries = 16,
    localparam int unsigned PlaceW  = $clog2(Entries * 8)
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    // put
    input  logic              put_i,
    output logic              put_ready_o,
    input  logic [PlaceW-1:0] put_place_i,
    input  logic              put_over_i,               // on top of a burst that waits
    input  logic [     255:0] put_data_i,
    input  logic [      31:0] put_strb_i,
    // partial bursts: ask for the old bytes
    output logic              ask_valid_o,
    input  logic              ask_ready_i,
    output logic [PlaceW-1:0] ask_place_o,
    // ... which come
    input  logic              old_valid_i,
    input  logic [PlaceW-1:0] old_place_i,
    input  logic [     255:0] old_data_i,
    input  logic              old_bad_i,
    // complete bursts, by entry
    output logic [       7:0] full_o        [Entries],
    // take
    input  logic              take_i,
    input  logic [PlaceW-1:0] take_place_i,
    output logic [     255:0] taken_data_o,
    output logic              taken_poison_o
);
  localparam int unsigned Places = Entries * 8;
  (* ram_style = "block" *)
  logic [255:0] data_q[Places];
  (* ram_style = "distributed" *)
  logic [ 31:0] strb_q[Places];
  logic [Places-1:0]
      full_q, wait_q, asked_q, poison_q;  // wait: partial; asked: old bytes are on their way

  logic put, write;
  logic [31:0] strb, mask;
  logic [255:0] in;
  logic [PlaceW-1:0] at;
  assign put_ready_o = !old_valid_i;
  assign put = put_i && put_ready_o;
  assign strb = put_over_i ? strb_q[put_place_i] | put_strb_i : put_strb_i;
  assign at = old_valid_i ? old_place_i : put_place_i;
  assign write = put || old_valid_i;
  assign mask = old_valid_i ? ~strb_q[old_place_i] : put_strb_i;
  assign in = old_valid_i ? old_data_i : put_data_i;

  // The next to ask for stands in a register: choosing it is long enough for a clock.
  logic [Places-1:0] ask;
  logic pick;
  logic [PlaceW-1:0] pick_place;
  assign ask  = wait_q & ~asked_q;
  assign pick = ask != '0 && (!ask_valid_o || ask_ready_i);
  always_comb begin
    pick_place = '0;
    for (int unsigned i = 0; i < Places; i++) if (ask[i]) pick_place = PlaceW'(i);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) ask_valid_o <= 1'b0;
    else ask_valid_o <= pick || (ask_valid_o && !ask_ready_i);
  end
  always_ff @(posedge clk_i) if (pick) ask_place_o <= pick_place;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      full_q  <= '0;
      wait_q  <= '0;
      asked_q <= '0;
    end else begin
      if (old_valid_i) begin
        full_q[old_place_i]  <= 1'b1;
        wait_q[old_place_i]  <= 1'b0;
        asked_q[old_place_i] <= 1'b0;
      end
      if (pick) asked_q[pick_place] <= 1'b1;
      if (put) begin
        // A burst whose old bytes are on their way stays incomplete until they are there.
        if (!asked_q[put_place_i] && !(pick && pick_place == put_place_i)) begin
          full_q[put_place_i] <= strb == '1 || (put_over_i && full_q[put_place_i]);
          wait_q[put_place_i] <= !(strb == '1 || (put_over_i && full_q[put_place_i]));
        end
      end
      if (take_i) full_q[take_place_i] <= 1'b0;
    end
  end
  // A write on top of the burst that is taken now goes with it: its bytes are read a cycle later.
  logic take_q;
  logic [PlaceW-1:0] take_place_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) take_q <= 1'b0;
    else take_q <= take_i;
  end
  always_ff @(posedge clk_i) begin
    if (put) begin
      strb_q[put_place_i] <= strb;
      if (!put_over_i || put_strb_i == '1) poison_q[put_place_i] <= 1'b0;
    end
    if (old_valid_i && old_bad_i && strb_q[old_place_i] != '1) poison_q[old_place_i] <= 1'b1;
    if (take_i) take_place_q <= take_place_i;
    if (take_q) begin
      taken_data_o   <= data_q[take_place_q];
      taken_poison_o <= poison_q[take_place_q];
    end
  end
`ifdef SYNTHESIS
  always_ff @(posedge clk_i)
    if (write)
      for (int unsigned i = 0; i < 32; i++) if (mask[i]) data_q[at][8*i+:8] <= in[8*i+:8];
`else
  // One masked word in place of 32 bytes: simulates faster.
  logic [255:0] spread;
  always_comb for (int unsigned i = 0; i < 32; i++) spread[8*i+:8] = {8{mask[i]}};
  always_ff @(posedge clk_i) if (write) data_q[at] <= (data_q[at] & ~spread) | (in & spread);
`endif
  always_comb for (int unsigned e = 0; e < Entries; e++) full_o[e] = full_q[8*e+:8];

  `ASSERT_NEVER(TakesCompleteOnly_A, take_i && !full_q[take_place_i])
endmodule
