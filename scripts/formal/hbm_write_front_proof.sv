// SPDX-License-Identifier: Apache-2.0
// hbm_write_front with any bursts, data, stalls and rewrites: a beat is taken with its W data, and put if and only if it has bytes and
// a place; each burst is answered once, after its last beat, in order, with its ID and the error of its beats; no FIFO is pushed
// when it is full. One answer, chosen freely, is followed through the FIFO. Beats are what hbm_split makes of AW.
module hbm_write_front_proof
  import hbm_pkg::*;
#(
    parameter int unsigned IdW = 2
) (
    input logic           clk_i,
    input cfg_t           cfg_i,
    input logic           accept_i,
    input logic           aw_valid_i,
    input logic [IdW-1:0] aw_id_i,
    input logic [   30:0] aw_addr_i,
    input logic [    7:0] aw_len_i,
    input logic           w_valid_i,
    input logic [  255:0] w_data_i,
    input logic [   31:0] w_strb_i,
    input logic           w_last_i,
    input logic           b_ready_i,
    input logic           fix_valid_i,
    input place_t         fix_place_i,
    input logic           queue_ready_i,
    input logic           buf_ready_i,
    input logic           follow_i
);
  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;
  logic b_valid, fix_ready, put_valid;
  logic [IdW-1:0] b_id;
  logic [1:0] b_resp;
  place_t put_place;
  logic [255:0] put_data;
  logic [31:0] put_strb;
  hbm_write_front #(
      .IdW(IdW)
  ) u_front (
      .rst_ni(rst_n),
      .aw_ready_o(),
      .w_ready_o(),
      .b_valid_o(b_valid),
      .b_id_o(b_id),
      .b_resp_o(b_resp),
      .fix_ready_o(fix_ready),
      .put_valid_o(put_valid),
      .put_place_o(put_place),
      .put_data_o(put_data),
      .put_strb_o(put_strb),
      .wants_put_o(),
      .addr_waits_o(),
      .data_waits_o(),
      .*
  );
  `define HOLDS(name, expr) name : assert property (@(posedge clk_i) disable iff (!rst_n) (expr));

  // ------------------------------------------------------------------------------------------- beats
  // A beat leaves hbm_split, W data leave their buffer, a put is accepted, a rewrite goes.
  logic beat, data, put, fix, needs_place;
  assign beat        = u_front.u_aw.beat_valid_o && u_front.u_aw.beat_ready_i;
  assign data        = u_front.u_w.out_valid_o && u_front.u_w.out_ready_i;
  assign put         = put_valid && queue_ready_i && buf_ready_i;
  assign fix         = fix_valid_i && fix_ready;
  assign needs_place = u_front.u_aw.in_range_o && u_front.u_w.out_o.strb != '0;
  `HOLDS(BeatAndDataTogether_A, beat == data)
  `HOLDS(PutIfAndOnlyIfItNeedsAPlace_A, put == ((beat && needs_place) || fix) && !(beat && needs_place && fix))
  `HOLDS(PutIsTheBeat_A, !(beat && needs_place) || (put_place == u_front.u_aw.place_o && put_data == u_front.u_w.out_o.data &&
         put_strb == u_front.u_w.out_o.strb))
  `HOLDS(RewriteHasNoBytes_A, !fix || (put_strb == '0 && put_place == fix_place_i))
  `HOLDS(NoStopWithoutReason_A, !(u_front.u_aw.beat_valid_o && u_front.u_w.out_valid_o) || beat || u_front.u_b.count_q == 3'd4 ||
         !queue_ready_i || !buf_ready_i)

  // ----------------------------------------------------------------------------------------- answers
  logic error_q, done, error;  // a beat of this burst was beyond the capacity
  logic [2:0] waiting_q;  // bursts that are complete and not answered
  assign done  = beat && u_front.u_aw.last_o;
  assign error = error_q || !u_front.u_aw.in_range_o;
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      error_q   <= 1'b0;
      waiting_q <= '0;
    end else begin
      if (beat) error_q <= done ? 1'b0 : error;
      waiting_q <= waiting_q + 3'(done) - 3'(b_valid && b_ready_i);
    end
  end
  `HOLDS(AnswersWhatIsComplete_A, b_valid == (waiting_q != '0) && waiting_q <= 3'd4)
  `HOLDS(ErrorsAgree_A, u_front.bad_q == error_q && u_front.u_b.count_q == waiting_q &&
         u_front.u_b.wr_q == u_front.u_b.rd_q + 2'(waiting_q))
  logic follows_q, error_of_q;
  logic [IdW-1:0] id_of_q;
  logic [2:0] ahead_q;  // answers before the one that is followed
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      follows_q <= 1'b0;
      ahead_q   <= '0;
    end else if (!follows_q) begin
      follows_q <= follow_i && done;
      ahead_q   <= waiting_q - 3'(b_valid && b_ready_i);
    end else if (b_valid && b_ready_i) begin
      follows_q <= ahead_q != '0;
      ahead_q   <= ahead_q - 3'd1;
    end
  end
  always_ff @(posedge clk_i) if (!follows_q) {id_of_q, error_of_q} <= {u_front.u_aw.id_o, error};
  `HOLDS(AnswerIsTheBursts_A, !(follows_q && ahead_q == '0) || (b_valid && b_id == id_of_q && b_resp == {2{error_of_q}}))
  // What the induction needs: where the answer is.
  `HOLDS(AnswerIsKept_A, !follows_q || (ahead_q < waiting_q && u_front.u_b.mem_q[u_front.u_b.rd_q+2'(ahead_q)] == {id_of_q, error_of_q}))
  `undef HOLDS
endmodule
