// SPDX-License-Identifier: Apache-2.0
// Drives a device model by hand: commands put into the current clock, write data delivered WL clocks after its command.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "tb/dram/device.h"

namespace tepin::tb::dram::testing {

struct Bank {
  int sid = 0, bg = 0, ba = 0;
};

/// A named speed without the wait for initialisation.
inline DramConfig ready_config(int mbps = 8000, int sids = 2) {
  DramConfig c = DramConfig::of(mbps, sids);
  c.timing.tinit = 0;
  return c;
}

class Bench {
 public:
  explicit Bench(const DramConfig& config = ready_config()) : device(config) {}

  void row(RowOp op, Bank b = {}, int slot = 0, int row = 0, int pc = 0) {
    RowCommand& r = out_.row[out_.row[0].op == RowOp::kNone ? 0 : 1];
    r = {op, u8(pc), u8(slot), u8(b.sid), u8(b.bg), u8(b.ba), static_cast<std::uint16_t>(row)};
  }
  void act(Bank b, int row_number = 0, int slot = 0, int pc = 0) { row(RowOp::kAct, b, slot, row_number, pc); }
  void read(Bank b, int col = 0, int pc = 0, bool auto_precharge = false) {
    out_.col[index(pc)] = {true, false, auto_precharge, u8(b.sid), u8(b.bg), u8(b.ba), u8(col)};
  }
  void write(Bank b, int col = 0, const Burst& data = {}, int pc = 0, bool auto_precharge = false) {
    out_.col[index(pc)] = {true, true, auto_precharge, u8(b.sid), u8(b.bg), u8(b.ba), u8(col)};
    if (deliver_write_data) wdata_[index(pc)][device.now() + device.config().timing.wl] = data;
  }
  void wdata(Clock at, int pc = 0) { wdata_[index(pc)][at] = {}; }

  void tick() {
    for (std::size_t p = 0; p < 2; ++p) {
      const auto due = wdata_[p].find(device.now());
      out_.wdata_valid[p] = due != wdata_[p].end();
      if (out_.wdata_valid[p]) {
        out_.wdata[p] = due->second;
        wdata_[p].erase(due);
      }
    }
    const Clock clk = device.now();
    device.cycle(out_, in_);
    for (std::size_t p = 0; p < 2; ++p) {
      if (in_.rdata_valid[p]) reads.push_back({static_cast<int>(p), clk, in_.rdata[p]});
    }
    out_ = {};
  }
  void to(Clock clk) {
    while (device.now() < clk) tick();
  }
  /// Ticks until the clock of the command put next is `clk` clocks after the current one.
  void after(Clock clocks) { to(device.now() + clocks); }

  /// All violations kept, a line each.
  [[nodiscard]] std::string lines() const {
    std::string s;
    for (const Violation& v : device.violations()) s += to_string(v) + "\n";
    return s;
  }
  [[nodiscard]] std::vector<std::string> rules() const {
    std::vector<std::string> names;
    for (const Violation& v : device.violations()) names.emplace_back(v.rule);
    return names;
  }

  struct ReadBack {
    int pc;
    Clock clk;
    Burst burst;
  };
  DramDevice device;
  std::vector<ReadBack> reads;
  bool deliver_write_data = true;

 private:
  static std::uint8_t u8(int v) { return static_cast<std::uint8_t>(v); }
  static std::size_t index(int pc) { return static_cast<std::size_t>(pc); }

  DfiOut out_;
  DfiIn in_;
  std::array<std::map<Clock, Burst>, 2> wdata_;
};

inline Burst pattern(std::uint32_t seed) {
  Burst b;
  for (std::uint32_t& w : b.data) w = seed = seed * 1664525U + 1013904223U;
  b.meta = static_cast<std::uint16_t>(seed >> 7);
  return b;
}
inline bool same(const Burst& a, const Burst& b) { return a.data == b.data && a.meta == b.meta; }

}  // namespace tepin::tb::dram::testing
