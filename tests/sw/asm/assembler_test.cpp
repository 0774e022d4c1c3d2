// SPDX-License-Identifier: Apache-2.0
#include "sw/asm/assembler.h"

#include <gtest/gtest.h>

#include "sw/isa/program.h"
#include "sw/support/file.h"

namespace tepin::assembly {
namespace {

using isa::Word;

isa::Section one(std::string_view source) {
  isa::Program p = assemble(source, "t.s", isa::kNano);
  EXPECT_EQ(p.sections.size(), 1U);
  return p.sections.at(0);
}

/// Fields placed by hand: {lsb, value}.
Word bits(std::initializer_list<std::pair<unsigned, std::uint64_t>> fields) {
  Word w;
  for (const auto& [lsb, value] : fields) (lsb < 64 ? w.lo : w.hi) |= value << (lsb % 64);
  return w;
}

std::uint32_t imm(std::string_view expression) {
  return isa::get(one("li r1, " + std::string(expression)).code.at(0), isa::kBitsImm);
}

TEST(Assembler, ScalarFormsHaveTheDocumentedBits) {
  EXPECT_EQ(one("halt").code[0], bits({{0, 0x01}}));
  EXPECT_EQ(one("nop").code[0], bits({{0, 0x02}}));
  EXPECT_EQ(one("add r1, r2, r3").code[0], bits({{0, 0x11}, {72, 1}, {77, 2}, {82, 3}}));
  EXPECT_EQ(one("li r31, -1").code[0], bits({{0, 0x10}, {72, 31}, {96, 0xffffffff}}));
  EXPECT_EQ(one("mv r4, r5").code[0], bits({{0, 0x21}, {72, 4}, {77, 5}}));
  EXPECT_EQ(one("lw r1, -4(r2)").code[0], bits({{0, 0x3c}, {72, 1}, {77, 2}, {96, 0xfffffffc}}));
  EXPECT_EQ(one("sw r7, 8+8(r2)").code[0], bits({{0, 0x3d}, {82, 7}, {77, 2}, {96, 16}}));
  EXPECT_EQ(one("sw r7, (r2)").code[0], bits({{0, 0x3d}, {82, 7}, {77, 2}}));
  EXPECT_EQ(one("lw r7, (3)(r2)").code[0], bits({{0, 0x3c}, {72, 7}, {77, 2}, {96, 3}}));
  EXPECT_EQ(one("spost s3, r4").code[0], bits({{0, 0x04}, {77, 4}, {96, 3}}));
  EXPECT_EQ(one("trace r4, 9").code[0], bits({{0, 0x03}, {77, 4}, {96, 9}}));
}

TEST(Assembler, EngineFormsTakeKeywordsInAnyOrder) {
  const Word ld = bits({{0, 0x40}, {72, 1}, {77, 2}, {82, 3}, {92, 4}, {112, 2}});
  EXPECT_EQ(one("ld spad=r1, hbm=r2, len=r3, cnt=r0, sstep1=r4, npc=2").code[0], ld);
  EXPECT_EQ(one("ld npc=1+1, sstep1=r4, len=r3, spad=r1, hbm=r2").code[0], ld);
  EXPECT_EQ(one("ld spad=r1").code[0], bits({{0, 0x40}, {72, 1}, {112, 1}}));
  EXPECT_EQ(one("mm w=r1, as=r2, n=r3, fa=mxint8, fw=mxfp4, init, cg=5").code[0],
            bits({{0, 0x60}, {72, 1}, {87, 2}, {97, 3}, {112, 2}, {116, 0}, {120, 1}, {121, 5}}));
  EXPECT_EQ(one("vqnt fmt=mxfp6_e3m2").code[0], bits({{0, 0x90}, {112, 5}}));
  EXPECT_EQ(one("vqnt fmt=mxint8, rule=2, bf16").code[0], bits({{0, 0x90}, {112, 2}, {116, 2}, {118, 1}}));
  EXPECT_EQ(one(".format W, mxint8x2\nmm fa=mxfp8_e5m2, fw=W").code[0], bits({{0, 0x60}, {112, 3}, {116, 8}}));
  EXPECT_EQ(one("vfmas dst=r1, src=r2, n=r3, src2=r4, s=r5").code[0],
            bits({{0, 0x87}, {72, 1}, {77, 2}, {82, 3}, {87, 4}, {92, 5}}));
  EXPECT_EQ(one("mst").code[0], bits({{0, 0x61}}));
}

TEST(Assembler, ClausesFillTheWaitAndPostFields) {
  EXPECT_EQ(one("sync wait s1, s2*3 post s4*2, s5").code[0],
            bits({{0, 2}, {8, 1}, {14, 1}, {22, 2}, {28, 3}, {36, 4}, {42, 2}, {50, 5}, {56, 1}}));
  EXPECT_EQ(one("mst dst=r1 post s63*255").code[0], bits({{0, 0x61}, {72, 1}, {36, 63}, {42, 255}}));
  EXPECT_EQ(one(".equ N, 4\nadd r1, r2, r3 post s0*(N+1) wait s7*N").code[0],
            bits({{0, 0x11}, {72, 1}, {77, 2}, {82, 3}, {8, 7}, {14, 4}, {36, 0}, {42, 5}}));
}

TEST(Assembler, ExpressionsFollowCPrecedence) {
  EXPECT_EQ(imm("1 + 2 * 3"), 7U);
  EXPECT_EQ(imm("(1 + 2) * 3"), 9U);
  EXPECT_EQ(imm("10 - 3 - 2"), 5U);
  EXPECT_EQ(imm("1 << 4 | 3 & 2 ^ 1"), 0x13U);
  EXPECT_EQ(imm("1 << 2 + 1"), 8U);
  EXPECT_EQ(imm("~0"), 0xffffffffU);
  EXPECT_EQ(imm("-7 / 2"), static_cast<std::uint32_t>(-3));
  EXPECT_EQ(imm("-7 % 4"), static_cast<std::uint32_t>(-3));
  EXPECT_EQ(imm("-16 >> 2"), static_cast<std::uint32_t>(-4));
  EXPECT_EQ(imm("0x3f80_0000"), 0x3f800000U);
  EXPECT_EQ(imm("0b1010"), 10U);
  EXPECT_EQ(imm("- - +5"), 5U);
  EXPECT_EQ(imm("'A' + '\\n' + '\\'' + '#'"), 65U + 10 + 39 + 35);
  EXPECT_EQ(imm("0xffffffff"), 0xffffffffU);
  EXPECT_EQ(imm("-0x80000000"), 0x80000000U);
}

TEST(Assembler, LabelsAreInstructionIndicesForwardsAndBackwards) {
  const auto s = one("a: b: nop\n  jmp c\n  beq r1, r2, a\nc: li r1, c - b\n  jmp 1\n  loop r1, end\n nop\nend:");
  ASSERT_EQ(s.code.size(), 7U);
  EXPECT_EQ(isa::get(s.code[1], isa::kBitsImm), 3U);
  EXPECT_EQ(isa::get(s.code[2], isa::kBitsImm), 0U);
  EXPECT_EQ(isa::get(s.code[3], isa::kBitsImm), 3U);
  EXPECT_EQ(isa::get(s.code[4], isa::kBitsImm), 1U);
  EXPECT_EQ(isa::get(s.code[5], isa::kBitsImm), 7U);
}

TEST(Assembler, AliasesNameRegistersAndSemaphores) {
  EXPECT_EQ(one(".reg x, r5\n.reg y, x\n.sem go, s9\nadd x, y, r1 wait go*2").code[0],
            bits({{0, 0x11}, {72, 5}, {77, 5}, {82, 1}, {8, 9}, {14, 2}}));
  EXPECT_EQ(one(".reg as, r3\nlw as, (as)").code[0], bits({{0, 0x3c}, {72, 3}, {77, 3}}));
}

TEST(Assembler, ThreadsStartWhereTheSourceSays) {
  using E = std::array<std::uint32_t, 4>;
  constexpr std::uint32_t kNo = isa::kNoEntry;
  EXPECT_EQ(one("halt").entry, (E{0, kNo, kNo, kNo}));
  EXPECT_EQ(one(".thread 2, b\n.thread 0, 0\nhalt\nb: halt").entry, (E{0, kNo, 1, kNo}));
  EXPECT_EQ(one(".thread none\nhalt").entry, (E{kNo, kNo, kNo, kNo}));
  EXPECT_EQ(one(".thread 1, none\nnone: halt").entry, (E{kNo, 0, kNo, kNo}));
}

TEST(Assembler, SectionsHaveTilesAndLabelsOfTheirOwn) {
  const auto p = assemble(".equ N, 2\na: jmp a\n.tile 1, N-2\nnop\na: jmp a\n.tile 0, 1\nhalt\n", "t.s", isa::kNano);
  ASSERT_EQ(p.sections.size(), 3U);
  EXPECT_EQ(p.sections[0].x, isa::kEveryTile);
  EXPECT_EQ(p.sections[1].x, 1U);
  EXPECT_EQ(p.sections[1].y, 0U);
  EXPECT_EQ(isa::get(p.sections[1].code.at(1), isa::kBitsImm), 1U);
  EXPECT_EQ(p.sections[2].y, 1U);
  EXPECT_EQ(assemble(".tile 1, 1\nhalt", "t.s", isa::kNano).sections.size(), 1U);
  EXPECT_EQ(assemble(".tile 1, 1\nhalt\n.tile all\nhalt", "t.s", isa::kNano).sections.at(1).y, isa::kEveryTile);
}

TEST(Assembler, APostToAnotherTileTakesTheSecondPlace) {
  using isa::get;
  const auto word = [](std::string_view text) { return one(text).code.at(0); };
  const isa::Word alone = word("vsync post s3*2@5,6");
  EXPECT_EQ(get(alone, isa::kBitsPost0Cnt), 0U);
  EXPECT_EQ(get(alone, isa::kBitsPost1Sem), 3U);
  EXPECT_EQ(get(alone, isa::kBitsPost1Cnt), 2U);
  EXPECT_EQ(get(alone, isa::kBitsPost1Remote), 1U);
  EXPECT_EQ(get(alone, isa::kBitsPost1Tile), 53U);
  const isa::Word first = word("vsync post s3@1,0, s3*9 wait s1");
  EXPECT_EQ(get(first, isa::kBitsPost0Sem), 3U);
  EXPECT_EQ(get(first, isa::kBitsPost0Cnt), 9U);
  EXPECT_EQ(get(first, isa::kBitsPost1Cnt), 1U);
  EXPECT_EQ(get(first, isa::kBitsPost1Tile), 1U);
  EXPECT_EQ(first, word("vsync wait s1 post s3*9, s3@1,0"));
  EXPECT_EQ(word(".equ X, 3\n.sem full, s3\nvsync post full*(X-1)@X*2-1,Y\n.equ Y, 6"), alone);
  EXPECT_EQ(word(".macro tell s, x\nvsync post \\s*2@\\x,6\n.endm\ntell s3, 2+3"), alone);
}

TEST(Assembler, InstructionsOfNetAreWrittenLikeOthers) {
  const auto s =
      one("nmc dst=r1, src=r2, len=r3, g=2, sem=7, scnt=200\nnar src=r1, dst=r1, len=r3, g=3, bf16, max\ntid r9");
  EXPECT_EQ(isa::get(s.code[0], {112, 16}), 2U | 7U << 2 | 200U << 8);
  EXPECT_EQ(isa::get(s.code[1], {112, 16}), 15U);
  EXPECT_EQ(isa::get(s.code[2], isa::kBitsRd), 9U);
}

TEST(Assembler, CommentsAndBlanksDoNotMatter) {
  EXPECT_EQ(one("  # only this\n\n\thalt// x\r\n").code.size(), 1U);
  EXPECT_EQ(one("li r1, '#' # c\n").code.size(), 1U);
  EXPECT_EQ(one("li r1, 8 / 2 // c").code[0], one("li r1,4").code[0]);
}

TEST(Assembler, WordEmitsAnyBits) {
  EXPECT_EQ(one(".word 0xfedcba9876543210, 0xffffffffffffffff").code[0],
            (Word{0xffffffffffffffffU, 0xfedcba9876543210U}));
  EXPECT_EQ(one(".equ X, 1\n.word X+1, -1").code[0], (Word{0xffffffffffffffffU, 2}));
}

TEST(Assembler, AFullInstructionMemoryIsAllowed) {
  EXPECT_EQ(one(".rept 4095\n nop\n.endr\njmp end\nend:").code.size(), 4096U);
}

/// The text between the first ```asm and ```.
TEST(Assembler, TheExampleOfTheManualAssembles) {
  const std::string manual = support::read_text(std::string(TEPIN_SOURCE_DIR) + "/docs/assembly.md");
  const std::size_t begin = manual.find("```asm\n") + 7;
  const auto s = one(manual.substr(begin, manual.find("```", begin) - begin));
  EXPECT_EQ(s.entry[1], 9U);
  EXPECT_EQ(s.code.size(), 15U);
}

}  // namespace
}  // namespace tepin::assembly
