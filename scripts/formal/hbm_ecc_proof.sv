// SPDX-License-Identifier: Apache-2.0
// SECDED of a burst of 272 bits {check, tag, data} (hbm_ecc_pkg, hbm_correct): any one wrong bit is corrected, any two are found.
// The positions of the wrong bits are free. Data and tag are zero here: check_of is a sum modulo 2 of its bits, so the syndrome
// depends on the errors alone, and so does what hbm_correct flips.
module hbm_ecc_proof
  import hbm_pkg::*;
  import hbm_ecc_pkg::*;
(
    input logic clk_i,
    input logic [8:0] first_i,
    input logic [8:0] second_i
);
  logic [271:0] wrong;
  check_t syndrome;
  logic [255:0] data;
  logic corrected, bad, one, two;
  assign one      = first_i < 9'd272;
  assign two      = one && second_i < 9'd272 && second_i != first_i;
  assign wrong    = (one ? 272'(1) << first_i : '0) | (two ? 272'(1) << second_i : '0);
  assign syndrome = check_of(wrong[261:0]) ^ wrong[271:262];
  hbm_correct u_correct (
      .on_i(1'b1),
      .word_i(wrong[261:0]),
      .syndrome_i(syndrome),
      .place_i('0),
      .data_o(data),
      .corrected_o(corrected),
      .bad_o(bad)
  );
  CleanIsClean_A : assert property (@(posedge clk_i) one || (!corrected && !bad && data == '0));
  OneIsCorrected_A : assert property (@(posedge clk_i) !(one && !two) || (corrected && !bad && data == '0));
  TwoAreFound_A : assert property (@(posedge clk_i) !two || (bad && !corrected));
endmodule
