// SPDX-License-Identifier: Apache-2.0
// K products of a weight digit and an activation digit and their exact sum; combinational. Two forms:
// plain, which simulates fast, and structural (SYNTHESIS or TEPIN_MXU_STRUCTURAL defined), which is
// small. Proven equal (make formal); areas in docs/ppa.md.
// The structural form multiplies magnitudes and defers the signs: with n-bit products p and s = "the
// signs differ", s ? -p : p is (p XOR s) - (2^n - 1) * s for every bit of p, so one population count
// of the signs corrects the whole sum.
//   |w| is (1 or 3) * 2^j and 3*|a| comes from the edge, so p is one 2:1 selection and one shift.
//   |sum| <= K * 12 * (2^ActBits - 1): K = 32 and ActBits = 9 give 196,224 < 2^18.
module mxu_dot
  import mxu_cell_pkg::*;
#(
    parameter int unsigned K = 32,
    parameter int unsigned ActBits = 9  // of the magnitudes: 4 for E2M1 (0 to 12), at most 9
) (
    input  wgt_digit_t         w_i  [K],
    input  act_digit_t         a_i  [K],
    output logic signed [19:0] sum_o
);
  // TEPIN_MXU_PLAIN: the plain form although SYNTHESIS is defined, for its proofs.
`ifndef TEPIN_MXU_PLAIN
`ifdef SYNTHESIS
  `define TEPIN_MXU_DOT_STRUCTURAL
`endif
`ifdef TEPIN_MXU_STRUCTURAL
  `define TEPIN_MXU_DOT_STRUCTURAL
`endif
`endif
`ifndef TEPIN_MXU_DOT_STRUCTURAL
  always_comb begin
    automatic int sum = 0;
    /* verilator unroll_disable */
    for (int unsigned k = 0; k < K; k++) begin
      automatic int product = int'(32'(wgt_magnitude(w_i[k]))) * int'(32'(a_i[k].mag[ActBits-1:0]));
      sum += w_i[k].neg != a_i[k].neg ? -product : product;
    end
    sum_o = 20'(sum);
  end
`else
  localparam int unsigned VBits = ActBits + 2;  // 1x or 3x the activation: 3 * (2^n - 1) < 2^(n+2)
  localparam int unsigned PBits = ActBits + 4;  // products: 12 * (2^n - 1) < 2^(n+4)
  localparam int unsigned OutBits = PBits + 1 + $clog2(K);
  localparam int unsigned CountBits = $clog2(K + 1);
  // Products active low: 0.7 ns faster and 0.4 NAND2 a product larger for 9 bits (OSU018), 1.9 for 4.
  localparam bit Low = ActBits > 4;

  logic [PBits-1:0] row[K];
  logic same[K];  // the signs agree: !s
  for (genvar k = 0; k < K; k++) begin : gen_product
    logic [VBits+2:0] v;  // from bit 3 on; below it zeros to shift in
    assign v[2:0] = '0;
    assign v[3]   = !a_i[k].even;  // of a and 3a
    for (genvar i = 1; i < VBits; i++) begin : gen_v
      if (i < ActBits) begin : gen_either
        assign v[i+3] = (w_i[k].one && a_i[k].mag[i]) || (w_i[k].three && a_i[k].triple[i]);
      end else begin : gen_triple
        assign v[i+3] = w_i[k].three && a_i[k].triple[i];
      end
    end
    assign same[k] = !((w_i[k].neg && a_i[k].pos) || (w_i[k].pos && a_i[k].neg));
    for (genvar j = 0; j < PBits; j++) begin : gen_p
      logic p;
      logic [3:0] term;
      for (genvar t = 0; t < 4; t++) begin : gen_term
        // 12 = 3 << 2 is the largest: a shift by 3 moves a, not 3a.
        localparam int unsigned Valid = t == 3 ? ActBits : VBits;
        if (j >= t && j - t < Valid) begin : gen_bit
          assign term[t] = v[j-t+3] && !w_i[k].shift_n[t];
        end else begin : gen_none
          assign term[t] = 1'b0;
        end
      end
      assign p = Low ? !(|term) : |term;
      mxu_xnor u_sign (
          .a_i(p),
          .b_i(Low ? !same[k] : same[k]),
          .y_o(row[k][j])
      );
    end
  end

  // With c = count of equal signs, sum(s) = K - c, and
  //   -(2^n - 1) * (K - c) = c * 2^n - c - K * (2^n - 1),   -c = ~c - (2^CountBits - 1).
  localparam logic [OutBits-1:0] CountMask = OutBits'((1 << CountBits) - 1);
  localparam logic [OutBits-1:0] Correction =
      OutBits'(-(int'(K) * ((1 << PBits) - 1)) - ((1 << CountBits) - 1));
  logic [0:0] same_row[K];
  logic [CountBits-1:0] count;
  logic [OutBits-1:0] extra, sum;
  for (genvar k = 0; k < K; k++) begin : gen_same
    assign same_row[k] = same[k];
  end
  mxu_csa #(
      .NumRows(K),
      .RowBits(1),
      .OutBits(CountBits)
  ) u_count (
      .row_i  (same_row),
      .extra_i('0),
      .sum_o  (count)
  );
  assign extra = (OutBits'(count) << PBits) | (OutBits'(~count) & CountMask);
  mxu_csa #(
      .NumRows  (K),
      .RowBits  (PBits),
      .OutBits  (OutBits),
      .ExtraMask(CountMask | (CountMask << PBits)),
      .Constant (Correction)
  ) u_sum (
      .row_i  (row),
      .extra_i(extra),
      .sum_o  (sum)
  );
  assign sum_o = 20'(signed'(sum));
`endif
endmodule
