// SPDX-License-Identifier: Apache-2.0
// Random, mostly wrong operands of every engine instruction: whether it faults, and with which cause, is as in the
// golden model.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <map>

#include "support.h"

namespace tepin::tb::testing {
namespace {

/// Values at and around every limit.
std::uint32_t operand(std::mt19937_64& rng, isa::Op op, std::string_view field) {
  constexpr std::array<std::uint32_t, 34> kValues{
      0,      1,      2,      3,      4,      8,       16,         31,         32,         33,        48,     64,
      96,     128,    256,    288,    1024,   4096,    8192,       65535,      65536,      65537,     131008, 131040,
      131056, 131071, 131072, 131104, 131088, 0x10020, 0x7fffffe0, 0x80000000, 0xffffffe0, 0xffffffff};
  const bool dma = op == isa::Op::kLd || op == isa::Op::kSt;
  if (dma && field == "cnt" && rng() % 8 != 0) return static_cast<std::uint32_t>(rng() % 3 | (rng() % 3) << 16);
  if (dma && field == "hbm") {
    constexpr std::array<std::uint32_t, 8> kHbm{0,        8,        100,      16777215,
                                                16777208, 1U << 26, 2U << 26, (1U << 26) + 16777214};
    return rng() % 4 == 0 ? static_cast<std::uint32_t>(rng()) : kHbm[rng() % kHbm.size()];
  }
  if (rng() % 3 != 0) return kValues[rng() % 20];  // often small, so that later checks are reached
  return rng() % 10 == 0 ? static_cast<std::uint32_t>(rng()) : kValues[rng() % kValues.size()];
}

TEST(OperandFaults, RandomOperandsFaultAsInTheGoldenModel) {
  TileSim sim({.checked = true});
  Bytes image = random_bytes(kTileConfig.spad_bytes, 3);
  for (auto& b : image) b &= 0x3f;
  sim.window_write(0, image);
  std::vector<const isa::Instr*> instrs, transfers;
  for (int op = 0; op < 256; ++op) {
    const isa::Instr* i = isa::find_instr(static_cast<std::uint8_t>(op));
    if (i == nullptr || i->engine == isa::Engine::kSeq || i->engine == isa::Engine::kNet || i->fields.empty()) continue;
    instrs.push_back(i);
    if (i->engine == isa::Engine::kLd || i->engine == isa::Engine::kSt) transfers.push_back(i);
  }
  std::map<isa::Cause, std::uint64_t> seen;
  std::uint64_t done = 0;
  const std::uint64_t first = first_seed();
  const std::uint64_t count = cases(1200);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    std::mt19937_64 rng(seed);
    // Only a few transfers come as far as the check of their HBM addresses, so they are drawn more often.
    const auto& among = rng() % 5 == 0 ? transfers : instrs;
    const isa::Instr& instr = *among[rng() % among.size()];
    std::string setup, text(instr.name);
    std::map<std::string_view, std::uint32_t> values;
    const char* separator = " ";
    int reg = 1;
    for (const isa::Field& f : instr.fields) {
      if (f.kind == isa::FieldKind::kReg) {
        values[f.name] = operand(rng, instr.op, f.name);
        setup += fmt::format("li r{}, {}\n", reg, values[f.name]);
        text += fmt::format("{}{}=r{}", separator, f.name, reg++);
      } else if (f.kind == isa::FieldKind::kFormat) {
        std::size_t format = rng() % isa::kNumFormats;
        while ((f.allow >> format & 1) == 0) format = rng() % isa::kNumFormats;
        text += fmt::format("{}{}={}", separator, f.name, isa::kFormats[format].name);
      } else if (f.kind == isa::FieldKind::kBool) {
        text += fmt::format("{}{}", separator, f.name);
      } else {
        text += fmt::format("{}{}={}", separator, f.name, f.name == "cg" ? rng() % 12 : 1 + rng() % 3);
      }
      separator = ", ";
    }
    // Transfers of millions of runs that never leave the memories are legal, and too long.
    if (values.contains("cnt") && ((values["cnt"] & 0xffff) > 64 || values["cnt"] >> 16 > 64) &&
        (values["sstep1"] == 0 || values["sstep2"] == 0))
      continue;
    const isa::Section section = assemble(".thread 2, m\nm: " + setup + text + "\nhalt\n");
    golden::Machine machine(kTileConfig, {.check_races = false, .check_written = false, .nan_trap = true});
    machine.load_spad(0, image);
    const golden::Outcome o = machine.run(section);
    ASSERT_NE(o.status, golden::Status::kError) << o.text();
    SCOPED_TRACE(fmt::format("{}{}\n{}", setup, text, o.text()));
    sim.soft_reset();
    sim.load(section);
    const RunResult r = sim.run(400'000);
    const auto name = [](isa::Cause c) { return isa::kCauses[static_cast<std::size_t>(c)].name; };
    if (o.status == golden::Status::kDone) {
      ASSERT_EQ(r.stop, Stop::kDone) << name(r.fault.cause) << "; " << replay(seed);
      ++done;
      // What it wrote must not change what others read.
      if (r.cycles > 0) sim.window_write(0, image);
      continue;
    }
    ASSERT_EQ(r.stop, Stop::kFault) << replay(seed);
    ASSERT_EQ(name(r.fault.cause), name(o.fault.cause)) << replay(seed);
    ASSERT_EQ(r.fault.engine, o.fault.engine) << replay(seed);
    ASSERT_EQ(r.fault.pc, o.fault.pc) << replay(seed);
    ++seen[o.fault.cause];
    if (o.fault.cause == isa::Cause::kBadHbmAddr || o.fault.cause == isa::Cause::kMxuNan || instr.op == isa::Op::kVdqt)
      sim.window_write(0, image);
  }
  std::printf("%llu done, bad_operand %llu, misaligned %llu, bad_spad_addr %llu, bad_hbm_addr %llu\n",
              static_cast<unsigned long long>(done), static_cast<unsigned long long>(seen[isa::Cause::kBadOperand]),
              static_cast<unsigned long long>(seen[isa::Cause::kMisaligned]),
              static_cast<unsigned long long>(seen[isa::Cause::kBadSpadAddr]),
              static_cast<unsigned long long>(seen[isa::Cause::kBadHbmAddr]));
  if (count < 1200) return;
  EXPECT_GE(done, 60U);
  EXPECT_GE(seen[isa::Cause::kBadOperand], 200U);
  EXPECT_GE(seen[isa::Cause::kMisaligned], 300U);
  EXPECT_GE(seen[isa::Cause::kBadSpadAddr], 30U);
  EXPECT_GE(seen[isa::Cause::kBadHbmAddr], 8U);
}

}  // namespace
}  // namespace tepin::tb::testing
