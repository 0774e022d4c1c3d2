// SPDX-License-Identifier: Apache-2.0
// What the structural cells are compared with: the same functions as one writes them first. Dot:
// products of signed integers in a loop. Accumulation: normalise the block's sum, align the smaller
// operand, add, normalise, round. The registers stand where mxu_acc has them.
module mxu_plain_dot #(
    parameter int unsigned K = 32,
    parameter int unsigned ActBits = 9
) (
    input  logic signed [      4:0] w_i  [K],  // -12..12: decoded at the edge, as mxu_array does
    input  logic signed [ActBits:0] a_i  [K],
    output logic signed [     19:0] sum_o
);
  always_comb begin
    automatic logic signed [19:0] sum = '0;
    for (int unsigned k = 0; k < K; k++) begin
      automatic logic signed [ActBits+4:0] product = w_i[k] * a_i[k];
      sum += 20'(product);
    end
    sum_o = sum;
  end
endmodule

module mxu_plain_acc #(
    parameter int unsigned SBits = 28
) (
    input  logic                    clk_i,
    input  logic signed [SBits-1:0] s_i,
    input  logic signed [     11:0] e_i,
    input  logic                    nan_i,
    input  logic        [     31:0] acc_i,
    output logic        [     31:0] result_o,
    output logic                    nan_o
);
  localparam int unsigned Mant = SBits > 28 ? SBits : 28;
  localparam int unsigned Win = Mant + 3;
  typedef struct packed {
    logic               nan;
    logic               sign;
    logic signed [11:0] exp;
    logic [Mant-1:0]    mant;
  } norm_t;
  typedef struct packed {
    logic               nan;
    logic infinite;
    logic               sign;
    logic signed [11:0] exp;
    logic [Win:0]       mag;
  } sum_t;

  function automatic norm_t normalise(input logic signed [SBits-1:0] s, input logic signed [11:0] e,
                                      input logic nan);
    norm_t n;
    logic signed [11:0] x;
    n.nan  = nan;
    n.sign = s < 0;
    n.mant = s < 0 ? Mant'(SBits'(-s)) : Mant'(SBits'(s));
    x      = e + 12'(Mant + 126);
    for (int b = 5; b >= 0; b--) begin
      if (Mant > (1 << b) && (n.mant >> (Mant - (1 << b))) == '0) begin
        n.mant = n.mant << (1 << b);
        x      = x - 12'(1 << b);
      end
    end
    n.exp = n.mant == '0 ? -12'sd1024 : x;
    return n;
  endfunction

  function automatic sum_t add_block(input logic [31:0] acc, input norm_t b);
    sum_t r;
    logic signed [11:0] ea, d;
    logic [Win-1:0] ma, mb, greater, lesser, moved;
    logic sa, sb, swap;
    logic [Win+1:0] res;
    ea      = acc[30:23] == 8'd0 ? 12'sd1 : 12'(signed'({4'b0, acc[30:23]}));
    ma      = {acc[30:23] != 8'd0, acc[22:0], (Win - 24)'(0)};
    mb      = {b.mant, 3'b0};
    sa      = acc[31];
    sb      = b.sign;
    swap    = b.exp > ea;
    d       = swap ? b.exp - ea : ea - b.exp;
    greater = swap ? mb : ma;
    lesser  = swap ? ma : mb;
    if (d > 12'(Win - 1)) moved = Win'(lesser != '0);
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
      if (res[Win+1]) begin
        res = -res;
        r.sign = !r.sign;
      end
    end
    r.mag = res[Win:0];
    if (res == '0) r.sign = 1'b0;
    r.exp = swap ? b.exp : ea;
    r.nan = b.nan || (acc[30:23] == 8'hff && acc[22:0] != '0);
    r.infinite = acc[30:23] == 8'hff && acc[22:0] == '0;
    if (r.infinite) r.sign = acc[31];
    return r;
  endfunction

  function automatic logic [31:0] round_sum(input sum_t s);
    logic [Win:0] m, mant, half;
    logic signed [11:0] p, q, e, sub;
    logic [24:0] rounded;
    logic up;
    m = s.mag;
    p = 12'(Win);
    for (int b = 5; b >= 0; b--) begin
      if (Win + 1 > (1 << b) && (m >> (Win + 1 - (1 << b))) == '0) begin
        m = m << (1 << b);
        p = p - 12'(1 << b);
      end
    end
    q   = p - 12'sd23;
    sub = 12'(Win) - 12'sd23 - s.exp;  // the window's bit of 2^-149
    if (sub > q) q = sub;
    if (q > 0) begin
      mant = s.mag >> q[5:0];
      half = s.mag << (7'(Win + 1) - {1'b0, q[5:0]});
      up   = half[Win] && (half[Win-1:0] != '0 || mant[0]);
    end else begin
      mant = s.mag << 5'(-q);
      half = '0;
      up   = 1'b0;
    end
    rounded = 25'(mant) + 25'(up);
    e = q - sub;
    if (s.nan) return 32'h7fc0_0000;
    if (s.infinite) return {s.sign, 8'hff, 23'b0};
    if (s.mag == '0) return {s.sign, 31'b0};
    if (e >= 254 && e + 12'(rounded[24:23]) >= 255) return {s.sign, 8'hff, 23'b0};
    return {s.sign, 31'((32'(e) << 23) + 32'(rounded))};
  endfunction

  norm_t norm_q;
  sum_t  sum_q;
  always_ff @(posedge clk_i) norm_q <= normalise(s_i, e_i, nan_i);
  always_ff @(posedge clk_i) sum_q <= add_block(acc_i, norm_q);
  assign result_o = round_sum(sum_q);
  assign nan_o = sum_q.nan;
endmodule
