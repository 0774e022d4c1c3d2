// SPDX-License-Identifier: Apache-2.0
// The verilated controller with its device for directed tests: single accesses, clocks, and what stands on the buses.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "sw/isa/hbm_csr.h"
#include "tb/hbm/contents.h"
#include "tb/hbm/hbm_system.h"

namespace tepin::tb::hbm {

constexpr int kOkay = 0, kSlvErr = 2, kDecErr = 3;

class Channel {
 public:
  explicit Channel(HbmSystemOptions options) : system(options), device_(system.device()) { system.bring_up(); }

  void clock(std::uint64_t n = 1) {
    for (; n != 0; --n) {
      device_(system.dut().out.dfi, system.dut().in.dfi);
      system.dut().step(true);
      if (each_clock) each_clock(system.dut());
    }
  }

  struct Read {
    std::vector<Word> data;
    std::vector<int> response;
    std::uint64_t clocks = 0;
  };
  /// One AXI4 burst, alone: begun and ended.
  Read read(int pc, std::uint32_t address, int beats = 1) {
    AxiIn& in = system.dut().in.axi[static_cast<std::size_t>(pc)];
    const AxiOut& out = system.dut().out.axi[static_cast<std::size_t>(pc)];
    in.ar_valid = in.r_ready = true;
    in.ar_addr = address;
    in.ar_len = static_cast<std::uint8_t>(beats - 1);
    in.ar_id = 5;
    Read r;
    for (; r.data.size() < static_cast<std::size_t>(beats); ++r.clocks) {
      if (r.clocks > kLimit) throw std::runtime_error("a read is never answered");
      const bool ar = in.ar_valid && out.ar_ready, valid = out.r_valid;
      if (valid) {
        r.data.push_back(out.r_data);
        r.response.push_back(out.r_resp);
        EXPECT_EQ(out.r_id, 5);
        EXPECT_EQ(out.r_last, r.data.size() == static_cast<std::size_t>(beats));
      }
      clock();
      if (ar) in.ar_valid = false;
    }
    in.r_ready = false;
    return r;
  }
  /// One beat; its response.
  int write(int pc, std::uint32_t address, const Word& data, std::uint32_t strobes = ~0U) {
    AxiIn& in = system.dut().in.axi[static_cast<std::size_t>(pc)];
    const AxiOut& out = system.dut().out.axi[static_cast<std::size_t>(pc)];
    in.aw_valid = in.w_valid = in.w_last = in.b_ready = true;
    in.aw_addr = address;
    in.aw_len = 0;
    in.aw_id = 9;
    in.w_data = data;
    in.w_strb = strobes;
    for (std::uint64_t i = 0; i < kLimit; ++i) {
      const bool aw = in.aw_valid && out.aw_ready, w = in.w_valid && out.w_ready, b = out.b_valid;
      const int response = out.b_resp;
      clock();
      if (aw) in.aw_valid = false;
      if (w) in.w_valid = false;
      if (!b) continue;
      in.b_ready = false;
      return response;
    }
    throw std::runtime_error("a write is never answered");
  }
  void set(std::size_t address, std::uint32_t mask, std::uint32_t value) {
    const std::uint32_t old = system.read_register(address);
    system.write_register(address, (old & ~mask) | value * (mask & ~(mask - 1)));
  }
  /// A counter of rtl/hbm/hbm_counters.sv, low half.
  std::uint32_t count(int pc, std::size_t index) {
    return system.read_register(offsetof(hbm_csr_t, PC) +
                                static_cast<std::size_t>(pc) * sizeof(hbm_csr__PC__stride200_t) +
                                offsetof(hbm_csr__PC__stride200_t, COUNT_LO) + 4 * index);
  }
  std::uint32_t bad_address(int pc) {
    return system.read_register(offsetof(hbm_csr_t, PC) +
                                static_cast<std::size_t>(pc) * sizeof(hbm_csr__PC__stride200_t) +
                                offsetof(hbm_csr__PC__stride200_t, BAD_ADDRESS));
  }
  std::uint32_t status() { return system.read_register(offsetof(hbm_csr_t, STATUS)); }

  HbmSystem system;
  std::function<void(const HbmDut&)> each_clock;  // after each edge of clock()

 private:
  static constexpr std::uint64_t kLimit = 200'000;
  DfiTarget device_;
};

}  // namespace tepin::tb::hbm
