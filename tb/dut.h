// SPDX-License-Identifier: Apache-2.0
// The verilated tile behind plain structs: nothing that includes this header sees Verilator.
// One call of step() is one clock cycle: inputs are sampled at its rising edge, outputs are those after the edge.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "sw/isa/configs.h"

namespace tepin::tb {

inline constexpr const isa::Config& kTileConfig = isa::kNano;  // what is verilated
inline constexpr int kPcs = 2;
inline constexpr int kRows = 8;
inline constexpr int kCols = 4;
inline constexpr int kLdLanes = 2 * kPcs;
inline constexpr int kNetLanes = isa::kNano.coll_bits / 256 + 2;
inline constexpr int kWriteLanes = kCols + kLdLanes + 3 + 1 + kNetLanes;  // MXU, LD, VPU, SEQ, NET
static_assert(isa::kNano.pcs == kPcs && isa::kNano.mxu_rows == kRows && isa::kNano.mxu_cols == kCols);

using Word = std::array<std::uint32_t, 8>;  // 256 bits, little-endian
/// A link to a neighbour as the RTL lays it out (rtl/net/net_node.sv), in words; the harness only carries it.
inline constexpr std::size_t kLinkWords = 40;
using Link = std::array<std::uint32_t, kLinkWords>;
inline constexpr int kSides = 4;     // N, E, S, W
inline constexpr int kNetworks = 4;  // req, rsp, up, dn
inline constexpr int kUnits = 9;     // threads 0..3, LD, ST, MXU, VPU, NET
inline constexpr int kEngines = 6;   // SEQ, LD, ST, MXU, VPU, NET

/// What the memory drives on one port.
struct MemoryIn {
  bool ar_ready = false, aw_ready = false, w_ready = false;
  bool r_valid = false, r_last = false, b_valid = false;
  std::uint8_t r_id = 0, r_resp = 0, b_id = 0, b_resp = 0;
  Word r_data{};
};
/// What the tile drives on one port. Payloads hold garbage while their valid is low.
struct MemoryOut {
  bool ar_valid = false, aw_valid = false, w_valid = false, r_ready = false, b_ready = false, w_last = false;
  std::uint8_t ar_id = 0, ar_len = 0, aw_id = 0, aw_len = 0;
  std::uint32_t ar_addr = 0, aw_addr = 0, w_strb = 0;
  Word w_data{};
};

struct TileIn {
  std::array<MemoryIn, kPcs> mem;
  // window
  bool s_aw_valid = false, s_w_valid = false, s_w_last = false, s_b_ready = false, s_ar_valid = false,
       s_r_ready = false;
  std::uint8_t s_aw_id = 0, s_aw_len = 0, s_ar_id = 0, s_ar_len = 0;
  std::uint64_t s_aw_addr = 0, s_ar_addr = 0;
  std::uint32_t s_w_strb = 0;
  Word s_w_data{};
  // registers
  bool l_aw_valid = false, l_w_valid = false, l_b_ready = false, l_ar_valid = false, l_r_ready = false;
  std::uint8_t l_aw_addr = 0, l_ar_addr = 0;
  std::uint32_t l_w_data = 0;
  // mesh: {x, y} of 3 bits each; a link is the neighbour's output, of which flits tells whether it carries anything
  std::uint8_t at = 0, last = 0;
  std::array<Link, kSides> link{};
  std::array<std::uint8_t, kSides> flits{};
  std::array<std::uint16_t, kSides> credit{};
  bool chip_quiet = false;
};

struct Retire {
  std::uint16_t pc = 0;
  std::uint8_t thread = 0, op = 0;
};
struct LaneWrite {
  std::uint32_t addr = 0, strb = 0;
  Word data{};
};

inline constexpr std::uint8_t kAfar = 64;  // written by a one-sided instruction of that tile, not by the tile's own NET

struct TileOut {
  std::array<MemoryOut, kPcs> mem;
  bool s_aw_ready = false, s_w_ready = false, s_b_valid = false, s_ar_ready = false, s_r_valid = false,
       s_r_last = false;
  std::uint8_t s_b_id = 0, s_b_resp = 0, s_r_id = 0, s_r_resp = 0;
  Word s_r_data{};
  bool l_aw_ready = false, l_w_ready = false, l_b_valid = false, l_ar_ready = false, l_r_valid = false;
  std::uint8_t l_b_resp = 0, l_r_resp = 0;
  std::uint32_t l_r_data = 0;
  bool irq = false, running = false;
  std::array<Link, kSides> link{};           // valid where flits is not 0
  std::array<std::uint8_t, kSides> flits{};  // bits req, rsp, up, dn
  std::array<std::uint16_t, kSides> credit{};
  bool quiet = false;
  // trace; arrays are valid where the mask has a bit
  std::uint32_t retire = 0;  // engines SEQ, LD, ST, MXU, VPU, NET
  std::array<Retire, kEngines> retired;
  bool wb = false;
  std::uint8_t wb_reg = 0;
  std::uint32_t wb_value = 0;
  std::uint32_t writes = 0;  // lanes
  std::array<LaneWrite, kWriteLanes> lane;
  std::array<std::uint8_t, kLdLanes> ld_write_slot{};
  std::array<std::uint8_t, kNetLanes> net_write_from{};  // kAfar and the number of the tile whose instruction writes
  std::uint32_t nst = 0;                                 // pseudo-channels that take a beat of a remote store
  std::uint8_t nst_from = 0;
  std::uint32_t nst_beat = 0;
  Word nst_data{};
  bool acc = false;
  std::uint8_t acc_group = 0, acc_cols = 0;
  std::uint16_t acc_pc = 0;
  std::array<std::uint32_t, kRows * kCols> acc_data{};  // row*kCols + column
  bool marker = false;
  std::uint32_t marker_id = 0, marker_value = 0;
  std::array<std::uint8_t, kUnits> activity{};  // activity_e
};

class Dut {
 public:
  virtual ~Dut() = default;
  Dut() = default;
  Dut(const Dut&) = delete;
  Dut& operator=(const Dut&) = delete;
  /// One clock cycle with the reset line at rst_n.
  virtual void step(bool rst_n) = 0;
  TileIn in;
  TileOut out;
};

/// The fast model. x_seed: what unreset state holds at the start (0: zeros).
[[nodiscard]] std::unique_ptr<Dut> make_dut();
/// The model with assertions; writes FST waves to the file unless its name is empty. seed: random initial state.
[[nodiscard]] std::unique_ptr<Dut> make_checked_dut(const std::string& fst_file, std::uint32_t seed);

}  // namespace tepin::tb
