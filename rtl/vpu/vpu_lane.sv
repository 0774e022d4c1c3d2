// SPDX-License-Identifier: Apache-2.0
// One FP32 lane of the vector unit: one fused multiply-add a cycle. Simple operations take one step; 2^x, 1/x and
// SwiGLU are a program of steps on the same multiply-add (docs/numerics.md, 5), of which they run a part:
//   0 SwiGLU's exponent | 1..9 2^x, 10 its scaling | 11 plus one | 12..18 1/x, 19 its scaling | 20, 21 SwiGLU's products.
// Operands stand unchanged from first_of to last_of of the operation; the result is there in the last step.
module vpu_lane
  import tepin_isa_pkg::*;
  import common_fp_pkg::*;
  import vpu_pkg::*;
(
    input  logic        clk_i,
    input  logic        run_i,   // step_i is taken
    input  logic [ 7:0] op_i,
    input  logic [ 4:0] step_i,
    input  logic [31:0] a_i,     // source
    input  logic [31:0] b_i,     // second source, or the scalar
    input  logic [31:0] s_i,     // scalars of vfmas and vswiglu
    input  logic [31:0] k_i,
    output logic [31:0] res_o
);
  logic [31:0] x_q, y_q, z_q, x, g, u;
  logic [8:0] n_q;
  assign g = fp_min(a_i, s_i);
  assign u = fp_max(fp_min(b_i, s_i), {!s_i[31], s_i[30:0]});
  assign x = op_i == OpVswiglu ? x_q : a_i;

  // 1/x: x = m * 2^e with m in 1..2.
  logic [31:0] m;
  logic [22:0] fraction;
  int e;
  always_comb begin
    e        = 0;
    fraction = '0;
    if (step_i > 5'd11) begin
      e        = log2_of(x[30:0]);
      fraction = x[30:23] != 8'd0 ? x[22:0] : 23'(x[22:0] << 5'(-126 - e));
    end
    m = {9'h07f, fraction};
  end

  logic [31:0] fa, fb, fc, sum, scaled;
  always_comb begin
    fa = a_i;
    fb = One;
    fc = b_i;
    unique case (op_i)
      OpVsub:  fc = {!b_i[31], b_i[30:0]};
      // A product alone adds a zero of its own sign, which changes nothing.
      OpVmul, OpVmuls: begin
        fb = b_i;
        fc = {a_i[31] ^ b_i[31], 31'b0};
      end
      OpVfmas: fb = s_i;
      OpVexp2, OpVrcp, OpVswiglu: begin
        fa = y_q;
        fb = z_q;
        fc = One;
        unique case (step_i)
          5'd0: begin
            fa = g;
            fb = k_i;
            fc = {g[31] ^ k_i[31], 31'b0};
          end
          5'd1: begin  // to the nearest integer, in the low bits
            fa = x;
            fb = One;
            fc = Magic;
          end
          5'd2: begin
            fb = One;
            fc = {1'b1, Magic[30:0]};
          end
          5'd3: begin  // what is left, exact
            fa = z_q;
            fb = {1'b1, One[30:0]};
            fc = x;
          end
          5'd4: begin
            fa = Exp2C[5];
            fc = Exp2C[4];
          end
          5'd5, 5'd6, 5'd7, 5'd8: fc = Exp2C[2'(5'd8-step_i)];
          5'd11: fb = One;
          5'd12: begin
            fa = m;
            fb = Rcp1;
            fc = Rcp0;
          end
          5'd13, 5'd15, 5'd17: begin
            fa = {1'b1, m[30:0]};
            fb = y_q;
          end
          5'd14, 5'd16, 5'd18: fc = y_q;
          5'd20: begin
            fa = g;
            fb = y_q;
            fc = {g[31] ^ y_q[31], 31'b0};
          end
          5'd21: begin
            fa = u;
            fb = y_q;
            fc = y_q;
          end
          default: ;  // 9: the last of the polynomial, to which one is added
        endcase
      end
      default: ;
    endcase
    sum = fp_fma(fa, fb, fc);
    scaled = '0;
    if (step_i == 5'd10) begin
      if (is_nan(x)) scaled = QNaN;
      else if (!x[31] && x[30:23] >= 8'd134) scaled = {9'h0ff, 23'b0};  // from 128 on
      else if (!x[31] || x[30:0] < 31'h4316_0000)  // above -150
        scaled = round_mag(
          1'b0, {24'b0, 1'b1, y_q[22:0]}, int'(32'(y_q[30:23])) - 150 + 32'(signed'(n_q))
        );
    end else if (step_i == 5'd19) begin
      if (is_nan(x)) scaled = QNaN;
      else if (is_inf(x)) scaled = {x[31], 31'b0};
      else if (x[30:0] == '0) scaled = {x[31], 8'hff, 23'b0};
      else scaled = round_mag(x[31], {24'b0, 1'b1, y_q[22:0]}, int'(32'(y_q[30:23])) - 150 - e);
    end
    unique case (op_i)
      OpVmin, OpVmins: res_o = fp_min(a_i, b_i);
      OpVmax, OpVmaxs: res_o = fp_max(a_i, b_i);
      OpVexp2, OpVrcp: res_o = scaled;
      default:         res_o = sum;
    endcase
  end

  // y: polynomial or reciprocal; z: what it is multiplied by; x: the exponent, then the denominator.
  always_ff @(posedge clk_i) begin
    if (run_i) begin
      unique case (step_i)
        5'd0, 5'd11:                     x_q <= sum;
        5'd2, 5'd3, 5'd13, 5'd15, 5'd17: z_q <= sum;
        5'd10, 5'd19:                    y_q <= scaled;
        default:                         y_q <= sum;
      endcase
      if (step_i == 5'd1) n_q <= sum[8:0];
    end
  end
endmodule
