// SPDX-License-Identifier: Apache-2.0
// acc <- RNE(acc + s * 2^e), one rounding (docs/numerics.md, section 3): the structural accumulator of
// one result. s enters at stage 2, acc at stage 3, the result leaves combinationally from the registers
// of stage 4; one operation a cycle, no backpressure. e in -600..600 (FP32). The accumulator itself,
// its hazards and the choice of +0 for a first block are the caller's.
//
// Neither operand is normalised before the addition. Bits of the window below count from its top:
//
//      top                                                                        bottom
//       | Prec: acc when it is far above s | 1 | SBits: s | Frac = Prec+1 |  lost bits
//
// s stands still in the window and acc is shifted right by dist, so that dist = 0 is the case "acc at
// the top". Why the window is wide enough for every s, cancellation included (Width = Prec + 1 + SBits
// + Frac, one bit of s is its sign):
//  * acc would have to move further up (dist < 0): then |s| <= 2^(SBits-1) is at most 1/4 of acc's last
//    place where it stands for dist = 0, and less in truth. Both round to acc (1/4 and not 1/2, because
//    below a power of two the last place is half as large; on a tie acc is the even one), and if acc is
//    0 both round to a zero of s's sign, as acc's last place is never below the smallest subnormal. So
//    dist = 0 and acc's exponent give the right result.
//  * acc loses bits at the bottom: then s != 0 (s = 0 is given the smallest exponent, hence dist = 0)
//    and |acc| < |s| / 2, the sum's top bit is at least bit Frac-1 of the window, its guard bit at least
//    bit 0, so the lost bits only matter as "not all zero". The window's bottom then lies above the
//    smallest subnormal, so rounding there is no exception.
//  * no carry leaves the window: for dist = 0 and 1 the sum's carry cannot pass acc's top bit, from
//    dist = 2 on there is room.
// A negative window sum is not negated: |sum| = ~sum + 1, and the 1 is part of the rounding decision.
module mxu_acc #(
    parameter int unsigned SBits = 28,  // 13 to 60 for FP32
    parameter int unsigned ExpBits = 8,
    parameter int unsigned ManBits = 23,
    parameter int unsigned EBits = 12,
    parameter bit Hold = 1'b1  // 0: registers load every cycle, for a clock gate outside or none
) (
    input  logic                            clk_i,
    // stage 2
    input  logic                            en2_i,
    input  logic signed [        SBits-1:0] s_i,
    input  logic signed [        EBits-1:0] e_i,
    input  logic                            nan_i,
    // stage 3
    input  logic                            en3_i,
    input  logic        [ExpBits+ManBits:0] acc_i,
    // stage 4
    output logic        [ExpBits+ManBits:0] result_o,
    output logic                            nan_o
);
  localparam int unsigned Prec = ManBits + 1;
  localparam int unsigned Frac = Prec + 1;
  localparam int unsigned Width = Prec + 1 + SBits + Frac;
  localparam int unsigned Levels = $clog2(Width);
  // Exponents are counted as the biased exponent of a number whose top bit is the window's top bit.
  // From 2^ExpBits + SBits + Prec on every s != 0 overflows, so they saturate above that.
  localparam int unsigned ExpNeed = $clog2((1 << ExpBits) + SBits + Prec + 1);
  localparam int unsigned ExpW = ExpNeed > Levels ? ExpNeed : Levels + 1;
  localparam int Bias = (1 << (ExpBits - 1)) - 1;
  localparam int Offset = int'(SBits) + int'(Prec) + Bias;

  if (EBits <= ExpW) begin : gen_check
    $error("mxu_acc: EBits must exceed the exponent width of the window");
  end

  // ---------------------------------------------------------------------------------------- stage 2
  logic signed [SBits-1:0] s_q;
  logic [ExpW-1:0] top_d, top_q;  // biased exponent of the window's top as s wants it
  logic nan2_q;
  logic signed [EBits:0] top_wide;
  always_comb begin
    top_wide = (EBits + 1)'(e_i) + (EBits + 1)'(Offset);
    top_d    = top_wide[ExpW-1:0];
    if (|top_wide[EBits-1:ExpW]) top_d = '1;
    if (top_wide[EBits] || s_i == '0) top_d = '0;
  end
  if (Hold) begin : gen_hold2
    always_ff @(posedge clk_i) begin
      if (en2_i) begin
        s_q    <= s_i;
        top_q  <= top_d;
        nan2_q <= nan_i;
      end
    end
  end else begin : gen_flow2
    always_ff @(posedge clk_i) begin
      s_q    <= s_i;
      top_q  <= top_d;
      nan2_q <= nan_i;
    end
  end

  // ------------------------------------------------------------------- stage 3: align acc, add s
  logic sign_acc, hidden, far, above;
  logic [ExpBits-1:0] exp_acc;
  logic [ExpW-1:0] diff;
  logic [ExpW-1:0] limit_d, limit_q;
  logic [Width-1:0] aligned, sum_d, sum_q;
  logic lost_d, lost_q, neg_d, neg_q, sign_d, sign_q, nan_d, nan_q, inf_d, inf_q;
  logic all_ones, any_man;
  assign {sign_acc, exp_acc} = acc_i[ExpBits+ManBits:ManBits];
  assign hidden = |exp_acc;
  assign all_ones = &exp_acc;
  assign any_man = |acc_i[ManBits-1:0];
  // dist = top_q - max(exp_acc, 1) = top_q + ~exp_acc + hidden
  logic [ExpW:0] diff_carry;
  assign diff_carry[0] = hidden;
  for (genvar i = 0; i < ExpW; i++) begin : gen_diff
    if (i < ExpBits) begin : gen_fa
      mxu_fa u_fa (
          .a_i(top_q[i]),
          .b_i(!exp_acc[i]),
          .c_i(diff_carry[i]),
          .sum_o(diff[i]),
          .carry_o(diff_carry[i+1])
      );
    end else begin : gen_ha
      assign diff[i]         = !(top_q[i] ^ diff_carry[i]);
      assign diff_carry[i+1] = top_q[i] || diff_carry[i];
    end
  end
  assign above = !diff_carry[ExpW];
  assign far   = |diff[ExpW-1:Levels];
  always_comb begin
    aligned = {hidden, acc_i[ManBits-1:0], (Width - Prec)'(0)};
    lost_d  = 1'b0;
    for (int unsigned b = 0; b < Levels; b++) begin
      // Small distances first: few bits are in use then. The last one is also the gate for far.
      automatic logic take = diff[b] && !above;
      for (int unsigned i = 0; i < (1 << b); i++) lost_d = lost_d || (take && aligned[i]);
      if (b == Levels - 1) begin
        automatic logic stay = !diff[b] && !far || above;
        automatic logic move = take && !far;
        aligned = (aligned & {Width{stay}}) | ((aligned >> (1 << b)) & {Width{move}});
      end else begin
        aligned = take ? aligned >> (1 << b) : aligned;
      end
    end
    if (far && !above) lost_d = hidden || any_man;
  end
  // The bits of s change sign with acc; acc counts as positive.
  logic [  Width:0] carry;
  logic [SBits-1:0] s_rel;
  for (genvar i = 0; i < SBits; i++) begin : gen_rel
    assign s_rel[i] = s_q[i] ^ sign_acc;
  end
  assign carry[Frac] = sign_acc;
  assign sum_d[Frac-1:0] = aligned[Frac-1:0];
  for (genvar i = Frac; i < Width; i++) begin : gen_add
    mxu_fa u_fa (
        .a_i(aligned[i]),
        .b_i(i - Frac < SBits ? s_rel[i-Frac<SBits?i-Frac : 0] : s_rel[SBits-1]),
        .c_i(carry[i]),
        .sum_o(sum_d[i]),
        .carry_o(carry[i+1])
    );
  end
  assign carry[Frac-1:0] = '0;
  // acc >= 0, so the sum is negative if s is and nothing was carried out; -0 - 0 has no carry out
  // but at its complemented sign, which is s_rel = -1 plus the carry in.
  assign neg_d = s_rel[SBits-1] && !carry[Width];
  assign limit_d = (above ? {(ExpW - ExpBits)'(0), exp_acc[ExpBits-1:1], exp_acc[0] || !hidden} : top_q) -
      ExpW'(1);
  assign inf_d = all_ones && !any_man;
  assign nan_d = nan2_q || (all_ones && any_man);
  assign sign_d = sign_acc ^ (neg_d && !inf_d);
  if (Hold) begin : gen_hold3
    always_ff @(posedge clk_i) begin
      if (en3_i) begin
        {sum_q, limit_q, lost_q, neg_q} <= {sum_d, limit_d, lost_d, neg_d};
        {sign_q, inf_q, nan_q} <= {sign_d, inf_d, nan_d};
      end
    end
  end else begin : gen_flow3
    always_ff @(posedge clk_i) begin
      {sum_q, limit_q, lost_q, neg_q} <= {sum_d, limit_d, lost_d, neg_d};
      {sign_q, inf_q, nan_q} <= {sign_d, inf_d, nan_d};
    end
  end

  // --------------------------------------------------------------- stage 4: normalise and round
  // Shifts left by the number of leading bits equal to the sign, at most limit_q (a subnormal
  // result). Limit and distance are compared bit by bit: once a limit's bit was not used up, the
  // limit is out of reach.
  logic [Levels-1:0] moved;
  logic [Width-1:0] x;
  logic rest;  // a bit below the guard bit is set
  always_comb begin
    automatic logic free = |limit_q[ExpW-1:Levels];
    x    = sum_q;
    rest = lost_q;
    moved = '0;
    for (int b = int'(Levels) - 1; b >= 0; b--) begin
      automatic logic zeros = 1'b1;
      automatic logic ones = 1'b1;
      for (int i = 0; i < (1 << b); i++) begin
        zeros = zeros && !x[int'(Width)-1-i];
        ones  = ones && x[int'(Width)-1-i];
      end
      moved[b] = (neg_q ? ones : zeros) && (free || limit_q[b]);
      free    = free || (limit_q[b] && !moved[b]);
      // Smaller shifts still to come reach Prec + 2^b bits; what is below stays below.
      for (int i = 0; i < int'(Width) - int'(Prec) - (1 << b); i++) begin
        rest = rest || (x[i] && !moved[b]);
      end
      x = moved[b] ? x << (1 << b) : x;
      for (int i = 0; i < int'(Width) - int'(Prec) - (1 << b); i++) x[i] = 1'b0;
    end
  end
  logic [Prec-1:0] kept;
  logic guard, up, exact_zero, special;
  logic [ManBits-1:0] man;
  logic [ExpW-1:0] exp;
  logic [ManBits:0] man_carry;
  logic [ExpW:0] sub_carry, exp_carry;
  logic [ExpW-1:0] sub;
  // limit_q - moved; then the hidden bit and rounding's carry each raise the exponent by one.
  assign sub_carry[0] = 1'b1;
  for (genvar i = 0; i < ExpW; i++) begin : gen_sub
    if (i < Levels && i > 0) begin : gen_fa
      mxu_fa u_fa (
          .a_i(limit_q[i]),
          .b_i(!moved[i]),
          .c_i(sub_carry[i]),
          .sum_o(sub[i]),
          .carry_o(sub_carry[i+1])
      );
    end else if (i == 0) begin : gen_first
      assign sub[i]         = limit_q[i] ^ moved[i];
      assign sub_carry[i+1] = limit_q[i] || !moved[i];
    end else begin : gen_ha
      assign sub[i]         = !(limit_q[i] ^ sub_carry[i]);
      assign sub_carry[i+1] = limit_q[i] || sub_carry[i];
    end
  end
  assign exp_carry[0] = man_carry[ManBits];
  for (genvar i = 0; i < ExpW; i++) begin : gen_exp
    if (i == 0) begin : gen_fa
      mxu_fa u_fa (
          .a_i(sub[i]),
          .b_i(kept[ManBits]),
          .c_i(exp_carry[i]),
          .sum_o(exp[i]),
          .carry_o(exp_carry[i+1])
      );
    end else begin : gen_ha
      assign exp[i]         = sub[i] ^ exp_carry[i];
      assign exp_carry[i+1] = sub[i] && exp_carry[i];
    end
  end
  assign man_carry[0] = up;
  for (genvar i = 0; i < ManBits; i++) begin : gen_man
    assign man[i]         = kept[i] ^ man_carry[i];
    assign man_carry[i+1] = kept[i] && man_carry[i];
  end
  always_comb begin
    kept  = x[Width-1-:Prec] ^ {Prec{neg_q}};
    guard = x[Width-1-Prec] ^ neg_q;
    // For a negative sum the number is kept, guard, rest complemented, plus 1 in the last place: with
    // nothing set below the guard bit that 1 arrives there.
    if (rest) up = guard;
    else up = neg_q ? guard || kept[0] : guard && kept[0];
    special = nan_q || inf_q || |exp[ExpW-1:ExpBits] || &exp[ExpBits-1:0];
    exact_zero = !neg_q && kept == '0 && !guard && !rest && !inf_q;
    result_o[ExpBits+ManBits] = sign_q && !exact_zero && !nan_q;
    // A zero window is shifted as far as it goes and has no exponent.
    result_o[ManBits+:ExpBits] = (exp[ExpBits-1:0] & {ExpBits{!exact_zero}}) | {ExpBits{special}};
    result_o[ManBits-1:0] = man & {ManBits{!special}};
    if (nan_q) result_o[ManBits-1] = 1'b1;
  end
  assign nan_o = nan_q;
endmodule
