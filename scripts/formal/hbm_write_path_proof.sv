// SPDX-License-Identifier: Apache-2.0
// hbm_write_path with any writes: data stand on the bus WL clocks after the command and in no other clock, they are those of that
// command, and read back at its place as the bytes that were taken. WL is any of 4 to 16 (hbm refuses others) and stays;
// ECC and injection may change in every clock.
module hbm_write_path_proof
  import hbm_pkg::*;
  import hbm_ecc_pkg::*;
#(
    parameter int unsigned Bit = 0
) (
    input logic         clk_i,
    input logic [  4:0] free_wl_i,
    input logic         ecc_on_i,
    input logic [  1:0] inject_bits_i,
    input logic [  7:0] inject_pos_i,
    input logic         take_i,
    input place_t       place_i,
    input logic [255:0] data_i,
    input logic         poison_i
);
  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;
  logic [4:0] wl_q;
  always_ff @(posedge clk_i)
    if (!rst_n) wl_q <= free_wl_i;
  assume property (@(posedge clk_i) !rst_n || (wl_q >= 5'd4 && wl_q <= 5'd16));
  cfg_t cfg;
  always_comb begin
    cfg             = '0;
    cfg.wl          = 8'(wl_q);
    cfg.ecc_on      = ecc_on_i;
    cfg.inject_bits = inject_bits_i;
    cfg.inject_pos  = inject_pos_i;
  end
  logic wdata_valid;
  burst_t wdata;
  hbm_write_path u_path (
      .clk_i,
      .rst_ni(rst_n),
      .cfg_i(cfg),
      .take_i,
      .place_i,
      .data_i,
      .poison_i,
      .wdata_valid_o(wdata_valid),
      .wdata_o(wdata)
  );
  `define HOLDS(name, expr) name : assert property (@(posedge clk_i) disable iff (!rst_n) (expr));

  // -------------------------------------------------------------------------------------------- time
  logic [16:0] command_q;  // bit k: the command stood on the column bus k clocks ago (it stands there a clock after take_i)
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) command_q <= '0;
    else command_q <= {command_q[15:0], take_i};
  end
  `HOLDS(DataComeWlAfterTheCommand_A, wdata_valid == command_q[wl_q])

  // ------------------------------------------------------------------------------- the burst that is stored
  // Of the clock in which the bytes came, two after take_i; the burst is made of them at its end.
  place_t place1_q, place2_q, place3_q;
  logic [255:0] data_q, flips;
  logic poison_q, ecc_on_q;
  logic [1:0] inject_q;
  logic [7:0] pos_q;
  always_ff @(posedge clk_i) begin
    {place3_q, place2_q, place1_q} <= {place2_q, place1_q, place_i};
    {data_q, poison_q, ecc_on_q, inject_q, pos_q} <= {data_i, poison_i, ecc_on_i, inject_bits_i, inject_pos_i};
  end
  burst_t stored;
  word_t word;
  logic [255:0] right;
  logic corrected, bad;
  assign stored = u_path.coded_q;
  assign word   = {stored.meta[5:0], stored.data};
  hbm_correct u_reader (
      .on_i(1'b1),
      .word_i(word),
      .syndrome_i(check_of(word) ^ stored.meta[15:6]),
      .place_i(place3_q),
      .data_o(right),
      .corrected_o(corrected),
      .bad_o(bad)
  );
  logic made;
  assign made  = command_q[2];
  assign flips = inject_q == 2'd0 ? '0 : (256'd1 << pos_q) ^ (inject_q[1] ? 256'd1 << ~pos_q : '0);
  `HOLDS(ReadsBack_A, !made || !ecc_on_q || inject_q != '0 || poison_q || (right == data_q && !corrected && !bad))
  `HOLDS(PoisonReadsBad_A, !made || !ecc_on_q || inject_q != '0 || !poison_q || bad)
  `HOLDS(BytesAreStored_A, !made || stored.data == (data_q ^ flips))
  `HOLDS(WithoutCodeNoMetadata_A, !made || ecc_on_q || stored.meta == '0)

  // -------------------------------------------------------------------------------- from there to the bus
  // Bit Bit of each burst is followed: the way is the same for all.
  logic [13:0] sent_q;  // k + 1 clocks ago
  always_ff @(posedge clk_i) sent_q <= {sent_q[12:0], stored[Bit]};
  `HOLDS(DataAreTheCommands_A, !wdata_valid || wdata[Bit] == sent_q[4'(wl_q-5'd3)])
  // What the induction needs: the FIFO holds the writes whose commands stood on the bus three to WL - 1 clocks ago, oldest first.
  logic [3:0] place_in_fifo;
  logic bits_agree;
  always_comb begin
    place_in_fifo = u_path.u_wdata.rd_q;
    bits_agree    = 1'b1;
    for (int unsigned k = 15; k >= 3; k--)
    if (command_q[k] && k < 32'(wl_q)) begin
      if (u_path.u_wdata.mem_q[place_in_fifo][Bit] != sent_q[k-3]) bits_agree = 1'b0;
      place_in_fifo = place_in_fifo + 4'd1;
    end
  end
  `HOLDS(FifoHoldsWhatIsUnderWay_A, bits_agree && u_path.u_wdata.wr_q == place_in_fifo && u_path.due_q == command_q[15:0] &&
         u_path.u_wdata.count_q == 5'($countones(command_q[15:3] & 13'((17'd1 << wl_q) - 17'd1 >> 3))))
  `undef HOLDS
endmodule
