// SPDX-License-Identifier: Apache-2.0
// mxu_dot for its unit test: 32 products with 4-bit and 9-bit activation magnitudes, decoded as at the array's edge.
module mxu_dot_top
  import mxu_cell_pkg::*;
(
    input logic [3:0] w_code_i[32],
    input logic [31:0] a_sign_i,
    input logic [3:0] a4_i[32],
    input logic [8:0] a9_i[32],
    output logic signed [19:0] dot4_o,
    output logic signed [19:0] dot9_o
);
  wgt_digit_t w[32];
  act_digit_t a4[32], a9[32];
  for (genvar k = 0; k < 32; k++) begin : gen_edge
    assign w[k]  = wgt_digit(w_code_i[k]);
    assign a4[k] = act_digit(a_sign_i[k], 9'(a4_i[k]));
    assign a9[k] = act_digit(a_sign_i[k], a9_i[k]);
  end
  mxu_dot #(
      .ActBits(4)
  ) u_dot4 (
      .w_i  (w),
      .a_i  (a4),
      .sum_o(dot4_o)
  );
  mxu_dot #(
      .ActBits(9)
  ) u_dot9 (
      .w_i  (w),
      .a_i  (a9),
      .sum_o(dot9_o)
  );
endmodule
