// SPDX-License-Identifier: Apache-2.0
// One pseudo-channel of the HBM4 controller: AXI4 slave (256 bit), read and write queues, bank table,
// refresh, read return, ECC. Chooses at most one column command a cycle for its own half of the column
// bus, and offers one activate and one precharge or refresh to the arbiter of the shared row bus
// (hbm_channel). Writes are answered once they are queued; a read of a burst that waits to be written is
// held until the write has gone. docs/hbm.md.
`include "rtl/common/assert.svh"
module hbm_pc
  import hbm_pkg::*;
  import hbm_ecc_pkg::*;
#(
    parameter int unsigned IdW = 8,
    parameter int unsigned RdEntries = 16,
    parameter int unsigned WrEntries = 16,
    parameter int unsigned Slots = 256,  // bursts read at a time
    parameter bit SecondCk = 1'b0  // column commands stand in the clock's second CK
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  cfg_t                 cfg_i,
    input  logic     [      2:0] temperature_i,
    input  logic                 run_i,          // initialised
    input  logic                 quiet_i,        // no commands now (PHY window)
    // AXI4
    input  logic                 ar_valid_i,
    output logic                 ar_ready_o,
    input  logic     [  IdW-1:0] ar_id_i,
    input  logic     [     30:0] ar_addr_i,
    input  logic     [      7:0] ar_len_i,
    output logic                 r_valid_o,
    input  logic                 r_ready_i,
    output logic     [  IdW-1:0] r_id_o,
    output logic     [    255:0] r_data_o,
    output logic     [      1:0] r_resp_o,
    output logic                 r_last_o,
    input  logic                 aw_valid_i,
    output logic                 aw_ready_o,
    input  logic     [  IdW-1:0] aw_id_i,
    input  logic     [     30:0] aw_addr_i,
    input  logic     [      7:0] aw_len_i,
    input  logic                 w_valid_i,
    output logic                 w_ready_o,
    input  logic     [    255:0] w_data_i,
    input  logic     [     31:0] w_strb_i,
    input  logic                 w_last_i,
    output logic                 b_valid_o,
    input  logic                 b_ready_i,
    output logic     [  IdW-1:0] b_id_o,
    output logic     [      1:0] b_resp_o,
    // row bus
    output logic                 act_valid_o,
    output block_t               act_o,
    input  logic                 act_gnt_i,
    output row_op_e              row_op_o,       // what is not an activate
    output logic     [BankW-1:0] row_bank_o,
    output logic                 row_press_o,    // goes before the other pseudo-channel's
    input  logic                 row_gnt_i,
    input  logic                 row_late_i,     // ... in the clock's last slot
    // column bus and data, registered
    output col_cmd_t             col_o,
    output logic                 wdata_valid_o,
    output burst_t               wdata_o,
    input  logic                 rdata_valid_i,
    input  burst_t               rdata_i,
    // status
    output event_t               event_o,
    output logic                 idle_o,
    output logic                 written_o,      // no accepted write waits
    output logic                 sleeping_o,     // in self refresh
    output logic                 settled_o,      // no read's data are to come
    output logic                 error_valid_o,  // an uncorrectable burst was read
    output place_t               error_place_o
);
  localparam int unsigned RdW = $clog2(RdEntries);
  localparam int unsigned WrW = $clog2(WrEntries);
  localparam int unsigned SlotW = $clog2(Slots);
  localparam int unsigned PlaceW = WrW + 3;
  if (RdEntries < 2 || RdEntries > 32 || WrEntries < 2 || WrEntries > 32) begin : gen_check_entries
    $error("hbm_pc: RdEntries and WrEntries must be 2 to 32");
  end
  if (Slots < 4 || Slots != 1 << SlotW) begin : gen_check_slots
    $error("hbm_pc: Slots must be a power of two, at least 4");
  end
  localparam logic [1:0] RespOkay = 2'b00, RespSlvErr = 2'b10, RespDecErr = 2'b11;

  // What a read is for: AXI (slot), completing a partial write (place in the write buffer), scrubbing.
  typedef enum logic [1:0] {
    ForAxi,
    ForWrite,
    ForScrub
  } purpose_e;
  localparam int unsigned IndexW = SlotW > PlaceW ? SlotW : PlaceW;
  typedef struct packed {
    purpose_e          purpose;
    logic [IndexW-1:0] index;
  } tag_t;

  // -------------------------------------------------------------------------------- self refresh
  typedef enum logic [1:0] {
    StAwake,    // normal operation
    StClosing,  // self refresh is wanted: what was accepted is served, then the banks are closed
    StAsleep,   // entered
    StWaking    // exit command is due
  } sleep_e;
  sleep_e sleep_q;
  logic accept, closing;
  assign accept     = sleep_q == StAwake && !cfg_i.self_refresh;
  assign sleeping_o = sleep_q == StAsleep;

  // Returning reads, declared here for what comes before them below.
  tag_t   ret_tag;
  place_t ret_place;
  logic ret_valid, ret_bad, ret_fixed, old_valid, flight_empty;
  logic [255:0] fixed;

  // ------------------------------------------------------------------------------------ read front
  logic rb_valid, rb_ready, rb_range, rb_last, ar_ready;
  logic [IdW-1:0] rb_id;
  place_t rb_place;
  assign ar_ready_o = ar_ready && accept;
  hbm_split #(
      .IdW(IdW)
  ) u_ar (
      .clk_i,
      .rst_ni,
      .cfg_i,
      .ax_valid_i(ar_valid_i && accept),
      .ax_ready_o(ar_ready),
      .ax_id_i(ar_id_i),
      .ax_addr_i(ar_addr_i),
      .ax_len_i(ar_len_i),
      .beat_valid_o(rb_valid),
      .beat_ready_i(rb_ready),
      .id_o(rb_id),
      .place_o(rb_place),
      .in_range_o(rb_range),
      .last_o(rb_last)
  );

  logic ask_valid, ask_ready, scrub_valid, scrub_ready, rq_ready, rob_ready, conflict, local_fill;
  logic [PlaceW-1:0] ask_place;
  logic [SlotW-1:0] slot;
  block_t ask_block;
  place_t scrub_place, rq_place;
  logic rq_valid, rb_go;
  tag_t rq_tag;
  logic fill_valid, local_q;
  always_comb begin
    ask_ready   = 1'b0;
    scrub_ready = 1'b0;
    rb_ready    = 1'b0;
    rb_go       = 1'b0;
    local_fill  = 1'b0;
    rq_valid    = 1'b0;
    rq_place    = rb_place;
    rq_tag      = '{purpose: ForAxi, index: IndexW'(slot)};
    if (ask_valid) begin
      rq_valid  = 1'b1;
      rq_place  = '{block: ask_block, burst: ask_place[2:0]};
      rq_tag    = '{purpose: ForWrite, index: IndexW'(ask_place)};
      ask_ready = rq_ready;
    end else if (rb_valid) begin
      if (rb_range) begin
        // Bytes that wait to be written must be in the DRAM first.
        rb_go    = !conflict && rob_ready;
        rq_valid = rb_go;
        rb_ready = rb_go && rq_ready;
      end else begin
        // Beyond the capacity: an error fills the slot when nothing returns.
        local_fill = rob_ready && !local_q;
        rb_ready   = local_fill;
      end
    end else if (scrub_valid) begin
      rq_valid    = 1'b1;
      rq_place    = scrub_place;
      rq_tag      = '{purpose: ForScrub, index: '0};
      scrub_ready = rq_ready;
    end
  end

  // ----------------------------------------------------------------------------------- write front
  logic wb_valid, wb_put, w_valid, wq_valid, wq_ready, wq_over, buf_ready, fix_valid, fix_ready;
  logic [WrW-1:0] wq_idx;
  place_t fix_place, wq_place;
  logic [255:0] wq_data;
  logic [ 31:0] wq_strb;
  hbm_write_front #(
      .IdW(IdW)
  ) u_write_front (
      .clk_i,
      .rst_ni,
      .cfg_i,
      .accept_i(accept),
      .aw_valid_i,
      .aw_ready_o,
      .aw_id_i,
      .aw_addr_i,
      .aw_len_i,
      .w_valid_i,
      .w_ready_o,
      .w_data_i,
      .w_strb_i,
      .w_last_i,
      .b_valid_o,
      .b_ready_i,
      .b_id_o,
      .b_resp_o,
      .fix_valid_i(fix_valid),
      .fix_ready_o(fix_ready),
      .fix_place_i(fix_place),
      .queue_ready_i(wq_ready),
      .buf_ready_i(buf_ready),
      .put_valid_o(wq_valid),
      .put_place_o(wq_place),
      .put_data_o(wq_data),
      .put_strb_o(wq_strb),
      .wants_put_o(wb_put),
      .addr_waits_o(wb_valid),
      .data_waits_o(w_valid)
  );

  // ---------------------------------------------------------------------------------------- queues
  logic [Banks-1:0] open, act_ok, ref_ok, idle_ok, pre_ok, rd_ok, wr_ok, block_act, block_col;
  logic [Groups-1:0] rd_group_ok, wr_group_ok;
  logic all_ok, prea_ok, rd_turned, wr_turned;
  logic [RowW-1:0] rd_row, wr_row;
  logic writing;  // direction of the data bus
  logic go;  // commands may be chosen
  assign go = run_i && !quiet_i && sleep_q != StAsleep && sleep_q != StWaking;

  logic [Banks-1:0] r_pending, r_hits, w_pending, w_hits, r_act_ok, w_act_ok, r_pre_ok, w_pre_ok;
  logic r_act_valid, w_act_valid, r_pre_valid, w_pre_valid, rd, wr;
  logic r_any, r_go, r_open, r_ready, w_any, w_go, w_aged, w_open, w_ready_row;
  block_t r_act, w_act;
  logic [BankW-1:0] r_pre_bank, w_pre_bank;
  logic [RdW-1:0] rq_idx, r_col_idx;
  logic [WrW-1:0] w_col_idx;
  place_t r_place, w_place;
  logic [7:0] all_bursts[RdEntries];
  logic [7:0] full[WrEntries];
  logic [Banks-1:0] closing_banks;
  logic [2:0] last_group_q;
  logic age_tick, w_age_tick, early_w, flight_ready;
  always_comb for (int unsigned i = 0; i < RdEntries; i++) all_bursts[i] = '1;

  // The other mode's entries prepare rows too, in banks that this mode does not need.
  assign r_act_ok = go ? act_ok & ~block_act & (writing ? ~w_pending : '1) : '0;
  assign w_act_ok = go && (writing || early_w) ? act_ok & ~block_act & (writing ? '1 : ~r_pending) : '0;
  assign r_pre_ok = pre_ok & (writing ? ~w_pending : '1);
  assign w_pre_ok = writing || early_w ? pre_ok & (writing ? '1 : ~r_pending) : '0;

  hbm_queue #(
      .Entries(RdEntries)
  ) u_rq (
      .clk_i,
      .rst_ni,
      .put_valid_i(rq_valid),
      .put_ready_o(rq_ready),
      .put_i(rq_place),
      .put_hit_i(open[rq_place.block.bank] && rd_row == rq_place.block.row),
      .put_idx_o(rq_idx),
      .put_new_o(),
      .put_over_o(),
      .find_valid_i(1'b0),
      .find_i('0),
      .find_o(),
      .peek_idx_i('0),
      .peek_o(),
      .act_ok_i(r_act_ok),
      .pre_ok_i(r_pre_ok),
      .col_ok_i(rd_ok & ~block_col),
      .group_ok_i(go && !writing && flight_ready ? rd_group_ok : '0),
      .burst_ok_i(all_bursts),
      .age_tick_i(age_tick),
      .last_group_i(last_group_q),
      .act_valid_o(r_act_valid),
      .act_o(r_act),
      .pre_valid_o(r_pre_valid),
      .pre_bank_o(r_pre_bank),
      .col_valid_o(rd),
      .col_idx_o(r_col_idx),
      .col_o(r_place),
      .col_take_i(rd),
      .open_i(act_gnt_i),
      .open_at_i(act_o),
      .close_i(closing_banks),
      .pending_o(r_pending),
      .hits_o(r_hits),
      .any_o(r_any),
      .any_go_o(r_go),
      .aged_o(),
      .row_open_o(r_open),
      .row_ready_o(r_ready)
  );
  hbm_queue #(
      .Entries  (WrEntries),
      .Overwrite(1'b1)
  ) u_wq (
      .clk_i,
      .rst_ni,
      .put_valid_i(wq_valid),
      .put_ready_o(wq_ready),
      .put_i(wq_place),
      .put_hit_i(open[wq_place.block.bank] && wr_row == wq_place.block.row),
      .put_idx_o(wq_idx),
      .put_new_o(),
      .put_over_o(wq_over),
      .find_valid_i(rb_valid),
      .find_i(rb_place),
      .find_o(conflict),
      .peek_idx_i(ask_place[PlaceW-1:3]),
      .peek_o(ask_block),
      .act_ok_i(w_act_ok),
      .pre_ok_i(w_pre_ok),
      .col_ok_i(wr_ok & ~block_col),
      .group_ok_i(go && writing ? wr_group_ok : '0),
      .burst_ok_i(full),
      .age_tick_i(w_age_tick),
      .last_group_i(last_group_q),
      .act_valid_o(w_act_valid),
      .act_o(w_act),
      .pre_valid_o(w_pre_valid),
      .pre_bank_o(w_pre_bank),
      .col_valid_o(wr),
      .col_idx_o(w_col_idx),
      .col_o(w_place),
      .col_take_i(wr),
      .open_i(act_gnt_i),
      .open_at_i(act_o),
      .close_i(closing_banks),
      .pending_o(w_pending),
      .hits_o(w_hits),
      .any_o(w_any),
      .any_go_o(w_go),
      .aged_o(w_aged),
      .row_open_o(w_open),
      .row_ready_o(w_ready_row)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) last_group_q <= '0;
    else if (rd) last_group_q <= r_place.block.bank[5:3];
    else if (wr) last_group_q <= w_place.block.bank[5:3];
  end

  // ----------------------------------------------------------------------------------------- banks
  logic [BankW-1:0] col_bank;
  row_op_e row_op;
  assign col_bank = rd ? r_place.block.bank : w_place.block.bank;
  assign row_op   = row_gnt_i ? row_op_o : RowNone;
  always_comb begin
    closing_banks = '0;
    if (row_op == RowPre) closing_banks = Banks'(1) << row_bank_o;
    if (row_op == RowPreA) closing_banks = '1;
  end
  hbm_banks #(
      .SecondCk(SecondCk)
  ) u_banks (
      .clk_i,
      .rst_ni,
      .cfg_i,
      .act_i(act_gnt_i),
      .act_at_i(act_o),
      .row_op_i(row_op),
      .row_bank_i(row_bank_o),
      .row_late_i,
      .rd_i(rd),
      .wr_i(wr),
      .col_bank_i(col_bank),
      .look0_bank_i(rq_place.block.bank),
      .look0_row_o(rd_row),
      .look1_bank_i(wq_place.block.bank),
      .look1_row_o(wr_row),
      .open_o(open),
      .idle_ok_o(idle_ok),
      .act_ok_o(act_ok),
      .ref_ok_o(ref_ok),
      .all_ok_o(all_ok),
      .pre_ok_o(pre_ok),
      .prea_ok_o(prea_ok),
      .rd_ok_o(rd_ok),
      .wr_ok_o(wr_ok),
      .rd_group_ok_o(rd_group_ok),
      .wr_group_ok_o(wr_group_ok),
      .rd_turned_o(rd_turned),
      .wr_turned_o(wr_turned)
  );

  // Closed by a refresh that still lasts.
  logic [Banks-1:0] refreshing_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) refreshing_q <= '0;
    else
      refreshing_q <= (refreshing_q & ~idle_ok) |
          (row_op inside {RowRefPb, RowRfmPb} ? Banks'(1) << row_bank_o : row_op inside {RowRefAb, RowRfmAb} ? '1 : '0);
  end

  // --------------------------------------------------------------------------------------- refresh
  row_op_e ref_op;
  logic [BankW-1:0] ref_bank;
  logic ref_press, ref_done, overdue;
  logic [Banks-1:0] pending, touched;
  assign pending = r_pending | w_pending;
  assign touched = (act_gnt_i ? Banks'(1) << act_o.bank : '0) | (rd || wr ? Banks'(1) << col_bank : '0);
  hbm_refresh u_refresh (
      .clk_i,
      .rst_ni,
      .cfg_i,
      .temperature_i,
      .run_i(run_i && sleep_q != StAsleep),
      .pending_i(pending),
      .hits_i(writing ? w_hits : r_hits),
      .ref_ok_i(ref_ok),
      .pre_ok_i(pre_ok),
      .all_ok_i(all_ok),
      .prea_ok_i(prea_ok),
      .open_i(open),
      .touched_i(touched),
      .act_i(act_gnt_i),
      .act_bank_i(act_o.bank),
      .op_o(ref_op),
      .bank_o(ref_bank),
      .pressing_o(ref_press),
      .done_i(ref_done),
      .block_act_o(block_act),
      .block_col_o(block_col),
      .overdue_o(overdue)
  );

  // -------------------------------------------------------------------------------------- row bus
  // A bank that nobody asks for is closed after a while.
  logic [7:0] idle_cnt_q;
  logic idle_tick;
  logic [Banks-1:0] rest_q, stale_q, stale;  // untouched since the last, the last but one tick
  assign idle_tick = cfg_i.idle_pre != '0 && idle_cnt_q == '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      idle_cnt_q <= '0;
      rest_q     <= '0;
      stale_q    <= '0;
    end else begin
      idle_cnt_q <= idle_cnt_q == '0 ? cfg_i.idle_pre - 8'd1 : idle_cnt_q - 8'd1;
      rest_q     <= (idle_tick ? open : rest_q) & open & ~touched & ~pending;
      stale_q    <= (idle_tick ? rest_q : stale_q) & open & ~touched & ~pending;
    end
  end
  assign stale = cfg_i.idle_pre != '0 ? stale_q & pre_ok & ~pending : '0;

  logic first_act, first_pre;
  logic [BankW-1:0] pre_bank;
  assign first_act = writing ? w_act_valid : r_act_valid;
  assign first_pre = writing ? w_pre_valid : r_pre_valid;
  always_comb begin
    act_o       = writing == first_act ? w_act : r_act;
    act_valid_o = r_act_valid || w_act_valid;
    pre_bank    = writing == first_pre ? w_pre_bank : r_pre_bank;
    row_op_o    = RowNone;
    row_bank_o  = pre_bank;
    row_press_o = 1'b0;
    ref_done    = 1'b0;
    if (sleep_q == StClosing && closing) begin
      if (open != '0) row_op_o = prea_ok ? RowPreA : RowNone;
      else if (all_ok) row_op_o = RowSelfEnter;
    end else if (sleep_q == StWaking) begin
      row_op_o = RowSelfExit;
    end else if (ref_op != RowNone && ref_press) begin
      row_op_o    = ref_op;
      row_bank_o  = ref_bank;
      row_press_o = 1'b1;
      ref_done    = row_gnt_i;
    end else if (r_pre_valid || w_pre_valid) begin
      row_op_o = RowPre;
    end else if (ref_op != RowNone) begin
      row_op_o   = ref_op;
      row_bank_o = ref_bank;
      ref_done   = row_gnt_i;
    end else if (stale != '0) begin
      row_op_o   = RowPre;
      row_bank_o = number_of(lowest_bank(stale));
    end
    if (!run_i || quiet_i || sleep_q == StAsleep) row_op_o = RowNone;
    if (row_op_o != RowNone && row_op_o != RowPre) act_valid_o = 1'b0;
  end

  assign closing = !r_any && !w_any && !rb_valid && !wb_valid && !ask_valid && flight_empty && !fix_valid;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sleep_q <= StAwake;
    else begin
      unique case (sleep_q)
        StAwake:  if (cfg_i.self_refresh && run_i) sleep_q <= StClosing;
        StClosing: begin
          if (row_op == RowSelfEnter) sleep_q <= StAsleep;
          else if (!cfg_i.self_refresh) sleep_q <= StAwake;
        end
        StAsleep: if (!cfg_i.self_refresh) sleep_q <= StWaking;
        StWaking: if (row_gnt_i) sleep_q <= StAwake;
        default:  sleep_q <= StAwake;
      endcase
    end
  end

  // ------------------------------------------------------------------------------- drains and ages
  logic [11:0] age_q;
  logic [ 3:0] w_age_q;  // nobody waits for a write: they age 16 times slower
  logic start_drain, rob_idle;
  hbm_drain #(
      .Bursts(WrEntries * 8)
  ) u_drain (
      .clk_i,
      .rst_ni,
      .cfg_i,
      .read_any_i(r_any),
      .read_stuck_i((r_pending & ~refreshing_q) == '0),
      .read_busy_i(!rob_idle || rb_valid || ask_valid),
      .rd_i(rd),
      .put_i(wq_valid && wq_ready && !wq_over),
      .write_any_i(w_go),
      .write_stuck_i((w_pending & ~refreshing_q) == '0),
      .write_aged_i(w_aged),
      .write_full_i(wb_put && buf_ready && !wq_ready),
      .conflict_i(rb_valid && conflict),
      .flush_i(sleep_q == StClosing),
      .wr_i(wr),
      .writing_o(writing),
      .prepare_o(early_w),
      .start_o(start_drain)
  );
  assign age_tick   = age_q == '0;
  assign w_age_tick = age_tick && w_age_q == '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      age_q   <= '0;
      w_age_q <= '0;
    end else begin
      age_q <= age_tick ? {cfg_i.age_epoch, 4'd0} : age_q - 1'b1;
      if (age_tick) w_age_q <= w_age_q + 1'b1;
    end
  end

  // ---------------------------------------------------------------------------------- column command
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) col_o <= '0;
    else begin
      col_o.valid <= rd || wr;
      col_o.write <= wr;
      col_o.bank  <= col_bank;
      col_o.col   <= rd ? {r_place.block.blk, r_place.burst} : {w_place.block.blk, w_place.burst};
    end
  end

  // ------------------------------------------------------------------------------------ write data
  logic [255:0] taken;
  logic poison;
  hbm_write_buffer #(
      .Entries(WrEntries)
  ) u_buffer (
      .clk_i,
      .rst_ni,
      .put_i(wq_valid && wq_ready),
      .put_ready_o(buf_ready),
      .put_place_i({wq_idx, wq_place.burst}),
      .put_over_i(wq_over),
      .put_data_i(wq_data),
      .put_strb_i(wq_strb),
      .ask_valid_o(ask_valid),
      .ask_ready_i(ask_ready),
      .ask_place_o(ask_place),
      .old_valid_i(old_valid),
      .old_place_i(ret_tag.index[PlaceW-1:0]),
      .old_data_i(fixed),
      .old_bad_i(ret_bad),
      .full_o(full),
      .take_i(wr),
      .take_place_i({w_col_idx, w_place.burst}),
      .taken_data_o(taken),
      .taken_poison_o(poison)
  );
  hbm_write_path u_write_path (
      .clk_i,
      .rst_ni,
      .cfg_i,
      .take_i  (wr),
      .place_i (w_place),
      .data_i  (taken),
      .poison_i(poison),
      .wdata_valid_o,
      .wdata_o
  );

  // ----------------------------------------------------------------------------------------- return
  word_t  ret_word;
  check_t syndrome;
  hbm_flight #(
      .tag_t (tag_t),
      .Places(RdEntries * 8)
  ) u_flight (
      .clk_i,
      .rst_ni,
      .put_i(rq_valid && rq_ready),
      .put_at_i({rq_idx, rq_place.burst}),
      .put_tag_i(rq_tag),
      .ready_o(flight_ready),
      .rd_i(rd),
      .rd_at_i({r_col_idx, r_place.burst}),
      .rd_place_i(r_place),
      .rdata_valid_i,
      .rdata_i,
      .valid_o(ret_valid),
      .tag_o(ret_tag),
      .place_o(ret_place),
      .word_o(ret_word),
      .syndrome_o(syndrome),
      .settled_o,
      .empty_o(flight_empty)
  );
  hbm_correct u_correct (
      .on_i(cfg_i.ecc_on),
      .word_i(ret_word),
      .syndrome_i(syndrome),
      .place_i(ret_place),
      .data_o(fixed),
      .corrected_o(ret_fixed),
      .bad_o(ret_bad)
  );
  assign fill_valid = ret_valid && ret_tag.purpose == ForAxi;
  assign old_valid = ret_valid && ret_tag.purpose == ForWrite;
  assign error_valid_o = ret_valid && ret_bad;
  assign error_place_o = ret_place;

  // The slot of a beat beyond the capacity, until its error is filled in.
  logic [SlotW-1:0] local_slot_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) local_q <= 1'b0;
    else local_q <= local_fill || (local_q && fill_valid);
  end
  always_ff @(posedge clk_i) if (local_fill) local_slot_q <= slot;
  hbm_rob #(
      .Slots(Slots),
      .IdW  (IdW)
  ) u_rob (
      .clk_i,
      .rst_ni,
      .alloc_valid_i(rb_valid && rb_ready),
      .alloc_ready_o(rob_ready),
      .alloc_id_i(rb_id),
      .alloc_last_i(rb_last),
      .alloc_slot_o(slot),
      .fill_valid_i(fill_valid || local_q),
      .fill_slot_i(fill_valid ? ret_tag.index[SlotW-1:0] : local_slot_q),
      .fill_data_i(fill_valid && !ret_bad ? fixed : '0),
      .fill_resp_i(!fill_valid ? RespDecErr : ret_bad ? RespSlvErr : RespOkay),
      .r_valid_o,
      .r_ready_i,
      .r_id_o,
      .r_data_o,
      .r_resp_o,
      .r_last_o,
      .idle_o(rob_idle)
  );

  // ----------------------------------------------------------------------------------------- scrub
  logic calm, scrub_back;
  assign calm       = !r_any && !rb_valid && !ask_valid && !writing && accept && go;
  assign scrub_back = ret_valid && ret_tag.purpose == ForScrub;
  hbm_scrub u_scrub (
      .clk_i,
      .rst_ni,
      .cfg_i,
      .calm_i(calm),
      .read_valid_o(scrub_valid),
      .read_ready_i(scrub_ready),
      .read_place_o(scrub_place),
      .back_i(scrub_back),
      .corrected_i(ret_valid && ret_fixed && ret_tag.purpose != ForWrite),
      .corrected_place_i(ret_place),
      .fix_valid_o(fix_valid),
      .fix_ready_i(fix_ready),
      .fix_place_o(fix_place)
  );

  // ---------------------------------------------------------------------------------------- events
  logic [Banks-1:0] first_q, wanted;  // activated, and not yet read or written
  logic queue_open, queue_ready, queue_any, turned;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) first_q <= '0;
    else
      first_q <= (first_q & ~(rd || wr ? Banks'(1) << col_bank : '0)) | (act_gnt_i ? Banks'(1) << act_o.bank : '0);
  end
  assign queue_open  = writing ? w_open : r_open;
  assign queue_ready = writing ? w_ready_row : r_ready;
  assign queue_any   = writing ? w_go : r_go;
  assign turned      = writing ? wr_turned : rd_turned;
  assign wanted      = writing ? w_pending : r_pending;
  always_comb begin
    event_o = '0;
    if (rd || wr) event_o.slot = SlotBurst;
    else if (!go) event_o.slot = SlotQuiet;
    else if (!queue_any)
      event_o.slot = r_any || w_go ? (writing || r_any ? SlotTurn : SlotHeld) : SlotEmpty;
    else if (!turned) event_o.slot = SlotTurn;
    else if (queue_ready) event_o.slot = SlotGroup;
    else if (queue_open) event_o.slot = SlotActivate;
    else if ((wanted & block_act) != '0 || (wanted & refreshing_q) == wanted)
      event_o.slot = SlotRefresh;
    else if ((wanted & idle_ok) != '0) event_o.slot = SlotWindow;
    else event_o.slot = SlotBank;
    event_o.act         = act_gnt_i;
    event_o.pre         = row_op inside {RowPre, RowPreA};
    event_o.rd          = rd;
    event_o.wr          = wr;
    event_o.ref_pb      = row_op == RowRefPb;
    event_o.ref_ab      = row_op == RowRefAb;
    event_o.rfm_pb      = row_op == RowRfmPb;
    event_o.row_miss    = (rd || wr) && first_q[col_bank];
    event_o.corrected   = ret_valid && ret_fixed;
    event_o.uncorrected = ret_valid && ret_bad;
    event_o.scrubbed    = scrub_back;
    event_o.rmw         = ask_valid && ask_ready;
    event_o.drain       = start_drain;
  end
  assign written_o = !w_any && !wb_valid && !w_valid;
  assign idle_o = closing && rob_idle && !local_q && !b_valid_o && sleep_q == StAwake;
  `ASSERT_NEVER(RefreshesInTime_A, overdue)
endmodule
