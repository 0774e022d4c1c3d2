// SPDX-License-Identifier: Apache-2.0
// The mesh's flit header, its ports, and XY routing. x grows to the east, y to the south; (0,0) is the north-west
// corner. A flit is a header and a payload of Width bits in one beat; docs/noc.md.
package noc_pkg;
  localparam int unsigned Ports = 5;
  localparam int unsigned AgeW = 4;

  typedef enum logic [2:0] {
    PortN = 3'd0,
    PortE = 3'd1,
    PortS = 3'd2,
    PortW = 3'd3,
    PortL = 3'd4   // the tile
  } port_e;
  typedef logic [Ports-1:0] ports_t;  // a set of ports, or one of them as one-hot

  typedef struct packed {
    logic [2:0] x;
    logic [2:0] y;
  } coord_t;
  typedef struct packed {
    port_e           hop;  // output that the flit takes in the router that receives it
    logic [AgeW-1:0] age;  // ticks since injection, saturating: who goes first
    coord_t          src;
    coord_t          dst;
  } head_t;

  function automatic ports_t onehot(input port_e p);
    return ports_t'(1) << p;
  endfunction

  // The port of a neighbour at which a flit sent through `p` arrives.
  function automatic port_e opposite(input port_e p);
    unique case (p)
      PortN:   return PortS;
      PortE:   return PortW;
      PortS:   return PortN;
      PortW:   return PortE;
      default: return PortL;
    endcase
  endfunction

  // Outputs that flits from input `p` take: x first, then y, no way back. Nothing turns from y to x, so no cycle of
  // waiting is possible. A tile's flit to itself does not enter the network.
  function automatic ports_t turns(input port_e p);
    unique case (p)
      PortN:   return onehot(PortS) | onehot(PortL);
      PortS:   return onehot(PortN) | onehot(PortL);
      PortE:   return onehot(PortW) | onehot(PortN) | onehot(PortS) | onehot(PortL);
      PortW:   return onehot(PortE) | onehot(PortN) | onehot(PortS) | onehot(PortL);
      default: return onehot(PortN) | onehot(PortE) | onehot(PortS) | onehot(PortW);
    endcase
  endfunction

  // Inputs whose flits take output `p`.
  function automatic ports_t sources(input port_e p);
    ports_t s;
    s = '0;
    for (int unsigned i = 0; i < Ports; i++) s[i] = (turns(port_e'(i)) & onehot(p)) != '0;
    return s;
  endfunction

  // Queues at the far end of output `p`: what its flits may do next. The tile's end has one.
  function automatic ports_t far_queues(input port_e p);
    return p == PortL ? onehot(PortL) : turns(opposite(p));
  endfunction

  // Output that a flit takes in the router at `at`.
  function automatic port_e route(input coord_t at, input coord_t dst);
    if (dst.x != at.x) return dst.x > at.x ? PortE : PortW;
    if (dst.y != at.y) return dst.y > at.y ? PortS : PortN;
    return PortL;
  endfunction

  // The neighbour behind output `p`.
  function automatic coord_t beyond(input coord_t at, input port_e p);
    coord_t n;
    n = at;
    unique case (p)
      PortN:   n.y = at.y - 1'b1;
      PortE:   n.x = at.x + 1'b1;
      PortS:   n.y = at.y + 1'b1;
      PortW:   n.x = at.x - 1'b1;
      default: ;
    endcase
    return n;
  endfunction

  // A header a cycle later.
  function automatic head_t older(input head_t h, input logic tick);
    head_t r;
    r = h;
    if (tick && h.age != '1) r.age = h.age + 1'b1;
    return r;
  endfunction
endpackage
