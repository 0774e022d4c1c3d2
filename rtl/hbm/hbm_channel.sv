// SPDX-License-Identifier: Apache-2.0
// HBM4 controller of one channel: two pseudo-channels that share the row bus (one activate in half-CK slots
// 0..2 and one other command in slot 3 of each clock, or two others) and alternate on the column bus
// (pseudo-channel p in CK p). Initialisation, and the PHY's periodic quiet window, are common to both.
module hbm_channel
  import hbm_pkg::*;
#(
    parameter int unsigned IdW = 8,
    parameter int unsigned RdEntries = 16,
    parameter int unsigned WrEntries = 16,
    parameter int unsigned Slots = 256
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  cfg_t               cfg_i,
    input  logic               enable_i,
    input  logic     [    2:0] temperature_i,     // the device's, coded as cfg_t.refresh_rate
    // AXI4, one port a pseudo-channel
    input  logic               ar_valid_i   [2],
    output logic               ar_ready_o   [2],
    input  logic     [IdW-1:0] ar_id_i      [2],
    input  logic     [   30:0] ar_addr_i    [2],
    input  logic     [    7:0] ar_len_i     [2],
    output logic               r_valid_o    [2],
    input  logic               r_ready_i    [2],
    output logic     [IdW-1:0] r_id_o       [2],
    output logic     [  255:0] r_data_o     [2],
    output logic     [    1:0] r_resp_o     [2],
    output logic               r_last_o     [2],
    input  logic               aw_valid_i   [2],
    output logic               aw_ready_o   [2],
    input  logic     [IdW-1:0] aw_id_i      [2],
    input  logic     [   30:0] aw_addr_i    [2],
    input  logic     [    7:0] aw_len_i     [2],
    input  logic               w_valid_i    [2],
    output logic               w_ready_o    [2],
    input  logic     [  255:0] w_data_i     [2],
    input  logic     [   31:0] w_strb_i     [2],
    input  logic               w_last_i     [2],
    output logic               b_valid_o    [2],
    input  logic               b_ready_i    [2],
    output logic     [IdW-1:0] b_id_o       [2],
    output logic     [    1:0] b_resp_o     [2],
    // DFI-like boundary, registered
    output row_cmd_t           row_o        [2],
    output col_cmd_t           col_o        [2],
    output logic               wdata_valid_o[2],
    output burst_t             wdata_o      [2],
    input  logic               rdata_valid_i[2],
    input  burst_t             rdata_i      [2],
    output logic               phy_update_o,      // the quiet window: no command is under way
    // status
    output logic               ready_o,           // initialised
    output event_t             event_o      [2],
    output logic               idle_o       [2],
    output logic               written_o    [2],
    output logic               sleeping_o   [2],
    output logic               error_valid_o[2],
    output place_t             error_place_o[2]
);
  // ------------------------------------------------------------------------- initialisation, PHY
  logic [23:0] init_q, phy_q;
  logic [15:0] window_q;
  logic [ 4:0] settle_q;
  logic ready_q, quiet_q, update_q;
  logic [1:0] settled;  // no read is under way
  localparam logic [4:0] Settle = 5'd24;  // clocks until the last write's data have passed: WL 16 and the burst
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      init_q   <= '0;
      ready_q  <= 1'b0;
      phy_q    <= '0;
      window_q <= '0;
      settle_q <= '0;
      quiet_q  <= 1'b0;
      update_q <= 1'b0;
    end else begin
      if (enable_i && !ready_q) init_q <= init_q + 1'b1;
      if (enable_i && init_q >= cfg_i.t_init) ready_q <= 1'b1;
      if (quiet_q) begin
        // No command from here on; the window opens when what was under way has passed.
        if (settle_q != '0) settle_q <= settle_q - 1'b1;
        else if (update_q || &settled) begin
          if (window_q != '0) window_q <= window_q - 1'b1;
          update_q <= window_q != '0;
          quiet_q  <= window_q != '0;
        end
      end else if (ready_q && cfg_i.phy_period != '0) begin
        phy_q <= phy_q + 1'b1;
        if (phy_q >= cfg_i.phy_period) begin
          phy_q    <= '0;
          quiet_q  <= 1'b1;
          settle_q <= Settle;
          window_q <= cfg_i.phy_window;
        end
      end
    end
  end
  assign ready_o      = ready_q;
  assign phy_update_o = update_q;

  // ------------------------------------------------------------------------------- pseudo-channels
  logic [1:0] act_valid, act_gnt, row_gnt, row_press, row_late;
  block_t act[2];
  row_op_e row_op[2];
  logic [BankW-1:0] row_bank[2];
  for (genvar p = 0; p < 2; p++) begin : gen_pc
    hbm_pc #(
        .IdW(IdW),
        .RdEntries(RdEntries),
        .WrEntries(WrEntries),
        .Slots(Slots),
        .SecondCk(p == 1)
    ) u_pc (
        .clk_i,
        .rst_ni,
        .cfg_i,
        .temperature_i,
        .run_i(ready_q),
        .quiet_i(quiet_q),
        .ar_valid_i(ar_valid_i[p]),
        .ar_ready_o(ar_ready_o[p]),
        .ar_id_i(ar_id_i[p]),
        .ar_addr_i(ar_addr_i[p]),
        .ar_len_i(ar_len_i[p]),
        .r_valid_o(r_valid_o[p]),
        .r_ready_i(r_ready_i[p]),
        .r_id_o(r_id_o[p]),
        .r_data_o(r_data_o[p]),
        .r_resp_o(r_resp_o[p]),
        .r_last_o(r_last_o[p]),
        .aw_valid_i(aw_valid_i[p]),
        .aw_ready_o(aw_ready_o[p]),
        .aw_id_i(aw_id_i[p]),
        .aw_addr_i(aw_addr_i[p]),
        .aw_len_i(aw_len_i[p]),
        .w_valid_i(w_valid_i[p]),
        .w_ready_o(w_ready_o[p]),
        .w_data_i(w_data_i[p]),
        .w_strb_i(w_strb_i[p]),
        .w_last_i(w_last_i[p]),
        .b_valid_o(b_valid_o[p]),
        .b_ready_i(b_ready_i[p]),
        .b_id_o(b_id_o[p]),
        .b_resp_o(b_resp_o[p]),
        .act_valid_o(act_valid[p]),
        .act_o(act[p]),
        .act_gnt_i(act_gnt[p]),
        .row_op_o(row_op[p]),
        .row_bank_o(row_bank[p]),
        .row_press_o(row_press[p]),
        .row_gnt_i(row_gnt[p]),
        .row_late_i(row_late[p]),
        .col_o(col_o[p]),
        .wdata_valid_o(wdata_valid_o[p]),
        .wdata_o(wdata_o[p]),
        .rdata_valid_i(rdata_valid_i[p]),
        .rdata_i(rdata_i[p]),
        .event_o(event_o[p]),
        .idle_o(idle_o[p]),
        .written_o(written_o[p]),
        .sleeping_o(sleeping_o[p]),
        .settled_o(settled[p]),
        .error_valid_o(error_valid_o[p]),
        .error_place_o(error_place_o[p])
    );
  end

  // ------------------------------------------------------------------------------------- row bus
  hbm_row_bus u_row_bus (
      .clk_i,
      .rst_ni,
      .act_valid_i(act_valid),
      .act_i(act),
      .act_gnt_o(act_gnt),
      .row_op_i(row_op),
      .row_bank_i(row_bank),
      .row_press_i(row_press),
      .row_gnt_o(row_gnt),
      .row_late_o(row_late),
      .row_o
  );
endmodule
