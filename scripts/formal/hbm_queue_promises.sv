// SPDX-License-Identifier: Apache-2.0
// What hbm_queue promises at its ports, for any inputs but an open and a close of one bank in one clock. It keeps its own list of
// what waits. Proven on hbm_queue alone (Prove); where hbm_pc is proven the first group is assumed of its two queues.
module hbm_queue_promises
  import hbm_pkg::*;
#(
    parameter int unsigned Entries = 4,
    parameter bit Overwrite = 1'b0,
    parameter bit Prove = 1'b0,
    localparam int unsigned IdxW = $clog2(Entries)
) (
    input logic clk_i,
    input logic rst_ni,
    input logic put_valid_i,
    input logic put_ready_o,
    input place_t put_i,
    input logic put_hit_i,
    input logic [IdxW-1:0] put_idx_o,
    input logic put_new_o,
    input logic put_over_o,
    input logic find_valid_i,
    input place_t find_i,
    input logic find_o,
    input logic [Banks-1:0] act_ok_i,
    input logic [Banks-1:0] pre_ok_i,
    input logic [Banks-1:0] col_ok_i,
    input logic [Groups-1:0] group_ok_i,
    input logic [7:0] burst_ok_i[Entries],
    input logic age_tick_i,
    input logic act_valid_o,
    input block_t act_o,
    input logic pre_valid_o,
    input logic [BankW-1:0] pre_bank_o,
    input logic col_valid_o,
    input logic [IdxW-1:0] col_idx_o,
    input place_t col_o,
    input logic col_take_i,
    input logic open_i,
    input block_t open_at_i,
    input logic [Banks-1:0] close_i,
    input logic [Banks-1:0] pending_o,
    input logic [Banks-1:0] hits_o,
    input logic any_o,
    input logic any_go_o,
    // hbm_queue's own records, for the invariant that the induction needs (RecordsAgree_A) and nothing else
    input logic [Entries-1:0] own_valid_i,
    input logic [Entries-1:0] own_hit_i,
    input logic [Entries-1:0] own_aged1_i,
    input logic [Entries-1:0] own_aged_i,
    input logic [Entries-1:0] own_older_i[Entries],
    input block_t own_block_i[Entries],
    input logic [7:0] own_mask_i[Entries]
);
  // ---------------------------------------------------------- what is picked is allowed: all that timing needs
  logic [BankW-1:0] col_bank;
  logic act, pre, col;
  assign col_bank = col_o.block.bank;
  assign act = !act_valid_o || (act_ok_i[act_o.bank] && pending_o[act_o.bank] && any_o && any_go_o);
  assign pre = !pre_valid_o || (pre_ok_i[pre_bank_o] && pending_o[pre_bank_o] && !hits_o[pre_bank_o] && any_o && any_go_o);
  assign col = !col_valid_o || (col_ok_i[col_bank] && group_ok_i[col_bank[5:3]] && pending_o[col_bank] && hits_o[col_bank] &&
               any_o && any_go_o);
  if (!Prove) begin : gen_assume
    assume property (@(posedge clk_i) disable iff (!rst_ni) (act && pre && col));
  end else begin : gen_prove
    `define PROMISE(name, expr) name : assert property (@(posedge clk_i) disable iff (!rst_ni) (expr));
    `PROMISE(ActivateAllowed_A, act)
    `PROMISE(PrechargeAllowed_A, pre)
    `PROMISE(ColumnAllowed_A, col)

    // ---------------------------------------------------------------------------------- what waits here
    typedef logic [IdxW:0] rank_t;
    logic   [Entries-1:0] valid_q, hit_q, gone;
    block_t               block_q[Entries];
    logic   [7:0]         mask_q[Entries], mask_d[Entries];
    logic   [1:0]         ticks_q[Entries];  // age ticks seen: aged from the second on
    rank_t                rank_q[Entries];  // entries that came before
    logic put, take;
    assign put  = put_valid_i && put_ready_o;
    assign take = col_take_i && col_valid_o;
    always_comb
      for (int unsigned i = 0; i < Entries; i++) begin
        mask_d[i] = valid_q[i] ? mask_q[i] : '0;
        if (put && put_idx_o == IdxW'(i)) mask_d[i][put_i.burst] = 1'b1;
        if (take && col_idx_o == IdxW'(i)) mask_d[i][col_o.burst] = 1'b0;
        gone[i] = valid_q[i] && mask_d[i] == '0;
      end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q <= '0;
      else for (int unsigned i = 0; i < Entries; i++) valid_q[i] <= mask_d[i] != '0;
    end
    rank_t rank_d[Entries];
    always_comb
      for (int unsigned i = 0; i < Entries; i++) begin
        rank_d[i] = rank_q[i];
        if (put && put_new_o && put_idx_o == IdxW'(i)) rank_d[i] = rank_t'($countones(valid_q));
        for (int unsigned j = 0; j < Entries; j++)
        if (gone[j] && (j != i) && (!valid_q[i] || rank_q[j] < rank_q[i])) rank_d[i] = rank_d[i] - 1'b1;
      end
    always_ff @(posedge clk_i)
      for (int unsigned i = 0; i < Entries; i++) begin
        mask_q[i] <= mask_d[i];
        rank_q[i] <= rank_d[i];
        if (age_tick_i && ticks_q[i] != 2'd2) ticks_q[i] <= ticks_q[i] + 1'b1;
        if (find_valid_i && valid_q[i] && block_q[i] == find_i.block && mask_q[i][find_i.burst]) ticks_q[i] <= 2'd2;
        if (close_i[block_q[i].bank]) hit_q[i] <= 1'b0;
        else if (open_i && open_at_i.bank == block_q[i].bank) hit_q[i] <= open_at_i.row == block_q[i].row;
        if (put && put_new_o && put_idx_o == IdxW'(i)) begin
          block_q[i] <= put_i.block;
          ticks_q[i] <= '0;
          hit_q[i]   <= open_i && open_at_i.bank == put_i.block.bank ? open_at_i.row == put_i.block.row :
                        put_hit_i && !close_i[put_i.block.bank];
        end
      end
    logic [Entries-1:0] go, aged, ready, legal;
    always_comb
      for (int unsigned i = 0; i < Entries; i++) begin
        go[i]    = valid_q[i] && (mask_q[i] & burst_ok_i[i]) != '0;
        aged[i]  = valid_q[i] && ticks_q[i] == 2'd2;
        ready[i] = go[i] && hit_q[i] && col_ok_i[block_q[i].bank];
        legal[i] = ready[i] && group_ok_i[block_q[i].bank[5:3]];
      end
    assume property (@(posedge clk_i) !open_i || !close_i[open_at_i.bank]);

    // The induction needs to know that ranks are 0, 1, 2 ... and that the design's records say the same.
    logic ranked, agree;
    always_comb begin
      ranked = 1'b1;
      agree  = own_valid_i == valid_q;
      for (int unsigned i = 0; i < Entries; i++)
      if (valid_q[i]) begin
        if (32'(rank_q[i]) >= $countones(valid_q) || mask_q[i] == '0) ranked = 1'b0;
        if (own_block_i[i] != block_q[i] || own_mask_i[i] != mask_q[i] || own_hit_i[i] != hit_q[i] ||
            own_aged_i[i] != (ticks_q[i] == 2'd2) || own_aged1_i[i] != (ticks_q[i] != '0) || ticks_q[i] == 2'd3)
          agree = 1'b0;
        for (int unsigned j = 0; j < Entries; j++) begin
          if (valid_q[j] && i != j && rank_q[i] == rank_q[j]) ranked = 1'b0;
          if (own_older_i[i][j] != (valid_q[j] && rank_q[j] < rank_q[i])) agree = 1'b0;
        end
      end
    end
    `PROMISE(RanksCount_A, ranked)
    `PROMISE(RecordsAgree_A, agree)

    // Nothing is lost: a burst goes to a free entry or to one of its block; what is picked waits.
    `PROMISE(PutInFreeEntry_A, !(put && put_new_o) || !valid_q[put_idx_o])
    `PROMISE(PutInItsBlock_A, !(put && !put_new_o) || (valid_q[put_idx_o] && block_q[put_idx_o] == put_i.block))
    `PROMISE(PutOnceOrOver_A, !(put && !put_new_o) || mask_q[put_idx_o][put_i.burst] == put_over_o)
    `PROMISE(PickedWaits_A, !col_valid_o || (valid_q[col_idx_o] && mask_q[col_idx_o][col_o.burst] &&
                            burst_ok_i[col_idx_o][col_o.burst] && block_q[col_idx_o] == col_o.block && hit_q[col_idx_o]))
    `PROMISE(AnyWaits_A, any_o == (valid_q != '0))
    logic found;
    always_comb begin
      found = 1'b0;
      for (int unsigned i = 0; i < Entries; i++)
      if (valid_q[i] && block_q[i] == find_i.block && mask_q[i][find_i.burst]) found = 1'b1;
    end
    `PROMISE(FindsWhatWaits_A, find_o == found)

    // --------------------------------------------------------------------------------------------- ages
    // The oldest aged entry whose column command is legal is picked.
    logic [Entries-1:0] aged_legal, aged_ready;
    logic passed, wrong_sid, robbed, pre_passed, act_passed, sid_known;
    assign aged_legal = aged & legal;
    assign aged_ready = aged & ready;
    always_comb begin
      passed     = 1'b0;
      robbed     = 1'b0;
      sid_known  = 1'b0;
      pre_passed = 1'b0;
      act_passed = 1'b0;
      for (int unsigned i = 0; i < Entries; i++) begin
        automatic logic aged_hit = 1'b0;  // an aged entry of this bank's open row waits
        automatic logic pre_older = 1'b0;
        automatic logic act_older = 1'b0;
        for (int unsigned j = 0; j < Entries; j++)
        if (go[j]) begin
          if (aged[j] && hit_q[j] && block_q[j].bank == block_q[i].bank) aged_hit = 1'b1;
          if (rank_q[j] <= rank_q[i] && !hit_q[j] && block_q[j].bank == pre_bank_o) pre_older = 1'b1;
          if (rank_q[j] <= rank_q[i] && !hit_q[j] && block_q[j] == act_o) act_older = 1'b1;
        end
        if (aged_legal[i] && !(col_valid_o && aged_legal[col_idx_o] && rank_q[col_idx_o] <= rank_q[i])) passed = 1'b1;
        if (aged_ready[i] && block_q[i].bank[5:4] == col_bank[5:4]) sid_known = 1'b1;
        if (go[i] && aged[i] && !hit_q[i] && block_q[i].bank == col_bank && !aged[col_idx_o]) robbed = 1'b1;
        if (go[i] && aged[i] && !hit_q[i] && pre_ok_i[block_q[i].bank] && !aged_hit && !(pre_valid_o && pre_older))
          pre_passed = 1'b1;
        if (go[i] && !hit_q[i] && act_ok_i[block_q[i].bank] && !(act_valid_o && act_older)) act_passed = 1'b1;
      end
    end
    assign wrong_sid = aged_ready != '0 && aged_legal == '0 && col_valid_o && !sid_known;
    `PROMISE(OldestAgedIsPicked_A, !passed)
    `PROMISE(NothingBesideAgedStackId_A, !wrong_sid)
    // No younger hit keeps the row open that an aged entry needs closed.
    `PROMISE(NoHitBeforeAgedConflict_A, !(col_valid_o && robbed))
    // The oldest entries are served on the row bus: an aged one's precharge, and any one's activate, is offered or an older one's.
    `PROMISE(OldestPrechargeIsOffered_A, !pre_passed)
    `PROMISE(OldestActivateIsOffered_A, !act_passed)
    `undef PROMISE
  end
endmodule
