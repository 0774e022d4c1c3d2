// SPDX-License-Identifier: Apache-2.0
// Event counters of one pseudo-channel, 48 bits each; they stop at the top. Order: the ten kinds of data
// slots (slot_e), then activates, precharges, reads, writes, per-bank refreshes, all-bank refreshes, RFMs,
// row misses, corrected, uncorrected, scrubbed, completed partial writes, drains; the last one is spare.
module hbm_counters
  import hbm_pkg::*;
#(
    localparam int unsigned Num = 24
) (
    input  logic          clk_i,
    input  logic          rst_ni,
    input  logic          count_i,
    input  logic          clear_i,
    input  event_t        event_i,
    output logic   [47:0] count_o[Num]
);
  logic [Num-1:0] hit;
  logic [47:0] next[Num];
  always_comb begin
    hit = '0;
    hit[5'(event_i.slot)] = 1'b1;
    hit[22:10] = {
      event_i.drain,
      event_i.rmw,
      event_i.scrubbed,
      event_i.uncorrected,
      event_i.corrected,
      event_i.row_miss,
      event_i.rfm_pb,
      event_i.ref_ab,
      event_i.ref_pb,
      event_i.wr,
      event_i.rd,
      event_i.pre,
      event_i.act
    };
    for (int unsigned i = 0; i < Num; i++) begin
      next[i] = count_o[i];
      if (hit[i] && count_i && count_o[i] != '1) next[i] = count_o[i] + 1'b1;
      if (clear_i) next[i] = '0;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) for (int unsigned i = 0; i < Num; i++) count_o[i] <= '0;
    else count_o <= next;
  end
endmodule
