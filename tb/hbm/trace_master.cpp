// SPDX-License-Identifier: Apache-2.0
#include "tb/hbm/trace_master.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <unordered_map>

namespace tepin::tb::hbm {
namespace {

constexpr std::size_t kDataBehind = 16;  // addresses of writes that may be accepted before their data
constexpr std::size_t kNamed = 8;        // open requests that a message lists

}  // namespace

std::uint8_t TraceMaster::Ids::take(std::int64_t at) {
  while (position[next] >= 0) ++next;
  position[next] = at;
  ++open;
  return next++;
}

TraceMaster::TraceMaster(const std::vector<Request>& trace, TraceOptions options)
    : options_(std::move(options)), rules_(options_.port) {
  if (options_.max_open < 1 || options_.max_open > 256) throw std::invalid_argument("TraceOptions::max_open: 1..256");
  if (!(options_.interval_clocks >= 0)) throw std::invalid_argument("TraceOptions::interval_clocks: >= 0");
  if (trace.empty() || trace.size() > UINT32_MAX) throw std::invalid_argument("TraceMaster: 1..2^32-1 requests");
  std::unordered_map<std::uint32_t, std::uint32_t> slot_of;
  slot_of.reserve(trace.size());
  std::vector<Slot> before;
  requests_.reserve(trace.size());
  for (const Request& r : trace) {
    if (r.address > UINT32_MAX) throw std::invalid_argument("TraceMaster: an address of more than 32 bits");
    const auto address = static_cast<std::uint32_t>(r.address);
    const auto [at, is_new] = slot_of.try_emplace(address, static_cast<std::uint32_t>(before.size()));
    if (is_new) before.emplace_back();
    Slot& s = before[at->second];
    (r.write ? writes_ : reads_).push_back(static_cast<std::uint32_t>(requests_.size()));
    requests_.push_back({address, at->second, s.reads_done, s.writes_done, 0, r.write, 0});
    ++(r.write ? s.writes_done : s.reads_done);
  }
  slots_.resize(before.size());
}

bool TraceMaster::may_issue(std::uint32_t index, const std::vector<std::uint32_t>& others, std::size_t others_accepted,
                            bool& waited) {
  if (static_cast<double>(index) * options_.interval_clocks > static_cast<double>(now_)) return false;
  if (others_accepted < others.size() && index > std::uint64_t{others[others_accepted]} + options_.window) return false;
  const Item& r = requests_[index];
  const Slot& s = slots_[r.slot];
  if (s.writes_done == r.writes_before && (!r.write || s.reads_done == r.reads_before)) return true;
  if (!waited) ++hazard_waits_;
  ++hazard_clocks_;
  waited = true;
  return false;
}

void TraceMaster::drive(AxiIn& in) {
  in.r_ready = in.b_ready = true;
  if (!ar_waits_) {
    in.ar_valid = ar_at_ < reads_.size() && read_ids_.open < options_.max_open &&
                  may_issue(reads_[ar_at_], writes_, aw_at_, read_waited_);
    if (in.ar_valid) {
      read_waited_ = false;
      in.ar_addr = requests_[reads_[ar_at_]].address;
      in.ar_len = 0;
      in.ar_id = read_ids_.take(static_cast<std::int64_t>(ar_at_));
    }
  }
  if (!aw_waits_) {
    in.aw_valid = aw_at_ < writes_.size() && write_ids_.open < options_.max_open && aw_at_ < w_at_ + kDataBehind &&
                  may_issue(writes_[aw_at_], reads_, ar_at_, write_waited_);
    if (in.aw_valid) {
      write_waited_ = false;
      in.aw_addr = requests_[writes_[aw_at_]].address;
      in.aw_len = 0;
      in.aw_id = write_ids_.take(static_cast<std::int64_t>(aw_at_));
    }
  }
  if (!w_waits_) {
    in.w_valid = w_at_ < aw_at_ + (in.aw_valid ? 1 : 0);
    if (in.w_valid) {
      const Item& r = requests_[writes_[w_at_]];
      in.w_data = burst_data(options_.seed, r.address, r.writes_before + 1);
      in.w_strb = UINT32_MAX;
      in.w_last = true;
    }
  }
}

void TraceMaster::accepted(std::uint32_t index) {
  requests_[index].accepted_at = now_;
  if (accepted_++ == 0) first_ = now_;
  if (options_.interval_clocks > 0)
    source_clocks_ += static_cast<double>(now_) - std::ceil(static_cast<double>(index) * options_.interval_clocks);
}

void TraceMaster::accept(const AxiOut& out, const AxiIn& in) {
  ar_waits_ = in.ar_valid && !out.ar_ready;
  aw_waits_ = in.aw_valid && !out.aw_ready;
  w_waits_ = in.w_valid && !out.w_ready;
  if (in.ar_valid && out.ar_ready) {
    accepted(reads_[ar_at_++]);
    ++handshakes_;
  }
  if (in.aw_valid && out.aw_ready) {
    accepted(writes_[aw_at_++]);
    ++handshakes_;
  }
  if (in.w_valid && out.w_ready) {
    ++w_at_;
    ++handshakes_;
  }
}

void TraceMaster::finish(std::uint32_t index, std::uint8_t response) {
  Item& r = requests_[index];
  r.latency = static_cast<std::uint32_t>(now_ - r.accepted_at);
  last_ = now_;
  ++finished_;
  ++handshakes_;
  if (response != 0) ++error_responses_;
}

void TraceMaster::take_read(const AxiOut& out) {
  std::int64_t& position = read_ids_.position[out.r_id];
  if (position < 0 || static_cast<std::size_t>(position) >= ar_at_)
    rules_.fail(now_, fmt::format("R: ID {} has no open read", out.r_id));
  if (!out.r_last) rules_.fail(now_, fmt::format("R: ID {}: last is low on the only beat", out.r_id));
  const std::uint32_t index = reads_[static_cast<std::size_t>(position)];
  position = -1;
  --read_ids_.open;
  finish(index, out.r_resp);
  const Item& r = requests_[index];
  ++slots_[r.slot].reads_done;
  if (out.r_resp != 0) return;
  ++reads_checked_;
  Word expected{};
  if (r.writes_before != 0) {
    expected = burst_data(options_.seed, r.address, r.writes_before);
  } else if (options_.initial) {
    expected = options_.initial(r.address);
  }
  if (expected != out.r_data && mismatches_++ == 0) first_mismatch_ = {index, r.address, expected, out.r_data};
}

void TraceMaster::take_response(const AxiOut& out) {
  std::int64_t& position = write_ids_.position[out.b_id];
  if (position < 0 || static_cast<std::size_t>(position) >= aw_at_)
    rules_.fail(now_, fmt::format("B: ID {} has no open write", out.b_id));
  if (static_cast<std::size_t>(position) >= w_at_)
    rules_.fail(now_, fmt::format("B: ID {}: response before the data was taken", out.b_id));
  const std::uint32_t index = writes_[static_cast<std::size_t>(position)];
  position = -1;
  --write_ids_.open;
  finish(index, out.b_resp);
  ++slots_[requests_[index].slot].writes_done;
}

void TraceMaster::cycle(const AxiOut& out, AxiIn& in) {
  drive(in);
  rules_.check(out, in, now_);
  // A response stands before the edge: it cannot belong to what is accepted at the edge.
  if (out.r_valid && in.r_ready) take_read(out);
  if (out.b_valid && in.b_ready) take_response(out);
  accept(out, in);
  ++now_;
}

std::vector<std::uint32_t> TraceMaster::latencies() const {
  std::vector<std::uint32_t> clocks;
  for (const std::uint32_t i : reads_.empty() ? writes_ : reads_) clocks.push_back(requests_[i].latency);
  return clocks;
}

std::string TraceMaster::outstanding() const {
  const auto list = [this](const char* kind, const Ids& ids, const std::vector<std::uint32_t>& of, std::size_t taken) {
    std::string text;
    std::size_t open = 0;
    for (std::size_t id = 0; id < ids.position.size(); ++id) {
      if (ids.position[id] < 0 || static_cast<std::size_t>(ids.position[id]) >= taken) continue;
      if (open++ >= kNamed) continue;
      const std::uint32_t index = of[static_cast<std::size_t>(ids.position[id])];
      text += fmt::format(" ID {} request {} {:#x};", id, index, requests_[index].address);
    }
    return fmt::format("{} open {}{}{}", open, kind, text.empty() ? "" : ":" + text, open > kNamed ? " ..." : "");
  };
  std::string text = fmt::format("{}: {}, {}", options_.port, list("reads", read_ids_, reads_, ar_at_),
                                 list("writes", write_ids_, writes_, aw_at_));
  if (ar_waits_) text += fmt::format(", AR waits for ready (request {})", reads_[ar_at_]);
  if (aw_waits_) text += fmt::format(", AW waits for ready (request {})", writes_[aw_at_]);
  if (w_waits_) text += fmt::format(", W waits for ready (request {})", writes_[w_at_]);
  return text;
}

}  // namespace tepin::tb::hbm
