// SPDX-License-Identifier: Apache-2.0
// The memory of a tile: an HBM4 controller (hbm) for each two of its pseudo-channels, between the tile's AXI4 ports and the
// DFI-like boundary of each channel. With TwoClocks the controllers run on mem_clk_i, behind asynchronous FIFOs of every
// channel of ports and registers (hbm_cdc); else on clk_i, mem_clk_i and mem_rst_ni are not used, and the ports are wires.
// Latency and backpressure are the controller's; register responses take one cycle more, from flip-flops.
module chip_memory
  import tepin_pkg::*;
  import chip_pkg::*;
#(
    parameter  int unsigned Pcs       = 2,
    parameter  bit          TwoClocks = 1'b0,
    localparam int unsigned Channels  = Pcs / 2
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic                     mem_clk_i,
    input  logic                     mem_rst_ni,
    // the tile's memory ports
    input  logic                     m_ar_valid_i [     Pcs],
    output logic                     m_ar_ready_o [     Pcs],
    input  axi_ax_t                  m_ar_i       [     Pcs],
    output logic                     m_r_valid_o  [     Pcs],
    input  logic                     m_r_ready_i  [     Pcs],
    output axi_r_t                   m_r_o        [     Pcs],
    input  logic                     m_aw_valid_i [     Pcs],
    output logic                     m_aw_ready_o [     Pcs],
    input  axi_ax_t                  m_aw_i       [     Pcs],
    input  logic                     m_w_valid_i  [     Pcs],
    output logic                     m_w_ready_o  [     Pcs],
    input  axi_w_t                   m_w_i        [     Pcs],
    output logic                     m_b_valid_o  [     Pcs],
    input  logic                     m_b_ready_i  [     Pcs],
    output axi_b_t                   m_b_o        [     Pcs],
    // registers of each channel
    input  logic                     e_aw_valid_i [Channels],
    output logic                     e_aw_ready_o [Channels],
    input  logic              [10:0] e_aw_addr_i  [Channels],
    input  logic                     e_w_valid_i  [Channels],
    output logic                     e_w_ready_o  [Channels],
    input  reg_w_t                   e_w_i        [Channels],
    output logic                     e_b_valid_o  [Channels],
    input  logic                     e_b_ready_i  [Channels],
    output reg_b_t                   e_b_o        [Channels],
    input  logic                     e_ar_valid_i [Channels],
    output logic                     e_ar_ready_o [Channels],
    input  logic              [10:0] e_ar_addr_i  [Channels],
    output logic                     e_r_valid_o  [Channels],
    input  logic                     e_r_ready_i  [Channels],
    output reg_r_t                   e_r_o        [Channels],
    // DFI-like boundaries, on the memory's clock: channel c's two row lanes, and its pseudo-channels, at [2*c], [2*c + 1]
    output hbm_pkg::row_cmd_t        row_o        [     Pcs],
    output hbm_pkg::col_cmd_t        col_o        [     Pcs],
    output logic                     wdata_valid_o[     Pcs],
    output hbm_pkg::burst_t          wdata_o      [     Pcs],
    input  logic                     rdata_valid_i[     Pcs],
    input  hbm_pkg::burst_t          rdata_i      [     Pcs],
    input  logic              [ 2:0] temperature_i[Channels],
    output logic                     phy_update_o [Channels]
);
  if (Pcs < 2 || Pcs % 2 != 0) begin : gen_check
    $error("chip_memory: Pcs must be even, two pseudo-channels a channel");
  end
  logic clk, rst_n;  // of the controllers
  assign clk   = TwoClocks ? mem_clk_i : clk_i;
  assign rst_n = TwoClocks ? mem_rst_ni : rst_ni;

  logic ar_v[Pcs], ar_r[Pcs], r_v[Pcs], r_r[Pcs], aw_v[Pcs], aw_r[Pcs];
  logic w_v[Pcs], w_r[Pcs], b_v[Pcs], b_r[Pcs];
  axi_ax_t ar[Pcs], aw[Pcs];
  axi_w_t w[Pcs];
  axi_b_t b[Pcs];
  axi_r_t r[Pcs];
  for (genvar p = 0; p < Pcs; p++) begin : gen_port
    hbm_cdc #(
        .Bypass(!TwoClocks),
        .AxW($bits(axi_ax_t)),
        .WW($bits(axi_w_t)),
        .BW($bits(axi_b_t)),
        .RW($bits(axi_r_t))
    ) u_cdc (
        .core_clk_i(clk_i),
        .core_rst_ni(rst_ni),
        .c_ar_valid_i(m_ar_valid_i[p]),
        .c_ar_ready_o(m_ar_ready_o[p]),
        .c_ar_i(m_ar_i[p]),
        .c_aw_valid_i(m_aw_valid_i[p]),
        .c_aw_ready_o(m_aw_ready_o[p]),
        .c_aw_i(m_aw_i[p]),
        .c_w_valid_i(m_w_valid_i[p]),
        .c_w_ready_o(m_w_ready_o[p]),
        .c_w_i(m_w_i[p]),
        .c_b_valid_o(m_b_valid_o[p]),
        .c_b_ready_i(m_b_ready_i[p]),
        .c_b_o(m_b_o[p]),
        .c_r_valid_o(m_r_valid_o[p]),
        .c_r_ready_i(m_r_ready_i[p]),
        .c_r_o(m_r_o[p]),
        .mem_clk_i(clk),
        .mem_rst_ni(rst_n),
        .m_ar_valid_o(ar_v[p]),
        .m_ar_ready_i(ar_r[p]),
        .m_ar_o(ar[p]),
        .m_aw_valid_o(aw_v[p]),
        .m_aw_ready_i(aw_r[p]),
        .m_aw_o(aw[p]),
        .m_w_valid_o(w_v[p]),
        .m_w_ready_i(w_r[p]),
        .m_w_o(w[p]),
        .m_b_valid_i(b_v[p]),
        .m_b_ready_o(b_r[p]),
        .m_b_i(b[p]),
        .m_r_valid_i(r_v[p]),
        .m_r_ready_o(r_r[p]),
        .m_r_i(r[p])
    );
  end

  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    localparam int unsigned P = 2 * c;
    // ------------------------------------------------------------------------------------- registers
    logic l_aw_v, l_aw_r, l_w_v, l_w_r, l_ar_v, l_ar_r;
    logic q_b_v, q_b_r, q_r_v, q_r_r, l_b_v, l_b_r, l_r_v, l_r_r;
    logic [10:0] l_aw, l_ar;
    reg_w_t l_w;
    reg_b_t q_b, l_b;
    reg_r_t q_r, l_r;
    hbm_cdc #(
        .Bypass(!TwoClocks),
        .AxW(11),
        .WW($bits(reg_w_t)),
        .BW($bits(reg_b_t)),
        .RW($bits(reg_r_t)),
        .Depth(4)
    ) u_reg_cdc (
        .core_clk_i(clk_i),
        .core_rst_ni(rst_ni),
        .c_ar_valid_i(e_ar_valid_i[c]),
        .c_ar_ready_o(e_ar_ready_o[c]),
        .c_ar_i(e_ar_addr_i[c]),
        .c_aw_valid_i(e_aw_valid_i[c]),
        .c_aw_ready_o(e_aw_ready_o[c]),
        .c_aw_i(e_aw_addr_i[c]),
        .c_w_valid_i(e_w_valid_i[c]),
        .c_w_ready_o(e_w_ready_o[c]),
        .c_w_i(e_w_i[c]),
        .c_b_valid_o(e_b_valid_o[c]),
        .c_b_ready_i(e_b_ready_i[c]),
        .c_b_o(e_b_o[c]),
        .c_r_valid_o(e_r_valid_o[c]),
        .c_r_ready_i(e_r_ready_i[c]),
        .c_r_o(e_r_o[c]),
        .mem_clk_i(clk),
        .mem_rst_ni(rst_n),
        .m_ar_valid_o(l_ar_v),
        .m_ar_ready_i(l_ar_r),
        .m_ar_o(l_ar),
        .m_aw_valid_o(l_aw_v),
        .m_aw_ready_i(l_aw_r),
        .m_aw_o(l_aw),
        .m_w_valid_o(l_w_v),
        .m_w_ready_i(l_w_r),
        .m_w_o(l_w),
        .m_b_valid_i(q_b_v),
        .m_b_ready_o(q_b_r),
        .m_b_i(q_b),
        .m_r_valid_i(q_r_v),
        .m_r_ready_o(q_r_r),
        .m_r_i(q_r)
    );
    // The generated register block answers combinationally.
    common_spill #(
        .data_t(reg_b_t)
    ) u_b (
        .clk_i(clk),
        .rst_ni(rst_n),
        .in_valid_i(l_b_v),
        .in_ready_o(l_b_r),
        .in_i(l_b),
        .out_valid_o(q_b_v),
        .out_ready_i(q_b_r),
        .out_o(q_b)
    );
    common_spill #(
        .data_t(reg_r_t)
    ) u_r (
        .clk_i(clk),
        .rst_ni(rst_n),
        .in_valid_i(l_r_v),
        .in_ready_o(l_r_r),
        .in_i(l_r),
        .out_valid_o(q_r_v),
        .out_ready_i(q_r_r),
        .out_o(q_r)
    );

    // ------------------------------------------------------------------------------------ controller
    logic [IdW-1:0] ar_id[2], aw_id[2], r_id[2], b_id[2];
    logic [MemAddrW-1:0] ar_addr[2], aw_addr[2];
    logic [7:0] ar_len[2], aw_len[2];
    logic [255:0] r_data[2], w_data[2];
    logic [31:0] w_strb[2];
    logic [1:0] r_resp[2], b_resp[2];
    logic r_last[2], w_last[2];
    for (genvar i = 0; i < 2; i++) begin : gen_pc
      assign {ar_id[i], ar_addr[i], ar_len[i]} = ar[P+i];
      assign {aw_id[i], aw_addr[i], aw_len[i]} = aw[P+i];
      assign {w_data[i], w_strb[i], w_last[i]} = w[P+i];
      assign r[P+i] = '{id: r_id[i], data: r_data[i], resp: r_resp[i], last: r_last[i]};
      assign b[P+i] = '{id: b_id[i], resp: b_resp[i]};
    end
    hbm #(
        .IdW(IdW)
    ) u_hbm (
        .clk_i(clk),
        .rst_ni(rst_n),
        .ar_valid_i(ar_v[P+:2]),
        .ar_ready_o(ar_r[P+:2]),
        .ar_id_i(ar_id),
        .ar_addr_i(ar_addr),
        .ar_len_i(ar_len),
        .r_valid_o(r_v[P+:2]),
        .r_ready_i(r_r[P+:2]),
        .r_id_o(r_id),
        .r_data_o(r_data),
        .r_resp_o(r_resp),
        .r_last_o(r_last),
        .aw_valid_i(aw_v[P+:2]),
        .aw_ready_o(aw_r[P+:2]),
        .aw_id_i(aw_id),
        .aw_addr_i(aw_addr),
        .aw_len_i(aw_len),
        .w_valid_i(w_v[P+:2]),
        .w_ready_o(w_r[P+:2]),
        .w_data_i(w_data),
        .w_strb_i(w_strb),
        .w_last_i(w_last),
        .b_valid_o(b_v[P+:2]),
        .b_ready_i(b_r[P+:2]),
        .b_id_o(b_id),
        .b_resp_o(b_resp),
        .l_aw_valid_i(l_aw_v),
        .l_aw_ready_o(l_aw_r),
        .l_aw_addr_i(l_aw),
        .l_w_valid_i(l_w_v),
        .l_w_ready_o(l_w_r),
        .l_w_data_i(l_w.data),
        .l_w_strb_i(l_w.strb),
        .l_b_valid_o(l_b_v),
        .l_b_ready_i(l_b_r),
        .l_b_resp_o(l_b.resp),
        .l_ar_valid_i(l_ar_v),
        .l_ar_ready_o(l_ar_r),
        .l_ar_addr_i(l_ar),
        .l_r_valid_o(l_r_v),
        .l_r_ready_i(l_r_r),
        .l_r_data_o(l_r.data),
        .l_r_resp_o(l_r.resp),
        .row_o(row_o[P+:2]),
        .col_o(col_o[P+:2]),
        .wdata_valid_o(wdata_valid_o[P+:2]),
        .wdata_o(wdata_o[P+:2]),
        .rdata_valid_i(rdata_valid_i[P+:2]),
        .rdata_i(rdata_i[P+:2]),
        .temperature_i(temperature_i[c]),
        .phy_update_o(phy_update_o[c])
    );
  end
endmodule
