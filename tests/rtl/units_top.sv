// SPDX-License-Identifier: Apache-2.0
// The small cells side by side, each with ports of its own, so that one model serves their unit tests.
module units_top
  import tepin_pkg::*;
  import tepin_isa_pkg::*;
  import dma_pkg::*;
(
    input  logic         clk_i,
    input  logic         rst_ni,
    // common_spill, common_fifo of depth 3
    input  logic         sp_in_valid_i,
    output logic         sp_in_ready_o,
    input  logic [ 15:0] sp_in_i,
    output logic         sp_out_valid_o,
    input  logic         sp_out_ready_i,
    output logic [ 15:0] sp_out_o,
    input  logic         ff_in_valid_i,
    output logic         ff_in_ready_o,
    input  logic [ 15:0] ff_in_i,
    output logic         ff_out_valid_o,
    input  logic         ff_out_ready_i,
    output logic [ 15:0] ff_out_o,
    output logic [  1:0] ff_count_o,
    // common_fetch of 4 lanes and depth 4 on lanes 0..3 of a tile_spad, whose lane 4 and write lanes 0..1 are free
    input  logic         fe_req_valid_i,
    output logic         fe_req_ready_o,
    input  logic [  5:0] fe_req_word_i,
    input  logic [  3:0] fe_req_lanes_i,
    output logic         fe_out_valid_o,
    output logic         fe_out_both_o,
    input  logic         fe_out_ready_i,
    input  logic         fe_out_two_i,
    output logic [ 31:0] fe_next_o       [4],
    output logic [ 31:0] fe_out_o        [4],  // lowest bits of each word
    output logic         fe_bad_o,
    input  logic         sd_inject_i,
    input  logic [ 31:0] sd_inject_word_i,
    output logic         sd_injected_o,
    input  logic         sd_rd_valid_i,
    input  logic [  5:0] sd_rd_word_i,
    output logic         sd_rd_gnt_o,
    output logic [255:0] sd_rd_data_o,
    output logic         sd_rd_bad_o,
    input  logic         sd_wr_valid_i   [2],
    input  logic [  5:0] sd_wr_word_i    [2],
    input  logic [ 31:0] sd_wr_strb_i    [2],
    input  logic [255:0] sd_wr_data_i    [2],
    output logic         sd_wr_gnt_o     [2],
    output logic         sd_ready_o,
    output logic [  7:0] sd_conflicts_o,
    // seq_sems with 8 semaphores, 3 waits and 2 posts
    input  logic         sm_wait_valid_i [3],
    input  logic [  5:0] sm_wait_sem0_i  [3],
    input  logic [ 31:0] sm_wait_cnt0_i  [3],
    input  logic [  5:0] sm_wait_sem1_i  [3],
    input  logic [ 31:0] sm_wait_cnt1_i  [3],
    output logic         sm_wait_gnt_o   [3],
    input  logic         sm_post_valid_i [2],
    input  logic         sm_post_take_i  [2],
    input  logic [  5:0] sm_post_sem_i   [2],
    input  logic [ 31:0] sm_post_cnt_i   [2],
    input  logic         sm_post_remote_i[2],  // ... and 9 to semaphore 5 of another tile of a mesh of 3 x 2
    input  logic [  5:0] sm_post_tile_i  [2],
    output logic         sm_rpost_valid_o,
    output logic [ 19:0] sm_rpost_o,           // {tile, sem, cnt}
    input  logic         sm_rpost_ready_i,
    output logic         sm_bad_tile_o,
    output logic         sm_post_ready_o [2],
    input  logic [  5:0] sm_host_sem_i,
    input  logic         sm_host_set_i,
    input  logic [ 31:0] sm_host_value_i,
    output logic [ 31:0] sm_host_value_o,
    output logic         sm_overflow_o,
    output logic         sm_underflow_o,
    output logic [ 31:0] sm_bad_sem_o,
    // seq_queue of depth 2; instructions carry a number as their pc and one wait
    input  logic         qu_stop_i,
    input  logic         qu_push_i,
    output logic         qu_room_o,
    input  logic [ 15:0] qu_pc_i,
    input  logic [  7:0] qu_cnt_i,
    output logic         qu_wait_valid_o,
    input  logic         qu_wait_gnt_i,
    output logic         qu_out_valid_o,
    input  logic         qu_out_ready_i,
    output logic [ 15:0] qu_out_pc_o,
    output logic         qu_empty_o,
    output logic         qu_waiting_o,
    // dma_gen with channels of 4096 beats
    input  logic         dg_start_valid_i,
    output logic         dg_start_ready_o,
    input  logic [ 31:0] dg_spad_i,
    input  logic [  5:0] dg_pc_i,
    input  logic [ 25:0] dg_beat_i,
    input  logic [ 15:0] dg_len_i,
    input  logic [ 15:0] dg_n1_i,
    input  logic [ 15:0] dg_n2_i,
    input  logic [ 31:0] dg_sstep1_i,
    input  logic [ 31:0] dg_sstep2_i,
    input  logic [ 31:0] dg_hstep1_i,
    input  logic [ 31:0] dg_hstep2_i,
    input  logic [  3:0] dg_npc_i,
    output logic         dg_valid_o,
    input  logic         dg_ready_i,
    output logic [  5:0] dg_pc_o,
    output logic [ 25:0] dg_beat_o,
    output logic [ 26:0] dg_word_o,
    output logic [  3:0] dg_beats_o,
    output logic         dg_last_o,
    output logic         dg_bad_o,
    // dma_slots
    input  logic         ds_begin_valid_i,
    output logic         ds_begin_ready_o,
    input  logic [ 15:0] ds_begin_pc_i,
    input  logic         ds_begin_moves_i,
    input  logic [ 31:0] ds_lo_i,
    input  logic [ 31:0] ds_hi_i,
    output logic [  1:0] ds_begin_slot_o,
    input  logic         ds_open_i,
    input  logic [  1:0] ds_open_slot_i,
    input  logic [  3:0] ds_open_count_i,
    input  logic         ds_open_last_i,
    input  logic         ds_close_i      [2],
    input  logic [  1:0] ds_close_slot_i [2],
    output logic         ds_retire_o,
    output logic [ 15:0] ds_retire_pc_o,
    output logic         ds_busy_o,
    // tile_counters of 2 units
    input  logic         ct_clear_i,
    input  logic         ct_run_i,
    input  logic [  2:0] ct_activity_i   [2],
    input  logic [  7:0] ct_conflicts_i,
    input  logic [  6:0] ct_index_i,
    output logic [ 63:0] ct_value_o
);
  common_spill #(
      .data_t(logic [15:0])
  ) u_spill (
      .clk_i,
      .rst_ni,
      .in_valid_i (sp_in_valid_i),
      .in_ready_o (sp_in_ready_o),
      .in_i       (sp_in_i),
      .out_valid_o(sp_out_valid_o),
      .out_ready_i(sp_out_ready_i),
      .out_o      (sp_out_o)
  );
  common_fifo #(
      .data_t(logic [15:0]),
      .Depth (3)
  ) u_fifo (
      .clk_i,
      .rst_ni,
      .in_valid_i (ff_in_valid_i),
      .in_ready_o (ff_in_ready_o),
      .in_i       (ff_in_i),
      .out_valid_o(ff_out_valid_o),
      .out_ready_i(ff_out_ready_i),
      .out_o      (ff_out_o),
      .count_o    (ff_count_o)
  );

  logic rd_valid[5], rd_gnt[5], rd_bad[5], fv[4], fg[4], fb[4];
  logic [5:0] rd_word[5], fw[4];
  logic [255:0] rd_data[5], fd[4], fn[4], fo[4];
  always_comb begin
    for (int unsigned l = 0; l < 4; l++) begin
      rd_valid[l]  = fv[l];
      rd_word[l]   = fw[l];
      fg[l]        = rd_gnt[l];
      fd[l]        = rd_data[l];
      fb[l]        = rd_bad[l];
      fe_out_o[l]  = fo[l][31:0];
      fe_next_o[l] = fn[l][31:0];
    end
    rd_valid[4]  = sd_rd_valid_i;
    rd_word[4]   = sd_rd_word_i;
    sd_rd_gnt_o  = rd_gnt[4];
    sd_rd_data_o = rd_data[4];
    sd_rd_bad_o  = rd_bad[4];
  end
  common_fetch #(
      .Lanes(4),
      .Depth(4),
      .WordW(6)
  ) u_fetch (
      .clk_i,
      .rst_ni,
      .req_valid_i(fe_req_valid_i),
      .req_ready_o(fe_req_ready_o),
      .req_word_i (fe_req_word_i),
      .req_lanes_i(fe_req_lanes_i),
      .rd_valid_o (fv),
      .rd_word_o  (fw),
      .rd_gnt_i   (fg),
      .rd_data_i  (fd),
      .rd_bad_i   (fb),
      .out_valid_o(fe_out_valid_o),
      .out_ready_i(fe_out_ready_i),
      .out_both_o (fe_out_both_o),
      .out_two_i  (fe_out_two_i),
      .next_o     (fn),
      .out_o      (fo),
      .conflict_o (),
      .bad_o      (fe_bad_o)
  );
  tile_spad #(
      .Bytes(2048),
      .Banks(8),
      .NumRead(5),
      .NumWrite(2)
  ) u_spad (
      .clk_i,
      .rst_ni,
      .inject_i     (sd_inject_i),
      .inject_word_i(sd_inject_word_i),
      .injected_o   (sd_injected_o),
      .rd_valid_i   (rd_valid),
      .rd_word_i    (rd_word),
      .rd_gnt_o     (rd_gnt),
      .rd_data_o    (rd_data),
      .rd_bad_o     (rd_bad),
      .wr_valid_i   (sd_wr_valid_i),
      .wr_word_i    (sd_wr_word_i),
      .wr_strb_i    (sd_wr_strb_i),
      .wr_data_i    (sd_wr_data_i),
      .wr_gnt_o     (sd_wr_gnt_o),
      .ready_o      (sd_ready_o),
      .conflicts_o  (sd_conflicts_o)
  );

  sem_op_t wop[3], pop[2];
  always_comb begin
    for (int unsigned i = 0; i < 3; i++)
    wop[i] = '{
        take: 1'b1,
        sem0: sm_wait_sem0_i[i],
        cnt0: sm_wait_cnt0_i[i],
        sem1: sm_wait_sem1_i[i],
        cnt1: sm_wait_cnt1_i[i],
        remote: 1'b0,
        tile: '0
    };
    for (int unsigned i = 0; i < 2; i++)
    pop[i] = '{
        take: sm_post_take_i[i],
        sem0: sm_post_sem_i[i],
        cnt0: sm_post_cnt_i[i],
        sem1: sm_post_remote_i[i] ? 6'd5 : '0,
        cnt1: sm_post_remote_i[i] ? 32'd9 : '0,
        remote: sm_post_remote_i[i],
        tile: sm_post_tile_i[i]
    };
  end
  seq_sems #(
      .Sems(8),
      .NumWait(3),
      .NumPost(2)
  ) u_sems (
      .clk_i,
      .rst_ni,
      .wait_valid_i(sm_wait_valid_i),
      .wait_i      (wop),
      .wait_gnt_o  (sm_wait_gnt_o),
      .post_valid_i(sm_post_valid_i),
      .post_i      (pop),
      .post_ready_o(sm_post_ready_o),
      .last_i      ('{x: 3'd2, y: 3'd1}),
      .rpost_valid_o(sm_rpost_valid_o),
      .rpost_o     (sm_rpost_o),
      .rpost_ready_i(sm_rpost_ready_i),
      .bad_tile_o  (sm_bad_tile_o),
      .host_sem_i  (sm_host_sem_i),
      .host_set_i  (sm_host_set_i),
      .host_value_i(sm_host_value_i),
      .host_value_o(sm_host_value_o),
      .activity_o  (),
      .overflow_o  (sm_overflow_o),
      .underflow_o (sm_underflow_o),
      .bad_sem_o   (sm_bad_sem_o),
      .bad_post_o  ()
  );

  engine_instr_t qi, qo;
  always_comb begin
    qi                = '0;
    qi.pc             = qu_pc_i;
    qi.sync.wait0_cnt = qu_cnt_i;
  end
  assign qu_out_pc_o = qo.pc;
  seq_queue #(
      .Depth(2)
  ) u_queue (
      .clk_i,
      .rst_ni,
      .stop_i      (qu_stop_i),
      .push_i      (qu_push_i),
      .room_o      (qu_room_o),
      .instr_i     (qi),
      .wait_valid_o(qu_wait_valid_o),
      .wait_o      (),
      .wait_gnt_i  (qu_wait_gnt_i),
      .out_valid_o (qu_out_valid_o),
      .out_ready_i (qu_out_ready_i),
      .out_o       (qo),
      .empty_o     (qu_empty_o),
      .waiting_o   (qu_waiting_o),
      .head_o      ()
  );

  transfer_t tr;
  burst_t    bu;
  assign tr = '{
          spad: dg_spad_i,
          pc: dg_pc_i,
          beat: dg_beat_i,
          len: dg_len_i,
          n1: dg_n1_i,
          n2: dg_n2_i,
          sstep1: dg_sstep1_i,
          sstep2: dg_sstep2_i,
          hstep1: dg_hstep1_i,
          hstep2: dg_hstep2_i,
          npc: dg_npc_i
      };
  assign dg_pc_o = bu.pc;
  assign dg_beat_o = bu.beat;
  assign dg_word_o = bu.word;
  assign dg_beats_o = bu.beats;
  dma_gen #(
      .HbmBeats(4096)
  ) u_gen (
      .clk_i,
      .rst_ni,
      .stop_i       (1'b0),
      .start_valid_i(dg_start_valid_i),
      .start_ready_o(dg_start_ready_o),
      .start_i      (tr),
      .start_slot_i (2'd1),
      .burst_valid_o(dg_valid_o),
      .burst_ready_i(dg_ready_i),
      .burst_o      (bu),
      .last_o       (dg_last_o),
      .busy_o       (),
      .bad_o        (dg_bad_o),
      .bad_slot_o   (),
      .bad_addr_o   ()
  );

  engine_instr_t bi;
  retire_t       rt;
  always_comb begin
    bi    = '0;
    bi.pc = ds_begin_pc_i;
  end
  assign ds_retire_o    = rt.valid;
  assign ds_retire_pc_o = rt.origin.pc;
  dma_slots #(
      .NumClose(2)
  ) u_slots (
      .clk_i,
      .rst_ni,
      .stop_i       (1'b0),
      .begin_valid_i(ds_begin_valid_i && ds_begin_ready_o),
      .begin_ready_o(ds_begin_ready_o),
      .begin_i      (bi),
      .begin_moves_i(ds_begin_moves_i),
      .begin_lo_i   (64'(ds_lo_i)),
      .begin_hi_i   (64'(ds_hi_i)),
      .begin_slot_o (ds_begin_slot_o),
      .open_i       (ds_open_i),
      .open_slot_i  (ds_open_slot_i),
      .open_count_i (ds_open_count_i),
      .open_last_i  (ds_open_last_i),
      .close_i      (ds_close_i),
      .close_slot_i (ds_close_slot_i),
      .post_valid_o (),
      .post_o       (),
      .post_ready_i (1'b1),
      .origin_o     (),
      .busy_o       (ds_busy_o),
      .retire_o     (rt)
  );

  activity_e act[2];
  assign act[0] = activity_e'(ct_activity_i[0]);
  assign act[1] = activity_e'(ct_activity_i[1]);
  tile_counters #(
      .Units(2)
  ) u_counters (
      .clk_i,
      .rst_ni,
      .clear_i        (ct_clear_i),
      .run_i          (ct_run_i),
      .activity_i     (act),
      .conflicts_i    (ct_conflicts_i),
      .beats_read_i   (8'd2),
      .beats_written_i(8'd1),
      .index_i        (ct_index_i),
      .value_o        (ct_value_o)
  );
endmodule
