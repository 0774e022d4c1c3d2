// SPDX-License-Identifier: Apache-2.0
// Clocks, issue order and semaphores. Accesses to memory are in sanitizer_bytes.cpp.
#include "sw/golden/sanitizer.h"

#include <algorithm>
#include <utility>

namespace tepin::golden {

void stop_with(Finding f) {
  Stop s;
  s.outcome.status = Status::kError;
  s.outcome.error = std::move(f);
  throw s;
}

namespace {

std::vector<std::size_t> first_arrivals(const std::vector<bool>& multicasters) {
  std::vector<std::size_t> first;
  std::size_t next = multicasters.size() * kAgents;
  for (const bool m : multicasters) {
    first.push_back(next);
    if (m) next += multicasters.size();
  }
  first.push_back(next);
  return first;
}

}  // namespace

Sanitizer::Sanitizer(std::vector<std::uint8_t> numbers, const std::vector<bool>& multicasters, std::uint32_t spad_bytes,
                     std::uint32_t channels, std::uint32_t sems)
    : first_arrival_(first_arrivals(multicasters)),
      agents_(first_arrival_.back()),
      spad_bytes_(spad_bytes),
      sems_a_tile_(sems),
      numbers_(std::move(numbers)),
      clocks_(agents_ * agents_),
      at_(agents_),
      event_of_(agents_),
      events_(1),
      last_issue_(agents_),
      sems_(numbers_.size() * sems, PostHistory(agents_)),
      cells_(numbers_.size()) {
  for (TileCells& c : cells_) c.hbm.resize(channels);
}

Event Sanitizer::current(int agent) const {
  const auto a = static_cast<std::size_t>(agent);
  return {at_[a], agent, clocks_[a * agents_ + a]};
}

void Sanitizer::tick(int agent) {
  const auto a = static_cast<std::size_t>(agent);
  ++clocks_[a * agents_ + a];
  event_of_[a] = 0;
}

void Sanitizer::begin(int thread, const Where& at) {
  tick(thread);
  at_[static_cast<std::size_t>(thread)] = at;
}

Clock Sanitizer::issue(int thread, const Where& at) {
  const std::size_t engine = tile_of(thread) * kAgents + static_cast<std::size_t>(agent_of(at.engine));
  std::optional<Event>& last = last_issue_[engine];
  // Issues to an engine are a chain as long as no race was found, so the last one stands for all.
  if (last && !before(*last, thread)) {
    stop_with({.kind = FindingKind::kRaceIssue,
               .first = at,
               .second = last->at,
               .text = "race: " + describe(at) + " and " + describe(last->at) +
                       " are issued to one engine by two threads, and no semaphore orders the issues"});
  }
  last = current(thread);
  last->at = at;
  return Clock(clock_of(thread));
}

void Sanitizer::begin(int engine_agent, const Where& at, ClockView issued) {
  join(clock_of(engine_agent), issued);
  begin(engine_agent, at);
}

Clock Sanitizer::start_collective(int agent) {
  Clock start(clock_of(agent));
  tick(agent);
  return start;
}

int Sanitizer::begin_arrival(int agent, std::size_t tile) {
  const int arrival = static_cast<int>(first_arrival_[tile_of(agent)] + tile);
  join(clock_of(arrival), clock_of(agent));
  begin(arrival, at_[static_cast<std::size_t>(agent)]);
  return arrival;
}

bool Sanitizer::take_ordered(int agent, const SemCount& take) const {
  const auto& last = history(tile_of(agent), take.sem).last_take();
  return take.count == 0 || !last || before(*last, agent);
}

void Sanitizer::check_take_order(int agent, const SemCount& take) const {
  if (take_ordered(agent, take)) return;
  const Where& at = at_[static_cast<std::size_t>(agent)];
  const Where& other = history(tile_of(agent), take.sem).last_take()->at;
  stop_with({.kind = FindingKind::kRaceTake,
             .first = at,
             .second = other,
             .tile = at.tile,
             .sem = take.sem,
             .text = "race: " + describe(at) + " and " + describe(other) + " both take from " + tile_prefix(at.tile) +
                     "semaphore s" + std::to_string(take.sem) + ", and nothing orders them"});
}

void Sanitizer::take(int agent, const std::array<SemCount, 2>& takes) {
  // The order of two takes must not rest on the posts of that very semaphore: in another schedule the other instruction
  // may get them. It may rest on the other semaphore, once that one's own takes are known to be ordered; so the
  // semaphore that passes by itself goes first.
  const bool second_first = !take_ordered(agent, takes[0]) && takes[1].count != 0 && take_ordered(agent, takes[1]);
  for (const std::size_t i : second_first ? std::array<std::size_t, 2>{1, 0} : std::array<std::size_t, 2>{0, 1}) {
    if (takes[i].count == 0) continue;
    check_take_order(agent, takes[i]);
    const auto conflict = history(tile_of(agent), takes[i].sem).take(current(agent), takes[i].count, clock_of(agent));
    if (conflict) ambiguous(*conflict, tile_of(agent), takes[i].sem);
  }
}

void Sanitizer::post(int agent, std::size_t tile, SemCount post) {
  if (post.count == 0) return;
  const auto conflict = history(tile, post.sem).post(current(agent), clock_of(agent), post.count);
  if (conflict) ambiguous(*conflict, tile, post.sem);
}

void Sanitizer::ambiguous(const PostHistory::Conflict& c, std::size_t tile, std::uint32_t sem) const {
  stop_with({.kind = FindingKind::kRaceSemaphore,
             .first = c.first.at,
             .second = c.second.at,
             .tile = number_of(tile),
             .sem = sem,
             .text = "race: " + describe(c.first.at) + " and " + describe(c.second.at) + " post to " +
                     tile_prefix(number_of(tile)) + "semaphore s" + std::to_string(sem) +
                     " in no order, and either could satisfy " + describe(c.take.at)});
}

}  // namespace tepin::golden
