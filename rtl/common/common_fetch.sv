// SPDX-License-Identifier: Apache-2.0
// Fetches entries of up to Lanes consecutive scratchpad words and keeps Depth of them in order.
// A request (first word, lanes in use) holds until all its words are granted, which may take
// several cycles when banks conflict; req_ready_o is then high, combinational from the grants. An
// entry is on out_o two cycles later at the earliest; throughput one entry a cycle. The consumer may
// look at the two oldest entries and take one or both.
`include "rtl/common/assert.svh"
module common_fetch #(
    parameter int unsigned Lanes = 4,
    parameter int unsigned Depth = 4,
    parameter int unsigned WordW = 12
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    // request
    input  logic             req_valid_i,
    output logic             req_ready_o,
    input  logic [WordW-1:0] req_word_i,
    input  logic [Lanes-1:0] req_lanes_i,
    // scratchpad
    output logic             rd_valid_o [Lanes],
    output logic [WordW-1:0] rd_word_o  [Lanes],
    input  logic             rd_gnt_i   [Lanes],
    input  logic [    255:0] rd_data_i  [Lanes],
    input  logic             rd_bad_i   [Lanes],
    // entries
    output logic             out_valid_o,
    output logic             out_both_o,          // the entry after it is there too
    input  logic             out_ready_i,
    input  logic             out_two_i,           // with ready: takes both; only if both are there
    output logic [    255:0] out_o      [Lanes],
    output logic [    255:0] next_o     [Lanes],
    // status
    output logic             conflict_o,          // a word was not granted
    output logic             bad_o                // parity error in a word that arrived
);
  localparam int unsigned PtrW = Depth > 1 ? $clog2(Depth) : 1;
  localparam int unsigned CountW = $clog2(Depth + 1);
  logic [255:0] mem_q[Depth][Lanes];
  logic [Lanes-1:0] done_q, done_d, gnt_q;
  logic [PtrW-1:0] wr_q, rd_q, land_q;
  logic [CountW-1:0] used_q, avail_q;
  logic arrived_q, room, pop;

  assign room = used_q != CountW'(Depth);
  always_comb begin
    done_d = done_q;
    for (int unsigned l = 0; l < Lanes; l++) begin
      rd_valid_o[l] = req_valid_i && room && req_lanes_i[l] && !done_q[l];
      rd_word_o[l]  = req_word_i + WordW'(l);
      if (rd_gnt_i[l]) done_d[l] = 1'b1;
    end
    req_ready_o = req_valid_i && room && done_d == req_lanes_i;
    conflict_o = req_valid_i && room && done_d != req_lanes_i;
    bad_o = 1'b0;
    for (int unsigned l = 0; l < Lanes; l++) if (gnt_q[l] && rd_bad_i[l]) bad_o = 1'b1;
  end
  function automatic logic [PtrW-1:0] after(input logic [PtrW-1:0] p);
    return p == PtrW'(Depth - 1) ? '0 : p + 1'b1;
  endfunction
  logic two;
  assign out_valid_o = avail_q != '0;
  assign out_both_o  = 32'(avail_q) >= 2;
  assign pop         = out_valid_o && out_ready_i;
  assign two         = pop && out_two_i;
  always_comb begin
    for (int unsigned l = 0; l < Lanes; l++) begin
      out_o[l]  = mem_q[rd_q][l];
      next_o[l] = mem_q[after(rd_q)][l];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      done_q    <= '0;
      gnt_q     <= '0;
      wr_q      <= '0;
      rd_q      <= '0;
      land_q    <= '0;
      used_q    <= '0;
      avail_q   <= '0;
      arrived_q <= 1'b0;
    end else begin
      done_q    <= req_ready_o ? '0 : done_d;
      land_q    <= wr_q;
      arrived_q <= req_ready_o;
      for (int unsigned l = 0; l < Lanes; l++) gnt_q[l] <= rd_gnt_i[l];
      if (req_ready_o) wr_q <= after(wr_q);
      if (two) rd_q <= after(after(rd_q));
      else if (pop) rd_q <= after(rd_q);
      used_q  <= used_q + CountW'(req_ready_o) - CountW'(pop) - CountW'(two);
      avail_q <= avail_q + CountW'(arrived_q) - CountW'(pop) - CountW'(two);
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned l = 0; l < Lanes; l++) if (gnt_q[l]) mem_q[land_q][l] <= rd_data_i[l];
  end

  `ASSERT(AvailWithinUsed_A, avail_q <= used_q)
  `ASSERT_NEVER(TwoOnlyOfTwo_A, two && !out_both_o)
endmodule
