// SPDX-License-Identifier: Apache-2.0
// One AXI4 memory port from the core's clock to the memory controller's: an asynchronous FIFO for each of the
// five channels, or wires where both clocks are one (Bypass). Adds 3 to 4 cycles each way, no loss of throughput
// while the slower clock carries the traffic. Payloads are plain vectors: {id, addr, len}, {last, strb, data} ...
module hbm_cdc #(
    parameter bit Bypass = 1'b0,
    parameter int unsigned AxW = 44,
    parameter int unsigned WW = 289,
    parameter int unsigned BW = 7,
    parameter int unsigned RW = 264,
    parameter int unsigned Depth = 8
) (
    // core
    input  logic           core_clk_i,
    input  logic           core_rst_ni,
    input  logic           c_ar_valid_i,
    output logic           c_ar_ready_o,
    input  logic [AxW-1:0] c_ar_i,
    input  logic           c_aw_valid_i,
    output logic           c_aw_ready_o,
    input  logic [AxW-1:0] c_aw_i,
    input  logic           c_w_valid_i,
    output logic           c_w_ready_o,
    input  logic [ WW-1:0] c_w_i,
    output logic           c_b_valid_o,
    input  logic           c_b_ready_i,
    output logic [ BW-1:0] c_b_o,
    output logic           c_r_valid_o,
    input  logic           c_r_ready_i,
    output logic [ RW-1:0] c_r_o,
    // controller
    input  logic           mem_clk_i,
    input  logic           mem_rst_ni,
    output logic           m_ar_valid_o,
    input  logic           m_ar_ready_i,
    output logic [AxW-1:0] m_ar_o,
    output logic           m_aw_valid_o,
    input  logic           m_aw_ready_i,
    output logic [AxW-1:0] m_aw_o,
    output logic           m_w_valid_o,
    input  logic           m_w_ready_i,
    output logic [ WW-1:0] m_w_o,
    input  logic           m_b_valid_i,
    output logic           m_b_ready_o,
    input  logic [ BW-1:0] m_b_i,
    input  logic           m_r_valid_i,
    output logic           m_r_ready_o,
    input  logic [ RW-1:0] m_r_i
);
  if (Bypass) begin : gen_wires
    assign {m_ar_valid_o, c_ar_ready_o, m_ar_o} = {c_ar_valid_i, m_ar_ready_i, c_ar_i};
    assign {m_aw_valid_o, c_aw_ready_o, m_aw_o} = {c_aw_valid_i, m_aw_ready_i, c_aw_i};
    assign {m_w_valid_o, c_w_ready_o, m_w_o} = {c_w_valid_i, m_w_ready_i, c_w_i};
    assign {c_b_valid_o, m_b_ready_o, c_b_o} = {m_b_valid_i, c_b_ready_i, m_b_i};
    assign {c_r_valid_o, m_r_ready_o, c_r_o} = {m_r_valid_i, c_r_ready_i, m_r_i};
    logic unused;
    assign unused = &{1'b0, core_clk_i, core_rst_ni, mem_clk_i, mem_rst_ni};
  end else begin : gen_fifos
    common_cdc_fifo #(
        .data_t(logic [AxW-1:0]),
        .Depth (Depth)
    ) u_ar (
        .in_clk_i(core_clk_i),
        .in_rst_ni(core_rst_ni),
        .in_valid_i(c_ar_valid_i),
        .in_ready_o(c_ar_ready_o),
        .in_i(c_ar_i),
        .out_clk_i(mem_clk_i),
        .out_rst_ni(mem_rst_ni),
        .out_valid_o(m_ar_valid_o),
        .out_ready_i(m_ar_ready_i),
        .out_o(m_ar_o)
    );
    common_cdc_fifo #(
        .data_t(logic [AxW-1:0]),
        .Depth (Depth)
    ) u_aw (
        .in_clk_i(core_clk_i),
        .in_rst_ni(core_rst_ni),
        .in_valid_i(c_aw_valid_i),
        .in_ready_o(c_aw_ready_o),
        .in_i(c_aw_i),
        .out_clk_i(mem_clk_i),
        .out_rst_ni(mem_rst_ni),
        .out_valid_o(m_aw_valid_o),
        .out_ready_i(m_aw_ready_i),
        .out_o(m_aw_o)
    );
    common_cdc_fifo #(
        .data_t(logic [WW-1:0]),
        .Depth (Depth)
    ) u_w (
        .in_clk_i(core_clk_i),
        .in_rst_ni(core_rst_ni),
        .in_valid_i(c_w_valid_i),
        .in_ready_o(c_w_ready_o),
        .in_i(c_w_i),
        .out_clk_i(mem_clk_i),
        .out_rst_ni(mem_rst_ni),
        .out_valid_o(m_w_valid_o),
        .out_ready_i(m_w_ready_i),
        .out_o(m_w_o)
    );
    common_cdc_fifo #(
        .data_t(logic [BW-1:0]),
        .Depth (Depth)
    ) u_b (
        .in_clk_i(mem_clk_i),
        .in_rst_ni(mem_rst_ni),
        .in_valid_i(m_b_valid_i),
        .in_ready_o(m_b_ready_o),
        .in_i(m_b_i),
        .out_clk_i(core_clk_i),
        .out_rst_ni(core_rst_ni),
        .out_valid_o(c_b_valid_o),
        .out_ready_i(c_b_ready_i),
        .out_o(c_b_o)
    );
    common_cdc_fifo #(
        .data_t(logic [RW-1:0]),
        .Depth (Depth)
    ) u_r (
        .in_clk_i(mem_clk_i),
        .in_rst_ni(mem_rst_ni),
        .in_valid_i(m_r_valid_i),
        .in_ready_o(m_r_ready_o),
        .in_i(m_r_i),
        .out_clk_i(core_clk_i),
        .out_rst_ni(core_rst_ni),
        .out_valid_o(c_r_valid_o),
        .out_ready_i(c_r_ready_i),
        .out_o(c_r_o)
    );
  end
endmodule
