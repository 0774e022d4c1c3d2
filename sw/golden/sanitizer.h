// SPDX-License-Identifier: Apache-2.0
// Finds the races of docs/architecture.md, 1, in one execution, by vector clocks over the agents of all tiles
// (clock.h). The edges are those of the document and no others: program order, issue, an engine's order, a post before
// the wait that needs it (post_history.h), the starts of a collective before the completions that receive (docs/net.md,
// 2). In particular, a full queue orders nothing, and neither does the order in which this model happens to run agents.
// A program without data-dependent control that ends clean here ends clean, with the same result, under every schedule.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "sw/golden/clock.h"
#include "sw/golden/outcome.h"
#include "sw/golden/post_history.h"

namespace tepin::golden {

/// Thrown by the sanitizer and by the machine's checks; run() turns it into an Outcome.
struct Stop {
  Outcome outcome;
};
[[noreturn]] void stop_with(Finding f);

struct SemCount {
  std::uint32_t sem = 0;
  std::uint32_t count = 0;  // 0: none
};

class Sanitizer {
 public:
  /// numbers: of the tiles, as findings name them. multicasters: whether a tile has a multicast that posts.
  Sanitizer(std::vector<std::uint8_t> numbers, const std::vector<bool>& multicasters, std::uint32_t spad_bytes,
            std::uint32_t channels, std::uint32_t sems);

  /// A thread begins an instruction (its own or an issue).
  void begin(int thread, const Where& at);
  /// The thread's instruction goes to an engine's queue: race 1. Returns the clock that travels with it.
  [[nodiscard]] Clock issue(int thread, const Where& at);
  /// An engine begins an instruction.
  void begin(int engine_agent, const Where& at, ClockView issued);
  /// The agent's instruction takes from up to two semaphores of its tile at once: races 2 and 5.
  void take(int agent, const std::array<SemCount, 2>& takes);
  /// The agent's instruction posts to a semaphore of a tile (its place): race 5.
  void post(int agent, std::size_t tile, SemCount post);
  /// The agent's collective has started. Returns the clock of the start, which others may be ordered after; what the
  /// instruction accesses comes later than that.
  [[nodiscard]] Clock start_collective(int agent);
  /// The agent's collective receives: it is after the start of another member.
  void receive(int agent, ClockView start) { join(clock_of(agent), start); }
  /// The words of a multicast, one of a multicaster, at one of its members (its place): an agent of its own, for the
  /// post there says nothing of the words at other members. After the instruction until now; the rest of the
  /// instruction is after it once it has been received.
  [[nodiscard]] int begin_arrival(int agent, std::size_t tile);
  void receive_arrival(int agent, int arrival) { join(clock_of(agent), clock_of(arrival)); }
  /// The agent's instruction touches bytes of a tile (its place): races 3 and 4. alias_ok: the writes may hit what the
  /// instruction itself read.
  void read_spad(int agent, std::size_t tile, std::uint64_t address, std::uint64_t length);
  void write_spad(int agent, std::size_t tile, std::uint64_t address, std::uint64_t length, bool alias_ok);
  void read_hbm(int agent, std::size_t tile, std::uint32_t channel, std::uint64_t beat, std::uint64_t beats);
  void write_hbm(int agent, std::size_t tile, std::uint32_t channel, std::uint64_t beat, std::uint64_t beats);
  [[nodiscard]] Event current(int agent) const;

 private:
  /// Who touched a byte or beat: indices into events_, 0 none. The top bit of `read`: where a set begins in read_sets_.
  struct Cell {
    std::uint32_t write = 0;
    std::uint32_t read = 0;
  };
  static constexpr std::uint32_t kSet = 0x80000000U;
  struct Place {  // where a cell lies, for findings
    std::size_t tile;
    Space space;
    std::uint32_t channel;
    std::uint64_t first;
    std::uint64_t step;
  };
  struct TileCells {
    std::vector<Cell> spad;                                                 // made when first touched
    std::vector<std::unordered_map<std::uint64_t, std::vector<Cell>>> hbm;  // by channel, page
  };

  [[nodiscard]] std::span<std::uint32_t> clock_of(int agent) {
    return std::span(clocks_).subspan(static_cast<std::size_t>(agent) * agents_, agents_);
  }
  [[nodiscard]] ClockView clock_of(int agent) const {
    return std::span(clocks_).subspan(static_cast<std::size_t>(agent) * agents_, agents_);
  }
  [[nodiscard]] bool before(const Event& e, int agent) const { return happened(e, clock_of(agent)); }
  [[nodiscard]] PostHistory& history(std::size_t tile, std::uint32_t sem) { return sems_[tile * sems_a_tile_ + sem]; }
  [[nodiscard]] const PostHistory& history(std::size_t tile, std::uint32_t sem) const {
    return sems_[tile * sems_a_tile_ + sem];
  }
  static std::size_t tile_of(int agent) { return static_cast<std::size_t>(agent / kAgents); }
  void tick(int agent);
  std::uint32_t event_index(int agent);
  /// The events of Cell::read.
  [[nodiscard]] std::span<const std::uint32_t> readers_of(const std::uint32_t& readers) const;
  void check_take_order(int agent, const SemCount& take) const;
  [[nodiscard]] bool take_ordered(int agent, const SemCount& take) const;
  [[noreturn]] void ambiguous(const PostHistory::Conflict& c, std::size_t tile, std::uint32_t sem) const;
  /// The number of a tile as texts name it.
  [[nodiscard]] std::uint8_t number_of(std::size_t tile) const { return numbers_[tile]; }
  void read(std::span<Cell> cells, int agent, const Place& place);
  void write(std::span<Cell> cells, int agent, const Place& place, bool alias_ok);
  [[nodiscard]] std::uint32_t add_reader(std::uint32_t readers, std::uint32_t event, int agent);
  void check_readers(std::uint32_t readers, std::uint32_t event, int agent, const Place& place, std::size_t i,
                     bool alias_ok) const;
  [[noreturn]] void byte_race(std::uint32_t other, bool other_writes, int agent, bool writes, const Place& place,
                              std::size_t i) const;
  [[nodiscard]] std::span<Cell> spad_cells(std::size_t tile, std::uint64_t address, std::uint64_t length);
  template <typename Visit>
  void for_hbm_cells(std::size_t tile, std::uint32_t channel, std::uint64_t beat, std::uint64_t beats, Visit visit);

  static constexpr std::uint64_t kPageCells = 2048;
  std::vector<std::size_t> first_arrival_;  // by tile: the agent of its multicasts' words at tile 0, then 1, ...
  std::size_t agents_;                      // of all tiles, then those
  std::uint32_t spad_bytes_;
  std::uint32_t sems_a_tile_;
  std::vector<std::uint8_t> numbers_;             // of the tiles
  std::vector<std::uint32_t> clocks_;             // agents_ x agents_
  std::vector<Where> at_;                         // by agent
  std::vector<std::uint32_t> event_of_;           // of the agent's current instruction in events_, 0: not there yet
  std::vector<Event> events_;                     // those that touched memory; [0] is unused
  std::vector<std::uint32_t> read_sets_;          // a length, then events; never changed, so that cells can share them
  std::vector<std::optional<Event>> last_issue_;  // by agent, an engine
  std::vector<PostHistory> sems_;
  std::vector<TileCells> cells_;
};

}  // namespace tepin::golden
