// SPDX-License-Identifier: Apache-2.0
// One link: noc_output at its near end with any requests, noc_pool at its far end with any takes. Credits are conserved (the
// modules' own assertions); every flit of a queue, chosen freely, that leaves the near end is taken from the far end once and in
// order, and what is between the two is in the pool or on the link. Flits of that queue carry a count; every queue is the chosen one in
// some run.
module noc_link_proof
  import noc_pkg::*;
#(
    parameter int unsigned Depth = 2
) (
    input logic         clk_i,
    input logic         tick_i,
    input ports_t       in_valid_i,
    input head_t        in_head_i[Ports],
    input logic   [2:0] in_data_i[Ports],
    input ports_t       take_i,
    input logic   [2:0] watch_i,
    input head_t        flit_i
);
  localparam ports_t Queues = far_queues(PortE);
  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;

  logic [2:0] watch_q;  // the queue
  always_ff @(posedge clk_i) if (!rst_n) watch_q <= watch_i;
  ports_t watch;
  assign watch = ports_t'(1) << watch_q;

  // Any flits, of queues that there are; those of the chosen queue carry the number of those sent before.
  logic [2:0] sent_q, taken_q;
  head_t head[Ports];
  logic [2:0] data[Ports];
  ports_t valid, grant;
  always_comb begin
    for (int unsigned p = 0; p < Ports; p++) begin
      head[p]  = in_head_i[p];
      valid[p] = in_valid_i[p] && (onehot(head[p].hop) & Queues) != '0;
      data[p]  = onehot(head[p].hop) == watch ? sent_q : in_data_i[p];
    end
  end
  logic sent;
  always_comb begin
    sent = 1'b0;
    for (int unsigned p = 0; p < Ports; p++) if (grant[p] && onehot(head[p].hop) == watch) sent = 1'b1;
  end

  logic link_valid;
  head_t link_head;
  logic [2:0] link_data;
  ports_t credit, out_valid;
  head_t out_head[Ports];
  logic [2:0] out_data[Ports];
  noc_output #(
      .Width(3),
      .Credits(Depth + 1),
      .Cap(Depth),
      .Hold(1'b1),
      .Sources('1),
      .Queues(Queues)
  ) u_output (
      .clk_i,
      .rst_ni(rst_n),
      .tick_i,
      .in_valid_i(valid),
      .in_head_i(head),
      .in_data_i(data),
      .take_o(grant),
      .out_valid_o(link_valid),
      .out_head_o(link_head),
      .out_data_o(link_data),
      .credit_i(credit)
  );
  noc_pool #(
      .Width (3),
      .Depth (Depth),
      .Queues(Queues)
  ) u_pool (
      .clk_i,
      .rst_ni(rst_n),
      .tick_i,
      .in_valid_i(link_valid),
      .in_drop_i(1'b0),
      .in_head_i(link_head),
      .in_next_i(flit_i.hop),
      .in_data_i(link_data),
      .out_valid_o(out_valid),
      .out_head_o(out_head),
      .out_data_o(out_data),
      .take_i(take_i & out_valid),
      .dropped_o(),
      .credit_o(credit)
  );

  logic taken;
  assign taken = (take_i & out_valid & watch) != '0;
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      sent_q  <= '0;
      taken_q <= '0;
    end else begin
      sent_q  <= sent_q + 3'(sent);
      taken_q <= taken_q + 3'(taken);
    end
  end
  logic [2:0] between, got;
  always_comb begin
    between = 3'(link_valid && !u_pool.stale_q && onehot(link_head.hop) == watch);
    for (int unsigned i = 0; i < Depth; i++) between += 3'(u_pool.valid_q[i] && u_pool.queue_q[i] == watch);
    got = '0;
    for (int unsigned q = 0; q < Ports; q++) if (watch[q]) got |= out_data[q];
  end

  // ---------------------------------------------------------- what makes the promises inductive
  logic fresh, counted, placed;
  logic [2:0] place[Depth];
  logic [3:0] stored, queued;
  assign fresh = link_valid && !u_pool.stale_q;
  always_comb begin
    stored  = 4'($countones(u_pool.valid_q)) + 4'(fresh);
    counted = 4'(u_output.free_q) + 4'($countones(credit)) + stored == 4'(Depth + 1) &&
        !(u_pool.stale_q && (!link_valid || credit == '0));
    queued  = '0;
    for (int unsigned q = 0; q < Ports; q++) begin
      queued = 4'(fresh && onehot(link_head.hop) == (ports_t'(1) << q)) + 4'(credit[q]);
      for (int unsigned i = 0; i < Depth; i++) queued += 4'(u_pool.valid_q[i] && u_pool.queue_q[i][q]);
      if (4'(u_output.used_q[q]) != queued) counted = 1'b0;
    end
    if (fresh && (onehot(link_head.hop) & Queues) == '0) counted = 1'b0;
    placed = 1'b1;
    for (int unsigned i = 0; i < Depth; i++) place[i] = u_pool.data_q[i] - taken_q;
    for (int unsigned i = 0; i < Depth; i++) begin
      if (u_pool.valid_q[i] && u_pool.queue_q[i] == watch) begin
        if (place[i] >= between) placed = 1'b0;
        for (int unsigned j = 0; j < Depth; j++)
        if (i != j && u_pool.valid_q[j] && u_pool.queue_q[j] == watch &&
            (place[i] == place[j] || u_pool.behind_q[i][j] != (place[j] < place[i])))
          placed = 1'b0;
        if (fresh && onehot(link_head.hop) == watch && u_pool.data_q[i] == link_data) placed = 1'b0;
      end
    end
    if (fresh && onehot(link_head.hop) == watch && link_data != sent_q - 3'd1) placed = 1'b0;
  end
  Counted_A : assert property (@(posedge clk_i) disable iff (!rst_n) counted);
  Placed_A : assert property (@(posedge clk_i) disable iff (!rst_n) placed);

  InOrderOnce_A : assert property (@(posedge clk_i) disable iff (!rst_n) (out_valid & watch) == '0 || got == taken_q);
  NoneLost_A : assert property (@(posedge clk_i) disable iff (!rst_n) 3'(sent_q - taken_q) == between);
endmodule
