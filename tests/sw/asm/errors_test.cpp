// SPDX-License-Identifier: Apache-2.0
// Every error of the assembler, whole: place, what was expected, what was found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sw/asm/assembler.h"
#include "sw/isa/program.h"

namespace tepin::assembly {
namespace {

std::string error_of(std::string_view source, const isa::Config& cfg = isa::kNano) {
  try {
    (void)assemble(source, "t.s", cfg);
  } catch (const isa::InputError& e) {
    return e.what();
  }
  return "no error";
}

struct Case {
  std::string source;
  std::string error;
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) EXPECT_EQ(error_of(c.source), c.error) << c.source;
}

const std::string kReg = "a register (r0..r31 or a name from .reg)";
const std::string kSem = "a semaphore (s0..s63 on nano, or a name from .sem)";

TEST(AssemblerErrors, UnknownWordsSuggestTheNearest) {
  check({
      {"nop\n ad r1", "t.s:2:2: expected an instruction, directive or macro, found 'ad' (did you mean 'add'?)"},
      {"hlat", "t.s:1:1: expected an instruction, directive or macro, found 'hlat' (did you mean 'halt'?)"},
      {".thred 0, 1", "t.s:1:1: expected an instruction, directive or macro, found '.thred' (did you mean '.thread'?)"},
      {".macro frobnicate\n.endm\nfrobnicte",
       "t.s:3:1: expected an instruction, directive or macro, found 'frobnicte' (did you mean 'frobnicate'?)"},
      {"xyzzyxyzzy", "t.s:1:1: expected an instruction, directive or macro, found 'xyzzyxyzzy'"},
      {"a: 5", "t.s:1:4: expected an instruction, directive or macro, found '5'"},
      {"mst dts=r1",
       "t.s:1:5: expected an operand of 'mst' (dst=, pitch=, n=, cg=), found 'dts' (did you mean 'dst'?)"},
      {"mm fa=mxfp4_e4m3, fw=mxfp4",
       "t.s:1:7: expected a format for fa: mxfp4, mxfp8_e4m3, mxint8, mxfp8_e5m2, mxfp6_e2m3, mxfp6_e3m2, found "
       "'mxfp4_e4m3' (did you mean 'mxfp8_e4m3'?)"},
      {".equ COUNT, 3\nli r1, CUONT",
       "t.s:2:8: expected a constant or label that is defined, found 'CUONT' (did you mean 'COUNT'?)"},
  });
}

TEST(AssemblerErrors, OperandsAreChecked) {
  check({
      {"add r1, r2", "t.s:1:11: expected ',', found end of line"},
      {"add r1, r2, r3, r4", "t.s:1:15: expected 'wait', 'post' or end of line, found ','"},
      {"add r1, r32, r3", "t.s:1:9: expected " + kReg + ", found 'r32'"},
      {"add r1, 5, r3", "t.s:1:9: expected " + kReg + ", found '5'"},
      {"li s1, 5", "t.s:1:4: expected " + kReg + ", found 's1'"},
      {"li r1, 4294967296", "t.s:1:8: expected an immediate in -2147483648..4294967295, found 4294967296"},
      {"li r1, -2147483649", "t.s:1:8: expected an immediate in -2147483648..4294967295, found -2147483649"},
      {"li r1, r2", "t.s:1:8: expected a constant or label that is defined, found 'r2'"},
      {"li r1,", "t.s:1:7: expected a number, constant or label, found end of line"},
      {"jmp 4097", "t.s:1:5: expected a target in 0..4096, found 4097"},
      {"jmp -1", "t.s:1:5: expected a target in 0..4096, found -1"},
      {"nop\na: loop r1, a", "t.s:2:13: expected a loop end beyond the loop in 2..4096, found 1"},
      {"lw r1, 4", "t.s:1:9: expected '(', found end of line"},
      {"lw r1, 4(5)", "t.s:1:10: expected " + kReg + ", found '5'"},
      {"spost 3, r4", "t.s:1:7: expected " + kSem + ", found '3'"},
      {"spost s64, r4", "t.s:1:7: expected " + kSem + ", found 's64'"},
      {"ld npc=16", "t.s:1:8: expected npc in 1..15, found 16"},
      {"ld npc=0", "t.s:1:8: expected npc in 1..15, found 0"},
      {"mst cg=128", "t.s:1:8: expected cg in 0..127, found 128"},
      {"mm fw=mxfp4",
       "t.s:1:12: expected operand 'fa=' (mxfp4, mxfp8_e4m3, mxint8, mxfp8_e5m2, mxfp6_e2m3, mxfp6_e3m2), found end of "
       "line"},
      {"mm fa=nvfp4, fw=mxfp4",
       "t.s:1:7: expected a format for fa: mxfp4, mxfp8_e4m3, mxint8, mxfp8_e5m2, mxfp6_e2m3, mxfp6_e3m2, found "
       "'nvfp4' (did you mean 'mxfp4'?)"},
      {"mm fa=mxfp4, fw=mxfp8_e5m2",
       "t.s:1:17: expected a format for fw: mxfp4, mxfp8_e4m3, mxint8, mxfp6_e2m3, mxfp6_e3m2, nvfp4, int4g32, "
       "mxint8x2, "
       "found 'mxfp8_e5m2' (did you mean 'mxfp8_e4m3'?)"},
      {".format F, int4g32\nvqnt fmt=F",
       "t.s:2:10: expected a format for fmt: mxfp4, mxfp8_e4m3, mxint8, mxfp8_e5m2, mxfp6_e2m3, mxfp6_e3m2, found 'F'"},
      {".format F, int4",
       "t.s:1:12: expected a format: mxfp4, mxfp8_e4m3, mxint8, mxfp8_e5m2, mxfp6_e2m3, mxfp6_e3m2, nvfp4, int4g32, "
       "mxint8x2, found 'int4'"},
      {"vqnt fmt=mxfp4, rule=4", "t.s:1:22: expected rule in 0..3, found 4"},
      {"mm fa=mxfp4, fw=mxfp4, init=1", "t.s:1:28: expected 'wait', 'post' or end of line, found '='"},
      {"ld spad=r1, spad=r1", "t.s:1:13: expected operand 'spad' once, found it again"},
      {"ld spad r1", "t.s:1:9: expected '=', found 'r1'"},
      {"ld spad=r1,",
       "t.s:1:12: expected an operand of 'ld' (spad=, hbm=, len=, cnt=, sstep1=, hstep1=, sstep2=, "
       "hstep2=, npc=), found end of line"},
      {"ldsync spad=r1", "t.s:1:8: expected 'wait', 'post' or end of line ('ldsync' has no operands), found 'spad'"},
      {"mv r1, r2, 3", "t.s:1:10: expected 'wait', 'post' or end of line, found ','"},
      {"halt r1", "t.s:1:6: expected 'wait', 'post' or end of line, found 'r1'"},
  });
  EXPECT_EQ(error_of("spost s32, r4", isa::kFpga),
            "t.s:1:7: expected a semaphore (s0..s31 on fpga, or a name from .sem), found 's32'");
}

TEST(AssemblerErrors, ClausesAreChecked) {
  check({
      {"sync wait s1, s1*2", "t.s:1:15: expected two different semaphores in a clause, found s1 twice"},
      {"sync post s1, s2, s3", "t.s:1:19: expected at most two semaphores in a 'post' clause, found a third one"},
      {"sync wait s1 wait s2", "t.s:1:14: expected one 'wait' clause, found a second one"},
      {"sync post s1@1", "t.s:1:15: expected ',', found end of line"},
      {"sync post s1@8,0", "t.s:1:14: expected a column of the mesh in 0..7, found 8"},
      {"sync post s1@0,4*2", "t.s:1:16: expected a row of the mesh in 0..7, found 8"},
      {"sync post s1@0,0, s1@1,1",
       "t.s:1:19: expected at most one post to another tile in an instruction, found a second one"},
      {"sync post s1@0,0, s2, s3", "t.s:1:23: expected at most two semaphores in a 'post' clause, found a third one"},
      {"sync post s1@0,0*256, s2*256", "t.s:1:26: expected a count in 1..255, found 256"},
      {"sync wait s1@0,0", "t.s:1:13: expected 'wait', 'post' or end of line, found '@'"},
      {"sync post s1*2@-1,0", "t.s:1:16: expected a column of the mesh in 0..7, found -1"},
      {"sync wait", "t.s:1:10: expected " + kSem + ", found end of line"},
      {"sync wait s1*0", "t.s:1:14: expected a count in 1..255, found 0"},
      {"sync wait s1*256", "t.s:1:14: expected a count in 1..255, found 256"},
      {"sync wait s1*2+1", "t.s:1:15: expected 'wait', 'post' or end of line, found '+'"},
      {"sync, wait s1", "t.s:1:5: expected 'wait', 'post' or end of line, found ','"},
  });
}

TEST(AssemblerErrors, ExpressionsAreChecked) {
  const std::string big = "0x7fffffffffffffff";
  check({
      {"li r1, 1/0", "t.s:1:9: expected a divisor other than 0, found 0"},
      {"li r1, 1%(2-2)", "t.s:1:9: expected a divisor other than 0, found 0"},
      {"li r1, 1<<64", "t.s:1:9: expected a shift by 0..63, found 64"},
      {"li r1, 1>>-1", "t.s:1:9: expected a shift by 0..63, found -1"},
      {"li r1, " + big + "+1", "t.s:1:26: expected a result within 64 bits, found an overflow of '+'"},
      {"li r1, -" + big + "-2", "t.s:1:27: expected a result within 64 bits, found an overflow of '-'"},
      {"li r1, " + big + "*2", "t.s:1:26: expected a result within 64 bits, found an overflow of '*'"},
      {"li r1, 3<<62", "t.s:1:9: expected a result within 64 bits, found an overflow of '<<'"},
      {"li r1, -(-" + big + "-1)", "t.s:1:8: expected a result within 64 bits, found an overflow of '-'"},
      {"li r1, (-" + big + "-1)/-1", "t.s:1:31: expected a result within 64 bits, found an overflow of '/'"},
      {"li r1, 0x8000000000000000", "t.s:1:8: expected a number below 2^63, found '0x8000000000000000'"},
      {"li r1, 18446744073709551616", "t.s:1:8: expected a number below 2^64, found '18446744073709551616'"},
      {"li r1, (1", "t.s:1:10: expected ')', found end of line"},
      {"li r1, 1 2", "t.s:1:10: expected 'wait', 'post' or end of line, found '2'"},
      {"li r1, 0xg", "t.s:1:8: expected a number of base 16, found '0xg'"},
      {"li r1, 0b12", "t.s:1:8: expected a number of base 2, found '0b12'"},
      {"li r1, 0x", "t.s:1:8: expected a number of base 16, found '0x'"},
      {"li r1, 5a", "t.s:1:8: expected a number of base 10, found '5a'"},
      {"li r1, 'ab'",
       "t.s:1:8: expected one character in quotes, or one of '\\n' '\\t' '\\r' '\\0' '\\\\' '\\'', found ''ab''"},
      {"li r1, $", "t.s:1:8: expected a name, number or operator, found '$'"},
      {"li r1, \x01", "t.s:1:8: expected a name, number or operator, found '\\x01'"},
      {"li r1, \"a", "t.s:1:8: expected a closing '\"' on this line, found end of line"},
      {"li r1, \"a\"", "t.s:1:8: expected a number, constant or label, found text 'a'"},
      {"li r1, " + std::string(201, '-') + "1",
       "t.s:1:208: expected at most 200 nested operators and parentheses, found '-'"},
  });
}

TEST(AssemblerErrors, NamesAreChecked) {
  check({
      {"a: nop\na: nop", "t.s:2:1: expected a new name, found 'a', defined at t.s:1"},
      {".equ a, 1\n.equ a, 1", "t.s:2:6: expected a new name, found 'a', defined at t.s:1"},
      {"a: nop\n.tile 0, 0\n.equ a, 1", "t.s:3:6: expected a new name, found 'a', defined at t.s:1"},
      {".reg a, r1\na: nop", "t.s:2:1: expected a new name, found 'a', defined at t.s:1"},
      {"r7: nop", "t.s:1:1: expected a name that is no register, semaphore, 'wait' or 'post', found 'r7'"},
      {".equ s99, 1", "t.s:1:6: expected a name that is no register, semaphore, 'wait' or 'post', found 's99'"},
      {".sem wait, s1", "t.s:1:6: expected a name that is no register, semaphore, 'wait' or 'post', found 'wait'"},
      {".equ 5, 1", "t.s:1:6: expected a name of letters, digits and '_', found '5'"},
      {".a: nop", "t.s:1:1: expected a name of letters, digits and '_', found '.a'"},
      {".equ a", "t.s:1:7: expected ',', found end of line"},
      {".equ a, b\n.equ b, 1", "t.s:1:9: expected a constant or label that is defined, found 'b'"},
      {".equ a, 1 2", "t.s:1:11: expected end of line, found '2'"},
      {".reg a, 5", "t.s:1:9: expected " + kReg + ", found '5'"},
      {".sem a, r5", "t.s:1:9: expected " + kSem + ", found 'r5'"},
      {"jmp nowhere", "t.s:1:5: expected a constant or label that is defined, found 'nowhere'"},
      {"a: nop\n.tile 0, 0\njmp a", "t.s:3:5: expected a constant or label that is defined, found 'a'"},
      {".reg a, r1\nli r2, a", "t.s:2:8: expected a constant or label that is defined, found 'a'"},
  });
}

TEST(AssemblerErrors, ThreadsTilesAndSectionsAreChecked) {
  check({
      {"", "t.s:1:1: expected at least one instruction, found none"},
      {"# nothing\n", "t.s:1:1: expected at least one instruction, found none"},
      {"\na:\n", "t.s:2:1: expected at least one instruction in this section, found none"},
      {"nop\n.tile 0, 1\n.tile 1, 1\nnop", "t.s:2:1: expected at least one instruction in this section, found none"},
      {".tile 8, 0", "t.s:1:7: expected a column of the mesh in 0..7, found 8"},
      {".tile 0, -1", "t.s:1:10: expected a row of the mesh in 0..7, found -1"},
      {".tile 0", "t.s:1:8: expected ',', found end of line"},
      {".tile 0, 0\nnop\n.tile 0, 0",
       "t.s:3:1: expected one section for tile 0, 0, found a second one, the first begins at t.s:1"},
      {"\nnop\n.tile all",
       "t.s:3:1: expected one section for every tile, found a second one, the first begins at t.s:2"},
      {".thread 4, 0", "t.s:1:9: expected a thread in 0..3, found 4"},
      {"nop\n.thread 0, 0\n.thread 0, 0", "t.s:3:9: expected one entry of thread 0 in a section, found a second one"},
      {"nop\n.thread 0, 4097", "t.s:2:12: expected an entry in 0..4096, found 4097"},
      {"nop\n.thread 0, x", "t.s:2:12: expected a constant or label that is defined, found 'x'"},
      {"nop\n.thread 0", "t.s:2:10: expected ',', found end of line"},
      {".thread none\n.thread 0, 0",
       "t.s:2:1: expected '.thread none' to be the only .thread of its section, found another one"},
      {".thread 0, 0\n.thread none",
       "t.s:2:1: expected '.thread none' to be the only .thread of its section, found another one"},
      {".word 1", "t.s:1:8: expected ',', found end of line"},
      {".word 1, 2, 3", "t.s:1:11: expected end of line, found ','"},
      {".rept 4097\nnop\n.endr",
       "t.s:2:1: expected at most 4096 instructions (the instruction memory of nano), found one more"},
  });
}

}  // namespace
}  // namespace tepin::assembly
