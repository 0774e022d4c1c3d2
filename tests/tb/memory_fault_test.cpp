// SPDX-License-Identifier: Apache-2.0
// Faults whose cause lies in a memory: errors on the memory ports, parity errors of the scratchpad, NaN; and stuck
// programs. The golden model has no broken memories, so for those the expected instruction is the one that touches the
// bad place.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "support.h"
#include "sw/isa/tepin_csr.h"
#include "sw/isa/tepin_window.h"

namespace tepin::tb::testing {
namespace {

using isa::Cause;
using isa::Engine;

void expect_fault(const RunResult& r, Engine engine, Cause cause, std::uint32_t thread, std::uint32_t pc) {
  ASSERT_EQ(r.stop, Stop::kFault);
  EXPECT_EQ(isa::kCauses[static_cast<std::size_t>(r.fault.cause)].name,
            isa::kCauses[static_cast<std::size_t>(cause)].name);
  EXPECT_EQ(isa::kEngines[static_cast<std::size_t>(r.fault.engine)], isa::kEngines[static_cast<std::size_t>(engine)]);
  EXPECT_EQ(r.fault.thread, thread);
  EXPECT_EQ(r.fault.pc, pc);
}

/// Instruction index of the first instruction with this opcode and, of those, the n-th.
std::uint32_t pc_of(const isa::Section& s, isa::Op op, int n = 0) {
  for (std::uint32_t pc = 0; pc < s.code.size(); ++pc) {
    if (isa::get(s.code[pc], isa::kBitsOpcode) == static_cast<std::uint32_t>(op) && n-- == 0) return pc;
  }
  throw std::logic_error("no such instruction");
}

// ------------------------------------------------------------------------------------------------ memory ports

// Three transfers in flight; the second one covers beats 100..139 of both channels' stripe units.
constexpr std::string_view kTransfers = R"(
.thread 1, main
main:   li    r1, 0x1000
        li    r2, 0x4000
        li    r3, 0x8000
        li    r4, 40
        li    r5, 0
        li    r6, 104
        li    r7, 400
        {0} spad=r1, hbm=r5, len=r4, npc=2
        {0} spad=r2, hbm=r6, len=r4, npc=2
        {0} spad=r3, hbm=r7, len=r4, npc=2
        {1} post s0
        sync wait s0
        halt
)";

TEST(MemoryFaults, AnErrorOfAMemoryPortNamesTheTransferItBelongsTo) {
  TileSim sim({.checked = true});
  int runs = 0;
  for (const bool load : {true, false}) {
    const isa::Section section = assemble(fmt::format(kTransfers, load ? "ld" : "st", load ? "ldsync" : "stsync"));
    const std::uint32_t pc = pc_of(section, load ? isa::Op::kLd : isa::Op::kSt, 1);
    for (const bool decerr : {false, true}) {
      for (const std::uint64_t beat : {104U, 111U, 119U}) {
        for (int channel = 0; channel < kPcs; ++channel) {
          for (std::uint64_t seed = 1; seed <= 3; ++seed, ++runs) {
            SCOPED_TRACE(fmt::format("{} beat {} channel {} seed {}", load ? "ld" : "st", beat, channel, seed));
            sim.soft_reset();
            sim.load(section);
            MemoryTiming t = random_timing(seed);
            set_timing(sim, t);
            (decerr ? t.decerr_beat : t.slverr_beat) = beat;
            sim.memory(channel).set_timing(t);
            const RunResult r = sim.run(100'000);
            expect_fault(r, load ? Engine::kLd : Engine::kSt, decerr ? Cause::kAxiDecerr : Cause::kAxiSlverr, 1, pc);
            set_timing(sim, random_timing(seed + 10));
            ASSERT_EQ(good_run(sim), "");
          }
        }
      }
    }
  }
  EXPECT_EQ(runs, 72);
}

TEST(MemoryFaults, TheHostSeesErrorsOfItsOwnAccessesWithoutAFault) {
  TileSim sim({.checked = true});
  MemoryTiming t;
  t.slverr_beat = 5;
  sim.memory(1).set_timing(t);
  Bytes b(32);
  const std::uint64_t base = isa::kWinHbm + (std::uint64_t{1} << 31);
  EXPECT_THROW(sim.window_read(base + 5 * 32, b), HostError);
  EXPECT_THROW(sim.window_write(base + 5 * 32, b), HostError);
  EXPECT_NO_THROW(sim.window_read(base + 6 * 32, b));
  EXPECT_EQ(sim.fault_info().cause, Cause::kNone);
  sim.memory(1).set_timing({});
  EXPECT_EQ(good_run(sim), "");
}

// ------------------------------------------------------------------------------------------------ parity

/// Breaks the parity of a scratchpad word by a write of the host.
void inject(TileSim& sim, std::uint32_t address) {
  sim.csr_write(offsetof(tepin_csr_t, PARITY_INJECT), TEPIN_CSR__PARITY_INJECT__ARM_bm | address / 32);
  sim.window_write(isa::kWinSpad + address, Bytes{1});
}

struct Reader {
  std::string name, lines;
  Engine engine;
  isa::Op op;
  int nth;                          // which of the instructions of that opcode reads the word
  std::vector<std::uint32_t> bad;   // words that it must notice, each alone
  std::vector<std::uint32_t> good;  // words beside its operands
};

TEST(MemoryFaults, AParityErrorIsFoundByEveryReader) {
  const std::string mm =
      "li r1, 0\nli r2, 0x800\nli r3, 0x1000\nli r4, 0x2000\nli r5, 4\nli r6, 9\nli r7, 288\nli r8, 32\n";
  const std::string go = "mm w=r1, ws=r2, a=r3, as=r4, kb=r5, n=r6, astep=r7, asstep=r8, fa=mxint8, fw=mxfp4, init\n";
  const std::string vector =
      "li r1, 0x4000\nli r2, 0x5000\nli r3, 0x6000\nli r4, 30\nli r5, 128\nli r6, 32\nli r7, 3\n";
  const std::vector<Reader> readers{
      {"lw", "lw r1, 0x104(r0)\nlw r1, 0x1fc(r0)\n", Engine::kSeq, isa::Op::kLw, 1, {0x1e0}, {0x200, 0x1c0}},
      {"st",
       "li r1, 0x1000\nli r2, 3\nst spad=r1, hbm=r0, len=r2, npc=2\nli r1, 0x1060\nst spad=r1, hbm=r2, len=r2, npc=2\n",
       Engine::kSt,
       isa::Op::kSt,
       1,
       {0x1060, 0x10a0},
       {0x10c0, 0xfe0}},
      {"mm",
       mm + go,
       Engine::kMxu,
       isa::Op::kMm,
       0,
       {0, 0x1e0, 0x800, 0x1000, 0x1000 + 3 * 288 + 256, 0x2000, 0x2060},
       {0x200, 0x820, 0x2080, 0x1000 + 4 * 288}},
      // The operands of the second one are fetched while the first one computes.
      {"second mm", mm + go + "li r1, 0x9000\n" + go, Engine::kMxu, isa::Op::kMm, 1, {0x9000, 0x91e0}, {0x9200}},
      {"vadd",
       vector + "vadd dst=r3, src=r1, src2=r2, n=r4\n",
       Engine::kVpu,
       isa::Op::kVadd,
       0,
       {0x4000, 0x4060, 0x5000, 0x5060},
       {0x4080, 0x5080}},
      {"vmov tail",
       vector + "li r4, 5\nvmov dst=r3, src=r1, n=r4\n",
       Engine::kVpu,
       isa::Op::kVmov,
       0,
       {0x4000},
       {0x4020}},
      {"vqnt",
       vector + "vqnt dst=r3, src=r1, nblk=r7, scl=r2, dstep=r6, sstep=r5, cstep=r6, fmt=mxint8\n",
       Engine::kVpu,
       isa::Op::kVqnt,
       0,
       {0x4000, 0x4160},
       {0x4180}},
      {"vdqt",
       vector + "vdqt dst=r3, src=r1, nblk=r7, scl=r2, dstep=r5, sstep=r6, cstep=r6, fmt=mxint8\n",
       Engine::kVpu,
       isa::Op::kVdqt,
       0,
       {0x4000, 0x4040, 0x5000, 0x5040},
       {0x4060, 0x5060}},
  };
  TileSim sim({.checked = true});
  int found = 0;
  for (const Reader& reader : readers) {
    const isa::Section section = assemble(".thread 3, main\nmain: nop\n" + reader.lines + "halt\n");
    const auto run = [&](std::uint32_t word) {
      sim.soft_reset();
      sim.load(section);
      sim.csr_write(offsetof(tepin_csr_t, FLAGS), TEPIN_CSR__FLAGS__INJECTED_bm);
      inject(sim, word);
      EXPECT_EQ(sim.csr_read(offsetof(tepin_csr_t, FLAGS)) & TEPIN_CSR__FLAGS__INJECTED_bm,
                TEPIN_CSR__FLAGS__INJECTED_bm);
      EXPECT_EQ(sim.csr_read(offsetof(tepin_csr_t, PARITY_INJECT)) & TEPIN_CSR__PARITY_INJECT__ARM_bm, 0U)
          << "armed for one write";
      const RunResult r = sim.run(10'000);
      Bytes b(32);
      EXPECT_THROW(sim.window_read(isa::kWinSpad + word, b), HostError) << "the host reads the broken word";
      sim.window_write(isa::kWinSpad + word, Bytes(32));  // repairs it
      sim.window_read(isa::kWinSpad + word, b);
      return r;
    };
    for (const std::uint32_t word : reader.bad) {
      SCOPED_TRACE(fmt::format("{}, word {:#x}", reader.name, word));
      expect_fault(run(word), reader.engine, Cause::kParity, 3, pc_of(section, reader.op, reader.nth));
      ++found;
    }
    ASSERT_EQ(good_run(sim), "");
    for (const std::uint32_t word : reader.good)
      EXPECT_EQ(run(word).stop, Stop::kDone) << reader.name << " reads beyond its operands: " << word;
  }
  EXPECT_EQ(found, 23);
}

TEST(MemoryFaults, AProgramsOwnWriteCanBreakParityOnce) {
  TileSim sim({.checked = true});
  const isa::Section section =
      assemble("li r1, 0x12345678\nsw r1, 0x1004(r0)\nsw r1, 0x1000(r0)\nlw r2, 0x1000(r0)\nhalt\n");
  sim.load(section);
  sim.csr_write(offsetof(tepin_csr_t, PARITY_INJECT), TEPIN_CSR__PARITY_INJECT__ARM_bm | 0x1000 / 32);
  expect_fault(sim.run(10'000), Engine::kSeq, Cause::kParity, 0, 3);
  sim.soft_reset();
  sim.load(section);
  EXPECT_EQ(sim.run(10'000).stop, Stop::kDone) << "the word has been written again";
  EXPECT_EQ(good_run(sim), "");
}

// ------------------------------------------------------------------------------------------------ NaN

TEST(MemoryFaults, ANewNanIsAFaultOnlyWhileTheTrapIsOnAndIsAlwaysFlagged) {
  TileSim sim({.checked = true});
  const std::string head =
      "li r1, 0\nli r2, 0x800\nli r3, 0x1000\nli r4, 0x2000\nli r5, 2\nli r6, 6\nli r7, 192\nli r8, 32\n";
  const isa::Section first =
      assemble(".thread 1, m\nm: nop\n" + head +
               "mm w=r1, ws=r2, a=r3, as=r4, kb=r5, n=r6, astep=r7, asstep=r8, fa=mxfp8_e4m3, fw=mxfp4, init\nhalt\n");
  const isa::Section again =
      assemble(".thread 1, m\nm: nop\n" + head +
               "mm w=r1, ws=r2, a=r3, as=r4, kb=r5, n=r6, astep=r7, asstep=r8, fa=mxfp8_e4m3, fw=mxfp4\nhalt\n");
  const auto flags = [&] { return sim.csr_read(offsetof(tepin_csr_t, FLAGS)) & TEPIN_CSR__FLAGS__NAN_SEEN_bm; };
  const auto run = [&](const isa::Section& s, bool trap, std::uint8_t code, std::uint8_t scale) {
    sim.soft_reset();
    sim.csr_write(offsetof(tepin_csr_t, CTRL),
                  TEPIN_CSR__CTRL__STUCK_TRAP_bm | (trap ? TEPIN_CSR__CTRL__NAN_TRAP_bm : 0));
    sim.csr_write(offsetof(tepin_csr_t, FLAGS), TEPIN_CSR__FLAGS__NAN_SEEN_bm);
    EXPECT_EQ(flags(), 0U);
    sim.load(s);
    sim.window_write(isa::kWinSpad, Bytes(0x2100, 0x11));
    sim.window_write(isa::kWinSpad + 0x1000 + 192 + 5 * 32 + 7, Bytes{code});  // block 1, column 5
    sim.window_write(isa::kWinSpad + 0x800 + 8 + 3, Bytes{scale});             // block 1, row 3
    return sim.run(10'000);
  };
  EXPECT_EQ(run(first, true, 0x11, 0x11).stop, Stop::kDone);
  EXPECT_EQ(flags(), 0U);
  expect_fault(run(first, true, 0x7f, 0x11), Engine::kMxu, Cause::kMxuNan, 1, pc_of(first, isa::Op::kMm));
  EXPECT_NE(flags(), 0U);
  expect_fault(run(first, true, 0x11, 0xff), Engine::kMxu, Cause::kMxuNan, 1, pc_of(first, isa::Op::kMm));
  EXPECT_EQ(run(first, false, 0xff, 0x11).stop, Stop::kDone);
  EXPECT_NE(flags(), 0U);
  // That NaN is old now: to keep it is no fault, and what joins it is.
  EXPECT_EQ(run(again, true, 0x11, 0x11).stop, Stop::kDone);
  EXPECT_EQ(run(again, true, 0x7f, 0x11).stop, Stop::kDone) << "column 5 was NaN before";
  expect_fault(run(again, true, 0x11, 0xff), Engine::kMxu, Cause::kMxuNan, 1, pc_of(again, isa::Op::kMm));
  EXPECT_EQ(good_run(sim), "");
}

// ------------------------------------------------------------------------------------------------ stuck

TEST(MemoryFaults, AStuckProgramIsReportedWithEveryWaiterForASemaphore) {
  TileSim sim({.checked = true});
  for (const std::string& text :
       {std::string(".thread 0, a\n.thread 1, b\n.thread 3, c\na: sync wait s1\nhalt\nb: nop\nvsync wait s2\nhalt\nc: "
                    "sync post s2\nldsync wait s9*3\nnop\nsync wait s8\nhalt\n"),
        std::string("ldsync wait s4\nhalt\n"),
        std::string(".thread 2, a\na: mxusync wait s5*2 post s6\nstsync wait s6\nsync post s5\nsync wait s7\nhalt\n"),
        // The queue behind the head is full: thread 1 waits for room.
        std::string(".thread 1, a\na: vsync wait s3\n.rept 20\nvsync\n.endr\nhalt\n"),
        std::string("li r1, 0x100\nli r2, 9\nst spad=r1, hbm=r0, len=r2, npc=2 post s1\nldsync wait s1, s2*2\nsync "
                    "wait s12\nhalt\n")}) {
    SCOPED_TRACE(text);
    const isa::Section section = assemble(text);
    golden::Machine machine(kTileConfig, {.check_written = false});
    const golden::Outcome o = machine.run(section);
    ASSERT_EQ(o.status, golden::Status::kFault) << o.text();
    ASSERT_EQ(o.fault.cause, Cause::kStuck);
    std::set<std::string> expected;
    for (const golden::Waiter& w : o.fault.waiters) {
      if (!w.for_queue)
        expected.insert(fmt::format("{} thread {} pc {}", isa::kEngines[static_cast<std::size_t>(w.at.engine)],
                                    w.at.thread, w.at.pc));
    }
    sim.soft_reset();
    sim.load(section);
    const RunResult r = sim.run(20'000);
    expect_fault(r, o.fault.engine, Cause::kStuck, o.fault.thread, o.fault.pc);
    std::set<std::string> actual;
    for (const std::string& w : r.fault.waiters) actual.insert(w.substr(0, w.find(" waits")));
    EXPECT_THAT(actual, ::testing::ContainerEq(expected));
    for (const golden::Waiter& w : o.fault.waiters) {
      if (w.for_queue || w.sem != 12) continue;
      EXPECT_THAT(r.fault.text(), ::testing::HasSubstr("waits for s12"));
    }
    EXPECT_EQ(good_run(sim), "");
  }
}

}  // namespace
}  // namespace tepin::tb::testing
