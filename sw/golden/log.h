// SPDX-License-Identifier: Apache-2.0
// What each agent did, in its own order: the golden side of the lockstep comparison with hardware. Nothing is recorded
// about the order between agents, because nothing defines it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sw/golden/outcome.h"

namespace tepin::golden {

inline constexpr int kThreads = 4;
inline constexpr int kAgents = 9;  // SEQ threads 0..3, then LD, ST, MXU, VPU, NET
/// The index of an engine that has a queue (LD..NET).
[[nodiscard]] constexpr int agent_of(isa::Engine e) { return static_cast<int>(e) - 1 + kThreads; }
[[nodiscard]] constexpr isa::Engine engine_of(int agent) {
  return agent < kThreads ? isa::Engine::kSeq : static_cast<isa::Engine>(agent - kThreads + 1);
}

/// Bytes that one instruction wrote to consecutive addresses, in the instruction's own order; a write that continues
/// the one before it is joined to it.
///   spad, hbm: address of the first byte (hbm: in pseudo-channel `channel`).
///   acc (mm): address = first accumulator column; the bytes are little-endian FP32, column after column, each mxu_rows
///   values.
struct LogWrite {
  Space space = Space::kSpad;
  std::uint8_t channel = 0;
  std::uint64_t address = 0;
  std::uint64_t offset = 0;  // in AgentLog::bytes
  std::uint64_t length = 0;
};

struct LogEntry {
  std::uint32_t pc = 0;
  std::uint8_t thread = 0;  // that issued it
  isa::Op op = isa::Op::kHalt;
  std::uint8_t rd = 0;      // SEQ: register written, 0 if none (or r0, to which writes are dropped); Incoming: sem
  std::uint32_t value = 0;  // SEQ: value written; `trace`: value reported; Incoming: count posted; else 0
  std::uint32_t index = 0;  // Incoming: of the instruction among those that the source's NET executed, from 0
  std::uint64_t first_write = 0;  // in AgentLog::writes
  std::uint32_t writes = 0;
};

/// If the run faulted, the last entry of the agent at fault may be the faulting instruction with none or part of its
/// writes. Illegal instructions have no entry. Engine instructions appear in the engine's log only, not in their
/// thread's.
struct AgentLog {
  std::vector<LogEntry> entries;
  std::vector<LogWrite> writes;
  std::vector<std::uint8_t> bytes;

  [[nodiscard]] std::span<const LogWrite> writes_of(const LogEntry& e) const {
    return std::span<const LogWrite>(writes).subspan(e.first_write, e.writes);
  }
  [[nodiscard]] std::span<const std::uint8_t> bytes_of(const LogWrite& w) const {
    return std::span<const std::uint8_t>(bytes).subspan(w.offset, w.length);
  }
  void begin(const LogEntry& e) {
    entries.push_back(e);
    entries.back().first_write = writes.size();
  }
  /// Adds a write to the last entry.
  void write(Space space, std::uint8_t channel, std::uint64_t address, std::span<const std::uint8_t> data) {
    LogEntry& e = entries.back();
    if (e.writes == 0 || !joins(writes.back(), space, channel, address)) {
      writes.push_back({space, channel, address, bytes.size(), 0});
      ++e.writes;
    }
    writes.back().length += data.size();
    bytes.insert(bytes.end(), data.begin(), data.end());
  }

 private:
  static bool joins(const LogWrite& w, Space space, std::uint8_t channel, std::uint64_t address) {
    return space != Space::kAcc && w.space == space && w.channel == channel && w.address + w.length == address;
  }
};

/// The agents of one tile. NET's entries hold what its instructions wrote at home: nld, and results of collectives,
/// which a tile writes by an instruction of its own.
using Log = std::array<AgentLog, kAgents>;

/// What tiles (the tile itself too) did to one tile by their one-sided instructions, by the number of the source: an
/// entry for each nwr, nst (if it writes there), npost and nmc (at each member), in the source's order, with the
/// source's pc, thread and op. Writes: bytes of this tile. npost and nmc: rd and value are the semaphore and the count
/// that is added (nmc: 0 if none). The order between sources is not defined. Remote posts (post1) are not in it: they
/// are part of other instructions, and semaphores are compared at the end.
using Incoming = std::map<std::uint8_t, AgentLog>;

struct TraceMark {
  std::uint8_t thread = 0;
  std::uint32_t pc = 0;
  std::uint32_t id = 0;
  std::uint32_t value = 0;
};

}  // namespace tepin::golden
