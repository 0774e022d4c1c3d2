// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "sw/kernels/gemm.h"
#include "tests/rtl/engine_run.h"

namespace {

using namespace tepin;
using rtl_test::cycles;

/// `count` products in a row: kb blocks, n columns. Operands are zeros in the initialised scratchpad. Steps of 1 KiB
/// keep each kind of operand in banks of its own, so no fetch loses a cycle to another.
std::string products(int count, int kb, int n, std::string_view fa, bool store = false) {
  std::string s = fmt::format(
      " li r1, 0\n li r2, 0x2000\n li r3, 0x4000\n li r9, 0x2180\n li r4, {}\n li r5, {}\n li r6, 1024\n li r7, "
      "0x10000\n li r8, 288\n",
      kb, n);
  for (int i = 0; i < count; ++i) {
    s += fmt::format(" mm w=r1, ws=r2, a=r3, as=r9, kb=r4, n=r5, astep=r6, asstep=r6, fa={}, fw=mxfp4, init\n", fa);
    if (store) s += " mst dst=r7, pitch=r8, n=r5\n";
  }
  return s + " halt\n";
}

TEST(Mxu, OccupancyIsThePublishedFormulaExactly) {
  // Two lengths of one instruction: what differs is the occupancy of the blocks between.
  for (const isa::Format f : {isa::Format::kMxfp4, isa::Format::kMxfp8E4m3, isa::Format::kMxint8}) {
    for (const int n : {1, 4, 5, 8, 13, 31, 32}) {
      const auto name = isa::kFormats[static_cast<std::size_t>(f)].name;
      const std::uint64_t measured = cycles(products(1, 40, n, name)) - cycles(products(1, 20, n, name));
      const auto un = static_cast<std::uint64_t>(n);
      EXPECT_EQ(measured, kernels::mm_cycles(isa::kNano, 40, un, f) - kernels::mm_cycles(isa::kNano, 20, un, f))
          << name << " n " << n;
    }
  }
}

TEST(Mxu, SwitchesToTheNextOperationWithinFourCycles) {
  for (const isa::Format f : {isa::Format::kMxfp4, isa::Format::kMxfp8E4m3, isa::Format::kMxint8}) {
    for (const int n : {4, 8, 32}) {
      const auto name = isa::kFormats[static_cast<std::size_t>(f)].name;
      const std::uint64_t own = kernels::mm_cycles(isa::kNano, 16, static_cast<std::uint64_t>(n), f);
      const std::uint64_t step = (cycles(products(7, 16, n, name)) - cycles(products(3, 16, n, name))) / 4;
      EXPECT_LE(step, own + 4) << name << " n " << n;
      EXPECT_GE(step, own);
    }
  }
}

TEST(Mxu, AStoreRunsBesideTheNextProduct) {
  const std::uint64_t with =
      (cycles(products(7, 16, 32, "mxint8", true)) - cycles(products(3, 16, 32, "mxint8", true))) / 4;
  EXPECT_LE(with, kernels::mm_cycles(isa::kNano, 16, 32, isa::Format::kMxint8) + 8);
}

}  // namespace
