// SPDX-License-Identifier: Apache-2.0
// Error correction of a burst that was read (hbm_ecc_pkg): one wrong bit of data, tag or check bits is put
// right; two, and a burst that belongs to another place, are uncorrectable. Combinational.
module hbm_correct
  import hbm_pkg::*;
  import hbm_ecc_pkg::*;
(
    input  logic           on_i,         // else nothing is corrected or bad
    input  word_t          word_i,       // {tag, data} as read
    input  check_t         syndrome_i,   // their check bits, xor those read
    input  place_t         place_i,      // where they were read
    output logic   [255:0] data_o,
    output logic           corrected_o,
    output logic           bad_o
);
  word_t right;
  logic  known;
  always_comb begin
    right = word_i;
    known = $onehot(syndrome_i);
    if (syndrome_i != '0) begin
      for (int unsigned j = 0; j < WordW; j++)
      if (syndrome_i == Columns[j]) begin
        known    = 1'b1;
        right[j] = ~right[j];
      end
    end
  end
  assign data_o      = on_i ? right[255:0] : word_i[255:0];
  assign bad_o       = on_i && ((syndrome_i != '0 && !known) || right[261:256] != tag_of(place_i));
  assign corrected_o = on_i && syndrome_i != '0 && !bad_o;
endmodule
