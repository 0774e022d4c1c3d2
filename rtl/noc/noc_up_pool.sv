// SPDX-License-Identifier: Apache-2.0
// Input of a router on up: Groups + Shared flits in any free slot, in order within a group. Of every group's oldest flit it
// shows what it is and, of a head, what the router does with it (found when it arrives); the data of the group in sel_i.
// A flit that arrives with none of its group before it is shown in the same cycle. take_i (one group or none) takes the
// group's oldest; its credit goes back the cycle after. No ready: the sender counts (noc_up_sender).
`include "rtl/common/assert.svh"
module noc_up_pool
  import noc_pkg::*;
  import noc_coll_pkg::*;
#(
    parameter int unsigned Width  = 256,
    parameter int unsigned Shared = 4
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  coord_t               at_i,
    // arriving
    input  logic                 in_valid_i,
    input  up_ctl_t              in_ctl_i,
    input  logic     [Width-1:0] in_data_i,
    output groups_t              credit_o,
    // oldest of each group
    output groups_t              valid_o,
    output groups_t              head_o,
    output groups_t              last_o,
    output up_plan_t             plan_o    [Groups],  // of a head
    input  groups_t              sel_i,
    output logic     [Width-1:0] data_o,
    input  groups_t              take_i,
    // status
    output logic                 empty_o              // nothing stored
);
  localparam int unsigned Slots = Groups + Shared;
  localparam int unsigned SlotW = $clog2(Slots);
  localparam int unsigned CountW = $clog2(Shared + 2);
  typedef logic [CountW-1:0] count_t;
  typedef logic [SlotW-1:0] slot_t;

  logic [Slots-1:0] valid_q;
  up_ctl_t ctl_q[Slots];
  count_t before_q[Slots];  // flits of the same group that came before it and are still here
  up_plan_t plan_q[Slots];
  logic [Width-1:0] data_q[Slots];
  count_t count_q[Groups];
  groups_t credit_q;

  // ------------------------------------------------------------------------------------------ offers
  slot_t first[Groups];
  groups_t waiting, in_group;
  up_plan_t in_plan;
  assign in_plan  = up_plan(up_head_t'(in_data_i[$bits(up_head_t)-1:0]), at_i);
  assign in_group = in_valid_i ? groups_t'(1) << in_ctl_i.group : '0;
  always_comb begin
    for (int unsigned g = 0; g < Groups; g++) begin
      waiting[g] = count_q[g] != '0;
      first[g]   = '0;
      for (int unsigned i = 0; i < Slots; i++)
      if (valid_q[i] && ctl_q[i].group == GroupW'(g) && before_q[i] == '0) first[g] |= slot_t'(i);
      valid_o[g] = waiting[g] || in_group[g];
      head_o[g]  = waiting[g] ? ctl_q[first[g]].head : in_ctl_i.head;
      last_o[g]  = waiting[g] ? ctl_q[first[g]].last : in_ctl_i.last;
      plan_o[g]  = waiting[g] ? plan_q[first[g]] : in_plan;
    end
  end
  slot_t sel_slot;
  always_comb begin
    sel_slot = '0;
    for (int unsigned g = 0; g < Groups; g++) if (sel_i[g]) sel_slot |= first[g];
    data_o = (sel_i & waiting) != '0 ? data_q[sel_slot] : in_data_i;
  end

  // ------------------------------------------------------------------------------------------- slots
  logic [Slots-1:0] pop, write;
  logic store;
  assign store = in_valid_i && (in_group & take_i & ~waiting) == '0;
  always_comb begin
    pop   = '0;
    write = '0;
    for (int unsigned g = 0; g < Groups; g++) if (take_i[g] && waiting[g]) pop[first[g]] = 1'b1;
    for (int unsigned i = 0; i < Slots; i++)
    if (store && !valid_q[i] && write == '0) write[i] = 1'b1;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q  <= '0;
      credit_q <= '0;
      for (int unsigned g = 0; g < Groups; g++) count_q[g] <= '0;
    end else begin
      valid_q  <= (valid_q & ~pop) | write;
      credit_q <= take_i;
      for (int unsigned g = 0; g < Groups; g++)
      count_q[g] <= count_q[g] + count_t'(in_group[g]) - count_t'(take_i[g]);
    end
  end
  assign credit_o = credit_q;
  assign empty_o  = valid_q == '0;

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Slots; i++) begin
      if (write[i]) begin
        ctl_q[i]    <= in_ctl_i;
        plan_q[i]   <= in_plan;
        data_q[i]   <= in_data_i;
        before_q[i] <= count_q[in_ctl_i.group] - count_t'(take_i[in_ctl_i.group]);
      end else if (take_i[ctl_q[i].group]) begin
        before_q[i] <= before_q[i] - 1'b1;
      end
    end
  end

  // ---------------------------------------------------------------------------------------- promises
  logic ordered;  // a group's flits stand at 0, 1, .. count - 1
  int unsigned extra;
  always_comb begin
    ordered = 1'b1;
    extra   = 0;
    for (int unsigned g = 0; g < Groups; g++) begin
      automatic int unsigned held = 0;
      for (int unsigned i = 0; i < Slots; i++) begin
        if (valid_q[i] && ctl_q[i].group == GroupW'(g)) begin
          held += 1;
          if (before_q[i] >= count_q[g]) ordered = 1'b0;
          for (int unsigned j = 0; j < i; j++)
          if (valid_q[j] && ctl_q[j].group == GroupW'(g) && before_q[i] == before_q[j])
            ordered = 1'b0;
        end
      end
      if (held != 32'(count_q[g])) ordered = 1'b0;
      if (held > 1) extra += held - 1;
    end
  end
  `ASSERT(GroupsAreOrdered_A, ordered)
  `ASSERT(SharedSlotsHold_A, extra <= Shared)
  `ASSERT(WrittenWhereFree_A, !store || write != '0)
  `ASSERT(TakesWhatIsThere_A, (take_i & ~valid_o) == '0 && $onehot0(take_i))
endmodule
