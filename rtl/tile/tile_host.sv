// SPDX-License-Identifier: Apache-2.0
// The host's AXI4 window on everything in the tile (addresses: tepin_window_pkg). For bring-up and
// loading, not for speed: one burst at a time (writes first), one beat at a time, INCR only,
// 256-bit beats. Regions that the configuration does not have, writes to read-only ones, strobes
// that split an element, and HBM errors answer SLVERR. Element size: scratchpad and HBM any bytes;
// instructions 16 bytes; semaphores 4. Instruction memory is for a tile that does not run. All
// outputs are flip-flops.
`include "rtl/common/assert.svh"
module tile_host
  import tepin_pkg::*;
  import tepin_window_pkg::*;
#(
    parameter int unsigned Pcs = 2,
    parameter int unsigned SpadBytes = 131072,
    parameter int unsigned ImemInstrs = 4096,
    parameter int unsigned AccWords = 256,
    parameter int unsigned Sems = 64,
    parameter int unsigned HbmBeats = 16777216,
    parameter int unsigned Counters = 68
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    // AXI4 slave
    input  logic                              aw_valid_i,
    output logic                              aw_ready_o,
    input  logic   [                     3:0] aw_id_i,
    input  logic   [                    38:0] aw_addr_i,
    input  logic   [                     7:0] aw_len_i,
    input  logic                              w_valid_i,
    output logic                              w_ready_o,
    input  axi_w_t                            w_i,
    output logic                              b_valid_o,
    input  logic                              b_ready_i,
    output logic   [                     3:0] b_id_o,
    output logic   [                     1:0] b_resp_o,
    input  logic                              ar_valid_i,
    output logic                              ar_ready_o,
    input  logic   [                     3:0] ar_id_i,
    input  logic   [                    38:0] ar_addr_i,
    input  logic   [                     7:0] ar_len_i,
    output logic                              r_valid_o,
    input  logic                              r_ready_i,
    output logic   [                     3:0] r_id_o,
    output logic   [                   255:0] r_data_o,
    output logic   [                     1:0] r_resp_o,
    output logic                              r_last_o,
    // scratchpad
    output logic                              rd_valid_o,
    output logic                              wr_valid_o,
    output logic   [$clog2(SpadBytes/32)-1:0] word_o,
    output logic   [                    31:0] strb_o,
    output logic   [                   255:0] data_o,
    input  logic                              rd_gnt_i,
    input  logic                              wr_gnt_i,
    input  logic   [                   255:0] rd_data_i,
    input  logic                              rd_bad_i,
    // instruction memory
    output logic                              imem_we_o,
    output logic                              imem_re_o,
    output logic   [                    15:0] imem_addr_o,
    output logic   [                   127:0] imem_wdata_o,
    input  logic   [                   127:0] imem_rdata_i,
    // accumulators, semaphores, counters
    output logic   [                    15:0] index_o,
    input  logic   [                    31:0] acc_value_i,
    output logic                              sem_set_o,
    output logic   [                    31:0] sem_value_o,
    input  logic   [                    31:0] sem_value_i,
    input  logic   [                    63:0] counter_i,
    // HBM through LD's and ST's channels
    output logic                              hbm_rd_valid_o[Pcs],
    input  logic                              hbm_rd_ready_i[Pcs],
    output logic                              hbm_wr_valid_o[Pcs],
    input  logic                              hbm_wr_ready_i[Pcs],
    output logic   [                    25:0] hbm_beat_o,
    input  logic                              hbm_rvalid_i,
    input  logic   [                   255:0] hbm_rdata_i,
    input  logic   [                     1:0] hbm_rresp_i,
    input  logic                              hbm_bvalid_i,
    input  logic   [                     1:0] hbm_bresp_i,
    // status
    output logic                              busy_o
);
  typedef enum logic [3:0] {
    HsIdle,    // no burst
    HsWait,    // write: waits for its beat's data
    HsSpad,    // scratchpad access until granted
    HsSpadData,
    HsElem,    // one element of instruction memory, accumulators, semaphores or counters
    HsElemData,// instruction memory answers
    HsHbm,     // request on a memory port
    HsHbmWait, // its response
    HsBeat,    // the beat is complete: read data are offered, or the next write beat follows
    HsResp     // write response
  } state_e;
  typedef enum logic [2:0] {
    RegSpad,
    RegImem,
    RegAcc,
    RegSem,
    RegCnt,
    RegHbm,
    RegNone
  } region_e;
  typedef struct packed {
    logic [3:0]  id;
    logic [38:0] addr;
    logic [7:0]  len;
  } req_t;
  typedef struct packed {
    logic [3:0]   id;
    logic [255:0] data;
    logic [1:0]   resp;
    logic         last;
  } rsp_t;
  typedef struct packed {
    logic [3:0] id;
    logic [1:0] resp;
  } wrsp_t;

  logic aw_v, aw_r, w_v, w_r, ar_v, ar_r, b_v, b_r, r_v, r_r;
  req_t aw, ar;
  axi_w_t w;
  wrsp_t b, bo;
  rsp_t r, ro;
  common_spill #(
      .data_t(req_t)
  ) u_aw (
      .clk_i,
      .rst_ni,
      .in_valid_i(aw_valid_i),
      .in_ready_o(aw_ready_o),
      .in_i('{id: aw_id_i, addr: aw_addr_i, len: aw_len_i}),
      .out_valid_o(aw_v),
      .out_ready_i(aw_r),
      .out_o(aw)
  );
  common_spill #(
      .data_t(axi_w_t)
  ) u_w (
      .clk_i,
      .rst_ni,
      .in_valid_i(w_valid_i),
      .in_ready_o(w_ready_o),
      .in_i(w_i),
      .out_valid_o(w_v),
      .out_ready_i(w_r),
      .out_o(w)
  );
  common_spill #(
      .data_t(req_t)
  ) u_ar (
      .clk_i,
      .rst_ni,
      .in_valid_i(ar_valid_i),
      .in_ready_o(ar_ready_o),
      .in_i('{id: ar_id_i, addr: ar_addr_i, len: ar_len_i}),
      .out_valid_o(ar_v),
      .out_ready_i(ar_r),
      .out_o(ar)
  );
  common_spill #(
      .data_t(wrsp_t)
  ) u_b (
      .clk_i,
      .rst_ni,
      .in_valid_i(b_v),
      .in_ready_o(b_r),
      .in_i(b),
      .out_valid_o(b_valid_o),
      .out_ready_i(b_ready_i),
      .out_o(bo)
  );
  common_spill #(
      .data_t(rsp_t)
  ) u_r (
      .clk_i,
      .rst_ni,
      .in_valid_i(r_v),
      .in_ready_o(r_r),
      .in_i(r),
      .out_valid_o(r_valid_o),
      .out_ready_i(r_ready_i),
      .out_o(ro)
  );
  assign {b_id_o, b_resp_o} = bo;
  assign {r_id_o, r_data_o, r_resp_o, r_last_o} = ro;

  state_e          st_q;
  logic            write_q;
  logic    [  3:0] id_q;
  logic    [ 38:0] addr_q;
  logic    [  7:0] left_q;
  logic    [  1:0] resp_q;  // of the burst (write) or beat (read)
  logic    [255:0] data_q;
  logic    [ 31:0] strb_q;
  logic            last_q;
  logic    [  2:0] elem_q;  // element within the beat
  logic            start_beat_q;  // the address is in place: begin the beat
  region_e         region;
  logic    [ 38:0] off;
  logic    [  2:0] elem_last;
  logic            in_range;

  always_comb begin
    region = RegNone;
    off    = addr_q;
    if (addr_q >= WinHbm) begin
      region = RegHbm;
      off = {2'b0, addr_q[36:0]};
    end else if (addr_q[37:31] == '0) begin
      off = {11'b0, addr_q[27:0]};
      unique case (addr_q[30:28])
        WinSpad[30:28]:     region = RegSpad;
        WinImem[30:28]:     region = RegImem;
        WinAcc[30:28]:      region = RegAcc;
        WinSem[30:28]:      region = RegSem;
        WinCounters[30:28]: region = RegCnt;
        default:            region = RegNone;
      endcase
    end
    in_range  = 1'b0;
    elem_last = 3'd7;
    unique case (region)
      RegSpad: in_range = off < 39'(SpadBytes);
      RegImem: begin
        in_range  = off < 39'(ImemInstrs) * 39'd16;
        elem_last = 3'd1;
      end
      RegAcc:  in_range = off < 39'(AccWords) * 39'd4 && !write_q;
      RegSem:  in_range = off < 39'(Sems) * 39'd4;
      RegCnt: begin
        in_range  = off < 39'(Counters) * 39'd8 && !write_q;
        elem_last = 3'd3;
      end
      RegHbm:  in_range = 32'(off[36:31]) < Pcs && 32'(off[30:5]) < HbmBeats;
      default: in_range = 1'b0;
    endcase
  end

  logic [ 3:0] sem_strb;
  logic [15:0] imem_strb;
  assign sem_strb     = strb_q[{elem_q, 2'b0}+:4];
  assign imem_strb    = strb_q[{elem_q[0], 4'b0}+:16];

  assign word_o       = off[5+:$clog2(SpadBytes/32)];
  assign strb_o       = strb_q;
  assign data_o       = data_q;
  assign rd_valid_o   = st_q == HsSpad && !write_q;
  assign wr_valid_o   = st_q == HsSpad && write_q;
  assign imem_addr_o  = {off[19:5], elem_q[0]};
  assign imem_we_o    = st_q == HsElem && region == RegImem && write_q && imem_strb == '1;
  assign imem_re_o    = st_q == HsElem && region == RegImem && !write_q;
  assign imem_wdata_o = data_q[{elem_q[0], 7'b0}+:128];
  assign index_o      = region == RegCnt ? {2'b0, off[16:5], elem_q[1:0]} : {off[17:5], elem_q};
  assign sem_set_o    = st_q == HsElem && region == RegSem && write_q && sem_strb == '1;
  assign sem_value_o  = data_q[{elem_q, 5'b0}+:32];
  assign hbm_beat_o   = off[30:5];
  always_comb
    for (int unsigned p = 0; p < Pcs; p++) begin
      hbm_rd_valid_o[p] = st_q == HsHbm && !write_q && 32'(off[36:31]) == p;
      hbm_wr_valid_o[p] = st_q == HsHbm && write_q && 32'(off[36:31]) == p;
    end
  logic hbm_taken;
  always_comb begin
    hbm_taken = 1'b0;
    for (int unsigned p = 0; p < Pcs; p++)
    if ((hbm_rd_valid_o[p] && hbm_rd_ready_i[p]) || (hbm_wr_valid_o[p] && hbm_wr_ready_i[p]))
      hbm_taken = 1'b1;
  end

  assign aw_r = st_q == HsIdle;
  assign ar_r = st_q == HsIdle && !aw_v;
  assign w_r  = st_q == HsWait;
  assign r_v  = st_q == HsBeat && !write_q && !start_beat_q;
  assign r    = '{id: id_q, data: data_q, resp: resp_q, last: left_q == '0};
  assign b_v  = st_q == HsResp;
  assign b    = '{id: id_q, resp: resp_q};
  assign busy_o = st_q != HsIdle || aw_v || ar_v;

  state_e begin_beat;
  always_comb begin
    begin_beat = HsElem;
    if (!in_range) begin_beat = HsBeat;
    else if (region == RegSpad) begin_beat = HsSpad;
    else if (region == RegHbm) begin_beat = HsHbm;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      st_q         <= HsIdle;
      write_q      <= 1'b0;
      start_beat_q <= 1'b0;
      resp_q       <= '0;
      elem_q       <= '0;
      left_q       <= '0;
    end else begin
      start_beat_q <= 1'b0;
      unique case (st_q)
        HsIdle: begin
          elem_q <= '0;
          resp_q <= '0;
          if (aw_v) begin
            write_q <= 1'b1;
            left_q  <= aw.len;
            st_q    <= HsWait;
          end else if (ar_v) begin
            write_q <= 1'b0;
            left_q  <= ar.len;
            st_q    <= HsBeat;
            start_beat_q <= 1'b1;
          end
        end
        HsWait:
        if (w_v) begin
          elem_q <= '0;
          st_q   <= begin_beat;
          if (!in_range) resp_q <= 2'b10;
        end
        HsSpad:  if (write_q ? wr_gnt_i : rd_gnt_i) st_q <= write_q ? HsBeat : HsSpadData;
        HsSpadData: begin
          st_q <= HsBeat;
          if (rd_bad_i) resp_q <= 2'b10;
        end
        HsElem: begin
          if (region == RegImem && !write_q) st_q <= HsElemData;
          else begin
            if (write_q && region == RegSem && sem_strb != '0 && sem_strb != '1) resp_q <= 2'b10;
            if (write_q && region == RegImem && imem_strb != '0 && imem_strb != '1) resp_q <= 2'b10;
            elem_q <= elem_q + 3'd1;
            if (elem_q == elem_last) st_q <= HsBeat;
          end
        end
        HsElemData: begin
          elem_q <= elem_q + 3'd1;
          st_q   <= elem_q == elem_last ? HsBeat : HsElem;
        end
        HsHbm:   if (hbm_taken) st_q <= HsHbmWait;
        HsHbmWait:
        if (write_q ? hbm_bvalid_i : hbm_rvalid_i) begin
          st_q <= HsBeat;
          if (write_q ? hbm_bresp_i[1] : hbm_rresp_i[1]) resp_q <= 2'b10;
        end
        HsBeat: begin
          if (start_beat_q) begin
            st_q <= begin_beat;
            if (!in_range) resp_q <= 2'b10;
            // An unmapped read offers its beat at once: stay, but not as a start.
          end else if (write_q) begin
            st_q <= last_q ? HsResp : HsWait;
          end else if (r_r) begin
            left_q <= left_q - 8'd1;
            elem_q <= '0;
            resp_q <= '0;
            if (left_q == '0) st_q <= HsIdle;
            else start_beat_q <= 1'b1;
          end
        end
        HsResp:  if (b_r) st_q <= HsIdle;
        default: st_q <= HsIdle;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    unique case (st_q)
      HsIdle: begin
        id_q   <= aw_v ? aw.id : ar.id;
        addr_q <= aw_v ? aw.addr : ar.addr;
      end
      HsWait:
      if (w_v) begin
        data_q <= w.data;
        strb_q <= w.strb;
        last_q <= w.last;
      end
      HsSpadData: data_q <= rd_data_i;
      HsElem:
      if (!write_q) begin
        if (region == RegAcc) data_q[{elem_q, 5'b0}+:32] <= acc_value_i;
        if (region == RegSem) data_q[{elem_q, 5'b0}+:32] <= sem_value_i;
        if (region == RegCnt) data_q[{elem_q[1:0], 6'b0}+:64] <= counter_i;
      end
      HsElemData: data_q[{elem_q[0], 7'b0}+:128] <= imem_rdata_i;
      HsHbmWait: if (!write_q && hbm_rvalid_i) data_q <= hbm_rdata_i;
      HsBeat: begin
        if (!start_beat_q && (write_q ? !last_q : r_r && left_q != '0))
          addr_q <= {addr_q[38:5] + 34'd1, 5'b0};
        if (start_beat_q && !in_range) data_q <= '0;
      end
      default: ;
    endcase
  end
endmodule
