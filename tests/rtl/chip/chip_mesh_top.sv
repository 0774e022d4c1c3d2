// SPDX-License-Identifier: Apache-2.0
// A chip_mesh of 2 x 2 nano tiles with plain ports; the links are outputs too.
module chip_mesh_top
  import tepin_pkg::*;
  import tepin_cfg_pkg::*;
#(
    localparam int unsigned Tiles = 4,
    localparam int unsigned Ports = 8,
    localparam int unsigned LinkW = net_pkg::link_bits(CfgNano.coll_bits / 256)
) (
    input logic clk_i,
    input logic rst_ni,
    output logic ar_valid_o[Ports],
    input logic ar_ready_i[Ports],
    output logic [4:0] ar_id_o[Ports],
    output logic [30:0] ar_addr_o[Ports],
    output logic [7:0] ar_len_o[Ports],
    input logic r_valid_i[Ports],
    output logic r_ready_o[Ports],
    input logic [4:0] r_id_i[Ports],
    input logic [255:0] r_data_i[Ports],
    input logic [1:0] r_resp_i[Ports],
    input logic r_last_i[Ports],
    output logic aw_valid_o[Ports],
    input logic aw_ready_i[Ports],
    output logic [4:0] aw_id_o[Ports],
    output logic [30:0] aw_addr_o[Ports],
    output logic [7:0] aw_len_o[Ports],
    output logic w_valid_o[Ports],
    input logic w_ready_i[Ports],
    output logic [255:0] w_data_o[Ports],
    output logic [31:0] w_strb_o[Ports],
    output logic w_last_o[Ports],
    input logic b_valid_i[Ports],
    output logic b_ready_o[Ports],
    input logic [4:0] b_id_i[Ports],
    input logic [1:0] b_resp_i[Ports],
    input logic s_aw_valid_i[Tiles],
    output logic s_aw_ready_o[Tiles],
    input logic [38:0] s_aw_addr_i[Tiles],
    input logic [7:0] s_aw_len_i[Tiles],
    input logic s_w_valid_i[Tiles],
    output logic s_w_ready_o[Tiles],
    input logic [255:0] s_w_data_i[Tiles],
    input logic [31:0] s_w_strb_i[Tiles],
    input logic s_w_last_i[Tiles],
    output logic s_b_valid_o[Tiles],
    input logic s_b_ready_i[Tiles],
    output logic [1:0] s_b_resp_o[Tiles],
    input logic s_ar_valid_i[Tiles],
    output logic s_ar_ready_o[Tiles],
    input logic [38:0] s_ar_addr_i[Tiles],
    input logic [7:0] s_ar_len_i[Tiles],
    output logic s_r_valid_o[Tiles],
    input logic s_r_ready_i[Tiles],
    output logic [255:0] s_r_data_o[Tiles],
    output logic [1:0] s_r_resp_o[Tiles],
    output logic s_r_last_o[Tiles],
    input logic l_aw_valid_i[Tiles],
    output logic l_aw_ready_o[Tiles],
    input logic [7:0] l_aw_addr_i[Tiles],
    input logic l_w_valid_i[Tiles],
    output logic l_w_ready_o[Tiles],
    input logic [31:0] l_w_data_i[Tiles],
    output logic l_b_valid_o[Tiles],
    input logic l_b_ready_i[Tiles],
    output logic [1:0] l_b_resp_o[Tiles],
    input logic l_ar_valid_i[Tiles],
    output logic l_ar_ready_o[Tiles],
    input logic [7:0] l_ar_addr_i[Tiles],
    output logic l_r_valid_o[Tiles],
    input logic l_r_ready_i[Tiles],
    output logic [31:0] l_r_data_o[Tiles],
    output logic [1:0] l_r_resp_o[Tiles],
    output logic irq_o[Tiles],
    // what passes between the tiles: tile t, side s at [t*4 + s]
    output logic [LinkW-1:0] link_o[Tiles*4],
    output logic [3:0] flits_o[Tiles*4],
    output logic [net_pkg::CreditW-1:0] credit_o[Tiles*4],
    output logic quiet_o[Tiles]
);
  axi_ax_t m_ar[Ports], m_aw[Ports];
  axi_r_t m_r[Ports];
  axi_w_t m_w[Ports], s_w[Tiles];
  axi_b_t m_b[Ports];
  logic [3:0] id[Tiles], strb[Tiles];
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    assign ar_id_o[p] = m_ar[p].id;
    assign ar_addr_o[p] = m_ar[p].addr;
    assign ar_len_o[p] = m_ar[p].len;
    assign aw_id_o[p] = m_aw[p].id;
    assign aw_addr_o[p] = m_aw[p].addr;
    assign aw_len_o[p] = m_aw[p].len;
    assign w_data_o[p] = m_w[p].data;
    assign w_strb_o[p] = m_w[p].strb;
    assign w_last_o[p] = m_w[p].last;
    assign m_r[p] = '{id: r_id_i[p], data: r_data_i[p], resp: r_resp_i[p], last: r_last_i[p]};
    assign m_b[p] = '{id: b_id_i[p], resp: b_resp_i[p]};
  end
  for (genvar t = 0; t < Tiles; t++) begin : gen_tile
    assign id[t] = '0;
    assign strb[t] = '1;
    assign s_w[t] = '{data: s_w_data_i[t], strb: s_w_strb_i[t], last: s_w_last_i[t]};
    assign quiet_o[t] = u_mesh.quiet[t];
    for (genvar s = 0; s < 4; s++) begin : gen_side
      assign link_o[t*4+s] = u_mesh.link[t][s];
      assign credit_o[t*4+s] = u_mesh.credit[t][s];
      assign flits_o[t*4+s] = {
        u_mesh.gen_tile[t].u_tile.u_net.dn_ov[s],
        u_mesh.gen_tile[t].u_tile.u_net.up_ov[s],
        u_mesh.gen_tile[t].u_tile.u_net.rsp_ov[s],
        u_mesh.gen_tile[t].u_tile.u_net.req_ov[s]
      };
    end
  end
  chip_mesh u_mesh (
      .clk_i,
      .rst_ni,
      .m_ar_valid_o(ar_valid_o),
      .m_ar_ready_i(ar_ready_i),
      .m_ar_o(m_ar),
      .m_r_valid_i(r_valid_i),
      .m_r_ready_o(r_ready_o),
      .m_r_i(m_r),
      .m_aw_valid_o(aw_valid_o),
      .m_aw_ready_i(aw_ready_i),
      .m_aw_o(m_aw),
      .m_w_valid_o(w_valid_o),
      .m_w_ready_i(w_ready_i),
      .m_w_o(m_w),
      .m_b_valid_i(b_valid_i),
      .m_b_ready_o(b_ready_o),
      .m_b_i(m_b),
      .s_aw_valid_i,
      .s_aw_ready_o,
      .s_aw_id_i(id),
      .s_aw_addr_i,
      .s_aw_len_i,
      .s_w_valid_i,
      .s_w_ready_o,
      .s_w_i(s_w),
      .s_b_valid_o,
      .s_b_ready_i,
      .s_b_id_o(),
      .s_b_resp_o,
      .s_ar_valid_i,
      .s_ar_ready_o,
      .s_ar_id_i(id),
      .s_ar_addr_i,
      .s_ar_len_i,
      .s_r_valid_o,
      .s_r_ready_i,
      .s_r_id_o(),
      .s_r_data_o,
      .s_r_resp_o,
      .s_r_last_o,
      .l_aw_valid_i,
      .l_aw_ready_o,
      .l_aw_addr_i,
      .l_w_valid_i,
      .l_w_ready_o,
      .l_w_data_i,
      .l_w_strb_i(strb),
      .l_b_valid_o,
      .l_b_ready_i,
      .l_b_resp_o,
      .l_ar_valid_i,
      .l_ar_ready_o,
      .l_ar_addr_i,
      .l_r_valid_o,
      .l_r_ready_i,
      .l_r_data_o,
      .l_r_resp_o,
      .irq_o
  );
endmodule
