// SPDX-License-Identifier: Apache-2.0
// HBM4 controller of one channel with its registers (hbm_csr.rdl, AXI4-Lite) and counters: two AXI4 ports of
// 256 bit, one a pseudo-channel, in front of a DFI-like command boundary. docs/hbm.md.
module hbm
  import hbm_pkg::*;
#(
    parameter int unsigned IdW = 8,
    parameter int unsigned RdEntries = 16,
    parameter int unsigned WrEntries = 16,
    parameter int unsigned Slots = 256
) (
    input logic clk_i,
    input logic rst_ni,
    // AXI4, one port a pseudo-channel
    input logic ar_valid_i[2],
    output logic ar_ready_o[2],
    input logic [IdW-1:0] ar_id_i[2],
    input logic [30:0] ar_addr_i[2],
    input logic [7:0] ar_len_i[2],
    output logic r_valid_o[2],
    input logic r_ready_i[2],
    output logic [IdW-1:0] r_id_o[2],
    output logic [255:0] r_data_o[2],
    output logic [1:0] r_resp_o[2],
    output logic r_last_o[2],
    input logic aw_valid_i[2],
    output logic aw_ready_o[2],
    input logic [IdW-1:0] aw_id_i[2],
    input logic [30:0] aw_addr_i[2],
    input logic [7:0] aw_len_i[2],
    input logic w_valid_i[2],
    output logic w_ready_o[2],
    input logic [255:0] w_data_i[2],
    input logic [31:0] w_strb_i[2],
    input logic w_last_i[2],
    output logic b_valid_o[2],
    input logic b_ready_i[2],
    output logic [IdW-1:0] b_id_o[2],
    output logic [1:0] b_resp_o[2],
    // registers
    input logic l_aw_valid_i,
    output logic l_aw_ready_o,
    input logic [10:0] l_aw_addr_i,
    input logic l_w_valid_i,
    output logic l_w_ready_o,
    input logic [31:0] l_w_data_i,
    input logic [3:0] l_w_strb_i,
    output logic l_b_valid_o,
    input logic l_b_ready_i,
    output logic [1:0] l_b_resp_o,
    input logic l_ar_valid_i,
    output logic l_ar_ready_o,
    input logic [10:0] l_ar_addr_i,
    output logic l_r_valid_o,
    input logic l_r_ready_i,
    output logic [31:0] l_r_data_o,
    output logic [1:0] l_r_resp_o,
    // DFI-like boundary, registered
    output row_cmd_t row_o[2],
    output col_cmd_t col_o[2],
    output logic wdata_valid_o[2],
    output burst_t wdata_o[2],
    input logic rdata_valid_i[2],
    input burst_t rdata_i[2],
    input logic [2:0] temperature_i,  // refresh rate that the device asks for: 0..4 as REFRESH.rate
    output logic phy_update_o
);
  hbm_csr_pkg::hbm_csr__in_t  hwif_in;
  hbm_csr_pkg::hbm_csr__out_t out;
  hbm_csr u_csr (
      .clk(clk_i),
      .arst_n(rst_ni),
      .s_axil_awready(l_aw_ready_o),
      .s_axil_awvalid(l_aw_valid_i),
      .s_axil_awaddr(l_aw_addr_i),
      .s_axil_awprot('0),
      .s_axil_wready(l_w_ready_o),
      .s_axil_wvalid(l_w_valid_i),
      .s_axil_wdata(l_w_data_i),
      .s_axil_wstrb(l_w_strb_i),
      .s_axil_bready(l_b_ready_i),
      .s_axil_bvalid(l_b_valid_o),
      .s_axil_bresp(l_b_resp_o),
      .s_axil_arready(l_ar_ready_o),
      .s_axil_arvalid(l_ar_valid_i),
      .s_axil_araddr(l_ar_addr_i),
      .s_axil_arprot('0),
      .s_axil_rready(l_r_ready_i),
      .s_axil_rvalid(l_r_valid_o),
      .s_axil_rdata(l_r_data_o),
      .s_axil_rresp(l_r_resp_o),
      .hwif_in(hwif_in),
      .hwif_out(out)
  );
  cfg_t cfg;
  assign cfg = '{
          t_rcd_rd: out.ROW0.t_rcd_rd.value,
          t_rcd_wr: out.ROW0.t_rcd_wr.value,
          t_rp: out.ROW0.t_rp.value,
          t_ras: out.ROW0.t_ras.value,
          t_rc: out.ROW1.t_rc.value,
          t_rrd_s: out.ROW1.t_rrd_s.value,
          t_rrd_l: out.ROW1.t_rrd_l.value,
          t_faw: out.ROW1.t_faw.value,
          t_ccd_s: out.COL0.t_ccd_s.value,
          t_ccd_l: out.COL0.t_ccd_l.value,
          t_ccd_r: out.COL0.t_ccd_r.value,
          t_rtp: out.COL0.t_rtp.value,
          t_wr: out.COL1.t_wr.value,
          t_wtr_s: out.COL1.t_wtr_s.value,
          t_wtr_l: out.COL1.t_wtr_l.value,
          t_rtw: out.COL1.t_rtw.value,
          wl: out.LAT.wl.value,
          t_rrefd: out.LAT.t_rrefd.value,
          t_rfc_pb: out.RFC.t_rfc_pb.value,
          t_rfc_ab: out.RFC.t_rfc_ab.value,
          t_rfm_pb: out.RFM.t_rfm_pb.value,
          t_xs: out.RFM.t_xs.value,
          t_refi: out.REFRESH.t_refi.value,
          t_init: out.INIT.t_init.value,
          sids: out.ORG.sids.value,
          map_mask: {
            out.MAP_BG.mask.value,
            out.MAP_BA2.mask.value,
            out.MAP_BA1.mask.value,
            out.MAP_BA0.mask.value
          },
          wr_high: out.DRAIN.high.value,
          wr_low: out.DRAIN.low.value,
          wr_drain_max: out.DRAIN.longest.value,
          wr_idle: out.DRAIN.idle.value,
          age_epoch: out.SCHED.age.value,
          idle_pre: out.SCHED.idle_pre.value,
          refresh_on: out.REFRESH.on.value,
          refresh_ab: out.REFRESH.all_bank.value,
          refresh_rate: out.REFRESH.rate.value,
          refresh_auto: out.REFRESH.auto.value,
          ref_urgent: out.REFRESH.urgent.value,
          ref_force: out.REFRESH.force_at.value,
          raa_imt: out.RAA.raa_imt.value,
          raa_mmt: out.RAA.raa_mmt.value,
          self_refresh: out.CTRL.self_refresh.value,
          phy_period: out.PHY0.period.value,
          phy_window: out.PHY1.window.value,
          ecc_on: out.ECC.on.value,
          scrub_on: out.ECC.scrub.value,
          scrub_interval: out.ECC.interval.value,
          inject_bits: out.ECC.inject_bits.value,
          inject_pos: out.ECC.inject_pos.value
      };

  // A configuration that cannot work is refused, not tried.
  logic cfg_ok, independent, sums_fit, refresh_fits;
  logic [15:0] shortest;  // tREFI at the highest temperature
  always_comb begin
    // The parities of bits 8, 7, 6 and 3 must be a bijection: no sum of masks vanishes there.
    independent = 1'b1;
    for (int unsigned pick = 1; pick < 16; pick++) begin
      automatic logic [BeatW-1:0] sum = '0;
      for (int unsigned i = 0; i < 4; i++) if (pick[i]) sum = sum ^ cfg.map_mask[i];
      if ({sum[8:6], sum[3]} == '0) independent = 1'b0;
    end
    // The timers' width: distances from a write's end, or to a command half a clock later.
    sums_fit = 9'(cfg.wl) + 9'(cfg.t_wr) <= 9'd253 && 9'(cfg.wl) + 9'(cfg.t_wtr_s) <= 9'd254 &&
        9'(cfg.wl) + 9'(cfg.t_wtr_l) <= 9'd254 && cfg.t_rtp != '1 && cfg.t_rfc_pb != '1 && cfg.t_rfc_ab != '1 &&
        cfg.t_rfm_pb != '1 && cfg.t_xs != '1;
    // Refreshes of all banks and a quiet window fit into an interval; activates pass between two RFMs.
    shortest = {2'b0, cfg.t_refi[15:2]};
    refresh_fits = {4'b0, cfg.t_rfc_ab} + 16'd64 <= shortest && {6'b0, cfg.sids, 4'b0} * {5'b0, cfg.t_rrefd} <= shortest &&
        (cfg.phy_period == '0 || 17'(cfg.phy_window) + 17'd64 <= 17'(shortest)) &&
        cfg.raa_imt >= 9'd2 && 10'(cfg.raa_mmt) >= 10'(cfg.raa_imt) + 10'd2;
    cfg_ok = cfg.sids inside {3'd1, 3'd2, 3'd3, 3'd4} && cfg.wl >= 8'd4 && cfg.wl <= 8'd16 && independent &&
        cfg.t_rcd_rd != '0 && cfg.t_rcd_wr != '0 && cfg.t_rp != '0 && cfg.t_ras != '0 && cfg.t_rc >= 8'd4 &&
        cfg.t_rrd_s != '0 && cfg.t_rrd_l != '0 && cfg.t_faw != '0 && cfg.t_ccd_s != '0 && cfg.t_ccd_l != '0 &&
        cfg.t_ccd_r != '0 && cfg.t_rtp != '0 && cfg.t_wr != '0 && cfg.t_wtr_s != '0 && cfg.t_wtr_l != '0 &&
        cfg.t_rtw != '0 && cfg.t_rrefd != '0 && cfg.t_rfc_pb >= 12'd3 && cfg.t_rfc_ab >= 12'd3 && cfg.t_rfm_pb >= 12'd3 &&
        cfg.t_xs != '0 && cfg.t_refi != '0 && sums_fit && refresh_fits;
  end

  logic ready;
  logic idle[2], written[2], sleeping[2], error_valid[2];
  event_t events[2];
  place_t error_place[2];
  hbm_channel #(
      .IdW(IdW),
      .RdEntries(RdEntries),
      .WrEntries(WrEntries),
      .Slots(Slots)
  ) u_channel (
      .clk_i,
      .rst_ni,
      .cfg_i(cfg),
      .enable_i(out.CTRL.enable.value && cfg_ok),
      .ready_o(ready),
      .event_o(events),
      .idle_o(idle),
      .written_o(written),
      .sleeping_o(sleeping),
      .error_valid_o(error_valid),
      .error_place_o(error_place),
      .*
  );

  for (genvar p = 0; p < 2; p++) begin : gen_pc
    logic [47:0] count[24];
    hbm_counters u_counters (
        .clk_i,
        .rst_ni,
        .count_i(out.CTRL.count.value && ready),
        .clear_i(out.CTRL.clear.value),
        .event_i(events[p]),
        .count_o(count)
    );
    logic   bad_q;
    place_t bad_place_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) bad_q <= 1'b0;
      else if (out.CTRL.clear.value) bad_q <= 1'b0;
      else if (error_valid[p]) bad_q <= 1'b1;
    end
    always_ff @(posedge clk_i) if (error_valid[p] && !bad_q) bad_place_q <= error_place[p];
    assign hwif_in.PC[p].BAD_ADDRESS.row.next   = bad_place_q.block.row;
    assign hwif_in.PC[p].BAD_ADDRESS.col.next   = {bad_place_q.block.blk, bad_place_q.burst};
    assign hwif_in.PC[p].BAD_ADDRESS.bank.next  = bad_place_q.block.bank;
    assign hwif_in.PC[p].BAD_ADDRESS.valid.next = bad_q;
    for (genvar i = 0; i < 24; i++) begin : gen_count
      assign hwif_in.PC[p].COUNT_LO[i].value.next = count[i][31:0];
      assign hwif_in.PC[p].COUNT_HI[i].value.next = count[i][47:32];
    end
  end
  assign hwif_in.STATUS.ready.next    = ready;
  assign hwif_in.STATUS.idle.next     = {idle[1], idle[0]};
  assign hwif_in.STATUS.sleeping.next = {sleeping[1], sleeping[0]};
  assign hwif_in.STATUS.written.next  = {written[1], written[0]};
  assign hwif_in.STATUS.refused.next  = out.CTRL.enable.value && !cfg_ok && !ready;
  assign hwif_in.STATUS.quiet.next    = phy_update_o;
endmodule
