// SPDX-License-Identifier: Apache-2.0
// A chip: X columns and Y rows of tiles (chip_mesh), the HBM4 controllers behind each tile's pseudo-channels (chip_memory), and
// the host port before all of them (chip_host). What comes out is the host's AXI4 window, AXI4-Lite registers and interrupt
// line, and the DFI-like boundary of every memory channel. This file wires. One reset line for both clocks, released
// synchronously to each; it must be low for four periods of the slower one. Not there: links to other chips. docs/chip.md.
module chip
  import tepin_pkg::*;
  import tepin_cfg_pkg::*;
  import chip_pkg::*;
#(
    parameter tepin_cfg_t Cfg = CfgNano,
    parameter int unsigned X = Cfg.mesh_x,
    parameter int unsigned Y = Cfg.mesh_y,
    parameter bit TwoClocks = 1'b0,  // else the memory runs on clk_i, and mem_clk_i is not used
    localparam int unsigned Tiles = X * Y,
    localparam int unsigned Ports = Tiles * Cfg.pcs,
    localparam int unsigned Channels = Tiles * Cfg.pcs / 2
) (
    input  logic                              clk_i,
    input  logic                              mem_clk_i,
    input  logic                              rst_ni,
    // host window
    input  logic                              s_aw_valid_i,
    output logic                              s_aw_ready_o,
    input  logic              [  HostIdW-1:0] s_aw_id_i,
    input  logic              [HostAddrW-1:0] s_aw_addr_i,
    input  logic              [          7:0] s_aw_len_i,
    input  logic                              s_w_valid_i,
    output logic                              s_w_ready_o,
    input  axi_w_t                            s_w_i,
    output logic                              s_b_valid_o,
    input  logic                              s_b_ready_i,
    output logic              [  HostIdW-1:0] s_b_id_o,
    output logic              [          1:0] s_b_resp_o,
    input  logic                              s_ar_valid_i,
    output logic                              s_ar_ready_o,
    input  logic              [  HostIdW-1:0] s_ar_id_i,
    input  logic              [HostAddrW-1:0] s_ar_addr_i,
    input  logic              [          7:0] s_ar_len_i,
    output logic                              s_r_valid_o,
    input  logic                              s_r_ready_i,
    output logic              [  HostIdW-1:0] s_r_id_o,
    output logic              [        255:0] s_r_data_o,
    output logic              [          1:0] s_r_resp_o,
    output logic                              s_r_last_o,
    // host registers
    input  logic                              l_aw_valid_i,
    output logic                              l_aw_ready_o,
    input  logic              [ RegAddrW-1:0] l_aw_addr_i,
    input  logic                              l_w_valid_i,
    output logic                              l_w_ready_o,
    input  reg_w_t                            l_w_i,
    output logic                              l_b_valid_o,
    input  logic                              l_b_ready_i,
    output logic              [          1:0] l_b_resp_o,
    input  logic                              l_ar_valid_i,
    output logic                              l_ar_ready_o,
    input  logic              [ RegAddrW-1:0] l_ar_addr_i,
    output logic                              l_r_valid_o,
    input  logic                              l_r_ready_i,
    output reg_r_t                            l_r_o,
    // interrupt, level
    output logic                              irq_o,
    // memory channels, those of tile t from t * Cfg.pcs / 2 on; channel k's two row lanes, and its pseudo-channels, at
    // [2*k], [2*k + 1]
    output hbm_pkg::row_cmd_t                 row_o        [   Ports],
    output hbm_pkg::col_cmd_t                 col_o        [   Ports],
    output logic                              wdata_valid_o[   Ports],
    output hbm_pkg::burst_t                   wdata_o      [   Ports],
    input  logic                              rdata_valid_i[   Ports],
    input  hbm_pkg::burst_t                   rdata_i      [   Ports],
    input  logic              [          2:0] temperature_i[Channels],
    output logic                              phy_update_o [Channels]
);
  localparam int unsigned Pcs = Cfg.pcs;
  localparam int unsigned TileChannels = Pcs / 2;
  localparam int unsigned Blocks = 1 + TileChannels;
  if (Pcs < 2 || Pcs % 2 != 0) begin : gen_check
    $error("chip: Cfg.pcs must be even, two pseudo-channels a memory channel");
  end

  // ------------------------------------------------------------------------------------------- resets
  logic rst_n, mem_rst_n;
  common_reset_sync u_reset (
      .clk_i,
      .rst_ni,
      .rst_no(rst_n)
  );
  if (TwoClocks) begin : gen_mem_reset
    common_reset_sync u_reset (
        .clk_i (mem_clk_i),
        .rst_ni,
        .rst_no(mem_rst_n)
    );
  end else begin : gen_one_clock
    assign mem_rst_n = rst_n;
  end

  // --------------------------------------------------------------------------------------- host port
  logic t_aw_v[Tiles], t_aw_r[Tiles], t_w_v[Tiles], t_w_r[Tiles], t_b_v[Tiles], t_b_r[Tiles];
  logic t_ar_v[Tiles], t_ar_r[Tiles], t_r_v[Tiles], t_r_r[Tiles], t_irq[Tiles];
  win_ax_t t_aw[Tiles], t_ar[Tiles];
  axi_w_t t_w[Tiles];
  win_b_t t_b[Tiles];
  win_r_t t_r[Tiles];
  logic e_aw_v[Tiles*Blocks], e_aw_r[Tiles*Blocks], e_w_v[Tiles*Blocks], e_w_r[Tiles*Blocks];
  logic e_b_v[Tiles*Blocks], e_b_r[Tiles*Blocks], e_ar_v[Tiles*Blocks], e_ar_r[Tiles*Blocks];
  logic e_r_v[Tiles*Blocks], e_r_r[Tiles*Blocks];
  reg_ax_t e_aw[Tiles*Blocks], e_ar[Tiles*Blocks];
  reg_w_t e_w[Tiles*Blocks];
  reg_b_t e_b[Tiles*Blocks];
  reg_r_t e_r[Tiles*Blocks];
  chip_host #(
      .X(X),
      .Y(Y),
      .Channels(TileChannels)
  ) u_host (
      .rst_ni(rst_n),
      .t_aw_valid_o(t_aw_v),
      .t_aw_ready_i(t_aw_r),
      .t_aw_o(t_aw),
      .t_w_valid_o(t_w_v),
      .t_w_ready_i(t_w_r),
      .t_w_o(t_w),
      .t_b_valid_i(t_b_v),
      .t_b_ready_o(t_b_r),
      .t_b_i(t_b),
      .t_ar_valid_o(t_ar_v),
      .t_ar_ready_i(t_ar_r),
      .t_ar_o(t_ar),
      .t_r_valid_i(t_r_v),
      .t_r_ready_o(t_r_r),
      .t_r_i(t_r),
      .e_aw_valid_o(e_aw_v),
      .e_aw_ready_i(e_aw_r),
      .e_aw_o(e_aw),
      .e_w_valid_o(e_w_v),
      .e_w_ready_i(e_w_r),
      .e_w_o(e_w),
      .e_b_valid_i(e_b_v),
      .e_b_ready_o(e_b_r),
      .e_b_i(e_b),
      .e_ar_valid_o(e_ar_v),
      .e_ar_ready_i(e_ar_r),
      .e_ar_o(e_ar),
      .e_r_valid_i(e_r_v),
      .e_r_ready_o(e_r_r),
      .e_r_i(e_r),
      .t_irq_i(t_irq),
      .*
  );

  // -------------------------------------------------------------------------------------------- tiles
  logic m_ar_v[Ports], m_ar_r[Ports], m_r_v[Ports], m_r_r[Ports], m_aw_v[Ports], m_aw_r[Ports];
  logic m_w_v[Ports], m_w_r[Ports], m_b_v[Ports], m_b_r[Ports];
  axi_ax_t m_ar[Ports], m_aw[Ports];
  axi_w_t m_w[Ports];
  axi_b_t m_b[Ports];
  axi_r_t m_r[Ports];
  // The tiles' sides of window and registers as they are named there.
  logic [3:0] s_aw_id[Tiles], s_ar_id[Tiles], s_b_id[Tiles], s_r_id[Tiles], l_w_strb[Tiles];
  logic [38:0] s_aw_addr[Tiles], s_ar_addr[Tiles];
  logic [7:0] s_aw_len[Tiles], s_ar_len[Tiles], l_aw_addr[Tiles], l_ar_addr[Tiles];
  logic [1:0] s_b_resp[Tiles], s_r_resp[Tiles], l_b_resp[Tiles], l_r_resp[Tiles];
  logic [255:0] s_r_data[Tiles];
  logic [31:0] l_w_data[Tiles], l_r_data[Tiles];
  logic s_r_last[Tiles];
  logic l_aw_v[Tiles], l_aw_r[Tiles], l_w_v[Tiles], l_w_r[Tiles], l_b_v[Tiles], l_b_r[Tiles];
  logic l_ar_v[Tiles], l_ar_r[Tiles], l_r_v[Tiles], l_r_r[Tiles];
  for (genvar t = 0; t < Tiles; t++) begin : gen_tile
    localparam int unsigned Own = t * Blocks;  // the tile's own registers
    assign {s_aw_id[t], s_aw_addr[t], s_aw_len[t]} = {t_aw[t].id, t_aw[t].addr, t_aw[t].len};
    assign {s_ar_id[t], s_ar_addr[t], s_ar_len[t]} = {t_ar[t].id, t_ar[t].addr, t_ar[t].len};
    assign t_b[t] = '{id: s_b_id[t], resp: s_b_resp[t]};
    assign t_r[t] = '{id: s_r_id[t], data: s_r_data[t], resp: s_r_resp[t], last: s_r_last[t]};
    assign l_aw_v[t] = e_aw_v[Own];
    assign l_aw_addr[t] = e_aw[Own].addr[TileRegW-1:0];
    assign l_w_v[t] = e_w_v[Own];
    assign l_w_data[t] = e_w[Own].data;
    assign l_w_strb[t] = e_w[Own].strb;
    assign l_b_r[t] = e_b_r[Own];
    assign l_ar_v[t] = e_ar_v[Own];
    assign l_ar_addr[t] = e_ar[Own].addr[TileRegW-1:0];
    assign l_r_r[t] = e_r_r[Own];
    assign e_aw_r[Own] = l_aw_r[t];
    assign e_w_r[Own] = l_w_r[t];
    assign e_b_v[Own] = l_b_v[t];
    assign e_b[Own] = '{resp: l_b_resp[t]};
    assign e_ar_r[Own] = l_ar_r[t];
    assign e_r_v[Own] = l_r_v[t];
    assign e_r[Own] = '{data: l_r_data[t], resp: l_r_resp[t]};

    // ------------------------------------------------------------------------------------- memory
    logic [10:0] aw_addr[TileChannels], ar_addr[TileChannels];
    for (genvar c = 0; c < TileChannels; c++) begin : gen_channel
      assign aw_addr[c] = e_aw[Own+1+c].addr;
      assign ar_addr[c] = e_ar[Own+1+c].addr;
    end
    chip_memory #(
        .Pcs(Pcs),
        .TwoClocks(TwoClocks)
    ) u_memory (
        .clk_i,
        .rst_ni(rst_n),
        .mem_clk_i,
        .mem_rst_ni(mem_rst_n),
        .m_ar_valid_i(m_ar_v[t*Pcs+:Pcs]),
        .m_ar_ready_o(m_ar_r[t*Pcs+:Pcs]),
        .m_ar_i(m_ar[t*Pcs+:Pcs]),
        .m_r_valid_o(m_r_v[t*Pcs+:Pcs]),
        .m_r_ready_i(m_r_r[t*Pcs+:Pcs]),
        .m_r_o(m_r[t*Pcs+:Pcs]),
        .m_aw_valid_i(m_aw_v[t*Pcs+:Pcs]),
        .m_aw_ready_o(m_aw_r[t*Pcs+:Pcs]),
        .m_aw_i(m_aw[t*Pcs+:Pcs]),
        .m_w_valid_i(m_w_v[t*Pcs+:Pcs]),
        .m_w_ready_o(m_w_r[t*Pcs+:Pcs]),
        .m_w_i(m_w[t*Pcs+:Pcs]),
        .m_b_valid_o(m_b_v[t*Pcs+:Pcs]),
        .m_b_ready_i(m_b_r[t*Pcs+:Pcs]),
        .m_b_o(m_b[t*Pcs+:Pcs]),
        .e_aw_valid_i(e_aw_v[Own+1+:TileChannels]),
        .e_aw_ready_o(e_aw_r[Own+1+:TileChannels]),
        .e_aw_addr_i(aw_addr),
        .e_w_valid_i(e_w_v[Own+1+:TileChannels]),
        .e_w_ready_o(e_w_r[Own+1+:TileChannels]),
        .e_w_i(e_w[Own+1+:TileChannels]),
        .e_b_valid_o(e_b_v[Own+1+:TileChannels]),
        .e_b_ready_i(e_b_r[Own+1+:TileChannels]),
        .e_b_o(e_b[Own+1+:TileChannels]),
        .e_ar_valid_i(e_ar_v[Own+1+:TileChannels]),
        .e_ar_ready_o(e_ar_r[Own+1+:TileChannels]),
        .e_ar_addr_i(ar_addr),
        .e_r_valid_o(e_r_v[Own+1+:TileChannels]),
        .e_r_ready_i(e_r_r[Own+1+:TileChannels]),
        .e_r_o(e_r[Own+1+:TileChannels]),
        .row_o(row_o[t*Pcs+:Pcs]),
        .col_o(col_o[t*Pcs+:Pcs]),
        .wdata_valid_o(wdata_valid_o[t*Pcs+:Pcs]),
        .wdata_o(wdata_o[t*Pcs+:Pcs]),
        .rdata_valid_i(rdata_valid_i[t*Pcs+:Pcs]),
        .rdata_i(rdata_i[t*Pcs+:Pcs]),
        .temperature_i(temperature_i[t*TileChannels+:TileChannels]),
        .phy_update_o(phy_update_o[t*TileChannels+:TileChannels])
    );
  end

  chip_mesh #(
      .Cfg(Cfg),
      .X  (X),
      .Y  (Y)
  ) u_mesh (
      .clk_i,
      .rst_ni(rst_n),
      .m_ar_valid_o(m_ar_v),
      .m_ar_ready_i(m_ar_r),
      .m_ar_o(m_ar),
      .m_r_valid_i(m_r_v),
      .m_r_ready_o(m_r_r),
      .m_r_i(m_r),
      .m_aw_valid_o(m_aw_v),
      .m_aw_ready_i(m_aw_r),
      .m_aw_o(m_aw),
      .m_w_valid_o(m_w_v),
      .m_w_ready_i(m_w_r),
      .m_w_o(m_w),
      .m_b_valid_i(m_b_v),
      .m_b_ready_o(m_b_r),
      .m_b_i(m_b),
      .s_aw_valid_i(t_aw_v),
      .s_aw_ready_o(t_aw_r),
      .s_aw_id_i(s_aw_id),
      .s_aw_addr_i(s_aw_addr),
      .s_aw_len_i(s_aw_len),
      .s_w_valid_i(t_w_v),
      .s_w_ready_o(t_w_r),
      .s_w_i(t_w),
      .s_b_valid_o(t_b_v),
      .s_b_ready_i(t_b_r),
      .s_b_id_o(s_b_id),
      .s_b_resp_o(s_b_resp),
      .s_ar_valid_i(t_ar_v),
      .s_ar_ready_o(t_ar_r),
      .s_ar_id_i(s_ar_id),
      .s_ar_addr_i(s_ar_addr),
      .s_ar_len_i(s_ar_len),
      .s_r_valid_o(t_r_v),
      .s_r_ready_i(t_r_r),
      .s_r_id_o(s_r_id),
      .s_r_data_o(s_r_data),
      .s_r_resp_o(s_r_resp),
      .s_r_last_o(s_r_last),
      .l_aw_valid_i(l_aw_v),
      .l_aw_ready_o(l_aw_r),
      .l_aw_addr_i(l_aw_addr),
      .l_w_valid_i(l_w_v),
      .l_w_ready_o(l_w_r),
      .l_w_data_i(l_w_data),
      .l_w_strb_i(l_w_strb),
      .l_b_valid_o(l_b_v),
      .l_b_ready_i(l_b_r),
      .l_b_resp_o(l_b_resp),
      .l_ar_valid_i(l_ar_v),
      .l_ar_ready_o(l_ar_r),
      .l_ar_addr_i(l_ar_addr),
      .l_r_valid_o(l_r_v),
      .l_r_ready_i(l_r_r),
      .l_r_data_o(l_r_data),
      .l_r_resp_o(l_r_resp),
      .irq_o(t_irq)
  );
endmodule
