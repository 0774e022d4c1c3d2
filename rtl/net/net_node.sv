// SPDX-License-Identifier: Apache-2.0
// A tile's part of the network: the engine NET, what serves the other tiles, and the tile's routers of the four physical networks
// (docs/net.md, 5). A link to a neighbour is one vector each way, laid out as link_t and credit_t below: all registers. What a tile
// sends to itself on req and rsp does not enter the network: it takes a fifo here.
// The routers and what serves are reset by rst_ni alone; the engine also by core_rst_ni.
`include "rtl/common/assert.svh"
module net_node
  import tepin_pkg::*;
  import tepin_isa_pkg::*;
  import noc_pkg::*;
  import noc_coll_pkg::*;
  import net_pkg::*;
#(
    parameter int unsigned Lanes = 1,
    parameter int unsigned Pcs = 2,
    parameter int unsigned Sems = 64,
    parameter int unsigned SpadBytes = 131072,
    parameter int unsigned HbmBeats = 16777216,
    parameter int unsigned Depth = 4,  // slots a port of req, rsp, dn
    parameter int unsigned Shared = 4,  // of up
    localparam int unsigned WordW = $clog2(SpadBytes / 32),
    localparam int unsigned LinkW = link_bits(Lanes)
) (
    input logic clk_i,
    input logic rst_ni,
    input logic core_rst_ni,
    input logic stop_i,
    input coord_t at_i,
    input coord_t last_i,
    // links N, E, S, W
    output logic [LinkW-1:0] link_o[4],
    output logic [CreditW-1:0] credit_o[4],  // for what comes on link_i
    input logic [LinkW-1:0] link_i[4],
    input logic [CreditW-1:0] credit_i[4],  // for what went on link_o
    // instruction
    input logic instr_valid_i,
    output logic instr_ready_o,
    input engine_instr_t instr_i,
    // posts: 0 of the engine's instructions, 1 from req, 2 from dn
    output logic post_valid_o[3],
    output sem_op_t post_o[3],
    input logic post_ready_i[3],
    // posts to other tiles
    input logic rpost_valid_i,
    input remote_post_t rpost_i,
    output logic rpost_ready_o,
    // scratchpad: writes 0 req, 1 rsp, 2.. dn and results
    output logic rd_valid_o[Lanes],
    output logic [WordW-1:0] rd_word_o[Lanes],
    input logic rd_gnt_i[Lanes],
    input logic [255:0] rd_data_i[Lanes],
    input logic rd_bad_i[Lanes],
    output logic wr_valid_o[Lanes+2],
    output logic [WordW-1:0] wr_word_o[Lanes+2],
    output logic [255:0] wr_data_o[Lanes+2],
    input logic wr_gnt_i[Lanes+2],
    // memory
    output logic ar_valid_o[Pcs],
    output logic [25:0] ar_beat_o,
    output logic [3:0] ar_beats_o,
    input logic ar_ready_i[Pcs],
    input logic r_valid_i[Pcs],
    input logic [255:0] r_data_i[Pcs],
    input logic [1:0] r_resp_i[Pcs],
    input logic r_last_i[Pcs],
    output logic r_ready_o[Pcs],
    output logic aw_valid_o[Pcs],
    output logic [25:0] aw_beat_o,
    output logic [255:0] w_data_o,
    input logic aw_ready_i[Pcs],
    input logic b_valid_i[Pcs],
    input logic [1:0] b_resp_i[Pcs],
    output logic b_ready_o[Pcs],
    // status
    output logic busy_o,  // an instruction is in the engine
    output logic open_o,  // answers to this tile, or of its memory, are still to come
    output logic moving_o,  // a flit moved here this cycle or the last
    output activity_e activity_o,
    output fault_t fault_o,
    output origin_t origin_o,
    output retire_t retire_o
);
  localparam int unsigned ReqW = $bits(req_t);
  localparam int unsigned RspW = $bits(rsp_t);
  localparam int unsigned DataW = Lanes * 256;
  typedef struct packed {
    logic             req_valid;
    head_t            req_head;
    req_t             req;
    logic             rsp_valid;
    head_t            rsp_head;
    rsp_t             rsp;
    logic             up_valid;
    up_ctl_t          up_ctl;
    logic [DataW-1:0] up;
    logic             dn_valid;
    dn_ctl_t          dn_ctl;
    logic [DataW-1:0] dn;
  } link_t;
  typedef struct packed {
    ports_t  req;
    ports_t  rsp;
    groups_t up;
    logic    dn;
  } credit_t;
  if ($bits(link_t) != LinkW || $bits(credit_t) != CreditW) begin : gen_check
    $error("net_node: net_pkg's widths of a link are wrong");
  end

  // -------------------------------------------------------------------------------------------- engine
  logic e_req_valid, e_req_ready, e_dn_valid, e_dn_ready, e_up_valid;
  coord_t  e_req_dst;
  req_t    e_req;
  up_ctl_t e_up_ctl;
  dn_ctl_t e_dn_ctl;
  logic [DataW-1:0] e_up, e_dn;
  groups_t up_ready;
  logic
      root_valid,
      root_ready,
      root_write,
      root_both,
      root_written,
      land,
      release_v,
      unexpected,
      piece,
      mismatch;
  up_ctl_t root_ctl;
  logic [DataW-1:0] root_data;
  logic [GroupW-1:0] land_group, mismatch_group, up_mismatch_group;
  logic [WordW-1:0] land_word;
  logic [1:0] landed;
  logic [3:0] answers;
  cause_e answer_cause;
  logic engine_open, engine_moved, up_mismatch;
  dn_ctl_t dn_ctl;
  net #(
      .Lanes(Lanes),
      .Pcs(Pcs),
      .Sems(Sems),
      .SpadBytes(SpadBytes),
      .HbmBeats(HbmBeats)
  ) u_net (
      .clk_i,
      .rst_ni          (core_rst_ni),
      .stop_i,
      .at_i,
      .last_i,
      .instr_valid_i,
      .instr_ready_o,
      .instr_i,
      .post_valid_o    (post_valid_o[0]),
      .post_o          (post_o[0]),
      .post_ready_i    (post_ready_i[0]),
      .rd_valid_o,
      .rd_word_o,
      .rd_gnt_i,
      .rd_data_i,
      .rd_bad_i,
      .req_valid_o     (e_req_valid),
      .req_dst_o       (e_req_dst),
      .req_o           (e_req),
      .req_ready_i     (e_req_ready),
      .up_valid_o      (e_up_valid),
      .up_ctl_o        (e_up_ctl),
      .up_data_o       (e_up),
      .up_ready_i      (up_ready),
      .dn_valid_o      (e_dn_valid),
      .dn_ctl_o        (e_dn_ctl),
      .dn_data_o       (e_dn),
      .dn_ready_i      (e_dn_ready),
      .root_valid_i    (root_valid),
      .root_ctl_i      (root_ctl),
      .root_data_i     (root_data),
      .root_ready_o    (root_ready),
      .root_write_o    (root_write),
      .root_both_o     (root_both),
      .root_written_i  (root_written),
      .land_o          (land),
      .land_group_o    (land_group),
      .land_word_o     (land_word),
      .landed_i        (landed),
      .piece_i         (piece),
      .release_i       (release_v),
      .release_group_i (dn_ctl.group),
      .answers_i       (answers),
      .answer_cause_i  (answer_cause),
      .mismatch_i      (mismatch),
      .mismatch_group_i(mismatch_group),
      .busy_o,
      .open_o          (engine_open),
      .moved_o         (engine_moved),
      .activity_o,
      .fault_o,
      .origin_o,
      .retire_o
  );

  // ----------------------------------------------------------------------------------------------- req
  // Posts to other tiles go before the engine's own requests: an instruction that has ended must not wait for one that runs.
  logic rp_valid, q_valid, q_ready, s_valid, s_ready, req_moving, req_bad;
  remote_post_t rp;
  coord_t q_dst, s_src;
  req_t q, s_req;
  common_fifo #(
      .data_t(remote_post_t),
      .Depth (4)
  ) u_rpost (
      .clk_i,
      .rst_ni,
      .in_valid_i (rpost_valid_i),
      .in_ready_o (rpost_ready_o),
      .in_i       (rpost_i),
      .out_valid_o(rp_valid),
      .out_ready_i(q_ready),
      .out_o      (rp),
      .count_o    ()
  );
  always_comb begin
    q_valid = e_req_valid;
    q_dst   = e_req_dst;
    q       = e_req;
    if (rp_valid) begin
      q_valid = 1'b1;
      q_dst = coord_of(rp.tile);
      q = '{
          kind: ReqPost,
          ack: 1'b0,
          piece: 1'b0,
          sem: rp.sem,
          cnt: '0,
          addr: '0,
          data: 256'(rp.cnt)
      };
    end
  end
  assign e_req_ready = q_ready && !rp_valid;
  logic [3:0] req_iv, req_ov, rsp_iv, rsp_ov;
  head_t req_ih[4], req_oh[4], rsp_ih[4], rsp_oh[4];
  logic [ReqW-1:0] req_id[4], req_od[4];
  logic [RspW-1:0] rsp_id[4], rsp_od[4];
  ports_t req_ic[4], req_oc[4], rsp_ic[4], rsp_oc[4];
  net_unicast #(
      .Width(ReqW),
      .Depth(Depth)
  ) u_req (
      .clk_i,
      .rst_ni,
      .at_i,
      .last_i,
      .in_valid_i  (q_valid),
      .in_dst_i    (q_dst),
      .in_i        (q),
      .in_ready_o  (q_ready),
      .out_valid_o (s_valid),
      .out_src_o   (s_src),
      .out_o       (s_req),
      .out_ready_i (s_ready),
      .link_valid_i(req_iv),
      .link_head_i (req_ih),
      .link_data_i (req_id),
      .credit_o    (req_oc),
      .link_valid_o(req_ov),
      .link_head_o (req_oh),
      .link_data_o (req_od),
      .credit_i    (req_ic),
      .moving_o    (req_moving),
      .bad_o       (req_bad)
  );

  // --------------------------------------------------------------------------------------------- serving
  logic a_valid, a_ready, mc_valid, mc_ready, serve_open, serve_moved;
  coord_t a_dst, mc_dst;
  cause_e mc_cause;
  rsp_t   a;
  net_serve #(
      .Pcs(Pcs),
      .SpadBytes(SpadBytes)
  ) u_serve (
      .clk_i,
      .rst_ni,
      .stop_i,
      .in_valid_i  (s_valid),
      .in_src_i    (s_src),
      .in_i        (s_req),
      .in_ready_o  (s_ready),
      .mc_valid_i  (mc_valid),
      .mc_dst_i    (mc_dst),
      .mc_cause_i  (mc_cause),
      .mc_ready_o  (mc_ready),
      .rsp_valid_o (a_valid),
      .rsp_dst_o   (a_dst),
      .rsp_o       (a),
      .rsp_ready_i (a_ready),
      .wr_valid_o  (wr_valid_o[0]),
      .wr_word_o   (wr_word_o[0]),
      .wr_data_o   (wr_data_o[0]),
      .wr_gnt_i    (wr_gnt_i[0]),
      .piece_o     (piece),
      .post_valid_o(post_valid_o[1]),
      .post_o      (post_o[1]),
      .post_ready_i(post_ready_i[1]),
      .ar_valid_o,
      .ar_beat_o,
      .ar_beats_o,
      .ar_ready_i,
      .r_valid_i,
      .r_data_i,
      .r_resp_i,
      .r_last_i,
      .r_ready_o,
      .aw_valid_o,
      .aw_beat_o,
      .w_data_o,
      .aw_ready_i,
      .b_valid_i,
      .b_resp_i,
      .b_ready_o,
      .open_o      (serve_open),
      .moved_o     (serve_moved)
  );

  // ------------------------------------------------------------------------------------------------ rsp
  logic b_valid, b_ready, rsp_moving, rsp_bad;
  rsp_t b;
  net_unicast #(
      .Width(RspW),
      .Depth(Depth)
  ) u_rsp (
      .clk_i,
      .rst_ni,
      .at_i,
      .last_i,
      .in_valid_i  (a_valid),
      .in_dst_i    (a_dst),
      .in_i        (a),
      .in_ready_o  (a_ready),
      .out_valid_o (b_valid),
      .out_src_o   (),
      .out_o       (b),
      .out_ready_i (b_ready),
      .link_valid_i(rsp_iv),
      .link_head_i (rsp_ih),
      .link_data_i (rsp_id),
      .credit_o    (rsp_oc),
      .link_valid_o(rsp_ov),
      .link_head_o (rsp_oh),
      .link_data_o (rsp_od),
      .credit_i    (rsp_ic),
      .moving_o    (rsp_moving),
      .bad_o       (rsp_bad)
  );
  net_sink #(
      .SpadBytes(SpadBytes)
  ) u_sink (
      .stop_i,
      .in_valid_i(b_valid),
      .in_i      (b),
      .in_ready_o(b_ready),
      .wr_valid_o(wr_valid_o[1]),
      .wr_word_o (wr_word_o[1]),
      .wr_data_o (wr_data_o[1]),
      .wr_gnt_i  (wr_gnt_i[1]),
      .answers_o (answers),
      .cause_o   (answer_cause)
  );

  // ------------------------------------------------------------------------------------------------- up
  logic [Ports-1:0] up_iv, up_ov;
  up_ctl_t up_ict[Ports], up_oct[Ports];
  logic [DataW-1:0] up_id[Ports], up_od[Ports];
  groups_t up_ic[Ports], up_oc[Ports], root_credit_q;
  noc_up_sender #(
      .Shared(Shared)
  ) u_up_sender (
      .clk_i,
      .rst_ni,
      .ready_o (up_ready),
      .send_i  (e_up_valid ? groups_t'(1) << e_up_ctl.group : '0),
      .credit_i(up_oc[PortL])
  );
  logic e_up_valid_q;
  up_ctl_t e_up_ctl_q;
  logic [DataW-1:0] e_up_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) e_up_valid_q <= 1'b0;
    else e_up_valid_q <= e_up_valid;
  end
  always_ff @(posedge clk_i) begin
    if (e_up_valid) begin
      e_up_ctl_q <= e_up_ctl;
      e_up_q     <= e_up;
    end
  end
  assign up_iv[PortL]  = e_up_valid_q;
  assign up_ict[PortL] = e_up_ctl_q;
  assign up_id[PortL]  = e_up_q;
  noc_up #(
      .Width (DataW),
      .Shared(Shared)
  ) u_up (
      .clk_i,
      .rst_ni,
      .at_i,
      .last_i,
      .in_valid_i      (up_iv),
      .in_ctl_i        (up_ict),
      .in_data_i       (up_id),
      .credit_o        (up_oc),
      .out_valid_o     (up_ov),
      .out_ctl_o       (up_oct),
      .out_data_o      (up_od),
      .credit_i        (up_ic),
      .mismatch_o      (up_mismatch),
      .mismatch_group_o(up_mismatch_group),
      .idle_o          ()
  );
  // Every group may have one here, and Shared more.
  logic root_room;
  common_fifo #(
      .data_t(logic [$bits(up_ctl_t)+DataW-1:0]),
      .Depth (Groups + Shared)
  ) u_root (
      .clk_i,
      .rst_ni,
      .in_valid_i (up_ov[PortL]),
      .in_ready_o (root_room),
      .in_i       ({up_oct[PortL], up_od[PortL]}),
      .out_valid_o(root_valid),
      .out_ready_i(root_ready),
      .out_o      ({root_ctl, root_data}),
      .count_o    ()
  );
  `ASSERT_NEVER(RootHasRoom_A, up_ov[PortL] && !root_room)
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) root_credit_q <= '0;
    else root_credit_q <= root_valid && root_ready ? groups_t'(1) << root_ctl.group : '0;
  end
  assign up_ic[PortL]   = root_credit_q;
  assign mismatch       = up_mismatch || unexpected;
  assign mismatch_group = up_mismatch ? up_mismatch_group : dn_ctl.group;

  // ------------------------------------------------------------------------------------------------- dn
  logic [Ports-1:0] dn_iv, dn_ov, dn_ic, dn_oc;
  dn_ctl_t dn_ict[Ports], dn_oct[Ports];
  logic [DataW-1:0] dn_id[Ports], dn_od[Ports], dn_data;
  logic dn_valid, dn_ready;
  noc_dn_sender #(
      .Depth(Depth)
  ) u_dn_sender (
      .clk_i,
      .rst_ni,
      .ready_o (e_dn_ready),
      .send_i  (e_dn_valid && e_dn_ready),
      .credit_i(dn_oc[PortL])
  );
  logic e_dn_valid_q;
  dn_ctl_t e_dn_ctl_q;
  logic [DataW-1:0] e_dn_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) e_dn_valid_q <= 1'b0;
    else e_dn_valid_q <= e_dn_valid && e_dn_ready;
  end
  always_ff @(posedge clk_i) begin
    if (e_dn_valid && e_dn_ready) begin
      e_dn_ctl_q <= e_dn_ctl;
      e_dn_q     <= e_dn;
    end
  end
  assign dn_iv[PortL]  = e_dn_valid_q;
  assign dn_ict[PortL] = e_dn_ctl_q;
  assign dn_id[PortL]  = e_dn_q;
  noc_dn #(
      .Width(DataW),
      .Depth(Depth)
  ) u_dn (
      .clk_i,
      .rst_ni,
      .at_i,
      .last_i,
      .in_valid_i (dn_iv),
      .in_ctl_i   (dn_ict),
      .in_data_i  (dn_id),
      .credit_o   (dn_oc),
      .out_valid_o(dn_ov),
      .out_ctl_o  (dn_oct),
      .out_data_o (dn_od),
      .credit_i   (dn_ic),
      .idle_o     ()
  );
  net_inbox #(
      .Width($bits(dn_ctl_t) + DataW),
      .Depth(Depth)
  ) u_dn_inbox (
      .clk_i,
      .rst_ni,
      .in_valid_i (dn_ov[PortL]),
      .in_i       ({dn_oct[PortL], dn_od[PortL]}),
      .credit_o   (dn_ic[PortL]),
      .out_valid_o(dn_valid),
      .out_ready_i(dn_ready),
      .out_o      ({dn_ctl, dn_data})
  );
  logic arrive_valid[Lanes], arrive_gnt[Lanes];
  logic [WordW-1:0] arrive_word[Lanes];
  logic [255:0] arrive_data[Lanes];
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    assign wr_valid_o[2+l] = arrive_valid[l];
    assign wr_word_o[2+l]  = arrive_word[l];
    assign wr_data_o[2+l]  = arrive_data[l];
    assign arrive_gnt[l]   = wr_gnt_i[2+l];
  end
  net_arrive #(
      .Lanes(Lanes),
      .SpadBytes(SpadBytes)
  ) u_arrive (
      .clk_i,
      .rst_ni,
      .stop_i,
      .in_valid_i  (dn_valid),
      .in_ctl_i    (dn_ctl),
      .in_data_i   (dn_data),
      .in_ready_o  (dn_ready),
      .root_valid_i(root_write),
      .root_both_i (root_both),
      .root_data_i (root_data),
      .root_ready_o(root_written),
      .land_i      (land),
      .land_group_i(land_group),
      .land_word_i (land_word),
      .landed_o    (landed),
      .release_o   (release_v),
      .unexpected_o(unexpected),
      .wr_valid_o  (arrive_valid),
      .wr_word_o   (arrive_word),
      .wr_data_o   (arrive_data),
      .wr_gnt_i    (arrive_gnt),
      .post_valid_o(post_valid_o[2]),
      .post_o      (post_o[2]),
      .post_ready_i(post_ready_i[2]),
      .ack_valid_o (mc_valid),
      .ack_dst_o   (mc_dst),
      .ack_cause_o (mc_cause),
      .ack_ready_i (mc_ready)
  );

  // ---------------------------------------------------------------------------------------------- links
  for (genvar p = 0; p < 4; p++) begin : gen_link
    link_t   li;
    credit_t ci;
    assign li = link_t'(link_i[p]);
    assign ci = credit_t'(credit_i[p]);
    assign link_o[p] = {
      req_ov[p],
      req_oh[p],
      req_od[p],
      rsp_ov[p],
      rsp_oh[p],
      rsp_od[p],
      up_ov[p],
      up_oct[p],
      up_od[p],
      dn_ov[p],
      dn_oct[p],
      dn_od[p]
    };
    assign credit_o[p] = {req_oc[p], rsp_oc[p], up_oc[p], dn_oc[p]};
    assign req_iv[p] = li.req_valid;
    assign req_ih[p] = li.req_head;
    assign req_id[p] = li.req;
    assign rsp_iv[p] = li.rsp_valid;
    assign rsp_ih[p] = li.rsp_head;
    assign rsp_id[p] = li.rsp;
    assign up_iv[p] = li.up_valid;
    assign up_ict[p] = li.up_ctl;
    assign up_id[p] = li.up;
    assign dn_iv[p] = li.dn_valid;
    assign dn_ict[p] = li.dn_ctl;
    assign dn_id[p] = li.dn;
    assign req_ic[p] = ci.req;
    assign rsp_ic[p] = ci.rsp;
    assign up_ic[p] = ci.up;
    assign dn_ic[p] = ci.dn;
  end

  // Movement: what a router sends, or the tile takes. A flit that rests in a router rests because of others that move, or
  // waits for a tile that has not started its collective.
  logic moving_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) moving_q <= 1'b0;
    else
      moving_q <= engine_moved || serve_moved || req_moving || rsp_moving || (up_ov | dn_ov) != '0 || dn_valid || rp_valid ||
                  e_up_valid_q || e_dn_valid_q;
  end
  assign moving_o = moving_q;
  assign open_o   = engine_open || serve_open;
  `ASSERT_NEVER(OnlyTilesThatExist_A, req_bad || rsp_bad)
endmodule
