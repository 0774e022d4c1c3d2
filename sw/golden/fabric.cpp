// SPDX-License-Identifier: Apache-2.0
#include "sw/golden/fabric.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace tepin::golden {
namespace {

// splitmix64: the same sequence on every platform.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t n) {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return (z ^ (z >> 31)) % n;
  }

 private:
  std::uint64_t state_;
};

}  // namespace

Fabric::Fabric(const isa::Config& config, std::uint32_t mesh_x_, std::uint32_t mesh_y_, const Options& options)
    : cfg(config), opt(options), mesh_x(mesh_x_), mesh_y(mesh_y_) {
  for (std::uint32_t y = 0; y < mesh_y; ++y) {
    for (std::uint32_t x = 0; x < mesh_x; ++x)
      tiles.push_back(std::make_unique<Tile>(*this, tiles.size(), static_cast<std::uint8_t>(isa::kMaxMesh * y + x)));
  }
}

Tile* Fabric::find(std::uint32_t number) const {
  const std::uint32_t x = number % isa::kMaxMesh;
  const std::uint32_t y = number / isa::kMaxMesh;  // also too large for a chip other than 0
  return x < mesh_x && y < mesh_y ? tiles[std::size_t{y} * mesh_x + x].get() : nullptr;
}

std::string Fabric::allowed_tiles() const { return isa::tiles_of_mesh(mesh_x, mesh_y); }

Outcome Fabric::run(const std::vector<const isa::Section*>& sections) {
  for (const isa::Section* s : sections) {
    if (s == nullptr || s->code.size() <= cfg.imem_instrs) continue;
    throw isa::InputError("program: " + std::to_string(s->code.size()) + " instructions; allowed on " +
                          std::string(cfg.name) + ": up to " + std::to_string(cfg.imem_instrs));
  }
  started = 0;
  groups = {};
  san.reset();
  if (opt.check_races) {
    std::vector<std::uint8_t> names;
    for (const auto& t : tiles) names.push_back(name_of(t->number));
    std::vector<bool> multicasters;
    for (const isa::Section* s : sections) multicasters.push_back(s != nullptr && Tile::multicasts(*s));
    san.emplace(std::move(names), multicasters, cfg.spad_bytes, cfg.pcs, cfg.sems);
  }
  for (std::size_t i = 0; i < tiles.size(); ++i) tiles[i]->reset(sections[i]);
  Outcome out;
  try {
    schedule();
  } catch (Stop& stop) {
    out = std::move(stop.outcome);
  }
  out.instructions = started;
  return out;
}

void Fabric::schedule() {
  Random random(opt.schedule_seed);
  std::vector<std::pair<Tile*, int>> order;
  for (const auto& t : tiles) {
    for (int agent = 0; agent < kAgents; ++agent) order.emplace_back(t.get(), agent);
  }
  constexpr std::array<int, 5> kBursts{0, 1, 2, 8, 64};
  // A round in which no agent moves, though each was asked, means that nothing ever will.
  for (;;) {
    bool moved = false;
    if (opt.schedule_seed != 0) {
      for (std::size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
      for (const auto& [tile, agent] : order) {
        for (int n = kBursts[random.below(kBursts.size())]; n > 0 && tile->step(agent); --n) moved = true;
      }
    }
    if (!moved) {
      for (const auto& [tile, agent] : order) moved = tile->step(agent) || moved;
    }
    if (moved) continue;
    if (!std::all_of(tiles.begin(), tiles.end(), [](const auto& t) { return t->idle(); })) stuck();
    return;
  }
}

bool Fabric::matched(const Collective& c) const {
  return std::all_of(tiles.begin(), tiles.end(), [&](const auto& t) {
    if ((c.parts() & bit_of(t->number)) == 0) return true;
    const Started* s = t->started();
    return s != nullptr && s->what.number == c.number && disagreement(s->what, c).empty();
  });
}

void Fabric::complete(const Collective& c) {
  std::vector<Tile*> parts;
  Operands operands;
  for (const auto& t : tiles) {
    if ((c.parts() & bit_of(t->number)) == 0) continue;
    parts.push_back(t.get());
    operands[t->number] = t->started()->data;
  }
  if (san) order(c, parts);
  std::vector<Results> results;
  const bool same = c.kind == isa::Op::kNar || c.kind == isa::Op::kNag;  // at every member
  const Results* shared = nullptr;
  results.reserve(parts.size());
  for (const Tile* t : parts) {
    const bool gets = c.got_words(t->number) != 0;
    results.push_back(gets && shared != nullptr ? *shared : result_of(c, t->number, operands));
    if (gets && same) shared = &results.back();
  }
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i]->take_results(results[i]);
}

