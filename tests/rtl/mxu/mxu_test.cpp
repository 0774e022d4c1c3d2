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

// Every pair of formats in turn, other operands and column groups each time, with and without a store in between.
TEST(Mxu, SwitchesFormatAndTileWithinFourCycles) {
  std::vector<std::pair<isa::Format, isa::Format>> pairs;
  for (std::size_t fa = 0; fa < isa::kFormats.size(); ++fa) {
    for (std::size_t fw = 0; fw < isa::kFormats.size(); ++fw) {
      if (isa::kFormats[fa].parts != 0 && isa::kFormats[fw].digits != 0)
        pairs.emplace_back(static_cast<isa::Format>(fa), static_cast<isa::Format>(fw));
    }
  }
  for (const bool store : {false, true}) {
    // Eight columns: two groups of accumulators, another two for the next product.
    const auto program = [&](int rounds, std::uint64_t* own) {
      std::string s =
          " li r1, 0\n li r2, 0x2000\n li r3, 0x4000\n li r9, 0x2180\n li r4, 5\n li r5, 8\n li r6, 1024\n li r7, "
          "0x10000\n li r8, 288\n li r11, 0x8000\n li r12, 0xa000\n li r13, 0xc000\n li r19, 0xa180\n";
      int at = 0;
      for (int round = 0; round < rounds; ++round) {
        // A stride that is prime to their number mixes them.
        for (std::size_t i = 0; i < pairs.size(); ++i, ++at) {
          const auto& [fa, fw] = pairs[i * 11 % pairs.size()];
          const bool other = at % 2 != 0;
          s +=
              fmt::format(" mm w={}, ws={}, a={}, as={}, kb=r4, n=r5, astep=r6, asstep=r6, fa={}, fw={}, init, cg={}\n",
                          other ? "r11" : "r1", other ? "r12" : "r2", other ? "r13" : "r3", other ? "r19" : "r9",
                          isa::kFormats[static_cast<std::size_t>(fa)].name,
                          isa::kFormats[static_cast<std::size_t>(fw)].name, at % 4 * 2);
          if (store) s += fmt::format(" mst dst=r7, pitch=r8, n=r5, cg={}\n", at % 4 * 2);
          if (round == 0 && own != nullptr) *own += kernels::mm_cycles(isa::kNano, 5, 8, fa, fw) + (store ? 1 : 0);
        }
      }
      return s + " halt\n";
    };
    std::uint64_t own = 0;
    const std::string once = program(1, &own);
    const std::uint64_t step = cycles(program(2, nullptr)) - cycles(once);
    EXPECT_GE(step, own);
    EXPECT_LE(step, own + 4 * pairs.size()) << (store ? "with stores" : "without stores");
    std::printf("%zu switches of format and tile%s: %.2f idle cycles each\n", pairs.size(), store ? " with stores" : "",
                static_cast<double>(step - own) / static_cast<double>(pairs.size()));
  }
}

TEST(Mxu, AStoreRunsBesideTheNextProduct) {
  const std::uint64_t with =
      (cycles(products(7, 16, 32, "mxint8", true)) - cycles(products(3, 16, 32, "mxint8", true))) / 4;
  EXPECT_LE(with, kernels::mm_cycles(isa::kNano, 16, 32, isa::Format::kMxint8) + 8);
}

}  // namespace
