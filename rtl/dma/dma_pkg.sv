// SPDX-License-Identifier: Apache-2.0
// Types of the DMA engines.
package dma_pkg;
  import tepin_pkg::*;
  import tepin_isa_pkg::*;

  localparam int unsigned Slots = 4;  // instructions in flight an engine
  localparam int unsigned SlotW = 2;

  // A checked transfer (docs/reference/isa.md, ld and st).
  typedef struct packed {
    logic [31:0] spad;
    logic [5:0]  pc;
    logic [25:0] beat;
    logic [15:0] len;
    logic [15:0] n1,     n2;                      // runs - 1
    logic [31:0] sstep1, sstep2, hstep1, hstep2;
    logic [3:0]  npc;
  } transfer_t;

  // One AXI4 burst: 1..8 beats inside one 256-byte unit.
  typedef struct packed {
    logic [5:0]       pc;
    logic [25:0]      beat;
    logic [26:0]      word;   // scratchpad word of the first beat
    logic [3:0]       beats;
    logic [SlotW-1:0] slot;
  } burst_t;

  typedef struct packed {
    logic        bad;
    cause_e      cause;
    logic [31:0] addr;
    logic [31:0] box_lo,   box_hi;  // scratchpad bytes that the whole instruction may touch
    transfer_t   transfer;
  } check_t;

  // Checks the operands that need no walk through the transfer: counts, alignment, channels, the
  // scratchpad side. The HBM side is checked burst by burst in dma_gen.
  function automatic check_t check(input engine_instr_t i, input int unsigned pcs,
                                   input int unsigned spad_bytes);
    check_t c;
    logic [63:0] hi;
    c = '0;
    c.transfer = '{
        spad: i.arg[0],
        pc: i.arg[1][31:26],
        beat: i.arg[1][25:0],
        len: i.arg[2][15:0],
        n1: i.arg[3][15:0],
        n2: i.arg[3][31:16],
        sstep1: i.arg[4],
        hstep1: i.arg[5],
        sstep2: i.arg[6],
        hstep2: i.arg[7],
        npc: i.flags[3:0]
    };
    hi = 64'(i.arg[0]) + 64'(i.arg[3][15:0]) * 64'(i.arg[4]) + 64'(i.arg[3][31:16]) * 64'(i.arg[6]) + 64'(i.arg[2]) * 64'd32;
    c.box_lo = i.arg[0];
    c.box_hi = hi[31:0];
    if (i.arg[2] == '0 || i.arg[2] > 32'd65535) begin
      c.bad   = 1'b1;
      c.cause = CauseBadOperand;
    end else if (i.arg[0][4:0] != '0 || i.arg[4][4:0] != '0 || i.arg[6][4:0] != '0) begin
      c.bad   = 1'b1;
      c.cause = CauseMisaligned;
      c.addr  = i.arg[0];
    end else if (32'(c.transfer.pc) + 32'(c.transfer.npc) > pcs) begin
      c.bad   = 1'b1;
      c.cause = CauseBadHbmAddr;
      c.addr  = i.arg[1];
    end else if (hi > 64'(spad_bytes)) begin
      c.bad   = 1'b1;
      c.cause = CauseBadSpadAddr;
      c.addr  = i.arg[0];
    end
    return c;
  endfunction
endpackage
