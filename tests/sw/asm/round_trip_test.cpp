// SPDX-License-Identifier: Apache-2.0
// assemble(disassemble(x)) == x for random programs. Replay one: TEPIN_SEED=N test_asm --gtest_filter='RoundTrip.*'
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "sw/asm/assembler.h"
#include "sw/isa/program.h"

namespace tepin::assembly {
namespace {

using isa::FieldKind;

class Random {
 public:
  explicit Random(std::uint64_t seed) : rng_(seed) {}
  std::uint32_t below(std::uint64_t n) { return static_cast<std::uint32_t>(rng_() % n); }
  std::uint64_t any() { return rng_(); }
  bool one_in(std::uint64_t n) { return rng_() % n == 0; }

  /// A legal instruction with every field drawn at random; targets mostly inside the section.
  isa::Word instruction(const isa::Config& cfg, std::uint32_t pc, std::uint32_t size) {
    const isa::Instr& instr = isa::kInstrs.at(below(isa::kInstrs.size()));
    isa::Word w;
    isa::set(w, isa::kBitsOpcode, static_cast<std::uint32_t>(instr.op));
    for (const isa::Field& f : instr.fields) isa::set(w, f.bits, value(f, cfg, pc, size));
    side(w, cfg, {isa::kBitsWait0Sem, isa::kBitsWait0Cnt, isa::kBitsWait1Sem, isa::kBitsWait1Cnt});
    side(w, cfg, {isa::kBitsPost0Sem, isa::kBitsPost0Cnt, isa::kBitsPost1Sem, isa::kBitsPost1Cnt});
    if (isa::get(w, isa::kBitsPost1Cnt) != 0 && one_in(2)) {
      isa::set(w, isa::kBitsPost1Remote, 1);
      isa::set(w, isa::kBitsPost1Tile, below(64));
      if (one_in(4) && isa::get(w, isa::kBitsPost0Cnt) != 0)  // the same semaphore, here and there
        isa::set(w, isa::kBitsPost1Sem, isa::get(w, isa::kBitsPost0Sem));
    }
    return w;
  }

 private:
  std::uint32_t value(const isa::Field& f, const isa::Config& cfg, std::uint32_t pc, std::uint32_t size) {
    switch (f.kind) {
      case FieldKind::kReg:
        return below(32);
      case FieldKind::kSem:
        return below(cfg.sems);
      case FieldKind::kBool:
        return below(2);
      case FieldKind::kInt:
        return f.min + below(f.max - f.min + 1);
      case FieldKind::kValue:
        return one_in(2) ? below(200) - 100 : static_cast<std::uint32_t>(any());
      case FieldKind::kTarget:
        if (one_in(10)) return static_cast<std::uint32_t>(any());
        return one_in(10)               ? below(cfg.imem_instrs + 2)
               : pc < size && one_in(2) ? pc + 1 + below(size - pc)
                                        : below(size + 1);
      case FieldKind::kFormat:
        while (true) {
          const std::uint32_t v = below(isa::kFormats.size());
          if ((f.allow >> v & 1U) != 0) return v;
        }
    }
    return 0;
  }

  void side(isa::Word& w, const isa::Config& cfg, const std::array<isa::Bits, 4>& b) {
    const std::uint32_t first = below(cfg.sems);
    if (one_in(2)) {
      isa::set(w, b[0], first);
      isa::set(w, b[1], one_in(2) ? 1 : 1 + below(255));
    }
    if (one_in(3)) {
      isa::set(w, b[2], (first + 1 + below(cfg.sems - 1)) % cfg.sems);
      isa::set(w, b[3], one_in(2) ? 1 : 1 + below(255));
    }
  }

