// SPDX-License-Identifier: Apache-2.0
#include "fake_hbm.h"

#include <bitset>
#include <vector>

namespace tepin::tb::hbm::testing {
namespace {

constexpr std::size_t kNone = SIZE_MAX;
constexpr std::uint64_t kStaleClocks = 500;
constexpr std::uint8_t kSlverr = 2;

}  // namespace

FakeHbm::Line& FakeHbm::line(Port& port, std::uint32_t number) {
  const auto [at, is_new] = port.lines.try_emplace(number);
  if (is_new && options_.initial) at->second.now = at->second.before = options_.initial(number * 32);
  return at->second;
}

Word FakeHbm::value(Port& port, std::uint32_t number) {
  const Line& l = line(port, number);
  return now_ - l.written_at > kStaleClocks && fails(Fault::kStaleRead, 4) ? l.before : l.now;
}

void FakeHbm::apply(Port& port, const Write& write) {
  for (std::uint32_t i = 0; i < write.beats; ++i) {
    Line& l = line(port, write.line + i);
    l.before = l.now;
    l.written_at = now_;
    std::uint32_t strobes = write.data[i].second;
    if (fails(Fault::kIgnoredStrobes, 20)) strobes |= 1U << rng_.below(32);
    for (std::uint32_t b = 0; b < 32; ++b) {
      if ((strobes >> b & 1) == 0) continue;
      const std::uint32_t mask = 0xffU << b % 4 * 8;
      l.now[b / 4] = (l.now[b / 4] & ~mask) | (write.data[i].first[b / 4] & mask);
    }
  }
}

void FakeHbm::take(Port& port, const AxiIn& in, const AxiOut& out) {
  if (in.ar_valid && out.ar_ready) {
    Read r{in.ar_id, in.ar_addr / 32, in.ar_len + 1U, 0, now_ + rng_.below(options_.delay + 1), {}};
    for (std::uint32_t i = 0; options_.early_reads && i < r.beats; ++i) r.data.push_back(value(port, r.line + i));
    for (Read& other : port.reads) {
      if (other.id == r.id && other.beats == r.beats && other.done == 0 && fails(Fault::kWrongOrder, 4))
        std::swap(other.line, r.line);
    }
    if (!fails(Fault::kLostRead, 100)) port.reads.push_back(std::move(r));
  }
  if (in.aw_valid && out.aw_ready) {
    port.writes.push_back({in.aw_id, in.aw_addr / 32, in.aw_len + 1U, 0, {}});
    if (fails(Fault::kEarlyResponse, 20)) {
      port.answers.push_back({in.aw_id, 0, 0, now_, {}});
      port.writes.pop_back();
    }
  }
  if (in.w_valid && out.w_ready) port.data.emplace_back(in.w_data, in.w_strb);
  while (!port.writes.empty() && !port.data.empty()) {
    Write& w = port.writes.front();
    w.data.push_back(port.data.front());
    port.data.pop_front();
    if (w.data.size() != w.beats) continue;
    w.ready_at = now_ + rng_.below(options_.delay + 1);
    if (!options_.late_writes) apply(port, w);
    if (!fails(Fault::kLostResponse, 100)) port.answers.push_back(std::move(w));
    port.writes.pop_front();
  }
}

/// A transaction that may be answered: the first of its ID, and ready.
template <typename T>
std::size_t FakeHbm::choose(const std::deque<T>& queue) {
  if (queue.empty()) return kNone;
  if (!options_.reorder) return queue.front().ready_at <= now_ ? 0 : kNone;
  std::bitset<256> seen;
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (seen[queue[i].id]) continue;
    seen.set(queue[i].id);
    if (queue[i].ready_at <= now_) candidates.push_back(i);
  }
  return candidates.empty() ? kNone : candidates[rng_.below(candidates.size())];
}

void FakeHbm::offer_read(Port& port, AxiOut& out) {
  out.r_valid = false;
  if (fails(Fault::kUnknownId, 100)) {
    out.r_valid = true;
    out.r_id = 200;
    return;
  }
  const std::size_t i = rng_.chance(options_.stall) ? kNone : choose(port.reads);
  if (i == kNone) return;
  Read& r = port.reads[i];
  out.r_valid = true;
  out.r_id = r.id;
  out.r_resp = fails(Fault::kSlverr, 50) ? kSlverr : 0;
  if (options_.early_reads) {
    out.r_data = r.data[r.done];
  } else {
    out.r_data = value(port, r.line + r.done);
  }
  if (fails(Fault::kWrongData, 50)) out.r_data[rng_.below(8)] ^= 1U << rng_.below(32);
  out.r_last = ++r.done == r.beats;
  if (!out.r_last) return;
  if (fails(Fault::kNoLast, 50)) out.r_last = false;
  port.reads.erase(port.reads.begin() + static_cast<std::ptrdiff_t>(i));
}

void FakeHbm::offer_response(Port& port, AxiOut& out) {
  out.b_valid = false;
  if (fails(Fault::kUnknownResponse, 100)) {
    out.b_valid = true;
    out.b_id = 200;
    return;
  }
  const std::size_t i = rng_.chance(options_.stall) ? kNone : choose(port.answers);
  if (i == kNone) return;
  if (options_.late_writes) apply(port, port.answers[i]);
  out.b_valid = true;
  out.b_id = port.answers[i].id;
  out.b_resp = 0;
  port.answers.erase(port.answers.begin() + static_cast<std::ptrdiff_t>(i));
}

void FakeHbm::step(bool rst_n) {
  ++now_;
  for (std::size_t pc = 0; pc < 2; ++pc) {
    Port& port = ports_[pc];
    const AxiIn& i = in.axi[pc];
    AxiOut& o = out.axi[pc];
    if (!rst_n) {
      o = {};
      continue;
    }
    take(port, i, o);
    if (!o.r_valid || i.r_ready) {
      offer_read(port, o);
    } else if (fails(Fault::kValidFalls, 10)) {
      o.r_valid = false;
    } else if (fails(Fault::kPayloadChanges, 10)) {
      o.r_data[0] ^= 1;
    }
    if (!o.b_valid || i.b_ready) offer_response(port, o);
    o.ar_ready = port.reads.size() < options_.open && !rng_.chance(options_.stall);
    o.aw_ready = port.writes.size() + port.answers.size() < options_.open && !rng_.chance(options_.stall);
    o.w_ready = port.data.size() < options_.open && !rng_.chance(options_.stall);
  }
}

}  // namespace tepin::tb::hbm::testing
