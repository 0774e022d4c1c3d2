// SPDX-License-Identifier: Apache-2.0
// Macros, .rept and .include.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "sw/asm/assembler.h"
#include "sw/isa/program.h"
#include "sw/support/atomic_file.h"

namespace tepin::assembly {
namespace {

using ::testing::HasSubstr;

std::vector<isa::Word> code(std::string_view source) { return assemble(source, "t.s", isa::kNano).sections.at(0).code; }

std::string error_of(std::string_view source) {
  try {
    (void)assemble(source, "t.s", isa::kNano);
  } catch (const isa::InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Expander, MacrosSubstituteArgumentsDefaultsAndKeywords) {
  EXPECT_EQ(code(".macro m a, b=7 + 1, c=r2\nli \\a, \\b # \\x\nadd \\a, \\c, \\c\n.endm\nm r1\nm r3, 5\nm r4, c=r5\nm "
                 "r6, , r7"),
            code("li r1, 8\nadd r1,r2,r2\nli r3, 5\nadd r3,r2,r2\nli r4,8\nadd r4,r5,r5\nli r6, 8\nadd r6,r7,r7"));
  EXPECT_EQ(code(".macro m n\nli r\\n, \\n\\()0\n.endm\nm 3"), code("li r3, 30"));
  EXPECT_EQ(code(".macro m x\n ld \\x\n.endm\nm npc=2"), code("ld npc=2"));
  EXPECT_EQ(code(".macro m x\nli r1, \\x + '\\n'\n.endm\nm ','"), code("li r1, ',' + 10"));
}

TEST(Expander, TheCounterMakesLabelsUnique) {
  EXPECT_EQ(code(".macro wait_for r\nl\\@: bne \\r, r0, l\\@\n.endm\nwait_for r1\nwait_for r2"),
            code("a: bne r1, r0, a\nb: bne r2, r0, b"));
  EXPECT_EQ(code(".rept 2\nl\\@: jmp l\\@\n.endr"), code("jmp 0\njmp 1"));
}

TEST(Expander, MacrosCallMacrosAndStandBehindLabels) {
  EXPECT_EQ(code(".macro one r\nli \\r, 1\n.endm\n.macro two r, s\none \\r\none \\s\n.endm\nnop\nx: two r1, r2\njmp x"),
            code("nop\nx: li r1, 1\nli r2, 1\njmp x"));
  EXPECT_EQ(code(".macro def n\n.macro \\n\nhalt\n.endm\n.endm\ndef stop\nstop"), code("halt"));
}

TEST(Expander, ReptRepeatsAndNests) {
  EXPECT_EQ(code(".equ N, 2\nx: .rept N + 1\nnop\n.rept 2\nhalt\n.endr\n.endr\njmp x"),
            code("x: nop\nhalt\nhalt\nnop\nhalt\nhalt\nnop\nhalt\nhalt\njmp x"));
  EXPECT_EQ(code(".rept 0\nthis is not looked at $\n.endr\nnop").size(), 1U);
}

TEST(Expander, ErrorsPointIntoTheMacroAndNameTheCall) {
  const std::string m = ".macro m a, b=1\nli \\a, \\b\n.endm\n";
  EXPECT_EQ(error_of(m + "m 5"),
            "t.s:2:4: expected a register (r0..r31 or a name from .reg), found '5' (in macro 'm' called at t.s:4)");
  EXPECT_EQ(error_of(m + ".macro n\nm 5\n.endm\nn"),
            "t.s:2:4: expected a register (r0..r31 or a name from .reg), found '5' (in macro 'm' called at t.s:5) (in "
            "macro 'n' called at t.s:7)");
  EXPECT_EQ(error_of(m + " m"), "t.s:4:2: expected a value for parameter 'a' of macro 'm', found none");
  EXPECT_EQ(error_of(m + "m r1, 2, 3"), "t.s:4:1: expected at most 2 arguments of macro 'm', found '3'");
  EXPECT_EQ(error_of(m + "m r1, a=r2"), "t.s:4:1: expected parameter 'a' of macro 'm' once, found 'a=r2' as well");
  EXPECT_EQ(error_of(".macro m\nli \\q, 1\n.endm\nm"),
            "t.s:2:4: expected \\@, \\() or a parameter of the macro, found '\\q'");
}

TEST(Expander, BlocksMustMatch) {
  EXPECT_EQ(error_of("nop\n .endm"), "t.s:2:2: expected a '.macro' that it ends, found '.endm'");
  EXPECT_EQ(error_of(".endr"), "t.s:1:1: expected a '.rept' that it ends, found '.endr'");
  EXPECT_EQ(error_of("nop\n.macro m\nnop\n"), "t.s:2:1: expected '.endm' after '.macro', found end of file");
  EXPECT_EQ(error_of(".rept 2\n.rept 2\n.endr\n"), "t.s:1:1: expected '.endr' after '.rept', found end of file");
  EXPECT_EQ(error_of(".rept 2\n.endr x"), "t.s:2:7: expected end of line, found 'x'");
  EXPECT_EQ(error_of(".rept -1\n.endr"), "t.s:1:7: expected a count of 0..4000000, found -1");
  EXPECT_EQ(error_of(".rept 1, 2\n.endr"), "t.s:1:8: expected end of line, found ','");
}

TEST(Expander, MacroDefinitionsAreChecked) {
  EXPECT_EQ(error_of(".macro add\n.endm"), "t.s:1:8: expected a macro name that is no instruction, found 'add'");
  EXPECT_EQ(error_of(".macro 5\n.endm"), "t.s:1:8: expected a macro name, found '5'");
  EXPECT_EQ(error_of(".macro .x\n.endm"), "t.s:1:8: expected a macro name, found '.x'");
  EXPECT_EQ(error_of(".macro m\n.endm\n.macro m\n.endm"),
            "t.s:3:8: expected a new macro name, found 'm', defined at t.s:1");
  EXPECT_EQ(error_of(".macro m a, a\n.endm"), "t.s:1:13: expected a new parameter name, found 'a' twice");
  EXPECT_EQ(error_of(".macro m a, ,b\n.endm"), "t.s:1:13: expected a parameter: name or name=default, found ''");
  EXPECT_EQ(error_of(".macro m a b\n.endm"), "t.s:1:10: expected a parameter: name or name=default, found 'a b'");
}

TEST(Expander, ArgumentsThatGrowWithoutEndAreStopped) {
  EXPECT_THROW((void)assemble(".macro m a\n m \\a\\a\n.endm\n m xxxxxxxxxxxxxxxx\n", "f.s", isa::kNano),
               isa::InputError);
}

TEST(Expander, RunawayExpansionIsStopped) {
  EXPECT_THAT(error_of(".macro m\nm\n.endm\nm"),
              HasSubstr("t.s:2:1: expected at most 64 nested macro calls, .rept and .include, found one more (a macro "
                        "or file that uses itself?)"));
  EXPECT_THAT(error_of(".macro a\nb\nb\n.endm\n.macro b\na\na\n.endm\na"), HasSubstr("expected at most 64 nested"));
  EXPECT_EQ(error_of(".rept 4000\n.rept 4000\n.endr\n.endr"),
            "t.s:2:1: expected at most 4000000 lines after expansion, found one more");
}

class Include : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "tepin_include_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    dir_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  void put(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories((dir_ / name).parent_path());
    support::write_file((dir_ / name).string(), text);
  }
  [[nodiscard]] std::string error_of_file(const std::string& name) const {
    try {
      (void)assemble_file((dir_ / name).string(), isa::kNano);
    } catch (const isa::InputError& e) {
      return std::string(e.what()).substr(dir_.string().size() + 1);
    }
    return "no error";
  }
  std::filesystem::path dir_;
};

TEST_F(Include, PathsAreRelativeToTheIncludingFile) {
  put("main.s", ".include \"lib/a.s\"\nl: load r1\njmp l");
  put("lib/a.s", ".include \"b.s\"\n");
  put("lib/b.s", ".macro load r\nli \\r, VALUE\n.endm\n.equ VALUE, 9\n");
  EXPECT_EQ(assemble_file((dir_ / "main.s").string(), isa::kNano).sections.at(0).code, code("li r1, 9\njmp 0"));
}

TEST_F(Include, ErrorsNameTheIncludedFile) {
  put("main.s", "nop\n.include \"b.s\"");
  put("b.s", "\nadd r1");
  EXPECT_EQ(error_of_file("main.s"), "b.s:2:7: expected ',', found end of line");
  put("main.s", ".include \"no.s\"");
  EXPECT_THAT(error_of_file("main.s"), HasSubstr("main.s:1:10: expected a file that can be read, found 'no.s' ("));
  EXPECT_THAT(error_of_file("main.s"), HasSubstr("No such file or directory)"));
  put("main.s", ".include b.s");
  EXPECT_EQ(error_of_file("main.s"), "main.s:1:10: expected a file name in double quotes, found 'b.s'");
  put("main.s", ".include \"main.s\"");
  EXPECT_THAT(error_of_file("main.s"), HasSubstr("expected at most 64 nested macro calls, .rept and .include"));
}

}  // namespace
}  // namespace tepin::assembly
