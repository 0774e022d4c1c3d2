// SPDX-License-Identifier: Apache-2.0
// noc_router in the middle of a 3 x 3 mesh, its neighbours any that keep to the credits: flits of one stream, its input and
// destination chosen freely, carry a count and a mark; they leave on the output of XY, once, in order and with their own
// header, and none is lost: what went in and has not come out is in the pool or on the link. A flit that cannot be delivered is told.
module noc_router_proof
  import noc_pkg::*;
#(
    parameter int unsigned Depth = 2
) (
    input logic         clk_i,
    input ports_t       valid_i,
    input head_t        head_i  [Ports],
    input ports_t       give_i  [Ports],  // credits that the receivers give back
    input logic   [2:0] watch_i,
    input coord_t       dst_i
);
  localparam coord_t At = '{x: 3'd1, y: 3'd1};
  localparam coord_t Last = '{x: 3'd2, y: 3'd2};
  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;
  logic   [2:0] watch_q;
  coord_t       dst_q;
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      watch_q <= watch_i;
      dst_q   <= dst_i;
    end
  end

  // ---------------------------------------------------------------------- senders: Depth flits at most
  ports_t credit[Ports], valid, stream;
  head_t head[Ports];
  logic [3:0] data[Ports];
  logic [2:0] left_q[Ports];
  logic [2:0] sent_q, came_q;
  logic bad_now;
  always_comb begin
    for (int unsigned p = 0; p < Ports; p++) begin
      head[p]   = head_i[p];
      valid[p]  = valid_i[p] && left_q[p] != '0 &&
          (p == PortL || (head[p].hop == route(At, head[p].dst) && (turns(port_e'(p)) & onehot(head[p].hop)) != '0 &&
                          head[p].dst.x <= Last.x && head[p].dst.y <= Last.y));
      stream[p] = valid[p] && 3'(p) == watch_q && head[p].dst == dst_q;
      data[p]   = {stream[p], stream[p] ? sent_q : 3'd0};
    end
  end
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      sent_q <= '0;
      for (int unsigned p = 0; p < Ports; p++) left_q[p] <= 3'(Depth);
    end else begin
      sent_q <= sent_q + 3'(stream != '0 && !(stream[PortL] && bad_now));
      for (int unsigned p = 0; p < Ports; p++) left_q[p] <= left_q[p] + 3'($countones(credit[p])) - 3'(valid[p]);
    end
  end

  // -------------------------------------------------------------------- receivers: give back what they have
  ports_t out_valid, give[Ports];
  head_t out_head[Ports];
  logic [3:0] out_data[Ports];
  logic [2:0] have_q[Ports][Ports];  // by output, by queue
  ports_t seen_q;  // what is on the link has been counted
  ports_t fresh;
  logic bad_valid;
  coord_t bad_dst;
  assign bad_now = valid[PortL] && (head[PortL].dst.x > Last.x || head[PortL].dst.y > Last.y || head[PortL].dst == At);
  noc_router #(
      .Width(4),
      .Depth(Depth)
  ) u_router (
      .clk_i,
      .rst_ni(rst_n),
      .at_i(At),
      .last_i(Last),
      .in_valid_i(valid),
      .in_head_i(head),
      .in_data_i(data),
      .credit_o(credit),
      .out_valid_o(out_valid),
      .out_head_o(out_head),
      .out_data_o(out_data),
      .credit_i(give),
      .bad_valid_o(bad_valid),
      .bad_dst_o(bad_dst)
  );
  // A flit is new when the router's output has just been loaded, which is when it took one of an input.
  for (genvar o = 0; o < Ports; o++) begin : gen_fresh
    always_ff @(posedge clk_i or negedge rst_n) begin
      if (!rst_n) seen_q[o] <= 1'b1;
      else seen_q[o] <= u_router.take[o] == '0;
    end
    for (genvar q = 0; q < Ports; q++) begin : gen_give
      assign give[o][q] = give_i[o][q] && have_q[o][q] != '0;
      always_ff @(posedge clk_i or negedge rst_n) begin
        if (!rst_n) have_q[o][q] <= '0;
        else have_q[o][q] <= have_q[o][q] + 3'(fresh[o] && onehot(out_head[o].hop) == (ports_t'(1) << q)) - 3'(give[o][q]);
      end
    end
  end
  assign fresh = out_valid & ~seen_q;

  // ------------------------------------------------------------------------------------------ promises
  port_e way;
  assign way = route(At, dst_q);
  logic came;
  logic [2:0] number;
  always_comb begin
    came   = 1'b0;
    number = '0;
    for (int unsigned o = 0; o < Ports; o++) begin
      if (port_e'(o) == way && fresh[o] && out_data[o][3]) begin
        came   = 1'b1;
        number = out_data[o][2:0];
      end
    end
  end
  logic astray, wrong;  // a marked flit on another output; or with a header that is not its own
  always_comb begin
    astray = 1'b0;
    wrong  = 1'b0;
    for (int unsigned o = 0; o < Ports; o++) begin
      if (fresh[o] && out_data[o][3]) begin
        if (port_e'(o) != way) astray = 1'b1;
        if (out_head[o].dst != dst_q || out_head[o].hop != route(beyond(At, way), dst_q) ||
            (watch_q == PortL && out_head[o].src != At)) wrong = 1'b1;
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) came_q <= '0;
    else came_q <= came_q + 3'(came);
  end
  logic [2:0] stored;  // marked flits in the buffers
  logic [Ports-1:0][Depth-1:0] held;
  for (genvar p = 0; p < Ports; p++) begin : gen_held
    for (genvar i = 0; i < Depth; i++) begin : gen_slot
      assign held[p][i] = u_router.gen_input[p].u_pool.valid_q[i] && u_router.gen_input[p].u_pool.data_q[i][3];
    end
  end
  assign stored = 3'($countones(held));
  logic bad_q;
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) bad_q <= 1'b0;
    else bad_q <= bad_now;
  end

  // ---------------------------------------------------------- what makes the promises inductive
  logic [2:0] place[Ports][Depth];
  for (genvar p = 0; p < Ports; p++) begin : gen_place
    for (genvar i = 0; i < Depth; i++) begin : gen_slot
      assign place[p][i] = u_router.gen_input[p].u_pool.data_q[i][2:0] - came_q - 3'(came);
    end
  end
  function automatic logic leads(input ports_t queue, input port_e next);  // a flit of the queue may go there next
    leads = 1'b0;
    for (int unsigned o = 0; o < Ports; o++)
    if (queue[o] && (onehot(next) & far_queues(port_e'(o))) != '0) leads = 1'b1;
  endfunction
  logic [Ports-1:0] pool_whole, pool_counted, pool_fresh, pool_leads;
  for (genvar p = 0; p < Ports; p++) begin : gen_pool
    always_comb begin
      pool_whole[p] = 1'b1;
      pool_leads[p] = 1'b1;
      for (int unsigned i = 0; i < Depth; i++) begin
        if (u_router.gen_input[p].u_pool.valid_q[i] &&
            !leads(u_router.gen_input[p].u_pool.queue_q[i], u_router.gen_input[p].u_pool.next_q[i])) pool_leads[p] = 1'b0;
        if (held[p][i]) begin
          if (3'(p) != watch_q || place[p][i] >= stored || u_router.gen_input[p].u_pool.queue_q[i] != onehot(way) ||
              u_router.gen_input[p].u_pool.head_q[i].dst != dst_q ||
              u_router.gen_input[p].u_pool.next_q[i] != route(beyond(At, way), dst_q) ||
              (p == PortL && u_router.gen_input[p].u_pool.head_q[i].src != At))
            pool_whole[p] = 1'b0;
          for (int unsigned j = 0; j < Depth; j++)
          if (i != j && held[p][j] &&
              (place[p][i] == place[p][j] || u_router.gen_input[p].u_pool.behind_q[i][j] != (place[p][j] < place[p][i])))
            pool_whole[p] = 1'b0;
        end
      end
      pool_counted[p] = 32'(left_q[p]) + 32'($countones(u_router.gen_input[p].u_pool.valid_q)) + 32'($countones(credit[p])) == Depth;
      pool_fresh[p]   = !u_router.gen_input[p].u_pool.stale_q;
    end
  end
  for (genvar o = 0; o < Ports; o++) begin : gen_out
    Legal_A : assert property (@(posedge clk_i) disable iff (!rst_n)
                               !fresh[o] || (onehot(out_head[o].hop) & far_queues(port_e'(o))) != '0);
    for (genvar q = 0; q < Ports; q++) begin : gen_queue
      logic arrives;
      assign arrives = fresh[o] && onehot(out_head[o].hop) == (ports_t'(1) << q);
      Counted_A : assert property (@(posedge clk_i) disable iff (!rst_n)
                                   3'(u_router.gen_output[o].u_output.used_q[q]) == have_q[o][q] + 3'(arrives));
    end
  end
  StreamWhole_A : assert property (@(posedge clk_i) disable iff (!rst_n) pool_whole == '1);
  OnwardsLegal_A : assert property (@(posedge clk_i) disable iff (!rst_n) pool_leads == '1);
  SendersCounted_A : assert property (@(posedge clk_i) disable iff (!rst_n) pool_counted == '1 && pool_fresh == '1);
  InOrderOnce_A : assert property (@(posedge clk_i) disable iff (!rst_n) !came || number == came_q);
  NoneLost_A : assert property (@(posedge clk_i) disable iff (!rst_n) 3'(sent_q - came_q) == stored + 3'(came));
  NeverAstray_A : assert property (@(posedge clk_i) disable iff (!rst_n) !astray);
  OwnHeader_A : assert property (@(posedge clk_i) disable iff (!rst_n) !wrong);
  BadIsTold_A : assert property (@(posedge clk_i) disable iff (!rst_n) bad_valid == bad_q);
endmodule
