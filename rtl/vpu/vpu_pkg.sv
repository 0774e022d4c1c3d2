// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the vector unit: binary32 fused multiply-add, BF16, MX quantise and dequantise
// (docs/numerics.md, sections 1, 2).
package vpu_pkg;
  import tepin_isa_pkg::*;
  import mxu_pkg::*;
  import common_fp_pkg::*;

  localparam logic [31:0] One = 32'h3f80_0000;

  // Constants and steps of 2^x, 1/x and SwiGLU (vpu_lane; docs/numerics.md, 5).
  localparam logic [31:0] Magic = 32'h4b40_0000;  // 1.5 * 2^23: adding it rounds to an integer
  localparam logic [5:0][31:0] Exp2C = {
    32'h3920_fdde, 32'h3aaf_9f29, 32'h3c1d_96a6, 32'h3d63_5774, 32'h3e75_fdee, 32'h3f31_7218
  };
  localparam logic [31:0] Rcp0 = 32'h3fb4_b4b5;  // 24/17
  localparam logic [31:0] Rcp1 = 32'hbef0_f0f1;  // -8/17
  function automatic logic [4:0] first_of(input logic [7:0] op);
    return op == OpVexp2 ? 5'd1 : op == OpVrcp ? 5'd12 : 5'd0;
  endfunction
  function automatic logic [4:0] last_of(input logic [7:0] op);
    return op == OpVexp2 ? 5'd10 : op == OpVrcp ? 5'd19 : op == OpVswiglu ? 5'd21 : 5'd0;
  endfunction

  // a * b + c with one rounding: the exact product has 48 bits and is added as a block's sum is.
  function automatic logic [31:0] fp_fma(input logic [31:0] a, input logic [31:0] b,
                                         input logic [31:0] c);
    logic s, zero;
    logic [47:0] m;
    int e;
    s = a[31] ^ b[31];
    m = 48'({a[30:23] != 8'd0, a[22:0]}) * 48'({b[30:23] != 8'd0, b[22:0]});
    e = (a[30:23] == 8'd0 ? 1 : int'(32'(a[30:23]))) + (b[30:23] == 8'd0 ? 1 : int'(32'(b[30:23]))) - 300;
    zero = m == '0;
    if (is_nan(
            a
        ) || is_nan(
            b
        ) || is_nan(
            c
        ) || (is_inf(
            a
        ) && b[30:0] == '0) || (is_inf(
            b
        ) && a[30:0] == '0))
      return QNaN;
    if (is_inf(a) || is_inf(b)) return is_inf(c) && c[31] != s ? QNaN : {s, 8'hff, 23'b0};
    if (is_inf(c)) return c;
    if (zero && c[30:0] == '0) return {s && c[31], 31'b0};
    return round_sum(add_block(c, normalise(s ? -60'(m) : 60'(m), e, 1'b0)));
  endfunction

  // m * 2^x rounded to nearest even; m has at most 48 bits, x -400..400.
  function automatic logic [31:0] round_mag(input logic sign, input logic [47:0] m, input int x);
    logic [47:0] t, mant, below;
    logic [24:0] r;
    int p, q, e;
    logic up;
    t = m;
    p = 47;
    if (t[47:16] == '0) begin
      t = t << 32;
      p = p - 32;
    end
    if (t[47:32] == '0) begin
      t = t << 16;
      p = p - 16;
    end
    if (t[47:40] == '0) begin
      t = t << 8;
      p = p - 8;
    end
    if (t[47:44] == '0) begin
      t = t << 4;
      p = p - 4;
    end
    if (t[47:46] == '0) begin
      t = t << 2;
      p = p - 2;
    end
    if (t[47] == 1'b0) p = p - 1;
    q = p - 23;  // last place, in bits of m
    if (-149 - x > q) q = -149 - x;
    if (q > 48) begin  // below half of the smallest subnormal
      mant = '0;
      up   = 1'b0;
    end else if (q > 0) begin
      mant  = q == 48 ? '0 : m >> 6'(q);
      below = q == 48 ? m : m << 6'(48 - q);
      up    = below[47] && (below[46:0] != '0 || mant[0]);
    end else begin
      mant = m << 6'(-q);
      up   = 1'b0;
    end
    r = mant[24:0] + 25'(up);
    e = q + x + 149;  // exponent field less one, or 0 for a subnormal
    if (m == '0) return {sign, 31'b0};
    if (e >= 254) return {sign, 8'hff, 23'b0};
    return {sign, 31'((32'(e) << 23) + 32'(r))};
  endfunction

  // Mantissa bits, bias, exponent of the largest value, code of the largest value.
  typedef struct packed {
    logic [3:0] mbits;
    logic [4:0] bias;
    logic [4:0] emax;
    logic [6:0] max;
    logic       int8;
    logic [3:0] sign_bit;
  } elem_t;
  function automatic elem_t elem_of(input logic [3:0] fmt);
    unique case (fmt)
      FmtMxfp4:
      return '{mbits: 4'd1, bias: 5'd1, emax: 5'd2, max: 7'h07, int8: 1'b0, sign_bit: 4'd3};
      FmtMxfp8E4m3:
      return '{mbits: 4'd3, bias: 5'd7, emax: 5'd8, max: 7'h7e, int8: 1'b0, sign_bit: 4'd7};
      FmtMxfp8E5m2:
      return '{mbits: 4'd2, bias: 5'd15, emax: 5'd15, max: 7'h7b, int8: 1'b0, sign_bit: 4'd7};
      FmtMxfp6E2m3:
      return '{mbits: 4'd3, bias: 5'd1, emax: 5'd2, max: 7'h1f, int8: 1'b0, sign_bit: 4'd5};
      FmtMxfp6E3m2:
      return '{mbits: 4'd2, bias: 5'd3, emax: 5'd4, max: 7'h1f, int8: 1'b0, sign_bit: 4'd5};
      default:
      return '{mbits: 4'd6, bias: 5'd0, emax: 5'd0, max: 7'h7f, int8: 1'b1, sign_bit: 4'd7};
    endcase
  endfunction

  // floor(log2) of a non-zero finite magnitude.
  function automatic int log2_of(input logic [30:0] a);
    logic [22:0] t;
    int p;
    if (a[30:23] != 8'd0) return int'(32'(a[30:23])) - 127;
    t = a[22:0];
    p = 22;
    if (t[22:7] == '0) begin
      t = t << 16;
      p = p - 16;
    end
    if (t[22:15] == '0) begin
      t = t << 8;
      p = p - 8;
    end
    if (t[22:19] == '0) begin
      t = t << 4;
      p = p - 4;
    end
    if (t[22:21] == '0) begin
      t = t << 2;
      p = p - 2;
    end
    if (t[22] == 1'b0) p = p - 1;
    return p - 149;
  endfunction

  // Scale byte of a block whose largest magnitude is amax (finite), by one of the rules of
  // docs/numerics.md, 1: 0 floor, 1 even, 2 round-up, 3 ceiling.
  function automatic logic [7:0] scale_of(input logic [30:0] amax, input elem_t f,
                                          input logic [1:0] rule);
    logic [30:0] rounded;
    logic [22:0] fraction, largest;  // of amax and of the format's largest value
    int s;
    unique case (f.mbits)
      4'd1: largest = 23'h40_0000;  // 1.5: E2M1
      4'd2: largest = 23'h60_0000;  // 1.75: E3M2, E5M2
      4'd3: largest = f.emax == 5'd2 ? 23'h70_0000 : 23'h60_0000;  // 1.875: E2M3; 1.75: E4M3
      default: largest = 23'h7e_0000;  // 127/64: INT8
    endcase
    // A subnormal below 2^-127 ends at the least scale whatever its fraction is.
    fraction = amax[30:23] == 8'd0 ? {amax[21:0], 1'b0} : amax[22:0];
    rounded  = amax;
    // Half a unit of the element's last mantissa bit; a carry may raise the exponent.
    if (rule == 2'd1) rounded = amax + (31'd1 << (5'd22 - 5'(f.mbits)));
    s = log2_of(rounded) - int'(32'(f.emax));
    if (rule == 2'd2 && fraction > largest) s = s + 1;
    if (rule == 2'd3 && fraction != '0) s = s + 1;
    if (amax == '0 || s < -127) s = -127;
    if (s > 127) s = 127;
    return 8'(s + 127);
  endfunction

  // Element code of v under a scale byte (not 0xff): nearest even, saturating. Codes of fewer than
  // 8 bits have zeros above.
  function automatic logic [7:0] quantise(input logic [31:0] v, input logic [7:0] scale,
                                          input elem_t f);
    logic [23:0] m, q, below;
    logic [24:0] r;
    logic [11:0] code;
    int t, e, sh;
    m = {v[30:23] != 8'd0, v[22:0]};
    t = (v[30:23] == 8'd0 ? 1 : int'(32'(v[30:23]))) - 150 - (int'(32'(scale)) - 127);   // v / X = m * 2^t
    e = log2_of(v[30:0]) - (int'(32'(scale)) - 127);
    if (e < 1 - int'(32'(f.bias))) e = 1 - int'(32'(f.bias));
    if (f.int8) e = 0;
    sh = e - int'(32'(f.mbits)) - t;  // right shift to integers of the last place
    if (sh > 24) begin
      q     = '0;
      below = '0;  // less than half
    end else if (sh > 0) begin
      q     = sh == 24 ? '0 : m >> 5'(sh);
      below = sh == 24 ? m : m << 5'(24 - sh);
    end else begin
      q     = m << 5'(-sh);
      below = '0;
    end
    r = 25'(q) + 25'(below[23] && (below[22:0] != '0 || q[0]));
    if (f.int8) begin
      if (r > 25'd127) r = 25'd127;
      return v[31] ? -r[7:0] : r[7:0];
    end
    // The exponent field and the significand add up, as in binary32.
    code = 12'((e + int'(32'(f.bias)) - 1) <<< f.mbits) + 12'(r);
    if (v[30:0] == '0) code = '0;
    if (code > 12'(f.max)) code = 12'(f.max);
    return code[7:0] | 8'(8'(v[31]) << f.sign_bit);
  endfunction

  // code * 2^(scale-127) in FP32.
  function automatic logic [31:0] dequantise(input logic [7:0] c, input logic [7:0] scale,
                                             input logic [3:0] fmt);
    elem_t f;
    logic  sign;
    logic [7:0] mag, sig;
    int ef;
    f    = elem_of(fmt);
    sign = c[f.sign_bit[2:0]];
    mag  = c & ~(8'd1 << f.sign_bit);
    if (f.int8) begin
      mag = sign ? -c : c;
      if (scale == 8'hff) return QNaN;
      if (c == '0) return '0;
      return round_mag(sign, 48'(mag), int'(32'(scale)) - 127 - 6);
    end
    ef  = int'(32'(mag >> f.mbits));
    sig = mag & ~(8'hff << f.mbits);
    if (scale == 8'hff) return QNaN;
    if (fmt == FmtMxfp8E4m3 && mag == 8'h7f) return QNaN;
    if (fmt == FmtMxfp8E5m2 && ef == 31) return sig != '0 ? QNaN : {sign, 8'hff, 23'b0};
    if (ef != 0) sig = sig | (8'd1 << f.mbits);
    else ef = 1;
    return round_mag(
        sign, 48'(sig), ef - int'(32'(f.bias)) - int'(32'(f.mbits)) + int'(32'(scale)) - 127
    );
  endfunction
endpackage
