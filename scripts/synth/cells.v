// SPDX-License-Identifier: Apache-2.0
// Techmap onto OSU018: full adders to its FAX1; XNOR to NAND2 + OAI21 (47 area units, XNOR2X1 has 56).
(* techmap_celltype = "$fa" *)
module _map_fa (A, B, C, X, Y);
  parameter WIDTH = 1;
  input [WIDTH-1:0] A, B, C;
  output [WIDTH-1:0] X, Y;
  genvar i;
  generate
    for (i = 0; i < WIDTH; i = i + 1) begin : gen_bit
      FAX1 fa (.A(A[i]), .B(B[i]), .C(C[i]), .YC(X[i]), .YS(Y[i]));
    end
  endgenerate
endmodule

module mxu_fa (input a_i, b_i, c_i, output sum_o, carry_o);
  FAX1 fa (.A(a_i), .B(b_i), .C(c_i), .YC(carry_o), .YS(sum_o));
endmodule

module mxu_xnor (input a_i, b_i, output y_o);
  wire n;
  NAND2X1 nand2 (.A(a_i), .B(b_i), .Y(n));
  OAI21X1 oai21 (.A(a_i), .B(b_i), .C(n), .Y(y_o));
endmodule
