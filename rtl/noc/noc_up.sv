// SPDX-License-Identifier: Apache-2.0
// Router of the network that joins the operands of collectives on their way to a root (docs/net.md, 4 to 7). A train is a
// head, then its data; a group has one train after the other. A head goes when every input of its set has the same one;
// then, until the flit with `last`, so do the data, joined by noc_up_join. At the root the parent is the tile (PortL).
// One flit a cycle leaves, of any group, in turns. Heads and data of one input: one cycle a hop, unchanged; joined data:
// three. A flit a cycle for one train on every hop; a head waits until its group's joined data have gone.
// Every output is a flip-flop. Credits are by group, counted with noc_up_sender on each link and for what the tile gets.
// Heads that wait for each other and differ are a mismatch: the group stays blocked, mismatch_o and its first group hold
// until reset. Anything else that does not fit only waits.
// The tile's own input: trains of groups of which it is a member, or a head alone (its `last` does not matter) where it
// is the root only. Not supported: data without a head, lengths that differ from the head's; other coordinates while not idle.
`include "rtl/common/assert.svh"
module noc_up
  import noc_pkg::*;
  import noc_coll_pkg::*;
#(
    parameter int unsigned Width  = 256,
    parameter int unsigned Shared = 4
) (
    input logic clk_i,
    input logic rst_ni,
    // place
    input coord_t at_i,
    input coord_t last_i,  // the mesh's south-east corner
    // inputs
    input logic [Ports-1:0] in_valid_i,
    input up_ctl_t in_ctl_i[Ports],
    input logic [Width-1:0] in_data_i[Ports],
    output groups_t credit_o[Ports],
    // outputs
    output logic [Ports-1:0] out_valid_o,
    output up_ctl_t out_ctl_o[Ports],
    output logic [Width-1:0] out_data_o[Ports],
    input groups_t credit_i[Ports],
    // status
    output logic mismatch_o,
    output logic [GroupW-1:0] mismatch_group_o,
    output logic idle_o  // nothing is held in it, output registers included
);
  if (Width % 32 != 0 || Width < $bits(up_head_t) || Width > 1024) begin : gen_check_width
    $error("noc_up: Width must be 128 to 1024 in steps of 32");
  end
  if (Shared > 12) begin : gen_check_shared
    $error("noc_up: Shared must be 0 to 12");
  end

  // ------------------------------------------------------------------------------------------ inputs
  groups_t valid[Ports], head[Ports], last[Ports], take[Ports];
  up_plan_t plan[Ports][Groups];
  logic [Width-1:0] data[Ports];  // of the chosen group's oldest
  ports_t empty;
  groups_t chosen;  // the group whose turn it is
  for (genvar p = 0; p < Ports; p++) begin : gen_input
    noc_up_pool #(
        .Width (Width),
        .Shared(Shared)
    ) u_pool (
        .clk_i,
        .rst_ni,
        .at_i,
        .in_valid_i(in_valid_i[p]),
        .in_ctl_i  (in_ctl_i[p]),
        .in_data_i (in_data_i[p]),
        .credit_o  (credit_o[p]),
        .valid_o   (valid[p]),
        .head_o    (head[p]),
        .last_o    (last[p]),
        .plan_o    (plan[p]),
        .sel_i     (chosen),
        .data_o    (data[p]),
        .take_i    (take[p]),
        .empty_o   (empty[p])
    );
  end

  // ------------------------------------------------------------------------------------------ groups
  typedef struct packed {
    ports_t set;   // inputs that give data
    port_e  to;
    logic   max;
    logic   bf16;
  } train_t;
  groups_t open_q, blocked_q;
  train_t train_q[Groups];
  ports_t seen_q[Groups];  // inputs whose front head has been compared with those that it waits for

  groups_t whole, member, look, direct, fits, late, go, busy;
  ports_t set[Groups], pairs[Groups][Ports], paired[Groups];
  port_e to[Groups];
  groups_t ready[Ports];  // credits: [output]
  logic res_valid;
  port_e res_to;
  groups_t late_q;  // what needs no join and was kept from its output's register by a result
  ports_t held_q;  // outputs of these: no join for them starts
  for (genvar g = 0; g < Groups; g++) begin : gen_group
    ports_t front, front_head;
    up_plan_t front_plan[Ports];
    for (genvar p = 0; p < Ports; p++) begin : gen_front
      assign front[p]      = valid[p][g];
      assign front_head[p] = head[p][g];
      assign front_plan[p] = plan[p][g];
    end
    noc_up_choice u_choice (
        .valid_i   (front),
        .head_i    (front_head),
        .plan_i    (front_plan),
        .open_i    (open_q[g]),
        .open_set_i(train_q[g].set),
        .open_to_i (train_q[g].to),
        .whole_o   (whole[g]),
        .set_o     (set[g]),
        .to_o      (to[g]),
        .member_o  (member[g]),
        .seen_i    (seen_q[g]),
        .pairs_o   (pairs[g]),
        .paired_o  (paired[g]),
        .look_o    (look[g])
    );
    // Without a join it goes straight to the output's register: after what its group has in the adders, and when no result
    // takes that register. No join for its output starts once a result has taken it, so that three clocks later it is free.
    assign direct[g] = !open_q[g] || $onehot(set[g]);
    assign fits[g] = whole[g] && ready[to[g]][g] && !(direct[g] && busy[g]);
    assign late[g] = fits[g] && direct[g] && !blocked_q[g] && (late_q[g] || (res_valid && res_to == to[g]));
    assign go[g] = fits[g] && !(direct[g] ? res_valid && res_to == to[g] : held_q[to[g]]);
    `ASSERT(DataFollowTheirHead_A, (front & ~front_head & ~(open_q[g] ? train_q[g].set : '0)) == '0)
  end

  groups_t request;
  assign request = (go | look) & ~blocked_q;
  common_arbiter #(
      .Num   (Groups),
      .LevelW(1)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .req_i  (request),
      .level_i('0),
      .use_i  (chosen != '0),
      .grant_o(chosen)
  );

  // ------------------------------------------------------------------------------- the chosen group
  ports_t chosen_set, chosen_pairs[Ports], taken;
  port_e  chosen_to;
  train_t chosen_train;
  logic chosen_go, chosen_open, chosen_member, chosen_direct;
  logic [GroupW-1:0] group;
  always_comb begin
    chosen_set = '0;
    chosen_to = PortN;
    chosen_train = '0;
    group = '0;
    for (int unsigned p = 0; p < Ports; p++) chosen_pairs[p] = '0;
    for (int unsigned g = 0; g < Groups; g++) begin
      if (chosen[g]) begin
        chosen_set |= set[g];
        chosen_to = port_e'(chosen_to | to[g]);
        chosen_train |= train_q[g];
        group |= GroupW'(g);
        for (int unsigned p = 0; p < Ports; p++) chosen_pairs[p] |= pairs[g][p];
      end
    end
    chosen_go     = (chosen & go) != '0;
    chosen_open   = (chosen & open_q) != '0;
    chosen_member = (chosen & member) != '0;
    chosen_direct = (chosen & direct) != '0;
  end

  logic differ, fire;
  always_comb begin
    differ = 1'b0;
    for (int unsigned p = 0; p < Ports; p++) begin
      for (int unsigned q = 0; q < p; q++) begin
        if (chosen_pairs[p][q] && data[p][$bits(up_head_t)-1:0] != data[q][$bits(up_head_t)-1:0])
          differ = 1'b1;
      end
    end
    fire  = chosen_go && !differ;
    taken = fire ? chosen_set : '0;
    for (int unsigned p = 0; p < Ports; p++) take[p] = taken[p] ? chosen : '0;
  end

  // What leaves: the lowest input's (heads are equal, alone it is unchanged); `last` is that of the inputs with data.
  up_ctl_t ctl;
  logic [Width-1:0] first_data;
  ports_t giving, lasts;
  up_head_t first_head;
  always_comb begin
    giving = chosen_open || chosen_member ? chosen_set : chosen_set & ~onehot(PortL);
    first_data = '0;
    for (int unsigned i = Ports; i > 0; i--) if (chosen_set[i-1]) first_data = data[i-1];
    for (int unsigned p = 0; p < Ports; p++) lasts[p] = (last[p] & chosen) != '0;
    first_head = up_head_t'(first_data[$bits(up_head_t)-1:0]);
    ctl = '{group: group, head: !chosen_open, last: (giving & ~lasts) == '0};
  end

  groups_t late_d;
  ports_t  held_d;
  always_comb begin
    late_d = chosen_go ? late & ~chosen : late;
    held_d = '0;
    for (int unsigned g = 0; g < Groups; g++) if (late_d[g]) held_d |= onehot(to[g]);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      late_q <= '0;
      held_q <= '0;
    end else begin
      late_q <= late_d;
      held_q <= held_d;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q    <= '0;
      blocked_q <= '0;
      for (int unsigned g = 0; g < Groups; g++) begin
        train_q[g] <= '0;
        seen_q[g]  <= '0;
      end
    end else begin
      for (int unsigned g = 0; g < Groups; g++) begin
        if (chosen[g]) begin
          if (fire) open_q[g] <= !ctl.last;
          if (fire && !chosen_open)
            train_q[g] <= '{
                set: giving,
                to: chosen_to,
                max: first_head.max,
                bf16: first_head.bf16
            };
          seen_q[g] <= (seen_q[g] | paired[g]) & ~taken;
          if (differ) blocked_q[g] <= 1'b1;
        end
      end
    end
  end

  logic mismatch_q;
  logic [GroupW-1:0] mismatch_group_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mismatch_q       <= 1'b0;
      mismatch_group_q <= '0;
    end else if (differ && !mismatch_q) begin
      mismatch_q       <= 1'b1;
      mismatch_group_q <= group;
    end
  end
  assign mismatch_o       = mismatch_q;
  assign mismatch_group_o = mismatch_group_q;

  // --------------------------------------------------------------------------------- joins and outputs
  up_ctl_t res_ctl;
  logic [Width-1:0] res;
  noc_up_join #(
      .Width(Width)
  ) u_join (
      .clk_i,
      .rst_ni,
      .valid_i     (fire && !chosen_direct),
      .set_i       (chosen_set),
      .max_i       (chosen_train.max),
      .bf16_i      (chosen_train.bf16),
      .ctl_i       (ctl),
      .parent_i    (chosen_to),
      .data_i      (data),
      .res_valid_o (res_valid),
      .res_ctl_o   (res_ctl),
      .res_parent_o(res_to),
      .res_o       (res),
      .busy_o      (busy)
  );

  for (genvar o = 0; o < Ports; o++) begin : gen_output
    logic straight, result, valid_q;
    up_ctl_t ctl_q;
    logic [Width-1:0] data_q;
    assign straight = fire && chosen_direct && chosen_to == port_e'(o);
    assign result   = res_valid && res_to == port_e'(o);
    noc_up_sender #(
        .Shared(Shared)
    ) u_sender (
        .clk_i,
        .rst_ni,
        .ready_o (ready[o]),
        .send_i  (fire && chosen_to == port_e'(o) ? chosen : '0),
        .credit_i(credit_i[o])
    );
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q <= 1'b0;
      else valid_q <= straight || result;
    end
    always_ff @(posedge clk_i) begin
      if (straight || result) begin
        ctl_q  <= result ? res_ctl : ctl;
        data_q <= result ? res : first_data;
      end
    end
    assign out_valid_o[o] = valid_q;
    assign out_ctl_o[o]   = ctl_q;
    assign out_data_o[o]  = data_q;
    `ASSERT(OneForTheRegister_A, !(straight && result))
  end

  logic idle_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) idle_q <= 1'b1;
    else idle_q <= in_valid_i == '0 && empty == '1 && open_q == '0 && busy == '0;
  end
  assign idle_o = idle_q;

  // ---------------------------------------------------------------------------------------- promises
  ports_t edges;  // outputs behind which there is no router
  assign edges = (at_i.y == '0 ? onehot(
      PortN
  ) : '0) | (at_i.x == last_i.x ? onehot(
      PortE
  ) : '0) | (at_i.y == last_i.y ? onehot(
      PortS
  ) : '0) | (at_i.x == '0 ? onehot(
      PortW
  ) : '0);
  up_head_t in_head[Ports];
  for (genvar p = 0; p < Ports; p++) begin : gen_in_head
    logic arrives;
    up_plan_t in_plan;
    assign in_head[p] = up_head_t'(in_data_i[p][$bits(up_head_t)-1:0]);
    assign in_plan = up_plan(in_head[p], at_i);
    assign arrives = in_valid_i[p] && in_ctl_i[p].head;
    `ASSERT(NamesTilesOfTheMesh_A, !arrives || ((in_head[p].mask | tile_bit(in_head[p].root
            )) & ~mesh_of(last_i)) == '0)
    `ASSERT(ComesWhereItIsAwaited_A, !arrives || in_plan.set[p])
  end
  ports_t seen_next;  // every pair of the set has been compared, now or before
  always_comb begin
    seen_next = '0;
    for (int unsigned g = 0; g < Groups; g++) if (chosen[g]) seen_next |= seen_q[g] | paired[g];
  end
  `ASSERT(StaysInTheMesh_A, (out_valid_o & edges) == '0)
  `ASSERT(LastAgrees_A, !fire || (giving & lasts) == '0 || (giving & ~lasts) == '0)
  `ASSERT(HeadsGoEqual_A, !fire || chosen_open || (chosen_set & ~seen_next) == '0 || $onehot
          (chosen_set))
  `ASSERT(IdleHoldsNothing_A, !idle_q || (empty == '1 && busy == '0 && out_valid_o == '0))
endmodule