void Fabric::order(const Collective& c, const std::vector<Tile*>& parts) {
  std::vector<GroupHistory::Part> history;
  Clock starts;
  for (const Tile* t : parts) {
    const Started& s = *t->started();
    history.push_back({san->current(s.x.agent), t->number, s.start});
    if (starts.empty()) starts = Clock(s.start.size());
    join(starts, s.start);
  }
  for (const Tile* t : parts) {
    if (c.receives(t->number)) san->receive(t->started()->x.agent, starts);
  }
  for (const GroupHistory::Conflict& f : groups.add(c, history)) {
    stop_with({.kind = FindingKind::kRaceGroup,
               .first = f.first,
               .second = f.second,
               .tile = f.router,
               .text = "race: " + describe(f.first) + " and " + describe(f.second) + " use group number " +
                       std::to_string(c.number) + " for different sets or roots whose trees meet in the router of " +
                       tile_prefix(f.router) + "and nothing orders them"});
  }
}

Waiter Fabric::collective_waiter(const Tile& tile) const {
  const Started& mine = *tile.started();
  Waiter w;
  w.at = mine.x.at;
  for (const auto& t : tiles) {
    if ((mine.what.parts() & bit_of(t->number)) == 0) continue;
    const Started* s = t->started();
    if (s != nullptr && s->what.number == mine.what.number && disagreement(mine.what, s->what).empty()) continue;
    w.text += w.members.empty() ? "waits in group " + std::to_string(mine.what.number) + " for " : ", ";
    w.members.push_back(t->number);
    w.text += tile_prefix(t->number);
    if (s != nullptr) {
      Where at = s->x.at;
      at.tile = kOnlyTile;
      w.text += "(at " + describe(at) + " of group " + std::to_string(s->what.number) + ")";
    } else {
      w.text += t->idle() ? "(done)" : "(has started none)";
    }
  }
  return w;
}

// Found only when nothing moves any more, so that it does not depend on who started first.
void Fabric::find_mismatch() const {
  for (const auto& a : tiles) {
    for (const auto& b : tiles) {
      const Started* mine = a->started();
      const Started* other = b->started();
      if (a->number >= b->number || mine == nullptr || other == nullptr || mine->what.number != other->what.number)
        continue;
      const bool meet = (mine->what.parts() & bit_of(b->number)) != 0 && (other->what.parts() & bit_of(a->number)) != 0;
      const std::string why = disagreement(mine->what, other->what);
      if (!meet || why.empty()) continue;
      a->fault(mine->x.at, isa::Cause::kGroupMismatch,
               "group " + std::to_string(mine->what.number) + " with " + describe(other->x.at) + ": " + why +
                   "; allowed: the same at all members");
    }
  }
}

void Fabric::stuck() const {
  find_mismatch();
  std::vector<Waiter> waiters;
  for (const auto& t : tiles) t->add_waiters(waiters);
  Stop s;
  s.outcome.status = Status::kFault;
  Fault& f = s.outcome.fault;
  f.engine = isa::Engine::kHost;
  f.cause = isa::Cause::kStuck;
  if (!waiters.empty() && waiters[0].at.tile != kOnlyTile) f.tile = waiters[0].at.tile;
  f.text = "fault stuck:";
  for (const Waiter& w : waiters) {
    f.text += &w == waiters.data() ? " " : "; ";
    f.text += describe(w.at);
    if (!w.members.empty()) {
      f.text += " " + w.text;
    } else if (w.for_queue) {
      f.text += " waits for room in its queue";
    } else {
      f.text += " waits for s" + std::to_string(w.sem) + " >= " + std::to_string(w.needed) + ", holds " +
                std::to_string(w.held);
    }
  }
  f.waiters = std::move(waiters);
  throw s;
}

}  // namespace tepin::golden
