// SPDX-License-Identifier: Apache-2.0
// Binary32 and BF16 as bit patterns: classes, order, conversion, sum (docs/numerics.md, 1). Every NaN result is QNaN;
// subnormals are kept; rounding is to nearest even.
package common_fp_pkg;
  localparam logic [31:0] QNaN = 32'h7fc0_0000;

  function automatic logic is_nan(input logic [31:0] a);
    return a[30:23] == 8'hff && a[22:0] != '0;
  endfunction
  function automatic logic is_inf(input logic [31:0] a);
    return a[30:23] == 8'hff && a[22:0] == '0;
  endfunction

  // The smaller and the larger: -0 is below +0, NaN if either is.
  function automatic logic is_below(input logic [31:0] a, input logic [31:0] b);
    if (a[31] != b[31]) return a[31];
    return a[31] ? a[30:0] > b[30:0] : a[30:0] < b[30:0];
  endfunction
  function automatic logic [31:0] fp_min(input logic [31:0] a, input logic [31:0] b);
    if (is_nan(a) || is_nan(b)) return QNaN;
    return is_below(a, b) ? a : b;
  endfunction
  function automatic logic [31:0] fp_max(input logic [31:0] a, input logic [31:0] b);
    if (is_nan(a) || is_nan(b)) return QNaN;
    return is_below(a, b) ? b : a;
  endfunction

  function automatic logic [15:0] to_bf16(input logic [31:0] a);
    if (is_nan(a)) return 16'h7fc0;
    return a[31:16] + 16'((a[15] && (a[14:0] != '0 || a[16])));
  endfunction
  function automatic logic [31:0] from_bf16(input logic [15:0] a);
    return is_nan({a, 16'b0}) ? QNaN : {a, 16'b0};
  endfunction

  // a + b with one rounding. Three bits below the last place suffice: with exponents two or more apart the difference
  // loses at most one leading bit, so guard and round bit stay above the sticky one; with less nothing is lost. A sum
  // below the normal numbers is exact, so the shift that normalises stops at the least exponent.
  function automatic logic [31:0] fp_add(input logic [31:0] a, input logic [31:0] b);
    logic [31:0] g, l;  // the greater and the lesser magnitude
    logic [7:0] e, d;
    logic [26:0] mg, ml, moved, back;
    logic [27:0] m;
    logic [24:0] r;
    logic up;
    g = a[30:0] < b[30:0] ? b : a;
    l = a[30:0] < b[30:0] ? a : b;
    e = g[30:23] == 8'd0 ? 8'd1 : g[30:23];
    d = e - (l[30:23] == 8'd0 ? 8'd1 : l[30:23]);
    mg = {g[30:23] != 8'd0, g[22:0], 3'b0};
    ml = {l[30:23] != 8'd0, l[22:0], 3'b0};
    moved = d > 8'd26 ? '0 : ml >> d[4:0];
    back = moved << d[4:0];
    if (d > 8'd26 ? ml != '0 : back != ml) moved[0] = 1'b1;
    m = g[31] == l[31] ? {1'b0, mg} + {1'b0, moved} : {1'b0, mg} - {1'b0, moved};
    if (m[27]) begin
      m = {1'b0, m[27:2], m[1] | m[0]};
      e = e + 8'd1;
    end else begin
      if (m[26:11] == '0 && e > 8'd16) begin
        m = m << 16;
        e = e - 8'd16;
      end
      if (m[26:19] == '0 && e > 8'd8) begin
        m = m << 8;
        e = e - 8'd8;
      end
      if (m[26:23] == '0 && e > 8'd4) begin
        m = m << 4;
        e = e - 8'd4;
      end
      if (m[26:25] == '0 && e > 8'd2) begin
        m = m << 2;
        e = e - 8'd2;
      end
      if (!m[26] && e > 8'd1) begin
        m = m << 1;
        e = e - 8'd1;
      end
    end
    up = m[2] && (m[1:0] != '0 || m[3]);
    r  = {1'b0, m[26:3]} + 25'(up);
    if (is_nan(a) || is_nan(b) || (is_inf(a) && is_inf(b) && a[31] != b[31])) return QNaN;
    if (is_inf(g)) return g;
    if (m == '0) return {a[31] && b[31], 31'b0};
    if (e == 8'hff) return {g[31], 8'hff, 23'b0};
    // The exponent field and the significand add up: the hidden bit, or a carry out of rounding, raises it by one.
    return {g[31], {e - 8'd1, 23'b0} + 31'(r)};
  endfunction
endpackage
