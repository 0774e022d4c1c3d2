// SPDX-License-Identifier: Apache-2.0
// Input buffer of one port of a router: Depth flits in any free slot, a queue for each output in Queues. Offers the
// oldest flit of every queue at once, so none waits behind a flit to another output, and each of them may be taken in
// the same cycle. A flit on the link whose queue is empty is offered in the cycle in which it arrives (latency 0); it is
// written if it is not taken, or stays on the link while all slots are taken: the sender has Depth + 1 credits, the last
// one for the link's register (noc_output). A credit goes back on credit_o, by queue, the cycle after a flit is taken.
// Keeps the order within a queue.
`include "rtl/common/assert.svh"
module noc_pool
  import noc_pkg::*;
#(
    parameter int unsigned Width  = 256,
    parameter int unsigned Depth  = 4,
    parameter ports_t      Queues = '1
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               tick_i,              // flits that wait grow older
    // arriving
    input  logic               in_valid_i,
    input  logic               in_drop_i,           // it goes nowhere: taken, and forgotten
    input  head_t              in_head_i,
    input  port_e              in_next_i,           // its output in the router after this one
    input  logic   [Width-1:0] in_data_i,
    // oldest of each queue
    output ports_t             out_valid_o,
    output head_t              out_head_o [Ports],  // hop: its output in the router after this one
    output logic   [Width-1:0] out_data_o [Ports],
    input  ports_t             take_i,
    output logic               dropped_o,           // a flit is dropped
    // to the sender
    output ports_t             credit_o
);
  logic [Depth-1:0] valid_q;
  logic  [Depth-1:0] behind_q[Depth];  // [i][j]: j is of the same queue, came before i and is still here
  ports_t queue_q[Depth];  // one-hot
  head_t head_q[Depth];
  port_e next_q[Depth];
  logic [Width-1:0] data_q[Depth];
  ports_t credit_q;

  // ------------------------------------------------------------------------------------------ offers
  ports_t in_queue, waiting;
  port_e next[Ports];
  logic [Depth-1:0] first[Ports];
  logic fresh, full, stale_q;
  assign full      = valid_q == '1;
  assign fresh     = in_valid_i && !stale_q;
  assign dropped_o = fresh && in_drop_i;
  assign in_queue  = fresh && !in_drop_i ? onehot(in_head_i.hop) & Queues : '0;
  always_comb begin
    for (int unsigned o = 0; o < Ports; o++) begin
      waiting[o] = 1'b0;
      first[o]   = '0;
      for (int unsigned i = 0; i < Depth; i++) begin
        if (Queues[o] && valid_q[i] && queue_q[i][o]) begin
          waiting[o]  = 1'b1;
          first[o][i] = behind_q[i] == '0;
        end
      end
      out_valid_o[o] = waiting[o] || in_queue[o];
      out_head_o[o] = waiting[o] ? '0 : in_head_i;
      next[o] = waiting[o] ? PortN : in_next_i;
      out_data_o[o] = waiting[o] ? '0 : in_data_i;
      for (int unsigned i = 0; i < Depth; i++) begin
        if (first[o][i]) begin
          out_head_o[o] |= head_q[i];
          next[o] = port_e'(next[o] | next_q[i]);
          out_data_o[o] |= data_q[i];
        end
      end
      out_head_o[o].hop = next[o];
    end
  end

  // ------------------------------------------------------------------------------------------- slots
  logic [Depth-1:0] pop, write;
  logic passes, store;
  assign passes = (in_queue & ~waiting & take_i) != '0;
  assign store  = in_queue != '0 && !passes && !full;
  always_comb begin
    pop = '0;
    for (int unsigned o = 0; o < Ports; o++) if (take_i[o]) pop |= first[o];
    write = '0;
    for (int unsigned i = 0; i < Depth; i++)
    if (store && !valid_q[i] && write == '0) write[i] = 1'b1;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q  <= '0;
      stale_q  <= 1'b0;
      credit_q <= '0;
      for (int unsigned i = 0; i < Depth; i++) begin
        behind_q[i] <= '0;
        queue_q[i]  <= '0;
      end
    end else begin
      valid_q  <= (valid_q & ~pop) | write;
      // While all slots are taken the sender cannot know yet that its flit has gone, and shows it once more.
      stale_q  <= full && (passes || dropped_o);
      credit_q <= take_i;
      for (int unsigned i = 0; i < Depth; i++) begin
        behind_q[i] <= behind_q[i] & ~pop;
        if (write[i]) begin
          queue_q[i] <= in_queue;
          for (int unsigned j = 0; j < Depth; j++)
          behind_q[i][j] <= valid_q[j] && !pop[j] && queue_q[j] == in_queue;
        end
      end
    end
  end
  assign credit_o = credit_q;

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Depth; i++) begin
      head_q[i] <= older(write[i] ? in_head_i : head_q[i], tick_i);
      if (write[i]) begin
        next_q[i] <= in_next_i;
        data_q[i] <= in_data_i;
      end
    end
  end

  logic ordered;  // the flits of a queue stand one behind the other, and behind no one else
  always_comb begin
    ordered = 1'b1;
    for (int unsigned i = 0; i < Depth; i++) begin
      for (int unsigned j = 0; j < Depth; j++) begin
        if (valid_q[i] && valid_q[j] && i != j && queue_q[i] == queue_q[j] && behind_q[i][j] == behind_q[j][i])
          ordered = 1'b0;
        if (valid_q[i] && behind_q[i][j] && (i == j || !valid_q[j] || queue_q[i] != queue_q[j]))
          ordered = 1'b0;
        for (int unsigned k = 0; k < Depth; k++)
        if (valid_q[i] && valid_q[j] && behind_q[i][j] && behind_q[j][k] && !behind_q[i][k])
          ordered = 1'b0;
      end
      if (valid_q[i] && !($onehot(queue_q[i]) && (queue_q[i] & ~Queues) == '0)) ordered = 1'b0;
    end
  end
  `ASSERT(QueuesAreOrdered_A, ordered)
  `ASSERT(WrittenWhereFree_A, !store || write != '0)
  `ASSERT(ArrivesInAQueue_A, !fresh || in_drop_i || in_queue != '0)
  `ASSERT(TakesWhatIsThere_A, (take_i & ~out_valid_o) == '0)
  for (genvar o = 0; o < Ports; o++) begin : gen_first
    `ASSERT(OneIsFirst_A, $onehot0(first[o]) && (first[o] != '0) == waiting[o])
  end
endmodule
