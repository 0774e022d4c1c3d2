// SPDX-License-Identifier: Apache-2.0
// The tiles of a chip and the wires between them: X columns and Y rows, tile t at column t mod X and row t / X. Memory and host
// ports of every tile come out, those of tile t and channel p at [t * Pcs + p]. Nothing is here but wires and the conjunction that
// tells all tiles when all are quiet; every output is a flip-flop of a tile.
module chip_mesh
  import tepin_pkg::*;
  import tepin_cfg_pkg::*;
#(
    parameter  tepin_cfg_t  Cfg   = CfgNano,
    parameter  int unsigned X     = Cfg.mesh_x,
    parameter  int unsigned Y     = Cfg.mesh_y,
    localparam int unsigned Tiles = X * Y,
    localparam int unsigned Ports = Tiles * Cfg.pcs
) (
    input  logic            clk_i,
    input  logic            rst_ni,
    // memory ports
    output logic            m_ar_valid_o[Ports],
    input  logic            m_ar_ready_i[Ports],
    output axi_ax_t         m_ar_o      [Ports],
    input  logic            m_r_valid_i [Ports],
    output logic            m_r_ready_o [Ports],
    input  axi_r_t          m_r_i       [Ports],
    output logic            m_aw_valid_o[Ports],
    input  logic            m_aw_ready_i[Ports],
    output axi_ax_t         m_aw_o      [Ports],
    output logic            m_w_valid_o [Ports],
    input  logic            m_w_ready_i [Ports],
    output axi_w_t          m_w_o       [Ports],
    input  logic            m_b_valid_i [Ports],
    output logic            m_b_ready_o [Ports],
    input  axi_b_t          m_b_i       [Ports],
    // host window, a tile
    input  logic            s_aw_valid_i[Tiles],
    output logic            s_aw_ready_o[Tiles],
    input  logic    [  3:0] s_aw_id_i   [Tiles],
    input  logic    [ 38:0] s_aw_addr_i [Tiles],
    input  logic    [  7:0] s_aw_len_i  [Tiles],
    input  logic            s_w_valid_i [Tiles],
    output logic            s_w_ready_o [Tiles],
    input  axi_w_t          s_w_i       [Tiles],
    output logic            s_b_valid_o [Tiles],
    input  logic            s_b_ready_i [Tiles],
    output logic    [  3:0] s_b_id_o    [Tiles],
    output logic    [  1:0] s_b_resp_o  [Tiles],
    input  logic            s_ar_valid_i[Tiles],
    output logic            s_ar_ready_o[Tiles],
    input  logic    [  3:0] s_ar_id_i   [Tiles],
    input  logic    [ 38:0] s_ar_addr_i [Tiles],
    input  logic    [  7:0] s_ar_len_i  [Tiles],
    output logic            s_r_valid_o [Tiles],
    input  logic            s_r_ready_i [Tiles],
    output logic    [  3:0] s_r_id_o    [Tiles],
    output logic    [255:0] s_r_data_o  [Tiles],
    output logic    [  1:0] s_r_resp_o  [Tiles],
    output logic            s_r_last_o  [Tiles],
    // host registers, a tile
    input  logic            l_aw_valid_i[Tiles],
    output logic            l_aw_ready_o[Tiles],
    input  logic    [  7:0] l_aw_addr_i [Tiles],
    input  logic            l_w_valid_i [Tiles],
    output logic            l_w_ready_o [Tiles],
    input  logic    [ 31:0] l_w_data_i  [Tiles],
    input  logic    [  3:0] l_w_strb_i  [Tiles],
    output logic            l_b_valid_o [Tiles],
    input  logic            l_b_ready_i [Tiles],
    output logic    [  1:0] l_b_resp_o  [Tiles],
    input  logic            l_ar_valid_i[Tiles],
    output logic            l_ar_ready_o[Tiles],
    input  logic    [  7:0] l_ar_addr_i [Tiles],
    output logic            l_r_valid_o [Tiles],
    input  logic            l_r_ready_i [Tiles],
    output logic    [ 31:0] l_r_data_o  [Tiles],
    output logic    [  1:0] l_r_resp_o  [Tiles],
    output logic            irq_o       [Tiles]
);
  if (X < 1 || X > 8 || Y < 1 || Y > 8) begin : gen_check
    $error("chip_mesh: X and Y must be 1 to 8");
  end
  localparam int unsigned Pcs = Cfg.pcs;
  localparam int unsigned LinkW = net_pkg::link_bits(Cfg.coll_bits / 256);
  localparam int unsigned CreditW = net_pkg::CreditW;
  localparam int unsigned N = 0, E = 1, S = 2, W = 3;

  logic [  LinkW-1:0] link  [Tiles][4];
  logic [CreditW-1:0] credit[Tiles][4];
  logic [  Tiles-1:0] quiet;
  for (genvar t = 0; t < Tiles; t++) begin : gen_tile
    logic [  LinkW-1:0] link_in  [4];
    logic [CreditW-1:0] credit_in[4];
    if (t >= X) begin : gen_n
      assign link_in[N]   = link[t-X][S];
      assign credit_in[N] = credit[t-X][S];
    end else begin : gen_no_n
      assign link_in[N]   = '0;
      assign credit_in[N] = '0;
    end
    if (t % X != X - 1) begin : gen_e
      assign link_in[E]   = link[t+1][W];
      assign credit_in[E] = credit[t+1][W];
    end else begin : gen_no_e
      assign link_in[E]   = '0;
      assign credit_in[E] = '0;
    end
    if (t + X < Tiles) begin : gen_s
      assign link_in[S]   = link[t+X][N];
      assign credit_in[S] = credit[t+X][N];
    end else begin : gen_no_s
      assign link_in[S]   = '0;
      assign credit_in[S] = '0;
    end
    if (t % X != 0) begin : gen_w
      assign link_in[W]   = link[t-1][E];
      assign credit_in[W] = credit[t-1][E];
    end else begin : gen_no_w
      assign link_in[W]   = '0;
      assign credit_in[W] = '0;
    end
    tile #(
        .Cfg(Cfg)
    ) u_tile (
        .clk_i,
        .rst_ni,
        .m_ar_valid_o(m_ar_valid_o[t*Pcs+:Pcs]),
        .m_ar_ready_i(m_ar_ready_i[t*Pcs+:Pcs]),
        .m_ar_o      (m_ar_o[t*Pcs+:Pcs]),
        .m_r_valid_i (m_r_valid_i[t*Pcs+:Pcs]),
        .m_r_ready_o (m_r_ready_o[t*Pcs+:Pcs]),
        .m_r_i       (m_r_i[t*Pcs+:Pcs]),
        .m_aw_valid_o(m_aw_valid_o[t*Pcs+:Pcs]),
        .m_aw_ready_i(m_aw_ready_i[t*Pcs+:Pcs]),
        .m_aw_o      (m_aw_o[t*Pcs+:Pcs]),
        .m_w_valid_o (m_w_valid_o[t*Pcs+:Pcs]),
        .m_w_ready_i (m_w_ready_i[t*Pcs+:Pcs]),
        .m_w_o       (m_w_o[t*Pcs+:Pcs]),
        .m_b_valid_i (m_b_valid_i[t*Pcs+:Pcs]),
        .m_b_ready_o (m_b_ready_o[t*Pcs+:Pcs]),
        .m_b_i       (m_b_i[t*Pcs+:Pcs]),
        .s_aw_valid_i(s_aw_valid_i[t]),
        .s_aw_ready_o(s_aw_ready_o[t]),
        .s_aw_id_i   (s_aw_id_i[t]),
        .s_aw_addr_i (s_aw_addr_i[t]),
        .s_aw_len_i  (s_aw_len_i[t]),
        .s_w_valid_i (s_w_valid_i[t]),
        .s_w_ready_o (s_w_ready_o[t]),
        .s_w_i       (s_w_i[t]),
        .s_b_valid_o (s_b_valid_o[t]),
        .s_b_ready_i (s_b_ready_i[t]),
        .s_b_id_o    (s_b_id_o[t]),
        .s_b_resp_o  (s_b_resp_o[t]),
        .s_ar_valid_i(s_ar_valid_i[t]),
        .s_ar_ready_o(s_ar_ready_o[t]),
        .s_ar_id_i   (s_ar_id_i[t]),
        .s_ar_addr_i (s_ar_addr_i[t]),
        .s_ar_len_i  (s_ar_len_i[t]),
        .s_r_valid_o (s_r_valid_o[t]),
        .s_r_ready_i (s_r_ready_i[t]),
        .s_r_id_o    (s_r_id_o[t]),
        .s_r_data_o  (s_r_data_o[t]),
        .s_r_resp_o  (s_r_resp_o[t]),
        .s_r_last_o  (s_r_last_o[t]),
        .l_aw_valid_i(l_aw_valid_i[t]),
        .l_aw_ready_o(l_aw_ready_o[t]),
        .l_aw_addr_i (l_aw_addr_i[t]),
        .l_w_valid_i (l_w_valid_i[t]),
        .l_w_ready_o (l_w_ready_o[t]),
        .l_w_data_i  (l_w_data_i[t]),
        .l_w_strb_i  (l_w_strb_i[t]),
        .l_b_valid_o (l_b_valid_o[t]),
        .l_b_ready_i (l_b_ready_i[t]),
        .l_b_resp_o  (l_b_resp_o[t]),
        .l_ar_valid_i(l_ar_valid_i[t]),
        .l_ar_ready_o(l_ar_ready_o[t]),
        .l_ar_addr_i (l_ar_addr_i[t]),
        .l_r_valid_o (l_r_valid_o[t]),
        .l_r_ready_i (l_r_ready_i[t]),
        .l_r_data_o  (l_r_data_o[t]),
        .l_r_resp_o  (l_r_resp_o[t]),
        .irq_o       (irq_o[t]),
        .at_i        ('{x: 3'(t % X), y: 3'(t / X)}),
        .last_i      ('{x: 3'(X - 1), y: 3'(Y - 1)}),
        .link_o      (link[t]),
        .credit_o    (credit[t]),
        .link_i      (link_in),
        .credit_i    (credit_in),
        .quiet_o     (quiet[t]),
        .chip_quiet_i(quiet == '1)
    );
  end
endmodule
