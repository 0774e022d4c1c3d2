// SPDX-License-Identifier: Apache-2.0
// Races on bytes: each scratchpad byte and each HBM beat remembers its last write and the reads since that are not
// ordered among each other. An access is checked against what it could conflict with; because an ordered access then
// takes the place of what it was checked against, a cell stays small and no race between the remaining ones is lost.
#include <algorithm>

#include "sw/golden/sanitizer.h"

namespace tepin::golden {

std::uint32_t Sanitizer::event_index(int agent) {
  std::uint32_t& index = event_of_[static_cast<std::size_t>(agent)];
  if (index == 0) {
    index = static_cast<std::uint32_t>(events_.size());
    events_.push_back(current(agent));
  }
  return index;
}

void Sanitizer::byte_race(std::uint32_t other, bool other_writes, int agent, bool writes, const Place& place,
                          std::size_t i) const {
  const Where& at = at_[static_cast<std::size_t>(agent)];
  const Where& before_at = events_[other].at;
  Finding f{.kind = FindingKind::kRaceBytes,
            .first = at,
            .second = before_at,
            .space = place.space,
            .channel = place.channel,
            .address = place.first + i * place.step,
            .text = {}};
  const std::string where = describe(f.space, f.channel, f.address);
  if (other == event_of_[static_cast<std::size_t>(agent)]) {
    f.kind = FindingKind::kRaceSelf;
    f.text = "race: " + describe(at) + " overlaps itself: it " +
             (writes && other_writes ? "writes " + where + " twice" : "reads and writes " + where);
  } else {
    f.text = "race: " + describe(at) + (writes ? " writes " : " reads ") + where + ", which " + describe(before_at) +
             (other_writes ? " writes" : " reads") + ", and nothing orders them";
  }
  stop_with(std::move(f));
}

std::uint32_t Sanitizer::add_reader(std::uint32_t readers, std::uint32_t event, int agent) {
  if (readers == 0 || ((readers & kSet) == 0 && before(events_[readers], agent))) return event;
  ReadSet set{};
  if ((readers & kSet) != 0) {
    set = read_sets_[readers & ~kSet];
  } else {
    set[static_cast<std::size_t>(events_[readers].agent)] = readers;
  }
  bool alone = true;  // readers that come before this one are covered by it
  for (std::uint32_t& r : set) {
    if (r != 0 && before(events_[r], agent)) r = 0;
    alone = alone && r == 0;
  }
  if (alone) return event;
  set[static_cast<std::size_t>(agent)] = event;
  read_sets_.push_back(set);
  return kSet | static_cast<std::uint32_t>(read_sets_.size() - 1);
}

void Sanitizer::check_readers(std::uint32_t readers, std::uint32_t event, int agent, const Place& place, std::size_t i,
                              bool alias_ok) const {
  const auto check = [&](std::uint32_t r) {
    if (r != 0 && (r == event ? !alias_ok : !before(events_[r], agent))) byte_race(r, false, agent, true, place, i);
  };
  if ((readers & kSet) == 0) return check(readers);
  for (const std::uint32_t r : read_sets_[readers & ~kSet]) check(r);
}

void Sanitizer::read(std::span<Cell> cells, int agent, const Place& place) {
  const std::uint32_t event = event_index(agent);
  // Neighbours mostly have the same history, so the last verdict is kept.
  Cell last{~0U, ~0U};
  std::uint32_t readers = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    Cell& c = cells[i];
    if (c.read == event && c.write != event) continue;  // read before by this same instruction
    if (c.write != last.write || c.read != last.read) {
      if (c.write == event || (c.write != 0 && !before(events_[c.write], agent)))
        byte_race(c.write, true, agent, false, place, i);
      last = c;
      readers = add_reader(c.read, event, agent);
    }
    c.read = readers;
  }
}

void Sanitizer::write(std::span<Cell> cells, int agent, const Place& place, bool alias_ok) {
  const std::uint32_t event = event_index(agent);
  Cell last{~0U, ~0U};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    Cell& c = cells[i];
    if (c.write != last.write || c.read != last.read) {
      if (c.write == event || (c.write != 0 && !before(events_[c.write], agent)))
        byte_race(c.write, true, agent, true, place, i);
      check_readers(c.read, event, agent, place, i, alias_ok);
      last = c;
    }
    c = {event, 0};
  }
}

void Sanitizer::read_spad(int agent, std::uint64_t address, std::uint64_t length) {
  read(std::span(spad_).subspan(address, length), agent, {Space::kSpad, 0, address, 1});
}

void Sanitizer::write_spad(int agent, std::uint64_t address, std::uint64_t length, bool alias_ok) {
  write(std::span(spad_).subspan(address, length), agent, {Space::kSpad, 0, address, 1}, alias_ok);
}

template <typename Visit>
void Sanitizer::for_hbm_cells(std::uint32_t channel, std::uint64_t beat, std::uint64_t beats, Visit visit) {
  while (beats != 0) {
    auto& page = hbm_[channel][beat / kPageCells];
    if (page.empty()) page.resize(kPageCells);
    const std::uint64_t at = beat % kPageCells;
    const std::uint64_t n = std::min(beats, kPageCells - at);
    visit(std::span(page).subspan(at, n), Place{Space::kHbm, channel, beat * 32, 32});
    beat += n;
    beats -= n;
  }
}

void Sanitizer::read_hbm(int agent, std::uint32_t channel, std::uint64_t beat, std::uint64_t beats) {
  for_hbm_cells(channel, beat, beats, [&](std::span<Cell> cells, const Place& p) { read(cells, agent, p); });
}

void Sanitizer::write_hbm(int agent, std::uint32_t channel, std::uint64_t beat, std::uint64_t beats) {
  for_hbm_cells(channel, beat, beats, [&](std::span<Cell> cells, const Place& p) { write(cells, agent, p, false); });
}

}  // namespace tepin::golden
