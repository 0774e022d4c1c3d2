// SPDX-License-Identifier: Apache-2.0
// Scratchpad: Banks single-port memories of 32-byte words, word w in bank w mod Banks, one parity
// bit a byte. Lanes: a request is one word and holds until granted (combinational, same cycle).
// Read data come the next cycle on the lane, for that cycle alone. One access a bank a cycle; the
// lowest lane number wins, reads before writes, except that a lane that has lost 15 times in a row
// goes first, so nobody starves. Every lost request counts as a conflict. After reset Rows cycles
// clear all words (ready_o low, no grants), so parity is good everywhere.
`include "rtl/common/assert.svh"
module tile_spad
  import tepin_pkg::*;
#(
    parameter int unsigned Bytes = 131072,
    parameter int unsigned Banks = 16,
    parameter int unsigned NumRead = 4,
    parameter int unsigned NumWrite = 4
) (
    input logic clk_i,
    input logic rst_ni,
    // parity injection: the next write to this word stores byte 0's parity inverted
    input logic inject_i,
    input logic [31:0] inject_word_i,
    output logic injected_o,
    // reads
    input logic rd_valid_i[NumRead],
    input logic [$clog2(Bytes/32)-1:0] rd_word_i[NumRead],
    output logic rd_gnt_o[NumRead],
    output logic [255:0] rd_data_o[NumRead],
    output logic rd_bad_o[NumRead],  // parity error in the word on rd_data_o
    // writes
    input logic wr_valid_i[NumWrite],
    input logic [$clog2(Bytes/32)-1:0] wr_word_i[NumWrite],
    input logic [31:0] wr_strb_i[NumWrite],
    input logic [255:0] wr_data_i[NumWrite],
    output logic wr_gnt_o[NumWrite],
    // status
    output logic ready_o,
    output logic [7:0] conflicts_o  // requests that lost this cycle
);
  localparam int unsigned Rows = Bytes / 32 / Banks;
  localparam int unsigned RowW = $clog2(Rows);
  localparam int unsigned BankW = $clog2(Banks);
  localparam int unsigned WordW = $clog2(Bytes / 32);
  if (Banks * Rows * 32 != Bytes || Banks != 1 << BankW || Rows != 1 << RowW) begin : gen_check
    $error("tile_spad: Bytes and Banks must be powers of two");
  end

  logic             clear_q;
  logic [ RowW-1:0] clear_row_q;
  logic             bank_req    [   Banks];
  logic             bank_we     [   Banks];
  logic [ RowW-1:0] bank_row    [   Banks];
  logic [     31:0] bank_strb   [   Banks];
  logic [    255:0] bank_wdata  [   Banks];
  logic             bank_flip   [   Banks];
  logic [    255:0] bank_rdata_q[   Banks];
  logic             bank_bad    [   Banks];
  logic [BankW-1:0] rd_bank_q   [ NumRead];
  logic [      3:0] rd_lost_q   [ NumRead];
  logic [      3:0] wr_lost_q   [NumWrite];

  // Two passes over the lanes: first those that have lost 15 times, then all.
  logic             starving;
  always_comb begin
    starving = 1'b0;
    for (int unsigned l = 0; l < NumRead; l++) if (rd_lost_q[l] == 4'd15) starving = 1'b1;
    for (int unsigned l = 0; l < NumWrite; l++) if (wr_lost_q[l] == 4'd15) starving = 1'b1;
  end
  always_comb begin
    conflicts_o = '0;
    injected_o  = 1'b0;
    for (int unsigned b = 0; b < Banks; b++) begin
      bank_req[b]   = clear_q;
      bank_we[b]    = clear_q;
      bank_row[b]   = clear_row_q;
      bank_strb[b]  = '1;
      bank_wdata[b] = '0;
      bank_flip[b]  = 1'b0;
    end
    for (int unsigned l = 0; l < NumRead; l++) rd_gnt_o[l] = 1'b0;
    for (int unsigned l = 0; l < NumWrite; l++) wr_gnt_o[l] = 1'b0;
    for (int unsigned pass = 0; pass < 2; pass++) begin
      if (pass == 0 && !starving) continue;
      for (int unsigned l = 0; l < NumRead; l++) begin
        if (rd_valid_i[l] && !rd_gnt_o[l] && (pass == 1 || rd_lost_q[l] == 4'd15) && !bank_req[rd_word_i[l][BankW-1:0]]) begin
          rd_gnt_o[l] = 1'b1;
          bank_req[rd_word_i[l][BankW-1:0]] = 1'b1;
          bank_row[rd_word_i[l][BankW-1:0]] = rd_word_i[l][WordW-1:BankW];
        end
      end
      for (int unsigned l = 0; l < NumWrite; l++) begin
        if (wr_valid_i[l] && !wr_gnt_o[l] && (pass == 1 || wr_lost_q[l] == 4'd15) && !bank_req[wr_word_i[l][BankW-1:0]]) begin
          wr_gnt_o[l] = 1'b1;
          bank_req[wr_word_i[l][BankW-1:0]]   = 1'b1;
          bank_we[wr_word_i[l][BankW-1:0]]    = 1'b1;
          bank_row[wr_word_i[l][BankW-1:0]]   = wr_word_i[l][WordW-1:BankW];
          bank_strb[wr_word_i[l][BankW-1:0]]  = wr_strb_i[l];
          bank_wdata[wr_word_i[l][BankW-1:0]] = wr_data_i[l];
          if (inject_i && inject_word_i == 32'(wr_word_i[l]) && wr_strb_i[l][0]) begin
            bank_flip[wr_word_i[l][BankW-1:0]] = 1'b1;
            injected_o = 1'b1;
          end
        end
      end
    end
    for (int unsigned l = 0; l < NumRead; l++)
    if (rd_valid_i[l] && !rd_gnt_o[l]) conflicts_o = conflicts_o + 8'd1;
    for (int unsigned l = 0; l < NumWrite; l++)
    if (wr_valid_i[l] && !wr_gnt_o[l]) conflicts_o = conflicts_o + 8'd1;
  end

`ifndef SYNTHESIS
  function automatic logic [255:0] byte_mask(input logic [31:0] strb);
    logic [255:0] m;
    for (int unsigned i = 0; i < 32; i++) m[i*8+:8] = {8{strb[i]}};
    return m;
  endfunction
