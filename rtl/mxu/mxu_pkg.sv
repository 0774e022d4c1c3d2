// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the matrix unit: element decode and the exact block accumulation (docs/numerics.md,
// section 3).
`include "rtl/mxu/mxu_form.svh"
package mxu_pkg;
  import tepin_isa_pkg::*;

  // Digits: a 9-bit magnitude with sign on the activation side, the value of an E2M1 code in half units
  // on the weight side, +-0, 1, 2, 3, 4, 6, 8, 12. act_t and wgt_t are what the array's registers hold.
  // Its plain form, which simulates fast, multiplies int, which the C++ compiler vectorises; its
  // structural form (SYNTHESIS or TEPIN_MXU_STRUCTURAL defined) gives the cells what they want decoded
  // at the edge.
`ifdef TEPIN_MXU_STRUCTURAL
  typedef logic signed [4:0] digit_t;
  typedef mxu_cell_pkg::act_digit_t act_t;
  typedef mxu_cell_pkg::wgt_digit_t wgt_t;
  function automatic wgt_t wgt_of(input digit_t d);
    logic [3:0] m;
    logic [2:0] code;
    m = d < 0 ? 4'(-d) : 4'(d);
    unique case (m)
      4'd6: code = 3'd5;
      4'd8: code = 3'd6;
      4'd12: code = 3'd7;
      default: code = m[2:0];  // 0..4
    endcase
    return mxu_cell_pkg::wgt_digit({d < 0, code});
  endfunction
  function automatic act_t act_of(input logic sign, input logic [8:0] magnitude);
    return mxu_cell_pkg::act_digit(sign, magnitude);
  endfunction
  function automatic act_t act_of_int8(input logic [7:0] c);
    return act_of(c[7], {1'b0, c[7] ? -c : c});
  endfunction
`else
  typedef int digit_t;
  typedef int act_t;
  typedef int wgt_t;
  function automatic wgt_t wgt_of(input digit_t d);
    return d;
  endfunction
  function automatic act_t act_of(input logic sign, input logic [8:0] magnitude);
    return sign ? -int'(32'(magnitude)) : int'(32'(magnitude));
  endfunction
  function automatic act_t act_of_int8(input logic [7:0] c);
    return int'(signed'(c));
  endfunction
`endif

  // E2M1 code in units of 1/2.
  function automatic digit_t e2m1_halves(input logic [3:0] c);
    digit_t m;
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

  // Its magnitude.
  function automatic logic [8:0] e2m1_magnitude(input logic [2:0] c);
    return 9'(e2m1_halves({1'b0, c}));
  endfunction

  // ------------------------------------------------------------------------------ activation parts
  // Magnitude of an 8-bit activation code in the unit of its format, 0 for NaN and infinity: E2M3 in
  // 2^-3 up to 60, E3M2 in 2^-4 up to 448, E4M3 in 2^-9 up to 448*2^9 < 2^18, E5M2 in 2^-16 up to
  // 57344*2^16 < 2^32. INT8 is act_of_int8's.
  function automatic logic [31:0] act_magnitude(input logic [3:0] fa, input logic [7:0] c);
    logic [4:0] e;
    logic [3:0] sig;
    unique case (fa)
      FmtMxfp6E2m3: e = {3'b0, c[4:3]};
      FmtMxfp6E3m2: e = {2'b0, c[4:2]};
      FmtMxfp8E4m3: e = {1'b0, c[6:3]};
      default: e = c[6:2];  // E5M2
    endcase
    if (act_special(fa, c)) return '0;
    sig = fa == FmtMxfp6E3m2 || fa == FmtMxfp8E5m2 ? {1'b0, e != '0, c[1:0]} : {e != '0, c[2:0]};
    return 32'(sig) << (e == '0 ? 5'd0 : e - 5'd1);
  endfunction
  // Nine bits of the magnitude.
  function automatic logic [8:0] act_part(input logic [3:0] fa, input logic [7:0] c,
                                          input logic [1:0] part);
    return 9'(act_magnitude(fa, c) >> (5'(part) * 5'd9));
  endfunction
  // NaN or infinity.
  function automatic logic act_special(input logic [3:0] fa, input logic [7:0] c);
    return (fa == FmtMxfp8E4m3 && c[6:0] == 7'h7f) || (fa == FmtMxfp8E5m2 && c[6:2] == 5'h1f);
  endfunction
  function automatic logic act_sign(input logic [3:0] fa, input logic [7:0] c);
    return fa == FmtMxfp6E2m3 || fa == FmtMxfp6E3m2 ? c[5] : c[7];
  endfunction
  // Bits below the binary point of the unit of a format's elements.
  function automatic logic [4:0] unit_of(input logic [3:0] f);
    unique case (f)
      FmtMxfp4: return 5'd1;
      FmtMxfp6E2m3: return 5'd3;
      FmtMxfp6E3m2: return 5'd4;
      FmtMxfp8E4m3: return 5'd9;
      FmtMxfp8E5m2: return 5'd16;
      default: return 5'd6;  // INT8
    endcase
  endfunction

  // --------------------------------------------------------------------------------- weight digits
  // Weight formats: 32 bytes of codes a block and row, two bytes of scale.
  function automatic logic wide_codes(input logic [3:0] fw);
    return !(fw inside {FmtMxfp4, FmtNvfp4, FmtInt4g32});
  endfunction
  function automatic logic two_scales(input logic [3:0] fw);
    return fw inside {FmtNvfp4, FmtInt4g32};
  endfunction

  // A weight is sum d_i * 8^i with d_i in {0, +-1, +-2, +-3, +-4, +-6, +-8, +-12}, the values of an
  // E2M1 code in halves. Integers take Booth's radix-8 digits, -4..4, which look at four
  // neighbouring bits; a float's significand takes two neighbouring digits of a table.

  // Digit i of a two's complement integer.
  function automatic digit_t booth_digit(input logic [23:0] v, input logic [2:0] i);
    logic [24:0] x;
    logic [ 3:0] b;
    x = {v, 1'b0};
    b = x[5'(i)*5'd3+:4];
    // -4*b3 + 2*b2 + b1 + b0
    return digit_t'((b[3] ? -4 : 0) + (b[2] ? 2 : 0) + (b[1] ? 1 : 0) + (b[0] ? 1 : 0));
  endfunction

  // The digits of significand sig (8..15, or 0..7 with r 0) shifted left by r (0..2): 8*hi + lo.
  typedef struct packed {logic signed [4:0] hi, lo;} digit_pair_t;
  function automatic digit_pair_t float_digits(input logic [3:0] sig, input logic [1:0] r);
    unique case ({
      r, sig
    })
      // 0..15
      6'h05:   return '{5'sd1, -5'sd3};
      6'h07:   return '{5'sd1, -5'sd1};
      6'h08:   return '{5'sd1, 5'sd0};
      6'h09:   return '{5'sd1, 5'sd1};
      6'h0a:   return '{5'sd1, 5'sd2};
      6'h0b:   return '{5'sd1, 5'sd3};
      6'h0c:   return '{5'sd1, 5'sd4};
      6'h0d:   return '{5'sd2, -5'sd3};
      6'h0e:   return '{5'sd1, 5'sd6};
      6'h0f:   return '{5'sd2, -5'sd1};
      // 16..30
      6'h18:   return '{5'sd2, 5'sd0};
      6'h19:   return '{5'sd2, 5'sd2};
      6'h1a:   return '{5'sd2, 5'sd4};
      6'h1b:   return '{5'sd2, 5'sd6};
      6'h1c:   return '{5'sd3, 5'sd0};
      6'h1d:   return '{5'sd3, 5'sd2};
      6'h1e:   return '{5'sd3, 5'sd4};
      6'h1f:   return '{5'sd4, -5'sd2};
      // 32..60
      6'h28:   return '{5'sd4, 5'sd0};
      6'h29:   return '{5'sd4, 5'sd4};
      6'h2a:   return '{5'sd4, 5'sd8};
      6'h2b:   return '{5'sd4, 5'sd12};
      6'h2c:   return '{5'sd6, 5'sd0};
      6'h2d:   return '{5'sd6, 5'sd4};
      6'h2e:   return '{5'sd6, 5'sd8};
      6'h2f:   return '{5'sd6, 5'sd12};
      default: return '{5'sd0, 5'(sig)};  // 0..4, 6
    endcase
  endfunction

  // Digit i of an 8-bit weight code: E2M3 (2 digits), E3M2 (3), E4M3 (6; NaN: 0), INT8 (3).
  function automatic digit_t code_digit(input logic [3:0] fw, input logic [7:0] c,
                                        input logic [2:0] i);
    logic [3:0] sig, t;  // value = sig * 2^t in the format's unit
    logic [2:0] q;
    logic [1:0] r;
    digit_pair_t d;
    logic signed [4:0] m;
    logic sign;
    sig  = {1'b1, c[2:0]};
    t    = '0;
    sign = c[7];
    unique case (fw)
      FmtMxfp6E2m3: begin
        sign = c[5];
        t    = {2'b0, c[4:3]};
      end
      FmtMxfp6E3m2: begin  // two mantissa bits: one more place, so that sig is 8..15 again
        sign = c[5];
        sig  = {1'b1, c[1:0], 1'b0};
        t    = {1'b0, c[4:2]};
      end
      default: t = c[6:3];  // E4M3
    endcase
    if (fw == FmtMxfp6E3m2) begin
      if (t <= 4'd1) begin
        sig = {1'b0, t[0], c[1:0]};
        t   = '0;
      end else t = t - 4'd2;
    end else if (t == '0) sig = {1'b0, c[2:0]};
    else t = t - 4'd1;
    q = 3'(t / 4'd3);
    r = 2'(t % 4'd3);
    d = float_digits(sig, r);
    m = i == q ? d.lo : i == q + 3'd1 ? d.hi : 5'sd0;
    if (fw == FmtMxfp8E4m3 && c[6:0] == 7'h7f) m = '0;
    if (fw == FmtMxint8 || fw == FmtMxint8x2) return booth_digit({{16{c[7]}}, c}, i);
    return sign ? -digit_t'(m) : digit_t'(m);
  endfunction

  // Integer of a signed E4M3 scale in units of 2^-9, |x| <= 448 * 2^9 < 2^18; NaN: 0.
  function automatic logic signed [18:0] e4m3_integer(input logic [7:0] c);
    logic [17:0] m;
    m = 18'(act_magnitude(FmtMxfp8E4m3, c));
    return c[7] ? -19'(m) : 19'(m);
  endfunction
  // NVFP4: code in halves times the scale's integer, |x| <= 12 * 448 * 2^9 < 2^22.
  function automatic logic [23:0] nvfp4_integer(input logic [3:0] c, input logic signed [18:0] s);
    return 24'(signed'(5'(e2m1_halves(c))) * 24'(s));
  endfunction
  // INT4: code times the signed significand of the BF16 scale, |x| <= 8 * 255 < 2^11.
  function automatic logic [23:0] int4_integer(input logic [3:0] c, input logic signed [8:0] s);
    return 24'(24'(signed'(c)) * 24'(s));
  endfunction

  // ------------------------------------------------------------------------------------- the passes
  // A block takes fmt_digits(fw) * fmt_parts(fa) passes over pairs (digit i, part j) of place
  // value 8^i * 512^j = 8^u with u = i + 3j. They run with u falling, so that each pass shifts the sum
  // so far by 0, 3, 6 or 9 bits (coded 0..3) and adds to it.
  typedef struct packed {
    logic [4:0] u;      // at most 7 + 3*3
    logic [1:0] part;
    logic [1:0] shift;  // before this pass's sum is added, in units of 3 bits
  } pass_t;
  // The digit of the weights that a pass takes.
  function automatic logic [2:0] digit_of(input pass_t p);
    return 3'(p.u - 5'(p.part) * 5'd3);
  endfunction
  function automatic pass_t first_pass(input logic [3:0] digits, input logic [2:0] parts);
    pass_t p;
    p.part  = 2'(parts - 3'd1);
    p.u     = 5'(digits - 4'd1) + 5'(p.part) * 5'd3;
    p.shift = '0;
    return p;
  endfunction
  // The pass after one that is not the last (u 0).
  function automatic pass_t next_pass(input logic [3:0] digits, input logic [2:0] parts,
                                      input pass_t p);
    pass_t n;
    logic  found;
    n     = p;
    found = 1'b0;
    // Same place value, next lower part.
    if (p.part != '0 && p.u - 5'(p.part) * 5'd3 + 5'd3 < 5'(digits)) begin
      n.part  = p.part - 2'd1;
      n.shift = '0;
      found   = 1'b1;
    end
    for (int unsigned s = 1; s <= 3; s++) begin
      for (int unsigned j = 4; j > 0; j--) begin  // part j - 1, the greatest first
        if (!found && 32'(p.u) >= s && j <= 32'(parts) && 32'(p.u) - s >= 3 * (j - 1) &&
            32'(p.u) - s - 3 * (j - 1) < 32'(digits)) begin
          n.u     = p.u - 5'(s);
          n.part  = 2'(j - 1);
          n.shift = 2'(s);
          found   = 1'b1;
        end
      end
    end
    return n;
  endfunction

  // ----------------------------------------------------------------------------------- accumulation
  // Bits of a block's exact sum without its sign: |S| <= 32 * 12*448*2^9 * 57344*2^16 < 2^59, the
  // largest of all pairs (NVFP4 weights, E5M2 activations).
  localparam int unsigned SumBits = 59;

  // A block's exact sum as sign, magnitude with its top bit set (or 0), and exponent:
  // value = mant * 2^(exp-185); exp is far below every other if mant is 0. 185 makes exp that of a
  // binary32 number whose significand is left-justified in mant.
  typedef struct packed {
    logic               nan;
    logic               sign;
    logic signed [11:0] exp;
    logic [SumBits-1:0] mant;
  } norm_t;

  // value = s * 2^e.
  function automatic norm_t normalise(input logic signed [SumBits:0] s, input int e,
                                      input logic nan);
    norm_t n;
    logic [SumBits-1:0] m;
    int x;
    n.nan = nan;
    n.sign = s < 0;
    m = s < 0 ? SumBits'(-s) : SumBits'(s);
    x = e + 185;
    if (m[58:27] == '0) begin
      m = m << 32;
      x = x - 32;
    end
    if (m[58:43] == '0) begin
      m = m << 16;
      x = x - 16;
    end
    if (m[58:51] == '0) begin
      m = m << 8;
      x = x - 8;
    end
    if (m[58:55] == '0) begin
      m = m << 4;
      x = x - 4;
    end
    if (m[58:57] == '0) begin
      m = m << 2;
      x = x - 2;
    end
    if (m[58] == 1'b0) begin
      m = m << 1;
      x = x - 1;
    end
    n.mant = m;
    n.exp  = m == '0 ? -12'sd1024 : 12'(x);
    return n;
  endfunction

  // Sum before normalisation: value = mag * 2^(exp-188), exact but for a sticky lowest bit.
  typedef struct packed {
    logic               nan;
    logic infinite;
    logic               sign;
    logic signed [11:0] exp;   // at least 1
    logic [62:0]        mag;
  } sum_t;

  // Why 3 more bits below and a sticky bit suffice: bits are lost only if the exponents differ by 4 or
  // more. Then the result's top bit is bit 60 or above, so FP32's last place is bit 37 or above and the
  // sticky bit lies below the guard bit. Subnormal results round at 2^-149, which is bit 39-exp of this
  // window, again with the lost bits below it: exp is at least 1 because the accumulator's is, so the
  // window reaches down to 2^-187 at the least.
  function automatic sum_t add_block(input logic [31:0] acc, input norm_t b);
    sum_t r;
    logic signed [11:0] ea, d;
    logic [61:0] ma, mb, greater, lesser, moved;
    logic sa, sb, swap;
    logic [63:0] res;
    ea      = acc[30:23] == 8'd0 ? 12'sd1 : 12'(signed'({4'b0, acc[30:23]}));
    ma      = {acc[30:23] != 8'd0, acc[22:0], 38'b0};
    mb      = {b.mant, 3'b0};
    sa      = acc[31];
    sb      = b.sign;
    swap    = b.exp > ea;
    d       = swap ? b.exp - ea : ea - b.exp;
    greater = swap ? mb : ma;
    lesser  = swap ? ma : mb;
    if (d > 12'sd61) moved = 62'(lesser != '0);
    else begin
      moved = lesser >> d[5:0];
      if ((moved << d[5:0]) != lesser) moved[0] = 1'b1;
    end
    if (sa == sb) begin
      res = {2'b0, greater} + {2'b0, moved};
      r.sign = sa;
    end else begin
      res = {2'b0, greater} - {2'b0, moved};
      r.sign = swap ? sb : sa;
      if (res[63]) begin
        res = -res;
        r.sign = !r.sign;
      end
    end
    r.mag = res[62:0];
    if (res == '0) r.sign = 1'b0;  // an exact zero is +0
    r.exp = swap ? b.exp : ea;
    r.nan = b.nan || (acc[30:23] == 8'hff && acc[22:0] != '0);
    r.infinite = acc[30:23] == 8'hff && acc[22:0] == '0;
    if (r.infinite) r.sign = acc[31];  // an infinite accumulator stays
    return r;
  endfunction

  // One rounding to nearest even. Bit q of mag is FP32's last place.
  function automatic logic [31:0] round_sum(input sum_t s);
    logic [63:0] m, mant, half;
    int p, q, e;
    logic [24:0] rounded;
    logic up;
    m = {1'b0, s.mag};
    p = 63;
    if (m[63:32] == '0) begin
      m = m << 32;
      p = p - 32;
    end
    if (m[63:48] == '0) begin
      m = m << 16;
      p = p - 16;
    end
    if (m[63:56] == '0) begin
      m = m << 8;
      p = p - 8;
    end
    if (m[63:60] == '0) begin
      m = m << 4;
      p = p - 4;
    end
    if (m[63:62] == '0) begin
      m = m << 2;
      p = p - 2;
    end
    if (m[63] == 1'b0) p = p - 1;
    q = p - 23;
    if (39 - int'(s.exp) > q) q = 39 - int'(s.exp);
    if (q > 0) begin
      mant = 64'(s.mag) >> q[5:0];
      half = 64'(s.mag) << (7'd64 - {1'b0, q[5:0]});  // the bits below the last place, left-justified
      up = half[63] && (half[62:0] != '0 || mant[0]);
    end else begin
      mant = 64'(s.mag) << 6'(-q);
      half = '0;
      up   = 1'b0;
    end
    rounded = mant[24:0] + 25'(up);
    // The exponent field and the mantissa add up: the hidden bit, or a carry out of rounding,
    // raises the exponent by one.
    e = q + int'(s.exp) - 39;
    if (s.nan) return 32'h7fc0_0000;
    if (s.infinite) return {s.sign, 8'hff, 23'b0};
    if (s.mag == '0) return {s.sign, 31'b0};
    if (e >= 254 && e + int'(32'(rounded[24:23])) >= 255) return {s.sign, 8'hff, 23'b0};
    return {s.sign, 31'((32'(e) << 23) + 32'(rounded))};
  endfunction
endpackage
