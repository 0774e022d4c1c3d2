// SPDX-License-Identifier: Apache-2.0
// Stands for common_fp_pkg in noc_up_join_proof: a value is the term that it was computed by, in prefix form, three bits a
// symbol (1 to 5: operands, 6: sum, 7: maximum), its length above it; so two results are equal only if the same operations met
// the same operands in the same order. BF16 has no room for a term and keeps an exclusive or of its halves.
package common_fp_pkg;
  function automatic logic [31:0] term(input logic [2:0] symbol, input logic [31:0] a, input logic [31:0] b);
    logic [26:0] t;
    t = (27'(symbol) << (3 * (32'(a[31:28]) + 32'(b[31:28])))) | (a[26:0] << (3 * 32'(b[31:28]))) | b[26:0];
    return {a[31:28] + b[31:28] + 4'd1, 1'b0, t};
  endfunction
  function automatic logic [31:0] fp_add(input logic [31:0] a, input logic [31:0] b);
    return term(3'd6, a, b);
  endfunction
  function automatic logic [31:0] fp_max(input logic [31:0] a, input logic [31:0] b);
    return term(3'd7, a, b);
  endfunction
  function automatic logic [31:0] from_bf16(input logic [15:0] a);  // an operand
    return {4'd1, 12'b0, a};
  endfunction
  function automatic logic [15:0] to_bf16(input logic [31:0] a);
    return a[31:16] ^ {a[14:0], a[15]};
  endfunction
endpackage
