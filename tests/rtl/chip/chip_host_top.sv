// SPDX-License-Identifier: Apache-2.0
// The host port of 3 x 2 tiles with three memory channels each, with plain ports. Register blocks: tile t, block b at [t*4 + b].
module chip_host_top
  import tepin_pkg::*;
  import chip_pkg::*;
#(
    localparam int unsigned X = 3,
    localparam int unsigned Y = 2,
    localparam int unsigned Channels = 3,
    localparam int unsigned Tiles = X * Y,
    localparam int unsigned Ends = Tiles * (1 + Channels)
) (
    input logic clk_i,
    input logic rst_ni,
    input logic s_aw_valid_i,
    output logic s_aw_ready_o,
    input logic [3:0] s_aw_id_i,
    input logic [44:0] s_aw_addr_i,
    input logic [7:0] s_aw_len_i,
    input logic s_w_valid_i,
    output logic s_w_ready_o,
    input logic [255:0] s_w_data_i,
    input logic [31:0] s_w_strb_i,
    input logic s_w_last_i,
    output logic s_b_valid_o,
    input logic s_b_ready_i,
    output logic [3:0] s_b_id_o,
    output logic [1:0] s_b_resp_o,
    input logic s_ar_valid_i,
    output logic s_ar_ready_o,
    input logic [3:0] s_ar_id_i,
    input logic [44:0] s_ar_addr_i,
    input logic [7:0] s_ar_len_i,
    output logic s_r_valid_o,
    input logic s_r_ready_i,
    output logic [3:0] s_r_id_o,
    output logic [255:0] s_r_data_o,
    output logic [1:0] s_r_resp_o,
    output logic s_r_last_o,
    input logic l_aw_valid_i,
    output logic l_aw_ready_o,
    input logic [20:0] l_aw_addr_i,
    input logic l_w_valid_i,
    output logic l_w_ready_o,
    input logic [31:0] l_w_data_i,
    input logic [3:0] l_w_strb_i,
    output logic l_b_valid_o,
    input logic l_b_ready_i,
    output logic [1:0] l_b_resp_o,
    input logic l_ar_valid_i,
    output logic l_ar_ready_o,
    input logic [20:0] l_ar_addr_i,
    output logic l_r_valid_o,
    input logic l_r_ready_i,
    output logic [31:0] l_r_data_o,
    output logic [1:0] l_r_resp_o,
    output logic irq_o,
    // windows of the tiles
    output logic t_aw_valid_o[Tiles],
    input logic t_aw_ready_i[Tiles],
    output logic [3:0] t_aw_id_o[Tiles],
    output logic [38:0] t_aw_addr_o[Tiles],
    output logic [7:0] t_aw_len_o[Tiles],
    output logic t_w_valid_o[Tiles],
    input logic t_w_ready_i[Tiles],
    output logic [255:0] t_w_data_o[Tiles],
    output logic [31:0] t_w_strb_o[Tiles],
    output logic t_w_last_o[Tiles],
    input logic t_b_valid_i[Tiles],
    output logic t_b_ready_o[Tiles],
    input logic [3:0] t_b_id_i[Tiles],
    input logic [1:0] t_b_resp_i[Tiles],
    output logic t_ar_valid_o[Tiles],
    input logic t_ar_ready_i[Tiles],
    output logic [3:0] t_ar_id_o[Tiles],
    output logic [38:0] t_ar_addr_o[Tiles],
    output logic [7:0] t_ar_len_o[Tiles],
    input logic t_r_valid_i[Tiles],
    output logic t_r_ready_o[Tiles],
    input logic [3:0] t_r_id_i[Tiles],
    input logic [255:0] t_r_data_i[Tiles],
    input logic [1:0] t_r_resp_i[Tiles],
    input logic t_r_last_i[Tiles],
    // register blocks
    output logic e_aw_valid_o[Ends],
    input logic e_aw_ready_i[Ends],
    output logic [10:0] e_aw_addr_o[Ends],
    output logic e_w_valid_o[Ends],
    input logic e_w_ready_i[Ends],
    output logic [31:0] e_w_data_o[Ends],
    output logic [3:0] e_w_strb_o[Ends],
    input logic e_b_valid_i[Ends],
    output logic e_b_ready_o[Ends],
    input logic [1:0] e_b_resp_i[Ends],
    output logic e_ar_valid_o[Ends],
    input logic e_ar_ready_i[Ends],
    output logic [10:0] e_ar_addr_o[Ends],
    input logic e_r_valid_i[Ends],
    output logic e_r_ready_o[Ends],
    input logic [31:0] e_r_data_i[Ends],
    input logic [1:0] e_r_resp_i[Ends],
    input logic t_irq_i[Tiles]
);
  win_ax_t t_aw[Tiles], t_ar[Tiles];
  axi_w_t t_w[Tiles];
  win_b_t t_b[Tiles];
  win_r_t t_r[Tiles];
  reg_ax_t e_aw[Ends], e_ar[Ends];
  reg_w_t e_w[Ends];
  reg_b_t e_b[Ends];
  reg_r_t e_r[Ends], l_r;
  for (genvar t = 0; t < Tiles; t++) begin : gen_tile
    assign t_aw_id_o[t] = t_aw[t].id;
    assign t_aw_addr_o[t] = t_aw[t].addr;
    assign t_aw_len_o[t] = t_aw[t].len;
    assign t_w_data_o[t] = t_w[t].data;
    assign t_w_strb_o[t] = t_w[t].strb;
    assign t_w_last_o[t] = t_w[t].last;
    assign t_b[t] = '{id: t_b_id_i[t], resp: t_b_resp_i[t]};
    assign t_ar_id_o[t] = t_ar[t].id;
    assign t_ar_addr_o[t] = t_ar[t].addr;
    assign t_ar_len_o[t] = t_ar[t].len;
    assign t_r[t] = '{id: t_r_id_i[t], data: t_r_data_i[t], resp: t_r_resp_i[t], last: t_r_last_i[t]};
  end
  for (genvar e = 0; e < Ends; e++) begin : gen_end
    assign e_aw_addr_o[e] = e_aw[e].addr;
    assign e_w_data_o[e] = e_w[e].data;
    assign e_w_strb_o[e] = e_w[e].strb;
    assign e_b[e] = '{resp: e_b_resp_i[e]};
    assign e_ar_addr_o[e] = e_ar[e].addr;
    assign e_r[e] = '{data: e_r_data_i[e], resp: e_r_resp_i[e]};
  end
  assign l_r_data_o = l_r.data;
  assign l_r_resp_o = l_r.resp;
  chip_host #(
      .X(X),
      .Y(Y),
      .Channels(Channels)
  ) u_host (
      .s_w_i('{data: s_w_data_i, strb: s_w_strb_i, last: s_w_last_i}),
      .l_w_i('{data: l_w_data_i, strb: l_w_strb_i}),
      .l_r_o(l_r),
      .t_aw_o(t_aw),
      .t_w_o(t_w),
      .t_b_i(t_b),
      .t_ar_o(t_ar),
      .t_r_i(t_r),
      .e_aw_o(e_aw),
      .e_w_o(e_w),
      .e_b_i(e_b),
      .e_ar_o(e_ar),
      .e_r_i(e_r),
      .*
  );
endmodule
