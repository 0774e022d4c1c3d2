// SPDX-License-Identifier: Apache-2.0
// Vector unit: scratchpad to scratchpad, Lanes FP32 results a cycle. One instruction at a time: it
// is checked, its operands are fetched ahead, results pass one register and a write buffer, and it
// ends when its last word is written. Occupancy without conflicts: about 8 cycles plus the formula
// of each instruction. Faults: bad_operand, misaligned, bad_spad_addr, parity; a 6-bit code with
// its upper bits set is bad_operand.
`include "rtl/common/assert.svh"
module vpu
  import tepin_pkg::*;
  import tepin_isa_pkg::*;
  import common_fp_pkg::*;
  import vpu_pkg::*;
#(
    parameter int unsigned Lanes = 16,
    parameter int unsigned SpadBytes = 131072,
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
    // scratchpad: two words of the first source, two of the second or one of scales; two result
    // words, one scale byte
    output logic                      rd_valid_o   [4],
    output logic          [WordW-1:0] rd_word_o    [4],
    input  logic                      rd_gnt_i     [4],
    input  logic          [    255:0] rd_data_i    [4],
    input  logic                      rd_bad_i     [4],
    output logic                      wr_valid_o   [3],
    output logic          [WordW-1:0] wr_word_o    [3],
    output logic          [     31:0] wr_strb_o    [3],
    output logic          [    255:0] wr_data_o    [3],
    input  logic                      wr_gnt_i     [3],
    // status
    output logic                      busy_o,
    output activity_e                 activity_o,
    output fault_t                    fault_o,
    output origin_t                   post_origin_o,
    // trace
    output retire_t                   retire_o
);
  // A chunk is 16 elements, two words of FP32: fewer lanes take several cycles for one.
  localparam int unsigned Chunk = 16;
  localparam int unsigned Beats = Chunk / Lanes;
  if (Lanes > Chunk || Chunk % Lanes != 0) begin : gen_check
    $error("vpu: Lanes must divide 16");
  end
  localparam logic [63:0] Spad = 64'(SpadBytes);

  typedef enum logic [1:0] {
    VpIdle,  // takes the next instruction
    VpRun,   // fetches, computes, writes
    VpPost   // its posts wait to be accepted
  } state_e;

  // ----------------------------------------------------------------------------------------- check
  logic [7:0] op;
  logic quant, dequant, two_src, is_sync, half_dst, half_src, bad, small_code;
  logic [31:0] n, a_dst, a_src, a_src2, a_scl, dstep, sstep, cstep;
  logic [63:0] dst_end, src_end, src2_end, scl_end, code_bytes;
  cause_e        cause;
  logic   [31:0] bad_addr;
  always_comb begin
    op         = instr_i.op;
    is_sync    = op == OpVsync;
    quant      = op == OpVqnt;
    dequant    = op == OpVdqt;
    two_src    = op inside {OpVadd, OpVsub, OpVmul, OpVfmas, OpVmin, OpVmax, OpVswiglu};
    half_dst   = op == OpVcvtbf;
    half_src   = op == OpVcvtf || (quant && instr_i.flags[6]);
    small_code = instr_i.flags[3:0] == FmtMxfp4;
    code_bytes = small_code ? 64'd16 : 64'd32;
    a_dst      = instr_i.arg[0];
    a_src      = op == OpVfill ? '0 : instr_i.arg[1];
    n          = instr_i.arg[2];
    a_src2     = two_src ? instr_i.arg[3] : '0;
    a_scl      = instr_i.arg[3];
    dstep      = instr_i.arg[4];
    sstep      = instr_i.arg[5];
    cstep      = instr_i.arg[6];
    dst_end    = 64'(a_dst) + 64'(n) * (half_dst ? 64'd2 : 64'd4);
    src_end    = op == OpVfill ? '0 : 64'(a_src) + 64'(n) * (half_src ? 64'd2 : 64'd4);
    src2_end   = two_src ? 64'(a_src2) + 64'(n) * 64'd4 : '0;
    scl_end    = '0;
    if (quant || dequant) begin
      dst_end = 64'(a_dst) + 64'(n - 1) * 64'(dstep) + (quant ? code_bytes : 64'd128);
      src_end = 64'(a_src) + 64'(n - 1) * 64'(sstep) + (dequant ? code_bytes : half_src ? 64'd64 : 64'd128);
      scl_end = 64'(a_scl) + 64'(n - 1) * 64'(cstep) + 64'd1;
    end
    bad      = 1'b0;
    cause    = CauseBadOperand;
    bad_addr = '0;
    if (!is_sync) begin
      if (n == '0 || n > 32'd65535) bad = 1'b1;
      else if (quant && (a_src[4:0] != '0 || sstep[4:0] != '0 || a_dst[3:0] != '0 || dstep[3:0] != '0 ||
                         (!small_code && (a_dst[4] || dstep[4])))) begin
        bad   = 1'b1;
        cause = CauseMisaligned;
      end else if (dequant && (a_dst[4:0] != '0 || dstep[4:0] != '0 || a_src[3:0] != '0 || sstep[3:0] != '0 ||
                               (!small_code && (a_src[4] || sstep[4])))) begin
        bad   = 1'b1;
        cause = CauseMisaligned;
      end else if (!quant && !dequant && (a_dst[4:0] != '0 || a_src[4:0] != '0 || a_src2[4:0] != '0)) begin
        bad   = 1'b1;
        cause = CauseMisaligned;
      end else if (dst_end > Spad || src_end > Spad || src2_end > Spad || scl_end > Spad) begin
        bad = 1'b1;
        cause = CauseBadSpadAddr;
        bad_addr = dst_end > Spad ? a_dst : src_end > Spad ? a_src : src2_end > Spad ? a_src2 : a_scl;
      end
    end
  end

  // ----------------------------------------------------------------------------------- instruction
  state_e        st_q;
  logic          faulted_q;
  engine_instr_t i_q;
  logic          take;
  assign instr_ready_o = st_q == VpIdle && !faulted_q && !stop_i;
  assign take          = instr_valid_i && instr_ready_o;

  logic [16:0] chunks, chunks_q;  // 16-element chunks, or two a block
  assign chunks = quant || dequant ? {n[15:0], 1'b0} : 17'((32'(n[15:0]) + 32'd15) >> 4);

  logic q_quant, q_dequant, q_two, q_fill, q_small, q_half_src, q_half_dst;
  assign q_quant    = i_q.op == OpVqnt;
  assign q_dequant  = i_q.op == OpVdqt;
  assign q_two      = i_q.op inside {OpVadd, OpVsub, OpVmul, OpVfmas, OpVmin, OpVmax, OpVswiglu};
  assign q_fill     = i_q.op == OpVfill;
  assign q_small    = i_q.flags[3:0] == FmtMxfp4;
  assign q_half_src = i_q.op == OpVcvtf || (q_quant && i_q.flags[6]);
  assign q_half_dst = i_q.op == OpVcvtbf;

  // ----------------------------------------------------------------------------------------- fetch
  // Entries: a chunk of the source (two words; one word for BF16, half a block's... codes come once
  // a block), and the second source or the word with the scale byte.
  logic f1_run_q, f2_run_q, f1_ready, f2_ready;
  logic [16:0] f1_left_q, f2_left_q;
  logic [31:0] f1_addr_q, f2_addr_q, f1_base_q;
  logic f1_odd_q;
  logic s1_valid, s1_pop, s2_valid, s2_pop, c1, c2, b1, b2;
  logic [255:0] s1[2], s2[2];
  logic [1:0] l1, l2;
  logic v1[2], v2[2], g1[2], g2[2], x1[2], x2[2];
  logic [WordW-1:0] w1[2], w2[2];
  logic [255:0] d1[2], d2[2];
  always_comb begin
    for (int unsigned l = 0; l < 2; l++) begin
      rd_valid_o[l]   = v1[l];
      rd_word_o[l]    = w1[l];
      g1[l]           = rd_gnt_i[l];
      d1[l]           = rd_data_i[l];
      x1[l]           = rd_bad_i[l];
      rd_valid_o[2+l] = v2[l];
      rd_word_o[2+l]  = w2[l];
      g2[l]           = rd_gnt_i[2+l];
      d2[l]           = rd_data_i[2+l];
      x2[l]           = rd_bad_i[2+l];
    end
    // A tail shorter than 9 elements has no second word.
    l1 = q_half_src || q_dequant ? 2'b01 : (!q_quant && f1_left_q == 17'd1 && i_q.arg[2][3:0] inside {[4'd1:4'd8]}) ? 2'b01 : 2'b11;
    l2 = q_dequant ? 2'b01 : (f2_left_q == 17'd1 && i_q.arg[2][3:0] inside {[4'd1:4'd8]}) ? 2'b01 : 2'b11;
  end
  common_fetch #(
      .Lanes(2),
      .Depth(4),
      .WordW(WordW)
  ) u_src (
      .clk_i,
      .rst_ni,
      .req_valid_i(f1_run_q && !stop_i),
      .req_ready_o(f1_ready),
      .req_word_i(f1_addr_q[5+:WordW]),
      .req_lanes_i(l1),
      .rd_valid_o(v1),
      .rd_word_o(w1),
      .rd_gnt_i(g1),
      .rd_data_i(d1),
      .rd_bad_i(x1),
      .out_valid_o(s1_valid),
      .out_ready_i(s1_pop),
      .out_o(s1),
      .out_both_o(),
      .out_two_i(1'b0),
      .next_o(),
      .conflict_o(c1),
      .bad_o(b1)
  );
  common_fetch #(
      .Lanes(2),
      .Depth(4),
      .WordW(WordW)
  ) u_src2 (
      .clk_i,
      .rst_ni,
      .req_valid_i(f2_run_q && !stop_i),
      .req_ready_o(f2_ready),
      .req_word_i(f2_addr_q[5+:WordW]),
      .req_lanes_i(l2),
      .rd_valid_o(v2),
      .rd_word_o(w2),
      .rd_gnt_i(g2),
      .rd_data_i(d2),
      .rd_bad_i(x2),
      .out_valid_o(s2_valid),
      .out_ready_i(s2_pop),
      .out_o(s2),
      .out_both_o(),
      .out_two_i(1'b0),
      .next_o(),
      .conflict_o(c2),
      .bad_o(b2)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f1_run_q <= 1'b0;
      f2_run_q <= 1'b0;
    end else begin
      if (f1_ready && f1_left_q == 17'd1) f1_run_q <= 1'b0;
      if (f2_ready && f2_left_q == 17'd1) f2_run_q <= 1'b0;
      if (take && !bad && !is_sync) begin
        f1_run_q <= op != OpVfill;
        f2_run_q <= two_src || dequant;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (f1_ready) begin
      f1_left_q <= f1_left_q - 17'd1;
      f1_odd_q  <= !f1_odd_q;
      if (q_quant) begin
        // Two chunks a block, blocks sstep apart.
        f1_addr_q <= f1_odd_q ? f1_base_q + i_q.arg[5] : f1_addr_q + (q_half_src ? 32'd32 : 32'd64);
        if (f1_odd_q) f1_base_q <= f1_base_q + i_q.arg[5];
      end else if (q_dequant) f1_addr_q <= f1_addr_q + i_q.arg[5];
      else f1_addr_q <= f1_addr_q + (q_half_src ? 32'd32 : 32'd64);
    end
    if (f2_ready) begin
      f2_left_q <= f2_left_q - 17'd1;
      f2_addr_q <= f2_addr_q + (q_dequant ? i_q.arg[6] : 32'd64);
    end
    if (take) begin
      i_q       <= instr_i;
      chunks_q  <= chunks;
      f1_left_q <= dequant ? {1'b0, n[15:0]} : chunks;
      f2_left_q <= dequant ? {1'b0, n[15:0]} : chunks;
      f1_addr_q <= a_src;
      f1_base_q <= a_src;
      f1_odd_q  <= 1'b0;
      f2_addr_q <= a_scl;  // also the second source: both are operand 3
    end
  end

  // --------------------------------------------------------------------------------------- compute
  // Elementwise: a chunk becomes 16 results in Beats steps. vdqt: a block of codes becomes two
  // chunks. vqnt: two chunks are gathered with their largest magnitude, then turned into codes.
  logic [16:0] c_done_q;  // chunks computed
  logic [ 4:0] beat_q;
  logic step, src_ok, out_room, last_beat;
  logic [31:0] res  [Lanes];
  logic [31:0] out_q[Chunk];
  logic [31:0] blk_q[   32];  // vqnt: the block
  logic [30:0] amax_q, amax_d;
  logic special_q, special_d;
  logic qn_valid_q, qn_ready;  // a gathered block waits in qb_q
  logic [31:0] qb_q [32];
  logic [ 7:0] qs_q;
  logic        odd;
  logic [31:0] in1[Lanes], in2[Lanes];
  logic [7:0] scl_byte, code[Lanes];
  logic [31:0] scl_addr_q;
  logic        code_bad;
  logic        code_half_q;  // mxfp4 codes in the upper half of their word

  assign odd       = c_done_q[0];
  assign last_beat = 32'(beat_q) == Beats - 1;
  assign src_ok    = (q_fill || s1_valid) && (!(q_two || q_dequant) || s2_valid);
  assign scl_byte  = s2[0][{scl_addr_q[4:0], 3'b0}+:8];

  always_comb begin
    for (int unsigned l = 0; l < Lanes; l++) begin
      automatic int unsigned       e = 32'(beat_q) * Lanes + l;  // element of the chunk
      automatic logic        [7:0] b = '0;
      in1[l] = s1[e/8][(e%8)*32+:32];
      in2[l] = q_two ? s2[e/8][(e%8)*32+:32] : i_q.arg[3];
      if (q_half_src) in1[l] = {s1[0][e*16+:16], 16'b0};
      // Codes of the block: the second chunk takes elements 16..31.
      if (q_small) b = {4'b0, s1[0][(code_half_q?128 : 0)+32'((odd?16 : 0)+e)*4+:4]};
      else b = s1[0][32'((odd?16 : 0)+e)*8+:8];
      code[l] = b;
    end
  end
  // The operation's steps: all but the last change nothing outside the lanes.
  logic [4:0] u_q;
  logic ready, u_last, advance;
  logic [31:0] sum[Lanes];
  assign ready   = st_q == VpRun && !faulted_q && c_done_q != chunks_q && src_ok;
  assign u_last  = u_q == last_of(i_q.op);
  assign advance = step || (ready && !u_last);
  always_ff @(posedge clk_i) begin
    if (take) u_q <= first_of(op);
    else if (step) u_q <= first_of(i_q.op);
    else if (advance) u_q <= u_q + 5'd1;
  end
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    vpu_lane u_lane (
        .clk_i,
        .run_i (advance),
        .op_i  (i_q.op),
        .step_i(u_q),
        .a_i   (in1[l]),
        .b_i   (in2[l]),
        .s_i   (i_q.arg[4]),
        .k_i   (i_q.arg[5]),
        .res_o (sum[l])
    );
  end
  always_comb begin
    code_bad = 1'b0;
    for (int unsigned l = 0; l < Lanes; l++) begin
      res[l] = '0;
      if (step) begin
        unique case (i_q.op)
          OpVmov: res[l] = in1[l];
          OpVfill: res[l] = in2[l];
          OpVadd, OpVadds, OpVsub, OpVmul, OpVmuls, OpVfmas, OpVmin, OpVmax, OpVmins, OpVmaxs, OpVexp2, OpVrcp, OpVswiglu:
          res[l] = sum[l];
          OpVcvtbf: res[l] = {16'b0, to_bf16(in1[l])};
          OpVcvtf: res[l] = from_bf16(in1[l][31:16]);
          OpVdqt: begin
            res[l] = dequantise(code[l], scl_byte, i_q.flags[3:0]);
            if (i_q.flags[3:0] inside {FmtMxfp6E2m3, FmtMxfp6E3m2} && code[l][7:6] != '0)
              code_bad = 1'b1;
          end
          default: res[l] = in1[l];
        endcase
      end
    end
    amax_d    = odd || beat_q != '0 ? amax_q : '0;
    special_d = odd || beat_q != '0 ? special_q : 1'b0;
    for (int unsigned l = 0; l < Lanes; l++) begin
      if (in1[l][30:0] > amax_d) amax_d = in1[l][30:0];
      if (in1[l][30:23] == 8'hff) special_d = 1'b1;
    end
  end

  // Elementwise results go to the write buffer a chunk at a time; vqnt's last step of a block needs
  // the code stage free.
  assign step   = ready && u_last &&
                  (q_quant ? !(odd && last_beat) || !qn_valid_q || qn_ready : !last_beat || out_room);
  assign s1_pop = step && last_beat && !q_fill && (!q_dequant || odd);
  assign s2_pop = step && last_beat && (q_two || (q_dequant && odd));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      c_done_q   <= '0;
      beat_q     <= '0;
      qn_valid_q <= 1'b0;
    end else begin
      if (qn_ready) qn_valid_q <= 1'b0;
      if (step) begin
        beat_q <= last_beat ? '0 : beat_q + 5'd1;
        if (last_beat) begin
          c_done_q <= c_done_q + 17'd1;
          if (q_quant && odd) qn_valid_q <= 1'b1;
        end
      end
      if (take) c_done_q <= '0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (step) begin
      amax_q    <= amax_d;
      special_q <= special_d;
      for (int unsigned l = 0; l < Lanes; l++) begin
        out_q[32'(beat_q)*Lanes+l] <= res[l];
        blk_q[(odd?16 : 0)+32'(beat_q)*Lanes+l] <= in1[l];
      end
      if (q_quant && odd && last_beat) begin
        for (int unsigned e = 0; e < 32 - Lanes; e++) qb_q[e] <= blk_q[e];
        for (int unsigned l = 0; l < Lanes; l++) qb_q[32-Lanes+l] <= in1[l];
        qs_q <= special_d ? 8'hff : scale_of(amax_d, elem_of(i_q.flags[3:0]), i_q.flags[5:4]);
      end
    end
    if (take) begin
      scl_addr_q  <= a_scl;
      code_half_q <= a_src[4];
    end else if (step && last_beat && q_dequant && odd) begin
      scl_addr_q  <= scl_addr_q + i_q.arg[6];
      code_half_q <= code_half_q ^ i_q.arg[5][4];
    end
  end

  // Code stage of vqnt: Lanes codes a cycle.
  logic [7:0] qn_step_q;
  logic [7:0] qcode[Lanes];
  logic [7:0] codes_q[32];
  logic qn_last, qn_go;
  assign qn_last  = 32'(qn_step_q) == 32 / Lanes - 1;
  assign qn_go    = qn_valid_q && (!qn_last || out_room);
  assign qn_ready = qn_go && qn_last;
  always_comb begin
    for (int unsigned l = 0; l < Lanes; l++) begin
      qcode[l] = '0;
      if (qn_go && qs_q != 8'hff)
        qcode[l] = quantise(qb_q[32'(qn_step_q)*Lanes+l], qs_q, elem_of(i_q.flags[3:0]));
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) qn_step_q <= '0;
    else if (qn_go) qn_step_q <= qn_last ? '0 : qn_step_q + 8'd1;
  end
  always_ff @(posedge clk_i)
    if (qn_go)
      for (int unsigned l = 0; l < Lanes; l++) codes_q[32'(qn_step_q)*Lanes+l] <= qcode[l];

  // ----------------------------------------------------------------------------------------- write
  typedef struct packed {
    logic [2:0]            valid;    // two words, scale
    logic [2:0][WordW-1:0] word;
    logic [1:0][31:0]      strb;
    logic [1:0][255:0]     data;
    logic [4:0]            scl_off;
    logic [7:0]            scl;
  } wr_t;
  logic wr_in_valid, wr_in_ready, wr_valid, wr_pop;
  wr_t wi, wo;
  logic [2:0] wr_count, wr_done_q, wr_done_d;
  logic land_q;  // out_q or codes_q holds a complete chunk or block
  logic [31:0] dst_q, sdst_q;
  logic [ 7:0] land_scl_q;
  logic        tail_q;
  logic [31:0] left_q;  // elements not yet written

  assign out_room = wr_count <= 3'd2;  // one more may be in the result register
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) land_q <= 1'b0;
    else land_q <= q_quant ? qn_ready : step && last_beat;
  end
  always_comb begin
    wi         = '0;
    wi.word[0] = dst_q[5+:WordW];
    wi.word[1] = dst_q[5+:WordW] + WordW'(1);
    wi.word[2] = sdst_q[5+:WordW];
    wi.scl_off = sdst_q[4:0];
    wi.scl     = land_scl_q;
    if (q_quant) begin
      wi.valid = 3'b101;
      for (int unsigned e = 0; e < 32; e++) begin
        if (q_small) wi.data[0][e*4+:4] = codes_q[e][3:0];
        else wi.data[0][e*8+:8] = codes_q[e];
      end
      wi.strb[0] = q_small ? 32'h0000_ffff : '1;
      if (q_small && dst_q[4]) begin
        wi.data[0] = wi.data[0] << 128;
        wi.strb[0] = 32'hffff_0000;
      end
    end else if (q_half_dst) begin
      wi.valid = 3'b001;
      for (int unsigned e = 0; e < Chunk; e++) begin
        wi.data[0][e*16+:16] = out_q[e][15:0];
        wi.strb[0][e*2+:2]   = left_q > e ? 2'b11 : 2'b00;
      end
    end else begin
      wi.valid = q_dequant || left_q > 32'd8 ? 3'b011 : 3'b001;
      for (int unsigned e = 0; e < Chunk; e++) begin
        wi.data[e/8][(e%8)*32+:32] = out_q[e];
        wi.strb[e/8][(e%8)*4+:4]   = q_dequant || left_q > e ? 4'hf : 4'h0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (qn_ready) land_scl_q <= qs_q;
    if (land_q) begin
      left_q <= left_q - Chunk;
      tail_q <= !tail_q;
      sdst_q <= sdst_q + i_q.arg[6];
      if (q_quant) dst_q <= dst_q + i_q.arg[4];
      else if (q_dequant) dst_q <= tail_q ? dst_q - 32'd64 + i_q.arg[4] : dst_q + 32'd64;
      else dst_q <= dst_q + (q_half_dst ? 32'd32 : 32'd64);
    end
    if (take) begin
      dst_q  <= a_dst;
      sdst_q <= a_scl;
      left_q <= n;
      tail_q <= 1'b0;
    end
  end
  assign wr_in_valid = land_q;
  common_fifo #(
      .data_t(wr_t),
      .Depth (4)
  ) u_wr (
      .clk_i,
      .rst_ni,
      .in_valid_i(wr_in_valid),
      .in_ready_o(wr_in_ready),
      .in_i(wi),
      .out_valid_o(wr_valid),
      .out_ready_i(wr_pop),
      .out_o(wo),
      .count_o(wr_count)
  );
  always_comb begin
    wr_done_d = wr_done_q;
    for (int unsigned l = 0; l < 2; l++) begin
      wr_valid_o[l] = wr_valid && wo.valid[l] && !wr_done_q[l];
      wr_word_o[l]  = wo.word[l];
      wr_strb_o[l]  = wo.strb[l];
      wr_data_o[l]  = wo.data[l];
    end
    wr_valid_o[2] = wr_valid && wo.valid[2] && !wr_done_q[2];
    wr_word_o[2]  = wo.word[2];
    wr_strb_o[2]  = 32'd1 << wo.scl_off;
    wr_data_o[2]  = {32{wo.scl}};
    for (int unsigned l = 0; l < 3; l++) if (wr_gnt_i[l]) wr_done_d[l] = 1'b1;
    wr_pop = wr_valid && wr_done_d == wo.valid;
  end
  logic [16:0] written_q, outs_q;  // write entries done, and how many the instruction has
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wr_done_q <= '0;
    else wr_done_q <= wr_pop ? '0 : wr_done_d;
  end
  always_ff @(posedge clk_i) begin
    if (take) begin
      written_q <= '0;
      outs_q    <= quant ? {1'b0, n[15:0]} : chunks;
    end else if (wr_pop) written_q <= written_q + 17'd1;
  end

  // ------------------------------------------------------------------------------------------- end
  logic ended;
  assign ended = st_q == VpRun && !faulted_q && !stop_i && (i_q.op == OpVsync || written_q == outs_q);
  assign post_o = post_of(i_q.sync);
  assign post_valid_o = st_q == VpPost && !stop_i;
  assign retire_o = '{
          valid:
          (
          ended && post_o.cnt0 == '0 && post_o.cnt1 == '0
          ) || (
          post_valid_o && post_ready_i
          ),
          origin: post_origin_o,
          op: i_q.op
      };
  assign post_origin_o = '{thread: i_q.thread, pc: i_q.pc};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      st_q      <= VpIdle;
      faulted_q <= 1'b0;
    end else begin
      if (fault_o.valid) faulted_q <= 1'b1;
      unique case (st_q)
        VpIdle:  if (take && !bad) st_q <= VpRun;
        VpRun:   if (ended) st_q <= post_o.cnt0 != '0 || post_o.cnt1 != '0 ? VpPost : VpIdle;
        VpPost:  if (post_valid_o && post_ready_i) st_q <= VpIdle;
        default: st_q <= VpIdle;
      endcase
    end
  end

  always_comb begin
    fault_o = '0;
    if (take && bad) begin
      fault_o = '{
          valid: 1'b1,
          cause: cause,
          engine: EngVpu,
          origin: '{thread: instr_i.thread, pc: instr_i.pc},
          addr: bad_addr
      };
    end else if (b1 || b2) begin
      fault_o = '{
          valid: 1'b1,
          cause: CauseParity,
          engine: EngVpu,
          origin: post_origin_o,
          addr: '0
      };
    end else if (step && code_bad) begin
      fault_o = '{
          valid: 1'b1,
          cause: CauseBadOperand,
          engine: EngVpu,
          origin: post_origin_o,
          addr: '0
      };
    end
    busy_o = st_q != VpIdle;
    if (!busy_o) activity_o = ActIdle;
    else if (advance || qn_go) activity_o = ActBusy;
    else if (c1 || c2 || (wr_valid && !wr_pop)) activity_o = ActWaitSpad;
    else activity_o = ActWaitData;
  end

  `ASSERT_NEVER(WriteBufferHasRoom_A, wr_in_valid && !wr_in_ready)
  // Held until taken, unless the tile stops.
  `ASSERT_NEXT(PostHeld_A, post_valid_o && !post_ready_i, stop_i || (post_valid_o && $stable
               (post_o)))
endmodule
