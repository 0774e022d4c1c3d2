// SPDX-License-Identifier: Apache-2.0
#include "tb/chip_sim.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "tb/neighbours.h"

namespace tepin::tb {
namespace {

constexpr std::uint32_t kReadyTimeout = 100000;
constexpr int kSettle = 8;  // quiet cycles after which nothing moves on the chip

/// Waits actively, for the others' share takes microseconds; but where there are fewer cores than threads, or others
/// use them, whoever is waited for needs this one.
template <class Done>
void spin_until(Done done) {
  constexpr int kSpins = 4096;
  for (int i = 0; !done(); ++i) {
    if (i >= kSpins) std::this_thread::yield();
  }
}

}  // namespace

ChipSim::ChipSim(std::uint32_t mesh_x, std::uint32_t mesh_y, const SimOptions& options, unsigned threads)
    : mesh_x_(mesh_x), mesh_y_(mesh_y), threads_(threads) {
  if (mesh_x < 1 || mesh_x > 8 || mesh_y < 1 || mesh_y > 8)
    throw std::invalid_argument(fmt::format("mesh {}x{}; allowed: 1x1 to 8x8", mesh_x, mesh_y));
  if (threads < 1 || threads > mesh_x * mesh_y)
    throw std::invalid_argument(fmt::format("{} threads; allowed: 1 to {}, the tiles", threads, mesh_x * mesh_y));
  if (!options.fst_file.empty()) throw std::invalid_argument("waves are of one tile alone");
  for (std::uint32_t y = 0; y < mesh_y; ++y) {
    for (std::uint32_t x = 0; x < mesh_x; ++x) {
      SimOptions o = options;
      o.memory.seed = options.memory.seed + std::uint32_t{16} * (y * mesh_x + x);
      tiles_.push_back(std::make_unique<TileSim>(o, x, y, mesh_x - 1, mesh_y - 1, [this] { tick(); }));
    }
  }
  for (unsigned t = 1; t < threads_; ++t) workers_.emplace_back([this, t] { work(t); });
  if (!options.driven) reset();
}

ChipSim::~ChipSim() {
  stop_ = true;
  for (std::thread& w : workers_) w.join();
}

// Outputs are of the last edge, inputs for the next one.
void ChipSim::wire(std::size_t tile) {
  TileIn& in = tiles_[tile]->in();
  in.chip_quiet = quiet_;
  for (std::size_t s = 0; s < kSides; ++s) {
    const std::optional<std::size_t> beside = neighbour(tile, s, mesh_x_, mesh_y_);
    if (!beside) continue;
    const TileOut& from = tiles_[*beside]->out();
    const std::size_t side = facing(s);
    in.flits[s] = from.flits[side];
    if (in.flits[s] != 0) in.link[s] = from.link[side];
    in.credit[s] = from.credit[side];
  }
}

void ChipSim::step_share(unsigned thread) {
  for (std::size_t t = thread; t < tiles_.size(); t += threads_) {
    if (in_reset_) {
      tiles_[t]->step_reset();
    } else {
      tiles_[t]->step();
    }
  }
}

void ChipSim::work(unsigned thread) {
  for (std::uint64_t seen = 0;;) {
    spin_until([&] { return ticks_.load(std::memory_order_acquire) != seen || stop_.load(std::memory_order_relaxed); });
    if (stop_.load(std::memory_order_relaxed)) return;
    ++seen;
    step_share(thread);
    working_.fetch_sub(1, std::memory_order_release);
  }
}

void ChipSim::tick() {
  quiet_ = std::ranges::all_of(tiles_, [](const auto& t) { return t->out().quiet; });
  for (std::size_t t = 0; t < tiles_.size(); ++t) wire(t);
  working_.store(threads_ - 1, std::memory_order_relaxed);
  ticks_.fetch_add(1, std::memory_order_release);
  step_share(0);
  spin_until([&] { return working_.load(std::memory_order_acquire) == 0; });
  ++now_;
}

void ChipSim::reset() {
  in_reset_ = true;
  for (int i = 0; i < 4; ++i) tick();
  in_reset_ = false;
  for (auto& t : tiles_) {
    for (std::uint32_t i = 0; !t->ready(); ++i) {
      if (i > kReadyTimeout) throw std::logic_error("a tile is never ready");
    }
  }
}

ChipResult ChipSim::run(std::uint64_t max_cycles, const std::vector<bool>& starts, ChipLockstep* lockstep) {
  const auto started = [&](std::size_t t) { return starts.empty() || starts[t]; };
  for (std::size_t t = 0; t < tiles_.size(); ++t)
    tiles_[t]->prepare(lockstep != nullptr ? &lockstep->tile(t) : nullptr,
                       timelines_.empty() ? nullptr : timelines_[t].get());
  for (std::size_t t = 0; t < tiles_.size(); ++t) {
    if (started(t)) tiles_[t]->start();
  }
  for (int i = 0; i < 4; ++i) tick();
  const std::uint64_t begin = now_;
  std::vector<std::uint64_t> ends(tiles_.size());
  ChipResult result;
  std::size_t first = tiles_.size();  // to fault
  int quiet = 0;
  std::vector<Stop> stops(tiles_.size(), Stop::kDone);
  std::vector<bool> ended(tiles_.size());
  const auto look = [&] {
    bool all = true;
    for (std::size_t t = 0; t < tiles_.size(); ++t) {
      if (ended[t]) continue;
      if (started(t) && tiles_[t]->out().running) {
        all = false;
        continue;
      }
      ended[t] = true;
      ends[t] = now_;
      if (started(t) && tiles_[t]->faulted()) {
        stops[t] = Stop::kFault;
        if (first == tiles_.size()) first = t;
      }
    }
    return all;
  };
  while (true) {
    if (look() && quiet >= kSettle) break;
    if (lockstep != nullptr && lockstep->divergence() != nullptr) break;
    if (now_ - begin >= max_cycles) {
      result.stop = Stop::kMaxCycles;
      break;
    }
    tick();
    if (lockstep != nullptr) lockstep->cycle(now_);
    quiet = quiet_ ? quiet + 1 : 0;
  }
  const std::uint64_t now = now_;
  // A message may have made a tile fault that had ended before, or never started.
  std::vector<std::size_t> late;
  if (result.stop == Stop::kDone && (lockstep == nullptr || lockstep->divergence() == nullptr)) {
    for (std::size_t t = 0; t < tiles_.size(); ++t) {
      if (stops[t] == Stop::kFault || !tiles_[t]->faulted()) continue;
      stops[t] = Stop::kFault;
      late.push_back(t);
    }
  }
  const bool done = result.stop == Stop::kDone && first == tiles_.size() && late.empty();
  if (lockstep != nullptr && done && lockstep->divergence() == nullptr) lockstep->finish(now_);
  // Tiles start one after another, and each counts its own cycles.
  std::uint64_t first_start = now;
  std::uint64_t last_end = 0;
  for (std::size_t t = 0; t < tiles_.size(); ++t) {
    result.tiles.push_back(tiles_[t]->collect(stops[t]));
    if (!started(t)) continue;
    const std::uint64_t end = ended[t] ? ends[t] : now;
    first_start = std::min(first_start, end - result.tiles[t].cycles);
    last_end = std::max(last_end, end);
  }
  result.cycles = last_end > first_start ? last_end - first_start : 0;
  // Whose message a stopped tile did not take stopped after it.
  for (const std::size_t t : late) {
    if (first == tiles_.size() || result.tiles[first].fault.cause == isa::Cause::kTileStopped) first = t;
  }
  if (first != tiles_.size()) {
    result.stop = Stop::kFault;
    result.fault = result.tiles[first].fault;
  }
  if (lockstep != nullptr && lockstep->divergence() != nullptr) result.stop = Stop::kDivergence;
  return result;
}

void ChipSim::record_timeline() {
  timelines_.clear();
  for (std::uint32_t t = 0; t < tiles_.size(); ++t)
    timelines_.push_back(std::make_unique<Timeline>(t % mesh_x_, t / mesh_x_));
}

std::string ChipSim::take_timeline() {
  std::vector<Timeline*> tiles;
  for (const auto& t : timelines_) tiles.push_back(t.get());
  std::string json = Timeline::json(tiles, tiles_.front()->now());
  timelines_.clear();
  return json;
}

}  // namespace tepin::tb
