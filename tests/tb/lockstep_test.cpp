// SPDX-License-Identifier: Apache-2.0
// The comparison that all other tests rely on: a correct run passes, and every kind of disagreement is found and named.
// Here the golden log is altered, for the RTL cannot be told to be wrong.
#include "tb/lockstep.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "support.h"

namespace tepin::tb::testing {
namespace {

using ::testing::HasSubstr;

// Every engine writes something, and thread 1 does scalar work of its own.
constexpr std::string_view kProgram = R"(
.thread 0, main
.thread 1, side
main:
        li    r1, 0x1000
        li    r3, 40
        li    r7, 3
        ld    spad=r1, hbm=r0, len=r3, npc=2 post s0         # pc 3
        li    r2, 0x2000
        li    r4, 100
        vadds dst=r2, src=r1, n=r4, s=r0 wait s0 post s1*2   # pc 6
        li    r8, 0x1100
        li    r9, 0x1300
        li    r10, 0x1400
        li    r11, 2
        li    r12, 5
        li    r13, 160
        li    r14, 32
        mm    w=r1, ws=r8, a=r9, as=r10, kb=r11, n=r12, astep=r13, asstep=r14, fa=mxint8, fw=mxfp4, init wait s1   # pc 14
        mm    w=r1, ws=r8, a=r9, as=r10, kb=r11, n=r12, astep=r13, asstep=r14, fa=mxint8, fw=mxfp4                 # pc 15
        li    r15, 0x3000
        mst   dst=r15, pitch=r14, n=r12 post s2              # pc 17
        li    r16, 0x100
        li    r17, 5
        st    spad=r15, hbm=r16, len=r17, npc=2 wait s2      # pc 20
        halt
side:
        li    r1, 7
        addi  r2, r1, 1                                      # pc 23
        li    r3, 0x500
        sw    r2, 4(r3)                                      # pc 25
        trace r2, 99                                         # pc 26
        halt                                                 # pc 27
)";

struct Fixture {
  Fixture() : machine(kTileConfig, {.nan_trap = false, .log = true}), sim({.checked = true}) {
    const Bytes data = [] {
      // No NaN: scales and codes of small magnitude.
      Bytes b = random_bytes(40 * 32, 5);
      for (auto& x : b) x = static_cast<std::uint8_t>(112 + x % 16);
      return b;
    }();
    std::vector<kernels::Segment> segments;
    kernels::stripe(data, 0, kPcs, segments);
    for (const auto& s : segments) {
      machine.load_hbm(s.channel, s.address, s.bytes);
      sim.memory(static_cast<int>(s.channel)).store(s.address, s.bytes);
    }
    const golden::Outcome o = machine.run(section);
    if (o.status != golden::Status::kDone) throw std::logic_error(o.text());
    log = machine.log();
  }
  golden::AgentLog& agent(isa::Engine e) { return log[static_cast<std::size_t>(golden::agent_of(e))]; }
  golden::AgentLog& thread(std::size_t t) { return log[t]; }

  /// Runs against the log as it is now.
  std::optional<Divergence> run() {
    sim.soft_reset();
    sim.load(section);
    Lockstep lockstep(log);
    const RunResult r = sim.run(100000, &lockstep);
    EXPECT_EQ(r.stop, lockstep.divergence() ? Stop::kDivergence : Stop::kDone);
    checked = lockstep.checked();
    return lockstep.divergence();
  }

