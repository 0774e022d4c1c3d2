// SPDX-License-Identifier: Apache-2.0
#include "tb/noc/up_run.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "tb/noc/coll_reference.h"

namespace tepin::tb::noc {

UpRun::UpRun(UpMesh& mesh, const UpOptions& options)
    : mesh_(mesh),
      options_(options),
      to_router_(mesh.nodes(), UpCredits(mesh.variant().slots)),
      from_router_(mesh.nodes(), UpCredits(mesh.variant().slots)),
      to_credit_(mesh.nodes()) {
  Rng seeds{options.seed};
  for (std::size_t n = 0; n < mesh.nodes(); ++n) rng_.push_back({seeds.next()});
}

void UpRun::start(std::size_t group, Stream stream) {
  Group& g = groups_[group];
  if (g.left != 0) throw std::logic_error("a stream starts before the last one of its group is done");
  g.stream = std::move(stream);
  g.serial = ++serial_;
  g.begin = cycle_;
  g.left = g.stream.trains.size();
  g.at.assign(mesh_.nodes(), {});
  g.next.assign(mesh_.nodes(), 0);
  g.flit.assign(mesh_.nodes(), 0);
  g.used.clear();
  for (const Train& t : g.stream.trains) g.used.push_back(data_inputs(t.head.mask, t.head.root));
  for (std::size_t n = 0; n < mesh_.nodes(); ++n) skip(g, n);
}

bool UpRun::done() const {
  for (const Group& g : groups_)
    if (g.left != 0) return false;
  return true;
}

bool UpRun::finish(std::uint64_t limit) {
  std::uint64_t before = 0;
  for (std::uint64_t still = 0; !done() && still < limit; ++still) {
    cycle();
    if (std::exchange(before, arrived_ + sent_) != arrived_ + sent_) still = 0;
  }
  return done();
}

void UpRun::cycle() {
  for (std::size_t n = 0; n < mesh_.nodes(); ++n) {
    absorb(n);
    send(n);
  }
  mesh_.step();
  ++cycle_;
}

// To the next train of which the tile is a member or the root.
void UpRun::skip(Group& g, std::size_t node) {
  Sender& s = g.at[node];
  const auto& trains = g.stream.trains;
  while (s.train < trains.size() && !takes_part(trains[s.train], mesh_.coord(node))) ++s.train;
}

void UpRun::send(std::size_t node) {
  auto& in = mesh_.in[node];
  in.valid = false;
  Rng& rng = rng_[node];
  if (options_.idle != 0 && rng.chance(options_.idle)) return;
  const Coord c = mesh_.coord(node);
  const std::size_t first = rng.below(kGroups);
  for (std::size_t k = 0; k < kGroups; ++k) {
    const std::size_t group = (first + k) % kGroups;
    Group& g = groups_[group];
    if (g.left == 0 || !to_router_[node].ready(group)) continue;
    Sender& s = g.at[node];
    if (s.train == g.stream.trains.size() || cycle_ < g.begin + g.stream.delay[tile_number(c)]) continue;
    const Train& t = g.stream.trains[s.train];
    const bool member = (t.head.mask & tile_bit(c)) != 0;
    const std::size_t flits = member ? t.flits : 0;
    in.valid = true;
    in.flit.group = static_cast<std::uint8_t>(group);
    in.flit.head = s.flit == 0;
    in.flit.last = s.flit == flits && (member || rng.chance(0.5));  // a root alone may say what it likes
    in.flit.data = s.flit == 0 ? pack(t.head) : operand(g, s.train, s.flit, tile_number(c));
    to_router_[node].use(group);
    ++sent_;
    if (s.flit++ == flits) {
      s = {s.train + 1, 0};
      skip(g, node);
    }
    return;
  }
}

void UpRun::absorb(std::size_t node) {
  const auto& out = mesh_.out[node];
  for (std::size_t g = 0; g < kGroups; ++g) {
    if ((out.credits >> g & 1) == 0) continue;
    if (to_router_[node].used(g) == 0) error(fmt::format("tile {}: a credit of group {} that was never used", node, g));
    to_router_[node].give(g);
  }
  if (out.mismatch) error(fmt::format("tile {}: mismatch of group {}", node, out.mismatch_group));
  // Registers of the tile: what is taken now gives its credit in the next cycle.
  auto& in = mesh_.in[node];
  auto& held = to_credit_[node];
  in.credit = 0;
  Rng& rng = rng_[node];
  if (!held.empty() && cycle_ >= options_.sink_closed &&
      !(options_.sink_stall != 0 && rng.chance(options_.sink_stall))) {
    const auto k = rng.below(static_cast<std::uint32_t>(held.size()));
    in.credit = static_cast<std::uint8_t>(1U << held[k]);
    from_router_[node].give(held[k]);
    held.erase(held.begin() + k);
  }
  if (!out.valid) return;
  if (!from_router_[node].ready(out.flit.group)) error(fmt::format("tile {}: more flits than it has slots", node));
  from_router_[node].use(out.flit.group);
  held.push_back(out.flit.group);
  check(node, out.flit);
}

void UpRun::check(std::size_t node, const UpFlit& f) {
  ++arrived_;
  last_arrival_ = cycle_;
  Group& g = groups_[f.group];
  const Coord c = mesh_.coord(node);
  std::size_t& k = g.next[node];
  if (g.left != 0)
    while (k < g.stream.trains.size() && !(g.stream.trains[k].head.root == c)) ++k;
  if (g.left == 0 || k == g.stream.trains.size()) {
    error(fmt::format("tile {}: a flit of group {} that nobody sent here", node, f.group));
    return;
  }
  const Train& t = g.stream.trains[k];
  std::size_t& flit = g.flit[node];
  if (f.head != (flit == 0) || f.last != (flit == t.flits))
    error(fmt::format("tile {}: flit {} of {} of group {} has head {}, last {}", node, flit, t.flits, f.group, f.head,
                      f.last));
  const Payload want = flit == 0 ? pack(t.head)
                                 : reduce_flit(g.used[k], c, t.head.max, t.head.bf16, mesh_.words(),
                                               [&](unsigned tile) { return operand(g, k, flit, tile); });
  for (std::size_t i = 0; i < mesh_.words(); ++i) {
    if (f.data[i] == want[i]) continue;
    error(fmt::format("tile {}: group {}, train {}, flit {}, word {} is {:08x}, expected {:08x} (mask {:x}, {}, {})",
                      node, f.group, k, flit, i, f.data[i], want[i], t.head.mask, t.head.max ? "max" : "sum",
                      t.head.bf16 ? "bf16" : "fp32"));
    break;
  }
  if (flit++ != t.flits) return;
  flit = 0;
  ++k;
  --g.left;
}

Payload UpRun::operand(const Group& g, std::size_t train, std::size_t flit, unsigned tile) const {
  Rng rng{g.serial << 40 ^ static_cast<std::uint64_t>(train) << 28 ^ static_cast<std::uint64_t>(flit) << 8 ^ tile ^
          options_.seed << 50};
  Payload d{};
  for (std::size_t i = 0; i < mesh_.words(); ++i) {
    const std::uint64_t r = rng.next();
    const auto v = static_cast<std::uint32_t>(r);
    // Mostly magnitudes that meet each other (both halves, for BF16), sometimes anything.
    d[i] = (r >> 32 & 31) == 0 ? v : (v & 0x83ff83ffU) | 0x3c003c00U;
  }
  return d;
}

void UpRun::error(std::string text) {
  if (errors_++ == 0) first_error_ = fmt::format("cycle {}: {}", cycle_, std::move(text));
}

}  // namespace tepin::tb::noc
