// SPDX-License-Identifier: Apache-2.0
// The matrix unit at the size of a `jalapeno` unit (16 x 8, 256 accumulator columns), operands from its scratchpad:
// every result against the golden dot product, and how busy the array is in a long product.
#include <gtest/gtest.h>
#include <verilated.h>

#include <array>
#include <memory>
#include <random>
#include <vector>

#include "Vmxu_shape.h"
#include "sw/golden/dot.h"
#include "sw/model/panels.h"

namespace {

using namespace tepin;
using isa::Format;

constexpr std::uint32_t kRows = 16, kCols = 8;

class Shape {
 public:
  Shape() {
    context_.randReset(0);
    dut_ = std::make_unique<Vmxu_shape>(&context_);
    dut_->rst_ni = 0;
    for (int i = 0; i < 3; ++i) tick();
    dut_->rst_ni = 1;
    while (dut_->ready_o == 0) tick();
  }
  ~Shape() { dut_->final(); }
  Shape(const Shape&) = delete;
  Shape& operator=(const Shape&) = delete;

  /// bytes: a multiple of 32, to a multiple of 32.
  void write(std::uint32_t address, std::span<const std::uint8_t> bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += 32) {
      for (std::size_t i = 0; i < 8; ++i) {
        std::uint32_t v = 0;
        for (std::size_t k = 0; k < 4; ++k) v |= std::uint32_t{bytes[at + 4 * i + k]} << (8 * k);
        dut_->wr_data_i[i] = v;
      }
      dut_->wr_word_i = static_cast<std::uint16_t>((address + at) / 32);
      dut_->wr_valid_i = 1;
      for (bool done = false; !done;) {
        dut_->eval();
        done = dut_->wr_gnt_o != 0;
        tick();
      }
      dut_->wr_valid_i = 0;
    }
  }
  std::array<std::uint32_t, 8> read(std::uint32_t address) {
    dut_->rd_word_i = static_cast<std::uint16_t>(address / 32);
    dut_->rd_valid_i = 1;
    for (bool done = false; !done;) {
      dut_->eval();
      done = dut_->rd_gnt_o != 0;
      tick();
    }
    dut_->rd_valid_i = 0;
    dut_->eval();
    std::array<std::uint32_t, 8> out{};
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = dut_->rd_data_o[i];
    return out;
  }

  struct Instruction {
    isa::Op op;
    std::array<std::uint32_t, 8> args;
    std::uint32_t flags;
  };
  struct Cycles {
    std::uint64_t total = 0, steps = 0;
  };
  /// Offers them as fast as they are taken; until the unit is idle again.
  Cycles run(const std::vector<Instruction>& program) {
    Cycles c;
    std::size_t next = 0, retired = 0;
    while (retired < program.size()) {
      dut_->instr_valid_i = next < program.size();
      if (next < program.size()) {
        dut_->instr_op_i = static_cast<std::uint8_t>(program[next].op);
        dut_->instr_flags_i = static_cast<std::uint16_t>(program[next].flags);
        for (std::size_t i = 0; i < 8; ++i) dut_->instr_arg_i[i] = program[next].args[i];
      }
      dut_->eval();
      if (dut_->fault_o != 0) throw std::runtime_error("the unit faults");
      if (next < program.size() && dut_->instr_ready_o != 0) ++next;
      retired += dut_->retire_o;
      c.steps += dut_->step_o;
      ++c.total;
      if (c.total > 4'000'000) throw std::runtime_error("the unit hangs");
      tick();
    }
    dut_->instr_valid_i = 0;
    return c;
  }

 private:
  void tick() {
    dut_->eval();
    dut_->clk_i = 1;
    dut_->eval();
    dut_->clk_i = 0;
    dut_->eval();
  }
  VerilatedContext context_;
  std::unique_ptr<Vmxu_shape> dut_;
};

struct Problem {
  std::uint64_t tiles, kb, n;
  Format fa, fw;
};

struct Outcome {
  Shape::Cycles cycles;
  std::uint64_t ideal = 0;  // cycles of the array at its peak for the pair
};

