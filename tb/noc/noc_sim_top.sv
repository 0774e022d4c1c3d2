// SPDX-License-Identifier: Apache-2.0
// One router with plain ports, for the mesh that C++ wires (tb/noc/mesh.h).
module noc_sim_top
  import noc_pkg::*;
#(
    parameter int unsigned Width    = 256,
    parameter int unsigned Depth    = 4,
    parameter int unsigned Cap      = Depth,
    parameter int unsigned AgeShift = 3
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic [              2:0] x_i,
    input  logic [              2:0] y_i,
    input  logic [              2:0] last_x_i,
    input  logic [              2:0] last_y_i,
    input  logic [        Ports-1:0] in_valid_i,
    input  logic [$bits(head_t)-1:0] in_head_i  [Ports],
    input  logic [        Width-1:0] in_data_i  [Ports],
    output logic [        Ports-1:0] credit_o   [Ports],
    output logic [        Ports-1:0] out_valid_o,
    output logic [$bits(head_t)-1:0] out_head_o [Ports],
    output logic [        Width-1:0] out_data_o [Ports],
    input  logic [        Ports-1:0] credit_i   [Ports],
    output logic                     bad_valid_o,
    output logic [              5:0] bad_dst_o
);
  head_t in_head[Ports], out_head[Ports];
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    assign in_head[p]    = head_t'(in_head_i[p]);
    assign out_head_o[p] = out_head[p];
  end
  noc_router #(
      .Width(Width),
      .Depth(Depth),
      .Cap(Cap),
      .AgeShift(AgeShift)
  ) u_router (
      .clk_i,
      .rst_ni,
      .at_i({x_i, y_i}),
      .last_i({last_x_i, last_y_i}),
      .in_valid_i,
      .in_head_i(in_head),
      .in_data_i,
      .credit_o,
      .out_valid_o,
      .out_head_o(out_head),
      .out_data_o,
      .credit_i,
      .bad_valid_o,
      .bad_dst_o
  );
endmodule
