// SPDX-License-Identifier: Apache-2.0
// A master on the port of the memory model: what it wants, and what it got.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tb/axi_memory.h"

namespace tepin::tb::testing {

inline constexpr std::uint64_t kCapacity = 1 << 20;  // bytes of the memory

struct Beat {
  std::uint64_t at = 0;  // cycle of the edge that took it
  std::uint8_t id = 0, resp = 0;
  bool last = false;
  Word data{};
};
struct Response {
  std::uint64_t at = 0;
  std::uint8_t id = 0, resp = 0;
};

/// Edge n is the n-th call of tick(), from 1.
class Port {
 public:
  explicit Port(const MemoryTiming& timing) : memory(kCapacity, timing) {
    out.r_ready = out.b_ready = true;
    tick();  // the memory shows its ready lines
  }
  void tick() {
    const MemoryOut before = out;
    const MemoryIn driven = in;
    memory.cycle(before, in);
    ++now;
    if (before.ar_valid && driven.ar_ready) {
      ar_at.push_back(now);
      out.ar_valid = false;
    }
    if (before.aw_valid && driven.aw_ready) out.aw_valid = false;
    if (before.w_valid && driven.w_ready) {
      w_at.push_back(now);
      out.w_valid = false;
    }
    if (driven.r_valid && before.r_ready)
      beats.push_back({now, driven.r_id, driven.r_resp, driven.r_last, driven.r_data});
    if (driven.b_valid && before.b_ready) responses.push_back({now, driven.b_id, driven.b_resp});
  }
  void read(std::uint8_t id, std::uint32_t address, std::uint32_t beats_wanted) {
    out.ar_valid = true;
    out.ar_id = id;
    out.ar_addr = address;
    out.ar_len = static_cast<std::uint8_t>(beats_wanted - 1);
    while (out.ar_valid) tick();
  }
  void address(std::uint8_t id, std::uint32_t address, std::uint32_t beats_wanted) {
    out.aw_valid = true;
    out.aw_id = id;
    out.aw_addr = address;
    out.aw_len = static_cast<std::uint8_t>(beats_wanted - 1);
    while (out.aw_valid) tick();
  }
  void data(const Word& w, bool last, std::uint32_t strb = 0xffffffffU) {
    out.w_valid = true;
    out.w_data = w;
    out.w_strb = strb;
    out.w_last = last;
    while (out.w_valid) tick();
  }
  void run_until_idle() {
    for (int i = 0; i < 100000 && !(memory.idle() && !in.r_valid && !in.b_valid); ++i) tick();
    ASSERT_TRUE(memory.idle());
  }

  AxiMemory memory;
  MemoryOut out;
  MemoryIn in;
  std::uint64_t now = 0;
  std::vector<std::uint64_t> ar_at, w_at;
  std::vector<Beat> beats;
  std::vector<Response> responses;
};

}  // namespace tepin::tb::testing
