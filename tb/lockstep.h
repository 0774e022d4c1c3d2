// SPDX-License-Identifier: Apache-2.0
// Compares what a tile of the RTL does, instruction by instruction and engine by engine, with the golden model's log of
// the same program, while the simulation runs; what other tiles' NET instructions write here too, source by source. The
// order between engines and between sources is never compared: nothing defines it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sw/golden/chip.h"
#include "tb/comparison.h"
#include "tb/dut.h"

namespace tepin::tb {

/// The first disagreement. `expected` and `actual` are as printed (hex values, instruction names, counts).
struct Divergence {
  std::uint32_t x = 0, y = 0;  // the tile
  std::string engine;          // "SEQ thread 2", "LD", "NET of tile 1,0" (which wrote here), ...
  std::uint32_t pc = 0;
  std::string instruction;
  std::string place;  // "spad 0x120", "acc row 3 column 5", "register r7", "instruction", "bytes written"
  std::string expected;
  std::string actual;
  std::uint64_t cycle = 0;
  [[nodiscard]] std::string text() const;
};

class Lockstep {
 public:
  /// The golden model's logs of the tile; they must outlive this.
  explicit Lockstep(const golden::Log& log);
  Lockstep(const golden::Log& log, const golden::Incoming& incoming, std::uint32_t x, std::uint32_t y);
  Lockstep(const Lockstep&) = delete;
  Lockstep& operator=(const Lockstep&) = delete;

  /// Looks at one cycle's trace and at the write data beats taken on each memory port in it.
  struct HbmWrite {
    std::uint8_t id = 0;
    std::uint64_t address = 0;
    std::uint32_t strb = 0;
    Word data{};
  };
  void cycle(const TileOut& out, std::uint64_t now);
  void hbm_write(int pc, const HbmWrite& w, std::uint64_t now);
  /// At the end of a program that is done: every entry of the logs must have been seen.
  void finish(std::uint64_t now);
  /// Instructions of NET that have ended here.
  [[nodiscard]] std::size_t net_ended() const { return agents_[kNet].next; }
  /// Tile `source` says that its first `ended` instructions of NET are complete: then all that they write here is here.
  void expect_written(std::uint8_t source, std::size_t ended, std::uint64_t now);

  [[nodiscard]] const std::optional<Divergence>& divergence() const { return divergence_; }
  /// Bytes and register values compared so far.
  [[nodiscard]] std::uint64_t checked() const { return checked_; }
  [[nodiscard]] Comparison comparison() const;

 private:
  static constexpr std::size_t kNet = golden::agent_of(isa::Engine::kNet);
  /// Instructions that happen in one order, and how far they have come.
  struct Stream {
    const golden::AgentLog* log = nullptr;
    std::string name;
    std::size_t next = 0;              // own: entries seen to end; from afar: those whose bytes are all there
    std::vector<std::uint64_t> bytes;  // of each entry, compared so far
    std::vector<std::uint64_t> total;  // of each entry, expected
    [[nodiscard]] bool whole(std::size_t entry) const { return bytes[entry] == total[entry]; }
  };
  static Stream make_stream(const golden::AgentLog& log, std::string name);
  Stream& from_afar(std::uint8_t source);
  void write_from_afar(std::uint8_t source, golden::Space space, int channel, std::uint64_t address, std::uint32_t strb,
                       const Word& data, std::uint64_t now);
  void scratchpad_writes(const TileOut& out, std::uint64_t now);
  void retire_scalar(const TileOut& out, std::uint64_t now);
  void spad_write(Stream& s, std::size_t entry, const LaneWrite& w, std::uint64_t now);
  void compare(Stream& s, std::size_t entry, golden::Space space, int channel, std::uint64_t address,
               std::uint32_t strb, const Word& data, std::uint64_t now);
  void retire(Stream& s, const Retire& r, std::uint64_t now);
  void accumulators(const TileOut& out, std::uint64_t now);
  void diverge(const Stream& s, std::size_t entry, std::string place, std::string expected, std::string actual,
               std::uint64_t now);
  /// First entry at or after the next one of a slot-numbered engine (LD, ST: entry k uses slot k mod 4).
  static std::size_t entry_of_slot(const Stream& s, std::uint32_t slot) {
    return s.next + ((slot - static_cast<std::uint32_t>(s.next)) & 3U);
  }

  std::uint32_t x_ = 0, y_ = 0;
  std::array<Stream, golden::kAgents> agents_;
  std::map<std::uint8_t, Stream> incoming_;  // by source
  golden::AgentLog nothing_;                 // of a source that the golden model does not know here
  std::size_t mm_next_ = 0, mst_next_ = 0;   // MXU entries whose results come next
  std::vector<LaneWrite> seq_writes_;
  std::optional<Divergence> divergence_;
  std::uint64_t checked_ = 0;
};

/// The tiles of a chip, by place in rows, and what they say of each other.
class ChipLockstep {
 public:
  struct TileLog {
    std::uint32_t x, y;
    const golden::Log& log;
    const golden::Incoming& incoming;
  };
  /// The logs must outlive this.
  explicit ChipLockstep(const std::vector<TileLog>& tiles);
  /// The chip has run with Options::log, and must outlive this.
  explicit ChipLockstep(const golden::Chip& chip) : ChipLockstep(logs_of(chip)) {}
  [[nodiscard]] Lockstep& tile(std::size_t place) { return tiles_[place]; }
  /// After all tiles have looked at the cycle: an instruction that ended has written all it writes at any tile.
  void cycle(std::uint64_t now);
  void finish(std::uint64_t now);
  /// The first one, by cycle; nullptr if there is none.
  [[nodiscard]] const Divergence* divergence() const;
  [[nodiscard]] std::uint64_t checked() const;
  [[nodiscard]] Comparison comparison() const;

 private:
  static std::vector<TileLog> logs_of(const golden::Chip& chip);

  std::deque<Lockstep> tiles_;  // never moved
  std::vector<std::uint8_t> numbers_;
  std::vector<std::size_t> ended_;  // instructions of NET, of each tile
};

}  // namespace tepin::tb
