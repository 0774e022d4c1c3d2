// SPDX-License-Identifier: Apache-2.0
// Types of the host port: what travels from the chip's corner to the tiles. docs/chip.md.
package chip_pkg;
  localparam int unsigned HostIdW = 4;
  localparam int unsigned HostAddrW = 45;  // window: {tile 6, address in the tile 39}
  localparam int unsigned RegAddrW = 21;  // registers: {chip 1, tile 6, block 3, byte address in the block 11}
  localparam int unsigned RegBlockW = 3;  // block 0 is the tile's own, block c + 1 that of its memory channel c
  localparam int unsigned RegOffsetW = 11;
  localparam int unsigned TileRegW = 8;  // bytes of a tile's block that are used: 2^8
  localparam int unsigned ChipRegW = chip_csr_pkg::CHIP_CSR_MIN_ADDR_WIDTH;
  localparam logic [1:0] RespDecErr = 2'b11;

  // A tile's number, 8*y + x.
  typedef struct packed {
    logic [2:0] y;
    logic [2:0] x;
  } tile_t;

  // AXI4 window; write data are tepin_pkg::axi_w_t. A chip_line steers by `tile`.
  typedef struct packed {
    tile_t              tile;
    logic [HostIdW-1:0] id;
    logic [38:0]        addr;  // in the tile
    logic [7:0]         len;
  } win_ax_t;
  typedef struct packed {
    logic [HostIdW-1:0] id;
    logic [1:0]         resp;
  } win_b_t;
  typedef struct packed {
    logic [HostIdW-1:0] id;
    logic [255:0]       data;
    logic [1:0]         resp;
    logic               last;
  } win_r_t;

  // AXI4-Lite registers.
  typedef struct packed {
    tile_t                 tile;
    logic [RegBlockW-1:0]  block;
    logic [RegOffsetW-1:0] addr;
  } reg_ax_t;
  typedef struct packed {
    logic [31:0] data;
    logic [3:0]  strb;
  } reg_w_t;
  typedef struct packed {logic [1:0] resp;} reg_b_t;
  typedef struct packed {
    logic [31:0] data;
    logic [1:0]  resp;
  } reg_r_t;

  // Whether a mesh of x columns and y rows has that tile.
  function automatic logic there(input tile_t t, input int unsigned x, input int unsigned y);
    return 32'(t.x) < x && 32'(t.y) < y;
  endfunction
endpackage
