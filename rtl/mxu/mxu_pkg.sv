// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the matrix unit: element decode and the exact block accumulation (docs/numerics.md,
// section 3).
package mxu_pkg;
  import tepin_isa_pkg::*;

  // Digits of the array: a 9-bit magnitude with sign on the activation side, an E2M1 code in half
  // units on the weight side. Simulation keeps them as int, which the C++ compiler vectorises; the
  // synthesised width is the bound.
`ifdef SYNTHESIS
  typedef logic signed [9:0] act_t;  // -511..511
  typedef logic signed [4:0] wgt_t;  // -12..12
`else
  typedef int act_t;
  typedef int wgt_t;
`endif

  // E2M1 code in units of 1/2.
  function automatic wgt_t e2m1_halves(input logic [3:0] c);
    wgt_t m;
    unique case (c[2:0])
      3'd0: m = 0;
      3'd1: m = 1;
      3'd2: m = 2;
      3'd3: m = 3;
      3'd4: m = 4;
      3'd5: m = 6;
      3'd6: m = 8;
      default: m = 12;
    endcase
    return c[3] ? -m : m;
  endfunction

  // E4M3 magnitude in units of 2^-9: significand 0..15 shifted by 0..14, 18 bits; NaN (0x7f)
  // decodes to 0.
  function automatic logic [17:0] e4m3_magnitude(input logic [6:0] c);
    logic [17:0] m;
    m = c[6:3] == 4'd0 ? 18'(c[2:0]) : 18'({1'b1, c[2:0]}) << (c[6:3] - 4'd1);
    return c == 7'h7f ? '0 : m;
  endfunction

  // Units below the binary point of S, both sides together: S * 2^-units is the sum of products of
  // element values.
  function automatic logic signed [11:0] units_of(input logic [3:0] fa);
    unique case (fa)
      FmtMxfp4:     return 12'sd2;  // 1 + 1
      FmtMxfp8E4m3: return 12'sd10;  // 9 + 1
      default:      return 12'sd7;  // MXINT8: 6 + 1
    endcase
  endfunction

  // A block's exact sum as sign, 28-bit magnitude with its top bit set (or 0), and exponent:
  // value = mant * 2^(exp-154); exp is far below every other if mant is 0.
  typedef struct packed {
    logic               nan;
    logic               sign;
    logic signed [11:0] exp;
    logic [27:0]        mant;
  } norm_t;

  // |S| < 2^27 for every supported pair; e in -264..252.
  function automatic norm_t normalise(input int s, input int e, input logic nan);
    norm_t n;
    logic [27:0] m;
    int x;
    n.nan = nan;
    n.sign = s < 0;
    m = s < 0 ? 28'(-s) : 28'(s);
    x = e + 154;
    if (m[27:12] == '0) begin
      m = m << 16;
      x = x - 16;
    end
    if (m[27:20] == '0) begin
      m = m << 8;
      x = x - 8;
    end
    if (m[27:24] == '0) begin
      m = m << 4;
      x = x - 4;
    end
    if (m[27:26] == '0) begin
      m = m << 2;
      x = x - 2;
    end
    if (m[27] == 1'b0) begin
      m = m << 1;
      x = x - 1;
    end
    n.mant = m;
    n.exp  = m == '0 ? -12'sd1024 : 12'(x);
    return n;
  endfunction

  // Sum before normalisation: value = mag * 2^(exp-157), exact but for a sticky lowest bit.
  typedef struct packed {
    logic               nan;
    logic infinite;
    logic               sign;
    logic signed [11:0] exp;   // at least 1
    logic [31:0]        mag;
  } sum_t;

  // Why 28 bits, 3 more below and a sticky bit suffice: bits are lost only if the exponents differ
  // by 4 or more. Then the result's top bit is bit 29 or above, so FP32's last place is bit 6 or
  // above and the sticky bit lies below the guard bit. Subnormal results round at 2^-149, which is
  // bit 8-exp >= 0 of this window for exp <= 8, again with the lost bits below it: exp is at least
  // 1 because the accumulator's is, so the window reaches down to 2^-156 at the least.
  function automatic sum_t add_block(input logic [31:0] acc, input norm_t b);
    sum_t r;
    logic signed [11:0] ea, d;
    logic [30:0] ma, mb, greater, lesser, moved;
    logic sa, sb, swap;
    logic [32:0] res;
    ea      = acc[30:23] == 8'd0 ? 12'sd1 : 12'(signed'({4'b0, acc[30:23]}));
    ma      = {acc[30:23] != 8'd0, acc[22:0], 7'b0};
    mb      = {b.mant, 3'b0};
    sa      = acc[31];
    sb      = b.sign;
    swap    = b.exp > ea;
    d       = swap ? b.exp - ea : ea - b.exp;
    greater = swap ? mb : ma;
    lesser  = swap ? ma : mb;
    if (d > 12'sd30) moved = 31'(lesser != '0);
    else begin
      moved = lesser >> d[4:0];
      if ((moved << d[4:0]) != lesser) moved[0] = 1'b1;
    end
    if (sa == sb) begin
      res = {2'b0, greater} + {2'b0, moved};
      r.sign = sa;
    end else begin
      res = {2'b0, greater} - {2'b0, moved};
      r.sign = swap ? sb : sa;
      if (res[32]) begin
        res = -res;
        r.sign = !r.sign;
      end
    end
    r.mag = res[31:0];
    if (res == '0) r.sign = 1'b0;  // an exact zero is +0
    r.exp = swap ? b.exp : ea;
    r.nan = b.nan || (acc[30:23] == 8'hff && acc[22:0] != '0);
    r.infinite = acc[30:23] == 8'hff && acc[22:0] == '0;
    if (r.infinite) r.sign = acc[31];  // an infinite accumulator stays
    return r;
  endfunction

  // One rounding to nearest even. Bit q of mag is FP32's last place.
  function automatic logic [31:0] round_sum(input sum_t s);
    logic [31:0] m;
    int p, q, e;
    logic [31:0] mant, half;
    logic [24:0] rounded;
    logic up;
    m = s.mag;
    p = 31;
    if (m[31:16] == '0) begin
      m = m << 16;
      p = p - 16;
    end
    if (m[31:24] == '0) begin
      m = m << 8;
      p = p - 8;
    end
    if (m[31:28] == '0) begin
      m = m << 4;
      p = p - 4;
    end
    if (m[31:30] == '0) begin
      m = m << 2;
      p = p - 2;
    end
    if (m[31] == 1'b0) p = p - 1;
    q = p - 23;
    if (8 - int'(s.exp) > q) q = 8 - int'(s.exp);
    if (q > 0) begin
      mant = s.mag >> q[4:0];
      half = s.mag << (6'd32 - {1'b0, q[4:0]});  // the bits below the last place, left-justified
      up   = half[31] && (half[30:0] != '0 || mant[0]);
    end else begin
      mant = s.mag << 5'(-q);
      half = '0;
      up   = 1'b0;
    end
    rounded = 25'(mant) + 25'(up);
    // The exponent field and the mantissa add up: the hidden bit, or a carry out of rounding,
    // raises the exponent by one.
    e = q + int'(s.exp) - 8;
    if (s.nan) return 32'h7fc0_0000;
    if (s.infinite) return {s.sign, 8'hff, 23'b0};
    if (s.mag == '0) return {s.sign, 31'b0};
    if (e >= 254 && e + int'(32'(rounded[24:23])) >= 255) return {s.sign, 8'hff, 23'b0};
    return {s.sign, 31'((32'(e) << 23) + 32'(rounded))};
  endfunction
endpackage