  std::mt19937_64 rng_;
};

std::uint64_t seed() {
  const char* s = std::getenv("TEPIN_SEED");
  return s == nullptr ? 1 : std::strtoull(s, nullptr, 10);
}

isa::Section section(Random& random, const isa::Config& cfg) {
  isa::Section s;
  const std::uint32_t size = 1 + random.below(random.one_in(20) ? 300 : 30);
  for (std::uint32_t pc = 0; pc < size; ++pc) {
    isa::Word w = random.instruction(cfg, pc, size);
    if (random.one_in(8)) (random.one_in(2) ? w.lo : w.hi) ^= std::uint64_t{1} << random.below(64);
    if (random.one_in(50)) w = {random.any(), random.any()};
    s.code.push_back(w);
  }
  for (std::uint32_t& e : s.entry) {
    if (random.one_in(2)) e = random.one_in(10) ? random.below(cfg.imem_instrs + 1) : random.below(size + 1);
  }
  return s;
}

TEST(RoundTrip, RandomProgramsComeBackBitForBit) {
  const std::uint64_t from = seed();
  int legal = 0;
  int raw = 0;
  int programs = 0;
  for (std::uint64_t n = from; legal < 60000; ++n) {
    Random random(n);
    const isa::Config& cfg = isa::kConfigs.at(random.below(isa::kConfigs.size()));
    isa::Program p;
    p.sections.push_back(section(random, cfg));
    if (random.one_in(2)) {
      p.sections.push_back(section(random, cfg));
      p.sections[random.below(2)].x = random.below(cfg.mesh_x);
      for (isa::Section& s : p.sections) {
        if (s.x != isa::kEveryTile) s.y = random.below(cfg.mesh_y);
      }
    }
    const std::string text = disassemble(p, cfg);
    isa::Program back;
    ASSERT_NO_THROW(back = assemble(text, "x.s", cfg)) << "TEPIN_SEED=" << n << "\n" << text;
    ASSERT_EQ(back, p) << "TEPIN_SEED=" << n << "\n" << text;
    ASSERT_EQ(disassemble(back, cfg), text);
    ++programs;
    for (const isa::Section& s : p.sections) {
      for (const isa::Word& w : s.code) ++(isa::why_illegal(w, cfg).empty() ? legal : raw);
    }
  }
  EXPECT_GE(legal, 20000);
  EXPECT_GE(raw, 2000);
  EXPECT_GE(programs, 500);
}

TEST(RoundTrip, EveryInstructionIsWrittenByNameNotAsAWord) {
  Random random(7);
  int checked = 0;
  while (checked < 20000) {
    isa::Program p;
    p.sections.resize(1);
    p.sections[0].code = {random.instruction(isa::kNano, 0, 1)};
    const isa::Word& w = p.sections[0].code[0];
    const bool second_alone = (isa::get(w, isa::kBitsWait0Cnt) == 0 && isa::get(w, isa::kBitsWait1Cnt) != 0) ||
                              (isa::get(w, isa::kBitsPost0Cnt) == 0 && isa::get(w, isa::kBitsPost1Cnt) != 0 &&
                               isa::get(w, isa::kBitsPost1Remote) == 0);
    const isa::Instr& instr = *isa::find_instr(static_cast<std::uint8_t>(isa::get(w, isa::kBitsOpcode)));
    const bool jumps = !instr.fields.empty() && instr.fields.back().kind == FieldKind::kTarget;
    if (second_alone || jumps) continue;
    ASSERT_EQ(isa::why_illegal(w, isa::kNano), "");
    ASSERT_THAT(disassemble(p, isa::kNano), ::testing::Not(::testing::HasSubstr(".word")));
    ++checked;
  }
}

TEST(RoundTrip, TextIsReadable) {
  const std::string text =
      ".thread 0, L0\n.thread 1, L9\nL0:\n  li r1, 0x3f800000\n  lw r2, -4(r1) wait s1*2\n"
      "  vsync post s3@1,0\n  nwr dst=r1, src=r2, len=r3, tile=r4 post s4, s4*9@7,5\n  tid r5\n"
      "  nmc dst=r1, g=3, sem=7, scnt=2\n  nar src=r1, len=r2, g=1, max, bf16\n"
      "  ld spad=r1, len=r2, npc=2 post s3, s4*9\n  beq r1, r0, L0\nL9:\n  mm w=r1, fa=mxint8, fw=mxfp4, init\n"
      "  loop r1, L11\nL11:\n  spost s5, r2\n  st spad=r1\n  halt\n.tile 1, 0\n.thread none\n  jmp 77\n"
      "  .word 0x0000000000000000, 0x0000000000000000  # opcode 0x00 is not defined\n";
  EXPECT_EQ(disassemble(assemble(text, "t.s", isa::kNano), isa::kNano), text);
}

TEST(RoundTrip, ProgramsThatNoSourceExpressesAreRefused) {
  const auto error_of = [](const isa::Program& p) -> std::string {
    try {
      (void)disassemble(p, isa::kNano);
    } catch (const isa::InputError& e) {
      return e.what();
    }
    return "no error";
  };
  isa::Program p;
  EXPECT_EQ(error_of(p), "program: no section; expected at least one");
  p.sections.resize(1);
  EXPECT_EQ(error_of(p), "program: section 0: 0 instructions; allowed on nano: 1..4096");
  p.sections[0].code.resize(4097);
  EXPECT_EQ(error_of(p), "program: section 0: 4097 instructions; allowed on nano: 1..4096");
  p.sections[0].code.resize(4096);
  EXPECT_EQ(error_of(p), "no error");
  p.sections[0].entry[2] = 5000;
  EXPECT_EQ(error_of(p), "program: section 0: entry 5000 of thread 2; allowed on nano: 0..4096");
  p.sections[0].entry[2] = isa::kNoEntry;
  p.sections.push_back(p.sections[0]);
  EXPECT_EQ(error_of(p), "program: section 1: a second one for its tile; expected one a tile");
  p.sections[1].x = 8;
  p.sections[1].y = 1;
  EXPECT_EQ(error_of(p), "program: section 1: tile 8, 1; allowed: 0..7, 0..7");
}

TEST(RoundTrip, MutatedSourcesAreAssembledOrRefusedNeverACrash) {
  const std::string good =
      ".macro m a, b=2\nl\\@: li \\a, \\b*(1<<3)-'x' # c\n.endm\n.equ N, 0x10\n.reg q, r3\n.sem z, s4\n.thread 0, go\n"
      "go: m q\n.rept N/8\nm r2, b=N\n.endr\nmm w=r1, fa=mxint8, fw=mxfp4, init, cg=3 wait z*2, s5 post s6, "
      "z@N/16,2\nlw r1, "
      "-4(q)\nhalt\n";
  constexpr std::string_view kBites = "\\@.,:=()+-*/%<>&|^~'\"#0x9rsN \n\t\0";
  Random random(3);
  int fine = 0;
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string s = good;
    for (std::uint32_t k = 0; k <= random.below(3); ++k) {
      const std::size_t at = random.below(s.size());
      const char bite = kBites[random.below(kBites.size())];
      switch (random.below(4)) {
        case 0:
          s[at] = bite;
          break;
        case 1:
          s.insert(at, 1, bite);
          break;
        case 2:
          s.insert(at, good.substr(random.below(good.size()), random.below(20)));
          break;
        default:
          s.erase(at, 1 + random.below(4));
          break;
      }
    }
    try {
      (void)assemble(s, "x.s", isa::kNano);
      ++fine;
    } catch (const isa::InputError& e) {
      ++refused;
      ASSERT_THAT(e.what(), ::testing::MatchesRegex("x\\.s:[0-9]+:[0-9]+: expected .*, found (.|\n)*"));
    }
  }
  EXPECT_GT(fine, 500);
  EXPECT_GT(refused, 5000);
}

}  // namespace
}  // namespace tepin::assembly
