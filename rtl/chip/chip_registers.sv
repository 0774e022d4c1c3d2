// SPDX-License-Identifier: Apache-2.0
// The chip's AXI4-Lite port: registers of the chip, of its tiles and of their memory controllers. Address, 21 bit:
// {0, tile 8*y + x [19:14], block [13:11], byte address [10:0]}, block 0 the tile's own (256 bytes), block c + 1 that of its
// memory channel c; {1, byte address} the chip's. What is not there is answered DECERR. Reads are answered in order, and
// writes; several are under way as long as they go to one block. Latencies as chip_window's, and one cycle more each way.
`include "rtl/common/assert.svh"
module chip_registers
  import chip_pkg::*;
#(
    parameter  int unsigned X        = 2,
    parameter  int unsigned Y        = 2,
    parameter  int unsigned Channels = 1,              // memory channels a tile
    localparam int unsigned Blocks   = 1 + Channels,
    localparam int unsigned Tiles    = X * Y,
    localparam int unsigned Ends     = Tiles * Blocks
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    // host
    input  logic                   l_aw_valid_i,
    output logic                   l_aw_ready_o,
    input  logic    [RegAddrW-1:0] l_aw_addr_i,
    input  logic                   l_w_valid_i,
    output logic                   l_w_ready_o,
    input  reg_w_t                 l_w_i,
    output logic                   l_b_valid_o,
    input  logic                   l_b_ready_i,
    output logic    [         1:0] l_b_resp_o,
    input  logic                   l_ar_valid_i,
    output logic                   l_ar_ready_o,
    input  logic    [RegAddrW-1:0] l_ar_addr_i,
    output logic                   l_r_valid_o,
    input  logic                   l_r_ready_i,
    output reg_r_t                 l_r_o,
    // blocks of the tiles: tile t, block b at [t*Blocks + b]
    output logic                   t_aw_valid_o[Ends],
    input  logic                   t_aw_ready_i[Ends],
    output reg_ax_t                t_aw_o      [Ends],
    output logic                   t_w_valid_o [Ends],
    input  logic                   t_w_ready_i [Ends],
    output reg_w_t                 t_w_o       [Ends],
    input  logic                   t_b_valid_i [Ends],
    output logic                   t_b_ready_o [Ends],
    input  reg_b_t                 t_b_i       [Ends],
    output logic                   t_ar_valid_o[Ends],
    input  logic                   t_ar_ready_i[Ends],
    output reg_ax_t                t_ar_o      [Ends],
    input  logic                   t_r_valid_i [Ends],
    output logic                   t_r_ready_o [Ends],
    input  reg_r_t                 t_r_i       [Ends],
    // the chip's block
    output logic                   c_aw_valid_o,
    input  logic                   c_aw_ready_i,
    output logic    [ChipRegW-1:0] c_aw_addr_o,
    output logic                   c_w_valid_o,
    input  logic                   c_w_ready_i,
    output reg_w_t                 c_w_o,
    input  logic                   c_b_valid_i,
    output logic                   c_b_ready_o,
    input  reg_b_t                 c_b_i,
    output logic                   c_ar_valid_o,
    input  logic                   c_ar_ready_i,
    output logic    [ChipRegW-1:0] c_ar_addr_o,
    input  logic                   c_r_valid_i,
    output logic                   c_r_ready_o,
    input  reg_r_t                 c_r_i
);
  if (Channels < 1 || Channels > 7) begin : gen_check
    $error("chip_registers: Channels must be 1 to 7");
  end
  localparam int unsigned MaxOpen = 8;
  // Ways of the first fork.
  typedef enum logic [1:0] {
    ToTiles  = 2'd0,
    ToChip   = 2'd1,
    ToAbsent = 2'd2
  } way_e;
  localparam int unsigned FirstWays = 3;
  typedef struct packed {
    logic [1:0]           way;
    tile_t                tile;
    logic [RegBlockW-1:0] block;
  } dest_t;
  typedef struct packed {
    logic    chip;
    reg_ax_t at;
  } host_ax_t;

  function automatic way_e way_of(input host_ax_t a);
    if (a.chip) return {a.at.tile, a.at.block, a.at.addr} >> ChipRegW == '0 ? ToChip : ToAbsent;
    if (!there(a.at.tile, X, Y) || 32'(a.at.block) > Channels) return ToAbsent;
    if (a.at.block == '0 && a.at.addr >> TileRegW != '0) return ToAbsent;
    return ToTiles;
  endfunction

  // ------------------------------------------------------------------------------- what the host sends
  logic aw_v, aw_r, w_v, w_r, ar_v, ar_r;
  host_ax_t aw, ar;
  reg_w_t w;
  common_spill #(
      .data_t(host_ax_t)
  ) u_aw (
      .clk_i,
      .rst_ni,
      .in_valid_i(l_aw_valid_i),
      .in_ready_o(l_aw_ready_o),
      .in_i(l_aw_addr_i),
      .out_valid_o(aw_v),
      .out_ready_i(aw_r),
      .out_o(aw)
  );
  common_spill #(
      .data_t(reg_w_t)
  ) u_w (
      .clk_i,
      .rst_ni,
      .in_valid_i(l_w_valid_i),
      .in_ready_o(l_w_ready_o),
      .in_i(l_w_i),
      .out_valid_o(w_v),
      .out_ready_i(w_r),
      .out_o(w)
  );
  common_spill #(
      .data_t(host_ax_t)
  ) u_ar (
      .clk_i,
      .rst_ni,
      .in_valid_i(l_ar_valid_i),
      .in_ready_o(l_ar_ready_o),
      .in_i(l_ar_addr_i),
      .out_valid_o(ar_v),
      .out_ready_i(ar_r),
      .out_o(ar)
  );

  // -------------------------------------------------------------------------------------------- order
  logic aw_open_v, aw_open_r, ar_open_v, ar_open_r;
  way_e aw_way, ar_way;
  dest_t aw_dest, ar_dest;
  reg_b_t b;
  assign aw_way  = way_of(aw);
  assign ar_way  = way_of(ar);
  assign aw_dest = '{way: aw_way, tile: aw.at.tile, block: aw.at.block};
  assign ar_dest = '{way: ar_way, tile: ar.at.tile, block: ar.at.block};
  chip_order #(
      .IdW  (1),
      .DestW($bits(dest_t)),
      .Max  (MaxOpen)
  ) u_write_order (
      .clk_i,
      .rst_ni,
      .valid_i(aw_v),
      .ready_o(aw_r),
      .id_i(1'b0),
      .dest_i(aw_dest),
      .valid_o(aw_open_v),
      .ready_i(aw_open_r),
      .done_i(l_b_valid_o && l_b_ready_i),
      .done_id_i(1'b0)
  );
  chip_order #(
      .IdW  (1),
      .DestW($bits(dest_t)),
      .Max  (MaxOpen)
  ) u_read_order (
      .clk_i,
      .rst_ni,
      .valid_i(ar_v),
      .ready_o(ar_r),
      .id_i(1'b0),
      .dest_i(ar_dest),
      .valid_o(ar_open_v),
      .ready_i(ar_open_r),
      .done_i(l_r_valid_o && l_r_ready_i),
      .done_id_i(1'b0)
  );

  // ---------------------------------------------------------------- the mesh, the chip, or nobody's
  logic m_aw_v[FirstWays], m_aw_r[FirstWays], m_w_v[FirstWays], m_w_r[FirstWays];
  logic m_b_v[FirstWays], m_b_r[FirstWays], m_ar_v[FirstWays], m_ar_r[FirstWays];
  logic m_r_v[FirstWays], m_r_r[FirstWays];
  reg_ax_t m_aw[FirstWays], m_ar[FirstWays];
  reg_w_t m_w[FirstWays];
  reg_b_t m_b[FirstWays];
  reg_r_t m_r[FirstWays];
  chip_fork #(
      .Ways(FirstWays),
      .ax_t(reg_ax_t),
      .w_t (reg_w_t),
      .b_t (reg_b_t),
      .r_t (reg_r_t)
  ) u_fork (
      .clk_i,
      .rst_ni,
      .aw_valid_i(aw_open_v),
      .aw_ready_o(aw_open_r),
      .aw_i(aw.at),
      .aw_way_i(aw_way),
      .w_valid_i(w_v),
      .w_ready_o(w_r),
      .w_i(w),
      .w_last_i(1'b1),
      .b_valid_o(l_b_valid_o),
      .b_ready_i(l_b_ready_i),
      .b_o(b),
      .ar_valid_i(ar_open_v),
      .ar_ready_o(ar_open_r),
      .ar_i(ar.at),
      .ar_way_i(ar_way),
      .r_valid_o(l_r_valid_o),
      .r_ready_i(l_r_ready_i),
      .r_o(l_r_o),
      .aw_valid_o(m_aw_v),
      .aw_ready_i(m_aw_r),
      .aw_o(m_aw),
      .w_valid_o(m_w_v),
      .w_ready_i(m_w_r),
      .w_o(m_w),
      .b_valid_i(m_b_v),
      .b_ready_o(m_b_r),
      .b_i(m_b),
      .ar_valid_o(m_ar_v),
      .ar_ready_i(m_ar_r),
      .ar_o(m_ar),
      .r_valid_i(m_r_v),
      .r_ready_o(m_r_r),
      .r_i(m_r)
  );
  assign l_b_resp_o = b.resp;

  assign c_aw_valid_o = m_aw_v[ToChip];
  assign c_aw_addr_o = m_aw[ToChip].addr[ChipRegW-1:0];
  assign c_w_valid_o = m_w_v[ToChip];
  assign c_w_o = m_w[ToChip];
  assign c_b_ready_o = m_b_r[ToChip];
  assign c_ar_valid_o = m_ar_v[ToChip];
  assign c_ar_addr_o = m_ar[ToChip].addr[ChipRegW-1:0];
  assign c_r_ready_o = m_r_r[ToChip];
  assign m_aw_r[ToChip] = c_aw_ready_i;
  assign m_w_r[ToChip] = c_w_ready_i;
  assign m_b_v[ToChip] = c_b_valid_i;
  assign m_b[ToChip] = c_b_i;
  assign m_ar_r[ToChip] = c_ar_ready_i;
  assign m_r_v[ToChip] = c_r_valid_i;
  assign m_r[ToChip] = c_r_i;

  chip_absent #(
      .IdW(1)
  ) u_absent (
      .clk_i,
      .rst_ni,
      .aw_valid_i(m_aw_v[ToAbsent]),
      .aw_ready_o(m_aw_r[ToAbsent]),
      .aw_id_i(1'b0),
      .w_valid_i(m_w_v[ToAbsent]),
      .w_ready_o(m_w_r[ToAbsent]),
      .w_last_i(1'b1),
      .ar_valid_i(m_ar_v[ToAbsent]),
      .ar_ready_o(m_ar_r[ToAbsent]),
      .ar_id_i(1'b0),
      .ar_len_i('0),
      .b_valid_o(m_b_v[ToAbsent]),
      .b_ready_i(m_b_r[ToAbsent]),
      .b_id_o(),
      .r_valid_o(m_r_v[ToAbsent]),
      .r_ready_i(m_r_r[ToAbsent]),
      .r_id_o(),
      .r_last_o()
  );
  assign m_b[ToAbsent] = '{resp: RespDecErr};
  assign m_r[ToAbsent] = '{data: '0, resp: RespDecErr};

  // ------------------------------------------------------------------- to every tile, to its blocks
  localparam int unsigned WayW = $clog2(Blocks);
  logic x_aw_v[Tiles], x_aw_r[Tiles], x_w_v[Tiles], x_w_r[Tiles], x_b_v[Tiles], x_b_r[Tiles];
  logic x_ar_v[Tiles], x_ar_r[Tiles], x_r_v[Tiles], x_r_r[Tiles];
  reg_ax_t x_aw[Tiles], x_ar[Tiles];
  reg_w_t x_w[Tiles];
  reg_b_t x_b[Tiles];
  reg_r_t x_r[Tiles];
  chip_tree #(
      .X(X),
      .Y(Y),
      .Bursts(1'b0),
      .ax_t(reg_ax_t),
      .w_t(reg_w_t),
      .b_t(reg_b_t),
      .r_t(reg_r_t)
  ) u_tree (
      .clk_i,
      .rst_ni,
      .aw_valid_i(m_aw_v[ToTiles]),
      .aw_ready_o(m_aw_r[ToTiles]),
      .aw_i(m_aw[ToTiles]),
      .w_valid_i(m_w_v[ToTiles]),
      .w_ready_o(m_w_r[ToTiles]),
      .w_i(m_w[ToTiles]),
      .b_valid_o(m_b_v[ToTiles]),
      .b_ready_i(m_b_r[ToTiles]),
      .b_o(m_b[ToTiles]),
      .ar_valid_i(m_ar_v[ToTiles]),
      .ar_ready_o(m_ar_r[ToTiles]),
      .ar_i(m_ar[ToTiles]),
      .r_valid_o(m_r_v[ToTiles]),
      .r_ready_i(m_r_r[ToTiles]),
      .r_o(m_r[ToTiles]),
      .aw_valid_o(x_aw_v),
      .aw_ready_i(x_aw_r),
      .aw_o(x_aw),
      .w_valid_o(x_w_v),
      .w_ready_i(x_w_r),
      .w_o(x_w),
      .b_valid_i(x_b_v),
      .b_ready_o(x_b_r),
      .b_i(x_b),
      .ar_valid_o(x_ar_v),
      .ar_ready_i(x_ar_r),
      .ar_o(x_ar),
      .r_valid_i(x_r_v),
      .r_ready_o(x_r_r),
      .r_i(x_r)
  );
  for (genvar t = 0; t < Tiles; t++) begin : gen_tile
    chip_fork #(
        .Ways(Blocks),
        .ax_t(reg_ax_t),
        .w_t (reg_w_t),
        .b_t (reg_b_t),
        .r_t (reg_r_t)
    ) u_blocks (
        .clk_i,
        .rst_ni,
        .aw_valid_i(x_aw_v[t]),
        .aw_ready_o(x_aw_r[t]),
        .aw_i(x_aw[t]),
        .aw_way_i(x_aw[t].block[WayW-1:0]),
        .w_valid_i(x_w_v[t]),
        .w_ready_o(x_w_r[t]),
        .w_i(x_w[t]),
        .w_last_i(1'b1),
        .b_valid_o(x_b_v[t]),
        .b_ready_i(x_b_r[t]),
        .b_o(x_b[t]),
        .ar_valid_i(x_ar_v[t]),
        .ar_ready_o(x_ar_r[t]),
        .ar_i(x_ar[t]),
        .ar_way_i(x_ar[t].block[WayW-1:0]),
        .r_valid_o(x_r_v[t]),
        .r_ready_i(x_r_r[t]),
        .r_o(x_r[t]),
        .aw_valid_o(t_aw_valid_o[t*Blocks+:Blocks]),
        .aw_ready_i(t_aw_ready_i[t*Blocks+:Blocks]),
        .aw_o(t_aw_o[t*Blocks+:Blocks]),
        .w_valid_o(t_w_valid_o[t*Blocks+:Blocks]),
        .w_ready_i(t_w_ready_i[t*Blocks+:Blocks]),
        .w_o(t_w_o[t*Blocks+:Blocks]),
        .b_valid_i(t_b_valid_i[t*Blocks+:Blocks]),
        .b_ready_o(t_b_ready_o[t*Blocks+:Blocks]),
        .b_i(t_b_i[t*Blocks+:Blocks]),
        .ar_valid_o(t_ar_valid_o[t*Blocks+:Blocks]),
        .ar_ready_i(t_ar_ready_i[t*Blocks+:Blocks]),
        .ar_o(t_ar_o[t*Blocks+:Blocks]),
        .r_valid_i(t_r_valid_i[t*Blocks+:Blocks]),
        .r_ready_o(t_r_ready_o[t*Blocks+:Blocks]),
        .r_i(t_r_i[t*Blocks+:Blocks])
    );
  end

  // What the host promises, and what it gets.
  `ASSERT_HELD(HostAwHeld_A, l_aw_valid_i, l_aw_ready_o, l_aw_addr_i)
  `ASSERT_HELD(HostWHeld_A, l_w_valid_i, l_w_ready_o, l_w_i)
  `ASSERT_HELD(HostArHeld_A, l_ar_valid_i, l_ar_ready_o, l_ar_addr_i)
  `ASSERT_HELD(HostBHeld_A, l_b_valid_o, l_b_ready_i, l_b_resp_o)
  `ASSERT_HELD(HostRHeld_A, l_r_valid_o, l_r_ready_i, l_r_o)
  for (genvar e = 0; e < Ends; e++) begin : gen_promise
    `ASSERT_HELD(AwHeld_A, t_aw_valid_o[e], t_aw_ready_i[e], t_aw_o[e])
    `ASSERT_HELD(WHeld_A, t_w_valid_o[e], t_w_ready_i[e], t_w_o[e])
    `ASSERT_HELD(ArHeld_A, t_ar_valid_o[e], t_ar_ready_i[e], t_ar_o[e])
  end
endmodule
