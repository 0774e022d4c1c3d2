// SPDX-License-Identifier: Apache-2.0
// differs_o is 1 for inputs on which mxu_dot is not the sum of the integers' products.
module mxu_dot_proof
  import mxu_cell_pkg::*;
#(
    parameter int unsigned K = 4,
    parameter int unsigned ActBits = 4
) (
    input logic [K-1:0][3:0] code_i,
    input logic [K-1:0] sign_i,
    input logic [K-1:0][2:0] e2m1_i,  // ActBits = 4
    input logic [K-1:0][8:0] mag_i,  // ActBits = 9
    output logic differs_o
);
  function automatic logic signed [19:0] value(input logic [2:0] c);
    unique case (c)
      3'd0: return 0;
      3'd1: return 1;
      3'd2: return 2;
      3'd3: return 3;
      3'd4: return 4;
      3'd5: return 6;
      3'd6: return 8;
      default: return 12;
    endcase
  endfunction
  wgt_digit_t w[K];
  act_digit_t a[K];
  logic signed [19:0] sum, expected;
  always_comb begin
    expected = '0;
    for (int unsigned k = 0; k < K; k++) begin
      automatic logic signed [19:0] wv = value(code_i[k][2:0]);
      automatic logic signed [19:0] av = ActBits == 4 ? value(e2m1_i[k]) : signed'(20'(mag_i[k]));
      w[k] = wgt_digit(code_i[k]);
      a[k] = act_digit(sign_i[k], 9'(av));
      if (code_i[k][3]) wv = -wv;
      if (sign_i[k]) av = -av;
      expected = expected + wv * av;
    end
  end
  mxu_dot #(
      .K(K),
      .ActBits(ActBits)
  ) u_dot (
      .w_i  (w),
      .a_i  (a),
      .sum_o(sum)
  );
  assign differs_o = sum != expected;
endmodule
