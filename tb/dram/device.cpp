// SPDX-License-Identifier: Apache-2.0
#include "tb/dram/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace tepin::tb::dram {

namespace {

std::size_t ring_size(const DramTiming& t, int extra) {
  if (t.rl < 0 || t.wl < 0 || extra < 0) {
    throw std::invalid_argument(
        fmt::format("RL {}, WL {}, extra read latency {}: none may be negative", t.rl, t.wl, extra));
  }
  return std::bit_ceil(static_cast<std::size_t>(std::max(t.rl + 1 + extra, t.wl)) + 1);
}

const DramConfig& checked(const DramConfig& c) {
  const DramOrganisation& o = c.organisation;
  if (o.sids < 1 || o.sids > DramOrganisation::kMaxSids || o.rows < 1 || o.rows > 65536) {
    throw std::invalid_argument(fmt::format("{} SIDs with {} rows a bank; 1 to {} with 1 to 65536 allowed", o.sids,
                                            o.rows, DramOrganisation::kMaxSids));
  }
  return c;
}

}  // namespace

DramDevice::DramDevice(const DramConfig& config)
    : config_(checked(config)),
      rules_(config.timing, config.strict_half_ck),
      violations_(config.violation_cap, config.throw_at_first),
      store_(config.organisation),
      row_bus_(violations_),
      ring_mask_(ring_size(config.timing, config.extra_read_latency) - 1) {
  reset();
}

void DramDevice::reset() {
  for (int pc = 0; pc < kChannelPcs; ++pc) {
    const auto p = static_cast<std::size_t>(pc);
    if (checkers_[p]) statistics_.idle_precharges[p] += checkers_[p]->idle_precharges();
    checkers_[p].emplace(pc, config_, rules_, now_, violations_);
    reads_[p].assign(ring_mask_ + 1, {});
    writes_[p].assign(ring_mask_ + 1, {});
  }
}

void DramDevice::cycle(const DfiOut& out, DfiIn& in) {
  row_commands(out);
  for (int pc = 0; pc < kChannelPcs; ++pc) {
    const auto p = static_cast<std::size_t>(pc);
    if (out.col[p].valid) column_command(out.col[p], pc);
    if (out.wdata_valid[p] || writes_[p][slot_of(now_)].due) write_data(out, pc);
    Read& read = reads_[p][slot_of(now_)];
    in.rdata_valid[p] = read.due;
    if (read.due) {
      in.rdata[p] = read.burst;
      read.due = false;
    }
    checkers_[p]->settle(now_);
  }
  ++now_;
}

void DramDevice::row_commands(const DfiOut& out) {
  const bool first = out.row[0].op != RowOp::kNone, second = out.row[1].op != RowOp::kNone;
  const bool swapped = first && second && out.row[1].slot < out.row[0].slot;
  if (swapped) row_command(out.row[1]);
  if (first) row_command(out.row[0]);
  if (second && !swapped) row_command(out.row[1]);
}

void DramDevice::row_command(const RowCommand& r) {
  Command c = command_of(r);
  if (c.pc >= kChannelPcs) {
    violations_.add({now_, c.pc, rule::kAddress, c, Kind::kNone, kChannelPcs - 1, c.pc, Unit::kCount, Bound::kAtMost});
    return;
  }
  ++statistics_.commands[r.pc][static_cast<std::size_t>(c.kind)];
  if (log_ != nullptr) log_->write(c, now_);
  if (c.slot > 3) {
    violations_.add({now_, c.pc, rule::kSlot, c, Kind::kNone, 3, c.slot, Unit::kHalfCk, Bound::kAtMost});
    c.slot = 3;
  }
  row_bus_.command(c, now_);
  checkers_[r.pc]->row_command(c, now_);
}

void DramDevice::column_command(const ColumnCommand& col, int pc) {
  const auto p = static_cast<std::size_t>(pc);
  const Command c = command_of(col, pc);
  ++statistics_.commands[p][static_cast<std::size_t>(c.kind)];
  if (log_ != nullptr) log_->write(c, now_);
  const int row = checkers_[p]->column_command(c, now_);
  if (col.write) {
    writes_[p][slot_of(now_ + config_.timing.wl)] = {true, c, row};
    return;
  }
  Read& read = reads_[p][slot_of(now_ + config_.timing.rl + 1 + config_.extra_read_latency)];
  read.due = true;
  read.burst = row == PcChecker::kNoRow ? kPoison : store_.load({pc, c.sid, c.bg, c.ba, row, c.col});
  errors_.apply(read.burst);
}

void DramDevice::write_data(const DfiOut& out, int pc) {
  const auto p = static_cast<std::size_t>(pc);
  Write& w = writes_[p][slot_of(now_)];
  if (!w.due) {
    violations_.add({now_, pc, rule::kWdataUnexpected, {.pc = pc}, Kind::kNone, 0, 1, Unit::kCount, Bound::kExactly});
    return;
  }
  w.due = false;
  const Command& c = w.command;
  if (!out.wdata_valid[p]) {
    violations_.add({now_, pc, rule::kWdataMissing, c, Kind::kNone, 1, 0, Unit::kCount, Bound::kExactly});
  } else if (w.row != PcChecker::kNoRow) {
    store_.store({pc, c.sid, c.bg, c.ba, w.row, c.col}, out.wdata[p]);
  }
}

void DramDevice::finish() {
  if (log_ != nullptr) log_->flush();
}

void DramDevice::set_refresh_rate(double rate) {
  for (auto& checker : checkers_) checker->set_refresh_rate(rate, now_);
  config_.timing.refresh_rate = rate;
}

void DramDevice::flip(const BurstAddress& a, int bit) {
  store_.flip(a, bit);
  ++statistics_.flips;
}

void DramDevice::set_error_rate(double p, std::uint64_t seed) {
  errors_.set_single(p);
  errors_.seed(seed);
}

void DramDevice::set_double_error_rate(double p, std::uint64_t seed) {
  errors_.set_double(p);
  errors_.seed(seed);
}

DramDevice::Statistics DramDevice::statistics() const {
  Statistics s = statistics_;
  for (std::size_t p = 0; p < kChannelPcs; ++p) s.idle_precharges[p] += checkers_[p]->idle_precharges();
  s.single_errors = errors_.singles();
  s.double_errors = errors_.doubles();
  return s;
}

}  // namespace tepin::tb::dram
