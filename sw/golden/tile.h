// SPDX-License-Identifier: Apache-2.0
// Internal to the golden model: the state of a tile and its execution. tile.cpp schedules agents and handles issue,
// waits and posts; access.cpp is the only way to memory; seq.cpp, dma.cpp, mxu.cpp and vpu.cpp hold the instructions.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sw/golden/log.h"
#include "sw/golden/machine.h"
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
  Clock clock{};
};

class Tile {
 public:
  static constexpr std::size_t kLoopLevels = 4;

  Tile(const isa::Config& config, const Options& options);
  Outcome run(const isa::Section& section);

  isa::Config cfg;
  Options opt;
  Scratchpad spad;
  std::vector<HbmChannel> hbm;
  Accumulators acc;
  std::vector<std::uint32_t> sems;
  std::array<Thread, kThreads> threads;
  Log log;
  std::vector<TraceMark> trace;

 private:
  // An instruction that executes: who and what, for checks, log and findings.
  struct Exec {
    int agent = 0;
    Where at;
    const Decoded& d;
    std::array<std::uint32_t, 8> r{};
    [[nodiscard]] std::uint32_t flag(isa::Bits b) const { return isa::get(d.word, b); }
  };

  // tile.cpp
  void decode(const isa::Section& section);
  void schedule();
  bool step(int agent);
  bool step_thread(int t);
  bool step_engine(int agent);
  void issue(int t, const Decoded& d, const Where& at);
  void count_instruction(const Where& at);
  [[nodiscard]] bool ready(const Decoded& d) const;
  void take(const Exec& x, const std::array<SemCount, 2>& takes);
  void post(const Exec& x, SemCount p);
  void finish(const Exec& x);  // the posts of the instruction
  [[nodiscard]] bool idle() const;
  [[noreturn]] void stuck() const;
  [[noreturn]] void fault(const Where& at, isa::Cause cause, const std::string& what) const;

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
  [[noreturn]] static void uninitialised(const Exec& x, Space space, std::uint32_t channel, std::uint64_t address);

  // seq.cpp
  void execute_scalar(Thread& th, const Exec& x);
  [[nodiscard]] std::uint32_t execute_load_store(Thread& th, const Exec& x);
  void next_pc(Thread& th, std::uint32_t pc);
  void execute_loop(Thread& th, const Exec& x);

  // dma.cpp, mxu.cpp, vpu.cpp
  void execute_engine(const Exec& x);
  void execute_dma(const Exec& x, bool load);
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

  std::vector<Decoded> code_;
  std::array<std::deque<Issued>, kAgents> queues_;  // of the engines; threads have none
  std::optional<Sanitizer> san_;
  std::uint64_t started_ = 0;
};

}  // namespace tepin::golden
