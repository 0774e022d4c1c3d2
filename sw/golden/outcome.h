// SPDX-License-Identifier: Apache-2.0
// How a run of the golden model ends: done, a fault that hardware reports too, or a finding of the sanitizer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sw/isa/isa.h"

namespace tepin::golden {

enum class Space : std::uint8_t { kSpad, kHbm, kAcc, kImem };

inline constexpr std::uint8_t kOnlyTile = 0xff;  // of a chip of one tile: texts do not name it
/// "tile 1,0 " for tile number 1; empty for kOnlyTile.
[[nodiscard]] std::string tile_prefix(std::uint8_t tile);

/// An instruction as a reader of the program finds it. engine executes it, thread issued it.
struct Where {
  isa::Engine engine = isa::Engine::kSeq;
  std::uint8_t thread = 0;
  std::uint32_t pc = 0;
  isa::Op op = isa::Op::kHalt;
  std::uint8_t tile = kOnlyTile;  // number, 8*y + x
  friend bool operator==(const Where&, const Where&) = default;
};
/// "MXU mm (pc 12, thread 1)", of a chip of several tiles "tile 1,0 MXU mm (pc 12, thread 1)".
[[nodiscard]] std::string describe(const Where& w);

/// One thing that an instruction waits for when the chip is stuck.
struct Waiter {
  Where at;
  bool for_queue = false;  // a thread that waits for room in the queue of at.engine; the rest is then 0
  std::uint32_t sem = 0;
  std::uint32_t needed = 0;
  std::uint32_t held = 0;
  std::vector<std::uint8_t> members = {};  // a collective: the tiles that have not started it; semaphores are then 0
  std::string text = {};                   // of a collective: "waits for tile 1,0 (...)"
};

struct Fault {
  std::uint8_t tile = 0;  // number of the tile that stopped; of `stuck` in a chip of several: the first that waits
  isa::Engine engine = isa::Engine::kSeq;
  std::uint8_t thread = 0;  // that issued the instruction; 0, as pc, for a post that came from afar (engine NET)
  std::uint32_t pc = 0;
  isa::Cause cause = isa::Cause::kNone;
  std::string text;             // one line: what, where, the value and what is allowed
  std::vector<Waiter> waiters;  // cause stuck only: every waiter (engine HOST, thread and pc 0)
};

enum class FindingKind : std::uint8_t {
  kUninitialised,  // bytes, accumulators or instructions that nothing wrote
  kRaceIssue,      // architecture.md, Races 1: two threads issue to one engine
  kRaceTake,       // 2: two instructions take from one semaphore
  kRaceBytes,      // 3: two accesses to one byte
  kRaceSelf,       // 4: one instruction's own parts
  kRaceSemaphore,  // 5: a wait that two posters could have satisfied
  kRaceGroup,      // net.md, 2: two collectives of one group number whose trees meet
  kLimit,          // Options::max_instructions reached
};
/// "uninitialised", "race_issue", ...
[[nodiscard]] std::string_view name_of(FindingKind k);

struct Finding {
  FindingKind kind = FindingKind::kLimit;
  Where first;                    // the instruction at which the run stopped; kRaceSemaphore: one of the posts
  std::optional<Where> second;    // the other one of a race; the same as first for kRaceSelf
  std::uint8_t tile = kOnlyTile;  // whose memory or semaphore; kRaceGroup: whose router
  Space space = Space::kSpad;     // kUninitialised, kRaceBytes, kRaceSelf
  std::uint32_t channel = 0;      // HBM: pseudo-channel
  std::uint64_t address = 0;      // spad, hbm: byte; acc: column; imem: instruction
  std::uint32_t sem = 0;          // kRaceTake, kRaceSemaphore
  std::string text;               // one line that names both instructions and the place
};

enum class Status : std::uint8_t { kDone, kFault, kError };

struct Outcome {
  Status status = Status::kDone;
  Fault fault;                     // if kFault
  Finding error;                   // if kError
  std::uint64_t instructions = 0;  // started by threads and engines; an engine's counts once
  /// "done", or the text of the fault or finding.
  [[nodiscard]] std::string text() const;
  /// Whether it waits in a reduction. At a tile that is not its root hardware may be done with one once its operand is
  /// sent, as far as there are buffers; the golden model counts on none, and so must programs (docs/net.md, 2).
  [[nodiscard]] bool waits_in_reduction() const;
};

/// "spad 0x40", "hbm1 0x20", "acc column 3", "imem 7".
[[nodiscard]] std::string describe(Space space, std::uint32_t channel, std::uint64_t address);

}  // namespace tepin::golden
