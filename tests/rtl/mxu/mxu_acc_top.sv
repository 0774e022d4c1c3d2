// SPDX-License-Identifier: Apache-2.0
// mxu_acc for its unit test: three widths of the sum side by side. s and e come a cycle before acc, the result a cycle
// after it.
module mxu_acc_top (
    input logic clk_i,
    input logic signed [59:0] s_i,
    input logic signed [11:0] e_i,
    input logic nan_i,
    input logic [31:0] acc_i,
    output logic [31:0] acc14_o,
    output logic [31:0] acc28_o,
    output logic [31:0] acc60_o,
    output logic [2:0] acc_nan_o
);
  mxu_acc #(
      .SBits(14)
  ) u_acc14 (
      .clk_i,
      .en2_i   (1'b1),
      .s_i     (s_i[13:0]),
      .e_i,
      .nan_i,
      .en3_i   (1'b1),
      .acc_i,
      .result_o(acc14_o),
      .nan_o   (acc_nan_o[0])
  );
  mxu_acc #(
      .SBits(28)
  ) u_acc28 (
      .clk_i,
      .en2_i   (1'b1),
      .s_i     (s_i[27:0]),
      .e_i,
      .nan_i,
      .en3_i   (1'b1),
      .acc_i,
      .result_o(acc28_o),
      .nan_o   (acc_nan_o[1])
  );
  mxu_acc #(
      .SBits(60)
  ) u_acc60 (
      .clk_i,
      .en2_i   (1'b1),
      .s_i     (s_i),
      .e_i,
      .nan_i,
      .en3_i   (1'b1),
      .acc_i,
      .result_o(acc60_o),
      .nan_o   (acc_nan_o[2])
  );
endmodule
