// SPDX-License-Identifier: Apache-2.0
// The chip's AXI4 window: 256 bit, INCR bursts of 32-byte beats within 4 KiB; address {tile 8*y + x [44:39], address in the tile
// [38:0]}. A burst for a tile that is not there is answered DECERR, beat by beat. Requests go down the first column and
// along their row (chip_tree), responses back: tile (x, y) is reached after x + y + 4 cycles and its responses take
// x + y + 3. Responses of one ID keep the order of its requests, across tiles too (chip_order); beats of different IDs may
// interleave. Up to MaxPerId reads and as many writes an ID are under way. Not supported: WRAP and FIXED bursts, narrow
// beats, exclusive access.
`include "rtl/common/assert.svh"
module chip_window
  import tepin_pkg::*;
  import chip_pkg::*;
#(
    parameter  int unsigned X        = 2,
    parameter  int unsigned Y        = 2,
    parameter  int unsigned MaxPerId = 8,
    localparam int unsigned Tiles    = X * Y
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    // host
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
    // tiles, rows of X
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
    input  win_r_t                  t_r_i       [Tiles]
);
  localparam int unsigned ToTiles = 0, ToAbsent = 1;  // ways of the first fork
  localparam int unsigned DestW = 7;  // {absent, tile}

  // ------------------------------------------------------------------------------- what the host sends
  logic aw_v, aw_r, w_v, w_r, ar_v, ar_r;
  win_ax_t aw, ar;
  axi_w_t w;
  common_spill #(
      .data_t(win_ax_t)
  ) u_aw (
      .clk_i,
      .rst_ni,
      .in_valid_i(s_aw_valid_i),
      .in_ready_o(s_aw_ready_o),
      .in_i(
      '{tile: s_aw_addr_i[44:39], id: s_aw_id_i, addr: s_aw_addr_i[38:0], len: s_aw_len_i}
      ),
      .out_valid_o(aw_v),
      .out_ready_i(aw_r),
      .out_o(aw)
  );
  common_spill #(
      .data_t(axi_w_t)
  ) u_w (
      .clk_i,
      .rst_ni,
      .in_valid_i(s_w_valid_i),
      .in_ready_o(s_w_ready_o),
      .in_i(s_w_i),
      .out_valid_o(w_v),
      .out_ready_i(w_r),
      .out_o(w)
  );
  common_spill #(
      .data_t(win_ax_t)
  ) u_ar (
      .clk_i,
      .rst_ni,
      .in_valid_i(s_ar_valid_i),
      .in_ready_o(s_ar_ready_o),
      .in_i(
      '{tile: s_ar_addr_i[44:39], id: s_ar_id_i, addr: s_ar_addr_i[38:0], len: s_ar_len_i}
      ),
      .out_valid_o(ar_v),
      .out_ready_i(ar_r),
      .out_o(ar)
  );

  // --------------------------------------------------------------------------- order within an ID
  logic aw_absent, ar_absent, aw_open_v, aw_open_r, ar_open_v, ar_open_r;
  win_b_t b;
  win_r_t r;
  assign aw_absent = !there(aw.tile, X, Y);
  assign ar_absent = !there(ar.tile, X, Y);
  chip_order #(
      .IdW  (HostIdW),
      .DestW(DestW),
      .Max  (MaxPerId)
  ) u_write_order (
      .clk_i,
      .rst_ni,
      .valid_i(aw_v),
      .ready_o(aw_r),
      .id_i(aw.id),
      .dest_i({aw_absent, aw.tile}),
      .valid_o(aw_open_v),
      .ready_i(aw_open_r),
      .done_i(s_b_valid_o && s_b_ready_i),
      .done_id_i(b.id)
  );
  chip_order #(
      .IdW  (HostIdW),
      .DestW(DestW),
      .Max  (MaxPerId)
  ) u_read_order (
      .clk_i,
      .rst_ni,
      .valid_i(ar_v),
      .ready_o(ar_r),
      .id_i(ar.id),
      .dest_i({ar_absent, ar.tile}),
      .valid_o(ar_open_v),
      .ready_i(ar_open_r),
      .done_i(s_r_valid_o && s_r_ready_i && r.last),
      .done_id_i(r.id)
  );

  // ------------------------------------------------------------------------- the mesh, or nobody's
  logic m_aw_v[2], m_aw_r[2], m_w_v[2], m_w_r[2], m_b_v[2], m_b_r[2];
  logic m_ar_v[2], m_ar_r[2], m_r_v[2], m_r_r[2];
  win_ax_t m_aw[2], m_ar[2];
  axi_w_t m_w[2];
  win_b_t m_b[2];
  win_r_t m_r[2];
  chip_fork u_fork (
      .clk_i,
      .rst_ni,
      .aw_valid_i(aw_open_v),
      .aw_ready_o(aw_open_r),
      .aw_i(aw),
      .aw_way_i(aw_absent),
      .w_valid_i(w_v),
      .w_ready_o(w_r),
      .w_i(w),
      .w_last_i(w.last),
      .b_valid_o(s_b_valid_o),
      .b_ready_i(s_b_ready_i),
      .b_o(b),
      .ar_valid_i(ar_open_v),
      .ar_ready_o(ar_open_r),
      .ar_i(ar),
      .ar_way_i(ar_absent),
      .r_valid_o(s_r_valid_o),
      .r_ready_i(s_r_ready_i),
      .r_o(r),
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
  assign {s_b_id_o, s_b_resp_o} = b;
  assign {s_r_id_o, s_r_data_o, s_r_resp_o, s_r_last_o} = r;

  logic [HostIdW-1:0] absent_b_id, absent_r_id;
  logic absent_last;
  chip_absent #(
      .IdW(HostIdW)
  ) u_absent (
      .clk_i,
      .rst_ni,
      .aw_valid_i(m_aw_v[ToAbsent]),
      .aw_ready_o(m_aw_r[ToAbsent]),
      .aw_id_i(m_aw[ToAbsent].id),
      .w_valid_i(m_w_v[ToAbsent]),
      .w_ready_o(m_w_r[ToAbsent]),
      .w_last_i(m_w[ToAbsent].last),
      .ar_valid_i(m_ar_v[ToAbsent]),
      .ar_ready_o(m_ar_r[ToAbsent]),
      .ar_id_i(m_ar[ToAbsent].id),
      .ar_len_i(m_ar[ToAbsent].len),
      .b_valid_o(m_b_v[ToAbsent]),
      .b_ready_i(m_b_r[ToAbsent]),
      .b_id_o(absent_b_id),
      .r_valid_o(m_r_v[ToAbsent]),
      .r_ready_i(m_r_r[ToAbsent]),
      .r_id_o(absent_r_id),
      .r_last_o(absent_last)
  );
  assign m_b[ToAbsent] = '{id: absent_b_id, resp: RespDecErr};
  assign m_r[ToAbsent] = '{id: absent_r_id, data: '0, resp: RespDecErr, last: absent_last};

  chip_tree #(
      .X(X),
      .Y(Y)
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
      .aw_valid_o(t_aw_valid_o),
      .aw_ready_i(t_aw_ready_i),
      .aw_o(t_aw_o),
      .w_valid_o(t_w_valid_o),
      .w_ready_i(t_w_ready_i),
      .w_o(t_w_o),
      .b_valid_i(t_b_valid_i),
      .b_ready_o(t_b_ready_o),
      .b_i(t_b_i),
      .ar_valid_o(t_ar_valid_o),
      .ar_ready_i(t_ar_ready_i),
      .ar_o(t_ar_o),
      .r_valid_i(t_r_valid_i),
      .r_ready_o(t_r_ready_o),
      .r_i(t_r_i)
  );

  // What the host promises.
  `ASSERT_HELD(HostAwHeld_A, s_aw_valid_i, s_aw_ready_o, {s_aw_id_i, s_aw_addr_i, s_aw_len_i})
  `ASSERT_HELD(HostWHeld_A, s_w_valid_i, s_w_ready_o, s_w_i)
  `ASSERT_HELD(HostArHeld_A, s_ar_valid_i, s_ar_ready_o, {s_ar_id_i, s_ar_addr_i, s_ar_len_i})
  `ASSERT(HostWriteWithin4K_A, !s_aw_valid_i || 32'(s_aw_addr_i[11:5]) + 32'(s_aw_len_i) < 128)
  `ASSERT(HostReadWithin4K_A, !s_ar_valid_i || 32'(s_ar_addr_i[11:5]) + 32'(s_ar_len_i) < 128)
  // What it gets.
  `ASSERT_HELD(HostBHeld_A, s_b_valid_o, s_b_ready_i, {s_b_id_o, s_b_resp_o})
  `ASSERT_HELD(HostRHeld_A, s_r_valid_o, s_r_ready_i, {s_r_id_o, s_r_data_o, s_r_resp_o, s_r_last_o
               })
  for (genvar t = 0; t < Tiles; t++) begin : gen_promise
    `ASSERT_HELD(TileAwHeld_A, t_aw_valid_o[t], t_aw_ready_i[t], t_aw_o[t])
    `ASSERT_HELD(TileWHeld_A, t_w_valid_o[t], t_w_ready_i[t], t_w_o[t])
    `ASSERT_HELD(TileArHeld_A, t_ar_valid_o[t], t_ar_ready_i[t], t_ar_o[t])
    `ASSERT(WriteIsForThisTile_A,
            !t_aw_valid_o[t] || (32'(t_aw_o[t].tile.x) == t % X && 32'(t_aw_o[t].tile.y) == t / X))
    `ASSERT(ReadIsForThisTile_A,
            !t_ar_valid_o[t] || (32'(t_ar_o[t].tile.x) == t % X && 32'(t_ar_o[t].tile.y) == t / X))
  end
endmodule
