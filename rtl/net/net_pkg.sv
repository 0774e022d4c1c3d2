// SPDX-License-Identifier: Apache-2.0
// Payloads of the request and response networks, and the operands of NET's instructions (docs/net.md).
package net_pkg;
  import tepin_pkg::*;
  import tepin_isa_pkg::*;
  import noc_pkg::*;
  import noc_coll_pkg::*;

  typedef enum logic [1:0] {
    ReqWrite = 2'd0,  // addr: scratchpad word; then cnt to semaphore sem
    ReqPost = 2'd1,  // data[31:0] to semaphore sem
    ReqRead  = 2'd2,  // addr: {pc, beat}; data: {beats [30:27], scratchpad word for the answer [26:0]}
    ReqStore = 2'd3  // addr: {pc, beat}
  } req_e;
  typedef struct packed {
    req_e         kind;
    logic         ack;    // wants an acknowledgement
    logic         piece;  // ReqWrite: of an all-to-all, counted where it arrives
    logic [5:0]   sem;
    logic [7:0]   cnt;    // 0: no post
    logic [31:0]  addr;
    logic [255:0] data;
  } req_t;
  typedef struct packed {
    logic         is_data;  // for scratchpad word `word`; else an acknowledgement
    cause_e       cause;    // CauseNone: it went well
    logic [26:0]  word;     // of an acknowledgement: how many answers it stands for
    logic [255:0] data;
  } rsp_t;

  // An instruction that has started, checked and taken apart.
  typedef struct packed {
    logic [7:0]        op;
    origin_t           origin;
    sync_t             sync;
    logic [GroupW-1:0] group;
    logic [63:0]       mask;
    coord_t            root;
    logic [6:0]        members;
    logic              member;   // this tile is one
    logic [5:0]        rank;     // ... with this rank
    logic              is_root;
    coord_t            tile;     // nwr, npost, nld, nst
    logic              max;
    logic              bf16;
    logic [5:0]        sem;      // npost, nmc
    logic [31:0]       count;
    logic [15:0]       len;
    logic [26:0]       dst;      // words
    logic [26:0]       src;
  } job_t;

  function automatic logic in_mesh(input logic [31:0] t, input coord_t last);
    return t[31:6] == '0 && t[2:0] <= last.x && t[5:3] <= last.y;
  endfunction
  function automatic coord_t coord_of(input logic [5:0] t);
    return '{x: t[2:0], y: t[5:3]};
  endfunction

  function automatic logic is_collective(input logic [7:0] op);
    return op inside {OpNbar, OpNred, OpNar, OpNrs, OpNag, OpNa2a};
  endfunction
  function automatic coll_e coll_of(input logic [7:0] op);
    unique case (op)
      OpNred:  return CollRed;
      OpNar:   return CollAr;
      OpNrs:   return CollRs;
      OpNag:   return CollAg;
      OpNa2a:  return CollA2a;
      default: return CollBar;
    endcase
  endfunction
  // Widths of a link between tiles, `lanes` words a flit of up and dn, and of its credits (net_node).
  localparam int unsigned CreditW = 2 * Ports + Groups + 1;
  function automatic int unsigned link_bits(input int unsigned lanes);
    return 4 + 2 * $bits(head_t) + $bits(req_t) + $bits(rsp_t) + $bits(up_ctl_t) + $bits(dn_ctl_t) +
        2 * 256 * lanes;
  endfunction
  // Collectives whose operands go up the tree.
  function automatic logic reduces(input logic [7:0] op);
    return op inside {OpNred, OpNar, OpNrs};
  endfunction
endpackage
