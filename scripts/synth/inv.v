// SPDX-License-Identifier: Apache-2.0
// The shared inverters that mux.v leaves drive many gates: four times the smallest.
module \$_NOT_ (input A, output Y);
  INVX4 inv (.A(A), .Y(Y));
endmodule
