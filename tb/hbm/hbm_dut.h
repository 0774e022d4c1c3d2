// SPDX-License-Identifier: Apache-2.0
// The verilated HBM4 controller of one channel behind plain structs: nothing that includes this header sees Verilator.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "tb/dram/dfi.h"

namespace tepin::tb::hbm {

using Word = std::array<std::uint32_t, 8>;  // 256 bits, little-endian

/// What a master drives on one PC's AXI4 slave port (256 bit, INCR, size 5; address bits below 32 bytes are ignored).
struct AxiIn {
  bool ar_valid = false, aw_valid = false, w_valid = false, w_last = false, r_ready = false, b_ready = false;
  std::uint8_t ar_id = 0, ar_len = 0, aw_id = 0, aw_len = 0;
  std::uint32_t ar_addr = 0, aw_addr = 0, w_strb = 0;
  Word w_data{};
};
/// What the controller drives on it. Payloads hold garbage while their valid is low.
struct AxiOut {
  bool ar_ready = false, aw_ready = false, w_ready = false, r_valid = false, r_last = false, b_valid = false;
  std::uint8_t r_id = 0, r_resp = 0, b_id = 0, b_resp = 0;
  Word r_data{};
};

struct HbmIn {
  std::array<AxiIn, 2> axi;
  dram::DfiIn dfi;
  std::uint8_t temperature = 2;  // refresh rate that the device asks for, coded as REFRESH.rate
  // registers: AXI4-Lite, one access at a time
  bool l_aw_valid = false, l_w_valid = false, l_b_ready = false, l_ar_valid = false, l_r_ready = false;
  std::uint16_t l_aw_addr = 0, l_ar_addr = 0;
  std::uint32_t l_w_data = 0;
};
struct HbmOut {
  std::array<AxiOut, 2> axi;
  dram::DfiOut dfi;
  bool l_aw_ready = false, l_w_ready = false, l_b_valid = false, l_ar_ready = false, l_r_valid = false;
  std::uint8_t l_b_resp = 0, l_r_resp = 0;
  std::uint32_t l_r_data = 0;
  bool phy_update = false;  // the PHY's quiet window
};

class HbmDut {
 public:
  virtual ~HbmDut() = default;
  HbmDut() = default;
  HbmDut(const HbmDut&) = delete;
  HbmDut& operator=(const HbmDut&) = delete;
  /// One clock cycle: `in` is sampled at its rising edge, `out` is what stands after it.
  virtual void step(bool rst_n) = 0;
  HbmIn in;
  HbmOut out;
};

/// The fast model, and the one with assertions (and FST waves to a file unless its name is empty).
[[nodiscard]] std::unique_ptr<HbmDut> make_hbm_dut();
[[nodiscard]] std::unique_ptr<HbmDut> make_checked_hbm_dut(const std::string& fst_file, std::uint32_t seed);

}  // namespace tepin::tb::hbm
