// SPDX-License-Identifier: Apache-2.0
// Router of one physical network of the mesh: five ports (N, E, S, W, tile), XY routing, single-beat flits.
// A flit on an input in one cycle is on its output in the next if it wins: one cycle a hop, a flit a cycle and output.
// Every output is a flip-flop and nothing depends on an input in the same cycle. Order is kept from a source to a
// destination. Links have credits: a sender has Depth + 1 for a port, Cap of them for one output (Depth for the tile, which
// gives them back on bit PortL), and gets each back on credit_o, by output, the cycle after the flit has left. With no credit
// left it leaves the flit on the link until one comes; a tile that uses only Depth of them never has to.
// The tile's flits (in_*_i[PortL]) carry dst and age; src and hop are filled in here. One for a coordinate outside the mesh, or
// for this tile itself, does not enter: bad_valid_o tells, and its credit comes back as credit_o[PortL][PortL].
// Not supported: multicast, reduction, changing the coordinates while flits are on their way.
`include "rtl/common/assert.svh"
module noc_router
  import noc_pkg::*;
#(
    parameter int unsigned Width    = 256,
    parameter int unsigned Depth    = 4,
    parameter int unsigned Cap      = Depth,
    parameter int unsigned AgeShift = 3       // a tick of age is 2^AgeShift cycles
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    // place: stable while flits are on their way
    input  coord_t             at_i,
    input  coord_t             last_i,              // the mesh's south-east corner
    // inputs
    input  logic   [Ports-1:0] in_valid_i,
    input  head_t              in_head_i  [Ports],
    input  logic   [Width-1:0] in_data_i  [Ports],
    output ports_t             credit_o   [Ports],
    // outputs
    output logic   [Ports-1:0] out_valid_o,
    output head_t              out_head_o [Ports],
    output logic   [Width-1:0] out_data_o [Ports],
    input  ports_t             credit_i   [Ports],
    // a flit of the tile that cannot be delivered
    output logic               bad_valid_o,
    output coord_t             bad_dst_o
);
  if (Depth < 2 || Depth > 16) begin : gen_check_depth
    $error("noc_router: Depth must be 2 to 16");
  end
  if (Cap < 1 || Cap > Depth + 1) begin : gen_check_cap
    $error("noc_router: Cap must be 1 to Depth + 1");
  end

  // --------------------------------------------------------------------------------- the tile's flits
  logic bad, bad_valid_q;
  coord_t bad_dst_q;
  head_t  local_head;
  logic   dropped;
  always_comb begin
    local_head = in_head_i[PortL];
    local_head.src = at_i;
    local_head.hop = route(at_i, local_head.dst);
    bad = local_head.dst.x > last_i.x || local_head.dst.y > last_i.y || local_head.hop == PortL;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) bad_valid_q <= 1'b0;
    else bad_valid_q <= dropped;
  end
  always_ff @(posedge clk_i) if (dropped) bad_dst_q <= local_head.dst;
  assign bad_valid_o = bad_valid_q;
  assign bad_dst_o   = bad_dst_q;

  // --------------------------------------------------------------------------------------------- age
  logic tick;
  if (AgeShift == 0) begin : gen_tick
    assign tick = 1'b1;
  end else begin : gen_slow_tick
    logic [AgeShift-1:0] tick_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) tick_q <= '0;
      else tick_q <= tick_q + 1'b1;
    end
    assign tick = tick_q == '0;
  end

  // ---------------------------------------------------------------------------------- inputs, outputs
  ports_t pool_valid[Ports], pool_take[Ports];  // [input][output]
  head_t              pool_head[Ports]                     [Ports];
  logic   [Width-1:0] pool_data[Ports]                     [Ports];
  ports_t             take     [Ports];  // [output][input]

  for (genvar p = 0; p < Ports; p++) begin : gen_input
    head_t  head;
    ports_t credit;
    logic   drops;
    assign head = p == PortL ? local_head : in_head_i[p];
    noc_pool #(
        .Width (Width),
        .Depth (Depth),
        .Queues(turns(port_e'(p)))
    ) u_pool (
        .clk_i,
        .rst_ni,
        .tick_i     (tick),
        .in_valid_i (in_valid_i[p]),
        .in_drop_i  (p == PortL && bad),
        .in_head_i  (head),
        .in_next_i  (route(beyond(at_i, head.hop), head.dst)),
        .in_data_i  (in_data_i[p]),
        .out_valid_o(pool_valid[p]),
        .out_head_o (pool_head[p]),
        .out_data_o (pool_data[p]),
        .take_i     (pool_take[p]),
        .dropped_o  (drops),
        .credit_o   (credit)
    );
    for (genvar o = 0; o < Ports; o++) begin : gen_take
      assign pool_take[p][o] = take[o][p];
    end
    if (p == PortL) begin : gen_credit_local
      assign dropped     = drops;
      assign credit_o[p] = credit | (bad_valid_q ? onehot(PortL) : '0);
    end else begin : gen_credit
      assign credit_o[p] = credit;
      `ASSERT_NEVER(DropsTheTilesOnly_A, drops)
    end
  end

  for (genvar o = 0; o < Ports; o++) begin : gen_output
    ports_t             valid;
    head_t              head  [Ports];
    logic   [Width-1:0] data  [Ports];
    for (genvar p = 0; p < Ports; p++) begin : gen_from
      assign valid[p] = pool_valid[p][o];
      assign head[p]  = pool_head[p][o];
      assign data[p]  = pool_data[p][o];
    end
    noc_output #(
        .Width  (Width),
        .Credits(o == PortL ? Depth : Depth + 1),
        .Cap    (o == PortL ? Depth : Cap),
        .Hold   (o != PortL),
        .Sources(sources(port_e'(o))),
        .Queues (far_queues(port_e'(o)))
    ) u_output (
        .clk_i,
        .rst_ni,
        .tick_i     (tick),
        .in_valid_i (valid),
        .in_head_i  (head),
        .in_data_i  (data),
        .take_o     (take[o]),
        .out_valid_o(out_valid_o[o]),
        .out_head_o (out_head_o[o]),
        .out_data_o (out_data_o[o]),
        .credit_i   (credit_i[o])
    );
  end

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
  `ASSERT(StaysInTheMesh_A, (out_valid_o & edges) == '0)
endmodule