`endif
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    (* ram_style = "block" *)logic [255:0] mem_q  [Rows];
    (* ram_style = "block" *)logic [ 31:0] par_q  [Rows];
    logic [ 31:0] rpar_q;
    logic         read_q;
    always_ff @(posedge clk_i) begin
      read_q <= bank_req[b] && !bank_we[b];
      if (bank_req[b]) begin
        if (bank_we[b]) begin
          automatic logic [31:0] wpar = byte_parity(bank_wdata[b]) ^ 32'(bank_flip[b]);
`ifdef SYNTHESIS
          // Byte enables, as memories have them.
          for (int unsigned i = 0; i < 32; i++)
          if (bank_strb[b][i]) mem_q[bank_row[b]][i*8+:8] <= bank_wdata[b][i*8+:8];
          for (int unsigned i = 0; i < 32; i++)
          if (bank_strb[b][i]) par_q[bank_row[b]][i] <= wpar[i];
`else
          // The same in one write: 64 separate ones a bank take a sixth of the tile's simulation time.
          automatic logic [255:0] mask = byte_mask(bank_strb[b]);
          mem_q[bank_row[b]] <= (mem_q[bank_row[b]] & ~mask) | (bank_wdata[b] & mask);
          par_q[bank_row[b]] <= (par_q[bank_row[b]] & ~bank_strb[b]) | (wpar & bank_strb[b]);
`endif
        end else begin
          bank_rdata_q[b] <= mem_q[bank_row[b]];
          rpar_q          <= par_q[bank_row[b]];
        end
      end
    end
    always_comb begin
      bank_bad[b] = 1'b0;
      if (read_q) bank_bad[b] = byte_parity(bank_rdata_q[b]) != rpar_q;
    end
  end

  always_comb begin
    for (int unsigned l = 0; l < NumRead; l++) begin
      rd_data_o[l] = bank_rdata_q[rd_bank_q[l]];
      rd_bad_o[l]  = bank_bad[rd_bank_q[l]];
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned l = 0; l < NumRead; l++)
    if (rd_gnt_o[l]) rd_bank_q[l] <= rd_word_i[l][BankW-1:0];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clear_q     <= 1'b1;
      clear_row_q <= '0;
      for (int unsigned l = 0; l < NumRead; l++) rd_lost_q[l] <= '0;
      for (int unsigned l = 0; l < NumWrite; l++) wr_lost_q[l] <= '0;
    end else begin
      if (clear_q) begin
        clear_row_q <= clear_row_q + 1'b1;
        if (clear_row_q == '1) clear_q <= 1'b0;
      end
      for (int unsigned l = 0; l < NumRead; l++) begin
        if (!rd_valid_i[l] || rd_gnt_o[l]) rd_lost_q[l] <= '0;
        else if (rd_lost_q[l] != 4'd15) rd_lost_q[l] <= rd_lost_q[l] + 4'd1;
      end
      for (int unsigned l = 0; l < NumWrite; l++) begin
        if (!wr_valid_i[l] || wr_gnt_o[l]) wr_lost_q[l] <= '0;
        else if (wr_lost_q[l] != 4'd15) wr_lost_q[l] <= wr_lost_q[l] + 4'd1;
      end
    end
  end
  assign ready_o = !clear_q;
endmodule
