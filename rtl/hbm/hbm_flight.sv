// SPDX-License-Identifier: Apache-2.0
// Reads under way of one pseudo-channel. Remembers what each read is for from its way into the read queue on, and its
// place from its command on; joins them with the data, which come in the order of the commands, whenever they come.
// Result two clocks after the data, one a clock, no backpressure. A read may be chosen only while ready_o is up (64 are
// under way at most), and data may come only for a command that stood on the column bus before.
`include "rtl/common/assert.svh"
module hbm_flight
  import hbm_pkg::*;
  import hbm_ecc_pkg::*;
#(
    parameter type tag_t = logic,  // what a read is for
    parameter int unsigned Places = 128,  // of bursts in the read queue
    localparam int unsigned AtW = $clog2(Places)
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    // into the read queue
    input  logic             put_i,
    input  logic   [AtW-1:0] put_at_i,
    input  tag_t             put_tag_i,
    // the read that is chosen now
    output logic             ready_o,
    input  logic             rd_i,
    input  logic   [AtW-1:0] rd_at_i,
    input  place_t           rd_place_i,
    // its data
    input  logic             rdata_valid_i,
    input  burst_t           rdata_i,
    // what came
    output logic             valid_o,
    output tag_t             tag_o,
    output place_t           place_o,
    output word_t            word_o,         // {tag, data} of the burst
    output check_t           syndrome_o,
    // status
    output logic             settled_o,      // no data are to come
    output logic             empty_o         // ... nor a result
);
  typedef struct packed {
    tag_t   tag;
    place_t place;
  } flight_t;
  (* ram_style = "distributed" *)
  tag_t tag_q[Places];
  flight_t flight, flight_in, got_q, ret_q;
  logic flight_valid, got_valid_q, ret_valid_q;
  burst_t got_burst_q;
  logic [6:0] count;
  always_ff @(posedge clk_i) if (put_i) tag_q[put_at_i] <= put_tag_i;
  assign flight_in = '{tag: tag_q[rd_at_i], place: rd_place_i};
  common_fifo #(
      .data_t(flight_t),
      .Depth (64)
  ) u_flight (
      .clk_i,
      .rst_ni,
      .in_valid_i(rd_i),
      .in_ready_o(ready_o),
      .in_i(flight_in),
      .out_valid_o(flight_valid),
      .out_ready_i(rdata_valid_i),
      .out_o(flight),
      .count_o(count)
  );
  `ASSERT_NEVER(ReadFits_A, rd_i && !ready_o)
  `ASSERT_NEVER(DataWereAskedFor_A, rdata_valid_i && !flight_valid)
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      got_valid_q <= 1'b0;
      ret_valid_q <= 1'b0;
    end else begin
      got_valid_q <= rdata_valid_i;
      ret_valid_q <= got_valid_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (rdata_valid_i) begin
      got_q       <= flight;
      got_burst_q <= rdata_i;
    end
    if (got_valid_q) begin
      ret_q      <= got_q;
      word_o     <= {got_burst_q.meta[5:0], got_burst_q.data};
      syndrome_o <= check_of({got_burst_q.meta[5:0], got_burst_q.data}) ^ got_burst_q.meta[15:6];
    end
  end
  assign valid_o   = ret_valid_q;
  assign tag_o     = ret_q.tag;
  assign place_o   = ret_q.place;
  assign settled_o = count == '0;
  assign empty_o   = settled_o && !got_valid_q && !ret_valid_q;
endmodule
