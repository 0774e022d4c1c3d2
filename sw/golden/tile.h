// SPDX-License-Identifier: Apache-2.0
// Internal to the golden model: the state of a tile and its execution. tile.cpp handles issue, waits and posts, and
// what stops a tile; access.cpp is the only way to memory; seq.cpp, dma.cpp, mxu.cpp, vpu.cpp, net.cpp and
// net_collective.cpp hold the instructions. The chip (fabric.h) schedules the agents.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sw/golden/chip.h"
#include "sw/golden/collective.h"
#include "sw/golden/log.h"
#include "sw/golden/memory.h"
#include "sw/golden/outcome.h"
#include "sw/golden/sanitizer.h"
#include "sw/isa/program.h"

namespace tepin::golden {

/// An instruction of the section, taken apart once.
struct Decoded {
  isa::Word word;
  const isa::Instr* instr = nullptr;  // nullptr: illegal
  std::array<SemCount, 2> waits{};
  std::array<SemCount, 2> posts{};
  std::uint32_t imm = 0;
  std::uint8_t rd = 0;
  std::uint8_t rs1 = 0;
  std::uint8_t rs2 = 0;
  std::optional<std::uint32_t> remote;  // the tile of posts[1] if that is another's
};

struct Loop {
  std::uint32_t start = 0;
  std::uint32_t end = 0;
  std::uint32_t left = 0;  // runs to come after this one
};

struct Thread {
  std::array<std::uint32_t, 32> regs{};
  std::vector<Loop> loops;
  std::uint32_t pc = 0;
  bool running = false;
};

/// An instruction in an engine's queue, with its operands.
struct Issued {
  const Decoded* d = nullptr;
  Where at;
  std::array<std::uint32_t, 8> r{};  // values of the registers in the slots r0..r7
  Clock clock;
};

struct Fabric;

/// An instruction that executes: who and what, for checks, log and findings.
struct Exec {
  int agent = 0;  // of the chip (clock.h)
  Where at;
  const Decoded& d;
  std::array<std::uint32_t, 8> r{};
  AgentLog* log = nullptr;  // where its writes are recorded, if they are
  [[nodiscard]] std::uint32_t flag(isa::Bits b) const { return isa::get(d.word, b); }
};

/// A collective that NET has started: what it gives, and when.
struct Started {
  Exec x;
  Collective what;
  std::vector<std::uint8_t> data;  // src, where this tile contributes
  Clock start;                     // empty if races are not checked
};

/// Runs of ld, st, nld, nst: len beats each, between a scratchpad and npc pseudo-channels.
struct Runs {
  std::uint64_t spad = 0;
  std::uint32_t first_pc = 0;
  std::uint32_t npc = 1;
  std::uint64_t beat = 0;
  std::uint64_t len = 0;
  std::uint64_t n1 = 1;
  std::uint64_t n2 = 1;
  std::uint64_t sstep1 = 0;
  std::uint64_t hstep1 = 0;
  std::uint64_t sstep2 = 0;
  std::uint64_t hstep2 = 0;
};

class Tile {
 public:
  static constexpr std::size_t kLoopLevels = 4;

  /// place: in the mesh, row by row. number: 8*y + x.
  Tile(Fabric& fabric, std::size_t place, std::uint8_t number);

  /// A fresh start with a section, or none: the tile then does nothing itself.
  void reset(const isa::Section* section);
  /// Whether the section has a multicast that posts.
  [[nodiscard]] static bool multicasts(const isa::Section& section);
  /// One instruction of an agent, if it can start one.
  bool step(int agent);
  [[nodiscard]] bool idle() const;
  /// Whatever waits, in the order of the agents; of a tile where nothing can move.
  void add_waiters(std::vector<Waiter>& out) const;
  /// The collective that NET has started and that is not complete.
  [[nodiscard]] const Started* started() const { return started_ ? &*started_ : nullptr; }
  /// Completes it: writes what the tile gets, and posts.
  void take_results(const Results& results);
  [[noreturn]] void fault(const Where& at, isa::Cause cause, const std::string& what) const;

  isa::Config cfg;
  Options opt;
  Scratchpad spad;
  std::vector<HbmChannel> hbm;
  Accumulators acc;
  std::vector<std::uint32_t> sems;
  std::array<Thread, kThreads> threads;
  Log log;
  Incoming incoming;
  std::vector<TraceMark> trace;
  std::uint8_t number;

