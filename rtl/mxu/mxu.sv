// SPDX-License-Identifier: Apache-2.0
// Matrix unit: mm streams weight blocks against activation columns, mst stores accumulators,
// mxusync only waits and posts. Operands in panel layout (docs/architecture.md, section 3). Weight
// blocks are fetched once and held while the column groups and their passes go by. Occupancy of mm:
// kb * blocks * max(2, ceil(n/Cols) * digits * parts); of mst: 1, for the store path reads the accumulators beside the
// array, a group a cycle, and a later mm waits only for the groups not yet read. The next
// instruction's operands are fetched while this one computes, except where they overlap what a
// pending mst writes. Instructions retire in order. Faults: bad_operand, misaligned, bad_spad_addr,
// parity, mxu_nan.
`include "rtl/common/assert.svh"
module mxu
  import tepin_pkg::*;
  import tepin_isa_pkg::*;
  import mxu_pkg::*;
#(
    parameter int unsigned Rows = 8,
    parameter int unsigned Cols = 4,
    parameter int unsigned AccCols = 32,
    parameter int unsigned SpadBytes = 131072,
    localparam int unsigned WordW = $clog2(SpadBytes / 32),
    localparam int unsigned WLanes = (Rows * 16 + 31) / 32,
    localparam int unsigned NumRead = Cols + WLanes + 2,      // activations, weights, weight scales, activation scales
    localparam int unsigned Groups = AccCols / Cols,
    localparam int unsigned NW = $clog2(AccCols + 1)  // counts columns
) (
    input logic clk_i,
    input logic rst_ni,
    input logic nan_trap_i,
    input logic stop_i,
    // instruction
    input logic instr_valid_i,
    output logic instr_ready_o,
    input engine_instr_t instr_i,
    // posts
    output logic post_valid_o,
    output sem_op_t post_o,
    input logic post_ready_i,
    // scratchpad
    output logic rd_valid_o[NumRead],
    output logic [WordW-1:0] rd_word_o[NumRead],
    input logic rd_gnt_i[NumRead],
    input logic [255:0] rd_data_i[NumRead],
    input logic rd_bad_i[NumRead],
    output logic wr_valid_o[Cols],
    output logic [WordW-1:0] wr_word_o[Cols],
    output logic [31:0] wr_strb_o[Cols],
    output logic [255:0] wr_data_o[Cols],
    input logic wr_gnt_i[Cols],
    // status
    output logic busy_o,
    output activity_e activity_o,
    output fault_t fault_o,
    output logic nan_seen_o,
    output origin_t post_origin_o,
    // trace
    output retire_t retire_o,
    output logic        acc_valid_o,          // a group's accumulators are written by the last block of an instruction
    output logic [$clog2(Groups)-1:0] acc_group_o,
    output logic [Cols-1:0] acc_cols_o,
    output logic [31:0] acc_o[Rows][Cols],
    output origin_t acc_origin_o,
    // host
    input logic [15:0] host_index_i,
    output logic [31:0] host_value_o
);
  localparam int unsigned GroupW = $clog2(Groups);
  if (AccCols > 256 || AccCols % Cols != 0 || 32 % Cols != 0 || Rows > 16 || Rows % 2 != 0) begin : gen_check
    $error(
        "mxu: at most 16 rows, an even number (two bytes of scale each in one word), and 256 columns"
    );
  end

  typedef enum logic [1:0] {
    KindMm,
    KindMst,
    KindSync
  } kind_e;
  typedef struct packed {
    kind_e             kind;
    logic [7:0]        op;
    origin_t           origin;
    sync_t             sync;
    logic [15:0]       kb;
    logic [NW-1:0]     n;
    logic [GroupW-1:0] group;
    logic [3:0]        fa;
    logic [3:0]        fw;
    logic              init;
    logic [31:0]       w,      ws, a, as, astep, asstep;  // w: mst's destination; astep: its pitch
  } work_t;

  // ----------------------------------------------------------------------------------------- check
  localparam logic [63:0] Spad = 64'(SpadBytes);
  work_t in;
  logic [15:0] a_kb;  // blocks of activations
  assign a_kb = instr_i.arg[4][15:0];
  logic in_bad;
  cause_e in_cause;
  logic [31:0] in_addr;
  logic [63:0] w_end, ws_end, a_end, as_end, d_end;
  logic [31:0] lanes_left;
  always_comb begin
    in        = '0;
    in.op     = instr_i.op;
    in.origin = '{thread: instr_i.thread, pc: instr_i.pc};
    in.sync   = instr_i.sync;
    in.kind   = instr_i.op == OpMm ? KindMm : instr_i.op == OpMst ? KindMst : KindSync;
    in.group  = instr_i.flags[9+:GroupW];
    in.fa     = instr_i.flags[3:0];
    in.fw     = instr_i.flags[7:4];
    in.init   = instr_i.flags[8];
    in.w      = instr_i.arg[0];
    in.ws     = instr_i.arg[1];
    in.a      = instr_i.arg[2];
    in.as     = instr_i.arg[3];
    in.kb     = instr_i.arg[4][15:0];
    in.n      = instr_i.arg[5][NW-1:0];
    in.astep  = instr_i.arg[6];
    in.asstep = instr_i.arg[7];
    if (in.kind == KindMst) begin
      in.astep = instr_i.arg[1];
      in.n     = instr_i.arg[2][NW-1:0];
    end
    // Two scaled blocks hold 32 elements.
    if (in.fw == FmtMxint8x2) in.kb = {instr_i.arg[4][14:0], 1'b0};
    lanes_left = AccCols - 32'(instr_i.flags[15:9]) * Cols;
    w_end = 64'(in.w) + 64'(in.kb) * (wide_codes(in.fw) ? 64'(Rows * 32) : 64'(Rows * 16));
    ws_end = 64'(in.ws) + 64'(in.kb) * (two_scales(in.fw) ? 64'(Rows * 2) : 64'(Rows));
    a_end  = 64'(in.a) + 64'(a_kb - 16'd1) * 64'(in.astep) + 64'(in.n) * (in.fa == FmtMxfp4 ? 64'd16 : 64'd32);
    as_end = 64'(in.as) + 64'(a_kb - 16'd1) * 64'(in.asstep) + 64'(in.n);
    d_end = 64'(in.w) + 64'(in.n - NW'(1)) * 64'(in.astep) + 64'(Rows * 4);
    in_bad = 1'b0;
    in_cause = CauseBadOperand;
    in_addr = '0;
    unique case (in.kind)
      KindMm: begin
        if (instr_i.arg[4] == '0 || instr_i.arg[4] > (in.fw == FmtMxint8x2 ? 32'd32767 : 32'd65535) || instr_i.arg[5] == '0 ||
            32'(instr_i.flags[15:9]) >= Groups || instr_i.arg[5] > lanes_left)
          in_bad = 1'b1;
        else if (in.w[4:0] != '0 || in.ws % (two_scales(
                in.fw
            ) ? 2 * Rows : Rows) != '0 || in.a[4:0] != '0 || in.as[4:0] != '0 ||
                in.astep[4:0] != '0 || in.asstep[4:0] != '0) begin
          in_bad   = 1'b1;
          in_cause = CauseMisaligned;
        end else if (w_end > Spad || ws_end > Spad || a_end > Spad || as_end > Spad) begin
          in_bad   = 1'b1;
          in_cause = CauseBadSpadAddr;
          in_addr  = w_end > Spad ? in.w : ws_end > Spad ? in.ws : a_end > Spad ? in.a : in.as;
        end
      end
      KindMst: begin
        if (instr_i.arg[2] == '0 || 32'(instr_i.flags[15:9]) >= Groups || instr_i.arg[2] > lanes_left)
          in_bad = 1'b1;
        else if (in.w % (4 * Rows) != '0 || in.astep % (4 * Rows) != '0) begin
          in_bad   = 1'b1;
          in_cause = CauseMisaligned;
        end else if (d_end > Spad) begin
          in_bad   = 1'b1;
          in_cause = CauseBadSpadAddr;
          in_addr  = in.w;
        end
      end
      default: ;
    endcase
  end

  // ----------------------------------------------------------------- hold: checked, waits its turn
  logic hold_valid_q, hold_go;
  work_t hold_q;
  logic [31:0] hold_wend_q, hold_wsend_q, hold_aend_q, hold_asend_q;
  logic faulted_q;

  // A fault is that of the first wrong instruction in issue order, so those before it end first.
  assign instr_ready_o = !faulted_q && (in_bad ? !busy_o : !hold_valid_q || hold_go);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      hold_valid_q <= 1'b0;
      faulted_q    <= 1'b0;
    end else begin
      if (hold_go) hold_valid_q <= 1'b0;
      if (instr_valid_i && instr_ready_o) begin
        hold_valid_q <= !in_bad;
        faulted_q    <= in_bad;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (instr_valid_i && instr_ready_o) begin
      hold_q       <= in;
      hold_wend_q  <= in.kind == KindMst ? d_end[31:0] : w_end[31:0];
      hold_wsend_q <= ws_end[31:0];
      hold_aend_q  <= a_end[31:0];
      hold_asend_q <= as_end[31:0];
    end
  end

  // Bytes that pending stores may write; a later fetch that touches them waits.
  logic box_valid_q, box_clear, overlap;
  logic [31:0] box_lo_q, box_hi_q;
  function automatic logic meets(input logic [31:0] lo, input logic [31:0] hi,
                                 input logic [31:0] blo, input logic [31:0] bhi);
    return lo < bhi && blo < hi;
  endfunction
  assign overlap = box_valid_q && hold_q.kind == KindMm && (meets(
      hold_q.w, hold_wend_q, box_lo_q, box_hi_q
  ) || meets(
      hold_q.ws, hold_wsend_q, box_lo_q, box_hi_q
  ) || meets(
      hold_q.a, hold_aend_q, box_lo_q, box_hi_q
  ) || meets(
      hold_q.as, hold_asend_q, box_lo_q, box_hi_q
  ));

  typedef struct packed {
    kind_e             kind;
    origin_t           origin;
    logic [15:0]       kb;
    logic [NW-1:0]     n;
    logic [GroupW-1:0] group;
    logic [3:0]        fa;
    logic [3:0]        fw;
    logic              init;
    logic [4:0]        ws_off;
    logic [31:0]       dst,    pitch;
  } exec_t;
  logic ex_valid, ex_pop;
  exec_t ex;  // the instruction that the array executes

  // ----------------------------------------------------------------------------------------- fetch
  logic fetch_free, exec_room, retire_room, data_ok, a_pop, w_pop, t_pop, s_pop, conflict, bad_word;
  logic [255:0] a_data[Cols], w_data[2*WLanes], ws_word, as_word;
  assign hold_go = hold_valid_q && !stop_i && exec_room && retire_room && !overlap &&
                   (hold_q.kind != KindMm || fetch_free);
  // Whose operands are asked for, and whose arrive: a word comes the cycle after it was granted.
  origin_t fetch_origin_q, read_origin_q;
  always_ff @(posedge clk_i) begin
    if (hold_go && hold_q.kind == KindMm) fetch_origin_q <= hold_q.origin;
    read_origin_q <= fetch_origin_q;
  end

  mxu_fetch #(
      .Rows(Rows),
      .Cols(Cols),
      .Groups(Groups),
      .NW(NW),
      .WordW(WordW)
  ) u_fetch (
      .clk_i,
      .rst_ni,
      .start_i     (hold_go && hold_q.kind == KindMm),
      .free_o      (fetch_free),
      .kb_i        (hold_q.kb),
      .n_i         (hold_q.n),
      .small_i     (hold_q.fa == FmtMxfp4),
      .wide_i      (wide_codes(hold_q.fw)),
      .two_scales_i(two_scales(hold_q.fw)),
      .pair_i      (hold_q.fw == FmtMxint8x2),
      .w_i         (hold_q.w),
      .ws_i        (hold_q.ws),
      .a_i         (hold_q.a),
      .as_i        (hold_q.as),
      .astep_i     (hold_q.astep),
      .asstep_i    (hold_q.asstep),
      .rd_valid_o,
      .rd_word_o,
      .rd_gnt_i,
      .rd_data_i,
      .rd_bad_i,
      .head_wide_i (wide_codes(ex.fw)),
      .valid_o     (data_ok),
      .a_pop_i     (a_pop),
      .w_pop_i     (w_pop),
      .s_pop_i     (s_pop),
      .t_pop_i     (t_pop),
      .a_o         (a_data),
      .w_o         (w_data),
      .ws_o        (ws_word),
      .as_o        (as_word),
      .conflict_o  (conflict),
      .bad_o       (bad_word)
  );

  // --------------------------------------------------------------------------------------- execute
  common_fifo #(
      .data_t(exec_t),
      .Depth (4)
  ) u_exec (
      .clk_i,
      .rst_ni,
      .in_valid_i(hold_go && hold_q.kind != KindSync),
      .in_ready_o(exec_room),
      .in_i(
      '{
          kind: hold_q.kind,
          origin: hold_q.origin,
          kb: hold_q.kb,
          n: hold_q.n,
          group: hold_q.group,
          fa: hold_q.fa,
          fw: hold_q.fw,
          init: hold_q.init,
          ws_off: hold_q.ws[4:0],
          dst: hold_q.w,
          pitch: hold_q.astep
      }
      ),
      .out_valid_o(ex_valid),
      .out_ready_i(ex_pop),
      .out_o(ex),
      .count_o()
  );

  logic  [      15:0] kb_q;  // blocks done
  logic  [  GroupW:0] cg_q;  // groups done of this block
  logic               first_q;  // no pass of this block and group is done
  pass_t              pass_q;  // the next pass otherwise
  logic               used_q;  // the last cycle updated an accumulator group: used_group_q
  logic  [GroupW-1:0] used_group_q;
  logic [4:0] ws_off_q, ws_off;
  logic [31:0] ws_size;  // bytes of a block's weight scales
  logic step, hazard, last_cg, last_pass, last_step, hand_over;
  logic [3:0] digits;
  logic [2:0] parts, digit;
  pass_t              pass;
  logic  [  GroupW:0] cgs;
  logic  [    NW-1:0] left;  // columns from this group on
  logic  [  Cols-1:0] cols;
  logic  [GroupW-1:0] group;
  logic st_ready, st_read, fire_st;
  logic [GroupW-1:0] st_group;
  logic [Groups-1:0] pending, st_owns;

  assign ws_size = two_scales(ex.fw) ? 2 * Rows : Rows;
  assign ws_off = kb_q == '0 ? ex.ws_off : ws_off_q;
  assign cgs = (GroupW + 1)'((32'(ex.n) + Cols - 1) / Cols);
  assign digits = fmt_digits(ex.fw);
  assign parts = fmt_parts(ex.fa);
  assign pass = first_q ? first_pass(digits, parts) : pass_q;
  assign digit = digit_of(pass);
  assign last_pass = pass.u == '0;
  assign group = ex.group + cg_q[GroupW-1:0];
  assign left = ex.n - NW'(32'(cg_q) * Cols);
  always_comb for (int unsigned c = 0; c < Cols; c++) cols[c] = 32'(left) > c;
  assign hazard  = (used_q && used_group_q == group && last_pass) || st_owns[group];
  assign last_cg = cg_q == cgs - 1'b1;
  assign step    = ex_valid && ex.kind == KindMm && !hazard && data_ok;
  assign last_step = last_cg && kb_q == ex.kb - 16'd1 && last_pass;
  assign hand_over = ex_valid && ex.kind == KindMst && st_ready;
  assign ex_pop  = (step && last_step) || hand_over;
  assign a_pop   = step && last_pass;
  assign w_pop   = a_pop && last_cg;
  // A word of activation scales serves 32 columns.
  assign t_pop = a_pop && (last_cg || (32'(cg_q) + 1) * Cols % 32 == 0);
  assign s_pop   = w_pop && (last_step || 32'(ws_off) + ws_size >= 32);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      kb_q <= '0;
      cg_q <= '0;
      first_q <= 1'b1;
      used_q <= 1'b0;
    end else begin
      used_q <= step && last_pass;
      if (step) begin
        first_q <= last_pass;
        if (last_pass) begin
          cg_q <= last_cg ? '0 : cg_q + 1'b1;
          if (last_cg) kb_q <= last_step ? '0 : kb_q + 16'd1;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (step) used_group_q <= group;
    if (step) pass_q <= next_pass(digits, parts, pass);
    if (step && w_pop) ws_off_q <= ws_off + 5'(ws_size);
  end

  logic [15:0] ws[Rows];
  logic [ 7:0] as[Cols];
  always_comb begin
    for (int unsigned r = 0; r < Rows; r++) begin
      if (two_scales(ex.fw)) ws[r] = ws_word[{ws_off+5'(2*r), 3'b0}+:16];
      else ws[r] = {8'b0, ws_word[{ws_off+5'(r), 3'b0}+:8]};
    end
    for (int unsigned c = 0; c < Cols; c++) as[c] = as_word[{5'(32'(cg_q)*Cols+c), 3'b0}+:8];
  end

  logic update_valid, update_last, nan, bad_code, array_busy;
  logic [31:0] store_data[Rows][Cols];
  mxu_array #(
      .Rows  (Rows),
      .Cols  (Cols),
      .Groups(Groups)
  ) u_array (
      .clk_i,
      .rst_ni,
      .step_valid_i(step),
      .step_new_w_i((cg_q == '0 && first_q) || digits != 4'd1),
      .step_digit_i(digit),
      .step_part_i(pass.part),
      .step_first_i(first_q),
      .step_shift_i(pass.shift),
      .step_update_i(last_pass),
      .step_init_i(ex.init && kb_q == '0),
      .step_last_i(last_step),
      .step_fa_i(ex.fa),
      .step_fw_i(ex.fw),
      .step_group_i(group),
      .step_cols_i(cols),
      .step_origin_i(ex.origin),
      .w_i(w_data),
      .ws_i(ws),
      .a_i(a_data),
      .as_i(as),
      .store_group_i(st_group),
      .store_o(store_data),
      .pending_o(pending),
      .update_valid_o(update_valid),
      .update_last_o(update_last),
      .update_group_o(acc_group_o),
      .update_cols_o(acc_cols_o),
      .update_o(acc_o),
      .update_origin_o(acc_origin_o),
      .nan_o(nan),
      .bad_code_o(bad_code),
      .busy_o(array_busy),
      .host_index_i,
      .host_value_o
  );

  // The trace shows what an instruction leaves: updates of its last block.
  logic [3:0] last_kb_q;  // step was of its instruction's last block, as it moves down the array
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) last_kb_q <= '0;
    else last_kb_q <= {last_kb_q[2:0], step && kb_q == ex.kb - 16'd1};
  end
  assign acc_valid_o = update_valid && last_kb_q[3];

  // ---------------------------------------------------------------------------------------- stores
  mxu_store #(
      .Rows(Rows),
      .Cols(Cols),
      .Groups(Groups),
      .NW(NW),
      .WordW(WordW)
  ) u_store (
      .clk_i,
      .rst_ni,
      .start_i     (hand_over),
      .ready_o     (st_ready),
      .group_i     (ex.group),
      .n_i         (ex.n),
      .dst_i       (ex.dst),
      .pitch_i     (ex.pitch),
      .pending_i   (pending),
      .owns_o      (st_owns),
      .read_group_o(st_group),
      .data_i      (store_data),
      .wr_valid_o,
      .wr_word_o,
      .wr_strb_o,
      .wr_data_o,
      .wr_gnt_i,
      .read_o      (st_read),
      .done_o      (fire_st)
  );

  // --------------------------------------------------------------------------- in-order retirement
  typedef struct packed {
    kind_e      kind;
    logic [7:0] op;
    origin_t    origin;
    sync_t      sync;
  } retire_entry_t;
  logic rt_valid, rt_pop, rt_done;
  retire_entry_t rt;
  logic [2:0] mm_done_q, st_done_q;  // finished, not yet retired: at most the depth below
  common_fifo #(
      .data_t(retire_entry_t),
      .Depth (6)
  ) u_retire (
      .clk_i,
      .rst_ni,
      .in_valid_i(hold_go),
      .in_ready_o(retire_room),
      .in_i('{kind: hold_q.kind, op: hold_q.op, origin: hold_q.origin, sync: hold_q.sync}),
      .out_valid_o(rt_valid),
      .out_ready_i(rt_pop),
      .out_o(rt),
      .count_o()
  );
  logic fire_mm, st_begin, st_end;
  logic [2:0] st_pending_q;
  assign st_begin = hold_go && hold_q.kind == KindMst;
  assign st_end   = rt_pop && rt.kind == KindMst;
  assign fire_mm  = update_valid && update_last;
  always_comb begin
    unique case (rt.kind)
      KindMm:  rt_done = mm_done_q != '0;
      KindMst: rt_done = st_done_q != '0;
      default: rt_done = 1'b1;
    endcase
    post_o = post_of(rt.sync);
    post_valid_o = rt_valid && rt_done && !faulted_q && !stop_i && (post_o.cnt0 != '0 || post_o.cnt1 != '0);
    rt_pop = rt_valid && rt_done && !faulted_q && !stop_i && (!post_valid_o || post_ready_i);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mm_done_q <= '0;
      st_done_q <= '0;
      box_valid_q <= 1'b0;
      st_pending_q <= '0;
    end else begin
      if (fire_mm && !(rt_pop && rt.kind == KindMm)) mm_done_q <= mm_done_q + 3'd1;
      if (!fire_mm && rt_pop && rt.kind == KindMm) mm_done_q <= mm_done_q - 3'd1;
      if (fire_st && !(rt_pop && rt.kind == KindMst)) st_done_q <= st_done_q + 3'd1;
      if (!fire_st && rt_pop && rt.kind == KindMst) st_done_q <= st_done_q - 3'd1;
      if (st_begin && !st_end) st_pending_q <= st_pending_q + 3'd1;
      if (!st_begin && st_end) st_pending_q <= st_pending_q - 3'd1;
      if (st_begin) box_valid_q <= 1'b1;
      else if (box_clear) box_valid_q <= 1'b0;
    end
  end
  // The box covers all pending stores; it goes when none is pending.
  assign box_clear = st_pending_q == '0;
  always_ff @(posedge clk_i) begin
    if (hold_go && hold_q.kind == KindMst) begin
      box_lo_q <= box_valid_q && !box_clear && box_lo_q < hold_q.w ? box_lo_q : hold_q.w;
      box_hi_q <= box_valid_q && !box_clear && box_hi_q > hold_wend_q ? box_hi_q : hold_wend_q;
    end
  end

  // ---------------------------------------------------------------------------------------- status
  assign retire_o      = '{valid: rt_pop, origin: rt.origin, op: rt.op};
  assign post_origin_o = rt.origin;
  assign busy_o        = hold_valid_q || rt_valid || array_busy;
  assign nan_seen_o    = update_valid && nan;
  always_comb begin
    fault_o = '0;
    if (bad_code) begin
      fault_o = '{
          valid: 1'b1,
          cause: CauseBadOperand,
          engine: EngMxu,
          origin: acc_origin_o,
          addr: '0
      };
    end else if (update_valid && nan && nan_trap_i) begin
      fault_o = '{
          valid: 1'b1,
          cause: CauseMxuNan,
          engine: EngMxu,
          origin: acc_origin_o,
          addr: '0
      };
    end else if (bad_word) begin
      fault_o = '{
          valid: 1'b1,
          cause: CauseParity,
          engine: EngMxu,
          origin: read_origin_q,
          addr: '0
      };
    end else if (instr_valid_i && instr_ready_o && in_bad) begin
      fault_o = '{
          valid: 1'b1,
          cause: in_cause,
          engine: EngMxu,
          origin: in.origin,
          addr: in_addr
      };
    end
    if (step || st_read) activity_o = ActBusy;
    else if (conflict) activity_o = ActWaitSpad;
    else if (busy_o) activity_o = ActWaitData;
    else activity_o = ActIdle;
  end

  `ASSERT_NEVER(NoUpdateOfUnstoredGroup_A, step && st_owns[group])
  // Held until taken, unless the tile stops.
  `ASSERT_NEXT(PostHeld_A, post_valid_o && !post_ready_i, stop_i || (post_valid_o && $stable
               (post_o)))
endmodule
