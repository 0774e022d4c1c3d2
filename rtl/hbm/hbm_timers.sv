// SPDX-License-Identifier: Apache-2.0
// Count-downs of Num items, kept bit-sliced: plane k holds bit k of every count, so all of them count in
// a few wide operations. set: the next event of the items in mask is at least `distance` cycles away
// (a longer wait that already runs stays); done_o is low for distance - 1 cycles after the set.
module hbm_timers #(
    parameter int unsigned Num   = 64,
    parameter int unsigned Width = 8
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic [  Num-1:0] set0_i,
    input  logic [Width-1:0] distance0_i,
    input  logic [  Num-1:0] set1_i,
    input  logic [Width-1:0] distance1_i,
    output logic [  Num-1:0] done_o
);
  logic [Width-1:0][Num-1:0] count_q, less, next;
  logic [Num-1:0] busy;
  always_comb begin
    busy = '0;
    for (int unsigned k = 0; k < Width; k++) busy = busy | count_q[k];
  end
  assign done_o = ~busy;

  // Items whose count is below v.
  function automatic logic [Num-1:0] below(input logic [Width-1:0][Num-1:0] c,
                                           input logic [Width-1:0] v);
    logic [Num-1:0] lt;
    lt = '0;
    for (int unsigned k = 0; k < Width; k++) lt = v[k] ? (lt | ~c[k]) : (lt & ~c[k]);
    return lt;
  endfunction

  logic [Num-1:0] borrow, load0, load1;
  logic [Width-1:0] v0, v1;
  always_comb begin
    borrow = busy;
    less   = '0;
    for (int unsigned k = 0; k < Width; k++) begin
      less[k] = count_q[k] ^ borrow;
      borrow  = borrow & ~count_q[k];
    end
    v0    = distance0_i == '0 ? '0 : distance0_i - 1'b1;
    v1    = distance1_i == '0 ? '0 : distance1_i - 1'b1;
    load0 = set0_i == '0 ? '0 : set0_i & below(less, v0);
    load1 = set1_i == '0 ? '0 : set1_i & below(less, v1);
    next  = less;
    if ((load0 | load1) != '0) begin
      for (int unsigned k = 0; k < Width; k++)
      next[k] = (less[k] & ~load0 & ~load1) | (v0[k] ? load0 : '0) | (v1[k] ? load1 & ~load0 : '0);
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else count_q <= next;
  end
endmodule
