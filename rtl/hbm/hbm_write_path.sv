// SPDX-License-Identifier: Apache-2.0
// Data of the writes of one pseudo-channel, from the write buffer to the bus: takes the bytes of a write two clocks
// after its choice, adds the code and the tag of its place, and holds them until they stand on wdata_o, WL clocks after
// the write command on the column bus (which is registered, so WL + 1 clocks after take_i). A write a clock; no
// backpressure. WL is 4 to 16 and may not change while writes are under way: data would come early, late or never.
`include "rtl/common/assert.svh"
module hbm_write_path
  import hbm_pkg::*;
  import hbm_ecc_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input cfg_t cfg_i,
    // the write that is chosen now
    input logic take_i,
    input place_t place_i,
    // its bytes, two clocks later
    input logic [255:0] data_i,
    input logic poison_i,  // they could not be read: every reader is to see an uncorrectable burst
    // the bus, registered
    output logic wdata_valid_o,
    output burst_t wdata_o
);
  place_t place1_q, place2_q;
  logic [15:0] due_q;  // bit k: a write was chosen k + 1 clocks ago
  logic take2_q, take3_q;
  burst_t coded, coded_q;
  always_comb begin
    automatic logic [5:0] tag = tag_of(place2_q);
    coded.data = data_i;
    coded.meta = {check_of({tag, data_i}), tag};
    // Two wrong check bits.
    if (poison_i) coded.meta[15:14] = ~coded.meta[15:14];
    if (!cfg_i.ecc_on) coded.meta = '0;
    if (cfg_i.inject_bits != '0) coded.data[cfg_i.inject_pos] = ~coded.data[cfg_i.inject_pos];
    if (cfg_i.inject_bits[1]) coded.data[~cfg_i.inject_pos] = ~coded.data[~cfg_i.inject_pos];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      due_q   <= '0;
      take2_q <= 1'b0;
      take3_q <= 1'b0;
    end else begin
      due_q   <= {due_q[14:0], take_i};
      take2_q <= due_q[0];
      take3_q <= take2_q;
    end
  end
  always_ff @(posedge clk_i) begin
    place1_q <= place_i;
    place2_q <= place1_q;
    if (take2_q) coded_q <= coded;
  end

  logic due, ready, valid;
  burst_t head;
  assign due = due_q[4'(cfg_i.wl-8'd1)];
  common_fifo #(
      .data_t(burst_t),
      .Depth (16)
  ) u_wdata (
      .clk_i,
      .rst_ni,
      .in_valid_i(take3_q),
      .in_ready_o(ready),
      .in_i(coded_q),
      .out_valid_o(valid),
      .out_ready_i(due),
      .out_o(head),
      .count_o()
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wdata_valid_o <= 1'b0;
    else wdata_valid_o <= due;
  end
  always_ff @(posedge clk_i) if (due) wdata_o <= head;
  `ASSERT_NEVER(WriteDataInTime_A, due && !valid)
  `ASSERT_NEVER(WriteDataFit_A, take3_q && !ready)
endmodule
