// SPDX-License-Identifier: Apache-2.0
// Sum of a heap of bits modulo 2^OutBits: NumRows rows of RowBits bits and one row whose bits exist
// where ExtraMask says. Combinational. Every stage puts full adders on all triples of a column and
// passes what is left; half adders appear only in the last, rippling row. So the number of full
// adders is the least possible: bits in minus bits out.
module mxu_csa #(
    parameter int unsigned NumRows = 32,
    parameter int unsigned RowBits = 8,
    parameter int unsigned OutBits = 14,
    parameter logic [OutBits-1:0] ExtraMask = '0,
    parameter logic [OutBits-1:0] Constant = '0
) (
    input  logic [RowBits-1:0] row_i  [NumRows],
    input  logic [OutBits-1:0] extra_i,
    output logic [OutBits-1:0] sum_o
);
  // Bits in a column after a number of stages.
  function automatic int unsigned height(input int unsigned stage, input int unsigned column);
    int unsigned h[OutBits];
    int unsigned f, below;
    for (int unsigned c = 0; c < OutBits; c++)
    h[c] = (c < RowBits ? NumRows : 0) + 32'(ExtraMask[c]) + 32'(Constant[c]);
    for (int unsigned s = 0; s < stage; s++) begin
      below = 0;
      for (int unsigned c = 0; c < OutBits; c++) begin
        f     = h[c] / 3;
        h[c]  = h[c] - 2 * f + below;
        below = f;
      end
    end
    return h[column];
  endfunction
  function automatic int unsigned stages();
    int unsigned s;
    bit high;
    s = 0;
    high = 1'b1;
    while (high) begin
      high = 1'b0;
      for (int unsigned c = 0; c < OutBits; c++) if (height(s, c) > 2) high = 1'b1;
      if (high) s++;
    end
    return s;
  endfunction
  localparam int unsigned Stages = stages();
  localparam int unsigned MaxHeight = NumRows + 2;

  // A constant 1 takes slot 0 of its column and stays there until an adder takes it.
  function automatic bit constant_waits(input int unsigned stage, input int unsigned column);
    bit w;
    w = Constant[column];
    for (int unsigned s = 0; s < stage; s++) if (height(s, column) >= 3) w = 1'b0;
    return w;
  endfunction

  // Bits by stage and column; those above a column's height are 0.
  for (genvar s = 0; s <= Stages; s++) begin : gen_heap
    for (genvar c = 0; c < OutBits; c++) begin : gen_column
      logic [MaxHeight:0] bits;
    end
  end
  for (genvar c = 0; c < OutBits; c++) begin : gen_in
    localparam int unsigned Ones = 32'(Constant[c]);
    localparam int unsigned Rows = c < RowBits ? NumRows : 0;
    localparam int unsigned Extra = 32'(ExtraMask[c]);
    if (Constant[c]) begin : gen_one
      assign gen_heap[0].gen_column[c].bits[0] = 1'b1;
    end
    for (genvar k = 0; k < Rows; k++) begin : gen_row
      assign gen_heap[0].gen_column[c].bits[Ones+k] = row_i[k][c];
    end
    if (ExtraMask[c]) begin : gen_extra
      assign gen_heap[0].gen_column[c].bits[Ones+Rows] = extra_i[c];
    end
    assign gen_heap[0].gen_column[c].bits[MaxHeight:Ones+Rows+Extra] = '0;
  end
  for (genvar s = 0; s < Stages; s++) begin : gen_stage
    for (genvar c = 0; c < OutBits; c++) begin : gen_column
      localparam int unsigned Have = height(s, c);
      localparam int unsigned Adders = Have / 3;
      localparam int unsigned Left = Have - 3 * Adders;
      localparam int unsigned Carries = c == 0 ? 0 : height(s, c == 0 ? 0 : c - 1) / 3;
      localparam int unsigned Next = Left + Carries + Adders;
      logic [Adders:0] carry;  // one more than needed, for columns without adders
      logic [MaxHeight:0] have;
      assign have = gen_heap[s].gen_column[c].bits;
      assign carry[Adders] = 1'b0;
      // Bits that wait come first, then carries, then sums: the next stage's triples take the early ones.
      for (genvar k = 0; k < Left; k++) begin : gen_left
        assign gen_heap[s+1].gen_column[c].bits[k] = have[3*Adders+k];
      end
      if (c > 0) begin : gen_carries
        for (genvar k = 0; k < Carries; k++) begin : gen_carry
          assign gen_heap[s+1].gen_column[c].bits[Left+k] = gen_column[c-1].carry[k];
        end
      end
      for (genvar k = 0; k < Adders; k++) begin : gen_add
        if (k == 0 && constant_waits(s, c)) begin : gen_one
          assign gen_heap[s+1].gen_column[c].bits[Left+Carries] = !(have[1] ^ have[2]);
          assign carry[0] = have[1] || have[2];
        end else begin : gen_fa
          mxu_fa u_fa (
              .a_i(have[3*k]),
              .b_i(have[3*k+1]),
              .c_i(have[3*k+2]),
              .sum_o(gen_heap[s+1].gen_column[c].bits[Left+Carries+k]),
              .carry_o(carry[k])
          );
        end
      end
      assign gen_heap[s+1].gen_column[c].bits[MaxHeight:Next] = '0;
    end
  end

  // The last row: at most two bits a column and a carry.
  logic [OutBits:0] ripple  /* verilator split_var */;
  assign ripple[0] = 1'b0;
  for (genvar c = 0; c < OutBits; c++) begin : gen_out
    logic x, y;
    assign x = gen_heap[Stages].gen_column[c].bits[0];
    assign y = gen_heap[Stages].gen_column[c].bits[1];
    if (c > 0 && height(Stages, c) == 2 && !constant_waits(Stages, c)) begin : gen_fa
      mxu_fa u_fa (
          .a_i(x),
          .b_i(y),
          .c_i(ripple[c]),
          .sum_o(sum_o[c]),
          .carry_o(ripple[c+1])
      );
    end else begin : gen_ha
      assign sum_o[c] = x ^ y ^ ripple[c];
      assign ripple[c+1] = (x && y) || (ripple[c] && (x || y));
    end
  end
endmodule
