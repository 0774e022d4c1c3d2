// SPDX-License-Identifier: Apache-2.0
// LD: HBM to scratchpad. Bursts of up to 8 beats, up to 16 open a pseudo-channel, data taken in any
// order between bursts, a beat a cycle a channel; up to four instructions overlap. A channel has
// two write lanes, so a beat that loses a bank does not hold up the one behind it. The host's
// single-beat reads share the read channels (ID 16). Faults: bad_operand, misaligned, bad_hbm_addr,
// bad_spad_addr, axi_slverr, axi_decerr.
`include "rtl/common/assert.svh"
module dma_ld
  import tepin_pkg::*;
  import tepin_isa_pkg::*;
  import dma_pkg::*;
#(
    parameter int unsigned Pcs = 2,
    parameter int unsigned SpadBytes = 131072,
    parameter int unsigned HbmBeats = 16777216,
    localparam int unsigned WordW = $clog2(SpadBytes / 32)
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    input  logic                      stop_i,
    // instruction
    input  logic                      instr_valid_i,
    output logic                      instr_ready_o,
    input  engine_instr_t             instr_i,
    // posts
    output logic                      post_valid_o,
    output sem_op_t                   post_o,
    input  logic                      post_ready_i,
    // scratchpad
    output logic                      wr_valid_o   [Pcs*2],
    output logic          [WordW-1:0] wr_word_o    [Pcs*2],
    output logic          [    255:0] wr_data_o    [Pcs*2],
    input  logic                      wr_gnt_i     [Pcs*2],
    // memory ports
    output logic                      ar_valid_o   [  Pcs],
    input  logic                      ar_ready_i   [  Pcs],
    output axi_ax_t                   ar_o         [  Pcs],
    input  logic                      r_valid_i    [  Pcs],
    output logic                      r_ready_o    [  Pcs],
    input  axi_r_t                    r_i          [  Pcs],
    // host reads
    input  logic                      host_valid_i [  Pcs],
    output logic                      host_ready_o [  Pcs],
    input  logic          [     25:0] host_beat_i,
    output logic                      host_rvalid_o,
    output logic          [    255:0] host_rdata_o,
    output logic          [      1:0] host_rresp_o,
    // status
    output logic                      busy_o,
    output logic                      axi_idle_o,            // no read is open
    output activity_e                 activity_o,
    output fault_t                    fault_o,
    output origin_t                   post_origin_o,
    // trace
    output retire_t                   retire_o,
    output logic          [SlotW-1:0] wr_slot_o    [Pcs*2]
);
  localparam int unsigned Ids = 16;

  // ----------------------------------------------------------------------------------------- begin
  check_t in;
  logic moves, gen_start_ready, slot_ready, accept, bad_now, faulted_q;
  logic [SlotW-1:0] slot;
  assign in = check(instr_i, Pcs, SpadBytes);
  assign moves = instr_i.op == OpLd;
  // A fault is that of the first wrong instruction in issue order, so those before it end first.
  assign bad_now = instr_valid_i && moves && in.bad && !faulted_q && !stop_i && !busy_o;
  assign accept  = instr_valid_i && !faulted_q && !stop_i && slot_ready && (!moves || (!in.bad && gen_start_ready));
  assign instr_ready_o = accept;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) faulted_q <= 1'b0;
    else if (fault_o.valid) faulted_q <= 1'b1;
  end

  // ---------------------------------------------------------------------------------------- bursts
  logic b_valid, b_ready, b_last, gen_busy, gen_bad;
  burst_t              burst;
  logic    [SlotW-1:0] gen_bad_slot;
  logic    [     31:0] gen_bad_addr;
  logic                close        [Pcs*2];
  logic    [SlotW-1:0] close_slot   [Pcs*2];
  origin_t             origin       [Slots];
  logic                slots_busy;
  dma_gen #(
      .HbmBeats(HbmBeats)
  ) u_gen (
      .clk_i,
      .rst_ni,
      .stop_i(stop_i || faulted_q),
      .start_valid_i(accept && moves),
      .start_ready_o(gen_start_ready),
      .start_i(in.transfer),
      .start_slot_i(slot),
      .burst_valid_o(b_valid),
      .burst_ready_i(b_ready),
      .burst_o(burst),
      .last_o(b_last),
      .busy_o(gen_busy),
      .bad_o(gen_bad),
      .bad_slot_o(gen_bad_slot),
      .bad_addr_o(gen_bad_addr)
  );
  dma_slots #(
      .NumClose(Pcs * 2)
  ) u_slots (
      .clk_i,
      .rst_ni,
      .stop_i(stop_i || faulted_q),
      .begin_valid_i(accept),
      .begin_ready_o(slot_ready),
      .begin_i(instr_i),
      .begin_moves_i(moves),
      .begin_lo_i(64'(in.box_lo)),
      .begin_hi_i(64'(in.box_hi)),
      .begin_slot_o(slot),
      .open_i(b_valid && b_ready),
      .open_slot_i(burst.slot),
      .open_count_i(burst.beats),
      .open_last_i(b_last),
      .close_i(close),
      .close_slot_i(close_slot),
      .post_valid_o,
      .post_o,
      .post_ready_i,
      .origin_o(origin),
      .busy_o(slots_busy),
      .retire_o
  );
  assign post_origin_o = retire_o.origin;

  logic [SlotW-1:0] rslot[Pcs];
  logic [Pcs-1:0] q_ready, host_r, ids_busy, rfault, lost;
  assign b_ready = q_ready[burst.pc[$clog2(Pcs>1?Pcs : 2)-1:0]];

  for (genvar p = 0; p < Pcs; p++) begin : gen_pc
    logic q_valid, q_pop, ar_ready, ar_valid, r_valid, r_ready, host_open_q;
    burst_t              q;
    axi_ax_t             ar;
    axi_r_t              r;
    logic    [  Ids-1:0] busy_q;
    logic    [WordW-1:0] word_q [Ids];
    logic    [SlotW-1:0] slot_q [Ids];
    logic    [      3:0] free;
    logic has_free, beat_done;
    logic q_in_ready;

    common_fifo #(
        .data_t(burst_t),
        .Depth (4)
    ) u_q (
        .clk_i,
        .rst_ni,
        .in_valid_i(b_valid && 32'(burst.pc) == p),
        .in_ready_o(q_in_ready),
        .in_i(burst),
        .out_valid_o(q_valid),
        .out_ready_i(q_pop),
        .out_o(q),
        .count_o()
    );
    assign q_ready[p] = q_in_ready;

    always_comb begin
      has_free = 1'b0;
      free     = '0;
      for (int unsigned i = 0; i < Ids; i++)
      if (!has_free && !busy_q[i]) begin
        has_free = 1'b1;
        free     = 4'(i);
      end
      // The host goes first: it has one read at a time.
      if (host_valid_i[p] && !host_open_q) begin
        ar_valid = 1'b1;
        ar       = '{id: 5'd16, addr: MemAddrW'({host_beat_i, 5'b0}), len: 8'd0};
      end else begin
        ar_valid = q_valid && has_free;
        ar       = '{id: {1'b0, free}, addr: MemAddrW'({q.beat, 5'b0}), len: 8'(q.beats) - 8'd1};
      end
    end
    assign host_ready_o[p] = host_valid_i[p] && !host_open_q && ar_ready;
    assign q_pop           = q_valid && has_free && ar_ready && !(host_valid_i[p] && !host_open_q);

    common_spill #(
        .data_t(axi_ax_t)
    ) u_ar (
        .clk_i,
        .rst_ni,
        .in_valid_i(ar_valid),
        .in_ready_o(ar_ready),
        .in_i(ar),
        .out_valid_o(ar_valid_o[p]),
        .out_ready_i(ar_ready_i[p]),
        .out_o(ar_o[p])
    );
    common_spill #(
        .data_t(axi_r_t)
    ) u_r (
        .clk_i,
        .rst_ni,
        .in_valid_i(r_valid_i[p]),
        .in_ready_o(r_ready_o[p]),
        .in_i(r_i[p]),
        .out_valid_o(r_valid),
        .out_ready_i(r_ready),
        .out_o(r)
    );

    // Two beats wait for their banks at most; a third waits in the port's buffer.
    logic [1:0] put, hold_q;
    logic [WordW-1:0] hold_word_q[2];
    logic [    255:0] hold_data_q[2];
    logic [SlotW-1:0] hold_slot_q[2];
    assign put[0]    = beat_done && (!hold_q[0] || wr_gnt_i[2*p]);
    assign put[1]    = beat_done && !put[0];
    assign r_ready   = r.id[4] || !hold_q[0] || wr_gnt_i[2*p] || !hold_q[1] || wr_gnt_i[2*p+1];
    assign beat_done = r_valid && r_ready && !r.id[4];
    assign rfault[p] = beat_done && r.resp[1];
    assign rslot[p]  = slot_q[r.id[3:0]];
    assign host_r[p] = r_valid && r.id[4];
    assign lost[p]   = (hold_q & ~{wr_gnt_i[2*p+1], wr_gnt_i[2*p]}) != '0;
    assign ids_busy[p] = busy_q != '0 || host_open_q || q_valid;
    for (genvar l = 0; l < 2; l++) begin : gen_lane
      assign wr_valid_o[2*p+l] = hold_q[l];
      assign wr_word_o[2*p+l]  = hold_word_q[l];
      assign wr_data_o[2*p+l]  = hold_data_q[l];
      assign wr_slot_o[2*p+l]  = hold_slot_q[l];
      assign close[2*p+l]      = hold_q[l] && wr_gnt_i[2*p+l];
      assign close_slot[2*p+l] = hold_slot_q[l];
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) hold_q[l] <= 1'b0;
        else if (put[l]) hold_q[l] <= 1'b1;
        else if (wr_gnt_i[2*p+l]) hold_q[l] <= 1'b0;
      end
      always_ff @(posedge clk_i) begin
        if (put[l]) begin
          hold_word_q[l] <= word_q[r.id[3:0]];
          hold_data_q[l] <= r.data;
          hold_slot_q[l] <= slot_q[r.id[3:0]];
        end
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        busy_q      <= '0;
        host_open_q <= 1'b0;
      end else begin
        if (q_pop) busy_q[free] <= 1'b1;
        if (beat_done && r.last) busy_q[r.id[3:0]] <= 1'b0;
        if (host_ready_o[p]) host_open_q <= 1'b1;
        else if (host_r[p]) host_open_q <= 1'b0;
      end
    end
    always_ff @(posedge clk_i) begin
      if (beat_done) word_q[r.id[3:0]] <= word_q[r.id[3:0]] + 1'b1;
      if (q_pop) begin
        word_q[free] <= q.word[WordW-1:0];
        slot_q[free] <= q.slot;
      end
    end
    `ASSERT_NEVER(DataOfOpenReadOnly_A, r_valid && (r.id[4] ? !host_open_q : !busy_q[r.id[3:0]]))
  end

  // One host read is open at a time, so the channel that answers has the answer.
  logic [Pcs-1:0] rdec;
  logic [  255:0] host_d[Pcs];
  logic [    1:0] host_s[Pcs];
  for (genvar p = 0; p < Pcs; p++) begin : gen_host
    assign host_d[p] = gen_pc[p].r.data;
    assign host_s[p] = gen_pc[p].r.resp;
    assign rdec[p]   = gen_pc[p].r.resp[0];
  end
  always_comb begin
    host_rvalid_o = 1'b0;
    host_rdata_o  = host_d[0];
    host_rresp_o  = host_s[0];
    for (int unsigned p = 0; p < Pcs; p++)
    if (host_r[p]) begin
      host_rvalid_o = 1'b1;
      host_rdata_o  = host_d[p];
      host_rresp_o  = host_s[p];
    end
  end

  always_comb begin
    fault_o = '0;
    if (bad_now) begin
      fault_o = '{
          valid: 1'b1,
          cause: in.cause,
          engine: EngLd,
          origin: '{thread: instr_i.thread, pc: instr_i.pc},
          addr: in.addr
      };
    end
    if (gen_bad) begin
      fault_o = '{
          valid: 1'b1,
          cause: CauseBadHbmAddr,
          engine: EngLd,
          origin: origin[gen_bad_slot],
          addr: gen_bad_addr
      };
    end
    for (int unsigned p = 0; p < Pcs; p++)
    if (rfault[p]) begin
      fault_o = '{
          valid: 1'b1,
          cause: CauseAxiSlverr,
          engine: EngLd,
          origin: origin[rslot[p]],
          addr: 32'(p)
      };
      if (rdec[p]) fault_o.cause = CauseAxiDecerr;
    end
  end

  assign busy_o     = slots_busy || gen_busy;
  assign axi_idle_o = ids_busy == '0;
  always_comb begin
    if (!busy_o) activity_o = ActIdle;
    else begin
      activity_o = lost != '0 ? ActWaitSpad : ActWaitMem;
      for (int unsigned l = 0; l < Pcs * 2; l++) if (close[l]) activity_o = ActBusy;
    end
  end
endmodule
