// SPDX-License-Identifier: Apache-2.0
// noc_dn in the middle of a 3 x 3 mesh, whose neighbours send any legal masks within their credits and give credits back
// whenever they like. Watched: one input and one output, chosen freely. Flits of that input which are for tiles beyond that
// output carry a count: each leaves by it once and in order, and none is lost. Every flit that leaves was sent: it names its
// input, and has the part of its mask that lies beyond (one tile, chosen freely), its other control bits and its data. None
// leaves without a credit; while there is one, the oldest flit of an input waits for four others at most. The parts of the mesh
// beyond each output are written down here, not taken from noc_coll_pkg.
module noc_dn_proof
  import noc_pkg::*;
  import noc_coll_pkg::*;
#(
    parameter int unsigned Depth = 2
) (
    input logic          clk_i,
    input ports_t        valid_i,
    input logic [63:0]   mask_i [Ports],  // only the tiles of the mesh that this input may bring
    input ports_t        rest_i,          // the other control bits: all of Pattern inverted or none
    input ports_t        give_i,          // credits of the receivers
    input port_e         in_i,
    input port_e         out_i,
    input logic    [5:0] tile_i
);
  localparam coord_t At = '{x: 3'd1, y: 3'd1};
  localparam coord_t Last = '{x: 3'd2, y: 3'd2};
  localparam int unsigned RestW = $bits(dn_ctl_t) - 64;
  // Rows of eight tiles, the southernmost first: beyond N, E, S, W and the tile.
  localparam logic [63:0] Beyond[Ports] = '{64'h000002, 64'h040404, 64'h020000, 64'h010101, 64'h000200};
  // What comes from N, E, S, W, the tile: a flit that has turned into a column stays there.
  localparam logic [63:0] Legal[Ports] = '{64'h020200, 64'h030303, 64'h000202, 64'h060606, 64'h070707};
  localparam logic [RestW-1:0] Pattern = RestW'(64'h3a5c_96e1_d274_b80f);
  typedef struct packed {
    port_e from;
    logic asks;  // for the watched output
    logic tile;  // the watched tile is in its mask
    logic rest;  // the other control bits are Pattern inverted
    logic [2:0] number;  // of those before it from the same input that ask for the watched output
  } mark_t;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;
  port_e in_q, out_q;
  logic [5:0] tile_q;
  always_ff @(posedge clk_i) begin
    if (!rst_n) begin
      in_q   <= in_i;
      out_q  <= out_i;
      tile_q <= tile_i;
    end
  end
  logic chosen;
  assign chosen = 32'(in_q) < Ports && 32'(out_q) < Ports && Legal[PortL][tile_q];
  WatchesOne_M : assume property (@(posedge clk_i) !rst_n || chosen);
  logic [63:0] beyond_out;
  assign beyond_out = Beyond[out_q];

  // ------------------------------------------------------------------------ senders: Depth flits at most
  ports_t credit, valid, stream;
  dn_ctl_t ctl[Ports];
  mark_t mark[Ports];
  logic [2:0] left_q[Ports];
  logic [2:0] sent_q, came_q;
  for (genvar p = 0; p < Ports; p++) begin : gen_sender
    always_comb begin
      ctl[p] = {mask_i[p] & Legal[p], Pattern ^ {RestW{rest_i[p]}}};
      valid[p]  = valid_i[p] && left_q[p] != '0 && ctl[p].mask != '0;
      stream[p] = valid[p] && in_q == port_e'(p) && (ctl[p].mask & beyond_out) != '0;
      mark[p] = '{
          from: port_e'(p),
          asks: (ctl[p].mask & beyond_out) != '0,
          tile: ctl[p].mask[tile_q],
          rest: rest_i[p],
          number: sent_q
      };
    end
    always_ff @(posedge clk_i or negedge rst_n) begin
      if (!rst_n) left_q[p] <= 3'(Depth);
      else left_q[p] <= left_q[p] + 3'(credit[p]) - 3'(valid[p]);
    end
  end

  // ---------------------------------------------------------------------------------------- receivers
  ports_t out_valid, give;
  dn_ctl_t out_ctl[Ports];
  mark_t out_mark[Ports];
  logic [2:0] have_q[Ports];
  noc_dn #(
      .Width($bits(mark_t)),
      .Depth(Depth)
  ) u_dn (
      .clk_i,
      .rst_ni(rst_n),
      .at_i(At),
      .last_i(Last),
      .in_valid_i(valid),
      .in_ctl_i(ctl),
      .in_data_i(mark),
      .credit_o(credit),
      .out_valid_o(out_valid),
      .out_ctl_o(out_ctl),
      .out_data_o(out_mark),
      .credit_i(give),
      .idle_o()
  );
  for (genvar o = 0; o < Ports; o++) begin : gen_receiver
    assign give[o] = give_i[o] && have_q[o] != '0;
    always_ff @(posedge clk_i or negedge rst_n) begin
      if (!rst_n) have_q[o] <= '0;
      else have_q[o] <= have_q[o] + 3'(out_valid[o]) - 3'(give[o]);
    end
    WithinCredits_A : assert property (@(posedge clk_i) disable iff (!rst_n) 32'(have_q[o]) + 32'(out_valid[o]) <= Depth);
    Counted_A : assert property (@(posedge clk_i) disable iff (!rst_n)
                                 32'(u_dn.gen_output[o].u_sender.free_q) + 32'(have_q[o]) + 32'(out_valid[o]) == Depth);
  end

  // ------------------------------------------------------------------------------------------ promises
  logic leaves, came;
  mark_t left;
  dn_ctl_t left_ctl;
  logic [RestW-1:0] left_rest;
  assign leaves = out_valid[out_q];
  assign left = out_mark[out_q];
  assign left_ctl = out_ctl[out_q];
  assign left_rest = left_ctl[RestW-1:0];
  assign came = leaves && left.from == in_q;
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      sent_q <= '0;
      came_q <= '0;
    end else begin
      sent_q <= sent_q + 3'(stream != '0);
      came_q <= came_q + 3'(came);
    end
  end
  InOrderOnce_A : assert property (@(posedge clk_i) disable iff (!rst_n) !came || left.number == came_q);
  WasSent_A : assert property (@(posedge clk_i) disable iff (!rst_n) !leaves || (32'(left.from) < Ports && left.asks));
  OwnMask_A : assert property (@(posedge clk_i) disable iff (!rst_n)
                               !leaves || left_ctl.mask[tile_q] == (left.tile && beyond_out[tile_q]));
  OwnControl_A : assert property (@(posedge clk_i) disable iff (!rst_n) !leaves || left_rest == (Pattern ^ {RestW{left.rest}}));

  // ------------------------------------------------------------------------- what the fifos hold, and why
  ports_t whole, counted, in_order, held, front;
  logic [2:0] stored[Ports];
  for (genvar p = 0; p < Ports; p++) begin : gen_input
    always_comb begin
      automatic logic pending;
      automatic dn_ctl_t c;
      automatic mark_t m;
      automatic logic [RestW-1:0] r;
      automatic ports_t asks;
      automatic int unsigned at;
      whole[p]    = 1'b1;
      in_order[p] = 1'b1;
      stored[p]   = '0;
      held[p]     = u_dn.gen_input[p].u_fifo.count_q != '0;
      front[p]    = stream[p];
      if (!held[p] && u_dn.gone_q[p] != '0) whole[p] = 1'b0;
      for (int unsigned k = 0; k < Depth; k++) begin
        at = (32'(u_dn.gen_input[p].u_fifo.rd_q) + k) % Depth;
        c  = u_dn.gen_input[p].u_fifo.ctl_q[at];
        m  = u_dn.gen_input[p].u_fifo.data_q[at];
        r  = c[RestW-1:0];
        for (int unsigned o = 0; o < Ports; o++) asks[o] = (c.mask & Beyond[o]) != '0;
        if (k < 32'(u_dn.gen_input[p].u_fifo.count_q)) begin
          pending = (c.mask & beyond_out) != '0 && !(k == 0 && u_dn.gone_q[p][out_q]);
          if (m.from != port_e'(p) || c.mask == '0 || (c.mask & ~Legal[p]) != '0 || m.asks != asks[out_q] ||
              m.tile != c.mask[tile_q] || r != (Pattern ^ {RestW{m.rest}}))
            whole[p] = 1'b0;
          // Of the oldest, some branches have gone, not all.
          if (k == 0 && ((u_dn.gone_q[p] & ~asks) != '0 || u_dn.gone_q[p] == asks)) whole[p] = 1'b0;
          if (k == 0) front[p] = pending && in_q == port_e'(p);
          if (pending && in_q == port_e'(p)) begin
            if (m.number != came_q + 3'(came) + stored[p]) in_order[p] = 1'b0;
            stored[p] += 3'd1;
          end
        end
      end
      counted[p] = 32'(left_q[p]) + 32'(u_dn.gen_input[p].u_fifo.count_q) + 32'(credit[p]) == Depth;
      if (32'(u_dn.gen_input[p].u_fifo.rd_q) >= Depth ||
          (32'(u_dn.gen_input[p].u_fifo.rd_q) + 32'(u_dn.gen_input[p].u_fifo.count_q)) % Depth != 32'(u_dn.gen_input[p].u_fifo.wr_q))
        counted[p] = 1'b0;
    end
  end
  FifosWhole_A : assert property (@(posedge clk_i) disable iff (!rst_n) whole == '1);
  SendersCounted_A : assert property (@(posedge clk_i) disable iff (!rst_n) counted == '1);
  StreamInOrder_A : assert property (@(posedge clk_i) disable iff (!rst_n) in_order == '1);
  NoneLost_A : assert property (@(posedge clk_i) disable iff (!rst_n) 3'(sent_q - came_q) == stored[in_q] + 3'(came));

  // ---------------------------------------------------- clocks in which the oldest could go and another went
  logic room, goes;
  logic [2:0] wait_q;
  assign room = 32'(have_q[out_q]) + 32'(leaves) < Depth || give[out_q];
  assign goes = u_dn.grant[out_q][in_q];
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) wait_q <= '0;
    else if (goes || !front[in_q]) wait_q <= '0;
    else if (room) wait_q <= wait_q + 3'd1;
  end
  ports_t ahead[Ports];  // [output]: who goes before the watched input
  for (genvar o = 0; o < Ports; o++) begin : gen_ahead
    assign ahead[o] = u_dn.gen_output[o].u_arbiter.ahead_q[in_q] & ~onehot(in_q);
  end
  GoesOnlyIfThere_A : assert property (@(posedge clk_i) disable iff (!rst_n) !goes || (front[in_q] && room));
  TurnComes_A : assert property (@(posedge clk_i) disable iff (!rst_n) 32'(wait_q) + 32'($countones(ahead[out_q])) < Ports);
  ServedInTurn_A : assert property (@(posedge clk_i) disable iff (!rst_n) 32'(wait_q) < Ports);

  // ------------------------------------------------------------------- covers: each is reached (noc_*_reach)
  ports_t now;
  logic part;
  assign now = u_dn.goes[in_q];
  assign part = u_dn.gone_q[in_q] != '0 && (u_dn.gone_q[in_q] & onehot(out_q)) == '0 && front[in_q];
  AllBranchesAtOnce_C : assert property (@(posedge clk_i) disable iff (!rst_n) now != '1);
  OthersWentBefore_C : assert property (@(posedge clk_i) disable iff (!rst_n) !(part && held == '1));
  WaitsItsTurn_C : assert property (@(posedge clk_i) disable iff (!rst_n) 32'(wait_q) < Ports - 1);
  ThirdComes_C : assert property (@(posedge clk_i) disable iff (!rst_n) !(came && came_q == 3'd2 && sent_q == 3'd4));
  ReceiverFull_C : assert property (@(posedge clk_i) disable iff (!rst_n) !(32'(have_q[out_q]) == Depth && front[in_q]));
endmodule
