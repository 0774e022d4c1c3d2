// SPDX-License-Identifier: Apache-2.0
// Whether a group of a router on up can go, from what stands at the front of its inputs; combinational.
// A head goes when some input's head and those of all inputs in its set have the same set: then each waits for exactly these.
// (Trains of other sets may stand at other inputs; the lowest input's goes first.) Data go when all inputs of the open
// train have some. Pairs of heads that wait for each other have to be equal, whether or not they can go yet: look_o asks
// for their data while there is a pair that has not been compared.
module noc_up_choice
  import noc_pkg::*;
  import noc_coll_pkg::*;
(
    // fronts
    input  ports_t   valid_i,
    input  ports_t   head_i,
    input  up_plan_t plan_i    [Ports],
    // the open train: its head has gone
    input  logic     open_i,
    input  ports_t   open_set_i,
    input  port_e    open_to_i,
    // can go, but for credits: these inputs to that output
    output logic     whole_o,
    output ports_t   set_o,
    output port_e    to_o,
    output logic     member_o,           // of a head: the tile gives data too
    // heads to compare
    input  ports_t   seen_i,             // compared already
    output ports_t   pairs_o   [Ports],  // [p][q]: p and q wait for each other
    output ports_t   paired_o,
    output logic     look_o
);
  ports_t heads, agree;
  assign heads = open_i ? '0 : valid_i & head_i;
  always_comb begin
    for (int unsigned p = 0; p < Ports; p++) begin
      agree[p]   = heads[p] && (plan_i[p].set & ~heads) == '0;
      pairs_o[p] = '0;
      for (int unsigned q = 0; q < Ports; q++) begin
        if (plan_i[p].set[q] && plan_i[q].set != plan_i[p].set) agree[p] = 1'b0;
        pairs_o[p][q] = p != q && heads[p] && heads[q] && plan_i[p].set[q] && plan_i[q].set[p];
      end
      paired_o[p] = pairs_o[p] != '0;
    end
  end
  assign look_o = (paired_o & ~seen_i) != '0;

  always_comb begin
    set_o    = open_set_i;
    to_o     = open_to_i;
    member_o = 1'b0;
    whole_o  = open_i && (open_set_i & ~(valid_i & ~head_i)) == '0;
    if (!open_i) begin
      for (int unsigned i = 0; i < Ports; i++) begin
        if (!whole_o && agree[i]) begin
          whole_o  = 1'b1;
          set_o    = plan_i[i].set;
          to_o     = plan_i[i].parent;
          member_o = plan_i[i].member;
        end
      end
    end
  end
endmodule
