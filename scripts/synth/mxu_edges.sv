// SPDX-License-Identifier: Apache-2.0
// The edge decode that mxu_dot needs, for 32 operands, with packed ports: shared by the cells of a row (weights) or of a
// column (activations), so its area is counted at its share.
module mxu_edge_w
  import mxu_cell_pkg::*;
(
    input logic [31:0][3:0] code_i,
    output logic [32*$bits(wgt_digit_t)-1:0] digit_o
);
  for (genvar k = 0; k < 32; k++) begin : gen_k
    assign digit_o[k*$bits(wgt_digit_t)+:$bits(wgt_digit_t)] = wgt_digit(code_i[k]);
  end
endmodule

// An E2M1-only column: magnitudes up to 12, so the upper bits of the digit do not exist.
module mxu_edge_a4
  import mxu_cell_pkg::*;
(
    input  logic [31:0][3:0]  code_i,
    output logic [32*13-1:0] digit_o
);
  for (genvar k = 0; k < 32; k++) begin : gen_k
    act_digit_t d;
    assign d = act_digit(code_i[k][3], 9'(wgt_magnitude(wgt_digit(code_i[k]))));
    assign digit_o[k*13+:13] = {d.neg, d.pos, d.even, d.mag[3:0], d.triple[5:0]};
  end
endmodule

module mxu_edge_a9
  import mxu_cell_pkg::*;
(
    input logic [31:0] sign_i,
    input logic [31:0][8:0] mag_i,
    output logic [32*$bits(act_digit_t)-1:0] digit_o
);
  for (genvar k = 0; k < 32; k++) begin : gen_k
    assign digit_o[k*$bits(act_digit_t)+:$bits(act_digit_t)] = act_digit(sign_i[k], mag_i[k]);
  end
endmodule
