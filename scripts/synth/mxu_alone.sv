// SPDX-License-Identifier: Apache-2.0
// A dot product that stands alone: raw E2M1 codes at its ports, nothing decoded outside, nothing shared.
module mxu_alone_dot
  import mxu_cell_pkg::*;
#(
    parameter int unsigned K = 32
) (
    input logic [K-1:0][3:0] w_i,
    input logic [K-1:0][3:0] a_i,
    output logic signed [19:0] sum_o
);
  wgt_digit_t w[K];
  act_digit_t a[K];
  for (genvar k = 0; k < K; k++) begin : gen_k
    assign w[k] = wgt_digit(w_i[k]);
    assign a[k] = act_digit(a_i[k][3], 9'(wgt_magnitude(wgt_digit(a_i[k]))));
  end
  mxu_dot #(
      .K(K),
      .ActBits(4)
  ) u_dot (
      .w_i(w),
      .a_i(a),
      .sum_o
  );
endmodule
