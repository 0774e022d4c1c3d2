// SPDX-License-Identifier: Apache-2.0
// What comes on rsp: read data are written to the scratchpad, then counted by NET as acknowledgements are. Takes one a
// cycle unless a bank is taken; a stopped tile writes nothing but counts, so that a soft reset knows when all is there.
module net_sink
  import tepin_isa_pkg::*;
  import net_pkg::*;
#(
    parameter  int unsigned SpadBytes = 131072,
    localparam int unsigned WordW     = $clog2(SpadBytes / 32)
) (
    input  logic               stop_i,
    input  logic               in_valid_i,
    input  rsp_t               in_i,
    output logic               in_ready_o,
    output logic               wr_valid_o,
    output logic   [WordW-1:0] wr_word_o,
    output logic   [    255:0] wr_data_o,
    input  logic               wr_gnt_i,
    output logic   [      3:0] answers_o,
    output cause_e             cause_o
);
  assign wr_valid_o = in_valid_i && in_i.is_data && in_i.cause == CauseNone && !stop_i;
  assign wr_word_o  = in_i.word[WordW-1:0];
  assign wr_data_o  = in_i.data;
  assign in_ready_o = in_valid_i && (!wr_valid_o || wr_gnt_i);
  assign answers_o  = !in_ready_o ? 4'd0 : in_i.is_data ? 4'd1 : in_i.word[3:0];
  assign cause_o    = in_i.cause;
endmodule
