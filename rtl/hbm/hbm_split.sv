// SPDX-License-Identifier: Apache-2.0
// Cuts AXI4 INCR bursts into 32-byte beats with their places in the DRAM: one a cycle, the first two
// cycles after the address. Bits below 32 bytes of the address are ignored. in_range_o is low for a beat
// beyond the capacity.
module hbm_split
  import hbm_pkg::*;
#(
    parameter int unsigned IdW = 8
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  cfg_t             cfg_i,
    // AXI4 address channel
    input  logic             ax_valid_i,
    output logic             ax_ready_o,
    input  logic   [IdW-1:0] ax_id_i,
    input  logic   [   30:0] ax_addr_i,
    input  logic   [    7:0] ax_len_i,
    // beats
    output logic             beat_valid_o,
    input  logic             beat_ready_i,
    output logic   [IdW-1:0] id_o,
    output place_t           place_o,
    output logic             in_range_o,
    output logic             last_o
);
  typedef struct packed {
    logic [IdW-1:0]   id;
    logic [BeatW+1:0] beat;  // room to run beyond the highest address
    logic [7:0]       len;
  } burst_t;
  burst_t ax, q;
  logic ax_valid, ax_pop, valid_q, advance;
  assign ax = '{id: ax_id_i, beat: {1'b0, ax_addr_i[30:5]}, len: ax_len_i};
  burst_t head;
  common_spill #(
      .data_t(burst_t)
  ) u_ax (
      .clk_i,
      .rst_ni,
      .in_valid_i(ax_valid_i),
      .in_ready_o(ax_ready_o),
      .in_i(ax),
      .out_valid_o(ax_valid),
      .out_ready_i(ax_pop),
      .out_o(head)
  );

  // The beat's place is registered: the address map's parities stand before it.
  logic step_valid, step_last;
  logic [BeatW+1:0] beat;
  logic [7:0] left;
  logic [IdW-1:0] id;
  assign step_valid = valid_q || ax_valid;
  assign beat = valid_q ? q.beat : head.beat;
  assign left = valid_q ? q.len : head.len;
  assign id = valid_q ? q.id : head.id;
  assign step_last = left == '0;
  assign advance = step_valid && (!beat_valid_o || beat_ready_i);
  assign ax_pop = advance && !valid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q      <= 1'b0;
      beat_valid_o <= 1'b0;
    end else begin
      if (advance) valid_q <= !step_last;
      if (!beat_valid_o || beat_ready_i) beat_valid_o <= step_valid;
    end
  end
  always_ff @(posedge clk_i) begin
    if (advance) begin
      q          <= '{id: id, beat: beat + 1'b1, len: left - 1'b1};
      id_o       <= id;
      place_o    <= place_of(beat[BeatW-1:0], cfg_i);
      in_range_o <= in_range(beat, cfg_i);
      last_o     <= step_last;
    end
  end
endmodule