  isa::Section section = assemble(kProgram);
  golden::Machine machine;
  TileSim sim;
  golden::Log log;
  std::uint64_t checked = 0;
};

golden::LogEntry& entry_at(golden::AgentLog& log, std::uint32_t pc) {
  for (auto& e : log.entries) {
    if (e.pc == pc) return e;
  }
  throw std::logic_error("no entry at that pc");
}
/// Adds 1 to a byte of the first write of the instruction at pc; returns the value that was there.
std::uint8_t spoil(golden::AgentLog& log, std::uint32_t pc, std::uint64_t at) {
  std::uint8_t& b = log.bytes.at(log.writes.at(entry_at(log, pc).first_write).offset + at);
  return b++;
}
std::string hex8(std::uint32_t v) { return fmt::format("{:#04x}", v); }

void expect(const std::optional<Divergence>& d, const std::string& engine, std::uint32_t pc,
            const std::string& instruction, const std::string& place, const std::string& expected,
            const std::string& actual) {
  ASSERT_TRUE(d);
  EXPECT_EQ(d->engine, engine);
  EXPECT_EQ(d->pc, pc);
  EXPECT_EQ(d->instruction, instruction);
  EXPECT_EQ(d->place, place);
  EXPECT_EQ(d->expected, expected);
  EXPECT_EQ(d->actual, actual);
  EXPECT_GT(d->cycle, 0U);
  for (const std::string& part : {engine, fmt::format("pc {}", pc), instruction, place, expected, actual}) {
    EXPECT_THAT(d->text(), HasSubstr(part));
  }
}

TEST(Lockstep, ACorrectRunHasNoDivergence) {
  Fixture f;
  const auto d = f.run();
  EXPECT_FALSE(d) << d->text();
  // ld 1280, vadds 400, two mm 40 values each, mst 160, st 160, sw 4: all of them, and each instruction.
  EXPECT_GE(f.checked, 1280U + 400U + 80U + 160U + 160U + 4U + 20U);
}

TEST(Lockstep, FindsAWrongScratchpadByteOfEachWriter) {
  struct Case {
    std::size_t agent;
    std::string engine;
    std::uint32_t pc;
    std::string op;
    std::uint32_t base;
    std::uint64_t at;
  };
  Fixture f;
  const golden::Log clean = f.log;
  for (const Case& c : {Case{4, "LD", 3, "ld", 0x1000, 77}, Case{7, "VPU", 6, "vadds", 0x2000, 399},
                        Case{6, "MXU", 17, "mst", 0x3000, 159}, Case{1, "SEQ thread 1", 25, "sw", 0x504, 0}}) {
    f.log = clean;
    const std::uint8_t was = spoil(f.log[c.agent], c.pc, c.at);
    expect(f.run(), c.engine, c.pc, c.op, fmt::format("spad {:#x}", c.base + c.at),
           hex8(static_cast<std::uint8_t>(was + 1)), hex8(was));
  }
}

TEST(Lockstep, FindsAWrongHbmByte) {
  Fixture f;
  const std::uint8_t was = spoil(f.agent(isa::Engine::kSt), 20, 40);
  expect(f.run(), "ST", 20, "st", "hbm0 0x2028", hex8(static_cast<std::uint8_t>(was + 1)), hex8(was));
}

TEST(Lockstep, FindsAWrongAccumulator) {
  Fixture f;
  // Column 4, row 3, of the second mm: the first one's values are not confused with it.
  golden::AgentLog& log = f.agent(isa::Engine::kMxu);
  const std::uint64_t at = log.writes.at(entry_at(log, 15).first_write).offset + (4 * 8 + 3) * 4;
  std::uint32_t was = 0;
  for (unsigned b = 0; b < 4; ++b) was |= std::uint32_t{log.bytes.at(at + b)} << (8 * b);
  log.bytes.at(at) ^= 1;
  expect(f.run(), "MXU", 15, "mm", "acc row 3 column 4", fmt::format("{:#010x}", was ^ 1),
         fmt::format("{:#010x}", was));
}

TEST(Lockstep, FindsAWrongRegisterValueAndAWrongRegister) {
  Fixture f;
  const golden::Log clean = f.log;
  entry_at(f.thread(1), 23).value = 9;
  expect(f.run(), "SEQ thread 1", 23, "addi", "register r2", "0x9", "0x8 in r2");
  f.log = clean;
  entry_at(f.thread(1), 23).rd = 5;
  expect(f.run(), "SEQ thread 1", 23, "addi", "register r5", "0x8", "0x8 in r2");
}

TEST(Lockstep, FindsAWrongTraceValue) {
  Fixture f;
  entry_at(f.thread(1), 26).value = 1;
  expect(f.run(), "SEQ thread 1", 26, "trace", "trace value", "0x1", "0x8");
}

TEST(Lockstep, FindsAWrongPcOfAThreadAndOfAnEngine) {
  Fixture f;
  const golden::Log clean = f.log;
  entry_at(f.thread(1), 26).pc = 30;
  expect(f.run(), "SEQ thread 1", 30, "trace", "instruction", "pc 30 trace of thread 1", "pc 26 trace of thread 1");
  f.log = clean;
  entry_at(f.agent(isa::Engine::kVpu), 6).pc = 31;
  expect(f.run(), "VPU", 31, "vadds", "instruction", "pc 31 vadds of thread 0", "pc 6 vadds of thread 0");
  f.log = clean;
  entry_at(f.agent(isa::Engine::kLd), 3).thread = 2;
  expect(f.run(), "LD", 3, "ld", "instruction", "pc 3 ld of thread 2", "pc 3 ld of thread 0");
}

TEST(Lockstep, FindsASurplusInstruction) {
  Fixture f;
  f.thread(1).entries.pop_back();
  const auto d = f.run();
  ASSERT_TRUE(d);
  EXPECT_EQ(d->engine, "SEQ thread 1");
  EXPECT_EQ(d->place, "instruction");
  EXPECT_EQ(d->expected, "none");
  EXPECT_EQ(d->actual, "pc 27 halt");
}

TEST(Lockstep, FindsAMissingInstruction) {
  Fixture f;
  golden::AgentLog& log = f.agent(isa::Engine::kVpu);
  golden::LogEntry more = log.entries.back();
  more.pc = 21;
  more.op = isa::Op::kVsync;
  more.writes = 0;
  log.entries.push_back(more);
  expect(f.run(), "VPU", 21, "vsync", "instruction", "2 instructions", "1 ended");
}

TEST(Lockstep, FindsASurplusAndAMissingWrite) {
  Fixture f;
  const golden::Log clean = f.log;
  golden::AgentLog& log = f.agent(isa::Engine::kVpu);
  log.writes.at(entry_at(log, 6).first_write).length -= 4;
  auto d = f.run();
  ASSERT_TRUE(d);
  EXPECT_EQ(d->engine, "VPU");
  EXPECT_EQ(d->place, "spad 0x218c");
  EXPECT_EQ(d->expected, "no write");
  f.log = clean;
  golden::AgentLog& full = f.agent(isa::Engine::kVpu);
  golden::LogWrite more = full.writes.at(entry_at(full, 6).first_write);
  more.address = 0x7000;
  more.length = 8;
  full.writes.push_back(more);
  ++entry_at(full, 6).writes;
  expect(f.run(), "VPU", 6, "vadds", "bytes written", "408", "400");
}

}  // namespace
}  // namespace tepin::tb::testing
