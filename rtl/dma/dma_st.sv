// SPDX-License-Identifier: Apache-2.0
// ST: scratchpad to HBM. Bursts of up to 8 beats, a beat a cycle a pseudo-channel; an instruction
// posts after its last write response. The AXI4 ID is the instruction's slot; up to four
// instructions overlap where they do not touch the same bytes. The host's single-beat writes share
// the channels between bursts (ID 16). Faults: bad_operand, misaligned, bad_hbm_addr,
// bad_spad_addr, axi_slverr, axi_decerr, parity.
`include "rtl/common/assert.svh"
module dma_st
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
    output logic                      rd_valid_o   [Pcs],
    output logic          [WordW-1:0] rd_word_o    [Pcs],
    input  logic                      rd_gnt_i     [Pcs],
    input  logic          [    255:0] rd_data_i    [Pcs],
    input  logic                      rd_bad_i     [Pcs],
    // memory ports
    output logic                      aw_valid_o   [Pcs],
    input  logic                      aw_ready_i   [Pcs],
    output axi_ax_t                   aw_o         [Pcs],
    output logic                      w_valid_o    [Pcs],
    input  logic                      w_ready_i    [Pcs],
    output axi_w_t                    w_o          [Pcs],
    input  logic                      b_valid_i    [Pcs],
    output logic                      b_ready_o    [Pcs],
    input  axi_b_t                    b_i          [Pcs],
    // host writes
    input  logic                      host_valid_i [Pcs],
    output logic                      host_ready_o [Pcs],
    input  logic          [     25:0] host_beat_i,
    input  logic          [    255:0] host_data_i,
    input  logic          [     31:0] host_strb_i,
    output logic                      host_bvalid_o,
    output logic          [      1:0] host_bresp_o,
    // status
    output logic                      busy_o,
    output logic                      axi_idle_o,          // no write is open
    output activity_e                 activity_o,
    output fault_t                    fault_o,
    output origin_t                   post_origin_o,
    // trace
    output retire_t                   retire_o
);
  // ----------------------------------------------------------------------------------------- begin
  check_t in;
  logic moves, gen_start_ready, slot_ready, accept, bad_now, faulted_q;
  logic [SlotW-1:0] slot;
  logic [63:0] lo, hi;
  assign in = check(instr_i, Pcs, SpadBytes);
  assign moves = instr_i.op == OpSt;
  // A fault is that of the first wrong instruction in issue order, so those before it end first.
  assign bad_now = instr_valid_i && moves && in.bad && !faulted_q && !stop_i && !busy_o;
  assign accept  = instr_valid_i && !faulted_q && !stop_i && slot_ready && (!moves || (!in.bad && gen_start_ready));
  assign instr_ready_o = accept;
  // Beats that may be written, channels taken together: wide, never too narrow (a stripe uses no
  // more beats than the run has).
  assign lo = 64'(in.transfer.beat);
  assign hi = 64'(in.transfer.beat) + 64'(in.transfer.n1) * 64'(in.transfer.hstep1) +
              64'(in.transfer.n2) * 64'(in.transfer.hstep2) + 64'(in.transfer.len);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) faulted_q <= 1'b0;
    else if (fault_o.valid) faulted_q <= 1'b1;
  end

  // ---------------------------------------------------------------------------------------- bursts
  logic b_valid, b_ready, b_last, gen_busy, gen_bad;
  burst_t             burst;
  logic   [SlotW-1:0] gen_bad_slot;
  logic   [     31:0] gen_bad_addr;
  logic               close        [Pcs];
  logic [SlotW-1:0] close_slot[Pcs], read_slot[Pcs];
  origin_t origin[Slots];
  logic slots_busy;
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
      .NumClose(Pcs)
  ) u_slots (
      .clk_i,
      .rst_ni,
      .stop_i(stop_i || faulted_q),
      .begin_valid_i(accept),
      .begin_ready_o(slot_ready),
      .begin_i(instr_i),
      .begin_moves_i(moves),
      .begin_lo_i(lo),
      .begin_hi_i(hi),
      .begin_slot_o(slot),
      .open_i(b_valid && b_ready),
      .open_slot_i(burst.slot),
      .open_count_i(4'd1),
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

  logic [Pcs-1:0] q_ready, host_b, open, bfault, bdec, lost, moving, bad_word;
  assign b_ready = q_ready[burst.pc[$clog2(Pcs>1?Pcs : 2)-1:0]];

  for (genvar p = 0; p < Pcs; p++) begin : gen_pc
    burst_t q;
    logic q_valid, q_pop, q_in_ready, aw_valid, aw_ready, host_open_q;
    logic       aw_done_q;  // this burst's address is on its way
    logic [3:0] asked_q;  // beats of this burst requested from the scratchpad
    logic gnt_q, last_q;
    logic [2:0] w_used_q;  // W entries asked for and not yet sent
    logic w_in_valid, w_in_ready, wf_valid, wf_ready, host_take;
    axi_w_t w_in, wf;
    axi_ax_t        aw;
    logic           b_valid_s;
    axi_b_t         b;
    logic    [18:0] open_q;  // writes without a response

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
    assign read_slot[p] = q.slot;

    // The host's write goes between two bursts: address and data together.
    assign host_take = host_valid_i[p] && !host_open_q && !aw_done_q && asked_q == '0 && !gnt_q && aw_ready && w_used_q == '0;
    assign host_ready_o[p] = host_take;
    assign aw_valid = host_take || (q_valid && !aw_done_q && !(host_valid_i[p] && !host_open_q && asked_q == '0));
    assign aw = host_take ?
        '{id: 5'd16, addr: MemAddrW'({host_beat_i, 5'b0}), len: 8'd0}
        : '{id: {3'b0, q.slot}, addr: MemAddrW'({q.beat, 5'b0}), len: 8'(q.beats) - 8'd1};
    // A beat is asked for when its burst's address has gone, and the W entries have room.
    assign rd_valid_o[p] = q_valid && aw_done_q && asked_q != q.beats && w_used_q != 3'd4;
    assign rd_word_o[p] = q.word[WordW-1:0] + WordW'(asked_q);
    assign lost[p] = rd_valid_o[p] && !rd_gnt_i[p];
    assign moving[p] = w_valid_o[p] && w_ready_i[p];
    assign q_pop = rd_valid_o[p] && rd_gnt_i[p] && asked_q == q.beats - 4'd1;
    assign bad_word[p] = gnt_q && rd_bad_i[p];

    assign w_in_valid = gnt_q || host_take;
    assign w_in = host_take ?
        '{data: host_data_i, strb: host_strb_i, last: 1'b1}
        : '{data: rd_data_i[p], strb: '1, last: last_q};
    common_fifo #(
        .data_t(axi_w_t),
        .Depth (4)
    ) u_wf (
        .clk_i,
        .rst_ni,
        .in_valid_i(w_in_valid),
        .in_ready_o(w_in_ready),
        .in_i(w_in),
        .out_valid_o(wf_valid),
        .out_ready_i(wf_ready),
        .out_o(wf),
        .count_o()
    );
    common_spill #(
        .data_t(axi_w_t)
    ) u_w (
        .clk_i,
        .rst_ni,
        .in_valid_i(wf_valid),
        .in_ready_o(wf_ready),
        .in_i(wf),
        .out_valid_o(w_valid_o[p]),
        .out_ready_i(w_ready_i[p]),
        .out_o(w_o[p])
    );
    common_spill #(
        .data_t(axi_ax_t)
    ) u_aw (
        .clk_i,
        .rst_ni,
        .in_valid_i(aw_valid),
        .in_ready_o(aw_ready),
        .in_i(aw),
        .out_valid_o(aw_valid_o[p]),
        .out_ready_i(aw_ready_i[p]),
        .out_o(aw_o[p])
    );
    common_spill #(
        .data_t(axi_b_t)
    ) u_b (
        .clk_i,
        .rst_ni,
        .in_valid_i(b_valid_i[p]),
        .in_ready_o(b_ready_o[p]),
        .in_i(b_i[p]),
        .out_valid_o(b_valid_s),
        .out_ready_i(1'b1),
        .out_o(b)
    );

    assign close[p]      = b_valid_s && !b.id[4];
    assign close_slot[p] = b.id[SlotW-1:0];
    assign bfault[p]     = close[p] && b.resp[1];
    assign bdec[p]       = b.resp[0];
    assign host_b[p]     = b_valid_s && b.id[4];
    assign open[p]       = open_q != '0 || host_open_q || q_valid;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        aw_done_q   <= 1'b0;
        asked_q     <= '0;
        gnt_q       <= 1'b0;
        w_used_q    <= '0;
        host_open_q <= 1'b0;
        open_q      <= '0;
      end else begin
        gnt_q <= rd_gnt_i[p];
        if (q_pop) begin
          aw_done_q <= 1'b0;
          asked_q   <= '0;
        end else begin
          if (aw_valid && aw_ready && !host_take) aw_done_q <= 1'b1;
          if (rd_gnt_i[p]) asked_q <= asked_q + 4'd1;
        end
        if ((rd_gnt_i[p] || host_take) && !(wf_valid && wf_ready)) w_used_q <= w_used_q + 3'd1;
        if (!(rd_gnt_i[p] || host_take) && wf_valid && wf_ready) w_used_q <= w_used_q - 3'd1;
        if (host_take) host_open_q <= 1'b1;
        else if (host_b[p]) host_open_q <= 1'b0;
        if (aw_valid && aw_ready && !host_take && !close[p]) open_q <= open_q + 19'd1;
        if (!(aw_valid && aw_ready && !host_take) && close[p]) open_q <= open_q - 19'd1;
      end
    end
    always_ff @(posedge clk_i) last_q <= asked_q == q.beats - 4'd1;
    `ASSERT_NEVER(WNeverDropped_A, w_in_valid && !w_in_ready)
    `ASSERT_NEVER(ResponseOfOpenWriteOnly_A, b_valid_s && (b.id[4] ? !host_open_q : open_q == '0))
  end

  logic [1:0] host_s[Pcs];
  for (genvar p = 0; p < Pcs; p++) begin : gen_host
    assign host_s[p] = gen_pc[p].b.resp;
  end
  always_comb begin
    host_bvalid_o = host_b != '0;
    host_bresp_o  = '0;
    for (int unsigned p = 0; p < Pcs; p++) if (host_b[p]) host_bresp_o = host_s[p];
  end

  // A parity error is seen a cycle after the grant; the word's burst may have left the queue by
  // then.
  logic [SlotW-1:0] word_slot_q[Pcs];
  always_ff @(posedge clk_i) for (int unsigned p = 0; p < Pcs; p++) word_slot_q[p] <= read_slot[p];
  always_comb begin
    fault_o = '0;
    if (bad_now) begin
      fault_o = '{
          valid: 1'b1,
          cause: in.cause,
          engine: EngSt,
          origin: '{thread: instr_i.thread, pc: instr_i.pc},
          addr: in.addr
      };
    end
    if (gen_bad) begin
      fault_o = '{
          valid: 1'b1,
          cause: CauseBadHbmAddr,
          engine: EngSt,
          origin: origin[gen_bad_slot],
          addr: gen_bad_addr
      };
    end
    for (int unsigned p = 0; p < Pcs; p++) begin
      if (bad_word[p])
        fault_o = '{
            valid: 1'b1,
            cause: CauseParity,
            engine: EngSt,
            origin: origin[word_slot_q[p]],
            addr: '0
        };
      if (bfault[p]) begin
        fault_o = '{
            valid: 1'b1,
            cause: CauseAxiSlverr,
            engine: EngSt,
            origin: origin[close_slot[p]],
            addr: 32'(p)
        };
        if (bdec[p]) fault_o.cause = CauseAxiDecerr;
      end
    end
  end

  assign busy_o     = slots_busy || gen_busy;
  assign axi_idle_o = open == '0;
  always_comb begin
    if (moving != '0) activity_o = ActBusy;
    else if (lost != '0) activity_o = ActWaitSpad;
    else if (busy_o) activity_o = ActWaitMem;
    else activity_o = ActIdle;
  end
endmodule
