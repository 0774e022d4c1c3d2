// SPDX-License-Identifier: Apache-2.0
// The clock crossing of a port with short payloads, and with both clocks on pins.
module hbm_cdc_top #(
    parameter bit Bypass = 1'b0
) (
    input  logic        core_clk_i,
    input  logic        core_rst_ni,
    input  logic        c_ar_valid_i,
    output logic        c_ar_ready_o,
    input  logic [31:0] c_ar_i,
    input  logic        c_aw_valid_i,
    output logic        c_aw_ready_o,
    input  logic [31:0] c_aw_i,
    input  logic        c_w_valid_i,
    output logic        c_w_ready_o,
    input  logic [31:0] c_w_i,
    output logic        c_b_valid_o,
    input  logic        c_b_ready_i,
    output logic [31:0] c_b_o,
    output logic        c_r_valid_o,
    input  logic        c_r_ready_i,
    output logic [31:0] c_r_o,
    input  logic        mem_clk_i,
    input  logic        mem_rst_ni,
    output logic        m_ar_valid_o,
    input  logic        m_ar_ready_i,
    output logic [31:0] m_ar_o,
    output logic        m_aw_valid_o,
    input  logic        m_aw_ready_i,
    output logic [31:0] m_aw_o,
    output logic        m_w_valid_o,
    input  logic        m_w_ready_i,
    output logic [31:0] m_w_o,
    input  logic        m_b_valid_i,
    output logic        m_b_ready_o,
    input  logic [31:0] m_b_i,
    input  logic        m_r_valid_i,
    output logic        m_r_ready_o,
    input  logic [31:0] m_r_i
);
  hbm_cdc #(
      .Bypass(Bypass),
      .AxW(32),
      .WW(32),
      .BW(32),
      .RW(32)
  ) u_cdc (
      .*
  );
endmodule
