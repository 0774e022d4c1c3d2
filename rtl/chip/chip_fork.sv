// SPDX-License-Identifier: Apache-2.0
// One AXI4 or AXI4-Lite port to several: each address goes the way that comes with it, write data follow their address,
// responses of all ways join. Every output but a ready is a flip-flop, and a ready depends on flip-flops of this fork and on
// the payload offered: latency 1 cycle each way, throughput 1 a cycle and channel. Order of one way is kept. Beats of
// several ways interleave in turns: who wants the order of an ID kept across ways puts a chip_order in front.
// Backpressure: an address waits while its way is full or OrderDepth writes lack data; data wait for their address.
`include "rtl/common/assert.svh"
module chip_fork #(
    parameter int unsigned Ways = 2,
    parameter int unsigned OrderDepth = 4,
    parameter type ax_t = chip_pkg::win_ax_t,
    parameter type w_t = tepin_pkg::axi_w_t,
    parameter type b_t = chip_pkg::win_b_t,
    parameter type r_t = chip_pkg::win_r_t,
    localparam int unsigned WayW = Ways > 1 ? $clog2(Ways) : 1
) (
    input  logic            clk_i,
    input  logic            rst_ni,
    // upstream
    input  logic            aw_valid_i,
    output logic            aw_ready_o,
    input  ax_t             aw_i,
    input  logic [WayW-1:0] aw_way_i,
    input  logic            w_valid_i,
    output logic            w_ready_o,
    input  w_t              w_i,
    input  logic            w_last_i,
    output logic            b_valid_o,
    input  logic            b_ready_i,
    output b_t              b_o,
    input  logic            ar_valid_i,
    output logic            ar_ready_o,
    input  ax_t             ar_i,
    input  logic [WayW-1:0] ar_way_i,
    output logic            r_valid_o,
    input  logic            r_ready_i,
    output r_t              r_o,
    // downstream
    output logic            aw_valid_o[Ways],
    input  logic            aw_ready_i[Ways],
    output ax_t             aw_o      [Ways],
    output logic            w_valid_o [Ways],
    input  logic            w_ready_i [Ways],
    output w_t              w_o       [Ways],
    input  logic            b_valid_i [Ways],
    output logic            b_ready_o [Ways],
    input  b_t              b_i       [Ways],
    output logic            ar_valid_o[Ways],
    input  logic            ar_ready_i[Ways],
    output ax_t             ar_o      [Ways],
    input  logic            r_valid_i [Ways],
    output logic            r_ready_o [Ways],
    input  r_t              r_i       [Ways]
);
  if (Ways < 1 || OrderDepth < 1) begin : gen_check
    $error("chip_fork: Ways and OrderDepth must be at least 1");
  end
  logic [Ways-1:0] aw_free, w_free, ar_free;

  // ---------------------------------------------------------------------------------------- requests
  // Where the data of each accepted write address go, oldest first.
  logic order_free, order_valid, order_pop;
  logic [WayW-1:0] w_way;
  assign aw_ready_o = order_free && aw_free[aw_way_i];
  assign ar_ready_o = ar_free[ar_way_i];
  assign w_ready_o  = order_valid && w_free[w_way];
  assign order_pop  = w_valid_i && w_ready_o && w_last_i;
  common_fifo #(
      .data_t(logic [WayW-1:0]),
      .Depth (OrderDepth)
  ) u_order (
      .clk_i,
      .rst_ni,
      .in_valid_i(aw_valid_i && aw_free[aw_way_i]),
      .in_ready_o(order_free),
      .in_i(aw_way_i),
      .out_valid_o(order_valid),
      .out_ready_i(order_pop),
      .out_o(w_way),
      .count_o()
  );
  for (genvar i = 0; i < Ways; i++) begin : gen_way
    common_spill #(
        .data_t(ax_t)
    ) u_aw (
        .clk_i,
        .rst_ni,
        .in_valid_i(aw_valid_i && order_free && 32'(aw_way_i) == i),
        .in_ready_o(aw_free[i]),
        .in_i(aw_i),
        .out_valid_o(aw_valid_o[i]),
        .out_ready_i(aw_ready_i[i]),
        .out_o(aw_o[i])
    );
    common_spill #(
        .data_t(w_t)
    ) u_w (
        .clk_i,
        .rst_ni,
        .in_valid_i(w_valid_i && order_valid && 32'(w_way) == i),
        .in_ready_o(w_free[i]),
        .in_i(w_i),
        .out_valid_o(w_valid_o[i]),
        .out_ready_i(w_ready_i[i]),
        .out_o(w_o[i])
    );
    common_spill #(
        .data_t(ax_t)
    ) u_ar (
        .clk_i,
        .rst_ni,
        .in_valid_i(ar_valid_i && 32'(ar_way_i) == i),
        .in_ready_o(ar_free[i]),
        .in_i(ar_i),
        .out_valid_o(ar_valid_o[i]),
        .out_ready_i(ar_ready_i[i]),
        .out_o(ar_o[i])
    );
  end

  // --------------------------------------------------------------------------------------- responses
  logic [Ways-1:0] b_req, b_grant, r_req, r_grant;
  logic b_free, r_free;
  b_t b_pick;
  r_t r_pick;
  always_comb begin
    b_pick = b_i[0];
    r_pick = r_i[0];
    for (int unsigned i = 0; i < Ways; i++) begin
      b_req[i] = b_valid_i[i];
      r_req[i] = r_valid_i[i];
      if (b_grant[i]) b_pick = b_i[i];
      if (r_grant[i]) r_pick = r_i[i];
      b_ready_o[i] = b_grant[i] && b_free;
      r_ready_o[i] = r_grant[i] && r_free;
    end
  end
  common_arbiter #(
      .Num(Ways),
      .LevelW(1)
  ) u_b_turn (
      .clk_i,
      .rst_ni,
      .req_i  (b_req),
      .level_i('0),
      .use_i  (b_req != '0 && b_free),
      .grant_o(b_grant)
  );
  common_arbiter #(
      .Num(Ways),
      .LevelW(1)
  ) u_r_turn (
      .clk_i,
      .rst_ni,
      .req_i  (r_req),
      .level_i('0),
      .use_i  (r_req != '0 && r_free),
      .grant_o(r_grant)
  );
  common_spill #(
      .data_t(b_t)
  ) u_b (
      .clk_i,
      .rst_ni,
      .in_valid_i(b_req != '0),
      .in_ready_o(b_free),
      .in_i(b_pick),
      .out_valid_o(b_valid_o),
      .out_ready_i(b_ready_i),
      .out_o(b_o)
  );
  common_spill #(
      .data_t(r_t)
  ) u_r (
      .clk_i,
      .rst_ni,
      .in_valid_i(r_req != '0),
      .in_ready_o(r_free),
      .in_i(r_pick),
      .out_valid_o(r_valid_o),
      .out_ready_i(r_ready_i),
      .out_o(r_o)
  );

  `ASSERT(WriteWayExists_A, !aw_valid_i || 32'(aw_way_i) < Ways)
  `ASSERT(ReadWayExists_A, !ar_valid_i || 32'(ar_way_i) < Ways)
  `ASSERT_HELD(AwHeldUntilReady_A, aw_valid_i, aw_ready_o, {aw_i, aw_way_i})
  `ASSERT_HELD(WHeldUntilReady_A, w_valid_i, w_ready_o, {w_i, w_last_i})
  `ASSERT_HELD(ArHeldUntilReady_A, ar_valid_i, ar_ready_o, {ar_i, ar_way_i})
  for (genvar i = 0; i < Ways; i++) begin : gen_held
    `ASSERT_HELD(BHeldUntilReady_A, b_valid_i[i], b_ready_o[i], b_i[i])
    `ASSERT_HELD(RHeldUntilReady_A, r_valid_i[i], r_ready_o[i], r_i[i])
  end
endmodule
