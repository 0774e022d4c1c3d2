// SPDX-License-Identifier: Apache-2.0
// What comes on dn, and the results that this tile has as a root: written to the scratchpad, up to Lanes words a cycle. The last
// word of a multicast posts, then is acknowledged; results go where NET says; releases are told to NET. Never waits for a
// network but rsp. A flit that belongs to no collective that NET executes is a fault (unexpected_o); a stopped tile takes
// and forgets everything.
`include "rtl/common/assert.svh"
module net_arrive
  import tepin_pkg::*;
  import tepin_isa_pkg::*;
  import noc_pkg::*;
  import noc_coll_pkg::*;
  import net_pkg::*;
#(
    parameter int unsigned Lanes = 1,
    parameter int unsigned SpadBytes = 131072,
    localparam int unsigned WordW = $clog2(SpadBytes / 32)
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    stop_i,
    // dn
    input  logic                    in_valid_i,
    input  dn_ctl_t                 in_ctl_i,
    input  logic    [Lanes*256-1:0] in_data_i,
    output logic                    in_ready_o,
    // a root's results
    input  logic                    root_valid_i,
    input  logic                    root_both_i,
    input  logic    [Lanes*256-1:0] root_data_i,
    output logic                    root_ready_o,
    // NET
    input  logic                    land_i,
    input  logic    [   GroupW-1:0] land_group_i,
    input  logic    [    WordW-1:0] land_word_i,
    output logic    [          1:0] landed_o,
    output logic                    release_o,
    output logic                    unexpected_o,
    // scratchpad
    output logic                    wr_valid_o  [Lanes],
    output logic    [    WordW-1:0] wr_word_o   [Lanes],
    output logic    [        255:0] wr_data_o   [Lanes],
    input  logic                    wr_gnt_i    [Lanes],
    // posts, acknowledgements
    output logic                    post_valid_o,
    output sem_op_t                 post_o,
    input  logic                    post_ready_i,
    output logic                    ack_valid_o,
    output coord_t                  ack_dst_o,
    output cause_e                  ack_cause_o,
    input  logic                    ack_ready_i
);
  logic written_q, posted_q;  // of the multicast's last word
  logic root_q;  // who was served last
  logic [Lanes-1:0] done_q, done_d;  // words of the flit that are written

  // ----------------------------------------------------------------------------------------- who writes
  logic expected, writes, by_root, whole;
  logic [Lanes-1:0] wanted;
  logic [Lanes*256-1:0] data;
  logic [WordW-1:0] word;
  assign expected = in_ctl_i.kind == DnWrite || (land_i && in_ctl_i.group == land_group_i);
  assign writes   = in_valid_i && in_ctl_i.kind != DnRelease && expected && !written_q && !stop_i;
  // A flit that has begun is finished first, else they take turns.
  assign by_root  = root_valid_i && !stop_i && (!writes || (done_q != '0 ? root_q : !root_q));
  always_comb begin
    data = by_root ? root_data_i : in_data_i;
    word = by_root || in_ctl_i.kind == DnResult ? land_word_i : in_ctl_i.word[WordW-1:0];
    wanted = '0;
    wanted[0] = 1'b1;
    if (Lanes == 2 && (by_root ? root_both_i : in_ctl_i.both)) wanted = '1;
    for (int unsigned l = 0; l < Lanes; l++) begin
      wr_valid_o[l] = (by_root || writes) && wanted[l] && !done_q[l];
      wr_word_o[l]  = word + WordW'(l);
      wr_data_o[l]  = data[l*256+:256];
    end
  end
  always_comb begin
    done_d = done_q;
    for (int unsigned l = 0; l < Lanes; l++) if (wr_gnt_i[l]) done_d[l] = 1'b1;
    whole = (by_root || writes) && done_d == wanted;
  end
  assign root_ready_o = by_root && whole;
  logic dn_whole;
  assign dn_whole = writes && !by_root && whole;
  assign landed_o = dn_whole && in_ctl_i.kind != DnWrite ? 2'($countones(wanted)) : 2'd0;

  // ------------------------------------------------------------------------------- the end of a multicast
  logic ends, tail;
  assign ends = in_ctl_i.kind == DnWrite && in_ctl_i.last;
  assign tail = in_valid_i && ends && (written_q || stop_i);
  assign post_valid_o = tail && in_ctl_i.cnt != '0 && !posted_q && !stop_i;
  always_comb begin
    post_o      = '0;
    post_o.sem0 = in_ctl_i.sem;
    post_o.cnt0 = 32'(in_ctl_i.cnt);
  end
  assign ack_valid_o = tail && (in_ctl_i.cnt == '0 || posted_q || stop_i);
  assign ack_dst_o = in_ctl_i.src;
  assign ack_cause_o = stop_i ? CauseTileStopped : CauseNone;
  assign release_o = in_valid_i && in_ctl_i.kind == DnRelease && expected && !stop_i;
  assign unexpected_o = in_valid_i && !expected && !stop_i;
  always_comb begin
    if (ends) in_ready_o = ack_valid_o && ack_ready_i;
    else in_ready_o = in_valid_i && (stop_i || !expected || in_ctl_i.kind == DnRelease || dn_whole);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      written_q <= 1'b0;
      posted_q  <= 1'b0;
      root_q    <= 1'b0;
      done_q    <= '0;
    end else begin
      done_q <= whole || stop_i ? '0 : done_d;
      if (by_root || writes) root_q <= by_root;
      if (in_ready_o) begin
        written_q <= 1'b0;
        posted_q  <= 1'b0;
      end else begin
        if (dn_whole && ends) written_q <= 1'b1;
        if (post_valid_o && post_ready_i) posted_q <= 1'b1;
      end
    end
  end
  `ASSERT_NEVER(ReadyOnlyForAFlit_A, in_ready_o && !in_valid_i)
endmodule
