// SPDX-License-Identifier: Apache-2.0
// Performance counters, 48 bits each: for each unit the cycles of every activity (they add up to
// the cycles counted), then total cycles, scratchpad conflicts, beats read from and written to HBM.
// They count while run_i.
`include "rtl/common/assert.svh"
module tile_counters
  import tepin_pkg::*;
#(
    parameter  int unsigned Units = 8,
    localparam int unsigned Total = Units * 8 + 4
) (
    input logic clk_i,
    input logic rst_ni,
    input logic clear_i,
    input logic run_i,
    input activity_e activity_i[Units],
    input logic [7:0] conflicts_i,
    input logic [7:0] beats_read_i,
    input logic [7:0] beats_written_i,
    input logic [6:0] index_i,
    output logic [63:0] value_o
);
  localparam int unsigned IndexW = $clog2(Total);
  logic [47:0] count_q[Total];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned i = 0; i < Total; i++) count_q[i] <= '0;
    end else if (clear_i) begin
      for (int unsigned i = 0; i < Total; i++) count_q[i] <= '0;
    end else if (run_i) begin
      for (int unsigned u = 0; u < Units; u++)
      count_q[IndexW'(u*8)+IndexW'(activity_i[u])] <=
            count_q[IndexW'(u*8)+IndexW'(activity_i[u])] + 48'd1;
      count_q[Units*8]   <= count_q[Units*8] + 48'd1;
      count_q[Units*8+1] <= count_q[Units*8+1] + 48'(conflicts_i);
      count_q[Units*8+2] <= count_q[Units*8+2] + 48'(beats_read_i);
      count_q[Units*8+3] <= count_q[Units*8+3] + 48'(beats_written_i);
    end
  end
  assign value_o = 32'(index_i) < Total ? 64'(count_q[index_i[IndexW-1:0]]) : '0;
endmodule
