// SPDX-License-Identifier: Apache-2.0
// The matrix unit's datapath: decodes operands once at the edge, Rows x Cols dot products of 32
// elements a cycle, exact sums into FP32 accumulators with one rounding a block (docs/mxu.md has
// the drawing).
//   stage 0  one digit of each weight, one part of     stage 1  32 products summed
//            each activation
//   stage 2  passes joined, sum normalised             stage 3  aligned and added to the accumulator
//   stage 4  normalised, rounded, written
// One step a cycle, no backpressure. The passes of a block and group follow each other; the caller
// leaves at least one cycle between two steps that update one accumulator group (Rows x Cols
// accumulators). A second port reads any group in the
// same cycle (mst); pending_o names the groups that steps in the pipeline will still write.
`include "rtl/common/assert.svh"
`include "rtl/mxu/mxu_form.svh"
module mxu_array
  import tepin_pkg::*;
  import tepin_isa_pkg::*;
  import mxu_pkg::*;
#(
    parameter int unsigned Rows   = 8,
    parameter int unsigned Cols   = 4,
    parameter int unsigned Groups = 8
) (
    input logic clk_i,
    input logic rst_ni,
    // step
    input logic step_valid_i,
    input logic step_new_w_i,  // take the weights offered; else keep those held
    input logic [2:0] step_digit_i,  // of the weights
    input logic [1:0] step_part_i,  // of the activations' magnitudes: 9 bits from 9 * part
    input logic step_first_i,  // first pass of the block
    input logic [1:0] step_shift_i,  // before adding: the passes so far times 8^shift
    input logic step_update_i,  // last pass: add to the accumulators
    input logic step_init_i,  // add to +0 instead
    input logic step_last_i,  // last step of its instruction
    input logic [3:0] step_fa_i,
    input logic [3:0] step_fw_i,
    input logic [$clog2(Groups)-1:0] step_group_i,
    input logic [Cols-1:0] step_cols_i,  // columns in use
    input origin_t step_origin_i,
    // operands
    input logic [255:0] w_i[2*((Rows*16+31)/32)],  // 4-bit codes: the first half, two rows a word
    input logic [15:0] ws_i[Rows],  // one-byte scales in the lower half
    input logic [255:0] a_i[Cols],  // mxfp4: the first half, two columns a word
    input logic [7:0] as_i[Cols],
    // results
    input logic [$clog2(Groups)-1:0] store_group_i,
    output logic [31:0] store_o[Rows][Cols],
    output logic [Groups-1:0] pending_o,
    output logic update_valid_o,  // stage 4 writes a group
    output logic update_last_o,  // ... of the last step of its instruction
    output logic [$clog2(Groups)-1:0] update_group_o,
    output logic [Cols-1:0] update_cols_o,
    output logic [31:0] update_o[Rows][Cols],
    output origin_t update_origin_o,
    output logic nan_o,  // a new NaN is among them: the accumulator held none
    output logic bad_code_o,  // stage 4, of update_origin_o: a 6-bit code had its upper bits set
    output logic busy_o,  // steps in the pipeline
    // host
    input logic [15:0] host_index_i,  // (group*Rows + row)*Cols + column
    output logic [31:0] host_value_o
);
  localparam int unsigned GroupW = $clog2(Groups);

  typedef struct packed {
    logic              valid;
    logic              first;
    logic [1:0]        shift;
    logic              update;
    logic              init;
    logic              last;
    logic [GroupW-1:0] group;
    logic [Cols-1:0]   cols;
    logic              bad_code;
    origin_t           origin;
  } ctl_t;

  // Exponents of the operands: a block's sum is worth S * 2^(we + ae). Each lies in -143..127: a scale
  // byte less 127 less at most 16 places of the unit, a BF16 exponent less 134, or -10.
  typedef logic signed [9:0] exp_t;

  ctl_t c1_q, c2_q, c3_q, c4_q;
  wgt_t w_q[Rows][32];
  act_t a_q[Cols][32];
  exp_t we1_q[Rows], we2_q[Rows], ae1_q[Cols], ae2_q[Cols];
  // The scale, or an element of the block, is NaN or infinite.
  logic [Rows-1:0] wbad1_q, wbad2_q;
  logic [Cols-1:0] abad1_q, abad2_q;
  logic bad_w, bad_a;  // 6-bit codes with upper bits set among the operands
  logic [31:0] acc_q[Groups][Rows][Cols];

  // --------------------------------------------------------------------------------------- control
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      c1_q <= '0;
      c2_q <= '0;
      c3_q <= '0;
      c4_q <= '0;
    end else begin
      c1_q <= '{
          valid: step_valid_i,
          first: step_first_i,
          shift: step_shift_i,
          update: step_update_i,
          init: step_init_i,
          last: step_last_i,
          group: step_group_i,
          cols: step_cols_i,
          bad_code: bad_w || bad_a,
          origin: step_origin_i
      };
      c2_q <= c1_q;
      c3_q <= c2_q;
      c4_q <= c3_q;
    end
  end
  assign busy_o = c1_q.valid || c2_q.valid || c3_q.valid || c4_q.valid;

  // ------------------------------------------------------------------- stage 0: decode at the edge
  logic w_small, a_small;
  assign w_small = !wide_codes(step_fw_i);
  assign a_small = step_fa_i == FmtMxfp4;
  always_comb begin
    bad_w = 1'b0;
    bad_a = 1'b0;
    if (step_valid_i && step_fw_i inside {FmtMxfp6E2m3, FmtMxfp6E3m2}) begin
      for (int unsigned r = 0; r < Rows; r++) if ((w_i[r] & {32{8'hc0}}) != '0) bad_w = 1'b1;
    end
    if (step_valid_i && step_fa_i inside {FmtMxfp6E2m3, FmtMxfp6E3m2}) begin
      for (int unsigned c = 0; c < Cols; c++)
      if (step_cols_i[c] && (a_i[c] & {32{8'hc0}}) != '0) bad_a = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (step_valid_i && step_new_w_i) begin
      /* verilator unroll_disable */
      for (int unsigned r = 0; r < Rows; r++) begin
        automatic logic bad = ws_i[r][7:0] == 8'hff;
        automatic logic signed [18:0] s0 = '0, s1 = '0;
        automatic logic signed [8:0] sig = '0;
        we1_q[r] <= exp_t'({2'b0, ws_i[r][7:0]}) - 10'sd127 - exp_t'({5'b0, unit_of(step_fw_i)});
        if (w_small) begin
          if (step_fw_i == FmtNvfp4) begin
            s0  = e4m3_integer(ws_i[r][7:0]);
            s1  = e4m3_integer(ws_i[r][15:8]);
            bad = ws_i[r][6:0] == 7'h7f || ws_i[r][14:8] == 7'h7f;
            we1_q[r] <= -10'sd10;  // units 2^-1 and 2^-9
          end else if (step_fw_i == FmtInt4g32) begin
            sig = {1'b0, ws_i[r][14:7] != '0, ws_i[r][6:0]};
            if (ws_i[r][15]) sig = -sig;
            bad = ws_i[r][14:7] == 8'hff;
            // sig * 2^(E - 134), E at least 1
            we1_q[r] <= exp_t'({2'b0, ws_i[r][14:7] == '0 ? 8'd1 : ws_i[r][14:7]}) - 10'sd134;
          end
          /* verilator unroll_disable */
          for (int unsigned i = 0; i < 4; i++) begin
            automatic logic [31:0] x = w_i[r/2][(r%2)*128+i*32+:32];
            if (step_fw_i == FmtMxfp4) begin
              /* verilator unroll_disable */
              for (int unsigned j = 0; j < 8; j++) w_q[r][i*8+j] <= wgt_of(e2m1_halves(x[j*4+:4]));
            end else begin
              /* verilator unroll_disable */
              for (int unsigned j = 0; j < 8; j++)
              w_q[r][i*8+j] <= wgt_of(
                  booth_digit(
                      step_fw_i == FmtNvfp4 ? nvfp4_integer(
                          x[j*4+:4], i < 2 ? s0 : s1
                      ) : int4_integer(
                          x[j*4+:4], sig
                      ),
                      step_digit_i)
              );
            end
          end
        end else begin
          /* verilator unroll_disable */
          for (int unsigned i = 0; i < 8; i++) begin
            automatic logic [31:0] x = w_i[r][i*32+:32];
            /* verilator unroll_disable */
            for (int unsigned j = 0; j < 4; j++) begin
              automatic logic [7:0] b = x[j*8+:8];
              w_q[r][i*4+j] <= wgt_of(code_digit(step_fw_i, b, step_digit_i));
              bad = bad || (step_fw_i == FmtMxfp8E4m3 && b[6:0] == 7'h7f);
            end
          end
        end
        wbad1_q[r] <= bad;
      end
    end
    if (step_valid_i) begin
      /* verilator unroll_disable */
      for (int unsigned c = 0; c < Cols; c++) begin
        automatic logic bad = as_i[c] == 8'hff;
        ae1_q[c] <= exp_t'({2'b0, as_i[c]}) - 10'sd127 - exp_t'({5'b0, unit_of(step_fa_i)});
        if (a_small) begin
          /* verilator unroll_disable */
          for (int unsigned i = 0; i < 4; i++) begin
            automatic logic [31:0] x = a_i[c/2][(c%2)*128+i*32+:32];
            /* verilator unroll_disable */
            for (int unsigned j = 0; j < 8; j++)
            a_q[c][i*8+j] <= act_of(x[j*4+3], e2m1_magnitude(x[j*4+:3]));
          end
        end else if (step_fa_i == FmtMxint8) begin
          /* verilator unroll_disable */
          for (int unsigned i = 0; i < 8; i++) begin
            automatic logic [31:0] x = a_i[c][i*32+:32];
            /* verilator unroll_disable */
            for (int unsigned j = 0; j < 4; j++) a_q[c][i*4+j] <= act_of_int8(x[j*8+:8]);
          end
        end else begin
          /* verilator unroll_disable */
          for (int unsigned i = 0; i < 8; i++) begin
            automatic logic [31:0] x = a_i[c][i*32+:32];
            /* verilator unroll_disable */
            for (int unsigned j = 0; j < 4; j++) begin
              automatic logic [7:0] b = x[j*8+:8];
              a_q[c][i*4+j] <= act_of(act_sign(step_fa_i, b), act_part(step_fa_i, b, step_part_i));
              bad = bad || act_special(step_fa_i, b);
            end
          end
        end
        abad1_q[c] <= bad;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (c1_q.valid) begin
      for (int unsigned r = 0; r < Rows; r++) we2_q[r] <= we1_q[r];
      for (int unsigned c = 0; c < Cols; c++) ae2_q[c] <= ae1_q[c];
      wbad2_q <= wbad1_q;
      abad2_q <= abad1_q;
    end
  end

  // -------------------------------------------------------------------------------------- stage 1 to 4
  logic new_nan[Rows][Cols];  // of update_o: the accumulator held no NaN
`ifdef TEPIN_MXU_STRUCTURAL
  for (genvar r = 0; r < Rows; r++) begin : gen_row
    for (genvar c = 0; c < Cols; c++) begin : gen_col
      logic signed [19:0] dot, dot_q;  // |sum| <= 32*511*12 < 2^18
      logic signed [SumBits:0] sum, join_q;  // passes joined; those so far
      logic [31:0] acc, result;
      logic nan, old_nan_q;
      mxu_dot #(
          .K(32),
          .ActBits(9)
      ) u_dot (
          .w_i  (w_q[r]),
          .a_i  (a_q[c]),
          .sum_o(dot)
      );
      assign sum = (SumBits + 1)'(dot_q) + (c2_q.first ? '0 : join_q <<< (4'(c2_q.shift) * 4'd3));
      assign acc = c3_q.init ? '0 : acc_q[c3_q.group][r][c];
      mxu_acc #(
          .SBits(SumBits + 1)
      ) u_acc (
          .clk_i,
          .en2_i(c2_q.valid && c2_q.update),
          .s_i(sum),
          .e_i(12'(we2_q[r]) + 12'(ae2_q[c])),
          .nan_i(wbad2_q[r] || abad2_q[c]),
          .en3_i(c3_q.valid && c3_q.update),
          .acc_i(acc),
          .result_o(result),
          .nan_o(nan)
      );
      always_ff @(posedge clk_i) begin
        if (c1_q.valid) dot_q <= dot;
        if (c2_q.valid && !c2_q.update) join_q <= sum;
        if (c3_q.valid && c3_q.update) old_nan_q <= acc[30:0] > 31'h7f80_0000;
      end
      assign update_o[r][c] = result;
      assign new_nan[r][c]  = nan && !old_nan_q;
    end
  end
`else
  int dot_q[Rows][Cols];  // |sum| <= 32*511*12 < 2^18
  logic signed [SumBits:0] join_q[Rows][Cols];  // the passes so far
  norm_t norm_q[Rows][Cols];
  sum_t sum_q[Rows][Cols];
  logic old_nan_q[Rows][Cols];  // of sum_q: the accumulator was NaN before
  for (genvar r = 0; r < Rows; r++) begin : gen_row
    for (genvar c = 0; c < Cols; c++) begin : gen_col
      always_ff @(posedge clk_i) begin
        if (c1_q.valid) begin
          automatic int sum = 0;
          /* verilator unroll_disable */
          for (int unsigned k = 0; k < 32; k++) sum += int'(w_q[r][k]) * int'(a_q[c][k]);
          dot_q[r][c] <= sum;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (c2_q.valid) begin
      /* verilator unroll_disable */
      for (int unsigned r = 0; r < Rows; r++) begin
        /* verilator unroll_disable */
        for (int unsigned c = 0; c < Cols; c++) begin
          automatic int e = int'(we2_q[r]) + int'(ae2_q[c]);
          automatic logic signed [SumBits:0] s = (SumBits + 1)'(dot_q[r][c]);
          if (!c2_q.first) s = s + (join_q[r][c] <<< (4'(c2_q.shift) * 4'd3));
          if (c2_q.update) norm_q[r][c] <= normalise(s, e, wbad2_q[r] || abad2_q[c]);
          else join_q[r][c] <= s;
        end
      end
    end
    if (c3_q.valid && c3_q.update) begin
      /* verilator unroll_disable */
      for (int unsigned r = 0; r < Rows; r++) begin
        /* verilator unroll_disable */
        for (int unsigned c = 0; c < Cols; c++) begin
          sum_q[r][c] <= add_block(c3_q.init ? 32'd0 : acc_q[c3_q.group][r][c], norm_q[r][c]);
          old_nan_q[r][c] <= !c3_q.init && acc_q[c3_q.group][r][c][30:0] > 31'h7f80_0000;
        end
      end
    end
  end
  always_comb begin
    /* verilator unroll_disable */
    for (int unsigned r = 0; r < Rows; r++) begin
      /* verilator unroll_disable */
      for (int unsigned c = 0; c < Cols; c++) begin
        update_o[r][c] = '0;
        if (c4_q.valid && c4_q.update) update_o[r][c] = round_sum(sum_q[r][c]);
        new_nan[r][c] = sum_q[r][c].nan && !old_nan_q[r][c];
      end
    end
  end
`endif
  always_ff @(posedge clk_i) begin
    if (c4_q.valid && c4_q.update) begin
      /* verilator unroll_disable */
      for (int unsigned r = 0; r < Rows; r++) begin
        /* verilator unroll_disable */
        for (int unsigned c = 0; c < Cols; c++)
        if (c4_q.cols[c]) acc_q[c4_q.group][r][c] <= update_o[r][c];
      end
    end
  end
  always_comb begin
    nan_o = 1'b0;
    /* verilator unroll_disable */
    for (int unsigned r = 0; r < Rows; r++) begin
      /* verilator unroll_disable */
      for (int unsigned c = 0; c < Cols; c++)
      if (update_valid_o && new_nan[r][c] && c4_q.cols[c]) nan_o = 1'b1;
    end
  end
  assign update_valid_o  = c4_q.valid && c4_q.update;
  assign update_last_o   = c4_q.last;
  assign update_group_o  = c4_q.group;
  assign update_cols_o   = c4_q.cols;
  assign update_origin_o = c4_q.origin;
  assign bad_code_o      = c4_q.valid && c4_q.bad_code;

  always_comb begin
    for (int unsigned r = 0; r < Rows; r++)
    for (int unsigned c = 0; c < Cols; c++) store_o[r][c] = acc_q[store_group_i][r][c];
    pending_o = '0;
    if (c1_q.valid) pending_o[c1_q.group] = 1'b1;
    if (c2_q.valid) pending_o[c2_q.group] = 1'b1;
    if (c3_q.valid) pending_o[c3_q.group] = 1'b1;
    if (c4_q.valid) pending_o[c4_q.group] = 1'b1;
  end

  localparam int unsigned ColW = $clog2(Cols);
  localparam int unsigned RowW = $clog2(Rows);
  assign host_value_o = acc_q[host_index_i[ColW+RowW+:GroupW]][host_index_i[ColW+:RowW]][host_index_i[0+:ColW]];

  // The accumulator group that stage 3 reads is not the one that stage 4 writes.
  `ASSERT_NEVER(NoHazard_A,
                c3_q.valid && c4_q.valid && c4_q.update && c3_q.update && c3_q.group == c4_q.group)
endmodule
