// SPDX-License-Identifier: Apache-2.0
// The matrix unit in the shape of one of the 15 units of a `jalapeno` tile, 16 rows by 8 columns, with a
// scratchpad of its own: for its cycles and results at that size. Instructions come straight from the
// test; a spare lane writes and reads the scratchpad.
module mxu_shape_top
  import tepin_pkg::*;
  import tepin_isa_pkg::*;
#(
    parameter int unsigned Rows = 16,
    parameter int unsigned Cols = 8,
    parameter int unsigned AccCols = 256,
    parameter int unsigned SpadBytes = 2097152,
    parameter int unsigned SpadBanks = 64
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    output logic         ready_o,           // the scratchpad has cleared itself
    // instruction
    input  logic         instr_valid_i,
    output logic         instr_ready_o,
    input  logic [  7:0] instr_op_i,
    input  logic [ 31:0] instr_arg_i  [8],
    input  logic [ 15:0] instr_flags_i,
    output logic         busy_o,
    output logic         step_o,            // the array works
    output logic         retire_o,
    output logic         fault_o,
    // scratchpad
    input  logic         wr_valid_i,
    input  logic [ 15:0] wr_word_i,
    input  logic [255:0] wr_data_i,
    output logic         wr_gnt_o,
    input  logic         rd_valid_i,
    input  logic [ 15:0] rd_word_i,
    output logic         rd_gnt_o,
    output logic [255:0] rd_data_o
);
  localparam int unsigned WordW = $clog2(SpadBytes / 32);
  localparam int unsigned WLanes = (Rows * 16 + 31) / 32;
  localparam int unsigned NumRead = Cols + WLanes + 2;

  logic rd_valid[NumRead+1], rd_gnt[NumRead+1], rd_bad[NumRead+1], wr_valid[Cols+1], wr_gnt[Cols+1];
  logic [WordW-1:0] rd_word[NumRead+1], wr_word[Cols+1];
  logic [255:0] rd_data[NumRead+1], wr_data[Cols+1];
  logic [31:0] wr_strb[Cols+1];
  logic
      mx_rd_valid[NumRead],
      mx_rd_gnt[NumRead],
      mx_rd_bad[NumRead],
      mx_wr_valid[Cols],
      mx_wr_gnt[Cols];
  logic [WordW-1:0] mx_rd_word[NumRead], mx_wr_word[Cols];
  logic [255:0] mx_rd_data[NumRead], mx_wr_data[Cols];
  logic [31:0] mx_wr_strb[Cols];
  always_comb begin
    for (int unsigned l = 0; l < NumRead; l++) begin
      rd_valid[l]   = mx_rd_valid[l];
      rd_word[l]    = mx_rd_word[l];
      mx_rd_gnt[l]  = rd_gnt[l];
      mx_rd_data[l] = rd_data[l];
      mx_rd_bad[l]  = rd_bad[l];
    end
    for (int unsigned l = 0; l < Cols; l++) begin
      wr_valid[l]  = mx_wr_valid[l];
      wr_word[l]   = mx_wr_word[l];
      wr_strb[l]   = mx_wr_strb[l];
      wr_data[l]   = mx_wr_data[l];
      mx_wr_gnt[l] = wr_gnt[l];
    end
    rd_valid[NumRead] = rd_valid_i;
    rd_word[NumRead]  = rd_word_i[WordW-1:0];
    rd_gnt_o          = rd_gnt[NumRead];
    rd_data_o         = rd_data[NumRead];
    wr_valid[Cols]    = wr_valid_i;
    wr_word[Cols]     = wr_word_i[WordW-1:0];
    wr_strb[Cols]     = '1;
    wr_data[Cols]     = wr_data_i;
    wr_gnt_o          = wr_gnt[Cols];
  end

  engine_instr_t instr;
  activity_e     activity;
  fault_t        fault;
  retire_t       retire;
  always_comb begin
    instr       = '0;
    instr.op    = instr_op_i;
    instr.flags = instr_flags_i;
    for (int unsigned i = 0; i < 8; i++) instr.arg[i] = instr_arg_i[i];
  end
  assign step_o   = activity == ActBusy;
  assign retire_o = retire.valid;
  assign fault_o  = fault.valid;

  /* verilator lint_off PINCONNECTEMPTY */
  mxu #(
      .Rows(Rows),
      .Cols(Cols),
      .AccCols(AccCols),
      .SpadBytes(SpadBytes)
  ) u_mxu (
      .clk_i,
      .rst_ni,
      .nan_trap_i(1'b1),
      .stop_i(1'b0),
      .instr_valid_i,
      .instr_ready_o,
      .instr_i(instr),
      .post_valid_o(),
      .post_o(),
      .post_ready_i(1'b1),
      .rd_valid_o(mx_rd_valid),
      .rd_word_o(mx_rd_word),
      .rd_gnt_i(mx_rd_gnt),
      .rd_data_i(mx_rd_data),
      .rd_bad_i(mx_rd_bad),
      .wr_valid_o(mx_wr_valid),
      .wr_word_o(mx_wr_word),
      .wr_strb_o(mx_wr_strb),
      .wr_data_o(mx_wr_data),
      .wr_gnt_i(mx_wr_gnt),
      .busy_o,
      .activity_o(activity),
      .fault_o(fault),
      .nan_seen_o(),
      .post_origin_o(),
      .retire_o(retire),
      .acc_valid_o(),
      .acc_group_o(),
      .acc_cols_o(),
      .acc_o(),
      .acc_origin_o(),
      .host_index_i('0),
      .host_value_o()
  );
  tile_spad #(
      .Bytes(SpadBytes),
      .Banks(SpadBanks),
      .NumRead(NumRead + 1),
      .NumWrite(Cols + 1)
  ) u_spad (
      .clk_i,
      .rst_ni,
      .inject_i(1'b0),
      .inject_word_i('0),
      .injected_o(),
      .rd_valid_i(rd_valid),
      .rd_word_i(rd_word),
      .rd_gnt_o(rd_gnt),
      .rd_data_o(rd_data),
      .rd_bad_o(rd_bad),
      .wr_valid_i(wr_valid),
      .wr_word_i(wr_word),
      .wr_strb_i(wr_strb),
      .wr_data_i(wr_data),
      .wr_gnt_o(wr_gnt),
      .ready_o,
      .conflicts_o()
  );
  /* verilator lint_on PINCONNECTEMPTY */
endmodule
