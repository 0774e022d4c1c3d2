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
  logic [2:0] data[Ports];
  logic [2:0] left_q[Ports];
  logic [1:0] sent_q, came_q;
  always_comb begin
    for (int unsigned p = 0; p < Ports; p++) begin
      head[p]   = head_i[p];
      valid[p]  = valid_i[p] && left_q[p] != '0 &&
          (p == PortL || (head[p].hop == route(At, head[p].dst) && (turns(port_e'(p)) & onehot(head[p].hop)) != '0 &&
                          head[p].dst.x <= Last.x && head[p].dst.y <= Last.y));
      stream[p] = valid[p] && 3'(p) == watch_q && head[p].dst == dst_q;
      data[p]   = {stream[p], stream[p] ? sent_q : 2'd0};
    end
  end
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      sent_q <= '0;
      for (int unsigned p = 0; p < Ports; p++) left_q[p] <= 3'(Depth);
    end else begin
      sent_q <= sent_q + 2'(stream != '0 && !(stream[PortL] && bad_now));
      for (int unsigned p = 0; p < Ports; p++) left_q[p] <= left_q[p] + 3'($countones(credit[p])) - 3'(valid[p]);
    end
  end

  // -------------------------------------------------------------------- receivers: give back what they have
  ports_t out_valid, give[Ports];
  head_t out_head[Ports];
  logic [2:0] out_data[Ports];
  logic [2:0] have_q[Ports][Ports];  // by output, by queue
  ports_t seen_q;  // what is on the link has been counted
  ports_t fresh;
  logic bad_now, bad_valid;
  coord_t bad_dst;
  assign bad_now = valid[PortL] && (head[PortL].dst.x > Last.x || head[PortL].dst.y > Last.y || head[PortL].dst == At);
  noc_router #(
      .Width(3),
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
  logic [1:0] number;
  always_comb begin
    came   = 1'b0;
    number = '0;
    for (int unsigned o = 0; o < Ports; o++) begin
      if (port_e'(o) == way && fresh[o] && out_data[o][2]) begin
        came   = 1'b1;
        number = out_data[o][1:0];
      end
    end
  end
  logic astray, wrong;  // a marked flit on another output; or with a header that is not its own
  always_comb begin
    astray = 1'b0;
    wrong  = 1'b0;
    for (int unsigned o = 0; o < Ports; o++) begin
      if (fresh[o] && out_data[o][2]) begin
        if (port_e'(o) != way) astray = 1'b1;
        if (out_head[o].dst != dst_q || out_head[o].hop != route(beyond(At, way), dst_q) ||
            (watch_q == PortL && out_head[o].src != At)) wrong = 1'b1;
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) came_q <= '0;
    else came_q <= came_q + 2'(came);
  end
  logic bad_q;
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) bad_q <= 1'b0;
    else bad_q <= bad_now;
  end
  InOrderOnce_A : assert property (@(posedge clk_i) disable iff (!rst_n) !came || number == came_q);
  NoneInventedOrLost_A : assert property (@(posedge clk_i) disable iff (!rst_n) 32'(2'(sent_q - came_q)) <= Depth + 1);
  NeverAstray_A : assert property (@(posedge clk_i) disable iff (!rst_n) !astray);
  OwnHeader_A : assert property (@(posedge clk_i) disable iff (!rst_n) !wrong);
  BadIsTold_A : assert property (@(posedge clk_i) disable iff (!rst_n) bad_valid == bad_q);
endmodule
