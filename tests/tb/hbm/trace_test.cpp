// SPDX-License-Identifier: Apache-2.0
// Parsing traces, and what each PC plays of one.
#include "tb/hbm/trace.h"

#include <gtest/gtest.h>

#include "sw/isa/program.h"

namespace tepin::tb::hbm {
namespace {

std::string error_of(std::string_view text) {
  try {
    (void)parse_trace(text, "t.trace");
  } catch (const isa::InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Trace, TakesRequestsInTheirOrder) {
  const std::vector<Request> expected{{0, false}, {0xffffffffffffffe0U, true}, {0x40, false}};
  EXPECT_EQ(parse_trace("R 0x0\nW 0xFFFFffffffffffe0\nR 0x40", "t"), expected);
}

TEST(Trace, SkipsCommentsBlanksAndCarriageReturns) {
  const std::vector<Request> expected{{0x20, false}, {0x40, true}};
  EXPECT_EQ(parse_trace("# a comment\r\n\r\n  R\t0x20 \r\n\nW 0x40\r\n", "t"), expected);
}

TEST(Trace, NamesFileLineFaultAndWhatIsAllowed) {
  const auto expect = [](std::string_view text, const std::string& start) {
    const std::string e = error_of(text);
    EXPECT_TRUE(e.starts_with(start)) << e;
    EXPECT_NE(e.find("allowed"), std::string::npos) << e;
    EXPECT_EQ(e.find('\n'), std::string::npos) << e;
  };
  expect("R 0x0\nX 0x20\n", "t.trace:2: 'X 0x20': the request is neither R nor W");
  expect("r 0x20", "t.trace:1: 'r 0x20': the request is neither R nor W");
  expect("R 0x21", "t.trace:1: 'R 0x21': the address is no multiple of 32");
  expect("R 32", "t.trace:1: 'R 32': the address does not begin with 0x");
  expect("R0x20", "t.trace:1: 'R0x20': no blank behind the request");
  expect("R", "t.trace:1: 'R': no blank behind the request");
  expect("R 0x", "t.trace:1: 'R 0x': the address is no hexadecimal number");
  expect("R 0x20 7", "t.trace:1: 'R 0x20 7': the address is no hexadecimal number");
  expect("R 0x-20", "t.trace:1: 'R 0x-20': the address is no hexadecimal number");
  expect("R 0x10000000000000000", "t.trace:1: 'R 0x10000000000000000': the address has more than 64 bits");
  expect("\n# only this\n", "t.trace: no request");
  expect("", "t.trace: no request");
  expect(std::string_view("\0 \x1b", 3), "t.trace:1: '? ?': the request is neither R nor W");
  expect(std::string(1000, 'Q'), "t.trace:1: '" + std::string(40, 'Q') + "...': the request");
}

TEST(Trace, NamesAFileThatIsNotThere) { EXPECT_THROW((void)read_trace("/nonexistent/a.trace"), isa::InputError); }

TEST(Trace, CapacityIs256MibASidAnd576MibFor3) {
  EXPECT_EQ(pc_capacity_bytes(1), 256U << 20);
  EXPECT_EQ(pc_capacity_bytes(2), 512U << 20);
  EXPECT_EQ(pc_capacity_bytes(3), 576U << 20);
  EXPECT_EQ(pc_capacity_bytes(4), 1024U << 20);
  EXPECT_THROW((void)pc_capacity_bytes(0), std::invalid_argument);
  EXPECT_THROW((void)pc_capacity_bytes(5), std::invalid_argument);
}

TEST(Trace, AddressesAreModuloTheCapacityAndPc1sAreHalfOfItFurther) {
  const std::vector<Request> trace{{0, false}, {544, true}, {576, false}, {0xffffffffffffffe0U, true}};
  const std::vector<Request> pc0{{0, false}, {544, true}, {0, false}, {0xffffffffffffffe0U % 576, true}};
  const std::vector<Request> pc1{
      {288, false}, {256, true}, {288, false}, {(0xffffffffffffffe0U % 576 + 288) % 576, true}};
  EXPECT_EQ(trace_of_pc(trace, 0, 576), pc0);
  EXPECT_EQ(trace_of_pc(trace, 1, 576), pc1);
}

}  // namespace
}  // namespace tepin::tb::hbm
