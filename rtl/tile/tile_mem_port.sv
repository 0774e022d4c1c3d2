// SPDX-License-Identifier: Apache-2.0
// One pseudo-channel's memory port, shared by LD and ST (with the host's accesses among them) and by what serves other tiles,
// which has ID 17: reads of up to 8 beats and writes of one, address and data together. Requests of both take turns; ST's
// write data follow their address, so the other's writes go between its bursts: while one waits ST begins no new burst, and
// after eight it lets ST go on. Everything that leaves is a flip-flop; a cycle more each way.
`include "rtl/common/assert.svh"
module tile_mem_port
  import tepin_pkg::*;
(
    input  logic            clk_i,
    input  logic            rst_ni,
    // memory
    output logic            m_ar_valid_o,
    input  logic            m_ar_ready_i,
    output axi_ax_t         m_ar_o,
    input  logic            m_r_valid_i,
    output logic            m_r_ready_o,
    input  axi_r_t          m_r_i,
    output logic            m_aw_valid_o,
    input  logic            m_aw_ready_i,
    output axi_ax_t         m_aw_o,
    output logic            m_w_valid_o,
    input  logic            m_w_ready_i,
    output axi_w_t          m_w_o,
    input  logic            m_b_valid_i,
    output logic            m_b_ready_o,
    input  axi_b_t          m_b_i,
    // LD
    input  logic            ar_valid_i,
    output logic            ar_ready_o,
    input  axi_ax_t         ar_i,
    output logic            r_valid_o,
    input  logic            r_ready_i,
    output axi_r_t          r_o,
    // ST
    input  logic            aw_valid_i,
    output logic            aw_ready_o,
    input  axi_ax_t         aw_i,
    input  logic            w_valid_i,
    output logic            w_ready_o,
    input  axi_w_t          w_i,
    output logic            b_valid_o,
    input  logic            b_ready_i,
    output axi_b_t          b_o,
    // other tiles
    input  logic            n_ar_valid_i,
    output logic            n_ar_ready_o,
    input  logic    [ 25:0] n_ar_beat_i,
    input  logic    [  3:0] n_ar_beats_i,
    output logic            n_r_valid_o,
    input  logic            n_r_ready_i,
    output axi_r_t          n_r_o,
    input  logic            n_aw_valid_i,
    output logic            n_aw_ready_o,
    input  logic    [ 25:0] n_aw_beat_i,
    input  logic    [255:0] n_w_data_i,
    output logic            n_b_valid_o,
    input  logic            n_b_ready_i,
    output axi_b_t          n_b_o
);
  localparam logic [IdW-1:0] NetId = 5'd17;
  localparam int unsigned Turn = 8;

  // --------------------------------------------------------------------------------------------- reads
  logic ar_turn_q, ar_net, ar_valid, ar_ready;
  axi_ax_t ar;
  assign ar_net = n_ar_valid_i && (!ar_valid_i || ar_turn_q);
  assign ar_valid = n_ar_valid_i || ar_valid_i;
  assign ar = ar_net ?
      '{id: NetId, addr: MemAddrW'({n_ar_beat_i, 5'b0}), len: 8'(n_ar_beats_i) - 8'd1}
      : ar_i;
  assign n_ar_ready_o = ar_net && ar_ready;
  assign ar_ready_o = ar_valid_i && !ar_net && ar_ready;
  common_spill #(
      .data_t(axi_ax_t)
  ) u_ar (
      .clk_i,
      .rst_ni,
      .in_valid_i (ar_valid),
      .in_ready_o (ar_ready),
      .in_i       (ar),
      .out_valid_o(m_ar_valid_o),
      .out_ready_i(m_ar_ready_i),
      .out_o      (m_ar_o)
  );
  logic r_valid;
  common_spill #(
      .data_t(axi_r_t)
  ) u_r (
      .clk_i,
      .rst_ni,
      .in_valid_i (m_r_valid_i),
      .in_ready_o (m_r_ready_o),
      .in_i       (m_r_i),
      .out_valid_o(r_valid),
      .out_ready_i(r_o.id == NetId ? n_r_ready_i : r_ready_i),
      .out_o      (r_o)
  );
  assign n_r_o       = r_o;
  assign r_valid_o   = r_valid && r_o.id != NetId;
  assign n_r_valid_o = r_valid && r_o.id == NetId;

  // -------------------------------------------------------------------------------------------- writes
  logic aw_valid, aw_ready, w_valid, w_ready, net_go, st_go, st_w, stay;
  logic [5:0] st_open_q;  // ST's bursts whose data have not all gone
  logic [3:0] turn_q;  // writes of other tiles in a row
  axi_ax_t aw;
  axi_w_t w;
  assign stay = n_aw_valid_i && turn_q != 4'(Turn);  // ST begins nothing
  assign net_go = stay && st_open_q == '0 && aw_ready && w_ready;
  assign st_go = aw_valid_i && !stay && aw_ready && st_open_q != '1;
  assign n_aw_ready_o = net_go;
  assign aw_ready_o = st_go;
  assign aw_valid = net_go || (aw_valid_i && !stay && st_open_q != '1);
  assign aw = net_go ? '{id: NetId, addr: MemAddrW'({n_aw_beat_i, 5'b0}), len: 8'd0} : aw_i;
  assign w_valid = net_go || (w_valid_i && st_open_q != '0);
  assign w = net_go ? '{data: n_w_data_i, strb: '1, last: 1'b1} : w_i;
  assign w_ready_o = w_valid_i && !net_go && st_open_q != '0 && w_ready;
  assign st_w = w_ready_o && w_i.last;
  common_spill #(
      .data_t(axi_ax_t)
  ) u_aw (
      .clk_i,
      .rst_ni,
      .in_valid_i (aw_valid),
      .in_ready_o (aw_ready),
      .in_i       (aw),
      .out_valid_o(m_aw_valid_o),
      .out_ready_i(m_aw_ready_i),
      .out_o      (m_aw_o)
  );
  common_spill #(
      .data_t(axi_w_t)
  ) u_w (
      .clk_i,
      .rst_ni,
      .in_valid_i (w_valid),
      .in_ready_o (w_ready),
      .in_i       (w),
      .out_valid_o(m_w_valid_o),
      .out_ready_i(m_w_ready_i),
      .out_o      (m_w_o)
  );
  logic b_valid;
  common_spill #(
      .data_t(axi_b_t)
  ) u_b (
      .clk_i,
      .rst_ni,
      .in_valid_i (m_b_valid_i),
      .in_ready_o (m_b_ready_o),
      .in_i       (m_b_i),
      .out_valid_o(b_valid),
      .out_ready_i(b_o.id == NetId ? n_b_ready_i : b_ready_i),
      .out_o      (b_o)
  );
  assign n_b_o       = b_o;
  assign b_valid_o   = b_valid && b_o.id != NetId;
  assign n_b_valid_o = b_valid && b_o.id == NetId;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ar_turn_q <= 1'b0;
      st_open_q <= '0;
      turn_q    <= '0;
    end else begin
      if (ar_valid && ar_ready) ar_turn_q <= !ar_net;
      st_open_q <= st_open_q + 6'(st_go) - 6'(st_w);
      if (net_go) turn_q <= turn_q + 4'd1;
      else if (st_go || !aw_valid_i) turn_q <= '0;
    end
  end
  `ASSERT_NEVER(OneOwnerOfTheData_A, net_go && st_open_q != '0)
endmodule
