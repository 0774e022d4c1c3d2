// SPDX-License-Identifier: Apache-2.0
// The matrix unit alone; the test is its queue, its scratchpad and its host. Records come as plain ports.
module mxu_ops_top
  import tepin_pkg::*;
  import tepin_isa_pkg::*;
#(
    parameter  int unsigned Rows      = 16,
    parameter  int unsigned Cols      = 4,
    parameter  int unsigned AccCols   = 64,
    parameter  int unsigned SpadBytes = 65536,
    localparam int unsigned WordW     = $clog2(SpadBytes / 32),
    localparam int unsigned NumRead   = Cols + (Rows * 16 + 31) / 32 + 2
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             nan_trap_i,
    input  logic             stop_i,
    // instruction
    input  logic             instr_valid_i,
    output logic             instr_ready_o,
    input  logic [      7:0] instr_op_i,
    input  logic [      1:0] instr_thread_i,
    input  logic [     15:0] instr_pc_i,
    input  logic [      5:0] instr_post_sem_i[        2],
    input  logic [      7:0] instr_post_cnt_i[        2],
    input  logic [     31:0] instr_arg_i     [        8],
    input  logic [     15:0] instr_flags_i,
    // posts
    output logic             post_valid_o,
    output logic             post_take_o,
    output logic [      5:0] post_sem_o      [        2],
    output logic [     31:0] post_cnt_o      [        2],
    output logic [     17:0] post_origin_o,
    input  logic             post_ready_i,
    // scratchpad
    output logic             rd_valid_o      [  NumRead],
    output logic [WordW-1:0] rd_word_o       [  NumRead],
    input  logic             rd_gnt_i        [  NumRead],
    input  logic [    255:0] rd_data_i       [  NumRead],
    input  logic             rd_bad_i        [  NumRead],
    output logic             wr_valid_o      [     Cols],
    output logic [WordW-1:0] wr_word_o       [     Cols],
    output logic [     31:0] wr_strb_o       [     Cols],
    output logic [    255:0] wr_data_o       [     Cols],
    input  logic             wr_gnt_i        [     Cols],
    // status and trace
    output logic             busy_o,
    output logic [      2:0] activity_o,
    output logic             fault_o,
    output logic [      4:0] fault_cause_o,
    output logic [     17:0] fault_origin_o,
    output logic [     31:0] fault_addr_o,
    output logic             nan_seen_o,
    output logic             retire_o,
    output logic [     17:0] retire_origin_o,
    output logic [      7:0] retire_op_o,
    output logic             acc_valid_o,
    output logic [      7:0] acc_group_o,
    output logic [ Cols-1:0] acc_cols_o,
    output logic [     31:0] acc_o           [Rows*Cols],
    output logic [     17:0] acc_origin_o,
    // host
    input  logic [     15:0] host_index_i,
    output logic [     31:0] host_value_o
);
  engine_instr_t instr;
  sem_op_t       post;
  fault_t        fault;
  retire_t       retire;
  activity_e     activity;
  origin_t post_origin, acc_origin;
  logic [$clog2(AccCols/Cols)-1:0] group;
  logic [31:0] acc[Rows][Cols];
  always_comb begin
    instr                = '0;
    instr.op             = instr_op_i;
    instr.thread         = instr_thread_i;
    instr.pc             = instr_pc_i;
    instr.flags          = instr_flags_i;
    instr.sync.post0_sem = instr_post_sem_i[0];
    instr.sync.post1_sem = instr_post_sem_i[1];
    instr.sync.post0_cnt = $bits(instr.sync.post0_cnt)'(instr_post_cnt_i[0]);
    instr.sync.post1_cnt = $bits(instr.sync.post1_cnt)'(instr_post_cnt_i[1]);
    for (int unsigned i = 0; i < 8; i++) instr.arg[i] = instr_arg_i[i];
    for (int unsigned r = 0; r < Rows; r++) begin
      for (int unsigned c = 0; c < Cols; c++) acc_o[r*Cols+c] = acc[r][c];
    end
  end
  assign post_take_o     = post.take;
  assign post_sem_o[0]   = post.sem0;
  assign post_sem_o[1]   = post.sem1;
  assign post_cnt_o[0]   = post.cnt0;
  assign post_cnt_o[1]   = post.cnt1;
  assign post_origin_o   = post_origin;
  assign activity_o      = activity;
  assign fault_o         = fault.valid;
  assign fault_cause_o   = fault.cause;
  assign fault_origin_o  = fault.origin;
  assign fault_addr_o    = fault.addr;
  assign retire_o        = retire.valid;
  assign retire_origin_o = retire.origin;
  assign retire_op_o     = retire.op;
  assign acc_group_o     = 8'(group);
  assign acc_origin_o    = acc_origin;

  mxu #(
      .Rows(Rows),
      .Cols(Cols),
      .AccCols(AccCols),
      .SpadBytes(SpadBytes)
  ) u_mxu (
      .clk_i,
      .rst_ni,
      .nan_trap_i,
      .stop_i,
      .instr_valid_i,
      .instr_ready_o,
      .instr_i(instr),
      .post_valid_o,
      .post_o(post),
      .post_ready_i,
      .rd_valid_o,
      .rd_word_o,
      .rd_gnt_i,
      .rd_data_i,
      .rd_bad_i,
      .wr_valid_o,
      .wr_word_o,
      .wr_strb_o,
      .wr_data_o,
      .wr_gnt_i,
      .busy_o,
      .activity_o(activity),
      .fault_o(fault),
      .nan_seen_o,
      .post_origin_o(post_origin),
      .retire_o(retire),
      .acc_valid_o,
      .acc_group_o(group),
      .acc_cols_o,
      .acc_o(acc),
      .acc_origin_o(acc_origin),
      .host_index_i,
      .host_value_o
  );
endmodule
