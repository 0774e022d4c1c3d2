// SPDX-License-Identifier: Apache-2.0
// NET: executes the instructions of docs/net.md, one at a time, in order. It reads the scratchpad, sends on req, up and
// dn, and counts what comes back: acknowledgements and read data (net_sink), results, releases and pieces (net_arrive).
// At the root of a collective it turns the result that comes from up around into dn, or has it written here.
// Every network's sender has a ready that depends on credits only. Faults: those of net_check; bad_hbm_addr, parity; what an
// answer says (tile_stopped, axi_slverr, axi_decerr); group_mismatch.
`include "rtl/common/assert.svh"
module net
  import tepin_pkg::*;
  import tepin_isa_pkg::*;
  import noc_pkg::*;
  import noc_coll_pkg::*;
  import net_pkg::*;
#(
    parameter int unsigned Lanes = 1,  // words of 256 bit that a flit of up and dn holds, 1 or 2
    parameter int unsigned Pcs = 2,
    parameter int unsigned Sems = 64,
    parameter int unsigned SpadBytes = 131072,
    parameter int unsigned HbmBeats = 16777216,
    localparam int unsigned WordW = $clog2(SpadBytes / 32)
) (
    input logic clk_i,
    input logic rst_ni,
    input logic stop_i,
    input coord_t at_i,
    input coord_t last_i,
    // instruction
    input logic instr_valid_i,
    output logic instr_ready_o,
    input engine_instr_t instr_i,
    // posts
    output logic post_valid_o,
    output sem_op_t post_o,
    input logic post_ready_i,
    // scratchpad
    output logic rd_valid_o[Lanes],
    output logic [WordW-1:0] rd_word_o[Lanes],
    input logic rd_gnt_i[Lanes],
    input logic [255:0] rd_data_i[Lanes],
    input logic rd_bad_i[Lanes],
    // senders
    output logic req_valid_o,
    output coord_t req_dst_o,
    output req_t req_o,
    input logic req_ready_i,
    output logic up_valid_o,
    output up_ctl_t up_ctl_o,
    output logic [Lanes*256-1:0] up_data_o,
    input groups_t up_ready_i,
    output logic dn_valid_o,
    output dn_ctl_t dn_ctl_o,
    output logic [Lanes*256-1:0] dn_data_o,
    input logic dn_ready_i,
    // what up delivers to this root
    input logic root_valid_i,
    input up_ctl_t root_ctl_i,
    input logic [Lanes*256-1:0] root_data_i,
    output logic root_ready_o,
    output logic root_write_o,  // to be written here, at land_word_o; taken when root_written_i
    output logic root_both_o,  // ... both words of it
    input logic root_written_i,
    // what arrives
    output logic land_o,  // results of land_group_o are expected here ...
    output logic [GroupW-1:0] land_group_o,
    output logic [WordW-1:0] land_word_o,  // ... the next one goes there
    input logic [1:0] landed_i,  // words of results or pieces written this cycle by net_arrive
    input logic piece_i,  // a word of an all-to-all written
    input logic release_i,
    input logic [GroupW-1:0] release_group_i,
    input logic [3:0] answers_i,  // acknowledged, or words of read data written
    input cause_e answer_cause_i,
    input logic mismatch_i,  // the tile's router has found members that disagree
    input logic [GroupW-1:0] mismatch_group_i,
    // status
    output logic busy_o,
    output logic open_o,  // answers are still to come
    output logic moved_o,  // something was sent or arrived this cycle
    output activity_e activity_o,
    output fault_t fault_o,
    output origin_t origin_o,
    // trace
    output retire_t retire_o
);
  localparam int unsigned MaxOpen = 128;  // words of read data asked for and not yet there
  typedef enum logic [1:0] {
    StIdle,
    StWork,
    StPost,
    StDead   // after its fault
  } state_e;
  state_e state_q;
  job_t job_q;

  // --------------------------------------------------------------------------------- groups, operands
  logic [63:0] mask_q[Groups];
  coord_t root_q[Groups];
  groups_t written_q;
  logic bad, accept;
  cause_e bad_cause;
  logic [31:0] bad_addr;
  job_t job;
  dma_pkg::transfer_t transfer;
  net_check #(
      .SpadBytes(SpadBytes),
      .Sems(Sems),
      .Pcs(Pcs)
  ) u_check (
      .at_i,
      .last_i,
      .instr_i,
      .mask_i    (mask_q),
      .root_i    (root_q),
      .written_i (written_q),
      .bad_o     (bad),
      .cause_o   (bad_cause),
      .addr_o    (bad_addr),
      .job_o     (job),
      .transfer_o(transfer)
  );
  logic starts;
  assign starts        = instr_valid_i && state_q == StIdle && !stop_i;
  assign accept        = starts && !bad;
  assign instr_ready_o = accept;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      written_q <= '0;
      for (int unsigned i = 0; i < Groups; i++) begin
        mask_q[i] <= '0;
        root_q[i] <= '0;
      end
    end else if (accept && instr_i.op == OpNgroup) begin
      written_q[job.group] <= 1'b1;
      mask_q[job.group]    <= {instr_i.arg[1], instr_i.arg[0]};
      root_q[job.group]    <= coord_of(instr_i.arg[2][5:0]);
    end
  end

  // ------------------------------------------------------------------------------- transfers of memory
  logic gen_valid, gen_ready, gen_busy, gen_bad;
  dma_pkg::burst_t burst;
  logic [31:0] gen_bad_addr;
  dma_gen #(
      .HbmBeats(HbmBeats)
  ) u_gen (
      .clk_i,
      .rst_ni,
      .stop_i       (stop_i),
      .start_valid_i(accept && instr_i.op inside {OpNld, OpNst}),
      .start_ready_o(),
      .start_i      (transfer),
      .start_slot_i ('0),
      .burst_valid_o(gen_valid),
      .burst_ready_i(gen_ready),
      .burst_o      (burst),
      .last_o       (),
      .busy_o       (gen_busy),
      .bad_o        (gen_bad),
      .bad_slot_o   (),
      .bad_addr_o   (gen_bad_addr)
  );

  // ------------------------------------------------------------------------------------------- reading
  // Words come in trains: one of len words, or one for each member (nrs, na2a). Reading may run ahead of sending.
  logic [5:0] train_q;  // being read
  logic [15:0] read_left_q;  // words of it still to be asked for
  logic [26:0] read_word_q;
  logic reads_q;  // the instruction has words to read
  logic free_q;  // ... and may read them: no release is awaited
  logic many;
  logic rq_valid, rq_ready, f_valid, f_ready, conflict, parity;
  logic [WordW-1:0] rq_word;
  logic [Lanes-1:0] rq_lanes;
  logic [255:0] f_word[Lanes];
  logic [3:0] beat_q;  // of the burst being read (nst)
  logic wide;
  assign many = job_q.op inside {OpNrs, OpNa2a};
  assign wide = Lanes == 2 && !(job_q.op inside {OpNwr, OpNst, OpNa2a});
  always_comb begin
    rq_lanes    = '0;
    rq_lanes[0] = 1'b1;
    if (wide && read_left_q != 16'd1) rq_lanes = '1;
    rq_word  = read_word_q[WordW-1:0];
    rq_valid = state_q == StWork && reads_q && free_q && !stop_i;
    if (job_q.op == OpNst) begin
      rq_word  = burst.word[WordW-1:0] + WordW'(beat_q);
      rq_valid = state_q == StWork && gen_valid && !stop_i;
    end
  end
  common_fetch #(
      .Lanes(Lanes),
      .Depth(4),
      .WordW(WordW)
  ) u_fetch (
      .clk_i,
      .rst_ni,
      .req_valid_i(rq_valid),
      .req_ready_o(rq_ready),
      .req_word_i (rq_word),
      .req_lanes_i(rq_lanes),
      .rd_valid_o,
      .rd_word_o,
      .rd_gnt_i,
      .rd_data_i,
      .rd_bad_i,
      .out_valid_o(f_valid),
      .out_both_o (),
      .out_ready_i(f_ready),
      .out_two_i  (1'b0),
      .out_o      (f_word),
      .next_o     (),
      .conflict_o (conflict),
      .bad_o      (parity)
  );
  logic [15:0] rq_count;
  assign rq_count = wide && read_left_q != 16'd1 ? 16'd2 : 16'd1;

  // ------------------------------------------------------------------------------------------- sending
  logic head_q;  // the train's head is still to go
  logic sends_q;  // trains are still to go
  logic [5:0] out_train_q;
  coord_t peer_q;  // the member whose train it is
  logic [63:0] peers_left_q;  // members after it
  logic [15:0] out_left_q;  // words of the train still to go
  logic [26:0] out_word_q;  // where its next word goes over there
  logic [15:0] out_count;
  logic out_last;
  logic [23:0] open_q;  // acknowledgements and words of data still to come
  logic posts_along;  // the remote post travels with the last word
  assign posts_along = job_q.op == OpNwr && job_q.sync.post1_remote && coord_of(
      job_q.sync.post1_tile
  ) == job_q.tile;
  assign out_count = wide && out_left_q != 16'd1 ? 16'd2 : 16'd1;
  assign out_last = out_left_q == out_count;

  // nst's addresses run beside the words: at most four entries are on their way.
  logic a_valid, a_ready;
  logic [31:0] a_addr;
  common_fifo #(
      .data_t(logic [31:0]),
      .Depth (4)
  ) u_addr (
      .clk_i,
      .rst_ni,
      .in_valid_i (rq_ready && job_q.op == OpNst),
      .in_ready_o (a_ready),
      .in_i       ({burst.pc, burst.beat + 26'(beat_q)}),
      .out_valid_o(a_valid),
      .out_ready_i(f_valid && f_ready && job_q.op == OpNst),
      .out_o      (a_addr),
      .count_o    ()
  );
  `ASSERT_NEVER(AddressHasRoom_A, rq_ready && job_q.op == OpNst && !a_ready)
  `ASSERT_NEVER(AddressIsThere_A, f_valid && f_ready && job_q.op == OpNst && !a_valid)

  up_head_t head;
  logic root_turn;  // dn is taken by what the root turns around
  logic root_odd;  // the last flit of an odd number of words
  assign root_odd = root_ctl_i.last && job_q.len[0];
  always_comb begin
    head = '{
        mask: job_q.mask,
        root: job_q.op == OpNrs ? peer_q : job_q.root,
        kind: coll_of(job_q.op),
        max: reduces(job_q.op) && job_q.max,
        bf16: reduces(job_q.op) && job_q.bf16,
        len: job_q.op == OpNbar ? '0 : job_q.len,
        chunk: job_q.op == OpNrs ? out_train_q : '0,
        word: job_q.op inside {OpNag, OpNa2a} ? job_q.dst : '0
    };
    up_ctl_o = '{group: job_q.group, head: head_q, last: head_q ? !reduces(job_q.op) : out_last};
    up_data_o = '0;
    if (head_q) up_data_o[$bits(up_head_t)-1:0] = head;
    else for (int unsigned l = 0; l < Lanes; l++) up_data_o[l*256+:256] = f_word[l];
    up_valid_o = state_q == StWork && !stop_i && sends_q && up_ready_i[job_q.group] &&
                 (head_q || (reduces(job_q.op) && f_valid));

    req_valid_o = 1'b0;
    req_dst_o = job_q.op == OpNa2a ? peer_q : job_q.tile;
    req_o = '0;
    req_o.data = f_word[0];
    unique case (job_q.op)
      OpNwr: begin
        req_valid_o = f_valid;
        req_o.kind  = ReqWrite;
        req_o.addr  = 32'(out_word_q);
        req_o.ack   = out_last;
        req_o.sem   = out_last && posts_along ? job_q.sync.post1_sem : '0;
        req_o.cnt   = out_last && posts_along ? job_q.sync.post1_cnt : '0;
      end
      OpNa2a: begin
        req_valid_o = f_valid && !head_q;
        req_o.kind  = ReqWrite;
        req_o.addr  = 32'(out_word_q);
        req_o.piece = 1'b1;
      end
      OpNpost: begin
        req_valid_o = sends_q;
        req_o.kind  = ReqPost;
        req_o.ack   = 1'b1;
        req_o.sem   = job_q.sem;
        req_o.data  = 256'(job_q.count);
      end
      OpNld: begin
        req_valid_o = gen_valid && 32'(open_q) + 32'(burst.beats) <= MaxOpen;
        req_o.kind  = ReqRead;
        req_o.addr  = {burst.pc, burst.beat};
        req_o.data  = 256'({burst.beats, burst.word});
      end
      OpNst: begin
        req_valid_o = f_valid;
        req_o.kind  = ReqStore;
        req_o.ack   = 1'b1;
        req_o.addr  = a_addr;
      end
      default: ;
    endcase
    if (state_q != StWork || stop_i) req_valid_o = 1'b0;
  end

  // What the root turns around goes first: it holds up everybody else.
  logic turn_release, turn_result;
  up_head_t root_head;
  assign root_head = up_head_t'(root_data_i[$bits(up_head_t)-1:0]);
  assign turn_release = root_valid_i && root_ctl_i.head && root_head.kind inside {CollBar, CollAg, CollA2a};
  assign turn_result = root_valid_i && !root_ctl_i.head && job_q.op == OpNar;
  assign root_turn = (turn_release || turn_result) && !stop_i;
  assign root_write_o = root_valid_i && !root_ctl_i.head && !turn_result && state_q == StWork;
  always_comb begin
    dn_ctl_o = '{
        mask: job_q.mask,
        kind: job_q.op == OpNmc ? DnWrite : DnPiece,
        group: job_q.group,
        last: out_last,
        both: out_count == 16'd2,
        src: at_i,
        word: out_word_q,
        sem: out_last && job_q.op == OpNmc ? job_q.sem : '0,
        cnt: out_last && job_q.op == OpNmc ? job_q.count[7:0] : '0
    };
    for (int unsigned l = 0; l < Lanes; l++) dn_data_o[l*256+:256] = f_word[l];
    dn_valid_o = state_q == StWork && !stop_i && f_valid && !head_q && job_q.op inside {OpNmc, OpNag};
    if (root_turn) begin
      dn_valid_o = 1'b1;
      dn_ctl_o = '{
          mask: job_q.mask | (turn_release ? tile_bit(job_q.root) : '0),
          kind: turn_release ? DnRelease : DnResult,
          group: job_q.group,
          last: root_ctl_i.last,
          both: Lanes == 2 && !root_odd,
          src: at_i,
          word: '0,
          sem: '0,
          cnt: '0
      };
      dn_data_o = turn_release ? '0 : root_data_i;
    end
  end
  always_comb begin
    root_ready_o = 1'b0;
    if (root_valid_i) begin
      if (stop_i) root_ready_o = 1'b1;
      else if (root_turn) root_ready_o = dn_ready_i;
      else if (root_ctl_i.head) root_ready_o = 1'b1;
      else root_ready_o = root_written_i;
    end
  end

  logic up_fire, req_fire, dn_fire, word_fire;
  assign up_fire   = up_valid_o;
  assign req_fire  = req_valid_o && req_ready_i;
  assign dn_fire   = dn_valid_o && dn_ready_i && !root_turn;
  assign word_fire = f_valid && f_ready;
  always_comb begin
    unique case (job_q.op)
      OpNred, OpNar, OpNrs: f_ready = up_fire && !head_q;
      OpNmc, OpNag: f_ready = dn_fire;
      default: f_ready = req_fire;
    endcase
    if (stop_i) f_ready = 1'b1;
    gen_ready = job_q.op == OpNld ? req_fire : rq_ready && beat_q == burst.beats - 4'd1;
  end

  // ------------------------------------------------------------------------------------------ arriving
  logic [22:0] land_left_q;  // words that are still to be written here
  logic [WordW-1:0] land_word_q;
  logic forwards_q;  // results are still to be turned around
  assign land_o       = state_q == StWork && is_collective(job_q.op) && !stop_i;
  assign land_group_o = job_q.group;
  assign land_word_o  = land_word_q;
  logic [1:0] root_words, landed;
  assign root_words = Lanes == 2 && !root_odd ? 2'd2 : 2'd1;
  assign root_both_o = root_words == 2'd2;
  assign landed = landed_i + 2'(piece_i) + (root_write_o && root_written_i ? root_words : 2'd0);

  // ------------------------------------------------------------------------------------------ progress
  logic waits_q;  // for the release
  logic [2:0] pipe_q;  // entries of the fetch in use
  logic finished;
  assign finished = !sends_q && !reads_q && !head_q && !waits_q && !forwards_q && land_left_q == '0 && open_q == '0 &&
                    !gen_busy && pipe_q == '0;
  logic [6:0] acks;
  assign acks = job_q.op == OpNmc ? job_q.members : 7'd1;

  function automatic logic [5:0] first_of(input logic [63:0] m);
    logic [5:0] f;
    f = '0;
    for (int unsigned i = 64; i > 0; i--) if (m[i-1]) f = 6'(i - 1);
    return f;
  endfunction
  logic contributes;
  assign contributes = reduces(job.op) && job.member;

  logic post_any;
  always_comb begin
    post_o = post_of(job_q.sync);
    if (posts_along) begin
      post_o.remote = 1'b0;
      post_o.sem1   = '0;
      post_o.cnt1   = '0;
    end
    post_any     = post_o.cnt0 != '0 || post_o.cnt1 != '0;
    post_valid_o = state_q == StPost && post_any && !stop_i;
  end
  logic retire;
  assign retire   = state_q == StPost && !stop_i && (!post_any || post_ready_i);
  assign retire_o = '{valid: retire, origin: job_q.origin, op: job_q.op};
  assign origin_o = job_q.origin;
  assign busy_o   = state_q inside {StWork, StPost};
  assign open_o   = open_q != '0;

  logic [23:0] opened;
  always_comb begin
    opened = '0;
    if (req_fire && job_q.op == OpNld) opened = 24'(burst.beats);
    else if (req_fire && req_o.ack) opened = 24'd1;
    else if (dn_fire && job_q.op == OpNmc && out_last) opened = 24'(acks);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= StIdle;
      reads_q      <= 1'b0;
      free_q       <= 1'b0;
      head_q       <= 1'b0;
      sends_q      <= 1'b0;
      waits_q      <= 1'b0;
      forwards_q   <= 1'b0;
      land_left_q  <= '0;
      open_q       <= '0;
      beat_q       <= '0;
      pipe_q       <= '0;
      job_q        <= '0;
      train_q      <= '0;
      read_left_q  <= '0;
      read_word_q  <= '0;
      out_train_q  <= '0;
      out_left_q   <= '0;
      out_word_q   <= '0;
      land_word_q  <= '0;
      peer_q       <= '0;
      peers_left_q <= '0;
    end else begin
      open_q <= open_q + opened - 24'(answers_i);
      unique case (state_q)
        StIdle:
        if (accept) begin
          job_q <= job;
          state_q <= instr_i.op inside {OpNgroup, OpNsync} ? StPost : StWork;
          reads_q     <= (instr_i.op inside {OpNwr, OpNmc} || ((contributes || instr_i.op inside {OpNag, OpNa2a}) && job.member));
          free_q <= !(instr_i.op inside {OpNag, OpNa2a});
          sends_q <= !(instr_i.op inside {OpNgroup, OpNsync, OpNld, OpNst});
          head_q <= is_collective(instr_i.op);
          waits_q <= instr_i.op inside {OpNbar, OpNag, OpNa2a};
          forwards_q <= instr_i.op == OpNar && job.is_root;
          land_left_q <= '0;
          unique case (instr_i.op)
            OpNred: if (job.is_root) land_left_q <= 23'(job.len);
            OpNar: if (job.member) land_left_q <= 23'(job.len);
            OpNrs: land_left_q <= 23'(job.len);
            OpNag, OpNa2a: if (job.member) land_left_q <= 23'(job.members) * 23'(job.len);
            default: ;
          endcase
          land_word_q <= job.dst[WordW-1:0];
          train_q     <= '0;
          read_left_q <= job.len;
          read_word_q <= job.src;
          out_train_q <= '0;
          out_left_q  <= job.len;
          out_word_q  <= job.dst;
          if (instr_i.op inside {OpNag, OpNa2a})
            out_word_q <= job.dst + 27'(22'(job.rank) * 22'(job.len));
          peer_q       <= coord_of(first_of(job.mask));
          peers_left_q <= job.mask & ~(64'd1 << first_of(job.mask));
          beat_q       <= '0;
        end
        StWork:
        if (!stop_i) begin
          // reading
          if (rq_ready && job_q.op == OpNst)
            beat_q <= beat_q == burst.beats - 4'd1 ? '0 : beat_q + 4'd1;
          if (rq_ready && job_q.op != OpNst) begin
            read_word_q <= read_word_q + 27'(rq_count);
            read_left_q <= read_left_q - rq_count;
            if (read_left_q == rq_count) begin
              read_left_q <= job_q.len;
              train_q     <= train_q + 6'd1;
              if (!many || 7'(train_q) + 7'd1 == job_q.members) reads_q <= 1'b0;
            end
          end
          pipe_q <= pipe_q + 3'(rq_ready) - 3'(word_fire);
          // sending
          if (up_fire && head_q) begin
            head_q <= 1'b0;
            if (job_q.op == OpNbar || !job_q.member) sends_q <= 1'b0;  // nothing follows
          end
          if (word_fire && job_q.op != OpNst) begin
            out_word_q <= out_word_q + 27'(out_count);
            out_left_q <= out_left_q - out_count;
            if (out_last) begin
              out_left_q <= job_q.len;
              out_train_q <= out_train_q + 6'd1;
              out_word_q   <= job_q.dst + (job_q.op == OpNa2a ? 27'(22'(job_q.rank) * 22'(job_q.len)) : '0);
              peer_q <= coord_of(first_of(peers_left_q));
              peers_left_q <= peers_left_q & ~(64'd1 << first_of(peers_left_q));
              if (many && 7'(out_train_q) + 7'd1 != job_q.members) head_q <= job_q.op == OpNrs;
              else sends_q <= 1'b0;
            end
          end
          if (req_fire && job_q.op == OpNpost) sends_q <= 1'b0;
          // arriving
          if (release_i && release_group_i == job_q.group) begin
            waits_q <= 1'b0;
            free_q  <= 1'b1;
          end
          land_left_q <= land_left_q - 23'(landed);
          if (reduces(job_q.op)) land_word_q <= land_word_q + WordW'(landed);
          if (root_turn && turn_result && dn_ready_i && root_ctl_i.last) forwards_q <= 1'b0;
          if (finished) state_q <= StPost;
        end
        StPost:  if (retire) state_q <= StIdle;
        default: ;
      endcase
      if (fault_o.valid) state_q <= StDead;
    end
  end

  // -------------------------------------------------------------------------------------------- faults
  logic faulted;
  assign faulted = state_q == StDead;
  always_comb begin
    fault_o = '0;
    if (!faulted && !stop_i) begin
      fault_o.engine = EngNet;
      fault_o.origin = job_q.origin;
      if (starts && bad) begin
        fault_o = '{
            valid: 1'b1,
            cause: bad_cause,
            engine: EngNet,
            origin: '{thread: instr_i.thread, pc: instr_i.pc},
            addr: bad_addr
        };
      end else if (gen_bad) begin
        fault_o.valid = 1'b1;
        fault_o.cause = CauseBadHbmAddr;
        fault_o.addr  = gen_bad_addr;
      end else if (parity) begin
        fault_o.valid = 1'b1;
        fault_o.cause = CauseParity;
      end else if (answers_i != '0 && answer_cause_i != CauseNone) begin
        fault_o.valid = 1'b1;
        fault_o.cause = answer_cause_i;
        fault_o.addr  = 32'({job_q.tile.y, job_q.tile.x});
      end else if (mismatch_i) begin
        fault_o.valid = 1'b1;
        fault_o.cause = CauseGroupMismatch;
        fault_o.addr  = 32'(mismatch_group_i);
      end
    end
  end

  assign moved_o = up_fire || req_fire || (dn_valid_o && dn_ready_i) || landed != '0 || release_i ||
                   answers_i != '0 || retire || accept;
  always_comb begin
    if (!busy_o) activity_o = ActIdle;
    else if (moved_o) activity_o = ActBusy;
    else if (conflict) activity_o = ActWaitSpad;
    else if (f_valid || head_q) activity_o = ActWaitQueue;  // for room on a link
    else if (open_q != '0) activity_o = ActWaitMem;  // for answers
    else activity_o = ActWaitData;  // for the other members
  end

  `ASSERT_NEVER(AnswerOfAQuestion_A, 24'(answers_i) > open_q)
  `ASSERT_NEVER(NotMoreThanExpected_A, state_q == StWork && 23'(landed) > land_left_q)
  logic stray;  // a result of no collective that is executed
  assign stray = root_valid_i && !stop_i && (state_q != StWork || root_ctl_i.group != job_q.group);
  `ASSERT_NEVER(RootOfTheOneInFlight_A, stray)
endmodule
