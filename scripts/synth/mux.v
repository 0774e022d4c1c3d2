// SPDX-License-Identifier: Apache-2.0
// After mapping: MUX2X1 (48 area units) to AOI22X1 (40) and an inverter of its select; generic inverters, so that opt_merge
// leaves one for all multiplexers of a select.
module MUX2X1 (input A, B, S, output Y);
  wire n;
  \$_NOT_ inv (.A(S), .Y(n));
  AOI22X1 aoi22 (.A(A), .B(S), .C(B), .D(n), .Y(Y));
endmodule
