// SPDX-License-Identifier: Apache-2.0
// A chip of 2 x 2 nano tiles on one clock, with plain ports, and what every tile gets and drives as outputs. Simulation only: it
// looks inside. Memory port p of tile t at [t*2 + p]; the memory channel of tile t at [t].
module chip_top
  import tepin_pkg::*;
  import tepin_cfg_pkg::*;
  import chip_pkg::*;
#(
    localparam int unsigned Tiles = 4,
    localparam int unsigned Ports = 8,
    localparam int unsigned LinkW = net_pkg::link_bits(CfgNano.coll_bits / 256)
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
    // memory channels: two row lanes, column bus and data of two pseudo-channels
    output logic [3:0] row_op_o[Ports],
    output logic row_pc_o[Ports],
    output logic [1:0] row_slot_o[Ports],
    output logic [5:0] row_bank_o[Ports],
    output logic [13:0] row_row_o[Ports],
    output logic col_valid_o[Ports],
    output logic col_write_o[Ports],
    output logic [5:0] col_bank_o[Ports],
    output logic [4:0] col_col_o[Ports],
    output logic wdata_valid_o[Ports],
    output logic [255:0] wdata_o[Ports],
    output logic [15:0] wmeta_o[Ports],
    input logic rdata_valid_i[Ports],
    input logic [255:0] rdata_i[Ports],
    input logic [15:0] rmeta_i[Ports],
    output logic phy_update_o[Tiles],
    // a tile's side of its ports
    output logic t_rst_no,
    output logic t_ar_valid_o[Ports],
    output logic t_ar_ready_o[Ports],
    output logic [4:0] t_ar_id_o[Ports],
    output logic [30:0] t_ar_addr_o[Ports],
    output logic [7:0] t_ar_len_o[Ports],
    output logic t_aw_valid_o[Ports],
    output logic t_aw_ready_o[Ports],
    output logic [4:0] t_aw_id_o[Ports],
    output logic [30:0] t_aw_addr_o[Ports],
    output logic [7:0] t_aw_len_o[Ports],
    output logic t_w_valid_o[Ports],
    output logic t_w_ready_o[Ports],
    output logic [255:0] t_w_data_o[Ports],
    output logic [31:0] t_w_strb_o[Ports],
    output logic t_w_last_o[Ports],
    output logic t_r_valid_o[Ports],
    output logic t_r_ready_o[Ports],
    output logic [4:0] t_r_id_o[Ports],
    output logic [255:0] t_r_data_o[Ports],
    output logic [1:0] t_r_resp_o[Ports],
    output logic t_r_last_o[Ports],
    output logic t_b_valid_o[Ports],
    output logic t_b_ready_o[Ports],
    output logic [4:0] t_b_id_o[Ports],
    output logic [1:0] t_b_resp_o[Ports],
    output logic t_s_aw_valid_o[Tiles],
    output logic t_s_aw_ready_o[Tiles],
    output logic [3:0] t_s_aw_id_o[Tiles],
    output logic [38:0] t_s_aw_addr_o[Tiles],
    output logic [7:0] t_s_aw_len_o[Tiles],
    output logic t_s_ar_valid_o[Tiles],
    output logic t_s_ar_ready_o[Tiles],
    output logic [3:0] t_s_ar_id_o[Tiles],
    output logic [38:0] t_s_ar_addr_o[Tiles],
    output logic [7:0] t_s_ar_len_o[Tiles],
    output logic t_s_w_valid_o[Tiles],
    output logic t_s_w_ready_o[Tiles],
    output logic [255:0] t_s_w_data_o[Tiles],
    output logic [31:0] t_s_w_strb_o[Tiles],
    output logic t_s_w_last_o[Tiles],
    output logic t_s_r_valid_o[Tiles],
    output logic t_s_r_ready_o[Tiles],
    output logic [3:0] t_s_r_id_o[Tiles],
    output logic [255:0] t_s_r_data_o[Tiles],
    output logic [1:0] t_s_r_resp_o[Tiles],
    output logic t_s_r_last_o[Tiles],
    output logic t_s_b_valid_o[Tiles],
    output logic t_s_b_ready_o[Tiles],
    output logic [3:0] t_s_b_id_o[Tiles],
    output logic [1:0] t_s_b_resp_o[Tiles],
    output logic t_l_aw_valid_o[Tiles],
    output logic t_l_aw_ready_o[Tiles],
    output logic [7:0] t_l_aw_addr_o[Tiles],
    output logic t_l_ar_valid_o[Tiles],
    output logic t_l_ar_ready_o[Tiles],
    output logic [7:0] t_l_ar_addr_o[Tiles],
    output logic t_l_w_valid_o[Tiles],
    output logic t_l_w_ready_o[Tiles],
    output logic [31:0] t_l_w_data_o[Tiles],
    output logic [3:0] t_l_w_strb_o[Tiles],
    output logic t_l_r_valid_o[Tiles],
    output logic t_l_r_ready_o[Tiles],
    output logic [31:0] t_l_r_data_o[Tiles],
    output logic [1:0] t_l_r_resp_o[Tiles],
    output logic t_l_b_valid_o[Tiles],
    output logic t_l_b_ready_o[Tiles],
    output logic [1:0] t_l_b_resp_o[Tiles],
    output logic t_irq_o[Tiles],
    output logic t_quiet_o[Tiles],
    // what passes between the tiles: tile t, side s at [t*4 + s]
    output logic [LinkW-1:0] t_link_o[Tiles*4],
    output logic [3:0] t_flits_o[Tiles*4],
    output logic [net_pkg::CreditW-1:0] t_credit_o[Tiles*4]
);
  localparam logic [2:0] Normal = 3'd2;  // the temperature's refresh rate, as REFRESH.rate
  hbm_pkg::row_cmd_t row[Ports];
  hbm_pkg::col_cmd_t col[Ports];
  hbm_pkg::burst_t wdata[Ports], rdata[Ports];
  logic [2:0] temperature[Tiles];
  reg_r_t l_r;
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    assign row_op_o[p] = row[p].op;
    assign row_pc_o[p] = row[p].pc;
    assign row_slot_o[p] = row[p].slot;
    assign row_bank_o[p] = row[p].bank;
    assign row_row_o[p] = row[p].row;
    assign col_valid_o[p] = col[p].valid;
    assign col_write_o[p] = col[p].write;
    assign col_bank_o[p] = col[p].bank;
    assign col_col_o[p] = col[p].col;
    assign wdata_o[p] = wdata[p].data;
    assign wmeta_o[p] = wdata[p].meta;
    assign rdata[p] = '{data: rdata_i[p], meta: rmeta_i[p]};
    assign t_ar_valid_o[p] = u_chip.m_ar_v[p];
    assign t_ar_ready_o[p] = u_chip.m_ar_r[p];
    assign t_ar_id_o[p] = u_chip.m_ar[p].id;
    assign t_ar_addr_o[p] = u_chip.m_ar[p].addr;
    assign t_ar_len_o[p] = u_chip.m_ar[p].len;
    assign t_aw_valid_o[p] = u_chip.m_aw_v[p];
    assign t_aw_ready_o[p] = u_chip.m_aw_r[p];
    assign t_aw_id_o[p] = u_chip.m_aw[p].id;
    assign t_aw_addr_o[p] = u_chip.m_aw[p].addr;
    assign t_aw_len_o[p] = u_chip.m_aw[p].len;
    assign t_w_valid_o[p] = u_chip.m_w_v[p];
    assign t_w_ready_o[p] = u_chip.m_w_r[p];
    assign t_w_data_o[p] = u_chip.m_w[p].data;
    assign t_w_strb_o[p] = u_chip.m_w[p].strb;
    assign t_w_last_o[p] = u_chip.m_w[p].last;
    assign t_r_valid_o[p] = u_chip.m_r_v[p];
    assign t_r_ready_o[p] = u_chip.m_r_r[p];
    assign t_r_id_o[p] = u_chip.m_r[p].id;
    assign t_r_data_o[p] = u_chip.m_r[p].data;
    assign t_r_resp_o[p] = u_chip.m_r[p].resp;
    assign t_r_last_o[p] = u_chip.m_r[p].last;
    assign t_b_valid_o[p] = u_chip.m_b_v[p];
    assign t_b_ready_o[p] = u_chip.m_b_r[p];
    assign t_b_id_o[p] = u_chip.m_b[p].id;
    assign t_b_resp_o[p] = u_chip.m_b[p].resp;
  end
  assign t_rst_no = u_chip.rst_n;
  for (genvar t = 0; t < Tiles; t++) begin : gen_tile
    assign temperature[t] = Normal;
    assign t_s_aw_valid_o[t] = u_chip.t_aw_v[t];
    assign t_s_aw_ready_o[t] = u_chip.t_aw_r[t];
    assign t_s_aw_id_o[t] = u_chip.t_aw[t].id;
    assign t_s_aw_addr_o[t] = u_chip.t_aw[t].addr;
    assign t_s_aw_len_o[t] = u_chip.t_aw[t].len;
    assign t_s_ar_valid_o[t] = u_chip.t_ar_v[t];
    assign t_s_ar_ready_o[t] = u_chip.t_ar_r[t];
    assign t_s_ar_id_o[t] = u_chip.t_ar[t].id;
    assign t_s_ar_addr_o[t] = u_chip.t_ar[t].addr;
    assign t_s_ar_len_o[t] = u_chip.t_ar[t].len;
    assign t_s_w_valid_o[t] = u_chip.t_w_v[t];
    assign t_s_w_ready_o[t] = u_chip.t_w_r[t];
    assign t_s_w_data_o[t] = u_chip.t_w[t].data;
    assign t_s_w_strb_o[t] = u_chip.t_w[t].strb;
    assign t_s_w_last_o[t] = u_chip.t_w[t].last;
    assign t_s_r_valid_o[t] = u_chip.t_r_v[t];
    assign t_s_r_ready_o[t] = u_chip.t_r_r[t];
    assign t_s_r_id_o[t] = u_chip.t_r[t].id;
    assign t_s_r_data_o[t] = u_chip.t_r[t].data;
    assign t_s_r_resp_o[t] = u_chip.t_r[t].resp;
    assign t_s_r_last_o[t] = u_chip.t_r[t].last;
    assign t_s_b_valid_o[t] = u_chip.t_b_v[t];
    assign t_s_b_ready_o[t] = u_chip.t_b_r[t];
    assign t_s_b_id_o[t] = u_chip.t_b[t].id;
    assign t_s_b_resp_o[t] = u_chip.t_b[t].resp;
    assign t_l_aw_valid_o[t] = u_chip.l_aw_v[t];
    assign t_l_aw_ready_o[t] = u_chip.l_aw_r[t];
    assign t_l_aw_addr_o[t] = u_chip.l_aw_addr[t];
    assign t_l_ar_valid_o[t] = u_chip.l_ar_v[t];
    assign t_l_ar_ready_o[t] = u_chip.l_ar_r[t];
    assign t_l_ar_addr_o[t] = u_chip.l_ar_addr[t];
    assign t_l_w_valid_o[t] = u_chip.l_w_v[t];
    assign t_l_w_ready_o[t] = u_chip.l_w_r[t];
    assign t_l_w_data_o[t] = u_chip.l_w_data[t];
    assign t_l_w_strb_o[t] = u_chip.l_w_strb[t];
    assign t_l_r_valid_o[t] = u_chip.l_r_v[t];
    assign t_l_r_ready_o[t] = u_chip.l_r_r[t];
    assign t_l_r_data_o[t] = u_chip.l_r_data[t];
    assign t_l_r_resp_o[t] = u_chip.l_r_resp[t];
    assign t_l_b_valid_o[t] = u_chip.l_b_v[t];
    assign t_l_b_ready_o[t] = u_chip.l_b_r[t];
    assign t_l_b_resp_o[t] = u_chip.l_b_resp[t];
    assign t_irq_o[t] = u_chip.t_irq[t];
    assign t_quiet_o[t] = u_chip.u_mesh.quiet[t];
    for (genvar s = 0; s < 4; s++) begin : gen_side
      assign t_link_o[t*4+s] = u_chip.u_mesh.link[t][s];
      assign t_credit_o[t*4+s] = u_chip.u_mesh.credit[t][s];
      assign t_flits_o[t*4+s] = {
        u_chip.u_mesh.gen_tile[t].u_tile.u_net.dn_ov[s],
        u_chip.u_mesh.gen_tile[t].u_tile.u_net.up_ov[s],
        u_chip.u_mesh.gen_tile[t].u_tile.u_net.rsp_ov[s],
        u_chip.u_mesh.gen_tile[t].u_tile.u_net.req_ov[s]
      };
    end
  end
  assign l_r_data_o = l_r.data;
  assign l_r_resp_o = l_r.resp;
  chip u_chip (
      .mem_clk_i(clk_i),
      .s_w_i('{data: s_w_data_i, strb: s_w_strb_i, last: s_w_last_i}),
      .l_w_i('{data: l_w_data_i, strb: l_w_strb_i}),
      .l_r_o(l_r),
      .row_o(row),
      .col_o(col),
      .wdata_o(wdata),
      .rdata_i(rdata),
      .temperature_i(temperature),
      .*
  );
endmodule
