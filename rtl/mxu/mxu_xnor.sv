// SPDX-License-Identifier: Apache-2.0
// a XNOR b. A module of its own so that a synthesis flow can choose the smallest cells for it: in many
// libraries NAND2 + OAI21 is smaller than an XNOR cell, and technology mappers take the latter.
module mxu_xnor (
    input  logic a_i,
    input  logic b_i,
    output logic y_o
);
  assign y_o = !(a_i ^ b_i);
endmodule
