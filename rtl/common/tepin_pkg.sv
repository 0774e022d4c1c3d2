// SPDX-License-Identifier: Apache-2.0
// Types that the units of a tile share: engine instructions, faults, activities, the AXI4 channels
// of a memory port.
package tepin_pkg;
  import tepin_isa_pkg::*;

  localparam int unsigned AddrW = 34;  // byte address arithmetic: 32-bit operands plus carries
  localparam int unsigned IdW = 5;  // AXI4 IDs: 0..15 engines, 16 host window
  localparam int unsigned MemAddrW = 31;  // byte address in a pseudo-channel (2 GiB)

  // An instruction in an engine's queue: register operands already read.
  typedef struct packed {
    logic [7:0]       op;
    logic [1:0]       thread;
    logic [15:0]      pc;
    sync_t            sync;
    logic [15:0]      flags;
    logic [7:0][31:0] arg;
  } engine_instr_t;

  // Who an event belongs to.
  typedef struct packed {
    logic [1:0]  thread;
    logic [15:0] pc;
  } origin_t;

  typedef struct packed {
    logic        valid;
    cause_e      cause;
    engine_e     engine;
    origin_t     origin;
    logic [31:0] addr;    // scratchpad byte address, HBM beat or semaphore, where one applies
  } fault_t;

  // Two changes of semaphores that happen together. take: subtract instead of add (stake). remote: the second one
  // happens at another tile (docs/net.md), a little later.
  typedef struct packed {
    logic        take;
    logic [5:0]  sem0;
    logic [31:0] cnt0;
    logic [5:0]  sem1;
    logic [31:0] cnt1;
    logic        remote;
    logic [5:0]  tile;
  } sem_op_t;

  // A post on its way to another tile.
  typedef struct packed {
    logic [5:0] tile;
    logic [5:0] sem;
    logic [7:0] cnt;
  } remote_post_t;

  // What an engine or thread did in a cycle; exactly one each cycle, so the counters add up to the
  // total.
  typedef enum logic [2:0] {
    ActIdle      = 3'd0,  // nothing to do
    ActBusy      = 3'd1,  // did useful work
    ActWaitSem   = 3'd2,  // head waits for a semaphore
    ActWaitSpad  = 3'd3,  // lost arbitration of a scratchpad bank
    ActWaitMem   = 3'd4,  // waits for the memory port or for data from it
    ActWaitData  = 3'd5,  // waits for data from the scratchpad or an own earlier result
    ActWaitQueue = 3'd6,  // thread waits for room in an engine's queue
    ActStopped   = 3'd7   // stopped by a fault, drain, breakpoint or single step
  } activity_e;

  // An instruction has ended (its last byte is visible).
  typedef struct packed {
    logic       valid;
    origin_t    origin;
    logic [7:0] op;
  } retire_t;

  // AXI4 memory port, 256 bit, INCR bursts only (size 5, burst 1 are constants of the port).
  typedef struct packed {
    logic [IdW-1:0]      id;
    logic [MemAddrW-1:0] addr;
    logic [7:0]          len;
  } axi_ax_t;
  typedef struct packed {
    logic [255:0] data;
    logic [31:0]  strb;
    logic         last;
  } axi_w_t;
  typedef struct packed {
    logic [IdW-1:0] id;
    logic [1:0]     resp;
  } axi_b_t;
  typedef struct packed {
    logic [IdW-1:0] id;
    logic [255:0]   data;
    logic [1:0]     resp;
    logic           last;
  } axi_r_t;

  // Even parity of each byte.
  function automatic logic [31:0] byte_parity(input logic [255:0] d);
    logic [31:0] p, w;
    p = '0;
    for (int unsigned i = 0; i < 8; i++) begin
      w = d[i*32+:32];
      w = w ^ (w >> 4);
      w = w ^ (w >> 2);
      w = w ^ (w >> 1);
      p[i*4+:4] = {w[24], w[16], w[8], w[0]};
    end
    return p;
  endfunction

  function automatic sem_op_t post_of(input sync_t s);
    return
    '{
        take: 1'b0,
        sem0: s.post0_sem,
        cnt0: 32'(s.post0_cnt),
        sem1: s.post1_sem,
        cnt1: 32'(s.post1_cnt),
        remote: s.post1_remote,
        tile: s.post1_tile
    }
    ;
  endfunction
  function automatic sem_op_t wait_of(input sync_t s);
    return
    '{
        take: 1'b1,
        sem0: s.wait0_sem,
        cnt0: 32'(s.wait0_cnt),
        sem1: s.wait1_sem,
        cnt1: 32'(s.wait1_cnt),
        remote: 1'b0,
        tile: '0
    }
    ;
  endfunction
endpackage
