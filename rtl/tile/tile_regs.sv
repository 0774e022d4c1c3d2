// SPDX-License-Identifier: Apache-2.0
// The tile's control and status registers (tepin_csr.rdl) on AXI4-Lite. The generated block's own
// outputs are not all flip-flops, so each of the five channels goes through a buffer.
module tile_regs (
    input  logic                                  clk_i,
    input  logic                                  rst_ni,
    // AXI4-Lite
    input  logic                                  l_aw_valid_i,
    output logic                                  l_aw_ready_o,
    input  logic                           [ 7:0] l_aw_addr_i,
    input  logic                                  l_w_valid_i,
    output logic                                  l_w_ready_o,
    input  logic                           [31:0] l_w_data_i,
    input  logic                           [ 3:0] l_w_strb_i,
    output logic                                  l_b_valid_o,
    input  logic                                  l_b_ready_i,
    output logic                           [ 1:0] l_b_resp_o,
    input  logic                                  l_ar_valid_i,
    output logic                                  l_ar_ready_o,
    input  logic                           [ 7:0] l_ar_addr_i,
    output logic                                  l_r_valid_o,
    input  logic                                  l_r_ready_i,
    output logic                           [31:0] l_r_data_o,
    output logic                           [ 1:0] l_r_resp_o,
    // fields
    input  tepin_csr_pkg::tepin_csr__in_t         hwif_in_i,
    output tepin_csr_pkg::tepin_csr__out_t        hwif_out_o
);
  logic c_aw_v, c_aw_r, c_w_v, c_w_r, c_ar_v, c_ar_r, c_b_v, c_b_r, c_r_v, c_r_r;
  logic [7:0] c_aw, c_ar;
  logic [35:0] c_w;
  logic [ 1:0] c_b;
  logic [33:0] c_r;
  common_spill #(
      .data_t(logic [7:0])
  ) u_law (
      .clk_i,
      .rst_ni,
      .in_valid_i(l_aw_valid_i),
      .in_ready_o(l_aw_ready_o),
      .in_i(l_aw_addr_i),
      .out_valid_o(c_aw_v),
      .out_ready_i(c_aw_r),
      .out_o(c_aw)
  );
  common_spill #(
      .data_t(logic [35:0])
  ) u_lw (
      .clk_i,
      .rst_ni,
      .in_valid_i(l_w_valid_i),
      .in_ready_o(l_w_ready_o),
      .in_i({l_w_strb_i, l_w_data_i}),
      .out_valid_o(c_w_v),
      .out_ready_i(c_w_r),
      .out_o(c_w)
  );
  common_spill #(
      .data_t(logic [7:0])
  ) u_lar (
      .clk_i,
      .rst_ni,
      .in_valid_i(l_ar_valid_i),
      .in_ready_o(l_ar_ready_o),
      .in_i(l_ar_addr_i),
      .out_valid_o(c_ar_v),
      .out_ready_i(c_ar_r),
      .out_o(c_ar)
  );
  common_spill #(
      .data_t(logic [1:0])
  ) u_lb (
      .clk_i,
      .rst_ni,
      .in_valid_i(c_b_v),
      .in_ready_o(c_b_r),
      .in_i(c_b),
      .out_valid_o(l_b_valid_o),
      .out_ready_i(l_b_ready_i),
      .out_o(l_b_resp_o)
  );
  common_spill #(
      .data_t(logic [33:0])
  ) u_lr (
      .clk_i,
      .rst_ni,
      .in_valid_i(c_r_v),
      .in_ready_o(c_r_r),
      .in_i(c_r),
      .out_valid_o(l_r_valid_o),
      .out_ready_i(l_r_ready_i),
      .out_o({l_r_resp_o, l_r_data_o})
  );
  tepin_csr u_csr (
      .clk(clk_i),
      .arst_n(rst_ni),
      .s_axil_awready(c_aw_r),
      .s_axil_awvalid(c_aw_v),
      .s_axil_awaddr(c_aw),
      .s_axil_awprot(3'b0),
      .s_axil_wready(c_w_r),
      .s_axil_wvalid(c_w_v),
      .s_axil_wdata(c_w[31:0]),
      .s_axil_wstrb(c_w[35:32]),
      .s_axil_bready(c_b_r),
      .s_axil_bvalid(c_b_v),
      .s_axil_bresp(c_b),
      .s_axil_arready(c_ar_r),
      .s_axil_arvalid(c_ar_v),
      .s_axil_araddr(c_ar),
      .s_axil_arprot(3'b0),
      .s_axil_rready(c_r_r),
      .s_axil_rvalid(c_r_v),
      .s_axil_rdata(c_r[31:0]),
      .s_axil_rresp(c_r[33:32]),
      .hwif_in(hwif_in_i),
      .hwif_out(hwif_out_o)
  );
endmodule
