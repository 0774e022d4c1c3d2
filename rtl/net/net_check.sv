// SPDX-License-Identifier: Apache-2.0
// Takes a NET instruction apart and checks its operands, in the order of docs/net.md, 3; combinational. HBM bounds are
// dma_gen's.
module net_check
  import tepin_pkg::*;
  import tepin_isa_pkg::*;
  import noc_pkg::*;
  import noc_coll_pkg::*;
  import net_pkg::*;
#(
    parameter int unsigned SpadBytes = 131072,
    parameter int unsigned Sems = 64,
    parameter int unsigned Pcs = 2
) (
    input  coord_t                          at_i,
    input  coord_t                          last_i,
    input  engine_instr_t                   instr_i,
    // group registers
    input  logic               [      63:0] mask_i    [Groups],
    input  coord_t                          root_i    [Groups],
    input  logic               [Groups-1:0] written_i,
    // result
    output logic                            bad_o,
    output cause_e                          cause_o,
    output logic               [      31:0] addr_o,
    output job_t                            job_o,
    output dma_pkg::transfer_t              transfer_o           // nld, nst
);
  localparam int unsigned SpadWords = SpadBytes / 32;
  logic moves, memory, grouped;
  assign moves   = instr_i.op inside {OpNwr, OpNmc, OpNred, OpNar, OpNrs, OpNag, OpNa2a};
  assign memory  = instr_i.op inside {OpNld, OpNst};
  assign grouped = is_collective(instr_i.op) || instr_i.op == OpNmc;

  // nld and nst are ld and st with one level of runs, and a tile in a register.
  engine_instr_t   as_dma;
  dma_pkg::check_t dma;
  always_comb begin
    as_dma        = instr_i;
    as_dma.arg[3] = {16'b0, instr_i.arg[3][15:0]};
    as_dma.arg[6] = '0;
    as_dma.arg[7] = '0;
    dma           = dma_pkg::check(as_dma, Pcs, SpadBytes);
  end
  assign transfer_o = dma.transfer;

  logic [GroupW-1:0] g;
  logic [31:0] tile;
  logic [63:0] mask, here, below;
  assign g    = instr_i.flags[1:0];
  assign mask = mask_i[g];
  assign here = tile_bit(at_i);
  assign below = here - 64'd1;
  always_comb begin
    unique case (instr_i.op)
      OpNpost:      tile = instr_i.arg[2];
      OpNld, OpNst: tile = instr_i.arg[6];
      OpNwr:        tile = instr_i.arg[3];
      default:      tile = '0;
    endcase
  end

  logic [22:0] src_words, dst_words;  // 64 * 65535 at most
  always_comb begin
    src_words = 23'(instr_i.arg[2][15:0]);
    dst_words = src_words;
    if (instr_i.op inside {OpNrs, OpNa2a})
      src_words = 23'(job_o.members) * 23'(instr_i.arg[2][15:0]);
    if (instr_i.op inside {OpNag, OpNa2a})
      dst_words = 23'(job_o.members) * 23'(instr_i.arg[2][15:0]);
  end

  always_comb begin
    job_o = '{
        op: instr_i.op,
        origin: '{thread: instr_i.thread, pc: instr_i.pc},
        sync: instr_i.sync,
        group: g,
        mask: mask,
        root: root_i[g],
        members: 7'($countones(mask)),
        member: (mask & here) != '0,
        rank: 6'($countones(mask & below)),
        is_root: root_i[g] == at_i,
        tile: coord_of(tile[5:0]),
        max: instr_i.flags[2],
        bf16: instr_i.flags[3],
        sem: instr_i.op == OpNmc ? instr_i.flags[7:2] : instr_i.arg[0][5:0],
        count: instr_i.op == OpNmc ? 32'(instr_i.flags[15:8]) : instr_i.arg[1],
        len: instr_i.arg[2][15:0],
        dst: instr_i.arg[0][31:5],
        src: memory ? instr_i.arg[0][31:5] : instr_i.arg[1][31:5]
    };
  end
  always_comb begin
    bad_o   = 1'b0;
    cause_o = CauseNone;
    addr_o  = '0;
    if (((moves || memory) && (instr_i.arg[2] == '0 || instr_i.arg[2] > 32'd65535)) ||
        (memory && instr_i.arg[3] > 32'd65535) ||
        (instr_i.op == OpNpost && (instr_i.arg[0] >= Sems || instr_i.arg[1] == '0)) ||
        (instr_i.op == OpNmc && (32'(job_o.sem) >= Sems || (job_o.count == '0 && job_o.sem != '0)))) begin
      bad_o   = 1'b1;
      cause_o = CauseBadOperand;
    end else if (moves && (instr_i.arg[0][4:0] != '0 || instr_i.arg[1][4:0] != '0)) begin
      bad_o   = 1'b1;
      cause_o = CauseMisaligned;
      addr_o  = instr_i.arg[1][4:0] != '0 ? instr_i.arg[1] : instr_i.arg[0];
    end else if (memory && dma.bad && dma.cause == CauseMisaligned) begin
      bad_o   = 1'b1;
      cause_o = CauseMisaligned;
      addr_o  = dma.addr;
    end else if (instr_i.op inside {OpNwr, OpNpost, OpNld, OpNst} && !in_mesh(tile, last_i)) begin
      bad_o   = 1'b1;
      cause_o = CauseBadTile;
      addr_o  = tile;
    end else if (instr_i.op == OpNgroup &&
                 ({instr_i.arg[1], instr_i.arg[0]} == '0 || ({instr_i.arg[1], instr_i.arg[0]} & ~mesh_of(
            last_i
        )) != '0 || !in_mesh(
            instr_i.arg[2], last_i
        ))) begin
      bad_o   = 1'b1;
      cause_o = CauseBadGroup;
      addr_o  = 32'(g);
    end else if (grouped && (!written_i[g] || (is_collective(
            instr_i.op
        ) && !job_o.member && !(job_o.is_root && instr_i.op != OpNrs)))) begin
      bad_o   = 1'b1;
      cause_o = CauseBadGroup;
      addr_o  = 32'(g);
    end else if (memory && dma.bad) begin
      bad_o   = 1'b1;
      cause_o = dma.cause;
      addr_o  = dma.addr;
    end else if (moves && 32'(job_o.src) + 32'(src_words) > SpadWords) begin
      bad_o   = 1'b1;
      cause_o = CauseBadSpadAddr;
      addr_o  = instr_i.arg[1];
    end else if (moves && 32'(job_o.dst) + 32'(dst_words) > SpadWords) begin
      bad_o   = 1'b1;
      cause_o = CauseBadSpadAddr;
      addr_o  = instr_i.arg[0];
    end
  end
endmodule
