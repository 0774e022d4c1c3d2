// SPDX-License-Identifier: Apache-2.0
// Credits of one sender on up, by group: a router's output, or the tile towards its router. At the far end every group owns
// one slot and Shared more are anyone's: a flit of group g may go if g holds none there or a shared one is left. So no
// group keeps another from its first slot. send_i (one group or none) may be set only where ready_o is. A credit counts in
// the cycle in which it arrives.
`include "rtl/common/assert.svh"
module noc_up_sender
  import noc_coll_pkg::*;
#(
    parameter int unsigned Shared = 4
) (
    input logic clk_i,
    input logic rst_ni,
    output groups_t ready_o,  // a flit of the group may be sent; depends on credit_i in the same cycle
    input groups_t send_i,  // one goes into the link's register
    input groups_t credit_i  // a slot of the group at the far end is free again; one at most
);
  localparam int unsigned CountW = $clog2(Shared + 2);  // of a group 0..Shared + 1
  typedef logic [CountW-1:0] count_t;
  count_t used_q[Groups];
  count_t shared_q;  // shared slots in use
  logic takes, gives;  // a shared slot
  groups_t ends;  // with this credit the group holds none there
  always_comb begin
    gives = 1'b0;
    for (int unsigned g = 0; g < Groups; g++) begin
      ends[g] = credit_i[g] && used_q[g] == count_t'(1);
      if (credit_i[g] && !ends[g]) gives = 1'b1;
    end
    for (int unsigned g = 0; g < Groups; g++)
    ready_o[g] = used_q[g] == '0 || ends[g] || shared_q != count_t'(Shared) || gives;
  end
  always_comb begin
    takes = 1'b0;
    for (int unsigned g = 0; g < Groups; g++)
    if (send_i[g] && used_q[g] != '0 && !ends[g]) takes = 1'b1;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      shared_q <= '0;
      for (int unsigned g = 0; g < Groups; g++) used_q[g] <= '0;
    end else begin
      shared_q <= shared_q + count_t'(takes) - count_t'(gives);
      for (int unsigned g = 0; g < Groups; g++)
      used_q[g] <= used_q[g] + count_t'(send_i[g]) - count_t'(credit_i[g]);
    end
  end

  int unsigned extra;
  always_comb begin
    extra = 0;
    for (int unsigned g = 0; g < Groups; g++) if (used_q[g] != '0) extra += 32'(used_q[g]) - 1;
  end
  `ASSERT(SharedCounted_A, 32'(shared_q) == extra && extra <= Shared)
  `ASSERT(SendsWithACredit_A, (send_i & ~ready_o) == '0 && $onehot0(send_i))
  `ASSERT(OneCredit_A, $onehot0(credit_i))
  for (genvar g = 0; g < Groups; g++) begin : gen_used
    `ASSERT(CreditOfASentFlit_A, !credit_i[g] || used_q[g] != '0)
  end
endmodule
