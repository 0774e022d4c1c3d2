// SPDX-License-Identifier: Apache-2.0
// The matrix unit's operand fetch: walks the panels of one mm and keeps entries of activations (a
// column group), weights (a block) and their scales ready for the array.
// The next mm may start in the cycle in which the last request of this one is granted, so operands
// flow without a gap. Entries wait here until popped; valid_o is high when one of each kind is
// there. A block of 8-bit weights is two entries, offered together: six are kept, so that two can
// arrive while two are in use. One word of weight scales serves
// the blocks that begin in it. With pair_i each activation block serves two weight blocks.
`include "rtl/common/assert.svh"
module mxu_fetch #(
    parameter  int unsigned Rows    = 8,
    parameter  int unsigned Cols    = 4,
    parameter  int unsigned Groups  = 8,
    parameter  int unsigned NW      = 6,
    parameter  int unsigned WordW   = 12,
    localparam int unsigned WLanes  = (Rows * 16 + 31) / 32,
    localparam int unsigned NumRead = Cols + WLanes + 2,
    localparam int unsigned GroupW  = $clog2(Groups)
) (
    input logic clk_i,
    input logic rst_ni,
    // mm
    input logic start_i,
    output logic free_o,
    input logic [15:0] kb_i,  // blocks of weights
    input logic [NW-1:0] n_i,
    input logic small_i,  // activation blocks of 16 bytes, not 32
    input logic wide_i,  // weight blocks of 32 bytes, not 16
    input logic two_scales_i,  // two bytes of scale a weight block
    input logic pair_i,
    input logic [31:0] w_i,
    input logic [31:0] ws_i,
    input logic [31:0] a_i,
    input logic [31:0] as_i,
    input logic [31:0] astep_i,
    input logic [31:0] asstep_i,
    // scratchpad: activations, weights, weight scales, activation scales
    output logic rd_valid_o[NumRead],
    output logic [WordW-1:0] rd_word_o[NumRead],
    input logic rd_gnt_i[NumRead],
    input logic [255:0] rd_data_i[NumRead],
    input logic rd_bad_i[NumRead],
    // entries
    input logic head_wide_i,  // of the mm that takes the entries
    output logic valid_o,
    input logic a_pop_i,
    input logic w_pop_i,  // weights: a block is done
    input logic t_pop_i,  // activation scales: their word is done
    input logic s_pop_i,  // weight scales: their word is done
    output logic [255:0] a_o[Cols],
    output logic [255:0] w_o[2*WLanes],  // 16-byte blocks: the first half
    output logic [255:0] ws_o,
    output logic [255:0] as_o,
    // status
    output logic conflict_o,
    output logic bad_o
);
  logic
      a_run_q, w_run_q, s_run_q, t_run_q;  // activations, weights, weight scales, activation scales
  logic [15:0] a_kb_q, s_kb_q, t_kb_q;  // blocks left, this one included
  logic [16:0] w_left_q;  // entries
  logic [GroupW:0] a_cg_q, a_cgs_q;  // group, groups
  logic [31:0] a_row_q, a_addr_q, w_addr_q, s_addr_q, t_addr_q, a_step_q, t_step_q, a_inc_q;
  logic a_small_q, s_two_q, pair_q;
  logic a_second_q, t_second_q;  // of a pair
  // Words of activation scales a block: one for 32 columns.
  localparam int unsigned WordsW = NW > 6 ? NW - 5 : 1;
  logic [WordsW-1:0] t_word_q, t_words_q;  // this one, the last
  logic [31:0] t_row_q;
  logic t_last;
  assign t_last = t_word_q == t_words_q;
  logic [NW-1:0] a_n_q;
  logic a_ready, w_ready, s_ready, t_ready;
  logic a_end_now, w_end_now, s_end_now, t_end_now;

  assign a_end_now = a_ready && a_kb_q == 16'd1 && a_cg_q == a_cgs_q - 1'b1;
  assign w_end_now = w_ready && w_left_q == 17'd1;
  logic [15:0] s_take;  // blocks whose scales the word holds
  assign s_take = 16'((32'd32 - 32'(s_addr_q[4:0])) / Rows >> s_two_q);
  assign s_end_now = s_ready && s_kb_q <= s_take;
  assign t_end_now = t_ready && t_kb_q == 16'd1 && t_last;
  assign free_o = (!a_run_q || a_end_now) && (!w_run_q || w_end_now) && (!s_run_q || s_end_now) && (!t_run_q || t_end_now);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      a_run_q <= 1'b0;
      w_run_q <= 1'b0;
      s_run_q <= 1'b0;
      t_run_q <= 1'b0;
    end else begin
      if (a_end_now) a_run_q <= 1'b0;
      if (w_end_now) w_run_q <= 1'b0;
      if (s_end_now) s_run_q <= 1'b0;
      if (t_end_now) t_run_q <= 1'b0;
      if (start_i) begin
        a_run_q <= 1'b1;
        w_run_q <= 1'b1;
        s_run_q <= 1'b1;
        t_run_q <= 1'b1;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (a_ready) begin
      if (a_cg_q == a_cgs_q - 1'b1) begin
        a_cg_q     <= '0;
        a_kb_q     <= a_kb_q - 16'd1;
        a_second_q <= !a_second_q;
        if (pair_q && !a_second_q) a_addr_q <= a_row_q;
        else begin
          a_row_q  <= a_row_q + a_step_q;
          a_addr_q <= a_row_q + a_step_q;
        end
      end else begin
        a_cg_q   <= a_cg_q + 1'b1;
        a_addr_q <= a_addr_q + a_inc_q;
      end
    end
    if (w_ready) begin
      w_left_q <= w_left_q - 17'd1;
      w_addr_q <= w_addr_q + Rows * 16;
    end
    if (s_ready) begin
      s_kb_q   <= s_kb_q - s_take;
      s_addr_q <= {s_addr_q[31:5], 5'b0} + 32'd32;
    end
    if (t_ready) begin
      if (t_last) t_kb_q <= t_kb_q - 16'd1;
      t_word_q <= t_last ? '0 : t_word_q + 1'b1;
      if (!t_last) t_addr_q <= t_addr_q + 32'd32;
      else begin
        t_second_q <= !t_second_q;
        if (pair_q && !t_second_q) t_addr_q <= t_row_q;
        else begin
          t_row_q  <= t_row_q + t_step_q;
          t_addr_q <= t_row_q + t_step_q;
        end
      end
    end
    if (start_i) begin
      a_kb_q     <= kb_i;
      w_left_q   <= wide_i ? {kb_i, 1'b0} : {1'b0, kb_i};
      s_two_q    <= two_scales_i;
      pair_q     <= pair_i;
      a_second_q <= 1'b0;
      t_second_q <= 1'b0;
      s_kb_q     <= kb_i;
      t_kb_q     <= kb_i;
      a_cg_q     <= '0;
      a_cgs_q    <= (GroupW + 1)'((32'(n_i) + Cols - 1) / Cols);
      a_row_q    <= a_i;
      a_addr_q   <= a_i;
      a_step_q   <= astep_i;
      a_small_q  <= small_i;
      a_n_q      <= n_i;
      a_inc_q    <= small_i ? Cols * 16 : Cols * 32;
      w_addr_q   <= w_i;
      s_addr_q   <= ws_i;
      t_addr_q   <= as_i;
      t_row_q    <= as_i;
      t_word_q   <= '0;
      t_words_q  <= WordsW'((32'(n_i) + 31) / 32 - 1);
      t_step_q   <= asstep_i;
    end
  end

  // Only words with columns in use are fetched.
  logic [Cols-1:0] a_lanes;
  logic [  NW-1:0] a_left;  // columns from this group on
  assign a_left = a_n_q - NW'(32'(a_cg_q) * Cols);
  always_comb
    for (int unsigned l = 0; l < Cols; l++)
      a_lanes[l] = a_small_q ? 32'(a_left) > 2 * l && l < (Cols + 1) / 2 : 32'(a_left) > l;

  logic a_valid, w_valid, s_valid, t_valid;
  logic [255:0] s_data[1], t_data[1], w_first[WLanes], w_second[WLanes];
  logic w_both, w_two;
  logic a_conf, w_conf, s_conf, t_conf, a_bad, w_bad, s_bad, t_bad;
  logic av[Cols], wv[WLanes], sv[1], tv[1], ag[Cols], wg[WLanes], sg[1], tg[1];
  logic [WordW-1:0] aw[Cols], ww[WLanes], sw[1], tw[1];
  logic [255:0] ad[Cols], wd[WLanes], sd[1], td[1];
  logic ab[Cols], wb[WLanes], sb[1], tb[1];
  always_comb begin
    for (int unsigned l = 0; l < Cols; l++) begin
      rd_valid_o[l] = av[l];
      rd_word_o[l] = aw[l];
      ag[l] = rd_gnt_i[l];
      ad[l] = rd_data_i[l];
      ab[l] = rd_bad_i[l];
    end
    for (int unsigned l = 0; l < WLanes; l++) begin
      rd_valid_o[Cols+l] = wv[l];
      rd_word_o[Cols+l] = ww[l];
      wg[l] = rd_gnt_i[Cols+l];
      wd[l] = rd_data_i[Cols+l];
      wb[l] = rd_bad_i[Cols+l];
    end
    rd_valid_o[Cols+WLanes]   = sv[0];
    rd_word_o[Cols+WLanes]    = sw[0];
    sg[0] = rd_gnt_i[Cols+WLanes];
    sd[0] = rd_data_i[Cols+WLanes];
    sb[0] = rd_bad_i[Cols+WLanes];
    rd_valid_o[Cols+WLanes+1] = tv[0];
    rd_word_o[Cols+WLanes+1]  = tw[0];
    tg[0] = rd_gnt_i[Cols+WLanes+1];
    td[0] = rd_data_i[Cols+WLanes+1];
    tb[0] = rd_bad_i[Cols+WLanes+1];
  end

  common_fetch #(
      .Lanes(Cols),
      .Depth(4),
      .WordW(WordW)
  ) u_a (
      .clk_i,
      .rst_ni,
      .req_valid_i(a_run_q),
      .req_ready_o(a_ready),
      .req_word_i(a_addr_q[5+:WordW]),
      .req_lanes_i(a_lanes),
      .rd_valid_o(av),
      .rd_word_o(aw),
      .rd_gnt_i(ag),
      .rd_data_i(ad),
      .rd_bad_i(ab),
      .out_valid_o(a_valid),
      .out_ready_i(a_pop_i),
      .out_o(a_o),
      .out_both_o(),
      .out_two_i(1'b0),
      .next_o(),
      .conflict_o(a_conf),
      .bad_o(a_bad)
  );
  common_fetch #(
      .Lanes(WLanes),
      .Depth(6),
      .WordW(WordW)
  ) u_w (
      .clk_i,
      .rst_ni,
      .req_valid_i(w_run_q),
      .req_ready_o(w_ready),
      .req_word_i(w_addr_q[5+:WordW]),
      .req_lanes_i('1),
      .rd_valid_o(wv),
      .rd_word_o(ww),
      .rd_gnt_i(wg),
      .rd_data_i(wd),
      .rd_bad_i(wb),
      .out_valid_o(w_valid),
      .out_ready_i(w_pop_i),
      .out_o(w_first),
      .out_both_o(w_both),
      .out_two_i(w_two),
      .next_o(w_second),
      .conflict_o(w_conf),
      .bad_o(w_bad)
  );
  common_fetch #(
      .Lanes(1),
      .Depth(2),
      .WordW(WordW)
  ) u_ws (
      .clk_i,
      .rst_ni,
      .req_valid_i(s_run_q),
      .req_ready_o(s_ready),
      .req_word_i(s_addr_q[5+:WordW]),
      .req_lanes_i(1'b1),
      .rd_valid_o(sv),
      .rd_word_o(sw),
      .rd_gnt_i(sg),
      .rd_data_i(sd),
      .rd_bad_i(sb),
      .out_valid_o(s_valid),
      .out_ready_i(s_pop_i),
      .out_o(s_data),
      .out_both_o(),
      .out_two_i(1'b0),
      .next_o(),
      .conflict_o(s_conf),
      .bad_o(s_bad)
  );
  common_fetch #(
      .Lanes(1),
      .Depth(4),
      .WordW(WordW)
  ) u_as (
      .clk_i,
      .rst_ni,
      .req_valid_i(t_run_q),
      .req_ready_o(t_ready),
      .req_word_i(t_addr_q[5+:WordW]),
      .req_lanes_i(1'b1),
      .rd_valid_o(tv),
      .rd_word_o(tw),
      .rd_gnt_i(tg),
      .rd_data_i(td),
      .rd_bad_i(tb),
      .out_valid_o(t_valid),
      .out_ready_i(t_pop_i),
      .out_o(t_data),
      .out_both_o(),
      .out_two_i(1'b0),
      .next_o(),
      .conflict_o(t_conf),
      .bad_o(t_bad)
  );

  // The mm whose entries are at the head may be the one before that which is being fetched.
  always_comb begin
    for (int unsigned l = 0; l < WLanes; l++) begin
      w_o[l]        = w_first[l];
      w_o[WLanes+l] = w_second[l];
    end
  end
  assign w_two      = head_wide_i;
  assign valid_o    = a_valid && (head_wide_i ? w_both : w_valid) && s_valid && t_valid;
  assign ws_o       = s_data[0];
  assign as_o       = t_data[0];
  assign conflict_o = a_conf || w_conf || s_conf || t_conf;
  assign bad_o      = a_bad || w_bad || s_bad || t_bad;

  `ASSERT_NEVER(PopOnlyWhenValid_A, (a_pop_i || w_pop_i || s_pop_i || t_pop_i) && !valid_o)
endmodule
