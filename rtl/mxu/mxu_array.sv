// SPDX-License-Identifier: Apache-2.0
// The matrix unit's datapath: decodes operands once at the edge, Rows x Cols dot products of 32
// elements a cycle, exact sums into FP32 accumulators with one rounding a block (docs/mxu.md has
// the drawing).
//   stage 0  decode of the offered operands            stage 1  32 products summed
//   stage 2  passes joined, sum normalised             stage 3  aligned and added to the accumulator
//   stage 4  normalised, rounded, written
// One step a cycle, no backpressure: the caller leaves at least one cycle between two steps that
// update one accumulator group (Rows x Cols accumulators). A second port reads any group in the
// same cycle (mst); pending_o names the groups that steps in the pipeline will still write.
`include "rtl/common/assert.svh"
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
    input logic step_hi_i,  // second pass of a two-pass format: the magnitudes' upper 9 bits
    input logic step_update_i,  // last pass: add to the accumulators
    input logic step_init_i,  // add to +0 instead
    input logic step_last_i,  // last step of its instruction
    input logic [3:0] step_fa_i,
    input logic [$clog2(Groups)-1:0] step_group_i,
    input logic [Cols-1:0] step_cols_i,  // columns in use
    input origin_t step_origin_i,
    // operands
    input logic [255:0] w_i[(Rows*16+31)/32],
    input logic [7:0] ws_i[Rows],
    input logic [255:0] a_i[Cols],  // mxfp4 uses the first half
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
    output logic busy_o,  // steps in the pipeline
    // host
    input logic [15:0] host_index_i,  // (group*Rows + row)*Cols + column
    output logic [31:0] host_value_o
);
  localparam int unsigned GroupW = $clog2(Groups);

  typedef struct packed {
    logic              valid;
    logic              hi;
    logic              update;
    logic              init;
    logic              last;
    logic [3:0]        fa;
    logic [GroupW-1:0] group;
    logic [Cols-1:0]   cols;
    origin_t           origin;
  } ctl_t;

  ctl_t c1_q, c2_q, c3_q, c4_q;
  wgt_t w_q[Rows][32];
  act_t a_q[Cols][32];
  logic [7:0] ws1_q[Rows], ws2_q[Rows], as1_q[Cols], as2_q[Cols];
  logic [Cols-1:0] bad1_q, bad2_q;  // an element of the column's block is NaN
  int           dot_q    [  Rows][Cols];  // |sum| <= 32*511*12 < 2^18
  int           lo_q     [  Rows][Cols];  // first pass, waiting for the second
  norm_t        norm_q   [  Rows][Cols];
  sum_t         sum_q    [  Rows][Cols];
  logic         old_nan_q[  Rows][Cols];  // of sum_q: the accumulator was NaN before
  logic  [31:0] acc_q    [Groups][Rows]                                              [Cols];

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
          hi: step_hi_i,
          update: step_update_i,
          init: step_init_i,
          last: step_last_i,
          fa: step_fa_i,
          group: step_group_i,
          cols: step_cols_i,
          origin: step_origin_i
      };
      c2_q <= c1_q;
      c3_q <= c2_q;
      c4_q <= c3_q;
    end
  end
  assign busy_o = c1_q.valid || c2_q.valid || c3_q.valid || c4_q.valid;

  // ------------------------------------------------------------------- stage 0: decode at the edge
  always_ff @(posedge clk_i) begin
    if (step_valid_i && step_new_w_i) begin
      /* verilator unroll_disable */
      for (int unsigned r = 0; r < Rows; r++) begin
        ws1_q[r] <= ws_i[r];
        /* verilator unroll_disable */
        for (int unsigned i = 0; i < 4; i++) begin
          automatic logic [31:0] x = w_i[r/2][(r%2)*128+i*32+:32];
          /* verilator unroll_disable */
          for (int unsigned j = 0; j < 8; j++) w_q[r][i*8+j] <= e2m1_halves(x[j*4+:4]);
        end
      end
    end
    if (step_valid_i) begin
      /* verilator unroll_disable */
      for (int unsigned c = 0; c < Cols; c++) begin
        automatic logic bad = 1'b0;
        as1_q[c] <= as_i[c];
        if (step_fa_i == FmtMxfp4) begin
          /* verilator unroll_disable */
          for (int unsigned i = 0; i < 4; i++) begin
            automatic logic [31:0] x = a_i[c/2][(c%2)*128+i*32+:32];
            /* verilator unroll_disable */
            for (int unsigned j = 0; j < 8; j++) a_q[c][i*8+j] <= act_t'(e2m1_halves(x[j*4+:4]));
          end
        end else begin
          /* verilator unroll_disable */
          for (int unsigned i = 0; i < 8; i++) begin
            automatic logic [31:0] x = a_i[c][i*32+:32];
            /* verilator unroll_disable */
            for (int unsigned j = 0; j < 4; j++) begin
              automatic logic [7:0] b = x[j*8+:8];
              if (step_fa_i == FmtMxint8) begin
                a_q[c][i*4+j] <= act_t'(signed'(b));
              end else begin
                automatic logic [17:0] m = e4m3_magnitude(b[6:0]);
                automatic act_t d = act_t'({1'b0, step_hi_i ? m[17:9] : m[8:0]});
                a_q[c][i*4+j] <= b[7] ? -d : d;
                bad = bad || b[6:0] == 7'h7f;
              end
            end
          end
        end
        bad1_q[c] <= bad;
      end
    end
  end

  // ------------------------------------------------------------------------- stage 1: dot products
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
    if (c1_q.valid) begin
      for (int unsigned r = 0; r < Rows; r++) ws2_q[r] <= ws1_q[r];
      for (int unsigned c = 0; c < Cols; c++) as2_q[c] <= as1_q[c];
      bad2_q <= bad1_q;
    end
  end

  // --------------------------------------------------------------------------------- stages 2 to 4
  always_ff @(posedge clk_i) begin
    if (c2_q.valid) begin
      /* verilator unroll_disable */
      for (int unsigned r = 0; r < Rows; r++) begin
        /* verilator unroll_disable */
        for (int unsigned c = 0; c < Cols; c++) begin
          automatic
          int
          e = int'(32'(ws2_q[r])) + int'(32'(as2_q[c])) - 254 - int'(units_of(
              c2_q.fa
          ));
          automatic int s = c2_q.hi ? lo_q[r][c] + (dot_q[r][c] <<< 9) : dot_q[r][c];
          if (!c2_q.update) lo_q[r][c] <= dot_q[r][c];
          norm_q[r][c] <= normalise(s, e, ws2_q[r] == 8'hff || as2_q[c] == 8'hff || bad2_q[c]);
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
      for (int unsigned c = 0; c < Cols; c++) begin
        update_o[r][c] = '0;
        if (c4_q.valid && c4_q.update) begin
          update_o[r][c] = round_sum(sum_q[r][c]);
          if (sum_q[r][c].nan && !old_nan_q[r][c] && c4_q.cols[c]) nan_o = 1'b1;
        end
      end
    end
  end
  assign update_valid_o  = c4_q.valid && c4_q.update;
  assign update_last_o   = c4_q.last;
  assign update_group_o  = c4_q.group;
  assign update_cols_o   = c4_q.cols;
  assign update_origin_o = c4_q.origin;

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
