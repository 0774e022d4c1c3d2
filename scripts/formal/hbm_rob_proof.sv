// SPDX-License-Identifier: Apache-2.0
// hbm_rob with any accepts, fills of what was accepted and readies: slots are handed out and come back once, bursts of an ID leave
// in the order of acceptance with their own data and mark, and no FIFO is pushed when it is full. Data carry the slot's number.
module hbm_rob_proof #(
    parameter  int unsigned Slots = 4,
    parameter  int unsigned IdW   = 1,
    localparam int unsigned SlotW = $clog2(Slots)
) (
    input logic clk_i,
    input logic alloc_valid_i,
    input logic [IdW-1:0] alloc_id_i,
    input logic alloc_last_i,
    input logic fill_valid_i,
    input logic [SlotW-1:0] fill_slot_i,
    input logic r_ready_i,
    input logic [IdW-1:0] free_id_i
);
  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;
  logic alloc_ready, r_valid, r_last, idle, alloc;
  logic [SlotW-1:0] slot;
  logic [IdW-1:0] r_id, id_q;
  logic [255:0] r_data;
  logic [Slots-1:0] wait_q;  // accepted and not yet filled
  hbm_rob #(
      .Slots(Slots),
      .IdW  (IdW)
  ) u_rob (
      .clk_i,
      .rst_ni(rst_n),
      .alloc_valid_i,
      .alloc_ready_o(alloc_ready),
      .alloc_id_i,
      .alloc_last_i,
      .alloc_slot_o(slot),
      .fill_valid_i(fill_valid_i && wait_q[fill_slot_i]),
      .fill_slot_i,
      .fill_data_i(256'(fill_slot_i)),
      .fill_resp_i('0),
      .r_valid_o(r_valid),
      .r_ready_i,
      .r_id_o(r_id),
      .r_data_o(r_data),
      .r_resp_o(),
      .r_last_o(r_last),
      .idle_o(idle)
  );
  assign alloc = alloc_valid_i && alloc_ready;

  // Bursts of one ID, chosen freely at the start, in the order of acceptance. Up to three more than slots: those on their way out.
  localparam int unsigned Depth = Slots + 4;
  logic [SlotW-1:0] list_q[Depth], list_d[Depth];
  logic [Depth-1:0] last_q, last_d;
  logic [$clog2(Depth+1)-1:0] count_q, count_d;
  logic pop;
  assign pop = r_valid && r_ready_i && r_id == id_q;
  always_comb begin
    list_d  = list_q;
    last_d  = last_q;
    count_d = count_q;
    if (pop) begin
      for (int unsigned i = 0; i + 1 < Depth; i++) list_d[i] = list_q[i+1];
      last_d  = last_q >> 1;
      count_d = count_q - 1'b1;
    end
    if (alloc && alloc_id_i == id_q) begin
      for (int unsigned i = 0; i < Depth; i++)
      if (count_d == ($clog2(Depth + 1))'(i)) begin
        list_d[i] = slot;
        last_d[i] = alloc_last_i;
      end
      count_d = count_d + 1'b1;
    end
  end
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      wait_q  <= '0;
      count_q <= '0;
    end else begin
      if (fill_valid_i) wait_q[fill_slot_i] <= 1'b0;
      if (alloc) wait_q[slot] <= 1'b1;
      count_q <= count_d;
    end
  end
  always_ff @(posedge clk_i) begin
    list_q <= list_d;
    last_q <= last_d;
    if (!rst_n) id_q <= free_id_i;
  end
  NeverTwice_A : assert property (@(posedge clk_i) disable iff (!rst_n) !(alloc && wait_q[slot]));
  OnlyAccepted_A : assert property (@(posedge clk_i) disable iff (!rst_n) !(r_valid && r_id == id_q) || count_q != '0);
  InOrder_A : assert property (@(posedge clk_i) disable iff (!rst_n)
                               !(r_valid && r_id == id_q) || (r_data == 256'(list_q[0]) && r_last == last_q[0]));
  ListHolds_A : assert property (@(posedge clk_i) disable iff (!rst_n) 32'(count_q) <= Depth);
  IdleIsEmpty_A : assert property (@(posedge clk_i) disable iff (!rst_n) !idle || count_q == '0);
  NoneLost_A : assert property (@(posedge clk_i) disable iff (!rst_n)
                                !u_rob.u_free.in_valid_i || u_rob.u_free.in_ready_o);
  ArrivedFits_A : assert property (@(posedge clk_i) disable iff (!rst_n)
                                   !u_rob.u_arrived.in_valid_i || u_rob.u_arrived.in_ready_o);
endmodule
