// SPDX-License-Identifier: Apache-2.0
// Full adder: a + b + c = 2*carry + sum. A module of its own so that a synthesis flow can map it to the
// library's full adder cell without searching for it.
module mxu_fa (
    input  logic a_i,
    input  logic b_i,
    input  logic c_i,
    output logic sum_o,
    output logic carry_o
);
  assign sum_o   = a_i ^ b_i ^ c_i;
  assign carry_o = (a_i && b_i) || (c_i && (a_i || b_i));
endmodule
