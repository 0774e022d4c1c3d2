// SPDX-License-Identifier: Apache-2.0
// Finds the races of docs/architecture.md, 1, in one execution, by vector clocks over the agents (clock.h). The edges
// are those of the document and no others: program order, issue, an engine's order, a post before the wait that needs
// it (post_history.h). In particular, a full queue orders nothing, and neither does the order in which this model
// happens to run agents. A program without data-dependent control that ends clean here ends clean, with the same
// result, under every schedule.
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
  Sanitizer(std::uint32_t spad_bytes, std::uint32_t channels, std::uint32_t sems);

  /// A thread begins an instruction (its own or an issue).
  void begin(int thread, const Where& at);
  /// The thread's instruction goes to an engine's queue: race 1. Returns the clock that travels with it.
  [[nodiscard]] Clock issue(int thread, const Where& at);
  /// An engine begins an instruction.
  void begin(int engine_agent, const Where& at, const Clock& issued);
  /// The agent's instruction takes from up to two semaphores at once: races 2 and 5.
  void take(int agent, const std::array<SemCount, 2>& takes);
  /// The agent's instruction posts: race 5.
  void post(int agent, SemCount post);
  /// The agent's instruction touches bytes: races 3 and 4. alias_ok: the writes may hit what the instruction itself
  /// read.
  void read_spad(int agent, std::uint64_t address, std::uint64_t length);
  void write_spad(int agent, std::uint64_t address, std::uint64_t length, bool alias_ok);
  void read_hbm(int agent, std::uint32_t channel, std::uint64_t beat, std::uint64_t beats);
  void write_hbm(int agent, std::uint32_t channel, std::uint64_t beat, std::uint64_t beats);

 private:
  /// Who touched a byte or beat: indices into events_, 0 none. The top bit of `read`: an index into read_sets_ instead.
  struct Cell {
    std::uint32_t write = 0;
    std::uint32_t read = 0;
  };
  using ReadSet = std::array<std::uint32_t, kAgents>;
  static constexpr std::uint32_t kSet = 0x80000000U;
  struct Place {  // where a cell lies, for findings
    Space space;
    std::uint32_t channel;
    std::uint64_t first;
    std::uint64_t step;
  };

  [[nodiscard]] Clock& clock_of(int agent) { return clocks_[static_cast<std::size_t>(agent)]; }
  [[nodiscard]] bool before(const Event& e, int agent) const {
    return happened(e, clocks_[static_cast<std::size_t>(agent)]);
  }
  [[nodiscard]] Event current(int agent) const;
  std::uint32_t event_index(int agent);
  void check_take_order(int agent, const SemCount& take) const;
  [[nodiscard]] bool take_ordered(int agent, const SemCount& take) const;
  [[noreturn]] static void ambiguous(const PostHistory::Conflict& c, std::uint32_t sem);
  void read(std::span<Cell> cells, int agent, const Place& place);
  void write(std::span<Cell> cells, int agent, const Place& place, bool alias_ok);
  [[nodiscard]] std::uint32_t add_reader(std::uint32_t readers, std::uint32_t event, int agent);
  void check_readers(std::uint32_t readers, std::uint32_t event, int agent, const Place& place, std::size_t i,
                     bool alias_ok) const;
  [[noreturn]] void byte_race(std::uint32_t other, bool other_writes, int agent, bool writes, const Place& place,
                              std::size_t i) const;
  template <typename Visit>
  void for_hbm_cells(std::uint32_t channel, std::uint64_t beat, std::uint64_t beats, Visit visit);

  static constexpr std::uint64_t kPageCells = 2048;
  std::array<Clock, kAgents> clocks_{};
  std::array<Where, kAgents> at_{};
  std::array<std::uint32_t, kAgents> event_of_{};  // of the agent's current instruction in events_, 0: not there yet
  std::vector<Event> events_;                      // those that touched memory; [0] is unused
  std::vector<ReadSet> read_sets_;                 // never changed once made, so that cells can share them
  std::array<std::optional<Event>, kAgents> last_issue_;  // by engine
  std::vector<PostHistory> sems_;
  std::vector<Cell> spad_;
  std::vector<std::unordered_map<std::uint64_t, std::vector<Cell>>> hbm_;  // by channel, page
};

}  // namespace tepin::golden
