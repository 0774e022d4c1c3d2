// SPDX-License-Identifier: Apache-2.0
// Check-bit generation of one burst by itself, for its area: hbm_pc holds two, one for what is written and one for
// the syndrome of what was read.
module hbm_check
  import hbm_ecc_pkg::*;
(
    input  word_t  word_i,
    output check_t check_o
);
  assign check_o = check_of(word_i);
endmodule
