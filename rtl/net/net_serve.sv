// SPDX-License-Identifier: Apache-2.0
// Serves what comes from afar on req: scratchpad writes, posts, and memory requests through a read and a write port of its own
// beside LD and ST; answers on rsp. Requests are taken in order, one at a time: a write, then its post, then its acknowledgement.
// A tile that has stopped writes and posts nothing, and says so (tile_stopped) to who wants an answer. Never waits for req.
`include "rtl/common/assert.svh"
module net_serve
  import tepin_pkg::*;
  import tepin_isa_pkg::*;
  import noc_pkg::*;
  import net_pkg::*;
#(
    parameter int unsigned Pcs = 2,
    parameter int unsigned SpadBytes = 131072,
    localparam int unsigned WordW = $clog2(SpadBytes / 32)
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                stop_i,
    // requests
    input  logic                in_valid_i,
    input  coord_t              in_src_i,
    input  req_t                in_i,
    output logic                in_ready_o,
    // a multicast's acknowledgement (net_arrive)
    input  logic                mc_valid_i,
    input  coord_t              mc_dst_i,
    input  cause_e              mc_cause_i,
    output logic                mc_ready_o,
    // answers
    output logic                rsp_valid_o,
    output coord_t              rsp_dst_o,
    output rsp_t                rsp_o,
    input  logic                rsp_ready_i,
    // scratchpad
    output logic                wr_valid_o,
    output logic    [WordW-1:0] wr_word_o,
    output logic    [    255:0] wr_data_o,
    input  logic                wr_gnt_i,
    output logic                piece_o,            // ... a word of an all-to-all
    // posts
    output logic                post_valid_o,
    output sem_op_t             post_o,
    input  logic                post_ready_i,
    // memory, one port a pseudo-channel: reads of up to 8 beats, writes of one; answered in order
    output logic                ar_valid_o  [Pcs],
    output logic    [     25:0] ar_beat_o,
    output logic    [      3:0] ar_beats_o,
    input  logic                ar_ready_i  [Pcs],
    input  logic                r_valid_i   [Pcs],
    input  logic    [    255:0] r_data_i    [Pcs],
    input  logic    [      1:0] r_resp_i    [Pcs],
    input  logic                r_last_i    [Pcs],
    output logic                r_ready_o   [Pcs],
    output logic                aw_valid_o  [Pcs],  // address and data together
    output logic    [     25:0] aw_beat_o,
    output logic    [    255:0] w_data_o,
    input  logic                aw_ready_i  [Pcs],
    input  logic                b_valid_i   [Pcs],
    input  logic    [      1:0] b_resp_i    [Pcs],
    output logic                b_ready_o   [Pcs],
    // status
    output logic                open_o,             // the memory has yet to answer
    output logic                moved_o
);
  localparam int unsigned Reads = 8;  // open a channel
  localparam int unsigned Writes = 16;
  typedef struct packed {
    coord_t      src;
    logic [26:0] word;
  } read_t;

  // ----------------------------------------------------------------------------------------- requests
  logic written_q, posted_q;
  logic is_write, posts, reads, stores, tail, pops;
  logic [Pcs-1:0] rq_room, wq_room, ar_go, aw_go;
  logic [5:0] pc;
  assign is_write = in_i.kind == ReqWrite;
  assign posts = in_i.kind == ReqPost || (is_write && in_i.cnt != '0);
  assign reads = in_i.kind == ReqRead;
  assign stores = in_i.kind == ReqStore;
  assign pc = in_i.addr[31:26];
  assign wr_valid_o = in_valid_i && is_write && !stop_i && !written_q;
  assign wr_word_o = in_i.addr[WordW-1:0];
  assign wr_data_o = in_i.data;
  assign piece_o = wr_valid_o && wr_gnt_i && in_i.piece;
  // What follows the bytes: in the cycles after the write.
  assign tail = in_valid_i && (in_i.kind == ReqPost || (is_write && written_q) || stop_i);
  assign post_valid_o = tail && posts && !posted_q && !stop_i;
  always_comb begin
    post_o      = '0;
    post_o.sem0 = in_i.sem;
    post_o.cnt0 = is_write ? 32'(in_i.cnt) : in_i.data[31:0];
    for (int unsigned p = 0; p < Pcs; p++) begin
      ar_valid_o[p] = in_valid_i && reads && !stop_i && 32'(pc) == p && rq_room[p];
      aw_valid_o[p] = in_valid_i && stores && !stop_i && 32'(pc) == p && wq_room[p];
    end
  end
  always_comb begin
    for (int unsigned p = 0; p < Pcs; p++) begin
      ar_go[p] = ar_valid_o[p] && ar_ready_i[p];
      aw_go[p] = aw_valid_o[p] && aw_ready_i[p];
    end
  end
  assign ar_beat_o  = in_i.addr[25:0];
  assign ar_beats_o = in_i.data[30:27];
  assign aw_beat_o  = in_i.addr[25:0];
  assign w_data_o   = in_i.data;

  // ------------------------------------------------------------------------------------------- answers
  // Sources: 0 this request's acknowledgement, 1 a multicast's, then read data and write responses of each channel.
  localparam int unsigned Sources = 2 + 2 * Pcs;
  logic [Sources-1:0] request, grant;
  coord_t to[Sources];
  rsp_t answer[Sources];
  read_t rq[Pcs];
  coord_t wq[Pcs];
  logic [26:0] word_q[Pcs];  // beats of the oldest read that have come
  logic answers, answered;
  assign answers = tail && (in_i.ack || (stop_i && (reads || stores))) && (!posts || posted_q || stop_i);
  function automatic cause_e cause_of(input logic [1:0] resp);
    return !resp[1] ? CauseNone : resp[0] ? CauseAxiDecerr : CauseAxiSlverr;
  endfunction
  always_comb begin
    request = '0;
    request[0] = answers;
    to[0] = in_src_i;
    answer[0] = '{
        is_data: 1'b0,
        cause: stop_i ? CauseTileStopped : CauseNone,
        word: stop_i && reads ? 27'(ar_beats_o) : 27'd1,
        data: '0
    };
    request[1] = mc_valid_i;
    to[1] = mc_dst_i;
    answer[1] = '{is_data: 1'b0, cause: mc_cause_i, word: 27'd1, data: '0};
    for (int unsigned p = 0; p < Pcs; p++) begin
      request[2+p] = r_valid_i[p];
      to[2+p] = rq[p].src;
      answer[2+p] = '{
          is_data: 1'b1,
          cause: cause_of(r_resp_i[p]),
          word: rq[p].word + word_q[p],
          data: r_data_i[p]
      };
      request[2+Pcs+p] = b_valid_i[p];
      to[2+Pcs+p] = wq[p];
      answer[2+Pcs+p] = '{is_data: 1'b0, cause: cause_of(b_resp_i[p]), word: 27'd1, data: '0};
    end
  end
  common_arbiter #(
      .Num(Sources),
      .LevelW(1)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .req_i  (request),
      .level_i('0),
      .use_i  (rsp_ready_i && request != '0),
      .grant_o(grant)
  );
  assign rsp_valid_o = request != '0;
  always_comb begin
    rsp_dst_o = '0;
    rsp_o     = '0;
    for (int unsigned s = 0; s < Sources; s++) begin
      if (grant[s]) begin
        rsp_dst_o |= to[s];
        rsp_o |= answer[s];
      end
    end
    answered   = grant[0] && rsp_ready_i;
    mc_ready_o = grant[1] && rsp_ready_i;
    for (int unsigned p = 0; p < Pcs; p++) begin
      r_ready_o[p] = grant[2+p] && rsp_ready_i;
      b_ready_o[p] = grant[2+Pcs+p] && rsp_ready_i;
    end
  end

  always_comb begin
    if (stop_i) pops = !answers || answered;
    else begin
      unique case (in_i.kind)
        ReqRead: pops = ar_go != '0;
        ReqStore: pops = aw_go != '0;
        ReqWrite:
        pops = posts || in_i.ack ? tail && (!posts || posted_q || post_ready_i) && (!in_i.ack || answered) : wr_gnt_i;
        default: pops = (posted_q || post_ready_i) && (!in_i.ack || answered);
      endcase
    end
    in_ready_o = in_valid_i && pops;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      written_q <= 1'b0;
      posted_q  <= 1'b0;
    end else if (in_ready_o) begin
      written_q <= 1'b0;
      posted_q  <= 1'b0;
    end else begin
      if (wr_valid_o && wr_gnt_i) written_q <= 1'b1;
      if (post_valid_o && post_ready_i) posted_q <= 1'b1;
    end
  end

  // -------------------------------------------------------------------------------------------- memory
  logic [Pcs-1:0] rq_valid, wq_valid;
  for (genvar p = 0; p < Pcs; p++) begin : gen_pc
    logic rq_in_ready, wq_in_ready;
    common_fifo #(
        .data_t(read_t),
        .Depth (Reads)
    ) u_reads (
        .clk_i,
        .rst_ni,
        .in_valid_i (ar_go[p]),
        .in_ready_o (rq_in_ready),
        .in_i       ('{src: in_src_i, word: in_i.data[26:0]}),
        .out_valid_o(rq_valid[p]),
        .out_ready_i(r_valid_i[p] && r_ready_o[p] && r_last_i[p]),
        .out_o      (rq[p]),
        .count_o    ()
    );
    common_fifo #(
        .data_t(coord_t),
        .Depth (Writes)
    ) u_writes (
        .clk_i,
        .rst_ni,
        .in_valid_i (aw_go[p]),
        .in_ready_o (wq_in_ready),
        .in_i       (in_src_i),
        .out_valid_o(wq_valid[p]),
        .out_ready_i(b_valid_i[p] && b_ready_o[p]),
        .out_o      (wq[p]),
        .count_o    ()
    );
    assign rq_room[p] = rq_in_ready;
    assign wq_room[p] = wq_in_ready;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) word_q[p] <= '0;
      else if (r_valid_i[p] && r_ready_o[p]) word_q[p] <= r_last_i[p] ? '0 : word_q[p] + 27'd1;
    end
    `ASSERT_NEVER(DataOfAnOpenRead_A, r_valid_i[p] && !rq_valid[p])
    `ASSERT_NEVER(ResponseOfAnOpenWrite_A, b_valid_i[p] && !wq_valid[p])
  end
  assign open_o  = rq_valid != '0 || wq_valid != '0;
  assign moved_o = in_ready_o || (rsp_valid_o && rsp_ready_i);
endmodule
