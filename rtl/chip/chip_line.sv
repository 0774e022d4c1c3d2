// SPDX-License-Identifier: Apache-2.0
// N chip_forks in a line, each of which hands over what is bound for its place and passes the rest on: every wire is as long
// as the distance between two places. Place i is reached, and answers, after i + 1 cycles; throughput 1 a cycle and channel.
// Addresses are steered by their field tile.x (ByX) or tile.y. At every place those further along share the way back
// with the place itself in turns.
`include "rtl/common/assert.svh"
module chip_line #(
    parameter int unsigned N = 2,
    parameter bit ByX = 1'b1,
    parameter bit Bursts = 1'b1,  // write data have a field `last`; else every beat is one
    parameter type ax_t = chip_pkg::win_ax_t,
    parameter type w_t = tepin_pkg::axi_w_t,
    parameter type b_t = chip_pkg::win_b_t,
    parameter type r_t = chip_pkg::win_r_t
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
    // places
    output logic aw_valid_o[N],
    input  logic aw_ready_i[N],
    output ax_t  aw_o      [N],
    output logic w_valid_o [N],
    input  logic w_ready_i [N],
    output w_t   w_o       [N],
    input  logic b_valid_i [N],
    output logic b_ready_o [N],
    input  b_t   b_i       [N],
    output logic ar_valid_o[N],
    input  logic ar_ready_i[N],
    output ax_t  ar_o      [N],
    input  logic r_valid_i [N],
    output logic r_ready_o [N],
    input  r_t   r_i       [N]
);
  if (N < 1 || N > 8) begin : gen_check
    $error("chip_line: N must be 1 to 8");
  end
  // [i]: what comes to place i; [N] is the end, to which nothing is bound.
  logic aw_valid[N+1], aw_ready[N+1], w_valid[N+1], w_ready[N+1], b_valid[N+1], b_ready[N+1];
  logic ar_valid[N+1], ar_ready[N+1], r_valid[N+1], r_ready[N+1];
  ax_t aw[N+1], ar[N+1];
  w_t w[N+1];
  b_t b[N+1];
  r_t r[N+1];
  assign {aw_valid[0], w_valid[0], ar_valid[0], b_ready[0], r_ready[0]} = {
    aw_valid_i, w_valid_i, ar_valid_i, b_ready_i, r_ready_i
  };
  assign {aw[0], w[0], ar[0]} = {aw_i, w_i, ar_i};
  assign {aw_ready_o, w_ready_o, ar_ready_o, b_valid_o, r_valid_o} = {
    aw_ready[0], w_ready[0], ar_ready[0], b_valid[0], r_valid[0]
  };
  assign {b_o, r_o} = {b[0], r[0]};
  assign {aw_ready[N], w_ready[N], ar_ready[N], b_valid[N], r_valid[N]} = '0;
  assign {b[N], r[N]} = '0;

  for (genvar i = 0; i < N; i++) begin : gen_place
    localparam int unsigned Ways = i + 1 < N ? 2 : 1;
    logic last, aw_on, ar_on;  // on: bound for a place further along
    logic f_aw_v[Ways], f_aw_r[Ways], f_w_v[Ways], f_w_r[Ways], f_b_v[Ways], f_b_r[Ways];
    logic f_ar_v[Ways], f_ar_r[Ways], f_r_v[Ways], f_r_r[Ways];
    ax_t f_aw[Ways], f_ar[Ways];
    w_t f_w[Ways];
    b_t f_b[Ways];
    r_t f_r[Ways];
    if (ByX) begin : gen_x
      assign aw_on = 32'(aw[i].tile.x) != i;
      assign ar_on = 32'(ar[i].tile.x) != i;
    end else begin : gen_y
      assign aw_on = 32'(aw[i].tile.y) != i;
      assign ar_on = 32'(ar[i].tile.y) != i;
    end
    if (Bursts) begin : gen_last
      assign last = w[i].last;
    end else begin : gen_single
      assign last = 1'b1;
    end
    chip_fork #(
        .Ways(Ways),
        .ax_t(ax_t),
        .w_t (w_t),
        .b_t (b_t),
        .r_t (r_t)
    ) u_fork (
        .clk_i,
        .rst_ni,
        .aw_valid_i(aw_valid[i]),
        .aw_ready_o(aw_ready[i]),
        .aw_i(aw[i]),
        .aw_way_i(aw_on),
        .w_valid_i(w_valid[i]),
        .w_ready_o(w_ready[i]),
        .w_i(w[i]),
        .w_last_i(last),
        .b_valid_o(b_valid[i]),
        .b_ready_i(b_ready[i]),
        .b_o(b[i]),
        .ar_valid_i(ar_valid[i]),
        .ar_ready_o(ar_ready[i]),
        .ar_i(ar[i]),
        .ar_way_i(ar_on),
        .r_valid_o(r_valid[i]),
        .r_ready_i(r_ready[i]),
        .r_o(r[i]),
        .aw_valid_o(f_aw_v),
        .aw_ready_i(f_aw_r),
        .aw_o(f_aw),
        .w_valid_o(f_w_v),
        .w_ready_i(f_w_r),
        .w_o(f_w),
        .b_valid_i(f_b_v),
        .b_ready_o(f_b_r),
        .b_i(f_b),
        .ar_valid_o(f_ar_v),
        .ar_ready_i(f_ar_r),
        .ar_o(f_ar),
        .r_valid_i(f_r_v),
        .r_ready_o(f_r_r),
        .r_i(f_r)
    );
    assign {aw_valid_o[i], w_valid_o[i], ar_valid_o[i], b_ready_o[i], r_ready_o[i]} = {
      f_aw_v[0], f_w_v[0], f_ar_v[0], f_b_r[0], f_r_r[0]
    };
    assign {aw_o[i], w_o[i], ar_o[i]} = {f_aw[0], f_w[0], f_ar[0]};
    assign {f_aw_r[0], f_w_r[0], f_ar_r[0], f_b_v[0], f_r_v[0]} = {
      aw_ready_i[i], w_ready_i[i], ar_ready_i[i], b_valid_i[i], r_valid_i[i]
    };
    assign {f_b[0], f_r[0]} = {b_i[i], r_i[i]};
    if (Ways == 2) begin : gen_on
      assign {aw_valid[i+1], w_valid[i+1], ar_valid[i+1], b_ready[i+1], r_ready[i+1]} = {
        f_aw_v[1], f_w_v[1], f_ar_v[1], f_b_r[1], f_r_r[1]
      };
      assign {aw[i+1], w[i+1], ar[i+1]} = {f_aw[1], f_w[1], f_ar[1]};
      assign {f_aw_r[1], f_w_r[1], f_ar_r[1], f_b_v[1], f_r_v[1]} = {
        aw_ready[i+1], w_ready[i+1], ar_ready[i+1], b_valid[i+1], r_valid[i+1]
      };
      assign {f_b[1], f_r[1]} = {b[i+1], r[i+1]};
    end else begin : gen_end
      assign {aw_valid[N], w_valid[N], ar_valid[N], b_ready[N], r_ready[N]} = '0;
      assign {aw[N], w[N], ar[N]} = '0;
    end
  end
endmodule
