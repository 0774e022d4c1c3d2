// SPDX-License-Identifier: Apache-2.0
// The matrix unit's store path (mst): reads the accumulator groups of one instruction, one a cycle,
// beside the array, and writes each column to its scratchpad word; columns of 16 rows have two words,
// and take two cycles a group.
// Takes the next instruction in the cycle in which it reads the last group of the one before. A
// group is read when no step in the array will write it any more (pending_i); owns_o names the
// groups not yet read, which the array must not update. Up to four groups wait for their banks.
`include "rtl/common/assert.svh"
module mxu_store #(
    parameter  int unsigned Rows   = 8,
    parameter  int unsigned Cols   = 4,
    parameter  int unsigned Groups = 8,
    parameter  int unsigned NW     = 6,
    parameter  int unsigned WordW  = 12,
    localparam int unsigned GroupW = $clog2(Groups)
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    // instruction
    input  logic              start_i,
    output logic              ready_o,
    input  logic [GroupW-1:0] group_i,                   // first group
    input  logic [    NW-1:0] n_i,                       // columns
    input  logic [      31:0] dst_i,                     // byte address of the first column
    input  logic [      31:0] pitch_i,                   // bytes between columns
    // accumulators
    input  logic [Groups-1:0] pending_i,
    output logic [Groups-1:0] owns_o,
    output logic [GroupW-1:0] read_group_o,
    input  logic [      31:0] data_i      [Rows][Cols],
    // scratchpad
    output logic              wr_valid_o  [Cols],
    output logic [ WordW-1:0] wr_word_o   [Cols],
    output logic [      31:0] wr_strb_o   [Cols],
    output logic [     255:0] wr_data_o   [Cols],
    input  logic              wr_gnt_i    [Cols],
    // status
    output logic              read_o,                    // a group is read this cycle
    output logic              done_o                     // the instruction's last word is written
);
  localparam int unsigned WordRows = Rows < 8 ? Rows : 8;  // rows of a word
  typedef struct packed {
    logic [Cols-1:0]            cols;
    logic [Cols-1:0][WordW-1:0] word;
    logic [Cols-1:0][4:0]       off;
    logic [Cols-1:0][255:0]     data;
    logic                       last;
  } entry_t;

  logic run_q, last, room, out_valid, pop;
  logic [GroupW-1:0] group_q;
  logic [NW-1:0] left_q;  // columns from this group on
  logic [31:0] dst_q, pitch_q;
  entry_t in, out;
  logic [Cols-1:0] done_q, done_d;  // columns of the entry already written

  // Words of a column, and which of them this cycle takes.
  localparam int unsigned Parts = (Rows * 4 + 31) / 32;
  logic part_q, part_last, group_done;
  assign part_last    = 32'(part_q) == Parts - 1;
  assign read_o       = run_q && room && !pending_i[group_q];
  assign group_done   = read_o && part_last;
  assign last         = 32'(left_q) <= Cols && part_last;
  assign ready_o      = !run_q || (read_o && last);
  assign read_group_o = group_q;
  always_comb
    for (int unsigned g = 0; g < Groups; g++)
      owns_o[g] = run_q && g >= 32'(group_q) && 32'(left_q) > (g - 32'(group_q)) * Cols;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) run_q <= 1'b0;
    else if (start_i) run_q <= 1'b1;
    else if (read_o && last) run_q <= 1'b0;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) part_q <= 1'b0;
    else if (read_o) part_q <= !part_last;
  end
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      group_q <= group_i;
      left_q  <= n_i;
      dst_q   <= dst_i;
      pitch_q <= pitch_i;
    end else if (group_done) begin
      group_q <= group_q + 1'b1;
      left_q  <= left_q - NW'(Cols);
      dst_q   <= dst_q + pitch_q * Cols;
    end
  end

  always_comb begin
    in      = '0;
    in.last = last;
    for (int unsigned c = 0; c < Cols; c++) begin
      automatic logic [WordW+4:0] d = (WordW + 5)'(dst_q + pitch_q * c + 32'(part_q) * 32'd32);
      in.cols[c] = 32'(left_q) > c;
      in.word[c] = d[5+:WordW];
      in.off[c]  = d[4:0];
      for (int unsigned r = 0; r < WordRows; r++)
      in.data[c][r*32+:32] = data_i[part_q&&Parts>1?r+8 : r][c];
    end
  end
  common_fifo #(
      .data_t(entry_t),
      .Depth (4)
  ) u_fifo (
      .clk_i,
      .rst_ni,
      .in_valid_i (read_o),
      .in_ready_o (room),
      .in_i       (in),
      .out_valid_o(out_valid),
      .out_ready_i(pop),
      .out_o      (out),
      .count_o    ()
  );
  always_comb begin
    done_d = done_q;
    for (int unsigned c = 0; c < Cols; c++) begin
      wr_valid_o[c] = out_valid && out.cols[c] && !done_q[c];
      wr_word_o[c]  = out.word[c];
      wr_strb_o[c]  = 32'((64'd1 << (WordRows * 4)) - 64'd1) << out.off[c];
      wr_data_o[c]  = out.data[c] << {out.off[c], 3'b0};
      if (wr_gnt_i[c]) done_d[c] = 1'b1;
    end
    pop = out_valid && done_d == out.cols;
  end
  assign done_o = pop && out.last;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) done_q <= '0;
    else done_q <= pop ? '0 : done_d;
  end

  `ASSERT_NEVER(StartOnlyWhenReady_A, start_i && !ready_o)
endmodule
