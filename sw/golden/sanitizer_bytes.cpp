// SPDX-License-Identifier: Apache-2.0
// Races on bytes: each scratchpad byte and each HBM beat of every tile remembers its last write and the reads since
// that are not ordered among each other. An access is checked against what it could conflict with; because an ordered
// access then takes the place of what it was checked against, a cell stays small and no race between the remaining ones
// is lost.
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
            .tile = number_of(place.tile),
            .space = place.space,
            .channel = place.channel,
            .address = place.first + i * place.step,
            .text = {}};
  const std::string where = tile_prefix(f.tile) + describe(f.space, f.channel, f.address);
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

std::span<const std::uint32_t> Sanitizer::readers_of(const std::uint32_t& readers) const {
  if ((readers & kSet) == 0) return {&readers, readers == 0 ? 0U : 1U};
  const std::size_t at = readers & ~kSet;
  return std::span(read_sets_).subspan(at + 1, read_sets_[at]);
}

std::uint32_t Sanitizer::add_reader(std::uint32_t readers, std::uint32_t event, int agent) {
  if (readers == 0 || ((readers & kSet) == 0 && before(events_[readers], agent))) return event;
  // Readers that come before this one are covered by it.
  std::vector<std::uint32_t> set;
  for (const std::uint32_t r : readers_of(readers)) {
    if (!before(events_[r], agent)) set.push_back(r);
  }
  if (set.empty()) return event;
  set.push_back(event);
  const std::size_t at = read_sets_.size();
  read_sets_.push_back(static_cast<std::uint32_t>(set.size()));
  read_sets_.insert(read_sets_.end(), set.begin(), set.end());
  return kSet | static_cast<std::uint32_t>(at);
}

void Sanitizer::check_readers(std::uint32_t readers, std::uint32_t event, int agent, const Place& place, std::size_t i,
                              bool alias_ok) const {
  for (const std::uint32_t r : readers_of(readers)) {
    if (r == event ? !alias_ok : !before(events_[r], agent)) byte_race(r, false, agent, true, place, i);
  }
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

std::span<Sanitizer::Cell> Sanitizer::spad_cells(std::size_t tile, std::uint64_t address, std::uint64_t length) {
  std::vector<Cell>& cells = cells_[tile].spad;
  if (cells.empty()) cells.resize(spad_bytes_);
  return std::span(cells).subspan(address, length);
}

void Sanitizer::read_spad(int agent, std::size_t tile, std::uint64_t address, std::uint64_t length) {
  read(spad_cells(tile, address, length), agent, {tile, Space::kSpad, 0, address, 1});
}

void Sanitizer::write_spad(int agent, std::size_t tile, std::uint64_t address, std::uint64_t length, bool alias_ok) {
  write(spad_cells(tile, address, length), agent, {tile, Space::kSpad, 0, address, 1}, alias_ok);
}

template <typename Visit>
void Sanitizer::for_hbm_cells(std::size_t tile, std::uint32_t channel, std::uint64_t beat, std::uint64_t beats,
                              Visit visit) {
  while (beats != 0) {
    auto& page = cells_[tile].hbm[channel][beat / kPageCells];
    if (page.empty()) page.resize(kPageCells);
    const std::uint64_t at = beat % kPageCells;
    const std::uint64_t n = std::min(beats, kPageCells - at);
    visit(std::span(page).subspan(at, n), Place{tile, Space::kHbm, channel, beat * 32, 32});
    beat += n;
    beats -= n;
  }
}

void Sanitizer::read_hbm(int agent, std::size_t tile, std::uint32_t channel, std::uint64_t beat, std::uint64_t beats) {
  for_hbm_cells(tile, channel, beat, beats, [&](std::span<Cell> cells, const Place& p) { read(cells, agent, p); });
}

void Sanitizer::write_hbm(int agent, std::size_t tile, std::uint32_t channel, std::uint64_t beat, std::uint64_t beats) {
  for_hbm_cells(tile, channel, beat, beats,
                [&](std::span<Cell> cells, const Place& p) { write(cells, agent, p, false); });
}

}  // namespace tepin::golden
