// SPDX-License-Identifier: Apache-2.0
// Results and branches of the scalar instructions; combinational. Instructions that it does not know
// (control, memory, engines) write nothing and do not jump.
module seq_alu
  import tepin_isa_pkg::*;
(
    input  logic [ 7:0] op_i,
    input  logic [31:0] rs1_i,
    input  logic [31:0] rs2_i,
    input  logic [31:0] imm_i,
    input  logic [31:0] next_pc_i,  // of the next instruction in sequence
    output logic        write_o,    // the destination register gets value_o
    output logic [31:0] value_o,
    output logic        jump_o,
    output logic [31:0] target_o
);
  // Register and immediate forms share their operation: the second operand is chosen by the opcode.
  logic        immediate;
  logic [31:0] b;
  assign immediate = op_i inside {OpAddi, OpMuli, OpAndi, OpOri, OpXori, OpShli, OpShri, OpSrai,
                                  OpSlti, OpSltui};
  assign b = immediate ? imm_i : rs2_i;

  always_comb begin
    write_o = 1'b1;
    value_o = '0;
    unique case (op_i)
      OpLi:            value_o = imm_i;
      OpAdd, OpAddi:   value_o = rs1_i + b;
      OpSub:           value_o = rs1_i - b;
      OpMul, OpMuli:   value_o = rs1_i * b;
      OpAnd, OpAndi:   value_o = rs1_i & b;
      OpOr, OpOri:     value_o = rs1_i | b;
      OpXor, OpXori:   value_o = rs1_i ^ b;
      OpShl, OpShli:   value_o = rs1_i << b[4:0];
      OpShr, OpShri:   value_o = rs1_i >> b[4:0];
      OpSra, OpSrai:   value_o = unsigned'(signed'(rs1_i) >>> b[4:0]);
      OpSlt, OpSlti:   value_o = 32'(signed'(rs1_i) < signed'(b));
      OpSltu, OpSltui: value_o = 32'(rs1_i < b);
      OpJal:           value_o = next_pc_i;
      default:         write_o = 1'b0;
    endcase
  end

  always_comb begin
    target_o = op_i == OpJr ? rs1_i : imm_i;
    unique case (op_i)
      OpJmp, OpJal, OpJr: jump_o = 1'b1;
      OpBeq: jump_o = rs1_i == rs2_i;
      OpBne: jump_o = rs1_i != rs2_i;
      OpBlt: jump_o = signed'(rs1_i) < signed'(rs2_i);
      OpBge: jump_o = signed'(rs1_i) >= signed'(rs2_i);
      OpBltu: jump_o = rs1_i < rs2_i;
      OpBgeu: jump_o = rs1_i >= rs2_i;
      default: jump_o = 1'b0;
    endcase
  end
endmodule
