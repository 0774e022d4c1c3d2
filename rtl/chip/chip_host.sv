// SPDX-License-Identifier: Apache-2.0
// The host port of a chip of X columns and Y rows of tiles: an AXI4 window on the tiles' memories (chip_window), AXI4-Lite
// registers of the chip, the tiles and their memory controllers (chip_registers), and one interrupt line, the tiles'
// joined. Whatever the host asks for is answered, DECERR where there is nothing. Outputs to the host and valids and
// payloads to the tiles are flip-flops; so is irq_o, a cycle after a tile's. docs/chip.md.
module chip_host
  import tepin_pkg::*;
  import chip_pkg::*;
#(
    parameter  int unsigned X        = 2,
    parameter  int unsigned Y        = 2,
    parameter  int unsigned Channels = 1,                      // memory channels a tile
    localparam int unsigned Tiles    = X * Y,
    localparam int unsigned Ends     = Tiles * (1 + Channels)
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    // host: window
    input  logic                    s_aw_valid_i,
    output logic                    s_aw_ready_o,
    input  logic    [  HostIdW-1:0] s_aw_id_i,
    input  logic    [HostAddrW-1:0] s_aw_addr_i,
    input  logic    [          7:0] s_aw_len_i,
    input  logic                    s_w_valid_i,
    output logic                    s_w_ready_o,
    input  axi_w_t                  s_w_i,
    output logic                    s_b_valid_o,
    input  logic                    s_b_ready_i,
    output logic    [  HostIdW-1:0] s_b_id_o,
    output logic    [          1:0] s_b_resp_o,
    input  logic                    s_ar_valid_i,
    output logic                    s_ar_ready_o,
    input  logic    [  HostIdW-1:0] s_ar_id_i,
    input  logic    [HostAddrW-1:0] s_ar_addr_i,
    input  logic    [          7:0] s_ar_len_i,
    output logic                    s_r_valid_o,
    input  logic                    s_r_ready_i,
    output logic    [  HostIdW-1:0] s_r_id_o,
    output logic    [        255:0] s_r_data_o,
    output logic    [          1:0] s_r_resp_o,
    output logic                    s_r_last_o,
    // host: registers
    input  logic                    l_aw_valid_i,
    output logic                    l_aw_ready_o,
    input  logic    [ RegAddrW-1:0] l_aw_addr_i,
    input  logic                    l_w_valid_i,
    output logic                    l_w_ready_o,
    input  reg_w_t                  l_w_i,
    output logic                    l_b_valid_o,
    input  logic                    l_b_ready_i,
    output logic    [          1:0] l_b_resp_o,
    input  logic                    l_ar_valid_i,
    output logic                    l_ar_ready_o,
    input  logic    [ RegAddrW-1:0] l_ar_addr_i,
    output logic                    l_r_valid_o,
    input  logic                    l_r_ready_i,
    output reg_r_t                  l_r_o,
    // host: interrupt, level
    output logic                    irq_o,
    // windows of the tiles, rows of X
    output logic                    t_aw_valid_o[Tiles],
    input  logic                    t_aw_ready_i[Tiles],
    output win_ax_t                 t_aw_o      [Tiles],
    output logic                    t_w_valid_o [Tiles],
    input  logic                    t_w_ready_i [Tiles],
    output axi_w_t                  t_w_o       [Tiles],
    input  logic                    t_b_valid_i [Tiles],
    output logic                    t_b_ready_o [Tiles],
    input  win_b_t                  t_b_i       [Tiles],
    output logic                    t_ar_valid_o[Tiles],
    input  logic                    t_ar_ready_i[Tiles],
    output win_ax_t                 t_ar_o      [Tiles],
    input  logic                    t_r_valid_i [Tiles],
    output logic                    t_r_ready_o [Tiles],
    input  win_r_t                  t_r_i       [Tiles],
    // register blocks: tile t's own at [t*(1 + Channels)], that of its channel c at [t*(1 + Channels) + 1 + c]
    output logic                    e_aw_valid_o[ Ends],
    input  logic                    e_aw_ready_i[ Ends],
    output reg_ax_t                 e_aw_o      [ Ends],
    output logic                    e_w_valid_o [ Ends],
    input  logic                    e_w_ready_i [ Ends],
    output reg_w_t                  e_w_o       [ Ends],
    input  logic                    e_b_valid_i [ Ends],
    output logic                    e_b_ready_o [ Ends],
    input  reg_b_t                  e_b_i       [ Ends],
    output logic                    e_ar_valid_o[ Ends],
    input  logic                    e_ar_ready_i[ Ends],
    output reg_ax_t                 e_ar_o      [ Ends],
    input  logic                    e_r_valid_i [ Ends],
    output logic                    e_r_ready_o [ Ends],
    input  reg_r_t                  e_r_i       [ Ends],
    // interrupt lines of the tiles
    input  logic                    t_irq_i     [Tiles]
);
  if (X < 1 || X > 8 || Y < 1 || Y > 8) begin : gen_check
    $error("chip_host: X and Y must be 1 to 8");
  end
  chip_window #(
      .X(X),
      .Y(Y)
  ) u_window (
      .*
  );

  logic c_aw_valid, c_aw_ready, c_w_valid, c_w_ready, c_b_valid, c_b_ready;
  logic c_ar_valid, c_ar_ready, c_r_valid, c_r_ready;
  logic [ChipRegW-1:0] c_aw_addr, c_ar_addr;
  reg_w_t c_w;
  reg_b_t c_b;
  reg_r_t c_r;
  chip_registers #(
      .X(X),
      .Y(Y),
      .Channels(Channels)
  ) u_registers (
      .clk_i,
      .rst_ni,
      .l_aw_valid_i,
      .l_aw_ready_o,
      .l_aw_addr_i,
      .l_w_valid_i,
      .l_w_ready_o,
      .l_w_i,
      .l_b_valid_o,
      .l_b_ready_i,
      .l_b_resp_o,
      .l_ar_valid_i,
      .l_ar_ready_o,
      .l_ar_addr_i,
      .l_r_valid_o,
      .l_r_ready_i,
      .l_r_o,
      .t_aw_valid_o(e_aw_valid_o),
      .t_aw_ready_i(e_aw_ready_i),
      .t_aw_o(e_aw_o),
      .t_w_valid_o(e_w_valid_o),
      .t_w_ready_i(e_w_ready_i),
      .t_w_o(e_w_o),
      .t_b_valid_i(e_b_valid_i),
      .t_b_ready_o(e_b_ready_o),
      .t_b_i(e_b_i),
      .t_ar_valid_o(e_ar_valid_o),
      .t_ar_ready_i(e_ar_ready_i),
      .t_ar_o(e_ar_o),
      .t_r_valid_i(e_r_valid_i),
      .t_r_ready_o(e_r_ready_o),
      .t_r_i(e_r_i),
      .c_aw_valid_o(c_aw_valid),
      .c_aw_ready_i(c_aw_ready),
      .c_aw_addr_o(c_aw_addr),
      .c_w_valid_o(c_w_valid),
      .c_w_ready_i(c_w_ready),
      .c_w_o(c_w),
      .c_b_valid_i(c_b_valid),
      .c_b_ready_o(c_b_ready),
      .c_b_i(c_b),
      .c_ar_valid_o(c_ar_valid),
      .c_ar_ready_i(c_ar_ready),
      .c_ar_addr_o(c_ar_addr),
      .c_r_valid_i(c_r_valid),
      .c_r_ready_o(c_r_ready),
      .c_r_i(c_r)
  );

  // -------------------------------------------------------------------------- registers and interrupt
  chip_csr_pkg::chip_csr__in_t  hwif_in;
  chip_csr_pkg::chip_csr__out_t hwif_out;
  logic [63:0] pending, enable;  // by tile number
  logic irq_q;
  always_comb begin
    pending = '0;
    for (int unsigned t = 0; t < Tiles; t++) pending[t/X*8+t%X] = t_irq_i[t];
  end
  assign enable = {hwif_out.IRQ_ENABLE_HI.tiles.value, hwif_out.IRQ_ENABLE_LO.tiles.value};
  assign hwif_in.SHAPE.columns.next = 4'(X);
  assign hwif_in.SHAPE.rows.next = 4'(Y);
  assign hwif_in.SHAPE.channels.next = 4'(Channels);
  assign hwif_in.IRQ_LO.tiles.next = pending[31:0];
  assign hwif_in.IRQ_HI.tiles.next = pending[63:32];
  assign irq_o = irq_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) irq_q <= 1'b0;
    else irq_q <= (pending & enable) != '0;
  end
  chip_csr u_csr (
      .clk(clk_i),
      .arst_n(rst_ni),
      .s_axil_awready(c_aw_ready),
      .s_axil_awvalid(c_aw_valid),
      .s_axil_awaddr(c_aw_addr),
      .s_axil_awprot(3'b0),
      .s_axil_wready(c_w_ready),
      .s_axil_wvalid(c_w_valid),
      .s_axil_wdata(c_w.data),
      .s_axil_wstrb(c_w.strb),
      .s_axil_bready(c_b_ready),
      .s_axil_bvalid(c_b_valid),
      .s_axil_bresp(c_b.resp),
      .s_axil_arready(c_ar_ready),
      .s_axil_arvalid(c_ar_valid),
      .s_axil_araddr(c_ar_addr),
      .s_axil_arprot(3'b0),
      .s_axil_rready(c_r_ready),
      .s_axil_rvalid(c_r_valid),
      .s_axil_rdata(c_r.data),
      .s_axil_rresp(c_r.resp),
      .hwif_in(hwif_in),
      .hwif_out(hwif_out)
  );
endmodule
