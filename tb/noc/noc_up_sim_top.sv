// SPDX-License-Identifier: Apache-2.0
// One router of the up network with plain ports, for the mesh that C++ wires (tb/noc/coll_mesh.h).
module noc_up_sim_top
  import noc_pkg::*;
  import noc_coll_pkg::*;
#(
    parameter int unsigned Width  = 256,
    parameter int unsigned Shared = 4
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic [                2:0] x_i,
    input  logic [                2:0] y_i,
    input  logic [                2:0] last_x_i,
    input  logic [                2:0] last_y_i,
    input  logic [          Ports-1:0] in_valid_i,
    input  logic [$bits(up_ctl_t)-1:0] in_ctl_i        [Ports],
    input  logic [          Width-1:0] in_data_i       [Ports],
    output logic [         Groups-1:0] credit_o        [Ports],
    output logic [          Ports-1:0] out_valid_o,
    output logic [$bits(up_ctl_t)-1:0] out_ctl_o       [Ports],
    output logic [          Width-1:0] out_data_o      [Ports],
    input  logic [         Groups-1:0] credit_i        [Ports],
    output logic                       mismatch_o,
    output logic [         GroupW-1:0] mismatch_group_o,
    output logic                       idle_o
);
  up_ctl_t in_ctl[Ports], out_ctl[Ports];
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    assign in_ctl[p]    = up_ctl_t'(in_ctl_i[p]);
    assign out_ctl_o[p] = out_ctl[p];
  end
  noc_up #(
      .Width (Width),
      .Shared(Shared)
  ) u_router (
      .clk_i,
      .rst_ni,
      .at_i({x_i, y_i}),
      .last_i({last_x_i, last_y_i}),
      .in_valid_i,
      .in_ctl_i(in_ctl),
      .in_data_i,
      .credit_o,
      .out_valid_o,
      .out_ctl_o(out_ctl),
      .out_data_o,
      .credit_i,
      .mismatch_o,
      .mismatch_group_o,
      .idle_o
  );
endmodule
