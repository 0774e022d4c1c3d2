// SPDX-License-Identifier: Apache-2.0
// A tile's part of one unicast network, req or rsp: sender, router, inbox, and a fifo beside the network for what the tile sends
// to itself. What comes from the network and from the tile itself leaves in turns. Two cycles from in_i to a link's register.
module net_unicast
  import noc_pkg::*;
#(
    parameter int unsigned Width = 256,
    parameter int unsigned Depth = 4
) (
    input logic clk_i,
    input logic rst_ni,
    input coord_t at_i,
    input coord_t last_i,
    // from the tile
    input logic in_valid_i,
    input coord_t in_dst_i,
    input logic [Width-1:0] in_i,
    output logic in_ready_o,
    // to the tile
    output logic out_valid_o,
    output coord_t out_src_o,
    output logic [Width-1:0] out_o,
    input logic out_ready_i,
    // links N, E, S, W
    input logic [3:0] link_valid_i,
    input head_t link_head_i[4],
    input logic [Width-1:0] link_data_i[4],
    output ports_t credit_o[4],
    output logic [3:0] link_valid_o,
    output head_t link_head_o[4],
    output logic [Width-1:0] link_data_o[4],
    input ports_t credit_i[4],
    output logic moving_o,  // a flit left the router, or stands before the tile
    output logic bad_o  // a flit for a tile that does not exist
);
  logic to_self, self_room, self_valid, from_self, net_valid, turn_q, inbox_credit;
  logic [Width-1:0] self, net;
  head_t  net_head;
  ports_t take;
  logic [Ports-1:0] iv, ov;
  head_t ih[Ports], oh[Ports], sender_head[Ports];
  logic [Width-1:0] id[Ports], od[Ports], sender_data[Ports];
  ports_t ic[Ports], oc[Ports];

  assign to_self    = in_dst_i == at_i;
  assign in_ready_o = to_self ? self_room : take[PortL];
  common_fifo #(
      .data_t(logic [Width-1:0]),
      .Depth (2)
  ) u_self (
      .clk_i,
      .rst_ni,
      .in_valid_i (in_valid_i && to_self),
      .in_ready_o (self_room),
      .in_i,
      .out_valid_o(self_valid),
      .out_ready_i(from_self && out_ready_i),
      .out_o      (self),
      .count_o    ()
  );
  for (genvar p = 0; p < Ports; p++) begin : gen_sender
    assign sender_head[p] = '{hop: route(at_i, in_dst_i), age: '0, src: at_i, dst: in_dst_i};
    assign sender_data[p] = in_i;
  end
  noc_output #(
      .Width  (Width),
      .Credits(Depth),
      .Cap    (Depth),
      .Hold   (1'b0),
      .Sources(onehot(PortL)),
      .Queues (turns(PortL))
  ) u_sender (
      .clk_i,
      .rst_ni,
      .tick_i     (1'b0),
      .in_valid_i (in_valid_i && !to_self ? onehot(PortL) : '0),
      .in_head_i  (sender_head),
      .in_data_i  (sender_data),
      .take_o     (take),
      .out_valid_o(iv[PortL]),
      .out_head_o (ih[PortL]),
      .out_data_o (id[PortL]),
      .credit_i   (oc[PortL])
  );
  noc_router #(
      .Width(Width),
      .Depth(Depth)
  ) u_router (
      .clk_i,
      .rst_ni,
      .at_i,
      .last_i,
      .in_valid_i (iv),
      .in_head_i  (ih),
      .in_data_i  (id),
      .credit_o   (oc),
      .out_valid_o(ov),
      .out_head_o (oh),
      .out_data_o (od),
      .credit_i   (ic),
      .bad_valid_o(bad_o),
      .bad_dst_o  ()
  );
  for (genvar p = 0; p < 4; p++) begin : gen_link
    assign iv[p]           = link_valid_i[p];
    assign ih[p]           = link_head_i[p];
    assign id[p]           = link_data_i[p];
    assign ic[p]           = credit_i[p];
    assign credit_o[p]     = oc[p];
    assign link_valid_o[p] = ov[p];
    assign link_head_o[p]  = oh[p];
    assign link_data_o[p]  = od[p];
  end
  net_inbox #(
      .Width($bits(head_t) + Width),
      .Depth(Depth)
  ) u_inbox (
      .clk_i,
      .rst_ni,
      .in_valid_i (ov[PortL]),
      .in_i       ({oh[PortL], od[PortL]}),
      .credit_o   (inbox_credit),
      .out_valid_o(net_valid),
      .out_ready_i(!from_self && out_ready_i),
      .out_o      ({net_head, net})
  );
  assign ic[PortL]   = inbox_credit ? onehot(PortL) : '0;

  assign from_self   = self_valid && (!net_valid || turn_q);
  assign out_valid_o = self_valid || net_valid;
  assign out_src_o   = from_self ? at_i : net_head.src;
  assign out_o       = from_self ? self : net;
  assign moving_o    = ov != '0 || out_valid_o;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) turn_q <= 1'b0;
    else if (out_valid_o && out_ready_i) turn_q <= !from_self;
  end
endmodule
