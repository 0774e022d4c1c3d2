// SPDX-License-Identifier: Apache-2.0
// noc_up in the middle of a 3 x 3 mesh; the adders only gather (common_fp_or). One group is watched, chosen freely. Its trains
// are heads of any members and root that come over the input, then data, of any length; members agree on where a train ends
// (EndsAgree_M), on nothing else. The other groups send what they like, whole trains or not; all heads come where they are
// awaited. Receivers give credits back whenever they like, one a link and clock. Flits are marked with their input, group,
// place in the train and number on the link. Proven of every input, group and output: credits are conserved; of each input
// flits are taken once and in order, none is lost; only by a join of all inputs of their set, at the same place of a train, of
// heads that are equal; each join leaves as one flit, by the parent, one or three clocks later, in order, and no other flit
// leaves; none without a credit. A group whose fronts are there, whose parent has room and whose output register is free goes
// within four clocks, whatever blocks the others; one that results of joins keep from that register, within six after they
// first did. The sets and the parent are written down here, not taken from noc_coll_pkg.
module noc_up_proof
  import noc_pkg::*;
  import noc_coll_pkg::*;
#(
    parameter int unsigned Shared = 1
) (
    input logic           clk_i,
    input ports_t         valid_i,
    input up_ctl_t        ctl_i     [Ports],
    input logic    [63:0] mask_i    [Ports],  // of heads
    input coord_t         root_i    [Ports],
    input ports_t         max_i,
    input ports_t         bf16_i,
    input ports_t         len_i,
    input ports_t         give_i,             // credits of the receivers
    input logic    [ 1:0] give_group_i[Ports],
    input logic    [ 1:0] group_i
);
  localparam int unsigned Width = 128;
  localparam int unsigned HeadW = $bits(up_head_t);
  localparam int unsigned Slots = Groups + Shared;
  localparam coord_t At = '{x: 3'd1, y: 3'd1};
  localparam coord_t Last = '{x: 3'd2, y: 3'd2};
  localparam logic [63:0] Mesh = 64'h070707;
  typedef logic [3:0] count_t;
  // Data of a flit that is no head: low bits of its first value.
  typedef struct packed {
    ports_t from;
    logic [2:0] place;  // in its train
    logic [GroupW-1:0] group;
  } mark_t;
  localparam int unsigned MarkW = $bits(mark_t);
  // Of every flit: the bits above a head.
  typedef struct packed {
    logic last;
    logic [2:0] number;
  } top_t;

  // The inputs that a head waits for, and the output, in the middle of the mesh: rows first, then the root's column.
  function automatic ports_t awaited(input logic [63:0] mask, input coord_t root);
    awaited = '0;
    awaited[PortW] = mask[8] && root.x != 3'd0;
    awaited[PortE] = mask[10] && root.x != 3'd2;
    awaited[PortN] = mask[2:0] != '0 && root.x == 3'd1 && root.y != 3'd0;
    awaited[PortS] = mask[18:16] != '0 && root.x == 3'd1 && root.y != 3'd2;
    awaited[PortL] = mask[9] || root == At;
  endfunction
  function automatic port_e onwards(input coord_t root);
    if (root.x == 3'd2) return PortE;
    if (root.x == 3'd0) return PortW;
    if (root.y == 3'd2) return PortS;
    if (root.y == 3'd0) return PortN;
    return PortL;
  endfunction
  function automatic logic legal(input up_head_t h);
    return (h.mask & ~Mesh) == '0 && h.mask != '0 && h.root.x < 3'd3 && h.root.y < 3'd3;
  endfunction
  function automatic ports_t givers(input up_head_t h);  // of data
    return h.mask[9] ? awaited(h.mask, h.root) : awaited(h.mask, h.root) & ~onehot(PortL);
  endfunction

  // Of a head: what the joins and its own fields stand for; all bits are compared by one operator.
  function automatic logic [2:0] bits_of(input up_head_t h);
    return {h.max, h.bf16, h.len[0]};
  endfunction

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;
  logic [GroupW-1:0] w_q;
  always_ff @(posedge clk_i) if (!rst_n) w_q <= group_i;

  // ------------------------------------------------------------------------------------------ senders
  ports_t valid, of_w, train_q;
  up_ctl_t ctl[Ports];
  up_head_t new_head[Ports];
  logic [Width-1:0] data[Ports];
  groups_t credit[Ports];
  count_t used_q[Ports][Groups];
  logic [2:0] sent_q[Ports], taken_q[Ports], place_q[Ports];
  for (genvar p = 0; p < Ports; p++) begin : gen_sender
    count_t used[Groups];  // with the credits of this clock
    always_comb begin
      automatic count_t extra;
      automatic mark_t mark;
      automatic top_t top;
      extra = '0;
      for (int unsigned g = 0; g < Groups; g++) begin
        used[g] = used_q[p][g] - count_t'(credit[p][g]);
        if (used[g] > 4'd1) extra += used[g] - 4'd1;
      end
      ctl[p]  = ctl_i[p];
      of_w[p] = ctl[p].group == w_q;
      if (of_w[p]) ctl[p].head = !train_q[p];
      new_head[p] = '0;
      new_head[p].mask = mask_i[p] & Mesh;
      new_head[p].root = '{x: {1'b0, root_i[p].x[1:0]}, y: {1'b0, root_i[p].y[1:0]}};
      new_head[p].max = max_i[p];
      new_head[p].bf16 = bf16_i[p];
      new_head[p].len[0] = len_i[p];
      new_head[p].chunk = 6'(ctl[p].group);
      mark = '{from: onehot(port_e'(p)), place: of_w[p] ? place_q[p] : '0, group: ctl[p].group};
      top = '{last: ctl[p].last, number: of_w[p] ? sent_q[p] : '0};
      data[p] = ctl[p].head ? {top, new_head[p]} : {top, HeadW'(mark)};
      valid[p] = valid_i[p] && (used[ctl[p].group] == '0 || 32'(extra) < Shared) &&
          (!ctl[p].head || (legal(new_head[p]) && awaited(new_head[p].mask, new_head[p].root) [p]));
      of_w[p] = of_w[p] && valid[p];
    end
    logic goes_on;  // its train has more to come on this link; a root that is no member gives a head alone
    assign goes_on = ctl[p].head ? (givers(new_head[p]) & onehot(port_e'(p))) != '0 && !ctl[p].last : !ctl[p].last;
    always_ff @(posedge clk_i or negedge rst_n) begin
      if (!rst_n) begin
        train_q[p] <= 1'b0;
        place_q[p] <= '0;
        sent_q[p]  <= '0;
        taken_q[p] <= '0;
        for (int unsigned g = 0; g < Groups; g++) used_q[p][g] <= '0;
      end else begin
        if (of_w[p]) begin
          train_q[p] <= goes_on;
          place_q[p] <= goes_on ? place_q[p] + 3'd1 : '0;
          sent_q[p]  <= sent_q[p] + 3'd1;
        end
        taken_q[p] <= taken_q[p] + 3'(u_up.take[p][w_q]);
        for (int unsigned g = 0; g < Groups; g++)
        used_q[p][g] <= used[g] + count_t'(valid[p] && ctl[p].group == GroupW'(g));
      end
    end
  end

  // ---------------------------------------------------------------------------------------- receivers
  ports_t out_valid;
  up_ctl_t out_ctl[Ports];
  logic [Width-1:0] out_data[Ports];
  groups_t give[Ports];
  count_t have_q[Ports][Groups];
  noc_up #(
      .Width (Width),
      .Shared(Shared)
  ) u_up (
      .clk_i,
      .rst_ni(rst_n),
      .at_i(At),
      .last_i(Last),
      .in_valid_i(valid),
      .in_ctl_i(ctl),
      .in_data_i(data),
      .credit_o(credit),
      .out_valid_o(out_valid),
      .out_ctl_o(out_ctl),
      .out_data_o(out_data),
      .credit_i(give),
      .mismatch_o(),
      .mismatch_group_o(),
      .idle_o()
  );
  ports_t in_room, counted, room_w;
  for (genvar o = 0; o < Ports; o++) begin : gen_receiver
    count_t arrived[Groups], owed[Groups];  // there or on the link; and in the adders on the way there
    always_comb begin
      automatic logic [5:0] extra, full;
      give[o] = '0;
      if (give_i[o] && have_q[o][give_group_i[o]] != '0) give[o][give_group_i[o]] = 1'b1;
      counted[o] = 1'b1;
      extra = '0;
      full  = '0;
      for (int unsigned g = 0; g < Groups; g++) begin
        arrived[g] = have_q[o][g] + count_t'(out_valid[o] && out_ctl[o].group == GroupW'(g));
        if (arrived[g] > 4'd1) extra += 6'(arrived[g]) - 6'd1;
        owed[g] = arrived[g] +
            count_t'(u_up.u_join.valid1_q && u_up.u_join.job1_q.ctl.group == GroupW'(g) && u_up.u_join.job1_q.parent == port_e'(o)) +
            count_t'(u_up.u_join.valid2_q && u_up.u_join.job2_q.ctl.group == GroupW'(g) && u_up.u_join.job2_q.parent == port_e'(o));
        if (count_t'(u_up.gen_output[o].u_sender.used_q[g]) != owed[g]) counted[o] = 1'b0;
        owed[g] -= count_t'(give[o][g]);
        if (owed[g] > 4'd1) full += 6'(owed[g]) - 6'd1;
      end
      in_room[o] = 32'(extra) <= Shared;
      for (int unsigned g = 0; g < Groups; g++) if (32'(have_q[o][g]) > Shared + 1) in_room[o] = 1'b0;
      room_w[o] = owed[w_q] == '0 || 32'(full) < Shared;
    end
    always_ff @(posedge clk_i or negedge rst_n) begin
      if (!rst_n) for (int unsigned g = 0; g < Groups; g++) have_q[o][g] <= '0;
      else for (int unsigned g = 0; g < Groups; g++) have_q[o][g] <= arrived[g] - count_t'(give[o][g]);
    end
  end
  WithinCredits_A : assert property (@(posedge clk_i) disable iff (!rst_n) in_room == '1);
  ReceiversCounted_A : assert property (@(posedge clk_i) disable iff (!rst_n) counted == '1);

  // ------------------------------------------------------------------------ the watched group's joins
  typedef struct packed {
    logic valid;
    port_e to;
    logic head;
    logic last;
    ports_t from;
    logic [2:0] place;
    logic max;
    logic bf16;
  } join_t;
  logic open_q;  // its head has gone, its last has not
  ports_t set_q;
  port_e to_q;
  logic max_q, bf16_q;
  logic [2:0] at_q;  // place of what goes next
  ports_t taken;
  logic fires, ends, straight;
  port_e to;
  up_head_t front_head[Ports];  // of what is taken
  mark_t front_mark[Ports];
  top_t front_top[Ports];
  ports_t gives;  // of what is taken, the inputs with data
  join_t now, one_q, two_q, three_q, straight_q;
  logic [Width-1:0] straight_data_q, lowest;
  always_comb begin
    automatic ports_t lasts;
    lasts  = '0;
    lowest = '0;
    gives  = open_q ? taken : '0;
    for (int unsigned i = Ports; i > 0; i--) begin
      taken[i-1] = u_up.take[i-1][w_q];
      front_head[i-1] = u_up.data[i-1][HeadW-1:0];
      front_mark[i-1] = u_up.data[i-1][MarkW-1:0];
      front_top[i-1] = u_up.data[i-1][Width-1:HeadW];
      lasts[i-1] = front_top[i-1].last;
      if (taken[i-1]) lowest = u_up.data[i-1];
      if (taken[i-1] && !open_q) gives = givers(front_head[i-1]);
    end
    if (open_q) gives = taken;
    fires = taken != '0;
    ends  = (gives & ~lasts) == '0;
    to    = open_q ? to_q : onwards(up_head_t'(lowest[HeadW-1:0]).root);
    straight = !open_q || $onehot(set_q);
    now = '{
        valid: fires,
        to: to,
        head: !open_q,
        last: ends,
        from: taken,
        place: at_q,
        max: max_q,
        bf16: bf16_q
    };
  end
  logic ends_agree;
  assign ends_agree = !fires || ends || (gives & u_up.lasts) == '0;
  EndsAgree_M : assume property (@(posedge clk_i) !rst_n || ends_agree);
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      open_q     <= 1'b0;
      set_q      <= '0;
      to_q       <= PortN;
      max_q      <= 1'b0;
      bf16_q     <= 1'b0;
      at_q       <= '0;
      one_q      <= '0;
      two_q      <= '0;
      three_q    <= '0;
      straight_q <= '0;
    end else begin
      if (fires) begin
        open_q <= !ends;
        at_q   <= ends ? '0 : at_q + 3'd1;
        if (!open_q) begin
          set_q <= gives;
          to_q  <= to;
          {max_q, bf16_q} <= {up_head_t'(lowest[HeadW-1:0]).max, up_head_t'(lowest[HeadW-1:0]).bf16};
        end
      end
      one_q            <= now;
      one_q.valid      <= fires && !straight;
      two_q            <= one_q;
      three_q          <= two_q;
      straight_q       <= now;
      straight_q.valid <= fires && straight;
    end
  end
  always_ff @(posedge clk_i) straight_data_q <= lowest;

  logic once, own, agree, equal;
  always_comb begin
    once  = 1'b1;
    own   = 1'b1;
    agree = 1'b1;
    equal = 1'b1;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (taken[p]) begin
        if (front_top[p].number != taken_q[p] || front_top[p].last != u_up.last[p][w_q]) once = 1'b0;
        if (open_q) begin
          if (front_mark[p] != {onehot(port_e'(p)), at_q, w_q}) own = 1'b0;
        end else begin
          if (awaited(front_head[p].mask, front_head[p].root) != taken || front_head[p].chunk != 6'(w_q)) agree = 1'b0;
          if (bits_of(front_head[p]) != bits_of(up_head_t'(lowest[HeadW-1:0]))) equal = 1'b0;
        end
      end
    end
    if (open_q && fires && taken != set_q) agree = 1'b0;
  end
  InOrderOnce_A : assert property (@(posedge clk_i) disable iff (!rst_n) once);
  SamePlaceOfItsGroup_A : assert property (@(posedge clk_i) disable iff (!rst_n) own);
  AllOfTheSet_A : assert property (@(posedge clk_i) disable iff (!rst_n) agree);
  EqualHeads_A : assert property (@(posedge clk_i) disable iff (!rst_n) equal);
  HeadsAsTheyCome_A : assert property (@(posedge clk_i) disable iff (!rst_n)
                                       !fires || u_up.ctl == {w_q, !open_q, ends});
  ParentOfTheRoot_A : assert property (@(posedge clk_i) disable iff (!rst_n) !fires || (u_up.fire && u_up.chosen_to == to));
  OperationOfTheHead_A : assert property (@(posedge clk_i) disable iff (!rst_n)
                                          !fires || straight || {u_up.chosen_train.max, u_up.chosen_train.bf16} == {max_q, bf16_q});
  KeepsItsOrder_A : assert property (@(posedge clk_i) disable iff (!rst_n)
                                     !fires || !straight || !(one_q.valid || two_q.valid));

  // ----------------------------------------------------------------------------------- what leaves
  logic as_joined;
  ports_t leaves_w;
  always_comb begin
    automatic mark_t m;
    as_joined = 1'b1;
    for (int unsigned o = 0; o < Ports; o++) begin
      leaves_w[o] = out_valid[o] && out_ctl[o].group == w_q;
      m = out_data[o][MarkW-1:0];
      if (leaves_w[o] != ((straight_q.valid && straight_q.to == port_e'(o)) || (three_q.valid && three_q.to == port_e'(o))))
        as_joined = 1'b0;
      if (leaves_w[o] && three_q.valid && three_q.to == port_e'(o) &&
          (out_ctl[o].head || out_ctl[o].last != three_q.last || m != {three_q.from, three_q.place, w_q}))
        as_joined = 1'b0;
      if (leaves_w[o] && straight_q.valid && straight_q.to == port_e'(o) &&
          (out_ctl[o].head != straight_q.head || out_ctl[o].last != straight_q.last || out_data[o] != straight_data_q))
        as_joined = 1'b0;
    end
  end
  OneFlitForAJoin_A : assert property (@(posedge clk_i) disable iff (!rst_n) as_joined);
  NeverTwoAtOnce_A : assert property (@(posedge clk_i) disable iff (!rst_n) !(three_q.valid && straight_q.valid));

  // ------------------------------------------------------- a group that can go waits for three others at most
  ports_t front, front_first, front_agree;
  ports_t front_set[Ports];
  logic can_go, blocked, wants, stopped;
  logic [2:0] wait_q, late_q;
  port_e late_to_q;
  port_e can_to;
  groups_t ahead;
  always_comb begin
    can_go = open_q && (set_q & ~(front & ~front_first)) == '0;
    can_to = to_q;
    for (int unsigned p = 0; p < Ports; p++) begin
      front_agree[p] = !open_q && front[p] && front_first[p] && (front_set[p] & ~(front & front_first)) == '0;
      for (int unsigned q = 0; q < Ports; q++) if (front_set[p][q] && front_set[q] != front_set[p]) front_agree[p] = 1'b0;
    end
    if (!open_q) begin
      can_go = front_agree != '0;
      for (int unsigned i = Ports; i > 0; i--) if (front_agree[i-1]) can_to = u_up.plan[i-1][w_q].parent;
    end
    blocked = u_up.blocked_q[w_q];
    can_go = can_go && room_w[can_to] && !blocked;
    wants   = can_go && straight && !(one_q.valid || two_q.valid);
    stopped = u_up.u_join.valid2_q && u_up.u_join.job2_q.parent == can_to;
    can_go  = straight ? wants && !stopped : can_go && !u_up.held_q[can_to];
    ahead = u_up.u_arbiter.ahead_q[w_q] & ~(groups_t'(1) << w_q);
  end
  // Clocks since a result kept it from the register of late_to_q.
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      wait_q    <= '0;
      late_q    <= '0;
      late_to_q <= PortN;
    end else begin
      wait_q    <= can_go && !u_up.chosen[w_q] ? wait_q + 3'd1 : '0;
      late_to_q <= can_to;
      if (!wants || (can_go && u_up.chosen[w_q]) || (late_q == '0 && !stopped)) late_q <= '0;
      else late_q <= late_q != '0 && can_to == late_to_q ? late_q + 3'd1 : 3'd1;
    end
  end
  logic cleared;  // no more results on the way to where it is awaited
  assign cleared = !(late_q >= 3'd2 && u_up.u_join.valid1_q && u_up.u_join.job1_q.parent == late_to_q) &&
      !(late_q >= 3'd3 && u_up.u_join.valid2_q && u_up.u_join.job2_q.parent == late_to_q);
  GoesIfItCan_A : assert property (@(posedge clk_i) disable iff (!rst_n) !fires || can_go);
  AsksIfItCan_A : assert property (@(posedge clk_i) disable iff (!rst_n) !can_go || u_up.request[w_q]);
  ChosenGoes_A : assert property (@(posedge clk_i) disable iff (!rst_n) !(can_go && u_up.chosen[w_q]) || fires || u_up.differ);
  TurnComes_A : assert property (@(posedge clk_i) disable iff (!rst_n) 32'(wait_q) + 32'($countones(ahead)) < Groups);
  HoldsJoinsWhileLate_A : assert property (@(posedge clk_i) disable iff (!rst_n)
                                           u_up.late_q[w_q] == (late_q != '0) && (late_q == '0 || u_up.held_q[late_to_q]));
  AddersClear_A : assert property (@(posedge clk_i) disable iff (!rst_n) cleared);
  LateGoInTurn_A : assert property (@(posedge clk_i) disable iff (!rst_n)
                                    late_q < 3'd4 || 32'(late_q) + 32'($countones(ahead)) < 3 + Groups);
  SixClocksLateAtMost_A : assert property (@(posedge clk_i) disable iff (!rst_n) late_q <= 3'd6);
  ServedInTurn_A : assert property (@(posedge clk_i) disable iff (!rst_n) 32'(wait_q) < Groups);

  // ------------------------------------------------------------- what the pools hold, and why it is so
  ports_t pool_counted, pool_in_order, pool_planned, pool_seen;
  logic [Ports-1:0][3:0] stored;
  logic [2:0] seen_head[Ports];  // oldest of the watched group
  for (genvar p = 0; p < Ports; p++) begin : gen_pool
    logic [Slots-1:0] is_w;
    ports_t first_set;
    for (genvar i = 0; i < Slots; i++) begin : gen_slot
      assign is_w[i] = u_up.gen_input[p].u_pool.valid_q[i] && u_up.gen_input[p].u_pool.ctl_q[i].group == w_q;
    end
    always_comb begin
      automatic up_ctl_t c;
      automatic up_plan_t l;
      automatic up_head_t h;
      automatic top_t t;
      automatic mark_t m;
      automatic count_t older, other;
      automatic logic more;
      stored[p] = count_t'($countones(is_w));
      pool_counted[p] = 1'b1;
      for (int unsigned g = 0; g < Groups; g++)
      if (used_q[p][g] != count_t'(u_up.gen_input[p].u_pool.count_q[g]) + count_t'(credit[p][g])) pool_counted[p] = 1'b0;
      pool_in_order[p] = 3'(stored[p]) == sent_q[p] - taken_q[p];
      pool_planned[p]  = 1'b1;
      seen_head[p]     = '0;
      first_set        = '0;
      if (stored[p] == '0 && (train_q[p] != (open_q && set_q[p]) || place_q[p] != (train_q[p] ? at_q : 3'd0)))
        pool_in_order[p] = 1'b0;
      if (!train_q[p] && place_q[p] != '0) pool_in_order[p] = 1'b0;
      for (int unsigned i = 0; i < Slots; i++) begin
        c = u_up.gen_input[p].u_pool.ctl_q[i];
        l = u_up.gen_input[p].u_pool.plan_q[i];
        h = u_up.gen_input[p].u_pool.data_q[i][HeadW-1:0];
        t = u_up.gen_input[p].u_pool.data_q[i][Width-1:HeadW];
        m = u_up.gen_input[p].u_pool.data_q[i][MarkW-1:0];
        older = count_t'(u_up.gen_input[p].u_pool.before_q[i]);
        if (u_up.gen_input[p].u_pool.valid_q[i] && c.head &&
            (!legal(h) || !awaited(h.mask, h.root) [p] || l.set != awaited(h.mask, h.root) || l.parent != onwards(h.root) ||
             l.member != h.mask[9]))
          pool_planned[p] = 1'b0;
        if (is_w[i]) begin
          if (t.number != taken_q[p] + 3'(older) || t.last != c.last || (c.head && h.chunk != 6'(w_q)) ||
              (!c.head && (m.from != onehot(port_e'(p)) || m.group != w_q)))
            pool_in_order[p] = 1'b0;
          if (older == '0) begin
            seen_head[p] = bits_of(h);
            first_set = l.set;
            if (c.head == (open_q && set_q[p]) || (!c.head && m.place != at_q)) pool_in_order[p] = 1'b0;
          end
          more = c.head ? (givers(h) & onehot(port_e'(p))) != '0 && !c.last : !c.last;
          if (older + 4'd1 == stored[p] &&
              (train_q[p] != more || (more && place_q[p] != (c.head ? 3'd1 : m.place + 3'd1))))
            pool_in_order[p] = 1'b0;
          for (int unsigned j = 0; j < Slots; j++) begin
            other = count_t'(u_up.gen_input[p].u_pool.before_q[j]);
            if (is_w[j] && other == older + 4'd1) begin
              if (u_up.gen_input[p].u_pool.ctl_q[j].head == more) pool_in_order[p] = 1'b0;
              if (more && mark_t'(u_up.gen_input[p].u_pool.data_q[j][MarkW-1:0]).place != (c.head ? 3'd1 : m.place + 3'd1))
                pool_in_order[p] = 1'b0;
            end
          end
        end
      end
      front[p]       = stored[p] != '0 || of_w[p];
      front_first[p] = !(open_q && set_q[p]);
      front_set[p]   = stored[p] != '0 ? first_set : awaited(new_head[p].mask, new_head[p].root);
    end
  end
  // Heads that have been compared are equal; what has been compared is stored.
  logic seen_whole;
  ports_t seen;
  assign seen = u_up.seen_q[w_q];
  always_comb begin
    seen_whole = 1'b1;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (seen[p] && (stored[p] == '0 || !front_first[p])) seen_whole = 1'b0;
      for (int unsigned q = 0; q < p; q++)
      if (seen[p] && seen[q] && !blocked && front_set[p][q] && front_set[q][p] && seen_head[p] != seen_head[q]) seen_whole = 1'b0;
    end
  end
  logic [Groups-1:0] trains_whole;
  for (genvar g = 0; g < Groups; g++) begin : gen_train
    assign trains_whole[g] = !u_up.open_q[g] || u_up.train_q[g].set != '0;
  end
  // The adders hold what the joins gave them.
  function automatic logic holds(input join_t j, input logic valid, input logic [GroupW-1:0] group, input ports_t set,
                                 input port_e to, input logic head, input logic last, input logic max, input logic bf16, input logic [1:0] w);
    if ((valid && group == w) != j.valid) return 1'b0;
    return !j.valid || ($countones(j.from) > 1 && !j.head && {set, to, head, last, max, bf16} ==
                        {j.from, j.to, j.head, j.last, j.max, j.bf16});
  endfunction
  function automatic logic part(input join_t j, input ports_t side, input logic [31:0] value, input logic [1:0] w);
    return !j.valid || (j.from & side) == '0 || value[MarkW-1:0] == {j.from & side, j.place, w};
  endfunction
  localparam ports_t Row = 5'b01010, Column = 5'b00101, Local = 5'b10000;
  logic adders;
  assign adders = holds(one_q, u_up.u_join.valid1_q, u_up.u_join.job1_q.ctl.group, u_up.u_join.job1_q.set,
                        u_up.u_join.job1_q.parent, u_up.u_join.job1_q.ctl.head, u_up.u_join.job1_q.ctl.last, u_up.u_join.job1_q.max, u_up.u_join.job1_q.bf16, w_q) &&
      holds(two_q, u_up.u_join.valid2_q, u_up.u_join.job2_q.ctl.group, u_up.u_join.job2_q.set, u_up.u_join.job2_q.parent,
            u_up.u_join.job2_q.ctl.head, u_up.u_join.job2_q.ctl.last, u_up.u_join.job2_q.max, u_up.u_join.job2_q.bf16, w_q) &&
      part(one_q, Row, u_up.u_join.row_q[0], w_q) && part(one_q, Column, u_up.u_join.column_q[0], w_q) &&
      part(one_q, Local, u_up.u_join.local1_q[31:0], w_q) && part(two_q, Row | Column, u_up.u_join.sum_q[0], w_q) &&
      part(two_q, Local, u_up.u_join.local2_q[31:0], w_q);
  logic train_held;
  assign train_held = open_q == u_up.open_q[w_q] && (open_q || at_q == '0) &&
      32'(to_q) < Ports && (!open_q || {set_q, to_q, max_q, bf16_q} == u_up.train_q[w_q]);
  SendersCounted_A : assert property (@(posedge clk_i) disable iff (!rst_n) pool_counted == '1);
  PoolsInOrder_A : assert property (@(posedge clk_i) disable iff (!rst_n) pool_in_order == '1);
  PlansAreTheHeads_A : assert property (@(posedge clk_i) disable iff (!rst_n) pool_planned == '1);
  SeenAreEqual_A : assert property (@(posedge clk_i) disable iff (!rst_n) seen_whole);
  TrainsHaveInputs_A : assert property (@(posedge clk_i) disable iff (!rst_n) trains_whole == '1);
  TrainIsHeld_A : assert property (@(posedge clk_i) disable iff (!rst_n) train_held);
  AddersHold_A : assert property (@(posedge clk_i) disable iff (!rst_n) adders);

  // ------------------------------------------------------------------- covers: each is reached (noc_up_reach)
  AllFiveJoin_C : assert property (@(posedge clk_i) disable iff (!rst_n) !(three_q.valid && three_q.from == '1));
  TrainEnds_C : assert property (@(posedge clk_i) disable iff (!rst_n) !(three_q.valid && three_q.last && three_q.place == 3'd2));
  OneInputAlone_C : assert property (@(posedge clk_i) disable iff (!rst_n) !(straight_q.valid && !straight_q.head));
  WaitsItsTurn_C : assert property (@(posedge clk_i) disable iff (!rst_n) 32'(wait_q) < Groups - 1);
  SixClocksLate_C : assert property (@(posedge clk_i) disable iff (!rst_n) late_q != 3'd6);
  OthersBlocked_C : assert property (@(posedge clk_i) disable iff (!rst_n)
                                     !(fires && open_q && !blocked && $countones(u_up.blocked_q) == 2));
  RoomIsGone_C : assert property (@(posedge clk_i) disable iff (!rst_n) !(open_q && !room_w[to_q]));
endmodule
