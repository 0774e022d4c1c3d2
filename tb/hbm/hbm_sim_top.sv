// SPDX-License-Identifier: Apache-2.0
// Simulation top: the HBM4 controller of a channel with plain ports.
module hbm_sim_top
  import hbm_pkg::*;
#(
    parameter int unsigned RdEntries = 16,
    parameter int unsigned WrEntries = 16,
    parameter int unsigned Slots = 256
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         ar_valid_i   [2],
    output logic         ar_ready_o   [2],
    input  logic [  7:0] ar_id_i      [2],
    input  logic [ 30:0] ar_addr_i    [2],
    input  logic [  7:0] ar_len_i     [2],
    output logic         r_valid_o    [2],
    input  logic         r_ready_i    [2],
    output logic [  7:0] r_id_o       [2],
    output logic [255:0] r_data_o     [2],
    output logic [  1:0] r_resp_o     [2],
    output logic         r_last_o     [2],
    input  logic         aw_valid_i   [2],
    output logic         aw_ready_o   [2],
    input  logic [  7:0] aw_id_i      [2],
    input  logic [ 30:0] aw_addr_i    [2],
    input  logic [  7:0] aw_len_i     [2],
    input  logic         w_valid_i    [2],
    output logic         w_ready_o    [2],
    input  logic [255:0] w_data_i     [2],
    input  logic [ 31:0] w_strb_i     [2],
    input  logic         w_last_i     [2],
    output logic         b_valid_o    [2],
    input  logic         b_ready_i    [2],
    output logic [  7:0] b_id_o       [2],
    output logic [  1:0] b_resp_o     [2],
    input  logic         l_aw_valid_i,
    output logic         l_aw_ready_o,
    input  logic [ 10:0] l_aw_addr_i,
    input  logic         l_w_valid_i,
    output logic         l_w_ready_o,
    input  logic [ 31:0] l_w_data_i,
    input  logic [  3:0] l_w_strb_i,
    output logic         l_b_valid_o,
    input  logic         l_b_ready_i,
    output logic [  1:0] l_b_resp_o,
    input  logic         l_ar_valid_i,
    output logic         l_ar_ready_o,
    input  logic [ 10:0] l_ar_addr_i,
    output logic         l_r_valid_o,
    input  logic         l_r_ready_i,
    output logic [ 31:0] l_r_data_o,
    output logic [  1:0] l_r_resp_o,
    // row bus: two lanes
    output logic [  3:0] row_op_o     [2],
    output logic         row_pc_o     [2],
    output logic [  1:0] row_slot_o   [2],
    output logic [  5:0] row_bank_o   [2],
    output logic [ 13:0] row_row_o    [2],
    // column bus and data, by pseudo-channel
    output logic         col_valid_o  [2],
    output logic         col_write_o  [2],
    output logic [  5:0] col_bank_o   [2],
    output logic [  4:0] col_col_o    [2],
    output logic         wdata_valid_o[2],
    output logic [255:0] wdata_o      [2],
    output logic [ 15:0] wmeta_o      [2],
    input  logic         rdata_valid_i[2],
    input  logic [255:0] rdata_i      [2],
    input  logic [ 15:0] rmeta_i      [2],
    input  logic [  2:0] temperature_i,
    output logic         phy_update_o
);
  row_cmd_t row[2];
  col_cmd_t col[2];
  burst_t wdata[2], rdata[2];
  for (genvar p = 0; p < 2; p++) begin : gen_pc
    assign row_op_o[p]    = row[p].op;
    assign row_pc_o[p]    = row[p].pc;
    assign row_slot_o[p]  = row[p].slot;
    assign row_bank_o[p]  = row[p].bank;
    assign row_row_o[p]   = row[p].row;
    assign col_valid_o[p] = col[p].valid;
    assign col_write_o[p] = col[p].write;
    assign col_bank_o[p]  = col[p].bank;
    assign col_col_o[p]   = col[p].col;
    assign wdata_o[p]     = wdata[p].data;
    assign wmeta_o[p]     = wdata[p].meta;
    assign rdata[p]       = '{data: rdata_i[p], meta: rmeta_i[p]};
  end
  hbm #(
      .IdW(8),
      .RdEntries(RdEntries),
      .WrEntries(WrEntries),
      .Slots(Slots)
  ) u_hbm (
      .row_o  (row),
      .col_o  (col),
      .wdata_o(wdata),
      .rdata_i(rdata),
      .*
  );
endmodule
