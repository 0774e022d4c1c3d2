// SPDX-License-Identifier: Apache-2.0
#include "tb/noc/dn_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tepin::tb::noc {

DnRun::DnRun(DnMesh& mesh, const DnOptions& options)
    : mesh_(mesh),
      options_(options),
      waiting_(mesh.nodes()),
      free_(mesh.nodes(), mesh.variant().slots),
      next_id_(mesh.nodes()),
      due_(mesh.nodes(), std::vector<std::deque<std::uint32_t>>(mesh.nodes())),
      to_credit_(mesh.nodes()) {
  Rng seeds{options.seed};
  for (std::size_t n = 0; n < mesh.nodes(); ++n) rng_.push_back({seeds.next()});
}

void DnRun::post(std::size_t node, std::uint64_t mask) { waiting_[node].push_back(mask); }

void DnRun::cycle(bool random) {
  for (std::size_t n = 0; n < mesh_.nodes(); ++n) {
    Rng& rng = rng_[n];
    auto& in = mesh_.in[n];
    const auto& out = mesh_.out[n];
    if (out.credits != 0 && ++free_[n] > mesh_.variant().slots)
      error(fmt::format("tile {}: a credit that was never used", n));
    in.credit = to_credit_[n] != 0 && cycle_ >= options_.sink_closed &&
                !(options_.sink_stall != 0 && rng.chance(options_.sink_stall));
    to_credit_[n] -= in.credit;
    if (out.valid) {
      if (++to_credit_[n] > mesh_.variant().slots) error(fmt::format("tile {}: more flits than it has slots", n));
      check(n, out.flit);
    }
    if (random && waiting_[n].empty() && rng.chance(options_.rate)) {
      std::uint64_t mask = 0;
      for (std::size_t t = 0; t < mesh_.nodes(); ++t)
        if (rng.chance(options_.density)) mask |= tile_bit(mesh_.coord(t));
      if (mask == 0) mask = tile_bit(mesh_.coord(rng.below(static_cast<std::uint32_t>(mesh_.nodes()))));
      post(n, mask);
    }
    in.valid = !waiting_[n].empty() && free_[n] != 0;
    if (!in.valid) continue;
    --free_[n];
    const std::uint64_t mask = waiting_[n].front();
    waiting_[n].pop_front();
    const std::uint32_t id = next_id_[n]++;
    in.flit = flit(n, id, mask);
    ++sent_;
    for (std::size_t t = 0; t < mesh_.nodes(); ++t) {
      if ((mask & tile_bit(mesh_.coord(t))) == 0) continue;
      due_[t][n].push_back(id);
      ++expected_;
    }
  }
  mesh_.step();
  ++cycle_;
}

bool DnRun::finish(std::uint64_t limit) {
  const auto left = [&] {
    return arrived_ != expected_ ||
           std::any_of(waiting_.begin(), waiting_.end(), [](const auto& w) { return !w.empty(); });
  };
  std::uint64_t before = 0;
  for (std::uint64_t still = 0; left() && still < limit; ++still) {
    cycle(false);
    if (std::exchange(before, arrived_) != arrived_) still = 0;
  }
  return !left();
}

DnFlit DnRun::flit(std::size_t node, std::uint32_t id, std::uint64_t mask) const {
  Rng rng{static_cast<std::uint64_t>(node) << 32 ^ id ^ options_.seed << 40};
  DnFlit f;
  f.mask = mask;
  f.kind = static_cast<DnKind>(rng.below(4));
  f.group = static_cast<std::uint8_t>(rng.below(kGroups));
  f.last = rng.chance(0.5);
  f.both = rng.chance(0.5);
  f.src = mesh_.coord(node);
  f.word = rng.below(1U << 27);
  f.sem = static_cast<std::uint8_t>(rng.below(64));
  f.cnt = static_cast<std::uint8_t>(rng.below(256));
  f.data[0] = id;
  for (std::size_t i = 1; i < mesh_.words(); ++i) f.data[i] = static_cast<std::uint32_t>(rng.next());
  return f;
}

void DnRun::check(std::size_t node, const DnFlit& f) {
  ++arrived_;
  const std::size_t src = f.src.x < mesh_.width() && f.src.y < mesh_.height() ? mesh_.node(f.src) : mesh_.nodes();
  if (src == mesh_.nodes() || due_[node][src].empty()) {
    error(fmt::format("tile {}: a flit from ({}, {}) that was not sent here, or came before", node, f.src.x, f.src.y));
    return;
  }
  const std::uint32_t id = due_[node][src].front();
  due_[node][src].pop_front();
  if (f.data[0] != id) error(fmt::format("tile {}: flit {} from tile {}, expected {}", node, f.data[0], src, id));
  const DnFlit want = flit(src, id, tile_bit(mesh_.coord(node)));
  const bool same =
      f.mask == want.mask && f.kind == want.kind && f.group == want.group && f.last == want.last &&
      f.both == want.both && f.word == want.word && f.sem == want.sem && f.cnt == want.cnt &&
      std::equal(want.data.begin(), want.data.begin() + static_cast<std::ptrdiff_t>(mesh_.words()), f.data.begin());
  if (!same) error(fmt::format("tile {}: flit {} from tile {} is corrupted", node, id, src));
}

void DnRun::error(std::string text) {
  if (errors_++ == 0) first_error_ = fmt::format("cycle {}: {}", cycle_, std::move(text));
}

}  // namespace tepin::tb::noc
