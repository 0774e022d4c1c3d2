// SPDX-License-Identifier: Apache-2.0
// Simulation top: what of a tile the network needs, and no more: net_node, its queue, semaphores and scratchpad, all as in the tile. Whole
// meshes of it simulate fast. Instructions and scratchpad contents come from the harness; there is no memory port. Simulation only.
module net_sim_top
  import tepin_pkg::*;
  import tepin_isa_pkg::*;
#(
    parameter int unsigned Lanes = 2,
    parameter int unsigned SpadBytes = 131072,
    localparam int unsigned LinkW = net_pkg::link_bits(Lanes),
    localparam int unsigned CreditW = net_pkg::CreditW,
    localparam int unsigned WordW = $clog2(SpadBytes / 32),
    localparam int unsigned NumRead = Lanes + 1,
    localparam int unsigned NumWrite = Lanes + 3
) (
    input logic clk_i,
    input logic rst_ni,
    input logic [5:0] at_i,
    input logic [5:0] last_i,
    output logic [LinkW-1:0] link_o[4],
    output logic [CreditW-1:0] credit_o[4],
    input logic [LinkW-1:0] link_i[4],
    input logic [CreditW-1:0] credit_i[4],
    // instructions, pushed while room_o
    input logic push_i,
    output logic room_o,
    input logic [7:0] op_i,
    input logic [15:0] flags_i,
    input logic [31:0] arg_i[8],
    input logic [62:0] sync_i,
    // scratchpad; data the cycle after a read
    input logic h_wr_i,
    input logic h_rd_i,
    input logic [31:0] h_word_i,
    input logic [255:0] h_data_i,
    output logic [255:0] h_data_o,
    output logic ready_o,
    // semaphores
    input logic sem_set_i,
    input logic [5:0] sem_i,
    input logic [31:0] sem_value_i,
    output logic [31:0] sem_value_o,
    // trace
    output logic t_read_o,  // a word of the scratchpad was read for the network
    output logic t_write_o,  // ... written
    output logic t_retire_o,
    output logic t_quiet_o,
    output logic [3:0] t_flits_o[4],
    output logic [4:0] fault_o
);
  logic rd_valid[NumRead], rd_gnt[NumRead], rd_bad[NumRead], wr_valid[NumWrite], wr_gnt[NumWrite];
  logic [WordW-1:0] rd_word[NumRead], wr_word[NumWrite];
  logic [255:0] rd_data[NumRead], wr_data[NumWrite];
  logic [31:0] wr_strb[NumWrite];
  tile_spad #(
      .Bytes(SpadBytes),
      .Banks(16),
      .NumRead(NumRead),
      .NumWrite(NumWrite)
  ) u_spad (
      .clk_i,
      .rst_ni,
      .inject_i(1'b0),
      .inject_word_i('0),
      .injected_o(),
      .rd_valid_i(rd_valid),
      .rd_word_i(rd_word),
      .rd_gnt_o(rd_gnt),
      .rd_data_o(rd_data),
      .rd_bad_o(rd_bad),
      .wr_valid_i(wr_valid),
      .wr_word_i(wr_word),
      .wr_strb_i(wr_strb),
      .wr_data_i(wr_data),
      .wr_gnt_o(wr_gnt),
      .ready_o,
      .conflicts_o()
  );

  logic wait_valid[2], wait_gnt[2], post_valid[3], post_ready[3], rpost_valid, rpost_ready;
  sem_op_t wait_op[2], post_op[3];
  remote_post_t rpost;
  logic sem_activity, over, under, bad_tile;
  assign wait_valid[1] = 1'b0;
  assign wait_op[1]    = '0;
  seq_sems #(
      .Sems(64),
      .NumWait(2),
      .NumPost(3)
  ) u_sems (
      .clk_i,
      .rst_ni,
      .wait_valid_i(wait_valid),
      .wait_i(wait_op),
      .wait_gnt_o(wait_gnt),
      .post_valid_i(post_valid),
      .post_i(post_op),
      .post_ready_o(post_ready),
      .last_i,
      .rpost_valid_o(rpost_valid),
      .rpost_o(rpost),
      .rpost_ready_i(rpost_ready),
      .host_sem_i(sem_i),
      .host_set_i(sem_set_i),
      .host_value_i(sem_value_i),
      .host_value_o(sem_value_o),
      .activity_o(sem_activity),
      .overflow_o(over),
      .underflow_o(under),
      .bad_tile_o(bad_tile),
      .bad_sem_o(),
      .bad_post_o()
  );

  engine_instr_t instr, head;
  logic q_valid, q_ready;
  always_comb begin
    instr = '{op: op_i, thread: '0, pc: '0, sync: sync_i, flags: flags_i, arg: '0};
    for (int unsigned i = 0; i < 8; i++) instr.arg[i] = arg_i[i];
  end
  seq_queue #(
      .Depth(8)
  ) u_queue (
      .clk_i,
      .rst_ni,
      .stop_i(stop_q),
      .push_i,
      .room_o,
      .instr_i(instr),
      .wait_valid_o(wait_valid[0]),
      .wait_o(wait_op[0]),
      .wait_gnt_i(wait_gnt[0]),
      .out_valid_o(q_valid),
      .out_ready_i(q_ready),
      .out_o(head),
      .empty_o(),
      .waiting_o(),
      .head_o()
  );

  logic n_rd_valid[Lanes], n_rd_gnt[Lanes], n_rd_bad[Lanes], n_wr_valid[Lanes+2], n_wr_gnt[Lanes+2];
  logic [WordW-1:0] n_rd_word[Lanes], n_wr_word[Lanes+2];
  logic [255:0] n_rd_data[Lanes], n_wr_data[Lanes+2];
  logic no1[1], unused_ready[1];
  logic [255:0] no_data[1];
  logic [  1:0] no_resp[1];
  logic stop_q, moving;
  fault_t  fault;
  retire_t retire;
  assign no1[0] = 1'b0;
  assign no_data[0] = '0;
  assign no_resp[0] = '0;
  net_node #(
      .Lanes(Lanes),
      .Pcs(1),
      .SpadBytes(SpadBytes)
  ) u_node (
      .clk_i,
      .rst_ni,
      .core_rst_ni(rst_ni),
      .stop_i(stop_q),
      .at_i,
      .last_i,
      .link_o,
      .credit_o,
      .link_i,
      .credit_i,
      .instr_valid_i(q_valid),
      .instr_ready_o(q_ready),
      .instr_i(head),
      .post_valid_o(post_valid),
      .post_o(post_op),
      .post_ready_i(post_ready),
      .rpost_valid_i(rpost_valid),
      .rpost_i(rpost),
      .rpost_ready_o(rpost_ready),
      .rd_valid_o(n_rd_valid),
      .rd_word_o(n_rd_word),
      .rd_gnt_i(n_rd_gnt),
      .rd_data_i(n_rd_data),
      .rd_bad_i(n_rd_bad),
      .wr_valid_o(n_wr_valid),
      .wr_word_o(n_wr_word),
      .wr_data_o(n_wr_data),
      .wr_gnt_i(n_wr_gnt),
      .ar_valid_o(),
      .ar_beat_o(),
      .ar_beats_o(),
      .ar_ready_i(no1),
      .r_valid_i(no1),
      .r_data_i(no_data),
      .r_resp_i(no_resp),
      .r_last_i(no1),
      .r_ready_o(unused_ready),
      .aw_valid_o(),
      .aw_beat_o(),
      .w_data_o(),
      .aw_ready_i(no1),
      .b_valid_i(no1),
      .b_resp_i(no_resp),
      .b_ready_o(),
      .busy_o(),
      .open_o(),
      .moving_o(moving),
      .activity_o(),
      .fault_o(fault),
      .origin_o(),
      .retire_o(retire)
  );

  always_comb begin
    t_read_o  = 1'b0;
    t_write_o = 1'b0;
    for (int unsigned l = 0; l < Lanes; l++) begin
      rd_valid[l]  = n_rd_valid[l];
      rd_word[l]   = n_rd_word[l];
      n_rd_gnt[l]  = rd_gnt[l];
      n_rd_data[l] = rd_data[l];
      n_rd_bad[l]  = rd_bad[l];
      t_read_o |= n_rd_valid[l] && rd_gnt[l];
    end
    for (int unsigned l = 0; l < Lanes + 2; l++) begin
      wr_valid[l] = n_wr_valid[l];
      wr_word[l]  = n_wr_word[l];
      wr_data[l]  = n_wr_data[l];
      wr_strb[l]  = '1;
      n_wr_gnt[l] = wr_gnt[l];
      t_write_o |= n_wr_valid[l] && wr_gnt[l];
    end
    rd_valid[Lanes] = h_rd_i;
    rd_word[Lanes] = h_word_i[WordW-1:0];
    wr_valid[Lanes+2] = h_wr_i;
    wr_word[Lanes+2] = h_word_i[WordW-1:0];
    wr_data[Lanes+2] = h_data_i;
    wr_strb[Lanes+2] = '1;
  end
  assign h_data_o   = rd_data[Lanes];
  assign t_retire_o = retire.valid;
  assign t_quiet_o  = !moving && !sem_activity;
  for (genvar p = 0; p < 4; p++) begin : gen_flits
    assign t_flits_o[p] = {u_node.dn_ov[p], u_node.up_ov[p], u_node.rsp_ov[p], u_node.req_ov[p]};
  end
  logic [4:0] fault_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stop_q  <= 1'b0;
      fault_q <= '0;
    end else if (!stop_q) begin
      if (fault.valid) fault_q <= fault.cause;
      else if (over) fault_q <= CauseSemOverflow;
      else if (under) fault_q <= CauseSemUnderflow;
      else if (bad_tile) fault_q <= CauseBadTile;
      stop_q <= fault.valid || over || under || bad_tile;
    end
  end
  assign fault_o = fault_q;
endmodule
