// SPDX-License-Identifier: Apache-2.0
// Stands for common_fp_pkg in noc_up_proof, where the arithmetic of a join does not matter: every operation is a bitwise or, so
// that a result shows which operands went into it.
package common_fp_pkg;
  function automatic logic [31:0] fp_add(input logic [31:0] a, input logic [31:0] b);
    return a | b;
  endfunction
  function automatic logic [31:0] fp_max(input logic [31:0] a, input logic [31:0] b);
    return a | b;
  endfunction
  function automatic logic [31:0] from_bf16(input logic [15:0] a);
    return {16'b0, a};
  endfunction
  function automatic logic [15:0] to_bf16(input logic [31:0] a);
    return a[15:0];
  endfunction
endpackage
