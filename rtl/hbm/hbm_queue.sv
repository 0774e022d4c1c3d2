// SPDX-License-Identifier: Apache-2.0
// Queue of row segments of one pseudo-channel, reads or writes: each entry is up to eight bursts of one
// 256-byte block. A burst that arrives joins the entry of its block, if there is one that has not yet
// held it, so 32-byte requests of several streams still make long segments. Picks, each cycle and
// independently, the oldest entry for an activate, a precharge and a column command; aged entries go
// first and hold back younger ones. Combinational from the allowances (act_ok_i ...) to the picks; a
// put is taken in the cycle it is offered. Does not know time: the bank table says what is legal now.
`include "rtl/common/assert.svh"
module hbm_queue
  import hbm_pkg::*;
#(
    parameter int unsigned Entries = 16,
    parameter bit Overwrite = 1'b0,  // a burst that already waits is taken by its entry (writes)
    localparam int unsigned IdxW = $clog2(Entries)
) (
    input logic clk_i,
    input logic rst_ni,
    // put: one burst a cycle
    input logic put_valid_i,
    output logic put_ready_o,  // depends on put_i
    input place_t put_i,
    input logic put_hit_i,  // its row is open
    output logic [IdxW-1:0] put_idx_o,
    output logic put_new_o,  // ... in an entry that was free
    output logic put_over_o,  // ... on top of a burst that waits
    // does a burst wait here: then its entry counts as aged
    input logic find_valid_i,
    input place_t find_i,
    output logic find_o,
    // block of an entry
    input logic [IdxW-1:0] peek_idx_i,
    output block_t peek_o,
    // what is allowed now
    input logic [Banks-1:0] act_ok_i,
    input logic [Banks-1:0] pre_ok_i,  // open, and may be closed
    input logic [Banks-1:0] col_ok_i,  // open, and tRCD met
    input logic [Groups-1:0] group_ok_i,  // column command of this kind: bus turned, tCCD met
    input logic [7:0] burst_ok_i[Entries],  // bursts whose bytes are complete
    input logic age_tick_i,
    input logic [2:0] last_group_i,  // {sid, bg} of the last column command
    // picks
    output logic act_valid_o,
    output block_t act_o,
    output logic pre_valid_o,
    output logic [BankW-1:0] pre_bank_o,
    output logic col_valid_o,
    output logic [IdxW-1:0] col_idx_o,
    output place_t col_o,
    input logic col_take_i,
    // rows opened and closed this cycle
    input logic open_i,
    input block_t open_at_i,
    input logic [Banks-1:0] close_i,
    // status
    output logic [Banks-1:0] pending_o,  // some entry needs the bank
    output logic [Banks-1:0] hits_o,  // ... in its open row, and is not held back
    output logic any_o,
    output logic any_go_o,  // some burst's bytes are complete
    output logic aged_o,  // ... of an aged entry
    output logic row_open_o,  // some such burst's row is open
    output logic row_ready_o  // ... and tRCD is met
);
  logic [Entries-1:0] valid_q, hit_q, aged1_q, aged_q;
  logic   [Entries-1:0] older_q[Entries];  // entries that came before
  block_t               block_q[Entries];
  logic [7:0] mask_q[Entries], used_q[Entries];

  // ------------------------------------------------------------------------------------------- put
  logic [7:0] put_bit;
  logic [IdxW-1:0] free_idx, join_idx;
  logic has_free, joins, over, put, put_new;
  logic [Entries-1:0] found;
  assign put_bit = 8'd1 << put_i.burst;
  always_comb begin
    joins    = 1'b0;
    over     = 1'b0;
    join_idx = '0;
    has_free = 1'b0;
    free_idx = '0;
    found    = '0;
    for (int unsigned i = 0; i < Entries; i++) begin
      if (!valid_q[i]) begin
        has_free = 1'b1;
        free_idx = IdxW'(i);
      end else begin
        if (block_q[i] == put_i.block && !over) begin
          if (Overwrite && (mask_q[i] & put_bit) != '0) begin
            over     = 1'b1;
            join_idx = IdxW'(i);
          end else if ((used_q[i] & put_bit) == '0) begin
            joins    = 1'b1;
            join_idx = IdxW'(i);
          end
        end
        found[i] = block_q[i] == find_i.block && mask_q[i][find_i.burst];
      end
    end
  end
  assign find_o      = found != '0;
  assign put_new     = !over && !joins;
  assign put_new_o   = put_new;
  assign put_over_o  = over;
  assign put_ready_o = !put_new || has_free;
  assign put_idx_o   = put_new ? free_idx : join_idx;
  assign put         = put_valid_i && put_ready_o;

  // ----------------------------------------------------------------------------------------- picks
  logic [Entries-1:0] go, can_act, can_pre, ready, legal, from, first_act, first_pre, first_col;
  logic [Entries-1:0] same_sid, paired_sid, aged_sid, other_group;
  logic [ Banks-1:0] aged_conflict;
  logic [Groups-1:0] ready_group;
  logic [3:0] pair, aged_sids;
  logic any_aged_ready;
  // An entry whose bytes are not there yet asks for no row and keeps none open.
  always_comb begin
    pending_o     = '0;
    aged_conflict = '0;
    go            = '0;
    for (int unsigned i = 0; i < Entries; i++)
    if (valid_q[i]) begin
      go[i] = (mask_q[i] & burst_ok_i[i]) != '0;
      pending_o[block_q[i].bank] = 1'b1;
      if (go[i] && aged_q[i] && !hit_q[i]) aged_conflict[block_q[i].bank] = 1'b1;
    end
  end
  always_comb begin
    hits_o      = '0;
    can_act     = '0;
    ready       = '0;
    legal       = '0;
    ready_group = '0;
    aged_sids   = '0;
    for (int unsigned i = 0; i < Entries; i++)
    if (go[i]) begin
      if (hit_q[i]) begin
        if (aged_q[i] || !aged_conflict[block_q[i].bank]) begin
          hits_o[block_q[i].bank] = 1'b1;
          if (col_ok_i[block_q[i].bank]) begin
            ready[i] = 1'b1;
            ready_group[block_q[i].bank[5:3]] = 1'b1;
            legal[i] = group_ok_i[block_q[i].bank[5:3]];
            if (aged_q[i]) aged_sids[block_q[i].bank[5:4]] = 1'b1;
          end
        end
      end else begin
        can_act[i] = act_ok_i[block_q[i].bank];
      end
    end
  end
  always_comb begin
    can_pre = '0;
    for (int unsigned i = 0; i < Entries; i++)
    if (go[i] && !hit_q[i]) can_pre[i] = pre_ok_i[block_q[i].bank] && !hits_o[block_q[i].bank];
  end
  // A stack ID whose both bank groups have open rows streams a burst a clock; changing it costs one.
  always_comb begin
    for (int unsigned s = 0; s < 4; s++) pair[s] = ready_group[2*s+:2] == 2'b11;
    same_sid    = '0;
    paired_sid  = '0;
    aged_sid    = '0;
    other_group = '0;
    for (int unsigned i = 0; i < Entries; i++) begin
      same_sid[i]    = block_q[i].bank[5:4] == last_group_i[2:1];
      paired_sid[i]  = pair[block_q[i].bank[5:4]];
      aged_sid[i]    = aged_sids[block_q[i].bank[5:4]];
      other_group[i] = same_sid[i] && block_q[i].bank[3] != last_group_i[0];
    end
    any_aged_ready = aged_sids != '0;
    // Aged entries first; meanwhile nothing that would keep the bus away from their stack ID.
    if ((legal & aged_q) != '0) from = legal & aged_q;
    else if (any_aged_ready) from = legal & aged_sid;
    else if ((legal & other_group) != '0) from = legal & other_group;
    else if (pair[last_group_i[2:1]]) from = legal & same_sid;
    else if (pair != '0) from = legal & paired_sid;
    else from = legal;
  end
  always_comb begin
    act_o      = '0;
    pre_bank_o = '0;
    col_idx_o  = '0;
    first_act  = '0;
    first_pre  = '0;
    first_col  = '0;
    for (int unsigned i = 0; i < Entries; i++) begin
      first_act[i] = can_act[i] && (older_q[i] & can_act) == '0;
      first_pre[i] = can_pre[i] && (older_q[i] & can_pre) == '0;
      first_col[i] = from[i] && (older_q[i] & from) == '0;
      if (first_act[i]) act_o = act_o | block_q[i];
      if (first_pre[i]) pre_bank_o = pre_bank_o | block_q[i].bank;
      if (first_col[i]) col_idx_o = col_idx_o | IdxW'(i);
    end
  end
  assign act_valid_o = can_act != '0;
  assign pre_valid_o = can_pre != '0;
  assign col_valid_o = from != '0;

  logic [7:0] col_bursts;
  assign col_bursts = mask_q[col_idx_o] & burst_ok_i[col_idx_o];
  always_comb begin
    col_o.block = block_q[col_idx_o];
    col_o.burst = '0;
    for (int unsigned k = 8; k > 0; k--) if (col_bursts[k-1]) col_o.burst = 3'(k - 1);
  end

  assign peek_o      = block_q[peek_idx_i];
  assign any_o       = valid_q != '0;
  assign any_go_o    = go != '0;
  assign aged_o      = (aged_q & go) != '0;
  assign row_open_o  = hits_o != '0;
  assign row_ready_o = ready != '0;

  // ----------------------------------------------------------------------------------------- state
  logic take;
  logic [7:0] take_bit;
  assign take     = col_take_i && col_valid_o;
  assign take_bit = 8'd1 << col_o.burst;

  logic [Entries-1:0] valid_d, hit_d, aged1_d, aged_d;
  logic [7:0] mask_d[Entries], used_d[Entries];
  logic [Entries-1:0] older_d[Entries];
  always_comb begin
    valid_d = valid_q;
    hit_d   = hit_q;
    aged1_d = aged1_q;
    aged_d  = aged_q;
    mask_d  = mask_q;
    used_d  = used_q;
    older_d = older_q;
    if (age_tick_i) begin
      aged1_d = valid_q;
      aged_d  = aged1_q & valid_q;
    end
    if (find_valid_i) begin
      aged1_d = aged1_d | found;
      aged_d  = aged_d | found;
    end
    for (int unsigned i = 0; i < Entries; i++) begin
      if (open_i && block_q[i].bank == open_at_i.bank) hit_d[i] = block_q[i].row == open_at_i.row;
      if (close_i[block_q[i].bank]) hit_d[i] = 1'b0;
    end
    if (put) begin
      if (put_new) begin
        valid_d[free_idx] = 1'b1;
        aged1_d[free_idx] = 1'b0;
        aged_d[free_idx]  = 1'b0;
        mask_d[free_idx]  = put_bit;
        used_d[free_idx]  = put_bit;
        older_d[free_idx] = valid_q;
        hit_d[free_idx]   = put_hit_i && !close_i[put_i.block.bank];
        if (open_i && open_at_i.bank == put_i.block.bank)
          hit_d[free_idx] = open_at_i.row == put_i.block.row;
      end else begin
        mask_d[join_idx] = mask_d[join_idx] | put_bit;
        used_d[join_idx] = used_d[join_idx] | put_bit;
      end
    end
    if (take) begin
      // A write on top of the burst that goes now goes with it.
      mask_d[col_idx_o] = mask_d[col_idx_o] & ~take_bit;
      if (mask_d[col_idx_o] == '0) begin
        valid_d[col_idx_o] = 1'b0;
        for (int unsigned i = 0; i < Entries; i++) older_d[i][col_idx_o] = 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= valid_d;
  end
  always_ff @(posedge clk_i) begin
    hit_q   <= hit_d;
    aged1_q <= aged1_d;
    aged_q  <= aged_d;
    mask_q  <= mask_d;
    used_q  <= used_d;
    older_q <= older_d;
    if (put && put_new) block_q[free_idx] <= put_i.block;
  end

  for (genvar i = 0; i < Entries; i++) begin : gen_check
    `ASSERT(WaitingBurstsOnly_A, !valid_q[i] || mask_q[i] != '0)
    `ASSERT(MaskWithinUsed_A, !valid_q[i] || (mask_q[i] & ~used_q[i]) == '0)
    `ASSERT(NotOlderThanItself_A, !valid_q[i] || !older_q[i][i])
  end
  `ASSERT(OneOldestActivate_A, $onehot0(first_act))
  `ASSERT(OneOldestColumn_A, $onehot0(first_col))
endmodule
