// SPDX-License-Identifier: Apache-2.0
// Simulation top of the arithmetic alone, for test vectors: the matrix unit's datapath behind its
// step port, and the functions of the vector unit. One weight block stands in every row and one
// activation block in every column, so all accumulators must agree. Conversions are combinational.
// A block's largest magnitude and its NaN rule, which `vpu` gathers while it streams, are written
// out here again; programs on the whole tile check that part.
module vector_top
  import tepin_pkg::*;
  import tepin_isa_pkg::*;
  import mxu_pkg::*;
  import common_fp_pkg::*;
  import vpu_pkg::*;
#(
    parameter int unsigned Rows   = 8,
    parameter int unsigned Cols   = 4,
    parameter int unsigned Groups = 8
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    // matrix unit: one step a cycle while step_valid_i; the passes of a block follow each other
    input  logic         step_valid_i,
    output logic         step_last_o,                // this step is the block's last pass
    input  logic         step_init_i,
    input  logic [  3:0] step_fa_i,
    input  logic [  3:0] step_fw_i,
    input  logic [255:0] w_i,                        // 32 codes; 4-bit ones in the lower half
    input  logic [ 15:0] ws_i,
    input  logic [255:0] a_i,                        // 32 codes; mxfp4 in the lower half
    input  logic [  7:0] as_i,
    output logic         update_valid_o,
    output logic         nan_o,
    output logic         bad_code_o,
    output logic [ 31:0] update_o      [Rows*Cols],
    // vector unit: conversions
    input  logic [  3:0] fmt_i,
    input  logic [  1:0] rule_i,                     // of block_scale_o
    input  logic [ 31:0] x_i           [       32],  // FP32
    input  logic [  7:0] scale_i,                    // for codes_o and value_o
    input  logic [  7:0] code_i        [       32],
    output logic [  7:0] block_scale_o,              // vqnt of the block x_i
    output logic [  7:0] block_code_o  [       32],
    output logic [  7:0] code_o        [       32],  // each x_i alone, under scale_i
    output logic [ 31:0] value_o       [       32],  // vdqt of code_i under scale_i
    output logic [ 15:0] bf16_o        [       32],
    // vector unit: a * b + c
    input  logic [ 31:0] fma_i         [        3],
    output logic [ 31:0] fma_o
);
  localparam int unsigned WLanes = (Rows * 16 + 31) / 32;
  logic [255:0] w[2*WLanes], a[Cols];
  logic [15:0] ws      [Rows];
  logic [ 7:0] as      [Cols];
  logic        small_w;
  logic [31:0] update  [Rows] [Cols];
  always_comb begin
    small_w = !wide_codes(step_fw_i);
    for (int unsigned i = 0; i < 2 * WLanes; i++) w[i] = small_w ? {w_i[127:0], w_i[127:0]} : w_i;
    for (int unsigned r = 0; r < Rows; r++) ws[r] = ws_i;
    for (int unsigned c = 0; c < Cols; c++) begin
      a[c]  = step_fa_i == FmtMxfp4 ? {a_i[127:0], a_i[127:0]} : a_i;
      as[c] = as_i;
    end
    for (int unsigned r = 0; r < Rows; r++) begin
      for (int unsigned c = 0; c < Cols; c++) update_o[r*Cols+c] = update[r][c];
    end
  end

  logic first_q;
  pass_t pass, pass_q;
  assign pass = first_q ? first_pass(fmt_digits(step_fw_i), fmt_parts(step_fa_i)) : pass_q;
  assign step_last_o = pass.u == '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) first_q <= 1'b1;
    else if (step_valid_i) first_q <= step_last_o;
  end
  always_ff @(posedge clk_i)
    if (step_valid_i)
      pass_q <= next_pass(fmt_digits(step_fw_i), fmt_parts(step_fa_i), pass);

  /* verilator lint_off PINCONNECTEMPTY */
  mxu_array #(
      .Rows  (Rows),
      .Cols  (Cols),
      .Groups(Groups)
  ) u_array (
      .clk_i,
      .rst_ni,
      .step_valid_i,
      .step_new_w_i(1'b1),
      .step_digit_i(digit_of(pass)),
      .step_part_i(pass.part),
      .step_first_i(first_q),
      .step_shift_i(pass.shift),
      .step_update_i(step_last_o),
      .step_init_i,
      .step_last_i(step_last_o),
      .step_fa_i,
      .step_fw_i,
      .step_group_i('0),
      .step_cols_i('1),
      .step_origin_i('0),
      .w_i(w),
      .ws_i(ws),
      .a_i(a),
      .as_i(as),
      .store_group_i('0),
      .store_o(),
      .pending_o(),
      .update_valid_o,
      .update_last_o(),
      .update_group_o(),
      .update_cols_o(),
      .update_o(update),
      .update_origin_o(),
      .nan_o,
      .bad_code_o,
      .busy_o(),
      .host_index_i('0),
      .host_value_o()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  elem_t        elem;
  logic  [30:0] amax;
  logic         special;
  always_comb begin
    elem    = elem_of(fmt_i);
    amax    = '0;
    special = 1'b0;
    for (int unsigned i = 0; i < 32; i++) begin
      if (x_i[i][30:0] > amax) amax = x_i[i][30:0];
      if (x_i[i][30:23] == 8'hff) special = 1'b1;
    end
    block_scale_o = special ? 8'hff : scale_of(amax, elem, rule_i);
    fma_o = fp_fma(fma_i[0], fma_i[1], fma_i[2]);
    for (int unsigned i = 0; i < 32; i++) begin
      block_code_o[i] = special ? 8'h00 : vpu_pkg::quantise(x_i[i], block_scale_o, elem);
      code_o[i]       = vpu_pkg::quantise(x_i[i], scale_i, elem);
      value_o[i]      = vpu_pkg::dequantise(code_i[i], scale_i, fmt_i);
      bf16_o[i]       = to_bf16(x_i[i]);
    end
  end
endmodule
