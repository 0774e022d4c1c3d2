// SPDX-License-Identifier: Apache-2.0
// Types of the two collective networks, up (towards the root) and dn (away from the source); docs/net.md, 4 to 7.
package noc_coll_pkg;
  import noc_pkg::*;

  localparam int unsigned Groups = 4;  // group registers of a tile, and groups with operand slots in a router
  localparam int unsigned GroupW = 2;
  typedef logic [Groups-1:0] groups_t;

  typedef enum logic [2:0] {
    CollBar = 3'd0,  // a head alone
    CollRed = 3'd1,
    CollAr  = 3'd2,
    CollRs  = 3'd3,
    CollAg  = 3'd4,  // a head alone: the barrier that precedes the pieces
    CollA2a = 3'd5   // likewise
  } coll_e;

  // Beside the data of a flit on up.
  typedef struct packed {
    logic [GroupW-1:0] group;
    logic              head;   // the data's low bits are an up_head_t
    logic              last;   // of its train; a head with last is a train of its own
  } up_ctl_t;

  // What all members must agree on. Data of a head, low bits; the others are 0.
  typedef struct packed {
    logic [63:0] mask;   // members, bit 8*y + x
    coord_t      root;   // of this train: of nrs the member whose chunk it is
    coll_e       kind;
    logic        max;    // else sum
    logic        bf16;   // 16 BF16 values a 256 bit word, else 8 FP32 values
    logic [15:0] len;    // words of 256 bit
    logic [5:0]  chunk;  // nrs: number of the train
    logic [26:0] word;   // nag, na2a: first scratchpad word of the destination, else 0
  } up_head_t;

  typedef enum logic [1:0] {
    DnWrite  = 2'd0,  // multicast: word, data; the last one posts sem, cnt, and is acknowledged to src
    DnResult = 2'd1,  // of all-reduce: the members know where it goes
    DnRelease = 2'd2,  // of a barrier: no data
    DnPiece = 2'd3  // of all-gather: word, data
  } dn_kind_e;

  // Beside the data of a flit on dn.
  typedef struct packed {
    logic [63:0]       mask;   // tiles beyond this link that it is for
    dn_kind_e          kind;
    logic [GroupW-1:0] group;
    logic              last;   // of its train
    logic              both;   // both words of a 512 bit link hold data
    coord_t            src;
    logic [26:0]       word;
    logic [5:0]        sem;
    logic [7:0]        cnt;    // 0: no post
  } dn_ctl_t;

  function automatic logic [63:0] tile_bit(input coord_t t);
    return 64'(1) << {t.y, t.x};
  endfunction

  // ------------------------------------------------------------------------------------ places of a mask
  function automatic logic [7:0] row_of(input logic [63:0] mask, input coord_t at);
    return mask[{at.y, 3'b0}+:8];
  endfunction
  // Columns west and east of x; rows north and south of y as bits of a mask.
  function automatic logic [7:0] west_of(input logic [2:0] x);
    return (8'd1 << x) - 8'd1;
  endfunction
  function automatic logic [7:0] east_of(input logic [2:0] x);
    return 8'hfe << x;
  endfunction
  function automatic logic [63:0] north_of(input logic [2:0] y);
    return (64'd1 << {y, 3'b0}) - 64'd1;
  endfunction
  function automatic logic [63:0] south_of(input logic [2:0] y);
    return 64'hffff_ffff_ffff_ff00 << {y, 3'b0};
  endfunction
  // The tiles of a mesh with that south-east corner.
  function automatic logic [63:0] mesh_of(input coord_t last);
    return {8{~east_of(last.x)}} & ~south_of(last.y);
  endfunction

  // ------------------------------------------------------------------------------------------ up
  // What a router does with a train; of its head and its place (docs/net.md, 4).
  typedef struct packed {
    ports_t set;     // inputs that give a head; those that give data are the same but for PortL without member
    logic member;  // the router's tile is in the mask
    port_e parent;  // output
  } up_plan_t;
  function automatic up_plan_t up_plan(input up_head_t h, input coord_t at);
    up_plan_t p;
    logic [7:0] row;
    row = row_of(h.mask, at);
    p.parent = route(at, h.root);
    p.member = row[at.x];
    p.set = '0;
    p.set[PortW] = h.root.x >= at.x && (row & west_of(at.x)) != '0;
    p.set[PortE] = h.root.x <= at.x && (row & east_of(at.x)) != '0;
    p.set[PortN] = h.root.x == at.x && h.root.y >= at.y && (h.mask & north_of(at.y)) != '0;
    p.set[PortS] = h.root.x == at.x && h.root.y <= at.y && (h.mask & south_of(at.y)) != '0;
    p.set[PortL] = p.member || h.root == at;
    return p;
  endfunction
  function automatic ports_t data_set(input up_plan_t p);
    return p.member ? p.set : p.set & ~onehot(PortL);
  endfunction

  // ------------------------------------------------------------------------------------------ dn
  // The part of a mask that is beyond output `o`: x first, then y.
  function automatic logic [63:0] dn_prune(input logic [63:0] mask, input coord_t at,
                                           input port_e o);
    logic [63:0] column;
    column = {8{8'(8'd1 << at.x)}};
    unique case (o)
      PortN:   return mask & column & north_of(at.y);
      PortE:   return mask & {8{east_of(at.x)}};
      PortS:   return mask & column & south_of(at.y);
      PortW:   return mask & {8{west_of(at.x)}};
      default: return mask & tile_bit(at);
    endcase
  endfunction
  // Outputs that flits from input `p` take.
  function automatic ports_t dn_turns(input port_e p);
    return p == PortL ? '1 : turns(p);
  endfunction
endpackage
