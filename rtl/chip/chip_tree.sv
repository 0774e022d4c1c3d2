// SPDX-License-Identifier: Apache-2.0
// From the chip's corner to every tile: a chip_line down the first column, and one along each row. Tile (x, y) is reached, and
// answers, after x + y + 2 cycles; the rest is as chip_line says.
module chip_tree #(
    parameter int unsigned X = 2,
    parameter int unsigned Y = 2,
    parameter bit Bursts = 1'b1,  // as chip_line's
    parameter type ax_t = chip_pkg::win_ax_t,
    parameter type w_t = tepin_pkg::axi_w_t,
    parameter type b_t = chip_pkg::win_b_t,
    parameter type r_t = chip_pkg::win_r_t,
    localparam int unsigned Tiles = X * Y
) (
    input  logic clk_i,
    input  logic rst_ni,
    // upstream
    input  logic aw_valid_i,
    output logic aw_ready_o,
    input  ax_t  aw_i,
    input  logic w_valid_i,
    output logic w_ready_o,
    input  w_t   w_i,
    output logic b_valid_o,
    input  logic b_ready_i,
    output b_t   b_o,
    input  logic ar_valid_i,
    output logic ar_ready_o,
    input  ax_t  ar_i,
    output logic r_valid_o,
    input  logic r_ready_i,
    output r_t   r_o,
    // tiles, rows of X
    output logic aw_valid_o[Tiles],
    input  logic aw_ready_i[Tiles],
    output ax_t  aw_o      [Tiles],
    output logic w_valid_o [Tiles],
    input  logic w_ready_i [Tiles],
    output w_t   w_o       [Tiles],
    input  logic b_valid_i [Tiles],
    output logic b_ready_o [Tiles],
    input  b_t   b_i       [Tiles],
    output logic ar_valid_o[Tiles],
    input  logic ar_ready_i[Tiles],
    output ax_t  ar_o      [Tiles],
    input  logic r_valid_i [Tiles],
    output logic r_ready_o [Tiles],
    input  r_t   r_i       [Tiles]
);
  // Row y at [y].
  logic c_aw_v[Y], c_aw_r[Y], c_w_v[Y], c_w_r[Y], c_b_v[Y], c_b_r[Y];
  logic c_ar_v[Y], c_ar_r[Y], c_r_v[Y], c_r_r[Y];
  ax_t c_aw[Y], c_ar[Y];
  w_t c_w[Y];
  b_t c_b[Y];
  r_t c_r[Y];
  chip_line #(
      .N(Y),
      .ByX(1'b0),
      .Bursts(Bursts),
      .ax_t(ax_t),
      .w_t(w_t),
      .b_t(b_t),
      .r_t(r_t)
  ) u_column (
      .clk_i,
      .rst_ni,
      .aw_valid_i(aw_valid_i),
      .aw_ready_o(aw_ready_o),
      .aw_i(aw_i),
      .w_valid_i(w_valid_i),
      .w_ready_o(w_ready_o),
      .w_i(w_i),
      .b_valid_o(b_valid_o),
      .b_ready_i(b_ready_i),
      .b_o(b_o),
      .ar_valid_i(ar_valid_i),
      .ar_ready_o(ar_ready_o),
      .ar_i(ar_i),
      .r_valid_o(r_valid_o),
      .r_ready_i(r_ready_i),
      .r_o(r_o),
      .aw_valid_o(c_aw_v),
      .aw_ready_i(c_aw_r),
      .aw_o(c_aw),
      .w_valid_o(c_w_v),
      .w_ready_i(c_w_r),
      .w_o(c_w),
      .b_valid_i(c_b_v),
      .b_ready_o(c_b_r),
      .b_i(c_b),
      .ar_valid_o(c_ar_v),
      .ar_ready_i(c_ar_r),
      .ar_o(c_ar),
      .r_valid_i(c_r_v),
      .r_ready_o(c_r_r),
      .r_i(c_r)
  );
  for (genvar y = 0; y < Y; y++) begin : gen_row
    chip_line #(
        .N(X),
        .Bursts(Bursts),
        .ax_t(ax_t),
        .w_t(w_t),
        .b_t(b_t),
        .r_t(r_t)
    ) u_row (
        .clk_i,
        .rst_ni,
        .aw_valid_i(c_aw_v[y]),
        .aw_ready_o(c_aw_r[y]),
        .aw_i(c_aw[y]),
        .w_valid_i(c_w_v[y]),
        .w_ready_o(c_w_r[y]),
        .w_i(c_w[y]),
        .b_valid_o(c_b_v[y]),
        .b_ready_i(c_b_r[y]),
        .b_o(c_b[y]),
        .ar_valid_i(c_ar_v[y]),
        .ar_ready_o(c_ar_r[y]),
        .ar_i(c_ar[y]),
        .r_valid_o(c_r_v[y]),
        .r_ready_i(c_r_r[y]),
        .r_o(c_r[y]),
        .aw_valid_o(aw_valid_o[y*X+:X]),
        .aw_ready_i(aw_ready_i[y*X+:X]),
        .aw_o(aw_o[y*X+:X]),
        .w_valid_o(w_valid_o[y*X+:X]),
        .w_ready_i(w_ready_i[y*X+:X]),
        .w_o(w_o[y*X+:X]),
        .b_valid_i(b_valid_i[y*X+:X]),
        .b_ready_o(b_ready_o[y*X+:X]),
        .b_i(b_i[y*X+:X]),
        .ar_valid_o(ar_valid_o[y*X+:X]),
        .ar_ready_i(ar_ready_i[y*X+:X]),
        .ar_o(ar_o[y*X+:X]),
        .r_valid_i(r_valid_i[y*X+:X]),
        .r_ready_o(r_ready_o[y*X+:X]),
        .r_i(r_i[y*X+:X])
    );
  end
endmodule
