// SPDX-License-Identifier: Apache-2.0
// A host on an AXI4 window and AXI4-Lite registers, one access at a time. The pins are plain structs, In what the host
// drives and Out what it sees, with the names of TileIn and TileOut (dut.h): a tile's own port, or a chip's.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>

namespace tepin::tb {

/// A host access that was answered with an error.
class HostError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class In, class Out>
class HostPort {
 public:
  static constexpr std::uint32_t kTimeout = 100000;  // cycles: a host access that takes longer is a bug of the hardware

  /// tick: one clock edge, after which `out` is what stands.
  HostPort(In& in, const Out& out, std::function<void()> tick) : in_(in), out_(out), tick_(std::move(tick)) {}

  void csr_write(std::uint32_t address, std::uint32_t value);
  [[nodiscard]] std::uint32_t csr_read(std::uint32_t address);
  /// Any byte range, in bursts that stay within 4 KiB and carry this ID. HostError on SLVERR and DECERR.
  void window_write(std::uint64_t address, std::span<const std::uint8_t> data, std::uint8_t id = 0);
  void window_read(std::uint64_t address, std::span<std::uint8_t> out, std::uint8_t id = 0);

 private:
  static std::uint64_t beats_of(std::uint64_t first, std::uint64_t end) {
    return std::min<std::uint64_t>((end - first + 31) / 32, (4096 - first % 4096) / 32);
  }
  static void count(std::uint32_t i, const char* what) {
    if (i > kTimeout) throw std::logic_error(fmt::format("a {} is never answered", what));
  }
  In& in_;
  const Out& out_;
  std::function<void()> tick_;
};

template <class In, class Out>
void HostPort<In, Out>::csr_write(std::uint32_t address, std::uint32_t value) {
  in_.l_aw_valid = in_.l_w_valid = in_.l_b_ready = true;
  in_.l_aw_addr = static_cast<decltype(in_.l_aw_addr)>(address);
  in_.l_w_data = value;
  for (std::uint32_t i = 0;; ++i) {
    count(i, "register write");
    const bool aw = in_.l_aw_valid && out_.l_aw_ready;
    const bool w = in_.l_w_valid && out_.l_w_ready;
    const bool b = out_.l_b_valid;
    const std::uint8_t resp = out_.l_b_resp;
    tick_();
    if (aw) in_.l_aw_valid = false;
    if (w) in_.l_w_valid = false;
    if (b) {
      in_.l_b_ready = false;
      if (resp != 0) throw HostError(fmt::format("register {:#x}: write refused", address));
      return;
    }
  }
}

template <class In, class Out>
std::uint32_t HostPort<In, Out>::csr_read(std::uint32_t address) {
  in_.l_ar_valid = in_.l_r_ready = true;
  in_.l_ar_addr = static_cast<decltype(in_.l_ar_addr)>(address);
  for (std::uint32_t i = 0;; ++i) {
    count(i, "register read");
    const bool ar = in_.l_ar_valid && out_.l_ar_ready;
    const bool r = out_.l_r_valid;
    const std::uint32_t value = out_.l_r_data;
    const std::uint8_t resp = out_.l_r_resp;
    tick_();
    if (ar) in_.l_ar_valid = false;
    if (r) {
      in_.l_r_ready = false;
      if (resp != 0) throw HostError(fmt::format("register {:#x}: read refused", address));
      return value;
    }
  }
}

template <class In, class Out>
void HostPort<In, Out>::window_write(std::uint64_t address, std::span<const std::uint8_t> data, std::uint8_t id) {
  const std::uint64_t end = address + data.size();
  for (std::uint64_t at = address; at < end;) {
    // One burst: whole beats, strobes at both ends.
    const std::uint64_t first = at / 32 * 32;
    const std::uint64_t beats = beats_of(first, end);
    in_.s_aw_valid = in_.s_w_valid = in_.s_b_ready = true;
    in_.s_aw_id = id;
    in_.s_aw_addr = first;
    in_.s_aw_len = static_cast<std::uint8_t>(beats - 1);
    std::uint64_t beat = 0;
    const auto fill = [&] {
      in_.s_w_strb = 0;
      in_.s_w_data = {};
      in_.s_w_last = beat + 1 == beats;
      for (std::uint32_t b = 0; b < 32; ++b) {
        const std::uint64_t a = first + beat * 32 + b;
        if (a < at || a >= end) continue;
        in_.s_w_strb |= 1U << b;
        in_.s_w_data[b / 4] |= std::uint32_t{data[a - address]} << (b % 4 * 8);
      }
    };
    fill();
    for (std::uint32_t i = 0;; ++i) {
      count(i, "window write");
      const bool aw = in_.s_aw_valid && out_.s_aw_ready;
      const bool w = in_.s_w_valid && out_.s_w_ready;
      const bool b = out_.s_b_valid;
      const std::uint8_t resp = out_.s_b_resp;
      if (b && out_.s_b_id != id) throw std::logic_error("a window write is answered with another ID");
      tick_();
      if (aw) in_.s_aw_valid = false;
      if (w) {
        if (++beat == beats) {
          in_.s_w_valid = false;
        } else {
          fill();
        }
      }
      if (b) {
        in_.s_b_ready = false;
        if (resp != 0) throw HostError(fmt::format("window {:#x}: write refused", first));
        break;
      }
    }
    at = first + beats * 32;
  }
}

template <class In, class Out>
void HostPort<In, Out>::window_read(std::uint64_t address, std::span<std::uint8_t> out, std::uint8_t id) {
  const std::uint64_t end = address + out.size();
  for (std::uint64_t at = address; at < end;) {
    const std::uint64_t first = at / 32 * 32;
    const std::uint64_t beats = beats_of(first, end);
    in_.s_ar_valid = in_.s_r_ready = true;
    in_.s_ar_id = id;
    in_.s_ar_addr = first;
    in_.s_ar_len = static_cast<std::uint8_t>(beats - 1);
    std::uint64_t beat = 0;
    bool refused = false;
    for (std::uint32_t i = 0; beat < beats; ++i) {
      count(i, "window read");
      const bool ar = in_.s_ar_valid && out_.s_ar_ready;
      const bool r = out_.s_r_valid;
      const std::uint8_t resp = out_.s_r_resp;
      const auto data = r ? out_.s_r_data : decltype(out_.s_r_data){};
      if (r && (out_.s_r_id != id || out_.s_r_last != (beat + 1 == beats)))
        throw std::logic_error("a beat of a window read has another ID, or its last mark is wrong");
      tick_();
      if (ar) in_.s_ar_valid = false;
      if (!r) continue;
      refused = refused || resp != 0;
      for (std::uint32_t b = 0; b < 32; ++b) {
        const std::uint64_t a = first + beat * 32 + b;
        if (a >= address && a < end) out[a - address] = static_cast<std::uint8_t>(data[b / 4] >> (b % 4 * 8));
      }
      ++beat;
    }
    in_.s_r_ready = false;
    if (refused) throw HostError(fmt::format("window {:#x}: read refused", first));
    at = first + beats * 32;
  }
}

}  // namespace tepin::tb
