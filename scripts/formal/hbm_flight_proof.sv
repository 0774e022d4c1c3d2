// SPDX-License-Identifier: Apache-2.0
// hbm_flight with any reads: one read, chosen freely, is followed from the queue to its result, which names what it was for and where it
// was read. Assumed: a read is chosen only when there is room (ReadFits_A in hbm_pc), no other is put in its place of the
// queue while it waits there (hbm_queue), and data come only for a read whose command has stood on the column bus (the PHY).
module hbm_flight_proof
  import hbm_pkg::*;
  import hbm_ecc_pkg::*;
#(
    parameter  int unsigned Places = 4,
    localparam int unsigned AtW = $clog2(Places)
) (
    input logic           clk_i,
    input logic           put_i,
    input logic [AtW-1:0] put_at_i,
    input logic [    1:0] put_tag_i,
    input logic           rd_i,
    input logic [AtW-1:0] rd_at_i,
    input place_t         rd_place_i,
    input logic           rdata_valid_i,
    input burst_t         rdata_i,
    input logic           follow_i
);
  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;
  logic ready, valid, settled, empty;
  logic [1:0] tag;
  place_t place;
  word_t word;
  check_t syndrome;
  hbm_flight #(
      .tag_t (logic [1:0]),
      .Places(Places)
  ) u_flight (
      .clk_i,
      .rst_ni(rst_n),
      .put_i,
      .put_at_i,
      .put_tag_i,
      .ready_o(ready),
      .rd_i,
      .rd_at_i,
      .rd_place_i,
      .rdata_valid_i,
      .rdata_i,
      .valid_o(valid),
      .tag_o(tag),
      .place_o(place),
      .word_o(word),
      .syndrome_o(syndrome),
      .settled_o(settled),
      .empty_o(empty)
  );
  `define HOLDS(name, expr) name : assert property (@(posedge clk_i) disable iff (!rst_n) (expr));

  // -------------------------------------------------------------------------------- commands and data
  logic on_bus_q;  // a read command stands on the column bus
  logic [6:0] owed_q;  // reads whose command has stood there, and whose data have not come
  logic got_q, out_q;  // data came one, two clocks ago
  burst_t got_burst_q, out_burst_q;
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      {on_bus_q, got_q, out_q} <= '0;
      owed_q <= '0;
    end else begin
      on_bus_q <= rd_i;
      owed_q   <= owed_q + 7'(on_bus_q) - 7'(rdata_valid_i);
      got_q    <= rdata_valid_i;
      out_q    <= got_q;
    end
  end
  always_ff @(posedge clk_i) {out_burst_q, got_burst_q} <= {got_burst_q, rdata_i};
  assume property (@(posedge clk_i) disable iff (!rst_n) (!rd_i || ready) && (!rdata_valid_i || owed_q != '0));
  `HOLDS(CountsCommandsWithoutData_A, u_flight.count == owed_q + 7'(on_bus_q))
  `HOLDS(SettledOwesNothing_A, settled == (owed_q == '0 && !on_bus_q))
  `HOLDS(EmptyHasNoResult_A, empty == (settled && !got_q && !out_q))
  `HOLDS(ResultInTwoClocks_A, valid == out_q)
  `HOLDS(ResultIsOfTheData_A, !valid || (word == {out_burst_q.meta[5:0], out_burst_q.data} &&
         syndrome == (check_of(word) ^ out_burst_q.meta[15:6])))
  `HOLDS(NoDataHeldWhileEmpty_A, u_flight.got_valid_q == got_q)

  // ------------------------------------------------------------------------------- the read that is followed
  typedef enum logic [2:0] {
    StNone,
    StQueued,  // put, its command is not chosen
    StFlying,  // chosen
    StGot,     // its data came in the last clock
    StOut      // its result is there
  } state_e;
  state_e state_q;
  logic [AtW-1:0] at_q;
  logic [1:0] tag_q;
  place_t place_q;
  logic [6:0] ahead_q;  // reads whose data come before its own
  logic chosen;
  assign chosen = state_q == StQueued && rd_i && rd_at_i == at_q;
  assume property (@(posedge clk_i) !(state_q == StQueued && put_i && put_at_i == at_q));
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      state_q <= StNone;
      ahead_q <= '0;
    end else begin
      unique case (state_q)
        StNone:   if (follow_i && put_i) state_q <= StQueued;
        StQueued: if (chosen) state_q <= StFlying;
        StFlying: if (rdata_valid_i && ahead_q == '0) state_q <= StGot;
        StGot:    state_q <= StOut;
        default:  state_q <= StNone;
      endcase
      if (chosen) ahead_q <= owed_q + 7'(on_bus_q) - 7'(rdata_valid_i);
      else if (rdata_valid_i) ahead_q <= ahead_q - 7'd1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == StNone) {at_q, tag_q} <= {put_at_i, put_tag_i};
    if (chosen) place_q <= rd_place_i;
  end
  `HOLDS(ResultNamesItsRead_A, state_q != StOut || (valid && tag == tag_q && place == place_q))
  // What the induction needs: where its record is.
  `HOLDS(RecordIsKept_A, (state_q != StQueued || u_flight.tag_q[at_q] == tag_q) &&
         (state_q != StFlying || (ahead_q < u_flight.count &&
          u_flight.u_flight.mem_q[u_flight.u_flight.rd_q+6'(ahead_q)] == {tag_q, place_q})) &&
         (state_q != StGot || (got_q && u_flight.got_q == {tag_q, place_q})))
  `HOLDS(PointersAgree_A, u_flight.u_flight.wr_q == u_flight.u_flight.rd_q + 6'(u_flight.count) && u_flight.count <= 7'd64)
  `undef HOLDS
endmodule
