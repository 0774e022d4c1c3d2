// SPDX-License-Identifier: Apache-2.0
// Router of the network that spreads flits from a tile to a set of tiles (docs/net.md, 5, 7). A flit's mask names the tiles
// that it is for; the flit goes to every output behind which there are some, with the mask cut to those: x first, then y,
// to the tile on its own bit. Each branch goes when its output has a credit and takes the input's turn; the flit leaves
// its fifo when all have gone, and so holds up what is behind it. One cycle a hop, a flit a cycle and output.
// Every output is a flip-flop and nothing depends on an input of another tile in the same cycle but through one.
// Order is kept from a source to each destination. Senders count credits with noc_dn_sender: Depth a link, those of the
// tile (out_*_o[PortL]) too.
// Not supported: an empty mask, one that names a tile outside the mesh; the coordinates change only while all is idle.
`include "rtl/common/assert.svh"
module noc_dn
  import noc_pkg::*;
  import noc_coll_pkg::*;
#(
    parameter int unsigned Width = 256,
    parameter int unsigned Depth = 4
) (
    input logic clk_i,
    input logic rst_ni,
    // place
    input coord_t at_i,
    input coord_t last_i,  // the mesh's south-east corner
    // inputs
    input logic [Ports-1:0] in_valid_i,
    input dn_ctl_t in_ctl_i[Ports],
    input logic [Width-1:0] in_data_i[Ports],
    output logic [Ports-1:0] credit_o,
    // outputs
    output logic [Ports-1:0] out_valid_o,
    output dn_ctl_t out_ctl_o[Ports],
    output logic [Width-1:0] out_data_o[Ports],
    input logic [Ports-1:0] credit_i,
    // status
    output logic idle_o  // nothing is held in it, output registers included
);
  if (Width < 1 || Width > 1024) begin : gen_check_width
    $error("noc_dn: Width must be 1 to 1024");
  end
  if (Depth < 1 || Depth > 16) begin : gen_check_depth
    $error("noc_dn: Depth must be 1 to 16");
  end

  // ------------------------------------------------------------------------------------------ inputs
  logic [Ports-1:0] valid, take, empty;
  dn_ctl_t             ctl   [Ports];
  logic    [Width-1:0] data  [Ports];
  ports_t              wants [Ports];  // [input]: branches to come
  ports_t              gone_q[Ports];  // [input]: branches of the oldest that have gone
  ports_t              grant [Ports];  // [output]
  ports_t              goes  [Ports];  // [input]

  for (genvar p = 0; p < Ports; p++) begin : gen_input
    noc_dn_fifo #(
        .Width(Width),
        .Depth(Depth)
    ) u_fifo (
        .clk_i,
        .rst_ni,
        .in_valid_i (in_valid_i[p]),
        .in_ctl_i   (in_ctl_i[p]),
        .in_data_i  (in_data_i[p]),
        .credit_o   (credit_o[p]),
        .out_valid_o(valid[p]),
        .out_ctl_o  (ctl[p]),
        .out_data_o (data[p]),
        .take_i     (take[p]),
        .empty_o    (empty[p])
    );
    ports_t asks;
    always_comb begin
      for (int unsigned o = 0; o < Ports; o++)
      asks[o] = dn_turns(port_e'(p)) [o] && dn_prune(ctl[p].mask, at_i, port_e'(o)) != '0;
    end
    assign wants[p] = valid[p] ? asks & ~gone_q[p] : '0;
    for (genvar o = 0; o < Ports; o++) begin : gen_goes
      assign goes[p][o] = grant[o][p];
    end
    assign take[p] = valid[p] && (wants[p] & ~goes[p]) == '0;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) gone_q[p] <= '0;
      else gone_q[p] <= take[p] ? '0 : gone_q[p] | goes[p];
    end
    ports_t ways;  // whatever this input's flits may ask for
    always_comb begin
      for (int unsigned o = 0; o < Ports; o++)
      ways[o] = dn_prune(ctl[p].mask, at_i, port_e'(o)) != '0;
    end
    `ASSERT(IsForSomeTile_A, !valid[p] || asks != '0)
    `ASSERT(TurnsAllowed_A, !valid[p] || (ways & ~dn_turns(port_e'(p))) == '0)
    `ASSERT(StaysInTheMesh_A, !in_valid_i[p] || (in_ctl_i[p].mask & ~mesh_of(last_i)) == '0)
  end

  // ----------------------------------------------------------------------------------------- outputs
  for (genvar o = 0; o < Ports; o++) begin : gen_output
    ports_t request;
    logic ready, send;
    for (genvar p = 0; p < Ports; p++) begin : gen_request
      assign request[p] = dn_turns(port_e'(p)) [o] && wants[p][o] && ready;
    end
    common_arbiter #(
        .Num   (Ports),
        .LevelW(1)
    ) u_arbiter (
        .clk_i,
        .rst_ni,
        .req_i  (request),
        .level_i('0),
        .use_i  (send),
        .grant_o(grant[o])
    );
    assign send = grant[o] != '0;
    noc_dn_sender #(
        .Depth(Depth)
    ) u_sender (
        .clk_i,
        .rst_ni,
        .ready_o (ready),
        .send_i  (send),
        .credit_i(credit_i[o])
    );

    dn_ctl_t chosen_ctl;
    logic [Width-1:0] chosen_data;
    always_comb begin
      chosen_ctl  = '0;
      chosen_data = '0;
      for (int unsigned p = 0; p < Ports; p++) begin
        if (dn_turns(port_e'(p)) [o] && grant[o][p]) begin
          chosen_ctl |= ctl[p];
          chosen_data |= data[p];
        end
      end
      chosen_ctl.mask = dn_prune(chosen_ctl.mask, at_i, port_e'(o));
    end

    logic valid_q;
    dn_ctl_t ctl_q;
    logic [Width-1:0] data_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q <= 1'b0;
      else valid_q <= send;
    end
    always_ff @(posedge clk_i) begin
      if (send) begin
        ctl_q  <= chosen_ctl;
        data_q <= chosen_data;
      end
    end
    assign out_valid_o[o] = valid_q;
    assign out_ctl_o[o]   = ctl_q;
    assign out_data_o[o]  = data_q;
    `ASSERT(BranchHasTiles_A, !valid_q || ctl_q.mask != '0)
  end

  logic idle_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) idle_q <= 1'b1;
    else idle_q <= in_valid_i == '0 && empty == '1;
  end
  assign idle_o = idle_q;
  `ASSERT(IdleHoldsNothing_A, !idle_q || (empty == '1 && out_valid_o == '0))
endmodule
