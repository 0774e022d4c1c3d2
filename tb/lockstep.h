// SPDX-License-Identifier: Apache-2.0
// Compares what the RTL does, instruction by instruction and engine by engine, with the golden model's log of the same
// program, while the simulation runs. The order between engines is never compared: nothing defines it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/golden/log.h"
#include "tb/dut.h"

namespace tepin::tb {

/// The first disagreement. `expected` and `actual` are as printed (hex values, instruction names, counts).
struct Divergence {
  std::string engine;  // "SEQ thread 2", "LD", ...
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
  explicit Lockstep(const golden::Log& log);

  /// Looks at one cycle's trace and at the write data beats taken on each memory port in it.
  struct HbmWrite {
    std::uint8_t id = 0;
    std::uint64_t address = 0;
    std::uint32_t strb = 0;
    Word data{};
  };
  void cycle(const TileOut& out, std::uint64_t now);
  void hbm_write(int pc, const HbmWrite& w, std::uint64_t now);
  /// At the end of a program that is done: every entry of the log must have been seen.
  void finish(std::uint64_t now);

  [[nodiscard]] const std::optional<Divergence>& divergence() const { return divergence_; }
  /// Bytes and register values compared so far.
  [[nodiscard]] std::uint64_t checked() const { return checked_; }

 private:
  struct Agent {
    std::size_t retired = 0;           // entries seen to end
    std::vector<std::uint64_t> bytes;  // of each entry, compared so far
    std::vector<std::uint64_t> total;  // of each entry, expected
  };
  void spad_write(int agent, std::size_t entry, const LaneWrite& w, std::uint64_t now);
  void compare(int agent, std::size_t entry, golden::Space space, int channel, std::uint64_t address,
               std::uint32_t strb, const Word& data, std::uint64_t now);
  void retire(int agent, const Retire& r, std::uint64_t now);
  void accumulators(const TileOut& out, std::uint64_t now);
  void diverge(int agent, std::size_t entry, std::string place, std::string expected, std::string actual,
               std::uint64_t now);
  /// First entry at or after `from` of a slot-numbered engine (LD, ST: entry k uses slot k mod 4).
  static std::size_t entry_of_slot(std::size_t retired, std::uint32_t slot) {
    return retired + ((slot - static_cast<std::uint32_t>(retired)) & 3U);
  }

  const golden::Log& log_;
  std::array<Agent, golden::kAgents> agents_;
  std::size_t mm_next_ = 0, mst_next_ = 0;  // MXU entries whose results come next
  std::vector<LaneWrite> seq_writes_;
  std::optional<Divergence> divergence_;
  std::uint64_t checked_ = 0;
};

}  // namespace tepin::tb
