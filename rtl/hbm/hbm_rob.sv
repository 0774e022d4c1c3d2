// SPDX-License-Identifier: Apache-2.0
// Read return of one pseudo-channel: bursts come from the DRAM in any order and leave in the order of
// acceptance within an AXI4 ID, in any order between IDs (beats of different IDs may interleave). Each
// accepted burst owns a slot from acceptance to its R beat, so what returns is never held up. The
// waiting bursts of an ID are a linked list of slots; a slot whose turn it is goes to a queue. Latency
// 3 cycles from fill to R, throughput 1 a cycle.
`include "rtl/common/assert.svh"
module hbm_rob #(
    parameter  int unsigned Slots = 256,
    parameter  int unsigned IdW   = 8,
    localparam int unsigned SlotW = $clog2(Slots)
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    // accept
    input  logic             alloc_valid_i,
    output logic             alloc_ready_o,
    input  logic [  IdW-1:0] alloc_id_i,
    input  logic             alloc_last_i,
    output logic [SlotW-1:0] alloc_slot_o,
    // data of a slot
    input  logic             fill_valid_i,
    input  logic [SlotW-1:0] fill_slot_i,
    input  logic [    255:0] fill_data_i,
    input  logic [      1:0] fill_resp_i,
    // R
    output logic             r_valid_o,
    input  logic             r_ready_i,
    output logic [  IdW-1:0] r_id_o,
    output logic [    255:0] r_data_o,
    output logic [      1:0] r_resp_o,
    output logic             r_last_o,
    // status
    output logic             idle_o
);
  // ------------------------------------------------------------------------------------ free slots
  // At the start the slots are handed out in order, later as they come back.
  logic [SlotW:0] fresh_q;
  logic free_valid, free_pop, done_valid;
  logic [SlotW-1:0] free_slot, done_slot;
  logic fresh;
  assign fresh = !fresh_q[SlotW];
  common_fifo #(
      .data_t(logic [SlotW-1:0]),
      .Depth (Slots)
  ) u_free (
      .clk_i,
      .rst_ni,
      .in_valid_i(done_valid),
      .in_ready_o(),
      .in_i(done_slot),
      .out_valid_o(free_valid),
      .out_ready_i(free_pop),
      .out_o(free_slot),
      .count_o()
  );
  logic alloc;
  assign alloc_ready_o = fresh || free_valid;
  assign alloc_slot_o  = fresh ? fresh_q[SlotW-1:0] : free_slot;
  assign alloc         = alloc_valid_i && alloc_ready_o;
  assign free_pop      = alloc && !fresh;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) fresh_q <= '0;
    else if (alloc && fresh) fresh_q <= fresh_q + 1'b1;
  end

  // -------------------------------------------------------------------------------------- the lists
  logic [2**IdW-1:0] busy_q;  // the ID has bursts here
  logic [Slots-1:0] filled_q, turn_q;  // data is there; first of its ID
  (* ram_style = "distributed" *)
  logic [SlotW-1:0] tail_q[2**IdW];
  (* ram_style = "distributed" *)
  logic [SlotW-1:0] next_q[Slots];
  (* ram_style = "distributed" *)
  logic [IdW-1:0] id_q[Slots];
  logic [Slots-1:0] last_q;
  (* ram_style = "distributed" *)
  logic [1:0] resp_q[Slots];
  (* ram_style = "block" *)
  logic [255:0] data_q[Slots];

  logic out_valid, out_pop, out_last_of_id, follow;
  logic [SlotW-1:0] out_slot, out_next;
  logic [IdW-1:0] out_id;
  assign out_id = id_q[out_slot];
  assign out_next = next_q[out_slot];
  assign out_last_of_id = tail_q[out_id] == out_slot;
  assign follow         = out_pop && !out_last_of_id && (filled_q[out_next] || (fill_valid_i && fill_slot_i == out_next));

  logic alone;  // the accepted burst is the first of its ID
  assign alone = !busy_q[alloc_id_i] || (out_pop && out_last_of_id && out_id == alloc_id_i);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= '0;
    end else begin
      if (out_pop && out_last_of_id) busy_q[out_id] <= 1'b0;
      if (alloc) busy_q[alloc_id_i] <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (alloc) begin
      tail_q[alloc_id_i] <= alloc_slot_o;
      id_q[alloc_slot_o] <= alloc_id_i;
      last_q[alloc_slot_o] <= alloc_last_i;
      filled_q[alloc_slot_o] <= 1'b0;
      turn_q[alloc_slot_o] <= alone;
      if (!alone) next_q[tail_q[alloc_id_i]] <= alloc_slot_o;
    end
    if (fill_valid_i) begin
      filled_q[fill_slot_i] <= 1'b1;
      resp_q[fill_slot_i]   <= fill_resp_i;
      data_q[fill_slot_i]   <= fill_data_i;
    end
    if (out_pop && !out_last_of_id) turn_q[out_next] <= 1'b1;
  end

  // ----------------------------------------------------------------------------------------- return
  // The rest of an ID's list goes before what arrives, so bursts stay together.
  logic arrived_valid, follow_valid_q, arrived_pop;
  logic [SlotW-1:0] arrived_slot, follow_slot_q;
  common_fifo #(
      .data_t(logic [SlotW-1:0]),
      .Depth (Slots)
  ) u_arrived (
      .clk_i,
      .rst_ni,
      .in_valid_i(fill_valid_i && turn_q[fill_slot_i]),
      .in_ready_o(),
      .in_i(fill_slot_i),
      .out_valid_o(arrived_valid),
      .out_ready_i(arrived_pop),
      .out_o(arrived_slot),
      .count_o()
  );
  assign out_valid   = follow_valid_q || arrived_valid;
  assign out_slot    = follow_valid_q ? follow_slot_q : arrived_slot;
  assign arrived_pop = out_pop && !follow_valid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) follow_valid_q <= 1'b0;
    else if (out_pop) follow_valid_q <= follow;
  end
  always_ff @(posedge clk_i) if (out_pop) follow_slot_q <= out_next;

  typedef struct packed {
    logic [IdW-1:0] id;
    logic [1:0]     resp;
    logic           last;
    logic [255:0]   data;
  } beat_t;
  beat_t beat_q, r;
  logic beat_valid_q, spill_ready;
  assign out_pop = out_valid && (!beat_valid_q || spill_ready);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beat_valid_q <= 1'b0;
    else if (!beat_valid_q || spill_ready) beat_valid_q <= out_valid;
  end
  always_ff @(posedge clk_i) begin
    if (out_pop)
      beat_q <= '{
          id: out_id,
          resp: resp_q[out_slot],
          last: last_q[out_slot],
          data: data_q[out_slot]
      };
  end
  assign done_valid = out_pop;
  assign done_slot  = out_slot;
  common_spill #(
      .data_t(beat_t)
  ) u_r (
      .clk_i,
      .rst_ni,
      .in_valid_i(beat_valid_q),
      .in_ready_o(spill_ready),
      .in_i(beat_q),
      .out_valid_o(r_valid_o),
      .out_ready_i(r_ready_i),
      .out_o(r)
  );
  assign r_id_o   = r.id;
  assign r_data_o = r.data;
  assign r_resp_o = r.resp;
  assign r_last_o = r.last;
  assign idle_o   = busy_q == '0 && !beat_valid_q && !r_valid_o;

  `ASSERT_NEVER(FilledOnce_A, fill_valid_i && filled_q[fill_slot_i])
  `ASSERT_NEVER(FollowingIsFilled_A, follow_valid_q && !filled_q[follow_slot_q])
endmodule
