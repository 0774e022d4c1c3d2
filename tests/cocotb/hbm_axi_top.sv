// SPDX-License-Identifier: Apache-2.0
// The HBM4 controller of a channel for a foreign AXI master (cocotbext-axi): both ports with every AXI4
// signal and the registers as scalars with prefixes s0_axi_, s1_axi_, s_axil_, and its command boundary
// packed for a device in Python. Adds no logic; asserts what the controller relies on in a master (INCR
// bursts of 32-byte beats that stay within 4 KiB, no exclusive access) and that its answers are held.
`include "rtl/common/assert.svh"
module hbm_axi_top
  import hbm_pkg::*;
(
    input  logic         clk_i,
    input  logic         rst_ni,
    // AXI4, pseudo-channel 0
    input  logic [  7:0] s0_axi_awid,
    input  logic [ 30:0] s0_axi_awaddr,
    input  logic [  7:0] s0_axi_awlen,
    input  logic [  2:0] s0_axi_awsize,
    input  logic [  1:0] s0_axi_awburst,
    input  logic         s0_axi_awlock,
    input  logic [  3:0] s0_axi_awcache,
    input  logic [  2:0] s0_axi_awprot,
    input  logic [  3:0] s0_axi_awqos,
    input  logic [  3:0] s0_axi_awregion,
    input  logic         s0_axi_awvalid,
    output logic         s0_axi_awready,
    input  logic [255:0] s0_axi_wdata,
    input  logic [ 31:0] s0_axi_wstrb,
    input  logic         s0_axi_wlast,
    input  logic         s0_axi_wvalid,
    output logic         s0_axi_wready,
    output logic [  7:0] s0_axi_bid,
    output logic [  1:0] s0_axi_bresp,
    output logic         s0_axi_bvalid,
    input  logic         s0_axi_bready,
    input  logic [  7:0] s0_axi_arid,
    input  logic [ 30:0] s0_axi_araddr,
    input  logic [  7:0] s0_axi_arlen,
    input  logic [  2:0] s0_axi_arsize,
    input  logic [  1:0] s0_axi_arburst,
    input  logic         s0_axi_arlock,
    input  logic [  3:0] s0_axi_arcache,
    input  logic [  2:0] s0_axi_arprot,
    input  logic [  3:0] s0_axi_arqos,
    input  logic [  3:0] s0_axi_arregion,
    input  logic         s0_axi_arvalid,
    output logic         s0_axi_arready,
    output logic [  7:0] s0_axi_rid,
    output logic [255:0] s0_axi_rdata,
    output logic [  1:0] s0_axi_rresp,
    output logic         s0_axi_rlast,
    output logic         s0_axi_rvalid,
    input  logic         s0_axi_rready,
    // AXI4, pseudo-channel 1
    input  logic [  7:0] s1_axi_awid,
    input  logic [ 30:0] s1_axi_awaddr,
    input  logic [  7:0] s1_axi_awlen,
    input  logic [  2:0] s1_axi_awsize,
    input  logic [  1:0] s1_axi_awburst,
    input  logic         s1_axi_awlock,
    input  logic [  3:0] s1_axi_awcache,
    input  logic [  2:0] s1_axi_awprot,
    input  logic [  3:0] s1_axi_awqos,
    input  logic [  3:0] s1_axi_awregion,
    input  logic         s1_axi_awvalid,
    output logic         s1_axi_awready,
    input  logic [255:0] s1_axi_wdata,
    input  logic [ 31:0] s1_axi_wstrb,
    input  logic         s1_axi_wlast,
    input  logic         s1_axi_wvalid,
    output logic         s1_axi_wready,
    output logic [  7:0] s1_axi_bid,
    output logic [  1:0] s1_axi_bresp,
    output logic         s1_axi_bvalid,
    input  logic         s1_axi_bready,
    input  logic [  7:0] s1_axi_arid,
    input  logic [ 30:0] s1_axi_araddr,
    input  logic [  7:0] s1_axi_arlen,
    input  logic [  2:0] s1_axi_arsize,
    input  logic [  1:0] s1_axi_arburst,
    input  logic         s1_axi_arlock,
    input  logic [  3:0] s1_axi_arcache,
    input  logic [  2:0] s1_axi_arprot,
    input  logic [  3:0] s1_axi_arqos,
    input  logic [  3:0] s1_axi_arregion,
    input  logic         s1_axi_arvalid,
    output logic         s1_axi_arready,
    output logic [  7:0] s1_axi_rid,
    output logic [255:0] s1_axi_rdata,
    output logic [  1:0] s1_axi_rresp,
    output logic         s1_axi_rlast,
    output logic         s1_axi_rvalid,
    input  logic         s1_axi_rready,
    // registers, AXI4-Lite
    input  logic [ 10:0] s_axil_awaddr,
    input  logic [  2:0] s_axil_awprot,
    input  logic         s_axil_awvalid,
    output logic         s_axil_awready,
    input  logic [ 31:0] s_axil_wdata,
    input  logic [  3:0] s_axil_wstrb,
    input  logic         s_axil_wvalid,
    output logic         s_axil_wready,
    output logic [  1:0] s_axil_bresp,
    output logic         s_axil_bvalid,
    input  logic         s_axil_bready,
    input  logic [ 10:0] s_axil_araddr,
    input  logic [  2:0] s_axil_arprot,
    input  logic         s_axil_arvalid,
    output logic         s_axil_arready,
    output logic [ 31:0] s_axil_rdata,
    output logic [  1:0] s_axil_rresp,
    output logic         s_axil_rvalid,
    input  logic         s_axil_rready,
    // commands of this clock: {write data valid, column, row}, by pseudo-channel or lane, 1 before 0
    output logic         dram_active,      // there is one
    output logic [ 81:0] dram_command,
    output logic [271:0] dram_wburst0,     // {metadata, data}
    output logic [271:0] dram_wburst1,
    input  logic         dram_rvalid0,
    input  logic         dram_rvalid1,
    input  logic [271:0] dram_rburst0,
    input  logic [271:0] dram_rburst1,
    output logic         dram_quiet        // the PHY's window: no command
);
  logic ar_ready[2];
  logic r_valid[2];
  logic [7:0] r_id[2];
  logic [255:0] r_data[2];
  logic [1:0] r_resp[2];
  logic r_last[2];
  logic aw_ready[2];
  logic w_ready[2];
  logic b_valid[2];
  logic [7:0] b_id[2];
  logic [1:0] b_resp[2];
  row_cmd_t row[2];
  col_cmd_t col[2];
  logic wdata_valid[2];
  burst_t wdata[2];
  assign {s1_axi_arready, s0_axi_arready} = {ar_ready[1], ar_ready[0]};
  assign {s1_axi_rvalid, s0_axi_rvalid} = {r_valid[1], r_valid[0]};
  assign {s1_axi_rid, s0_axi_rid} = {r_id[1], r_id[0]};
  assign {s1_axi_rdata, s0_axi_rdata} = {r_data[1], r_data[0]};
  assign {s1_axi_rresp, s0_axi_rresp} = {r_resp[1], r_resp[0]};
  assign {s1_axi_rlast, s0_axi_rlast} = {r_last[1], r_last[0]};
  assign {s1_axi_awready, s0_axi_awready} = {aw_ready[1], aw_ready[0]};
  assign {s1_axi_wready, s0_axi_wready} = {w_ready[1], w_ready[0]};
  assign {s1_axi_bvalid, s0_axi_bvalid} = {b_valid[1], b_valid[0]};
  assign {s1_axi_bid, s0_axi_bid} = {b_id[1], b_id[0]};
  assign {s1_axi_bresp, s0_axi_bresp} = {b_resp[1], b_resp[0]};
  assign dram_command = {wdata_valid[1], wdata_valid[0], col[1], col[0], row[1], row[0]};
  assign dram_active = wdata_valid[1] || wdata_valid[0] || col[1].valid || col[0].valid ||
      row[1].op != RowNone || row[0].op != RowNone;
  assign {dram_wburst1, dram_wburst0} = {wdata[1], wdata[0]};

  hbm u_hbm (
      .clk_i,
      .rst_ni,
      .ar_valid_i('{s0_axi_arvalid, s1_axi_arvalid}),
      .ar_id_i('{s0_axi_arid, s1_axi_arid}),
      .ar_addr_i('{s0_axi_araddr, s1_axi_araddr}),
      .ar_len_i('{s0_axi_arlen, s1_axi_arlen}),
      .r_ready_i('{s0_axi_rready, s1_axi_rready}),
      .aw_valid_i('{s0_axi_awvalid, s1_axi_awvalid}),
      .aw_id_i('{s0_axi_awid, s1_axi_awid}),
      .aw_addr_i('{s0_axi_awaddr, s1_axi_awaddr}),
      .aw_len_i('{s0_axi_awlen, s1_axi_awlen}),
      .w_valid_i('{s0_axi_wvalid, s1_axi_wvalid}),
      .w_data_i('{s0_axi_wdata, s1_axi_wdata}),
      .w_strb_i('{s0_axi_wstrb, s1_axi_wstrb}),
      .w_last_i('{s0_axi_wlast, s1_axi_wlast}),
      .b_ready_i('{s0_axi_bready, s1_axi_bready}),
      .ar_ready_o(ar_ready),
      .r_valid_o(r_valid),
      .r_id_o(r_id),
      .r_data_o(r_data),
      .r_resp_o(r_resp),
      .r_last_o(r_last),
      .aw_ready_o(aw_ready),
      .w_ready_o(w_ready),
      .b_valid_o(b_valid),
      .b_id_o(b_id),
      .b_resp_o(b_resp),
      .l_aw_addr_i(s_axil_awaddr),
      .l_aw_valid_i(s_axil_awvalid),
      .l_aw_ready_o(s_axil_awready),
      .l_w_data_i(s_axil_wdata),
      .l_w_strb_i(s_axil_wstrb),
      .l_w_valid_i(s_axil_wvalid),
      .l_w_ready_o(s_axil_wready),
      .l_b_resp_o(s_axil_bresp),
      .l_b_valid_o(s_axil_bvalid),
      .l_b_ready_i(s_axil_bready),
      .l_ar_addr_i(s_axil_araddr),
      .l_ar_valid_i(s_axil_arvalid),
      .l_ar_ready_o(s_axil_arready),
      .l_r_data_o(s_axil_rdata),
      .l_r_resp_o(s_axil_rresp),
      .l_r_valid_o(s_axil_rvalid),
      .l_r_ready_i(s_axil_rready),
      .row_o(row),
      .col_o(col),
      .wdata_valid_o(wdata_valid),
      .wdata_o(wdata),
      .rdata_valid_i('{dram_rvalid0, dram_rvalid1}),
      .rdata_i('{dram_rburst0, dram_rburst1}),
      .temperature_i(3'd2),  // one refresh a bank each tREFI
      .phy_update_o(dram_quiet)
  );

  // What the controller supports of a master.
  localparam logic [2:0] Beat32 = 3'd5;
  localparam logic [1:0] BurstIncr = 2'b01;
  function automatic logic supported(input logic [2:0] size, input logic [1:0] burst,
                                     input logic lock, input logic [30:0] addr,
                                     input logic [7:0] len);
    return size == Beat32 && burst == BurstIncr && !lock && 9'(addr[11:5]) + 9'(len) < 9'd128;
  endfunction
  `ASSERT(Aw0IsSupported_A, !s0_axi_awvalid || supported(
          s0_axi_awsize, s0_axi_awburst, s0_axi_awlock, s0_axi_awaddr, s0_axi_awlen))
  `ASSERT(Ar0IsSupported_A, !s0_axi_arvalid || supported(
          s0_axi_arsize, s0_axi_arburst, s0_axi_arlock, s0_axi_araddr, s0_axi_arlen))
  `ASSERT(Aw1IsSupported_A, !s1_axi_awvalid || supported(
          s1_axi_awsize, s1_axi_awburst, s1_axi_awlock, s1_axi_awaddr, s1_axi_awlen))
  `ASSERT(Ar1IsSupported_A, !s1_axi_arvalid || supported(
          s1_axi_arsize, s1_axi_arburst, s1_axi_arlock, s1_axi_araddr, s1_axi_arlen))
  // AXI4, A3.2.1: an answer is held until it is taken.
  `ASSERT_HELD(R0HeldUntilReady_A, s0_axi_rvalid, s0_axi_rready, {s0_axi_rid, s0_axi_rdata,
                                                                  s0_axi_rresp, s0_axi_rlast})
  `ASSERT_HELD(B0HeldUntilReady_A, s0_axi_bvalid, s0_axi_bready, {s0_axi_bid, s0_axi_bresp})
  `ASSERT_HELD(R1HeldUntilReady_A, s1_axi_rvalid, s1_axi_rready, {s1_axi_rid, s1_axi_rdata,
                                                                  s1_axi_rresp, s1_axi_rlast})
  `ASSERT_HELD(B1HeldUntilReady_A, s1_axi_bvalid, s1_axi_bready, {s1_axi_bid, s1_axi_bresp})
  `ASSERT_HELD(RegisterRHeldUntilReady_A, s_axil_rvalid, s_axil_rready, {s_axil_rdata, s_axil_rresp
               })
  `ASSERT_HELD(RegisterBHeldUntilReady_A, s_axil_bvalid, s_axil_bready, s_axil_bresp)
  `ASSERT_NEVER(QuietWithoutCommands_A, dram_quiet && dram_active)
endmodule