 private:
  // tile.cpp
  void decode(const isa::Section& section);
  bool step_thread(int t);
  bool step_engine(int agent);
  void issue(int t, const Decoded& d, const Where& at);
  void count_instruction(const Where& at);
  [[nodiscard]] bool ready(const Decoded& d) const;
  void take(const Exec& x, const std::array<SemCount, 2>& takes);
  void post(const Exec& x, SemCount p);
  void post_from_afar(const Exec& x, SemCount p);
  void finish(const Exec& x);  // the posts of the instruction
  [[nodiscard]] Exec exec(int agent, const Where& at, const Decoded& d, const std::array<std::uint32_t, 8>& r);

  // access.cpp: checks of operands in the order count, alignment, bounds, then the accesses
  void check_count(const Exec& x, const char* name, std::uint64_t value, std::uint64_t max) const;  // 1..max
  void check_aligned(const Exec& x, const char* name, std::uint64_t value, std::uint64_t unit) const;
  void check_spad(const Exec& x, const char* name, std::uint64_t address, std::uint64_t length) const;
  /// Codes of 6 bits as they lie in memory, a byte each.
  void check_codes(const Exec& x, const char* name, std::uint64_t block, isa::Format f,
                   std::span<const std::uint8_t> codes) const;
  [[nodiscard]] const std::uint8_t* read_spad(const Exec& x, std::uint64_t address, std::uint64_t length);
  void write_spad(const Exec& x, std::uint64_t address, std::span<const std::uint8_t> data, bool alias_ok = false);
  void read_hbm(const Exec& x, std::uint32_t channel, std::uint64_t beat, std::span<std::uint8_t> out);
  void write_hbm(const Exec& x, std::uint32_t channel, std::uint64_t beat, std::span<const std::uint8_t> data);
  void log_write(const Exec& x, Space space, std::uint32_t channel, std::uint64_t address,
                 std::span<const std::uint8_t> data);
  [[noreturn]] void uninitialised(const Exec& x, Space space, std::uint32_t channel, std::uint64_t address) const;

  // seq.cpp
  void execute_scalar(Thread& th, const Exec& x);
  [[nodiscard]] std::uint32_t execute_load_store(Thread& th, const Exec& x);
  void next_pc(Thread& th, std::uint32_t pc);
  void execute_loop(Thread& th, const Exec& x);

  // dma.cpp
  void execute_dma(const Exec& x, bool load);
  void check_pcs(const Exec& x, const Runs& r) const;
  void check_spad_runs(const Exec& x, const Runs& r) const;
  void check_beats(const Exec& x, const Runs& r) const;
  /// `memory` is the tile of the HBM; its writes are recorded in hbm_log.
  void transfer(const Exec& x, const Runs& r, bool load, Tile& memory, AgentLog* hbm_log);

  // net.cpp: one-sided instructions
  /// False if the instruction is a collective that others have yet to start, or that has been finished.
  bool execute_net(const Exec& x);
  void execute_ngroup(const Exec& x);
  void execute_nwr(const Exec& x);
  void execute_npost(const Exec& x);
  void execute_nmc(const Exec& x);
  void execute_remote_dma(const Exec& x, bool load);
  /// Faults bad_tile unless a register names a tile of the mesh.
  [[nodiscard]] Tile& check_tile(const Exec& x, std::uint32_t value) const;
  /// Faults bad_group if the group was never written.
  [[nodiscard]] const Group& group_of(const Exec& x) const;
  /// An entry in the log of what x does to this tile.
  [[nodiscard]] AgentLog* incoming_of(const Exec& x, SemCount posted = {});

  // net_collective.cpp
  bool start_collective(const Exec& x);

  // mxu.cpp, vpu.cpp
  void execute_engine(const Exec& x);
  void execute_mm(const Exec& x);
  template <typename T>  // of the integers that the sums of products fit in
  void accumulate_blocks(const Exec& x, isa::Format fw, isa::Format fa, std::span<std::uint32_t> sums,
                         std::span<const std::uint8_t> was_nan);
  /// mxu_nan if an accumulator is NaN that was none.
  void fault_if_nan(const Exec& x, std::span<const std::uint32_t> sums, std::span<const std::uint8_t> was_nan);
  void execute_mst(const Exec& x);
  void execute_vector(const Exec& x);
  void execute_vqnt(const Exec& x);
  void execute_vdqt(const Exec& x);

  Fabric& fabric_;
  std::size_t place_;
  Sanitizer* san_ = nullptr;
  std::vector<Decoded> code_;
  std::array<std::deque<Issued>, kAgents> queues_;  // of the engines; threads have none
  std::array<Group, 4> groups_{};
  std::optional<Started> started_;
};

}  // namespace tepin::golden
