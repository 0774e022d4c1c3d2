// SPDX-License-Identifier: Apache-2.0
// Grants one of Num requests: the highest level; among equals the one that was granted longest ago. Combinational from
// req_i and level_i to grant_o (one-hot, or zero without a request); the order among equals changes only with use_i.
// Starves a request only while others of a higher level keep coming.
`include "rtl/common/assert.svh"
module common_arbiter #(
    parameter int unsigned Num = 4,
    parameter int unsigned LevelW = 4
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic [Num-1:0]             req_i,
    input  logic [Num-1:0][LevelW-1:0] level_i,
    input  logic                       use_i,    // the grant is used
    output logic [Num-1:0]             grant_o
);
  logic [Num-1:0] ahead_q[Num];  // [i][j]: among equals, j goes before i

  always_comb begin
    grant_o = req_i;
    for (int unsigned i = 0; i < Num; i++) begin
      for (int unsigned j = 0; j < Num; j++) begin
        if (i != j && req_i[j] && (level_i[j] > level_i[i] || (level_i[j] == level_i[i] && ahead_q[i][j])))
          grant_o[i] = 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned i = 0; i < Num; i++)
      for (int unsigned j = 0; j < Num; j++) ahead_q[i][j] <= j < i;
    end else if (use_i) begin
      for (int unsigned i = 0; i < Num; i++) begin
        for (int unsigned j = 0; j < Num; j++) begin
          if (grant_o[i]) ahead_q[i][j] <= i != j;
          else if (grant_o[j]) ahead_q[i][j] <= 1'b0;
        end
      end
    end
  end

  logic ordered;  // of two one goes before the other; of three it is the same way round for all pairs
  always_comb begin
    ordered = 1'b1;
    for (int unsigned i = 0; i < Num; i++) begin
      for (int unsigned j = 0; j < Num; j++) begin
        if (i != j && ahead_q[i][j] == ahead_q[j][i]) ordered = 1'b0;
        for (int unsigned k = 0; k < Num; k++)
        if (i != j && j != k && i != k && ahead_q[i][j] && ahead_q[j][k] && !ahead_q[i][k])
          ordered = 1'b0;
      end
    end
  end
  `ASSERT(EqualsAreOrdered_A, ordered)
  `ASSERT(GrantsOne_A, $onehot0(grant_o))
  `ASSERT(GrantsIfAsked_A, (grant_o != '0) == (req_i != '0))
  `ASSERT(GrantsWhoAsked_A, (grant_o & ~req_i) == '0)
endmodule
