// SPDX-License-Identifier: Apache-2.0
// Answers for what is not there: takes every address and all data of a write, then responds DECERR, a read with len_i + 1
// beats (of zeros, which whoever instantiates this adds). One read and one write at a time; outputs are flip-flops.
`include "rtl/common/assert.svh"
module chip_absent #(
    parameter int unsigned IdW = 4
) (
    input  logic           clk_i,
    input  logic           rst_ni,
    // requests
    input  logic           aw_valid_i,
    output logic           aw_ready_o,
    input  logic [IdW-1:0] aw_id_i,
    input  logic           w_valid_i,
    output logic           w_ready_o,
    input  logic           w_last_i,
    input  logic           ar_valid_i,
    output logic           ar_ready_o,
    input  logic [IdW-1:0] ar_id_i,
    input  logic [    7:0] ar_len_i,
    // responses
    output logic           b_valid_o,
    input  logic           b_ready_i,
    output logic [IdW-1:0] b_id_o,
    output logic           r_valid_o,
    input  logic           r_ready_i,
    output logic [IdW-1:0] r_id_o,
    output logic           r_last_o
);
  typedef enum logic [1:0] {
    AbIdle,  // no write
    AbData,  // its address has come, its last beat has not
    AbResp   // the response is offered
  } state_e;
  state_e st_q;
  logic r_valid_q;
  logic [7:0] left_q;
  logic [IdW-1:0] b_id_q, r_id_q;
  assign aw_ready_o = st_q == AbIdle;
  assign w_ready_o  = st_q == AbData;
  assign b_valid_o  = st_q == AbResp;
  assign b_id_o     = b_id_q;
  assign ar_ready_o = !r_valid_q;
  assign r_valid_o  = r_valid_q;
  assign r_id_o     = r_id_q;
  assign r_last_o   = left_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      st_q      <= AbIdle;
      r_valid_q <= 1'b0;
    end else begin
      unique case (st_q)
        AbIdle:  if (aw_valid_i) st_q <= AbData;
        AbData:  if (w_valid_i && w_last_i) st_q <= AbResp;
        AbResp:  if (b_ready_i) st_q <= AbIdle;
        default: st_q <= AbIdle;
      endcase
      if (!r_valid_q) r_valid_q <= ar_valid_i;
      else if (r_ready_i && r_last_o) r_valid_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (st_q == AbIdle) b_id_q <= aw_id_i;
    if (!r_valid_q) begin
      r_id_q <= ar_id_i;
      left_q <= ar_len_i;
    end else if (r_ready_i) begin
      left_q <= left_q - 8'd1;
    end
  end

  `ASSERT_HELD(BHeldUntilReady_A, b_valid_o, b_ready_i, b_id_o)
  `ASSERT_HELD(RHeldUntilReady_A, r_valid_o, r_ready_i, {r_id_o, r_last_o})
endmodule