/// Random operands, `tiles` row tiles one after the other, each stored beside the next; checks every result.
Outcome product(Shape& unit, const Problem& p, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  const std::size_t wbytes = golden::block_bytes(p.fw), abytes = golden::block_bytes(p.fa);
  const auto mask = [](Format f) {
    return static_cast<std::uint8_t>(f == Format::kMxfp6E2m3 || f == Format::kMxfp6E3m2 ? 0x3f : 0xff);
  };
  const auto fill = [&](std::vector<std::uint8_t>& v, Format f) {
    for (auto& b : v) {
      b = static_cast<std::uint8_t>(rng() & mask(f));
      if (f == Format::kMxfp8E4m3 && (b & 0x7f) == 0x7f) b = 0;
    }
  };
  const std::uint64_t m = p.tiles * kRows;
  std::vector<std::uint8_t> w(m * p.kb * wbytes), ws(m * p.kb), a(p.n * p.kb * abytes), as(p.n * p.kb);
  fill(w, p.fw);
  fill(a, p.fa);
  for (auto& s : ws) s = static_cast<std::uint8_t>(120 + rng() % 9);
  for (auto& s : as) s = static_cast<std::uint8_t>(120 + rng() % 9);

  const model::WeightLayout layout{m, p.kb, kRows, p.fw};
  const model::ActivationLayout al{p.n, p.kb, p.fa};
  const auto panel = model::make_activation_panel(al, a, as);
  const auto a_at = std::uint32_t{0}, as_at = static_cast<std::uint32_t>(panel.codes.size());
  const auto w_at = as_at + static_cast<std::uint32_t>(panel.scales.size());
  const auto y_at = (w_at + static_cast<std::uint32_t>(layout.bytes()) + 63) / 64 * 64;
  const auto tile = static_cast<std::uint32_t>(layout.tile_bytes());
  unit.write(a_at, panel.codes);
  unit.write(as_at, panel.scales);
  unit.write(w_at, model::make_weight_panels(layout, w, ws));

  std::vector<Shape::Instruction> program;
  const auto flags = static_cast<std::uint32_t>(p.fa) | static_cast<std::uint32_t>(p.fw) << 4;
  const auto n = static_cast<std::uint32_t>(p.n);
  for (std::uint32_t t = 0; t < p.tiles; ++t) {
    const std::uint32_t at = w_at + t * tile;
    program.push_back(
        {isa::Op::kMm,
         {at, at + static_cast<std::uint32_t>(layout.scales_offset()), a_at, as_at, static_cast<std::uint32_t>(p.kb), n,
          static_cast<std::uint32_t>(al.astep()), static_cast<std::uint32_t>(al.asstep())},
         flags | 1U << 8});
    program.push_back({isa::Op::kMst, {y_at + t * n * 64, 64, n}, 0});
  }
  Outcome out;
  out.cycles = unit.run(program);
  const auto passes = static_cast<std::uint64_t>(isa::kFormats[static_cast<std::size_t>(p.fa)].parts *
                                                 isa::kFormats[static_cast<std::size_t>(p.fw)].digits);
  out.ideal = p.tiles * p.kb * ((p.n + kCols - 1) / kCols) * passes;

  const auto blocks = [](Format f, const std::vector<std::uint8_t>& codes, const std::vector<std::uint8_t>& scales) {
    std::vector<golden::Block> b(scales.size());
    for (std::size_t i = 0; i < b.size(); ++i) {
      b[i].scale = scales[i];
      golden::unpack_codes(f, &codes[i * golden::block_bytes(f)], b[i].codes);
    }
    return b;
  };
  const auto wb = blocks(p.fw, w, ws), ab = blocks(p.fa, a, as);
  for (std::uint64_t t = 0; t < p.tiles; ++t) {
    for (std::uint64_t c = 0; c < p.n; ++c) {
      for (std::uint32_t half = 0; half < 2; ++half) {
        const auto got = unit.read(static_cast<std::uint32_t>(y_at + (t * p.n + c) * 64 + half * 32));
        for (std::uint64_t r = 0; r < 8; ++r) {
          const std::uint64_t row = t * kRows + half * 8 + r;
          std::uint32_t acc = 0;
          for (std::uint64_t k = 0; k < p.kb; ++k)
            acc = golden::accumulate(acc, golden::dot(p.fw, wb[row * p.kb + k], p.fa, ab[c * p.kb + k]));
          if (got[r] != acc) {
            ADD_FAILURE() << "row " << row << " column " << c << ": " << std::hex << got[r] << ", expected " << acc;
            return out;
          }
        }
      }
    }
  }
  return out;
}

TEST(MxuShape, EveryResultIsExactAtOddSizes) {
  Shape unit;
  std::uint64_t seed = 1;
  for (const Format fa : {Format::kMxfp4, Format::kMxint8, Format::kMxfp8E4m3}) {
    for (const Format fw : {Format::kMxfp4, Format::kMxfp6E2m3, Format::kMxfp8E4m3}) {
      for (const std::uint64_t n : {1, 7, 8, 31, 33, 100, 256}) product(unit, {2, 3, n, fa, fw}, seed++);
    }
  }
}

// The design's goal: at least 98 % of the array's peak in a long product, results stored beside the next tile's.
TEST(MxuShape, ALongProductKeepsTheArrayBusy) {
  Shape unit;
  for (const Format fa : {Format::kMxfp4, Format::kMxint8, Format::kMxfp8E4m3}) {
    const Outcome o = product(unit, {4, fa == Format::kMxfp4 ? 128U : 96U, 256, fa, Format::kMxfp4}, 99);
    const double util = static_cast<double>(o.ideal) / static_cast<double>(o.cycles.total);
    RecordProperty(std::string(isa::kFormats[static_cast<std::size_t>(fa)].name), std::to_string(util));
    std::printf("16 x 8, K %u, N 256, %s: %llu of %llu cycles, mac_util %.1f %%\n",
                fa == Format::kMxfp4 ? 4096U : 3072U, isa::kFormats[static_cast<std::size_t>(fa)].name.data(),
                static_cast<unsigned long long>(o.ideal), static_cast<unsigned long long>(o.cycles.total), 100 * util);
    EXPECT_GE(util, 0.98);
  }
}

}  // namespace
