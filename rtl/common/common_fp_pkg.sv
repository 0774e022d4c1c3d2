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
  // below the normal numbers is exact, so the shift that normalises stops at the least exponent: at a one that marks it.
  function automatic logic [31:0] fp_add(input logic [31:0] a, input logic [31:0] b);
    logic [31:0] g, l;  // the greater and the lesser magnitude
    logic [7:0] ea, eb, e, d;
    logic [26:0] ml, moved, n, stop;
    logic [27:0] m;
    logic [ 4:0] left;
    logic swap, far, lost, up;
    swap = a[30:0] < b[30:0];
    ea = a[30:23] == 8'd0 ? 8'd1 : a[30:23];
    eb = b[30:23] == 8'd0 ? 8'd1 : b[30:23];
    g = swap ? b : a;
    l = swap ? a : b;
    e = swap ? eb : ea;
    d = swap ? eb - ea : ea - eb;
    ml = {l[30:23] != 8'd0, l[22:0], 3'b0};
    far = d > 8'd26;
    moved = far ? '0 : ml >> d[4:0];
    lost = (ml & ~(far ? '0 : 27'h7ff_ffff << d[4:0])) != '0;
    moved[0] = moved[0] | lost;
    m = {1'b0, g[30:23] != 8'd0, g[22:0], 3'b0};
    m = g[31] == l[31] ? m + {1'b0, moved} : m - {1'b0, moved};
    n = m[26:0];
    stop = n | (e > 8'd27 ? '0 : 27'h400_0000 >> 5'(e - 8'd1));
    left = '0;
    if (stop[26:11] == '0) begin
      n = n << 16;
      stop = stop << 16;
      left[4] = 1'b1;
    end
    if (stop[26:19] == '0) begin
      n = n << 8;
      stop = stop << 8;
      left[3] = 1'b1;
    end
    if (stop[26:23] == '0) begin
      n = n << 4;
      stop = stop << 4;
      left[2] = 1'b1;
    end
    if (stop[26:25] == '0) begin
      n = n << 2;
      stop = stop << 2;
      left[1] = 1'b1;
    end
    if (!stop[26]) begin
      n = n << 1;
      left[0] = 1'b1;
    end
    e = m[27] ? e + 8'd1 : n[26] ? e - 8'(left) : 8'd0;  // the exponent field
    if (m[27]) n = {m[27:2], m[1] | m[0]};
    up = n[2] && (n[1:0] != '0 || n[3]);
    if (is_nan(a) || is_nan(b) || (is_inf(a) && is_inf(b) && a[31] != b[31])) return QNaN;
    if (is_inf(g)) return g;
    if (m == '0) return {a[31] && b[31], 31'b0};
    if (e == 8'hff) return {g[31], 8'hff, 23'b0};
    return {g[31], {e, n[25:3]} + 31'(up)};  // a carry out of the significand raises the exponent
  endfunction
endpackage
