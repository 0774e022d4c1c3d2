// SPDX-License-Identifier: Apache-2.0
// SECDED over one burst: 256 data bits and 6 tag bits (a hash of the burst's address) under 10 check
// bits, the 16 metadata bits {check, tag}. Code: M. Y. Hsiao, "A class of optimal minimum odd-weight-column
// SEC-DED codes", IBM J. R&D 1970: columns are distinct and of odd weight, so a double error has an even
// syndrome. Data and tag bit j has the j-th 10-bit value of weight 3, then 5, in ascending order.
package hbm_ecc_pkg;
  import hbm_pkg::*;

  localparam int unsigned CheckW = 10;
  localparam int unsigned WordW = 262;  // {tag, data}
  typedef logic [CheckW-1:0] check_t;
  typedef logic [WordW-1:0] word_t;
  typedef logic [WordW-1:0][CheckW-1:0] columns_t;
  typedef logic [CheckW-1:0][WordW-1:0] rows_t;

  function automatic columns_t make_columns();
    columns_t c;
    int unsigned n;
    c = '0;
    n = 0;
    for (int unsigned w = 3; w <= 5; w += 2)
    for (int unsigned v = 1; v < 1024; v++)
    if ($countones(10'(v)) == w && n < WordW) begin
      c[n] = 10'(v);
      n = n + 1;
    end
    return c;
  endfunction
  localparam columns_t Columns = make_columns();
  function automatic rows_t make_rows();
    rows_t r;
    for (int unsigned i = 0; i < CheckW; i++)
    for (int unsigned j = 0; j < WordW; j++) r[i][j] = Columns[j][i];
    return r;
  endfunction
  localparam rows_t Rows = make_rows();

  function automatic check_t check_of(input word_t w);
    check_t c;
    for (int unsigned i = 0; i < CheckW; i++) c[i] = ^(w & Rows[i]);
    return c;
  endfunction

  // Any two addresses that differ in one bit, or in a run of up to six, have different tags.
  function automatic logic [5:0] tag_of(input place_t p);
    logic [24:0] a;
    a = p;
    return a[5:0] ^ a[11:6] ^ a[17:12] ^ a[23:18] ^ {5'b0, a[24]};
  endfunction
endpackage
