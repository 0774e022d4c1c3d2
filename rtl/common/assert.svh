// SPDX-License-Identifier: Apache-2.0
// Assertion macros: one text that simulates (Verilator) and proves (Yosys). Booleans only; see CONTRIBUTING.md.
// Needs clk_i and rst_ni in scope. Name an assertion after the promise, with suffix _A.
`ifndef TEPIN_ASSERT_SVH
`define TEPIN_ASSERT_SVH

// Holds at every clock edge outside reset.
`define ASSERT(name, expr) \
  name : assert property (@(posedge clk_i) disable iff (!rst_ni) (expr));

// If pre held at the last edge, post holds now.
`define ASSERT_NEXT(name, pre, post) \
  name : assert property (@(posedge clk_i) disable iff (!rst_ni) (!$past(rst_ni && (pre)) || (post)));

// A handshake: once valid, valid and payload hold until ready.
`define ASSERT_HELD(name, valid, ready, payload) \
  name : assert property (@(posedge clk_i) disable iff (!rst_ni) \
    (!$past(rst_ni && (valid) && !(ready)) || ((valid) && $stable(payload))));

// Never holds at a clock edge outside reset.
`define ASSERT_NEVER(name, expr) \
  name : assert property (@(posedge clk_i) disable iff (!rst_ni) (!(expr)));

`endif
