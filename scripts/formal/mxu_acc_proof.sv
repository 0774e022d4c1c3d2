// SPDX-License-Identifier: Apache-2.0
// differs_o is 1 for inputs on which mxu_acc, its registers transparent, is not the exact sum rounded once.
// The reference has no window: both operands are integers in units of the smallest power of two that occurs.
module mxu_acc_proof #(
    parameter int unsigned SBits = 5,
    parameter int unsigned ExpBits = 3,
    parameter int unsigned ManBits = 3,
    parameter int unsigned EBits = 6  // e from -(2^(EBits-1)) up: past both ends of the format and of the window
) (
    input logic clk_i,
    input logic signed [SBits-1:0] s_i,
    input logic signed [EBits-1:0] e_i,
    input logic nan_i,
    input logic [ExpBits+ManBits:0] acc_i,
    output logic differs_o
);
  localparam int Bias = (1 << (ExpBits - 1)) - 1;
  localparam int Lsb = 1 - Bias - int'(ManBits);  // exponent of the smallest subnormal
  localparam int Unit = -(1 << (EBits - 1));  // exponent of a unit; below Lsb
  localparam int unsigned ExpMax = (1 << ExpBits) - 1;
  localparam int unsigned Wide = (1 << EBits) + SBits + ManBits + 4;

  logic [ExpBits+ManBits:0] result, expected;
  logic nan;
  mxu_acc #(
      .SBits  (SBits),
      .ExpBits(ExpBits),
      .ManBits(ManBits),
      .EBits  (EBits),
      .Hold   (1'b0)
  ) u_acc (
      .clk_i,
      .en2_i   (1'b1),
      .s_i,
      .e_i,
      .nan_i,
      .en3_i   (1'b1),
      .acc_i,
      .result_o(result),
      .nan_o   (nan)
  );

  logic [ExpBits-1:0] exp;
  logic [ManBits-1:0] man;
  logic signed [Wide-1:0] a, s, sum;
  logic [Wide-1:0] mag, kept, below;
  int unsigned top, q;
  logic is_nan;
  always_comb begin
    {exp, man} = acc_i[ExpBits+ManBits-1:0];
    is_nan = nan_i || (&exp && man != '0);
    a = signed'(Wide'({exp != '0, man})) <<< (int'(exp == '0 ? ExpBits'(1) : exp) - 1 + Lsb - Unit);
    if (acc_i[ExpBits+ManBits]) a = -a;
    s = Wide'(s_i) <<< (int'(e_i) - Unit);
    sum = a + s;
    mag = sum < 0 ? -sum : sum;
    top = 0;
    for (int unsigned i = 0; i < Wide; i++) if (mag[i]) top = i;
    // the last place: ManBits below the top bit, not below the smallest subnormal
    q = top > ManBits ? top - ManBits : 0;
    if (int'(q) < Lsb - Unit) q = unsigned'(Lsb - Unit);
    kept  = mag >> q;
    below = mag & ~(~Wide'(0) << q);
    if ((below << 1) > (Wide'(1) << q) || ((below << 1) == (Wide'(1) << q) && kept[0])) kept = kept + 1;
    if (is_nan) expected = {1'b0, {ExpBits{1'b1}}, 1'b1, (ManBits - 1)'(0)};
    else if (&exp) expected = acc_i;
    else begin
      // A hidden bit or a carry in kept adds to the exponent field.
      mag = Wide'(unsigned'(int'(q) - (Lsb - Unit)) << ManBits) + kept;
      if (mag >= Wide'(ExpMax << ManBits)) mag = Wide'(ExpMax << ManBits);
      expected = {sum < 0, mag[ExpBits+ManBits-1:0]};
    end
  end
  assign differs_o = result != expected || nan != is_nan;
endmodule
