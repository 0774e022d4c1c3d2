// SPDX-License-Identifier: Apache-2.0
// One compute slice: sequencer, LD, ST, matrix and vector units and NET around a banked scratchpad; an AXI4
// port for each pseudo-channel, links to four neighbours (net_node; docs/net.md), AXI4-Lite registers (tepin_csr.rdl) and an
// AXI4 window (tepin_window.rdl) for the host, an interrupt line. Every output is a flip-flop. This file wires,
// and holds the tile's own state: running, done, fault, stuck, soft reset. Configurations: any of
// tepin_cfg_pkg with at most 8 matrix rows and 32 accumulator columns (nano, fpga).
`include "rtl/common/assert.svh"
module tile
  import tepin_pkg::*;
  import tepin_isa_pkg::*;
  import tepin_cfg_pkg::*;
#(
    parameter  tepin_cfg_t  Cfg   = CfgNano,
    localparam int unsigned Pcs   = Cfg.pcs,
    localparam int unsigned LinkW = net_pkg::link_bits(Cfg.coll_bits / 256)
) (
    input  logic                                   clk_i,
    input  logic                                   rst_ni,
    // memory ports, one a pseudo-channel
    output logic                                   m_ar_valid_o[Pcs],
    input  logic                                   m_ar_ready_i[Pcs],
    output axi_ax_t                                m_ar_o      [Pcs],
    input  logic                                   m_r_valid_i [Pcs],
    output logic                                   m_r_ready_o [Pcs],
    input  axi_r_t                                 m_r_i       [Pcs],
    output logic                                   m_aw_valid_o[Pcs],
    input  logic                                   m_aw_ready_i[Pcs],
    output axi_ax_t                                m_aw_o      [Pcs],
    output logic                                   m_w_valid_o [Pcs],
    input  logic                                   m_w_ready_i [Pcs],
    output axi_w_t                                 m_w_o       [Pcs],
    input  logic                                   m_b_valid_i [Pcs],
    output logic                                   m_b_ready_o [Pcs],
    input  axi_b_t                                 m_b_i       [Pcs],
    // host window
    input  logic                                   s_aw_valid_i,
    output logic                                   s_aw_ready_o,
    input  logic            [                 3:0] s_aw_id_i,
    input  logic            [                38:0] s_aw_addr_i,
    input  logic            [                 7:0] s_aw_len_i,
    input  logic                                   s_w_valid_i,
    output logic                                   s_w_ready_o,
    input  axi_w_t                                 s_w_i,
    output logic                                   s_b_valid_o,
    input  logic                                   s_b_ready_i,
    output logic            [                 3:0] s_b_id_o,
    output logic            [                 1:0] s_b_resp_o,
    input  logic                                   s_ar_valid_i,
    output logic                                   s_ar_ready_o,
    input  logic            [                 3:0] s_ar_id_i,
    input  logic            [                38:0] s_ar_addr_i,
    input  logic            [                 7:0] s_ar_len_i,
    output logic                                   s_r_valid_o,
    input  logic                                   s_r_ready_i,
    output logic            [                 3:0] s_r_id_o,
    output logic            [               255:0] s_r_data_o,
    output logic            [                 1:0] s_r_resp_o,
    output logic                                   s_r_last_o,
    // host registers
    input  logic                                   l_aw_valid_i,
    output logic                                   l_aw_ready_o,
    input  logic            [                 7:0] l_aw_addr_i,
    input  logic                                   l_w_valid_i,
    output logic                                   l_w_ready_o,
    input  logic            [                31:0] l_w_data_i,
    input  logic            [                 3:0] l_w_strb_i,
    output logic                                   l_b_valid_o,
    input  logic                                   l_b_ready_i,
    output logic            [                 1:0] l_b_resp_o,
    input  logic                                   l_ar_valid_i,
    output logic                                   l_ar_ready_o,
    input  logic            [                 7:0] l_ar_addr_i,
    output logic                                   l_r_valid_o,
    input  logic                                   l_r_ready_i,
    output logic            [                31:0] l_r_data_o,
    output logic            [                 1:0] l_r_resp_o,
    // interrupt, level
    output logic                                   irq_o,
    // place in the mesh: stable while anything moves
    input  noc_pkg::coord_t                        at_i,
    input  noc_pkg::coord_t                        last_i,             // south-east corner
    // links to N, E, S, W, and credits for what comes and went on them (net_node)
    output logic            [           LinkW-1:0] link_o      [  4],
    output logic            [net_pkg::CreditW-1:0] credit_o    [  4],
    input  logic            [           LinkW-1:0] link_i      [  4],
    input  logic            [net_pkg::CreditW-1:0] credit_i    [  4],
    // the chip is stuck if every tile is quiet for long, and one of them waits
    output logic                                   quiet_o,
    input  logic                                   chip_quiet_i        // every tile was quiet
);
  localparam int unsigned Rows = Cfg.mxu_rows;
  localparam int unsigned Cols = Cfg.mxu_cols;
  localparam int unsigned Groups = Cfg.acc_cols / Cols;
  localparam int unsigned WordW = $clog2(Cfg.spad_bytes / 32);
  localparam int unsigned MxuRead = Cols + (Rows * 16 + 31) / 32 + 2;
  localparam int unsigned NetLanes = Cfg.coll_bits / 256;
  // Scratchpad lanes, in order of priority.
  localparam int unsigned RdMxu = 0;
  localparam int unsigned RdVpu = RdMxu + MxuRead;
  localparam int unsigned RdSt = RdVpu + 4;
  localparam int unsigned RdSeq = RdSt + Pcs;
  localparam int unsigned RdNet = RdSeq + 1;
  localparam int unsigned RdHost = RdNet + NetLanes;
  localparam int unsigned NumRead = RdHost + 1;
  localparam int unsigned WrMxu = 0;
  localparam int unsigned WrLd = WrMxu + Cols;
  localparam int unsigned WrVpu = WrLd + Pcs * 2;
  localparam int unsigned WrSeq = WrVpu + 3;
  localparam int unsigned WrNet = WrSeq + 1;
  localparam int unsigned WrHost = WrNet + NetLanes + 2;
  localparam int unsigned NumWrite = WrHost + 1;
  localparam logic [15:0] TileVersion = 16'd2;

  // ------------------------------------------------------------------------------------ tile state
  logic rst_core_n, soft_q, stop, running_q, done_q, start, spad_ready;
  logic [5:0] stuck_cnt_q;
  fault_t fault_q, fault_d;

  // ------------------------------------------------------------------------------------ scratchpad
  logic rd_valid[NumRead], rd_gnt[NumRead], rd_bad[NumRead];
  logic [WordW-1:0] rd_word[NumRead];
  logic [    255:0] rd_data[NumRead];
  logic wr_valid[NumWrite], wr_gnt[NumWrite];
  logic [WordW-1:0] wr_word   [NumWrite];
  logic [     31:0] wr_strb   [NumWrite];
  logic [    255:0] wr_data   [NumWrite];
  logic [      7:0] conflicts;
  logic inject_arm, injected;
  logic [23:0] inject_word;
  tile_spad #(
      .Bytes(Cfg.spad_bytes),
      .Banks(Cfg.spad_banks),
      .NumRead(NumRead),
      .NumWrite(NumWrite)
  ) u_spad (
      .clk_i,
      .rst_ni,
      .inject_i(inject_arm),
      .inject_word_i({8'b0, inject_word}),
      .injected_o(injected),
      .rd_valid_i(rd_valid),
      .rd_word_i(rd_word),
      .rd_gnt_o(rd_gnt),
      .rd_data_o(rd_data),
      .rd_bad_o(rd_bad),
      .wr_valid_i(wr_valid),
      .wr_word_i(wr_word),
      .wr_strb_i(wr_strb),
      .wr_data_i(wr_data),
      .wr_gnt_o(wr_gnt),
      .ready_o(spad_ready),
      .conflicts_o(conflicts)
  );

  // ------------------------------------------------------------------------------------ semaphores
  // Waits: 0 SEQ, 1..5 the queues of LD, ST, MXU, VPU, NET. Posts likewise, and 6, 7 from other tiles.
  logic wait_valid[6], wait_gnt[6], post_valid[8], post_ready[8];
  sem_op_t wait_op[6], post_op[8];
  origin_t post_origin[8];
  logic sem_activity, sem_over, sem_under, sem_set, sem_bad_tile, rpost_valid, rpost_ready;
  remote_post_t rpost;
  logic [31:0] sem_bad, host_sem_value, sem_value;
  logic [ 2:0] sem_bad_post;
  logic [15:0] host_index;
  seq_sems #(
      .Sems(Cfg.sems),
      .NumWait(6),
      .NumPost(8)
  ) u_sems (
      .clk_i,
      .rst_ni(rst_core_n),
      .wait_valid_i(wait_valid),
      .wait_i(wait_op),
      .wait_gnt_o(wait_gnt),
      .post_valid_i(post_valid),
      .post_i(post_op),
      .post_ready_o(post_ready),
      .last_i,
      .rpost_valid_o(rpost_valid),
      .rpost_o(rpost),
      .rpost_ready_i(rpost_ready),
      .host_sem_i(host_index[5:0]),
      .host_set_i(sem_set),
      .host_value_i(host_sem_value),
      .host_value_o(sem_value),
      .activity_o(sem_activity),
      .overflow_o(sem_over),
      .underflow_o(sem_under),
      .bad_tile_o(sem_bad_tile),
      .bad_sem_o(sem_bad),
      .bad_post_o(sem_bad_post)
  );

  // -------------------------------------------------------------------------- sequencer and queues
  logic entry_valid[4];
  logic [15:0] entry[4], bp_pc[4], th_pc[4];
  logic [4:0] push, room;
  logic [3:0] step_en, bp_valid, resume, th_active, th_waiting, th_waits_sem, th_stopped;
  logic          [127:0] th_ir      [4];
  logic                  drain;
  engine_instr_t         seq_instr;
  activity_e             activity   [9];
  activity_e             th_activity[4];
  fault_t f_seq, f_ld, f_st, f_mxu, f_vpu, f_net;
  logic imem_we, imem_re;
  logic [15:0] imem_addr;
  logic [127:0] imem_wdata, imem_rdata;
  retire_t retire_seq, retire_ld, retire_st, retire_mxu, retire_vpu, retire_net;
  logic wb_valid, marker_valid;
  logic [4:0] wb_reg;
  logic [31:0] wb_value, marker_id, marker_value;
  logic [WordW-1:0] seq_word;
  logic [31:0] seq_strb;
  logic [255:0] seq_wdata;
  logic seq_rd, seq_wr;
  seq #(
      .ImemInstrs(Cfg.imem_instrs),
      .Sems(Cfg.sems),
      .SpadBytes(Cfg.spad_bytes)
  ) u_seq (
      .clk_i,
      .rst_ni(rst_core_n),
      .start_i(start),
      .entry_valid_i(entry_valid),
      .entry_i(entry),
      .stop_i(stop),
      .drain_i(drain),
      .step_i(step_en),
      .bp_valid_i(bp_valid),
      .bp_pc_i(bp_pc),
      .resume_i(resume),
      .imem_we_i(imem_we),
      .imem_addr_i(imem_addr),
      .imem_wdata_i(imem_wdata),
      .imem_re_i(imem_re),
      .imem_rdata_o(imem_rdata),
      .at_i,
      .last_i,
      .push_o(push),
      .room_i(room),
      .instr_o(seq_instr),
      .wait_valid_o(wait_valid[0]),
      .wait_o(wait_op[0]),
      .wait_gnt_i(wait_gnt[0]),
      .post_valid_o(post_valid[0]),
      .post_o(post_op[0]),
      .post_ready_i(post_ready[0]),
      .rd_valid_o(seq_rd),
      .word_o(seq_word),
      .rd_gnt_i(rd_gnt[RdSeq]),
      .rd_data_i(rd_data[RdSeq]),
      .rd_bad_i(rd_bad[RdSeq]),
      .wr_valid_o(seq_wr),
      .wr_strb_o(seq_strb),
      .wr_data_o(seq_wdata),
      .wr_gnt_i(wr_gnt[WrSeq]),
      .active_o(th_active),
      .waiting_o(th_waiting),
      .waits_sem_o(th_waits_sem),
      .stopped_o(th_stopped),
      .pc_o(th_pc),
      .ir_o(th_ir),
      .activity_o(th_activity),
      .fault_o(f_seq),
      .exec_o(post_origin[0]),
      .retire_o(retire_seq),
      .wb_valid_o(wb_valid),
      .wb_reg_o(wb_reg),
      .wb_value_o(wb_value),
      .marker_valid_o(marker_valid),
      .marker_id_o(marker_id),
      .marker_value_o(marker_value)
  );

  logic q_valid[5], q_ready[5];
  engine_instr_t q_instr[5];
  logic [4:0] q_empty, q_waiting;
  origin_t q_head[5];
  for (genvar e = 0; e < 5; e++) begin : gen_queue
    seq_queue #(
        .Depth(Cfg.queue_depth)
    ) u_queue (
        .clk_i,
        .rst_ni(rst_core_n),
        .stop_i(stop),
        .push_i(push[e]),
        .room_o(room[e]),
        .instr_i(seq_instr),
        .wait_valid_o(wait_valid[1+e]),
        .wait_o(wait_op[1+e]),
        .wait_gnt_i(wait_gnt[1+e]),
        .out_valid_o(q_valid[e]),
        .out_ready_i(q_ready[e]),
        .out_o(q_instr[e]),
        .empty_o(q_empty[e]),
        .waiting_o(q_waiting[e]),
        .head_o(q_head[e])
    );
  end

  // --------------------------------------------------------------------------------------- engines
  logic
      p_ar_valid[Pcs],
      p_ar_ready[Pcs],
      p_r_valid[Pcs],
      p_r_ready[Pcs],
      p_aw_valid[Pcs],
      p_aw_ready[Pcs];
  logic p_w_valid[Pcs], p_w_ready[Pcs], p_b_valid[Pcs], p_b_ready[Pcs];
  axi_ax_t p_ar[Pcs], p_aw[Pcs];
  axi_r_t p_r[Pcs];
  axi_w_t p_w[Pcs];
  axi_b_t p_b[Pcs];
  logic h_rd_valid[Pcs], h_rd_ready[Pcs], h_wr_valid[Pcs], h_wr_ready[Pcs];
  logic [25:0] h_beat;
  logic h_rvalid, h_bvalid;
  logic [255:0] h_rdata, h_wdata;
  logic [31:0] h_strb;
  logic [1:0] h_rresp, h_bresp;
  logic [4:0] busy;
  logic ld_idle, st_idle, host_busy;
  logic ld_wr_valid[Pcs*2], ld_wr_gnt[Pcs*2];
  logic [WordW-1:0] ld_wr_word[Pcs*2];
  logic [    255:0] ld_wr_data[Pcs*2];
  logic [      1:0] ld_wr_slot[Pcs*2];
  dma_ld #(
      .Pcs(Pcs),
      .SpadBytes(Cfg.spad_bytes),
      .HbmBeats(Cfg.hbm_beats)
  ) u_ld (
      .clk_i,
      .rst_ni(rst_core_n),
      .stop_i(stop),
      .instr_valid_i(q_valid[0]),
      .instr_ready_o(q_ready[0]),
      .instr_i(q_instr[0]),
      .post_valid_o(post_valid[1]),
      .post_o(post_op[1]),
      .post_ready_i(post_ready[1]),
      .wr_valid_o(ld_wr_valid),
      .wr_word_o(ld_wr_word),
      .wr_data_o(ld_wr_data),
      .wr_gnt_i(ld_wr_gnt),
      .ar_valid_o(p_ar_valid),
      .ar_ready_i(p_ar_ready),
      .ar_o(p_ar),
      .r_valid_i(p_r_valid),
      .r_ready_o(p_r_ready),
      .r_i(p_r),
      .host_valid_i(h_rd_valid),
      .host_ready_o(h_rd_ready),
      .host_beat_i(h_beat),
      .host_rvalid_o(h_rvalid),
      .host_rdata_o(h_rdata),
      .host_rresp_o(h_rresp),
      .busy_o(busy[0]),
      .axi_idle_o(ld_idle),
      .activity_o(activity[4]),
      .fault_o(f_ld),
      .post_origin_o(post_origin[1]),
      .retire_o(retire_ld),
      .wr_slot_o(ld_wr_slot)
  );

  logic st_rd_valid[Pcs], st_rd_gnt[Pcs], st_rd_bad[Pcs];
  logic [WordW-1:0] st_rd_word[Pcs];
  logic [    255:0] st_rd_data[Pcs];
  dma_st #(
      .Pcs(Pcs),
      .SpadBytes(Cfg.spad_bytes),
      .HbmBeats(Cfg.hbm_beats)
  ) u_st (
      .clk_i,
      .rst_ni(rst_core_n),
      .stop_i(stop),
      .instr_valid_i(q_valid[1]),
      .instr_ready_o(q_ready[1]),
      .instr_i(q_instr[1]),
      .post_valid_o(post_valid[2]),
      .post_o(post_op[2]),
      .post_ready_i(post_ready[2]),
      .rd_valid_o(st_rd_valid),
      .rd_word_o(st_rd_word),
      .rd_gnt_i(st_rd_gnt),
      .rd_data_i(st_rd_data),
      .rd_bad_i(st_rd_bad),
      .aw_valid_o(p_aw_valid),
      .aw_ready_i(p_aw_ready),
      .aw_o(p_aw),
      .w_valid_o(p_w_valid),
      .w_ready_i(p_w_ready),
      .w_o(p_w),
      .b_valid_i(p_b_valid),
      .b_ready_o(p_b_ready),
      .b_i(p_b),
      .host_valid_i(h_wr_valid),
      .host_ready_o(h_wr_ready),
      .host_beat_i(h_beat),
      .host_data_i(h_wdata),
      .host_strb_i(h_strb),
      .host_bvalid_o(h_bvalid),
      .host_bresp_o(h_bresp),
      .busy_o(busy[1]),
      .axi_idle_o(st_idle),
      .activity_o(activity[5]),
      .fault_o(f_st),
      .post_origin_o(post_origin[2]),
      .retire_o(retire_st)
  );

  logic mx_rd_valid[MxuRead], mx_rd_gnt[MxuRead], mx_rd_bad[MxuRead];
  logic [WordW-1:0] mx_rd_word[MxuRead], mx_wr_word[Cols];
  logic [255:0] mx_rd_data[MxuRead], mx_wr_data[Cols];
  logic mx_wr_valid[Cols], mx_wr_gnt[Cols];
  logic [31:0] mx_wr_strb[Cols];
  logic nan_trap, nan_seen, acc_valid;
  logic [$clog2(Groups)-1:0] acc_group;
  logic [Cols-1:0] acc_cols;
  logic [31:0] acc_data[Rows][Cols], acc_value;
  origin_t acc_origin;
  mxu #(
      .Rows(Rows),
      .Cols(Cols),
      .AccCols(Cfg.acc_cols),
      .SpadBytes(Cfg.spad_bytes)
  ) u_mxu (
      .clk_i,
      .rst_ni(rst_core_n),
      .nan_trap_i(nan_trap),
      .stop_i(stop),
      .instr_valid_i(q_valid[2]),
      .instr_ready_o(q_ready[2]),
      .instr_i(q_instr[2]),
      .post_valid_o(post_valid[3]),
      .post_o(post_op[3]),
      .post_ready_i(post_ready[3]),
      .rd_valid_o(mx_rd_valid),
      .rd_word_o(mx_rd_word),
      .rd_gnt_i(mx_rd_gnt),
      .rd_data_i(mx_rd_data),
      .rd_bad_i(mx_rd_bad),
      .wr_valid_o(mx_wr_valid),
      .wr_word_o(mx_wr_word),
      .wr_strb_o(mx_wr_strb),
      .wr_data_o(mx_wr_data),
      .wr_gnt_i(mx_wr_gnt),
      .busy_o(busy[2]),
      .activity_o(activity[6]),
      .fault_o(f_mxu),
      .nan_seen_o(nan_seen),
      .post_origin_o(post_origin[3]),
      .retire_o(retire_mxu),
      .acc_valid_o(acc_valid),
      .acc_group_o(acc_group),
      .acc_cols_o(acc_cols),
      .acc_o(acc_data),
      .acc_origin_o(acc_origin),
      .host_index_i(host_index),
      .host_value_o(acc_value)
  );

  logic vp_rd_valid[4], vp_rd_gnt[4], vp_rd_bad[4], vp_wr_valid[3], vp_wr_gnt[3];
  logic [WordW-1:0] vp_rd_word[4], vp_wr_word[3];
  logic [255:0] vp_rd_data[4], vp_wr_data[3];
  logic [31:0] vp_wr_strb[3];
  vpu #(
      .Lanes(Cfg.vpu_lanes),
      .SpadBytes(Cfg.spad_bytes)
  ) u_vpu (
      .clk_i,
      .rst_ni(rst_core_n),
      .stop_i(stop),
      .instr_valid_i(q_valid[3]),
      .instr_ready_o(q_ready[3]),
      .instr_i(q_instr[3]),
      .post_valid_o(post_valid[4]),
      .post_o(post_op[4]),
      .post_ready_i(post_ready[4]),
      .rd_valid_o(vp_rd_valid),
      .rd_word_o(vp_rd_word),
      .rd_gnt_i(vp_rd_gnt),
      .rd_data_i(vp_rd_data),
      .rd_bad_i(vp_rd_bad),
      .wr_valid_o(vp_wr_valid),
      .wr_word_o(vp_wr_word),
      .wr_strb_o(vp_wr_strb),
      .wr_data_o(vp_wr_data),
      .wr_gnt_i(vp_wr_gnt),
      .busy_o(busy[3]),
      .activity_o(activity[7]),
      .fault_o(f_vpu),
      .post_origin_o(post_origin[4]),
      .retire_o(retire_vpu)
  );

  // ------------------------------------------------------------------------------------------- NET
  logic nt_rd_valid[NetLanes], nt_rd_gnt[NetLanes], nt_rd_bad[NetLanes];
  logic [WordW-1:0] nt_rd_word[NetLanes], nt_wr_word[NetLanes+2];
  logic [255:0] nt_rd_data[NetLanes], nt_wr_data[NetLanes+2];
  logic nt_wr_valid[NetLanes+2], nt_wr_gnt[NetLanes+2];
  logic nt_post_valid[3], nt_post_ready[3];
  sem_op_t nt_post[3];
  logic n_ar_valid[Pcs], n_ar_ready[Pcs], n_r_valid[Pcs], n_r_ready[Pcs], n_r_last[Pcs];
  logic n_aw_valid[Pcs], n_aw_ready[Pcs], n_b_valid[Pcs], n_b_ready[Pcs];
  logic [25:0] n_ar_beat, n_aw_beat;
  logic [3:0] n_ar_beats;
  logic [255:0] n_r_data[Pcs], n_w_data;
  logic [1:0] n_r_resp[Pcs], n_b_resp[Pcs];
  logic net_open, net_moving;
  for (genvar i = 0; i < 3; i++) begin : gen_net_post
    assign post_valid[5+i]  = nt_post_valid[i];
    assign post_op[5+i]     = nt_post[i];
    assign nt_post_ready[i] = post_ready[5+i];
  end
  assign post_origin[6] = '0;
  assign post_origin[7] = '0;
  net_node #(
      .Lanes(NetLanes),
      .Pcs(Pcs),
      .Sems(Cfg.sems),
      .SpadBytes(Cfg.spad_bytes),
      .HbmBeats(Cfg.hbm_beats)
  ) u_net (
      .clk_i,
      .rst_ni,
      .core_rst_ni(rst_core_n),
      .stop_i(stop),
      .at_i,
      .last_i,
      .link_o,
      .credit_o,
      .link_i,
      .credit_i,
      .instr_valid_i(q_valid[4]),
      .instr_ready_o(q_ready[4]),
      .instr_i(q_instr[4]),
      .post_valid_o(nt_post_valid),
      .post_o(nt_post),
      .post_ready_i(nt_post_ready),
      .rpost_valid_i(rpost_valid),
      .rpost_i(rpost),
      .rpost_ready_o(rpost_ready),
      .rd_valid_o(nt_rd_valid),
      .rd_word_o(nt_rd_word),
      .rd_gnt_i(nt_rd_gnt),
      .rd_data_i(nt_rd_data),
      .rd_bad_i(nt_rd_bad),
      .wr_valid_o(nt_wr_valid),
      .wr_word_o(nt_wr_word),
      .wr_data_o(nt_wr_data),
      .wr_gnt_i(nt_wr_gnt),
      .ar_valid_o(n_ar_valid),
      .ar_beat_o(n_ar_beat),
      .ar_beats_o(n_ar_beats),
      .ar_ready_i(n_ar_ready),
      .r_valid_i(n_r_valid),
      .r_data_i(n_r_data),
      .r_resp_i(n_r_resp),
      .r_last_i(n_r_last),
      .r_ready_o(n_r_ready),
      .aw_valid_o(n_aw_valid),
      .aw_beat_o(n_aw_beat),
      .w_data_o(n_w_data),
      .aw_ready_i(n_aw_ready),
      .b_valid_i(n_b_valid),
      .b_resp_i(n_b_resp),
      .b_ready_o(n_b_ready),
      .busy_o(busy[4]),
      .open_o(net_open),
      .moving_o(net_moving),
      .activity_o(activity[8]),
      .fault_o(f_net),
      .origin_o(post_origin[5]),
      .retire_o(retire_net)
  );

  // ---------------------------------------------------------------------------------- memory ports
  for (genvar p = 0; p < Pcs; p++) begin : gen_mem
    axi_r_t n_r;
    axi_b_t n_b;
    assign n_r_data[p] = n_r.data;
    assign n_r_resp[p] = n_r.resp;
    assign n_r_last[p] = n_r.last;
    assign n_b_resp[p] = n_b.resp;
    tile_mem_port u_port (
        .clk_i,
        .rst_ni,
        .m_ar_valid_o(m_ar_valid_o[p]),
        .m_ar_ready_i(m_ar_ready_i[p]),
        .m_ar_o(m_ar_o[p]),
        .m_r_valid_i(m_r_valid_i[p]),
        .m_r_ready_o(m_r_ready_o[p]),
        .m_r_i(m_r_i[p]),
        .m_aw_valid_o(m_aw_valid_o[p]),
        .m_aw_ready_i(m_aw_ready_i[p]),
        .m_aw_o(m_aw_o[p]),
        .m_w_valid_o(m_w_valid_o[p]),
        .m_w_ready_i(m_w_ready_i[p]),
        .m_w_o(m_w_o[p]),
        .m_b_valid_i(m_b_valid_i[p]),
        .m_b_ready_o(m_b_ready_o[p]),
        .m_b_i(m_b_i[p]),
        .ar_valid_i(p_ar_valid[p]),
        .ar_ready_o(p_ar_ready[p]),
        .ar_i(p_ar[p]),
        .r_valid_o(p_r_valid[p]),
        .r_ready_i(p_r_ready[p]),
        .r_o(p_r[p]),
        .aw_valid_i(p_aw_valid[p]),
        .aw_ready_o(p_aw_ready[p]),
        .aw_i(p_aw[p]),
        .w_valid_i(p_w_valid[p]),
        .w_ready_o(p_w_ready[p]),
        .w_i(p_w[p]),
        .b_valid_o(p_b_valid[p]),
        .b_ready_i(p_b_ready[p]),
        .b_o(p_b[p]),
        .n_ar_valid_i(n_ar_valid[p]),
        .n_ar_ready_o(n_ar_ready[p]),
        .n_ar_beat_i(n_ar_beat),
        .n_ar_beats_i(n_ar_beats),
        .n_r_valid_o(n_r_valid[p]),
        .n_r_ready_i(n_r_ready[p]),
        .n_r_o(n_r),
        .n_aw_valid_i(n_aw_valid[p]),
        .n_aw_ready_o(n_aw_ready[p]),
        .n_aw_beat_i(n_aw_beat),
        .n_w_data_i(n_w_data),
        .n_b_valid_o(n_b_valid[p]),
        .n_b_ready_i(n_b_ready[p]),
        .n_b_o(n_b)
    );
  end

  // ------------------------------------------------------------------------------------------ host
  logic ho_rd, ho_wr;
  logic [WordW-1:0] ho_word;
  logic [     63:0] counter;
  tile_host #(
      .Pcs(Pcs),
      .SpadBytes(Cfg.spad_bytes),
      .ImemInstrs(Cfg.imem_instrs),
      .AccWords(Rows * Cfg.acc_cols),
      .Sems(Cfg.sems),
      .HbmBeats(Cfg.hbm_beats),
      .Counters(76)
  ) u_host (
      .clk_i,
      .rst_ni,
      .aw_valid_i(s_aw_valid_i),
      .aw_ready_o(s_aw_ready_o),
      .aw_id_i(s_aw_id_i),
      .aw_addr_i(s_aw_addr_i),
      .aw_len_i(s_aw_len_i),
      .w_valid_i(s_w_valid_i),
      .w_ready_o(s_w_ready_o),
      .w_i(s_w_i),
      .b_valid_o(s_b_valid_o),
      .b_ready_i(s_b_ready_i),
      .b_id_o(s_b_id_o),
      .b_resp_o(s_b_resp_o),
      .ar_valid_i(s_ar_valid_i),
      .ar_ready_o(s_ar_ready_o),
      .ar_id_i(s_ar_id_i),
      .ar_addr_i(s_ar_addr_i),
      .ar_len_i(s_ar_len_i),
      .r_valid_o(s_r_valid_o),
      .r_ready_i(s_r_ready_i),
      .r_id_o(s_r_id_o),
      .r_data_o(s_r_data_o),
      .r_resp_o(s_r_resp_o),
      .r_last_o(s_r_last_o),
      .rd_valid_o(ho_rd),
      .wr_valid_o(ho_wr),
      .word_o(ho_word),
      .strb_o(h_strb),
      .data_o(h_wdata),
      .rd_gnt_i(rd_gnt[RdHost]),
      .wr_gnt_i(wr_gnt[WrHost]),
      .rd_data_i(rd_data[RdHost]),
      .rd_bad_i(rd_bad[RdHost]),
      .imem_we_o(imem_we),
      .imem_re_o(imem_re),
      .imem_addr_o(imem_addr),
      .imem_wdata_o(imem_wdata),
      .imem_rdata_i(imem_rdata),
      .index_o(host_index),
      .acc_value_i(acc_value),
      .sem_set_o(sem_set),
      .sem_value_o(host_sem_value),
      .sem_value_i(sem_value),
      .counter_i(counter),
      .hbm_rd_valid_o(h_rd_valid),
      .hbm_rd_ready_i(h_rd_ready),
      .hbm_wr_valid_o(h_wr_valid),
      .hbm_wr_ready_i(h_wr_ready),
      .hbm_beat_o(h_beat),
      .hbm_rvalid_i(h_rvalid),
      .hbm_rdata_i(h_rdata),
      .hbm_rresp_i(h_rresp),
      .hbm_bvalid_i(h_bvalid),
      .hbm_bresp_i(h_bresp),
      .busy_o(host_busy)
  );

  // ----------------------------------------------------------------------------------------- lanes
  always_comb begin
    for (int unsigned l = 0; l < MxuRead; l++) begin
      rd_valid[RdMxu+l] = mx_rd_valid[l];
      rd_word[RdMxu+l] = mx_rd_word[l];
      mx_rd_gnt[l] = rd_gnt[RdMxu+l];
      mx_rd_data[l] = rd_data[RdMxu+l];
      mx_rd_bad[l] = rd_bad[RdMxu+l];
    end
    for (int unsigned l = 0; l < 4; l++) begin
      rd_valid[RdVpu+l] = vp_rd_valid[l];
      rd_word[RdVpu+l] = vp_rd_word[l];
      vp_rd_gnt[l] = rd_gnt[RdVpu+l];
      vp_rd_data[l] = rd_data[RdVpu+l];
      vp_rd_bad[l] = rd_bad[RdVpu+l];
    end
    for (int unsigned l = 0; l < Pcs; l++) begin
      rd_valid[RdSt+l] = st_rd_valid[l];
      rd_word[RdSt+l] = st_rd_word[l];
      st_rd_gnt[l] = rd_gnt[RdSt+l];
      st_rd_data[l] = rd_data[RdSt+l];
      st_rd_bad[l] = rd_bad[RdSt+l];
    end
    rd_valid[RdSeq] = seq_rd;
    rd_word[RdSeq]  = seq_word;
    for (int unsigned l = 0; l < NetLanes; l++) begin
      rd_valid[RdNet+l] = nt_rd_valid[l];
      rd_word[RdNet+l] = nt_rd_word[l];
      nt_rd_gnt[l] = rd_gnt[RdNet+l];
      nt_rd_data[l] = rd_data[RdNet+l];
      nt_rd_bad[l] = rd_bad[RdNet+l];
    end
    rd_valid[RdHost] = ho_rd;
    rd_word[RdHost]  = ho_word;
    for (int unsigned l = 0; l < Cols; l++) begin
      wr_valid[WrMxu+l] = mx_wr_valid[l];
      wr_word[WrMxu+l] = mx_wr_word[l];
      wr_strb[WrMxu+l] = mx_wr_strb[l];
      wr_data[WrMxu+l] = mx_wr_data[l];
      mx_wr_gnt[l] = wr_gnt[WrMxu+l];
    end
    for (int unsigned l = 0; l < Pcs * 2; l++) begin
      wr_valid[WrLd+l] = ld_wr_valid[l];
      wr_word[WrLd+l] = ld_wr_word[l];
      wr_strb[WrLd+l] = '1;
      wr_data[WrLd+l] = ld_wr_data[l];
      ld_wr_gnt[l] = wr_gnt[WrLd+l];
    end
    for (int unsigned l = 0; l < 3; l++) begin
      wr_valid[WrVpu+l] = vp_wr_valid[l];
      wr_word[WrVpu+l] = vp_wr_word[l];
      wr_strb[WrVpu+l] = vp_wr_strb[l];
      wr_data[WrVpu+l] = vp_wr_data[l];
      vp_wr_gnt[l] = wr_gnt[WrVpu+l];
    end
    wr_valid[WrSeq] = seq_wr;
    wr_word[WrSeq]  = seq_word;
    wr_strb[WrSeq]  = seq_strb;
    wr_data[WrSeq]  = seq_wdata;
    for (int unsigned l = 0; l < NetLanes + 2; l++) begin
      wr_valid[WrNet+l] = nt_wr_valid[l];
      wr_word[WrNet+l] = nt_wr_word[l];
      wr_strb[WrNet+l] = '1;
      wr_data[WrNet+l] = nt_wr_data[l];
      nt_wr_gnt[l] = wr_gnt[WrNet+l];
    end
    wr_valid[WrHost] = ho_wr;
    wr_word[WrHost]  = ho_word;
    wr_strb[WrHost]  = h_strb;
    wr_data[WrHost]  = h_wdata;
  end

  // ----------------------------------------------------------------------- run, done, fault, stuck
  logic [4:0] engine_quiet, engine_done;
  logic all_off, all_ended, still, waits, soft_req, stuck_trap, quiet_q;
  always_comb begin
    for (int unsigned e = 0; e < 5; e++) begin
      engine_done[e]  = q_empty[e] && !busy[e];
      engine_quiet[e] = (q_empty[e] || q_waiting[e]) && !busy[e];
    end
    // NET may be busy for ever with a collective that nobody else joins: only what moves counts.
    engine_quiet[4] = 1'b1;
    all_off = th_active == '0;
    all_ended = all_off && engine_done == '1 && ld_idle && st_idle;
    // Nothing moves in this tile. It must last, on the whole chip: a push or a grant takes a few cycles to show.
    still = !sem_activity && !host_busy && ld_idle && st_idle && !net_open && !net_moving && !rpost_valid && !soft_q &&
            (!running_q || stop || (!drain && (th_active & ~th_waiting) == '0 && engine_quiet == '1));
    waits = running_q && !stop && !drain && (th_waits_sem != '0 || q_waiting != '0 || busy[4]);
  end

  logic stuck;
  assign stuck   = stuck_cnt_q == '1 && stuck_trap;
  assign quiet_o = quiet_q;
  always_comb begin
    fault_d = '0;
    if (stuck) begin
      // No single instruction is at fault: registers THREAD and HEAD name every waiter.
      fault_d = '{valid: 1'b1, cause: CauseStuck, engine: EngHost, origin: '0, addr: '0};
    end
    if (f_net.valid) fault_d = f_net;
    if (f_vpu.valid) fault_d = f_vpu;
    if (f_mxu.valid) fault_d = f_mxu;
    if (f_st.valid) fault_d = f_st;
    if (f_ld.valid) fault_d = f_ld;
    if (f_seq.valid) fault_d = f_seq;
    if (sem_over || sem_under || sem_bad_tile) begin
      fault_d = '{
          valid: 1'b1,
          cause: sem_over ? CauseSemOverflow : sem_under ? CauseSemUnderflow : CauseBadTile,
          engine: sem_bad_post > 3'd5 ? EngNet : engine_e'(sem_bad_post),
          origin: post_origin[sem_bad_post],
          addr: sem_bad
      };
    end
  end

  logic [2:0] idle_cnt_q;
  logic       rst_q;
  assign stop       = fault_q.valid || soft_q;
  assign rst_core_n = rst_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q   <= 1'b0;
      done_q      <= 1'b0;
      stuck_cnt_q <= '0;
      quiet_q     <= 1'b0;
      fault_q     <= '0;
      soft_q      <= 1'b0;
      idle_cnt_q  <= '0;
      rst_q       <= 1'b0;
    end else begin
      if (!fault_q.valid && fault_d.valid && !soft_q) fault_q <= fault_d;
      stuck_cnt_q <= chip_quiet_i && still && waits ? (stuck_cnt_q == '1 ? '1 : stuck_cnt_q + 6'd1) : '0;
      quiet_q <= still;
      if (start) begin
        running_q <= 1'b1;
        done_q    <= 1'b0;
      end else if (fault_q.valid) begin
        running_q <= 1'b0;
      end else if (running_q && all_ended) begin
        running_q <= 1'b0;
        done_q    <= 1'b1;
      end
      // Soft reset: stop, let memory transactions end (idle for 8 cycles), then two cycles of reset
      // for everything but memories.
      rst_q <= 1'b1;
      if (soft_req) soft_q <= 1'b1;
      if (soft_q) begin
        idle_cnt_q <= ld_idle && st_idle && !net_open && !host_busy ? idle_cnt_q + 3'd1 : '0;
        if (idle_cnt_q >= 3'd6) rst_q <= 1'b0;
        if (idle_cnt_q == 3'd7) begin
          soft_q     <= 1'b0;
          idle_cnt_q <= '0;
          fault_q    <= '0;
          running_q  <= 1'b0;
          done_q     <= 1'b0;
        end
      end
    end
  end

  // -------------------------------------------------------------------------------------- counters
  always_comb for (int unsigned t = 0; t < 4; t++) activity[t] = th_activity[t];
  activity_e act[9];
  logic [7:0] beats_read, beats_written;
  logic clear_counters;
  always_comb begin
    for (int unsigned u = 0; u < 9; u++) act[u] = activity[u];
    for (int unsigned e = 0; e < 5; e++)
    if (activity[4+e] == ActIdle && q_waiting[e]) act[4+e] = stop ? ActStopped : ActWaitSem;
    beats_read    = '0;
    beats_written = '0;
    for (int unsigned p = 0; p < Pcs; p++) begin
      beats_read    = beats_read + 8'(m_r_valid_i[p] && m_r_ready_o[p]);
      beats_written = beats_written + 8'(m_w_valid_o[p] && m_w_ready_i[p]);
    end
  end
  tile_counters #(
      .Units(9)
  ) u_counters (
      .clk_i,
      .rst_ni,
      .clear_i(clear_counters),
      .run_i(running_q),
      .activity_i(act),
      .conflicts_i(conflicts),
      .beats_read_i(beats_read),
      .beats_written_i(beats_written),
      .index_i(host_index[6:0]),
      .value_o(counter)
  );

  // ------------------------------------------------------------------------------------- registers
  tepin_csr_pkg::tepin_csr__in_t  hwif_in;
  tepin_csr_pkg::tepin_csr__out_t hwif_out;
  logic [31:0] trace_id_q, trace_value_q;
  logic [3:0] stopped_q;
  logic done_q2, fault_q2, irq_q;

  always_comb begin
    hwif_in.VERSION.isa.next           = 16'(IsaVersion);
    hwif_in.VERSION.tile.next          = TileVersion;
    hwif_in.CAPS0.mxu_rows.next        = 8'(Rows);
    hwif_in.CAPS0.mxu_cols.next        = 8'(Cols);
    hwif_in.CAPS0.acc_cols.next        = 8'(Cfg.acc_cols);
    hwif_in.CAPS0.pcs.next             = 8'(Pcs);
    hwif_in.CAPS1.vpu_lanes.next       = 8'(Cfg.vpu_lanes);
    hwif_in.CAPS1.sems.next            = 8'(Cfg.sems);
    hwif_in.CAPS1.queue_depth.next     = 8'(Cfg.queue_depth);
    hwif_in.SPAD_SIZE.bytes.next       = Cfg.spad_bytes;
    hwif_in.IMEM_SIZE.instrs.next      = Cfg.imem_instrs;
    hwif_in.HBM_SIZE.beats.next        = Cfg.hbm_beats;
    hwif_in.STATUS.ready.next          = spad_ready;
    hwif_in.STATUS.running.next        = running_q;
    hwif_in.STATUS.done.next           = done_q;
    hwif_in.STATUS.faulted.next        = fault_q.valid;
    hwif_in.STATUS.drained.next        = (th_active & ~th_stopped) == '0 && engine_done == '1;
    hwif_in.STATUS.resetting.next      = soft_q;
    hwif_in.STATUS.active.next         = th_active;
    hwif_in.STATUS.stopped.next        = th_stopped;
    hwif_in.STATUS.waiting.next        = th_waits_sem;
    hwif_in.STATUS.engine_waiting.next = q_waiting;
    hwif_in.FAULT.cause.next           = fault_q.cause;
    hwif_in.FAULT.engine.next          = fault_q.engine;
    hwif_in.FAULT.thread.next          = fault_q.origin.thread;
    hwif_in.FAULT.valid.next           = fault_q.valid;
    hwif_in.FAULT.pc.next              = fault_q.origin.pc;
    hwif_in.FAULT_ADDR.addr.next       = fault_q.addr;
    hwif_in.IRQ_STATUS.done.hwset      = done_q && !done_q2;
    hwif_in.IRQ_STATUS.fault.hwset     = fault_q.valid && !fault_q2;
    hwif_in.IRQ_STATUS.stopped.hwset   = (th_stopped & ~stopped_q) != '0;
    hwif_in.IRQ_STATUS.marker.hwset    = marker_valid;
    hwif_in.FLAGS.nan_seen.hwset       = nan_seen;
    hwif_in.FLAGS.injected.hwset       = injected;
    hwif_in.PARITY_INJECT.arm.hwclr    = injected;
    hwif_in.TRACE_ID.id.next           = trace_id_q;
    hwif_in.TRACE_VALUE.value.next     = trace_value_q;
    hwif_in.TILE.x.next                = at_i.x;
    hwif_in.TILE.y.next                = at_i.y;
    hwif_in.TILE.last_x.next           = last_i.x;
    hwif_in.TILE.last_y.next           = last_i.y;
    for (int unsigned e = 0; e < 5; e++) begin
      hwif_in.HEAD[e].pc.next = q_head[e].pc;
      hwif_in.HEAD[e].sem.next       = q_instr[e].sync.wait0_cnt != '0 ? q_instr[e].sync.wait0_sem : q_instr[e].sync.wait1_sem;
      hwif_in.HEAD[e].waiting.next = q_waiting[e];
      hwif_in.HEAD[e].empty.next = q_empty[e];
      hwif_in.HEAD[e].thread.next = q_head[e].thread;
    end
    // NET's instruction that has started and waits for other tiles.
    hwif_in.NET.pc.next     = post_origin[5].pc;
    hwif_in.NET.thread.next = post_origin[5].thread;
    hwif_in.NET.busy.next   = busy[4];
    for (int unsigned t = 0; t < 4; t++) begin
      hwif_in.THREAD[t].pc.next = th_pc[t];
      hwif_in.THREAD[t].sem.next     = th_ir[t][LsbWait0Cnt+:8] != '0 ? th_ir[t][LsbWait0Sem+:6] : th_ir[t][LsbWait1Sem+:6];
      hwif_in.THREAD[t].waiting.next = th_waits_sem[t];
      hwif_in.THREAD[t].active.next = th_active[t];
      hwif_in.THREAD[t].stopped.next = th_stopped[t];
      entry_valid[t] = hwif_out.ENTRY[t].enable.value;
      entry[t] = hwif_out.ENTRY[t].pc.value;
      bp_valid[t] = hwif_out.BREAKPOINT[t].enable.value;
      bp_pc[t] = hwif_out.BREAKPOINT[t].pc.value;
    end
    start = hwif_out.CTRL.start.value && !running_q && !stop && spad_ready && rst_q;
    soft_req = hwif_out.CTRL.soft_reset.value;
    drain = hwif_out.CTRL.drain.value;
    nan_trap = hwif_out.CTRL.nan_trap.value;
    stuck_trap = hwif_out.CTRL.stuck_trap.value;
    clear_counters = hwif_out.CTRL.clear_counters.value;
    step_en = hwif_out.CTRL.step.value;
    resume = {
      hwif_out.CTRL.resume3.value,
      hwif_out.CTRL.resume2.value,
      hwif_out.CTRL.resume1.value,
      hwif_out.CTRL.resume0.value
    };
    inject_arm = hwif_out.PARITY_INJECT.arm.value;
    inject_word = hwif_out.PARITY_INJECT.word.value;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      done_q2       <= 1'b0;
      fault_q2      <= 1'b0;
      stopped_q     <= '0;
      irq_q         <= 1'b0;
      trace_id_q    <= '0;
      trace_value_q <= '0;
    end else begin
      done_q2 <= done_q;
      fault_q2 <= fault_q.valid;
      stopped_q <= th_stopped;
      irq_q <= (hwif_out.IRQ_STATUS.done.value && hwif_out.IRQ_ENABLE.done.value) ||
               (hwif_out.IRQ_STATUS.fault.value && hwif_out.IRQ_ENABLE.fault.value) ||
               (hwif_out.IRQ_STATUS.stopped.value && hwif_out.IRQ_ENABLE.stopped.value) ||
               (hwif_out.IRQ_STATUS.marker.value && hwif_out.IRQ_ENABLE.marker.value);
      if (marker_valid) begin
        trace_id_q    <= marker_id;
        trace_value_q <= marker_value;
      end
    end
  end
  assign irq_o = irq_q;

  tile_regs u_regs (
      .clk_i,
      .rst_ni,
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
      .hwif_in_i (hwif_in),
      .hwif_out_o(hwif_out)
  );
endmodule
