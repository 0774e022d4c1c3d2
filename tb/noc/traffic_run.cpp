// SPDX-License-Identifier: Apache-2.0
#include "tb/noc/traffic_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tepin::tb::noc {

Traffic::Traffic(Mesh& mesh, const TrafficOptions& options)
    : mesh_(mesh),
      options_(options),
      words_(static_cast<std::size_t>(mesh.variant().link_bits) / 32),
      sources_(mesh.nodes()),
      to_credit_(mesh.nodes()),
      next_seq_(mesh.nodes() * mesh.nodes()),
      expected_seq_(mesh.nodes() * mesh.nodes()) {
  check_pattern(options.pattern, mesh.width(), mesh.height());
  Rng seeds{options.seed};
  for (std::size_t n = 0; n < mesh.nodes(); ++n) {
    rng_.push_back({seeds.next()});
    stall_rng_.push_back({seeds.next()});
    sources_[n].free = mesh.variant().depth + 1;
  }
  reset_counts();
}

void Traffic::reset_counts() {
  counts_ = {};
  counts_.accepted_from.assign(mesh_.nodes(), 0);
}

void Traffic::begin_window() {
  window_begin_ = cycle_;
  window_end_ = UINT64_MAX;
  window_packets_ = 0;
  latencies_.clear();
}

void Traffic::cut_sources() {
  cut_ = true;
  for (Source& s : sources_)
    for (auto& q : s.queues) q.clear();
}

bool Traffic::drain(std::uint64_t limit) {
  for (std::uint64_t i = 0; i < limit && delivered_ < injected_; ++i) cycle();
  return delivered_ >= injected_;
}

void Traffic::cycle() {
  for (std::size_t n = 0; n < mesh_.nodes(); ++n) {
    if (!cut_) births(n);
    inject(n);
    absorb(n);
  }
  mesh_.step();
  ++cycle_;
  ++counts_.cycles;
}

void Traffic::births(std::size_t node) {
  if (!rng_[node].chance(options_.rate / options_.flits)) return;
  const Coord src = mesh_.coord(node);
  const Coord dst = destination(options_.pattern, src, mesh_.width(), mesh_.height(), rng_[node]);
  sources_[node].queues[options_.split_source ? route(src, dst) : 0].push_back(
      {static_cast<std::uint32_t>(cycle_), dst});
  counts_.offered_flits += static_cast<std::uint64_t>(options_.flits);
  if (cycle_ >= window_begin_ && cycle_ < window_end_) ++window_packets_;
}

void Traffic::inject(std::size_t node) {
  Source& s = sources_[node];
  TileIn& in = mesh_.in[node];
  if (s.free == 0) return;  // the router has no free slot: what is on the link stays there
  in.valid = false;
  const Coord src = mesh_.coord(node);
  std::size_t best = kPorts;
  for (std::size_t q = 0; q < kPorts; ++q) {
    if (s.queues[q].empty()) continue;
    const Port hop = route(src, s.queues[q].front().dst);
    if (hop != kLocal && s.used[hop] == mesh_.variant().cap) continue;
    if (best == kPorts || s.queues[q].front().birth < s.queues[best].front().birth) best = q;
  }
  if (best == kPorts) return;
  const Packet packet = s.queues[best].front();
  const auto index = static_cast<std::uint32_t>(s.sent[best]++);
  const bool last = s.sent[best] == options_.flits;
  if (last) {
    s.queues[best].pop_front();
    s.sent[best] = 0;
  }
  const Port hop = route(src, packet.dst);
  if (hop == kLocal) {
    ++counts_.accepted_flits;
    ++counts_.accepted_from[node];
    if (last) arrived(packet.birth, cycle_ + 1);
    return;
  }
  --s.free;
  ++s.used[hop];
  ++injected_;
  const std::size_t dst = mesh_.node(packet.dst);
  in.valid = true;
  in.flit.dst = packet.dst;
  in.flit.age = 0;
  in.flit.data = payload(node, dst, next_seq_[node * mesh_.nodes() + dst]++, packet.birth, index);
}

void Traffic::absorb(std::size_t node) {
  const TileOut& out = mesh_.out[node];
  Source& s = sources_[node];
  for (std::size_t q = 0; q < kPorts; ++q) {
    if ((out.credits >> q & 1) == 0) continue;
    ++s.free;
    if (--s.used[q] < 0) error(fmt::format("tile {}: a credit of first hop {} that was never used", node, q));
  }
  if (out.bad) error(fmt::format("tile {}: flit to ({}, {}) refused", node, out.bad_dst.x, out.bad_dst.y));
  // Registers of the tile: what is taken now gives its credit in the next cycle.
  TileIn& in = mesh_.in[node];
  in.credit = to_credit_[node] > 0 && (options_.sink_stall == 0 || !stall_rng_[node].chance(options_.sink_stall));
  if (in.credit) --to_credit_[node];
  if (!out.valid) return;
  ++to_credit_[node];
  if (to_credit_[node] > mesh_.variant().depth) error(fmt::format("tile {}: more flits than it has slots", node));
  check(node, out.flit);
}

void Traffic::check(std::size_t node, const Flit& f) {
  ++delivered_;
  ++counts_.accepted_flits;
  const std::size_t src = mesh_.node(f.src);
  if (src >= mesh_.nodes() || mesh_.node(f.dst) != node) {
    error(fmt::format("tile {}: flit from ({}, {}) to ({}, {})", node, f.src.x, f.src.y, f.dst.x, f.dst.y));
    return;
  }
  ++counts_.accepted_from[src];
  std::uint32_t& expected = expected_seq_[src * mesh_.nodes() + node];
  const std::uint32_t seq = f.data[0], birth = f.data[1], index = f.data[2] & 0xffffU;
  if (seq != expected) {
    error(fmt::format("tile {}: flit {} from tile {}, expected {} ({})", node, seq, src, expected,
                      seq < expected ? "duplicated or overtaken" : "one before it is lost or overtaken"));
  }
  expected = seq + 1;
  const Payload want = payload(src, node, seq, birth, index);
  if (!std::equal(want.begin(), want.begin() + static_cast<std::ptrdiff_t>(words_), f.data.begin()))
    error(fmt::format("tile {}: flit {} from tile {} is corrupted", node, seq, src));
  if (static_cast<int>(index) == options_.flits - 1) arrived(birth, cycle_);
}

void Traffic::arrived(std::uint32_t birth, std::uint64_t at) {
  if (birth >= window_begin_ && birth < window_end_) latencies_.push_back(static_cast<std::uint32_t>(at) - birth);
}

Payload Traffic::payload(std::size_t src, std::size_t dst, std::uint32_t seq, std::uint32_t birth,
                         std::uint32_t index) const {
  Payload d{};
  d[0] = seq;
  d[1] = birth;
  d[2] = index | static_cast<std::uint32_t>(src) << 16 | static_cast<std::uint32_t>(dst) << 24;
  Rng rng{static_cast<std::uint64_t>(d[0]) << 32 ^ static_cast<std::uint64_t>(d[2]) << 20 ^ birth};
  for (std::size_t i = 3; i < words_; i += 2) {
    const std::uint64_t bits = rng.next();
    d[i] = static_cast<std::uint32_t>(bits);
    if (i + 1 < words_) d[i + 1] = static_cast<std::uint32_t>(bits >> 32);
  }
  return d;
}

void Traffic::error(std::string text) {
  if (errors_++ == 0) first_error_ = fmt::format("cycle {}: {}", cycle_, std::move(text));
}

}  // namespace tepin::tb::noc
