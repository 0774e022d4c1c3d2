// SPDX-License-Identifier: Apache-2.0
// Sequencer: four threads that share one execute unit. Fetch takes two cycles, execution one (more
// for an engine instruction, which reads two registers a cycle, for lw/sw, and for posts); a thread
// has one instruction at a time, so alone it runs one every three cycles, four threads together one
// a cycle. A thread that waits for a semaphore or for room in a queue does not hold the execute
// unit. Faults: illegal_instr, loop_depth, bad_pc, misaligned, bad_spad_addr, parity (lw), and
// those of the semaphores.
`include "rtl/common/assert.svh"
module seq
  import tepin_pkg::*;
  import tepin_isa_pkg::*;
#(
    parameter int unsigned ImemInstrs = 4096,
    parameter int unsigned Sems = 64,
    parameter int unsigned SpadBytes = 131072
) (
    input logic clk_i,
    input logic rst_ni,
    // control
    input logic start_i,  // pulse: threads of entry_valid_i begin
    input logic entry_valid_i[4],
    input logic [15:0] entry_i[4],
    input logic stop_i,  // a fault: nothing more starts
    input logic drain_i,  // no thread begins an instruction
    input logic [3:0] step_i,  // thread stops after each instruction
    input logic [3:0] bp_valid_i,  // thread stops before the instruction at bp_pc_i
    input logic [15:0] bp_pc_i[4],
    input logic [3:0] resume_i,  // pulse: a stopped thread goes on
    // instruction memory, host side (while no thread runs)
    input logic imem_we_i,
    input logic [15:0] imem_addr_i,  // instruction
    input logic [127:0] imem_wdata_i,
    input logic imem_re_i,
    output logic [127:0] imem_rdata_o,  // the cycle after imem_re_i
    // what tid reads
    input noc_pkg::coord_t at_i,
    input noc_pkg::coord_t last_i,
    // engine queues LD, ST, MXU, VPU, NET
    output logic [4:0] push_o,
    input logic [4:0] room_i,
    output engine_instr_t instr_o,
    // semaphores
    output logic wait_valid_o,
    output sem_op_t wait_o,
    input logic wait_gnt_i,
    output logic post_valid_o,
    output sem_op_t post_o,
    input logic post_ready_i,
    // scratchpad, one word lane a direction
    output logic rd_valid_o,
    output logic [$clog2(SpadBytes/32)-1:0] word_o,
    input logic rd_gnt_i,
    input logic [255:0] rd_data_i,
    input logic rd_bad_i,
    output logic wr_valid_o,
    output logic [31:0] wr_strb_o,
    output logic [255:0] wr_data_o,
    input logic wr_gnt_i,
    // status
    output logic [3:0] active_o,  // started and not halted
    output logic [3:0] waiting_o,  // blocked on a semaphore or a full queue
    output logic [3:0] waits_sem_o,  // blocked on a semaphore
    output logic [3:0] stopped_o,  // by drain, breakpoint or step
    output logic [15:0] pc_o[4],
    output logic [127:0] ir_o[4],
    output activity_e activity_o[4],
    output fault_t fault_o,
    output origin_t exec_o,  // who owns the execute unit (for faults of its posts)
    // trace
    output retire_t retire_o,
    output logic wb_valid_o,  // the retired instruction wrote a register
    output logic [4:0] wb_reg_o,
    output logic [31:0] wb_value_o,
    output logic marker_valid_o,
    output logic [31:0] marker_id_o,
    output logic [31:0] marker_value_o
);
  localparam int unsigned ImemW = $clog2(ImemInstrs);

  typedef enum logic [2:0] {
    ThOff,     // not started, or halted
    ThFetch,   // wants the instruction at pc
    ThLatch,   // instruction memory answers this cycle
    ThReady,   // instruction in ir, not yet executed
    ThStopped  // held before the instruction at pc
  } thread_e;
  typedef enum logic [2:0] {
    ExPick,   // chooses a thread
    ExArgs,   // reads an engine instruction's registers
    ExPush,   // pushes it
    ExLoad,   // lw: waits for the grant
    ExData,   // lw: data
    ExStore,  // sw: waits for the grant
    ExPost    // waits until its posts are accepted
  } exec_e;
  typedef struct packed {
    logic [15:0] start;
    logic [15:0] stop;
    logic [31:0] left;   // passes left, this one included
  } loop_t;

  // ----------------------------------------------------------------------------------------- state
  thread_e         th_q[4];
  logic    [ 15:0] pc_q[4];
  logic    [127:0] ir_q[4];
  logic [3:0] legal_q, is_engine_q;  // of ir_q
  logic [2:0] queue_q[4];  // of ir_q: which engine's queue
  logic [3:0] acquired_q, bp_skip_q;
  loop_t       loop_q [4] [4];
  logic  [2:0] depth_q[4];
  exec_e       ex_q;
  logic [1:0] cur_q, fetch_rr_q, exec_rr_q, sem_rr_q, lat_q;
  logic latch_q;
  logic [1:0] arg_q;
  logic [7:0][31:0] args_q;
  sem_op_t post_q;
  logic [31:0] regs_q[128];
  logic [127:0] reg_written_q;  // registers read 0 until written after a start
  (* ram_style = "block" *) logic [127:0] imem_q[ImemInstrs];
  logic [127:0] imem_rdata_q;

  // ----------------------------------------------------------------------------------------- fetch
  logic fetch_valid;
  logic [1:0] fetch_th;
  logic [3:0] hold;  // stop before the instruction at pc
  always_comb begin
    fetch_valid = 1'b0;
    fetch_th    = '0;
    for (int unsigned t = 0; t < 4; t++)
    hold[t] = drain_i || (bp_valid_i[t] && bp_pc_i[t] == pc_q[t] && !bp_skip_q[t]);
    for (int unsigned i = 1; i <= 4; i++) begin
      automatic logic [1:0] t = fetch_rr_q + 2'(i);
      if (!fetch_valid && th_q[t] == ThFetch && !hold[t] && !stop_i) begin
        fetch_valid = 1'b1;
        fetch_th    = t;
      end
    end
  end
  logic fetch_bad;
  assign fetch_bad = fetch_valid && 32'(pc_q[fetch_th]) >= ImemInstrs;

  always_ff @(posedge clk_i) begin
    if (imem_we_i) imem_q[imem_addr_i[ImemW-1:0]] <= imem_wdata_i;
    else if (imem_re_i || fetch_valid)
      imem_rdata_q <= imem_q[imem_re_i?imem_addr_i[ImemW-1:0] : pc_q[fetch_th][ImemW-1:0]];
  end
  assign imem_rdata_o = imem_rdata_q;

  // ------------------------------------------------------------------------------- execute: choice
  function automatic logic has_wait(input logic [127:0] i);
    return i[LsbWait0Cnt+:8] != '0 || i[LsbWait1Cnt+:8] != '0;
  endfunction
  function automatic sync_t sync_of(input logic [127:0] i);
    return i[LsbWait0Sem+:$bits(sync_t)];
  endfunction

  logic [3:0] blocked_sem, blocked_room, ready;
  logic       pick;
  logic [1:0] pick_th;
  always_comb begin
    pick    = 1'b0;
    pick_th = '0;
    for (int unsigned t = 0; t < 4; t++) begin
      blocked_sem[t] = th_q[t] == ThReady && legal_q[t] && !is_engine_q[t] && has_wait(ir_q[t]) &&
          !acquired_q[t];
      blocked_room[t] = th_q[t] == ThReady && legal_q[t] && is_engine_q[t] && !room_i[queue_q[t]];
      ready[t] = th_q[t] == ThReady && !blocked_room[t] && !blocked_sem[t];
    end
    if (ex_q == ExPick && !stop_i) begin
      for (int unsigned i = 1; i <= 4; i++) begin
        automatic logic [1:0] t = exec_rr_q + 2'(i);
        if (!pick && ready[t]) begin
          pick    = 1'b1;
          pick_th = t;
        end
      end
    end
  end

  // One thread at a time shows its wait to the semaphores; the choice moves on each cycle.
  always_comb begin
    wait_valid_o = blocked_sem[sem_rr_q] && !stop_i;
    wait_o       = wait_of(sync_of(ir_q[sem_rr_q]));
  end
  logic [1:0] sem_next;
  always_comb begin
    sem_next = sem_rr_q;
    for (int unsigned i = 4; i >= 1; i--)
    if (blocked_sem[sem_rr_q+2'(i)]) sem_next = sem_rr_q + 2'(i);
  end

  // ---------------------------------------------------------------------- execute: one instruction
  logic [127:0] ir;
  logic [  1:0] th;
  logic [31:0] rs1, rs2, imm, sum_addr, next_seq;
  logic [4:0] ra, rb;
  always_comb begin
    th = ex_q == ExPick ? pick_th : cur_q;
    ir = ir_q[th];
    ra = ir[LsbRs1+:5];
    rb = ir[LsbRs2+:5];
    if (ex_q == ExArgs) begin
      unique case (arg_q)
        2'd0: begin
          ra = ir[LsbR0+:5];
          rb = ir[LsbR1+:5];
        end
        2'd1: begin
          ra = ir[LsbR2+:5];
          rb = ir[LsbR3+:5];
        end
        2'd2: begin
          ra = ir[LsbR4+:5];
          rb = ir[LsbR5+:5];
        end
        default: begin
          ra = ir[LsbR6+:5];
          rb = ir[LsbR7+:5];
        end
      endcase
    end
    rs1 = reg_written_q[{th, ra}] ? regs_q[{th, ra}] : '0;
    rs2 = reg_written_q[{th, rb}] ? regs_q[{th, rb}] : '0;
    imm = ir[LsbImm+:32];
    sum_addr = rs1 + imm;
    next_seq = 32'(pc_q[th]) + 32'd1;
  end

  logic alu_write, alu_jump;
  logic [31:0] alu_value, alu_target;
  seq_alu u_alu (
      .op_i     (ir[7:0]),
      .rs1_i    (rs1),
      .rs2_i    (rs2),
      .imm_i    (imm),
      .next_pc_i(next_seq),
      .write_o  (alu_write),
      .value_o  (alu_value),
      .jump_o   (alu_jump),
      .target_o (alu_target)
  );

  logic jump_q, push_q, second_q;
  logic [31:0] target_q, left_q;
  logic wb, done, jump, bad;
  logic loop_push;
  logic [31:0] value, target;
  cause_e         cause;
  exec_e          ex_d;
  sem_op_t        post_d;
  logic    [31:0] fault_addr;
  always_comb begin
    wb = 1'b0;
    value = '0;
    jump = 1'b0;
    target = imm;
    bad = 1'b0;
    cause = CauseIllegalInstr;
    loop_push = 1'b0;
    done = 1'b0;
    ex_d = ex_q;
    post_d = post_of(sync_of(ir));
    fault_addr = '0;
    unique case (ex_q)
      ExPick:
      if (pick) begin
        done = 1'b1;
        if (!legal_q[th]) begin
          bad = 1'b1;
        end else if (is_engine_q[th]) begin
          done = 1'b0;
          ex_d = ExArgs;
        end else begin
          unique case (ir[7:0])
            OpHalt, OpSync, OpTrace, OpSpost, OpStake: ;
            OpLoop: begin
              if (imm <= 32'(pc_q[th])) bad = 1'b1;
              else if (rs1 == '0) jump = 1'b1;
              else if (imm != next_seq) begin
                loop_push = 1'b1;
                if (depth_q[th] == 3'd4) begin
                  bad   = 1'b1;
                  cause = CauseLoopDepth;
                end
              end
            end
            OpLw, OpSw: begin
              fault_addr = sum_addr;
              if (sum_addr[1:0] != '0) begin
                bad   = 1'b1;
                cause = CauseMisaligned;
              end else if (sum_addr >= SpadBytes) begin
                bad   = 1'b1;
                cause = CauseBadSpadAddr;
              end else begin
                done = 1'b0;
                ex_d = ir[7:0] == OpLw ? ExLoad : ExStore;
              end
            end
            OpTid: begin
              wb = 1'b1;
              value = {18'b0, last_i.y, last_i.x, 2'b0, at_i.y, at_i.x};
            end
            default: begin
              wb = alu_write;
              value = alu_value;
              jump = alu_jump;
              target = alu_target;
            end
          endcase
          if (done && !bad) begin
            // spost and stake first do their own change, in state ExPost; sync posts of any
            // instruction follow there too.
            if (ir[7:0] == OpSpost || ir[7:0] == OpStake) begin
              post_d = '{
                  take: ir[7:0] == OpStake,
                  sem0: imm[5:0],
                  cnt0: rs1,
                  sem1: '0,
                  cnt1: '0,
                  remote: 1'b0,
                  tile: '0
              };
              done = 1'b0;
              ex_d = ExPost;
            end else if (post_d.cnt0 != '0 || post_d.cnt1 != '0) begin
              done = 1'b0;
              ex_d = ExPost;
            end
          end
        end
      end
      ExArgs:  if (arg_q == 2'd3) ex_d = ExPush;
      ExPush: begin
        ex_d = ExPick;
        done = 1'b1;
      end
      ExLoad:  if (rd_gnt_i) ex_d = ExData;
      ExData: begin
        wb = 1'b1;
        value = rd_data_i[{sum_addr[4:2], 5'b0}+:32];
        fault_addr = sum_addr;
        if (rd_bad_i) begin
          bad   = 1'b1;
          done  = 1'b1;
          cause = CauseParity;
          ex_d  = ExPick;
        end else if (post_d.cnt0 != '0 || post_d.cnt1 != '0) ex_d = ExPost;
        else begin
          done = 1'b1;
          ex_d = ExPick;
        end
      end
      ExStore:
      if (wr_gnt_i) begin
        if (post_d.cnt0 != '0 || post_d.cnt1 != '0) ex_d = ExPost;
        else begin
          done = 1'b1;
          ex_d = ExPick;
        end
      end
      ExPost:
      if (post_ready_i) begin
        // After spost's or stake's own change come the posts of its sync fields.
        if ((ir[7:0] == OpSpost || ir[7:0] == OpStake) && !second_q && (post_d.cnt0 != '0 || post_d.cnt1 != '0))
          ex_d = ExPost;
        else begin
          done = 1'b1;
          ex_d = ExPick;
          // Results and branches of an instruction with posts were applied when it executed, except
          // the pc.
          jump = jump_q;
          target = target_q;
          loop_push = push_q;
        end
      end
      default: ex_d = ExPick;
    endcase
  end

  // An instruction with posts applies its register result at once and remembers where to go.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      jump_q   <= 1'b0;
      push_q   <= 1'b0;
      second_q <= 1'b0;
    end else if (ex_q != ExPost) begin
      jump_q   <= jump && ex_q == ExPick;
      push_q   <= loop_push && ex_q == ExPick;
      second_q <= 1'b0;
    end else if (post_ready_i) begin
      second_q <= 1'b1;
    end
  end
  always_ff @(posedge clk_i)
    if (ex_q != ExPost) begin
      target_q <= target;
      left_q   <= rs1;
    end

  // --------------------------------------------------------------------------- next pc, with loops
  logic  [31:0] next_pc;
  loop_t        loop_d  [4];
  logic  [ 2:0] depth_d;
  logic         looping;
  always_comb begin
    next_pc = jump ? target : next_seq;
    for (int unsigned d = 0; d < 4; d++) loop_d[d] = loop_q[th][d];
    depth_d = depth_q[th];
    looping = 1'b0;
    if (loop_push && !bad) begin
      loop_d[depth_d[1:0]] = '{
          start: next_seq[15:0],
          stop: imm[15:0],
          left: ex_q == ExPost ? left_q : rs1
      };
      depth_d = depth_d + 3'd1;
    end else begin
      // Innermost first: an ended loop is left, and the next one out may end at the same place.
      for (int unsigned i = 0; i < 4; i++) begin
        if (!looping && depth_d != '0 && next_pc == 32'(loop_d[2'(depth_d-3'd1)].stop)) begin
          if (loop_d[2'(depth_d-3'd1)].left > 32'd1) begin
            loop_d[2'(depth_d-3'd1)].left = loop_d[2'(depth_d-3'd1)].left - 32'd1;
            looping = 1'b1;
          end else begin
            depth_d = depth_d - 3'd1;
          end
        end
      end
      if (looping) next_pc = 32'(loop_d[2'(depth_d-3'd1)].start);
    end
  end

  // --------------------------------------------------------------------------------------- clocked
  logic retire;
  assign retire = done && !bad;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned t = 0; t < 4; t++) begin
        th_q[t]    <= ThOff;
        pc_q[t]    <= '0;
        depth_q[t] <= '0;
      end
      acquired_q    <= '0;
      bp_skip_q     <= '0;
      ex_q          <= ExPick;
      cur_q         <= '0;
      fetch_rr_q    <= '0;
      exec_rr_q     <= '0;
      sem_rr_q      <= '0;
      lat_q         <= '0;
      latch_q       <= 1'b0;
      arg_q         <= '0;
      reg_written_q <= '0;
    end else begin
      // fetch
      latch_q <= fetch_valid && !imem_re_i && !imem_we_i && !fetch_bad;
      lat_q   <= fetch_th;
      if (fetch_valid && !imem_re_i && !imem_we_i && !fetch_bad) begin
        fetch_rr_q     <= fetch_th;
        th_q[fetch_th] <= ThLatch;
      end
      if (latch_q) th_q[lat_q] <= ThReady;
      for (int unsigned t = 0; t < 4; t++) begin
        if (th_q[t] == ThFetch && hold[t]) th_q[t] <= ThStopped;
        if (th_q[t] == ThStopped && !drain_i && resume_i[t]) begin
          th_q[t]      <= ThFetch;
          bp_skip_q[t] <= 1'b1;
        end
      end
      // waits
      sem_rr_q <= sem_next;
      if (wait_gnt_i) acquired_q[sem_rr_q] <= 1'b1;
      // execution
      ex_q <= ex_d;
      if (pick) begin
        cur_q     <= pick_th;
        exec_rr_q <= pick_th;
      end
      arg_q <= ex_q == ExArgs ? arg_q + 2'd1 : '0;
      if (wb && !bad && ir[LsbRd+:5] != '0) reg_written_q[{th, ir[LsbRd+:5]}] <= 1'b1;
      if (retire) begin
        acquired_q[th] <= 1'b0;
        bp_skip_q[th]  <= 1'b0;
        // A jump beyond 16 bits becomes an address that no memory has, so the next fetch faults.
        pc_q[th]    <= next_pc > 32'hffff ? 16'hffff : next_pc[15:0];
        depth_q[th] <= depth_d;
        th_q[th]    <= ir[7:0] == OpHalt ? ThOff : step_i[th] ? ThStopped : ThFetch;
      end
      if (start_i) begin
        for (int unsigned t = 0; t < 4; t++) begin
          if (entry_valid_i[t]) begin
            th_q[t] <= ThFetch;
            pc_q[t] <= entry_i[t];
          end
          depth_q[t] <= '0;
        end
        reg_written_q <= '0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (latch_q) begin
      ir_q[lat_q] <= imem_rdata_q;
      legal_q[lat_q] <= isa_legal(imem_rdata_q, Sems);
      is_engine_q[lat_q] <= isa_engine(
          imem_rdata_q[7:0]
      ) inside {EngLd, EngSt, EngMxu, EngVpu, EngNet};
      queue_q[lat_q] <= isa_engine(imem_rdata_q[7:0]) - EngLd;
    end
    if (wb && !bad) regs_q[{th, ir[LsbRd+:5]}] <= value;
    if (retire) for (int unsigned d = 0; d < 4; d++) loop_q[th][d] <= loop_d[d];
    if (ex_q == ExArgs) begin
      args_q[{arg_q, 1'b0}] <= rs1;
      args_q[{arg_q, 1'b1}] <= rs2;
    end
    if (ex_q != ExPost || post_ready_i) post_q <= post_d;
  end

  // ----------------------------------------------------------------------------------------- ports
  always_comb begin
    push_o = '0;
    if (ex_q == ExPush) push_o[queue_q[th]] = 1'b1;
    instr_o = '{
        op: ir[7:0],
        thread: th,
        pc: pc_q[th],
        sync: sync_of(ir),
        flags: ir[LsbFlags+:16],
        arg: args_q
    };
  end
  assign post_valid_o = ex_q == ExPost;
  assign post_o       = post_q;
  assign rd_valid_o   = ex_q == ExLoad;
  assign wr_valid_o   = ex_q == ExStore;
  assign word_o       = sum_addr[$clog2(SpadBytes)-1:5];
  assign wr_strb_o    = 32'h0000_000f << {sum_addr[4:2], 2'b0};
  assign wr_data_o    = {8{rs2}};
  assign exec_o       = '{thread: th, pc: pc_q[th]};

  always_comb begin
    fault_o = '0;
    if (bad && (pick || ex_q == ExData)) begin
      fault_o = '{
          valid: 1'b1,
          cause: cause,
          engine: EngSeq,
          origin: '{thread: th, pc: pc_q[th]},
          addr: fault_addr
      };
    end else if (fetch_bad) begin
      fault_o = '{
          valid: 1'b1,
          cause: CauseBadPc,
          engine: EngSeq,
          origin: '{thread: fetch_th, pc: pc_q[fetch_th]},
          addr: 32'(pc_q[fetch_th])
      };
    end
    retire_o = '{valid: retire, origin: '{thread: th, pc: pc_q[th]}, op: ir[7:0]};
    marker_valid_o = retire && ir[7:0] == OpTrace;
    marker_id_o    = imm;
    marker_value_o = rs1;
  end
  // The register write of an instruction with posts comes before its retirement; the trace shows it
  // then.
  logic        wb_q;
  logic [31:0] value_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wb_q <= 1'b0;
    else if (ex_q != ExPost) wb_q <= wb && !bad;
  end
  always_ff @(posedge clk_i) if (ex_q != ExPost) value_q <= value;
  assign wb_valid_o = retire && (ex_q == ExPost ? wb_q : wb);
  assign wb_reg_o   = ir[LsbRd+:5];
  assign wb_value_o = ex_q == ExPost ? value_q : value;

  for (genvar t = 0; t < 4; t++) begin : gen_status
    assign active_o[t]    = th_q[t] != ThOff;
    assign waits_sem_o[t] = blocked_sem[t];
    assign waiting_o[t]   = (blocked_sem[t] || blocked_room[t]) && !(ex_q != ExPick && cur_q == t);
    assign stopped_o[t]   = th_q[t] == ThStopped;
    assign pc_o[t]        = pc_q[t];
    assign ir_o[t]        = ir_q[t];
    always_comb begin
      activity_o[t] = ActIdle;
      if (th_q[t] == ThOff) activity_o[t] = ActIdle;
      else if (stop_i || th_q[t] == ThStopped) activity_o[t] = ActStopped;
      else if (blocked_sem[t]) activity_o[t] = ActWaitSem;
      else if (blocked_room[t] && !(ex_q != ExPick && cur_q == t)) activity_o[t] = ActWaitQueue;
      else if ((ex_q == ExLoad || ex_q == ExStore) && cur_q == t) activity_o[t] = ActWaitSpad;
      else activity_o[t] = ActBusy;
    end
  end

  `ASSERT_NEVER(PushOnlyWithRoom_A, |(push_o & ~room_i))
  `ASSERT_HELD(PostHeld_A, post_valid_o, post_ready_i, post_o)
endmodule
