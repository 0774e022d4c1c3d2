// SPDX-License-Identifier: Apache-2.0
// Operands of the matrix unit's structural cell (mxu_dot), decoded once at the array's edge: a
// weight for the cells of its row, an activation for the cells of its column. Signs and the choice
// of 1x or 3x come in both polarities, because a selection by AND-OR of two exclusive signals is
// the cheapest gate there is; what the cells need inverted is inverted here, where it is shared.
package mxu_cell_pkg;
  localparam int unsigned MaxActBits = 9;

  // An E2M1 weight in half units is +-(1 or 3) * 2^shift, or 0.
  typedef struct packed {
    logic       neg;      // exclusive, one of them set
    logic       pos;
    logic       one;      // exclusive; both clear for 0
    logic       three;
    logic [3:0] shift_n;  // one-cold; all set for 0. three only with shifts 0 to 2: 12 is largest.
  } wgt_digit_t;

  // An activation digit: sign, magnitude and three times the magnitude.
  typedef struct packed {
    logic                  neg;     // exclusive, one of them set
    logic                  pos;
    logic                  even;    // !mag[0]
    logic [MaxActBits-1:0] mag;
    logic [MaxActBits+1:0] triple;  // 3*511 < 2^11
  } act_digit_t;

  // E2M1 code: sign, two exponent bits, mantissa bit; half units 0, 1, 2, 3, 4, 6, 8, 12.
  function automatic wgt_digit_t wgt_digit(input logic [3:0] code);
    wgt_digit_t d;
    d.neg        = code[3];
    d.pos        = !code[3];
    d.three      = code[0] && code[2:1] != 2'd0;
    d.one        = code[2:0] != 3'd0 && !d.three;
    d.shift_n[0] = !(code[2:0] == 3'd1 || code[2:0] == 3'd3);
    d.shift_n[1] = !(code[2:0] == 3'd2 || code[2:0] == 3'd5);
    d.shift_n[2] = !(code[2:0] == 3'd4 || code[2:0] == 3'd7);
    d.shift_n[3] = !(code[2:0] == 3'd6);
    return d;
  endfunction

  function automatic act_digit_t act_digit(input logic sign, input logic [MaxActBits-1:0] mag);
    act_digit_t d;
    d.neg    = sign;
    d.pos    = !sign;
    d.even   = !mag[0];
    d.mag    = mag;
    d.triple = (MaxActBits + 2)'(mag) + {1'b0, mag, 1'b0};
    return d;
  endfunction

  // The weight's magnitude in half units; for the plain form of mxu_dot and for tests.
  function automatic logic [3:0] wgt_magnitude(input wgt_digit_t d);
    logic [3:0] m;
    m = {2'b0, d.three, d.one || d.three};
    if (!d.shift_n[1]) m = m << 1;
    if (!d.shift_n[2]) m = m << 2;
    if (!d.shift_n[3]) m = m << 3;
    return m;
  endfunction
endpackage
