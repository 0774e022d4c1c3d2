// SPDX-License-Identifier: Apache-2.0
// A reset for one clock: falls with rst_ni at once, rises two edges of clk_i after it. One a clock, at the chip's top.
module common_reset_sync (
    input  logic clk_i,
    input  logic rst_ni,
    output logic rst_no
);
  logic meta_q, sync_q;
  assign rst_no = sync_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {sync_q, meta_q} <= '0;
    else {sync_q, meta_q} <= {meta_q, 1'b1};
  end
endmodule
