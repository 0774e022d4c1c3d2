// SPDX-License-Identifier: Apache-2.0
// One output of a router: the credits of the buffer at its far end, the choice among the inputs, the link's register.
// A flit may go if a credit is left and the far queue that it goes to holds fewer than Cap flits; a credit counts in the
// cycle in which it arrives. Of those that may go the oldest age goes, among equals the input that waited longest.
// out_*_o are flip-flops; take_o says in the same cycle which input's flit goes into them. With Hold the last of the
// credits stands for the link's register itself: while none is left the far end has no free slot, so what is on the link
// stays there until a credit comes.
`include "rtl/common/assert.svh"
module noc_output
  import noc_pkg::*;
#(
    parameter int unsigned Width   = 256,
    parameter int unsigned Credits = 5,
    parameter int unsigned Cap     = Credits,  // of them for one queue
    parameter bit          Hold    = 1'b1,
    parameter ports_t      Sources = '1,       // inputs
    parameter ports_t      Queues  = '1        // at the far end
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               tick_i,
    // inputs
    input  ports_t             in_valid_i,
    input  head_t              in_head_i  [Ports],
    input  logic   [Width-1:0] in_data_i  [Ports],
    output ports_t             take_o,
    // link
    output logic               out_valid_o,
    output head_t              out_head_o,
    output logic   [Width-1:0] out_data_o,
    input  ports_t             credit_i
);
  localparam int unsigned CountW = $clog2(Credits + 1);
  typedef logic [CountW-1:0] count_t;
  count_t free_q;
  count_t used_q [Ports];

  // ----------------------------------------------------------------------------------------- credits
  ports_t allowed, credit;
  logic any;
  assign credit = credit_i & Queues;
  assign any    = free_q != '0 || credit != '0;
  always_comb begin
    for (int unsigned q = 0; q < Ports; q++)
    allowed[q] = Queues[q] && any && (used_q[q] < count_t'(Cap) || credit[q]);
  end

  // ------------------------------------------------------------------------------------------ choice
  ports_t request, grant;
  logic [Ports-1:0][AgeW-1:0] age;
  always_comb begin
    for (int unsigned p = 0; p < Ports; p++) begin
      request[p] = Sources[p] && in_valid_i[p] && (allowed & onehot(in_head_i[p].hop)) != '0;
      age[p]     = Sources[p] ? in_head_i[p].age : '0;
    end
  end
  common_arbiter #(
      .Num(Ports),
      .LevelW(AgeW)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .req_i  (request),
      .level_i(age),
      .use_i  (grant != '0),
      .grant_o(grant)
  );
  assign take_o = grant;

  head_t head;
  logic [Width-1:0] data;
  always_comb begin
    head = '0;
    data = '0;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (Sources[p] && grant[p]) begin
        head |= in_head_i[p];
        data |= in_data_i[p];
      end
    end
  end

  // ----------------------------------------------------------------------------------------- registers
  logic valid_q;
  head_t head_q;
  logic [Width-1:0] data_q;
  ports_t sent;
  assign sent = grant != '0 ? onehot(head.hop) & Queues : '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      free_q  <= count_t'(Credits);
      for (int unsigned q = 0; q < Ports; q++) used_q[q] <= '0;
    end else begin
      valid_q <= grant != '0 || (Hold && valid_q && !any);
      free_q  <= free_q + count_t'($countones(credit)) - count_t'(grant != '0);
      for (int unsigned q = 0; q < Ports; q++)
      used_q[q] <= Queues[q] ? used_q[q] + count_t'(sent[q]) - count_t'(credit[q]) : '0;
    end
  end
  always_ff @(posedge clk_i) begin
    head_q <= older(grant != '0 ? head : head_q, tick_i);
    if (grant != '0) data_q <= data;
  end
  assign out_valid_o = valid_q;
  assign out_head_o  = head_q;
  assign out_data_o  = data_q;

  // ---------------------------------------------------------------------------------------- promises
  int unsigned used_all;
  always_comb begin
    used_all = 0;
    for (int unsigned q = 0; q < Ports; q++) used_all += 32'(used_q[q]);
  end
  `ASSERT(CreditsConserved_A, 32'(free_q) + used_all == Credits)
  `ASSERT(CreditsOfQueues_A, (credit_i & ~Queues) == '0)
  for (genvar q = 0; q < Ports; q++) begin : gen_used
    `ASSERT(CreditOfASentFlit_A, !credit_i[q] || used_q[q] != '0)
    `ASSERT(WithinCap_A, 32'(used_q[q]) <= Cap)
  end
endmodule
