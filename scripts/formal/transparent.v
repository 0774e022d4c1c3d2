// SPDX-License-Identifier: Apache-2.0
// Registers as wires: a pipeline without feedback becomes the function that it computes.
(* techmap_celltype = "$dff" *)
module _transparent (CLK, D, Q);
  parameter WIDTH = 1;
  parameter CLK_POLARITY = 1;
  input CLK;
  input [WIDTH-1:0] D;
  output [WIDTH-1:0] Q;
  assign Q = D;
endmodule
