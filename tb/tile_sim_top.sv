// SPDX-License-Identifier: Apache-2.0
// Simulation top: one nano tile with plain ports, plus trace outputs that show what each
// instruction wrote (lockstep) and what each unit did (timeline). Simulation only: it looks inside
// the tile.
module tile_sim_top
  import tepin_pkg::*;
  import tepin_isa_pkg::*;
  import tepin_cfg_pkg::*;
#(
    parameter tepin_cfg_t Cfg = CfgNano,
    localparam int unsigned Pcs = Cfg.pcs,
    localparam int unsigned Rows = Cfg.mxu_rows,
    localparam int unsigned Cols = Cfg.mxu_cols,
    localparam int unsigned LinkW = net_pkg::link_bits(Cfg.coll_bits / 256),
    localparam int unsigned CreditW = net_pkg::CreditW,
    localparam int unsigned NetLanes = Cfg.coll_bits / 256 + 2,
    localparam int unsigned Lanes = Cols + Pcs * 2 + 3 + 1 + NetLanes  // write lanes but the host's: MXU, LD, VPU, SEQ, NET
) (
    input logic clk_i,
    input logic rst_ni,
    // memory ports
    output logic ar_valid_o[Pcs],
    input logic ar_ready_i[Pcs],
    output logic [4:0] ar_id_o[Pcs],
    output logic [30:0] ar_addr_o[Pcs],
    output logic [7:0] ar_len_o[Pcs],
    input logic r_valid_i[Pcs],
    output logic r_ready_o[Pcs],
    input logic [4:0] r_id_i[Pcs],
    input logic [255:0] r_data_i[Pcs],
    input logic [1:0] r_resp_i[Pcs],
    input logic r_last_i[Pcs],
    output logic aw_valid_o[Pcs],
    input logic aw_ready_i[Pcs],
    output logic [4:0] aw_id_o[Pcs],
    output logic [30:0] aw_addr_o[Pcs],
    output logic [7:0] aw_len_o[Pcs],
    output logic w_valid_o[Pcs],
    input logic w_ready_i[Pcs],
    output logic [255:0] w_data_o[Pcs],
    output logic [31:0] w_strb_o[Pcs],
    output logic w_last_o[Pcs],
    input logic b_valid_i[Pcs],
    output logic b_ready_o[Pcs],
    input logic [4:0] b_id_i[Pcs],
    input logic [1:0] b_resp_i[Pcs],
    // host window
    input logic s_aw_valid_i,
    output logic s_aw_ready_o,
    input logic [3:0] s_aw_id_i,
    input logic [38:0] s_aw_addr_i,
    input logic [7:0] s_aw_len_i,
    input logic s_w_valid_i,
    output logic s_w_ready_o,
    input logic [255:0] s_w_data_i,
    input logic [31:0] s_w_strb_i,
    input logic s_w_last_i,
    output logic s_b_valid_o,
    input logic s_b_ready_i,
    output logic [3:0] s_b_id_o,
    output logic [1:0] s_b_resp_o,
    input logic s_ar_valid_i,
    output logic s_ar_ready_o,
    input logic [3:0] s_ar_id_i,
    input logic [38:0] s_ar_addr_i,
    input logic [7:0] s_ar_len_i,
    output logic s_r_valid_o,
    input logic s_r_ready_i,
    output logic [3:0] s_r_id_o,
    output logic [255:0] s_r_data_o,
    output logic [1:0] s_r_resp_o,
    output logic s_r_last_o,
    // host registers
    input logic l_aw_valid_i,
    output logic l_aw_ready_o,
    input logic [7:0] l_aw_addr_i,
    input logic l_w_valid_i,
    output logic l_w_ready_o,
    input logic [31:0] l_w_data_i,
    input logic [3:0] l_w_strb_i,
    output logic l_b_valid_o,
    input logic l_b_ready_i,
    output logic [1:0] l_b_resp_o,
    input logic l_ar_valid_i,
    output logic l_ar_ready_o,
    input logic [7:0] l_ar_addr_i,
    output logic l_r_valid_o,
    input logic l_r_ready_i,
    output logic [31:0] l_r_data_o,
    output logic [1:0] l_r_resp_o,
    output logic irq_o,
    // place and links
    input logic [5:0] at_i,  // {x, y}
    input logic [5:0] last_i,
    output logic [LinkW-1:0] link_o[4],
    output logic [CreditW-1:0] credit_o[4],
    input logic [LinkW-1:0] link_i[4],
    input logic [CreditW-1:0] credit_i[4],
    output logic quiet_o,
    input logic chip_quiet_i,
    output logic [3:0] t_flits_o[4],  // links that carry a flit: bits dn, up, rsp, req
    // trace: instructions that ended this cycle, by engine SEQ, LD, ST, MXU, VPU, NET
    output logic [5:0] t_retire_o,
    output logic [15:0] t_pc_o[6],
    output logic [1:0] t_thread_o[6],
    output logic [7:0] t_op_o[6],
    output logic t_wb_o,  // SEQ: register written
    output logic [4:0] t_wb_reg_o,
    output logic [31:0] t_wb_value_o,
    // trace: scratchpad writes granted this cycle
    output logic [Lanes-1:0] t_wr_o,
    output logic [31:0] t_wr_addr_o[Lanes],  // byte address of the word
    output logic [31:0] t_wr_strb_o[Lanes],
    output logic [255:0] t_wr_data_o[Lanes],
    output logic [1:0] t_ld_wr_slot_o[Pcs*2],
    // trace: whose instruction a word on NET's lanes is of, {by a one-sided instruction that names this tile, its tile}
    output logic [6:0] t_net_wr_from_o[NetLanes],
    // trace: beats of remote stores, taken by the memory port this cycle
    output logic [Pcs-1:0] t_nst_o,
    output logic [5:0] t_nst_from_o,
    output logic [25:0] t_nst_beat_o,
    output logic [255:0] t_nst_data_o,
    // trace: accumulators left by an instruction's last block
    output logic t_acc_o,
    output logic [7:0] t_acc_group_o,
    output logic [Cols-1:0] t_acc_cols_o,
    output logic [31:0] t_acc_data_o[Rows*Cols],
    output logic [15:0] t_acc_pc_o,
    // trace: markers, and what each unit did: threads 0..3, LD, ST, MXU, VPU, NET
    output logic t_marker_o,
    output logic [31:0] t_marker_id_o,
    output logic [31:0] t_marker_value_o,
    output logic [2:0] t_activity_o[9],
    output logic t_running_o
);
  axi_ax_t ar[Pcs], aw[Pcs];
  axi_r_t r[Pcs];
  axi_w_t w[Pcs], s_w;
  axi_b_t b[Pcs];
  for (genvar p = 0; p < Pcs; p++) begin : gen_pc
    assign ar_id_o[p] = ar[p].id;
    assign ar_addr_o[p] = ar[p].addr;
    assign ar_len_o[p] = ar[p].len;
    assign aw_id_o[p] = aw[p].id;
    assign aw_addr_o[p] = aw[p].addr;
    assign aw_len_o[p] = aw[p].len;
    assign w_data_o[p] = w[p].data;
    assign w_strb_o[p] = w[p].strb;
    assign w_last_o[p] = w[p].last;
    assign r[p] = '{id: r_id_i[p], data: r_data_i[p], resp: r_resp_i[p], last: r_last_i[p]};
    assign b[p] = '{id: b_id_i[p], resp: b_resp_i[p]};
  end
  assign s_w = '{data: s_w_data_i, strb: s_w_strb_i, last: s_w_last_i};

  tile #(
      .Cfg(Cfg)
  ) u_tile (
      .clk_i,
      .rst_ni,
      .m_ar_valid_o(ar_valid_o),
      .m_ar_ready_i(ar_ready_i),
      .m_ar_o(ar),
      .m_r_valid_i(r_valid_i),
      .m_r_ready_o(r_ready_o),
      .m_r_i(r),
      .m_aw_valid_o(aw_valid_o),
      .m_aw_ready_i(aw_ready_i),
      .m_aw_o(aw),
      .m_w_valid_o(w_valid_o),
      .m_w_ready_i(w_ready_i),
      .m_w_o(w),
      .m_b_valid_i(b_valid_i),
      .m_b_ready_o(b_ready_o),
      .m_b_i(b),
      .s_aw_valid_i,
      .s_aw_ready_o,
      .s_aw_id_i,
      .s_aw_addr_i,
      .s_aw_len_i,
      .s_w_valid_i,
      .s_w_ready_o,
      .s_w_i(s_w),
      .s_b_valid_o,
      .s_b_ready_i,
      .s_b_id_o,
      .s_b_resp_o,
      .s_ar_valid_i,
      .s_ar_ready_o,
      .s_ar_id_i,
      .s_ar_addr_i,
      .s_ar_len_i,
      .s_r_valid_o,
      .s_r_ready_i,
      .s_r_id_o,
      .s_r_data_o,
      .s_r_resp_o,
      .s_r_last_o,
      .l_aw_valid_i,
      .l_aw_ready_o,
      .l_aw_addr_i,
      .l_w_valid_i,
      .l_w_ready_o,
      .l_w_data_i,
      .l_w_strb_i,
      .l_b_valid_o,
      .l_b_ready_i,
      .l_b_resp_o,
      .l_ar_valid_i,
      .l_ar_ready_o,
      .l_ar_addr_i,
      .l_r_valid_o,
      .l_r_ready_i,
      .l_r_data_o,
      .l_r_resp_o,
      .irq_o,
      .at_i,
      .last_i,
      .link_o,
      .credit_o,
      .link_i,
      .credit_i,
      .quiet_o,
      .chip_quiet_i
  );
  for (genvar p = 0; p < 4; p++) begin : gen_flits
    assign t_flits_o[p] = {
      u_tile.u_net.dn_ov[p], u_tile.u_net.up_ov[p], u_tile.u_net.rsp_ov[p], u_tile.u_net.req_ov[p]
    };
  end

  retire_t ret[6];
  assign ret[0] = u_tile.retire_seq;
  assign ret[1] = u_tile.retire_ld;
  assign ret[2] = u_tile.retire_st;
  assign ret[3] = u_tile.retire_mxu;
  assign ret[4] = u_tile.retire_vpu;
  assign ret[5] = u_tile.retire_net;
  for (genvar e = 0; e < 6; e++) begin : gen_retire
    assign t_retire_o[e] = ret[e].valid;
    assign t_pc_o[e]     = ret[e].origin.pc;
    assign t_thread_o[e] = ret[e].origin.thread;
    assign t_op_o[e]     = ret[e].op;
  end
  assign t_wb_o       = u_tile.wb_valid;
  assign t_wb_reg_o   = u_tile.wb_reg;
  assign t_wb_value_o = u_tile.wb_value;
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    assign t_wr_o[l]      = u_tile.wr_valid[l] && u_tile.wr_gnt[l];
    assign t_wr_addr_o[l] = 32'({u_tile.wr_word[l], 5'b0});
    assign t_wr_strb_o[l] = u_tile.wr_strb[l];
    assign t_wr_data_o[l] = u_tile.wr_data[l];
  end
  for (genvar p = 0; p < Pcs * 2; p++) begin : gen_slot
    assign t_ld_wr_slot_o[p] = u_tile.ld_wr_slot[p];
  end
  // Lanes of NET: 0 what comes on req, 1 on rsp, then dn and a root's results.
  always_comb begin
    for (int unsigned l = 0; l < NetLanes; l++) t_net_wr_from_o[l] = '0;
    t_net_wr_from_o[0] = {
      !u_tile.u_net.u_serve.in_i.piece,
      u_tile.u_net.u_serve.in_src_i.y,
      u_tile.u_net.u_serve.in_src_i.x
    };
    for (int unsigned l = 2; l < NetLanes; l++) begin
      t_net_wr_from_o[l] = {
        !u_tile.u_net.u_arrive.by_root && u_tile.u_net.u_arrive.in_ctl_i.kind == noc_coll_pkg::DnWrite,
        u_tile.u_net.u_arrive.in_ctl_i.src.y,
        u_tile.u_net.u_arrive.in_ctl_i.src.x
      };
    end
  end
  for (genvar p = 0; p < Pcs; p++) begin : gen_nst
    assign t_nst_o[p] = u_tile.u_net.u_serve.aw_go[p];
  end
  assign t_nst_from_o  = {u_tile.u_net.u_serve.in_src_i.y, u_tile.u_net.u_serve.in_src_i.x};
  assign t_nst_beat_o  = u_tile.u_net.u_serve.aw_beat_o;
  assign t_nst_data_o  = u_tile.u_net.u_serve.w_data_o;
  assign t_acc_o       = u_tile.acc_valid;
  assign t_acc_group_o = 8'(u_tile.acc_group);
  assign t_acc_cols_o  = u_tile.acc_cols;
  assign t_acc_pc_o    = u_tile.acc_origin.pc;
  for (genvar i = 0; i < Rows * Cols; i++) begin : gen_acc
    assign t_acc_data_o[i] = u_tile.acc_data[i/Cols][i%Cols];
  end
  assign t_marker_o       = u_tile.marker_valid;
  assign t_marker_id_o    = u_tile.marker_id;
  assign t_marker_value_o = u_tile.marker_value;
  for (genvar u = 0; u < 9; u++) begin : gen_act
    assign t_activity_o[u] = u_tile.act[u];
  end
  assign t_running_o = u_tile.running_q;
endmodule
