// SPDX-License-Identifier: Apache-2.0
// Types of the HBM4 controller: coordinates of a burst, configuration, commands at the DFI-like
// boundary, counters. Times are controller clocks (2 CK, one burst). docs/hbm.md.
package hbm_pkg;
  localparam int unsigned Sids = 4;  // stack IDs that the tables have room for
  localparam int unsigned Groups = 2 * Sids;  // bank groups {sid, bg}
  localparam int unsigned Banks = 16 * Sids;  // banks {sid, bg, ba}
  localparam int unsigned BankW = 6;
  localparam int unsigned RowW = 14;
  localparam int unsigned BeatW = 25;  // address of a 32-byte burst in a pseudo-channel
  localparam int unsigned TagW = 12;  // what a read is for (hbm_pc)

  // 256 bytes of one row: what a queue entry covers. bank = {sid, bg, ba}.
  typedef struct packed {
    logic [BankW-1:0] bank;
    logic [RowW-1:0]  row;
    logic [1:0]       blk;   // column bits 4..3
  } block_t;

  // One burst.
  typedef struct packed {
    block_t     block;
    logic [2:0] burst;  // column bits 2..0
  } place_t;

  typedef struct packed {
    // array timings, JESD270-4 names; ranges are those of the registers (hbm_csr.rdl)
    logic [7:0] t_rcd_rd;
    logic [7:0] t_rcd_wr;
    logic [7:0] t_rp;
    logic [7:0] t_ras;
    logic [7:0] t_rc;
    logic [7:0] t_rrd_s;
    logic [7:0] t_rrd_l;
    logic [7:0] t_faw;
    logic [7:0] t_ccd_s;
    logic [7:0] t_ccd_l;
    logic [7:0] t_ccd_r;
    logic [7:0] t_rtp;
    logic [7:0] t_wr;
    logic [7:0] t_wtr_s;
    logic [7:0] t_wtr_l;
    logic [7:0] t_rtw;
    logic [7:0] wl;
    logic [7:0] t_rrefd;
    logic [11:0] t_rfc_pb;
    logic [11:0] t_rfc_ab;
    logic [11:0] t_rfm_pb;
    logic [11:0] t_xs;
    logic [15:0] t_refi;
    logic [23:0] t_init;
    // organisation and address map
    logic [2:0] sids;  // 1..4
    logic [3:0][BeatW-1:0] map_mask;  // bits that each of {bg, ba[2:0]} is the parity of: 3 bg
    // scheduling
    logic [7:0] wr_high;  // bursts
    logic [7:0] wr_low;
    logic [7:0] wr_drain_max;  // bursts of a drain while reads wait
    logic [7:0] wr_idle;  // clocks without reads before writes go anyway
    logic [7:0] age_epoch;  // an entry is aged after one to two epochs, in units of 16 clocks
    logic [7:0] idle_pre;  // clocks: a bank untouched for one to two of these is closed; 0: never
    // refresh
    logic refresh_on;
    logic refresh_ab;  // all-bank mode
    logic [2:0] refresh_rate;  // interval: 0 4x, 1 2x, 2 1x, 3 1/2, 4 1/4 of tREFI
    logic refresh_auto;  // the rate that the device asks for, in place of refresh_rate
    logic [3:0] ref_urgent;  // postponed refreshes at which a bank is closed to new activates
    logic [3:0] ref_force;  // ... and to column commands
    logic [8:0] raa_imt;
    logic [8:0] raa_mmt;
    logic self_refresh;
    // PHY
    logic [23:0] phy_period;  // clocks between quiet windows; 0: none
    logic [15:0] phy_window;
    // ECC
    logic ecc_on;
    logic scrub_on;
    logic [15:0] scrub_interval;  // clocks
    logic [1:0] inject_bits;  // flip this many bits of each burst written (injection)
    logic [7:0] inject_pos;
  } cfg_t;

  typedef enum logic [3:0] {
    RowNone,
    RowAct,
    RowPre,
    RowPreA,
    RowRefPb,
    RowRefAb,
    RowRfmPb,
    RowRfmAb,
    RowSelfEnter,
    RowSelfExit
  } row_op_e;
  typedef struct packed {
    row_op_e op;
    logic pc;
    logic [1:0] slot;  // half-CK in which it starts
    logic [BankW-1:0] bank;
    logic [RowW-1:0] row;
  } row_cmd_t;
  typedef struct packed {
    logic valid;
    logic write;
    logic [BankW-1:0] bank;
    logic [4:0] col;
  } col_cmd_t;
  typedef struct packed {
    logic [15:0]  meta;
    logic [255:0] data;
  } burst_t;

  // Why a data slot stayed empty; every slot has exactly one of these or a burst.
  typedef enum logic [3:0] {
    SlotBurst    = 4'd0,
    SlotEmpty    = 4'd1,  // no request
    SlotHeld     = 4'd2,  // only writes wait, and no drain is due
    SlotTurn     = 4'd3,  // a row is open but the bus turns (tRTW, tWTR, mode change)
    SlotGroup    = 4'd4,  // tCCD
    SlotActivate = 4'd5,  // tRCD
    SlotRefresh  = 4'd6,  // refresh or RFM of the banks that are asked for
    SlotWindow   = 4'd7,  // tRRD, tFAW, tRREFD or the row bus
    SlotBank     = 4'd8,  // tRP, tRAS, tRC, tRTP, tWR
    SlotQuiet    = 4'd9   // initialisation, PHY window, self refresh
  } slot_e;
  localparam int unsigned SlotKinds = 10;

  // Events of one clock of one pseudo-channel.
  typedef struct packed {
    slot_e slot;
    logic  act;
    logic  pre;
    logic  rd;
    logic  wr;
    logic  ref_pb;
    logic  ref_ab;
    logic  rfm_pb;
    logic  row_miss;     // first burst of an activate
    logic  corrected;
    logic  uncorrected;
    logic  scrubbed;
    logic  rmw;
    logic  drain;        // a write drain begins
  } event_t;

  // Where a burst lies. 64 MiB units: {sid, row[13:12]}; with three SIDs it takes nine values, by table.
  function automatic place_t place_of(input logic [BeatW-1:0] beat, input cfg_t cfg);
    place_t p;
    logic [1:0] sid, top;
    p.burst     = beat[2:0];
    p.block.blk = beat[5:4];
    sid         = beat[24:23];
    top         = beat[22:21];
    if (cfg.sids == 3'd3) begin
      unique case (beat[24:21])
        4'd0: {sid, top} = 4'b00_00;
        4'd1: {sid, top} = 4'b00_01;
        4'd2: {sid, top} = 4'b00_10;
        4'd3: {sid, top} = 4'b01_00;
        4'd4: {sid, top} = 4'b01_01;
        4'd5: {sid, top} = 4'b01_10;
        4'd6: {sid, top} = 4'b10_00;
        4'd7: {sid, top} = 4'b10_01;
        default: {sid, top} = 4'b10_10;
      endcase
    end
    p.block.row = {top, beat[20:9]};
    p.block.bank = {
      sid,
      ^(beat & cfg.map_mask[3]),
      ^(beat & cfg.map_mask[2]),
      ^(beat & cfg.map_mask[1]),
      ^(beat & cfg.map_mask[0])
    };
    return p;
  endfunction

  // Bursts of a pseudo-channel: 8 Mi a SID, 6 Mi with three.
  function automatic logic in_range(input logic [BeatW+1:0] beat, input cfg_t cfg);
    if (cfg.sids == 3'd3) return beat[BeatW+1:21] < 6'd9;
    return beat[BeatW+1:23] < {1'b0, cfg.sids};
  endfunction

  // The lowest bank of a set, as a set; the number of the only bank of a set (0 of none).
  function automatic logic [Banks-1:0] lowest_bank(input logic [Banks-1:0] v);
    return v & (~v + 1'b1);
  endfunction
  function automatic logic [BankW-1:0] number_of(input logic [Banks-1:0] onehot);
    logic [BankW-1:0] n;
    n = '0;
    if (onehot != '0) for (int unsigned i = 0; i < Banks; i++) if (onehot[i]) n = n | BankW'(i);
    return n;
  endfunction
endpackage
