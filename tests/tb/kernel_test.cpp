// SPDX-License-Identifier: Apache-2.0
// Every shipped kernel over a table of shapes on the RTL in lockstep. The expected results come from block dot products
// of the row-major operands, not from panels, plans or programs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support.h"
#include "sw/golden/dot.h"
#include "sw/isa/program.h"
#include "sw/kernels/gemm.h"

namespace tepin::tb::testing {
namespace {

using isa::Format;
using kernels::GemmKernel;

constexpr std::array<Format, 3> kFormats{Format::kMxfp4, Format::kMxfp8E4m3, Format::kMxint8};
std::string name_of(Format f) { return std::string(isa::kFormats[static_cast<std::size_t>(f)].name); }

/// Row-major operands with their bytes.
struct Operands {
  Operands(std::uint64_t m, std::uint64_t kb, std::uint64_t n, Format act, std::uint64_t seed) {
    w_codes = random_bytes(m * kb * 16, seed);
    a_codes = random_bytes(n * kb * golden::block_bytes(act), seed + 1);
    w_scales = random_bytes(m * kb, seed + 2);
    a_scales = random_bytes(n * kb, seed + 3);
    for (auto& s : w_scales) s = static_cast<std::uint8_t>(117 + s % 20);
    for (auto& s : a_scales) s = static_cast<std::uint8_t>(117 + s % 20);
    if (act == Format::kMxfp8E4m3) {
      for (auto& c : a_codes) c = (c & 0x7f) == 0x7f ? c ^ 1 : c;  // no NaN
    }
    op = {m, kb, n, act, w_codes, w_scales, a_codes, a_scales};
  }
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;

  [[nodiscard]] std::vector<std::uint32_t> product() const {
    const auto block = [](const Bytes& codes, const Bytes& scales, Format f, std::size_t i) {
      golden::Block b;
      b.scale = scales[i];
      golden::unpack_codes(f, &codes[i * golden::block_bytes(f)], b.codes);
      return b;
    };
    std::vector<std::uint32_t> y(op.n * op.m);
    for (std::size_t c = 0; c < op.n; ++c) {
      for (std::size_t r = 0; r < op.m; ++r) {
        std::uint32_t acc = 0;
        for (std::size_t kb = 0; kb < op.kb; ++kb) {
          acc = golden::accumulate(
              acc, golden::dot(Format::kMxfp4, block(w_codes, w_scales, Format::kMxfp4, r * op.kb + kb), op.act,
                               block(a_codes, a_scales, op.act, c * op.kb + kb)));
        }
        y[c * op.m + r] = acc;
      }
    }
    return y;
  }

  Bytes w_codes, w_scales, a_codes, a_scales;
  kernels::GemmOperands op;
};

std::array<MemoryTiming, 3> timings(std::uint64_t seed) {
  MemoryTiming rough{.read_latency = 180, .write_latency = 50, .seed = seed, .stall = 0.3, .reorder = true};
  MemoryTiming quick{.read_latency = 1, .write_latency = 1};
  return {MemoryTiming{}, rough, quick};
}

struct Shape {
  std::uint64_t m, kb, n;
  GemmKernel kernel;
  std::string launched;  // which kernel it must be
};

void run_shapes(TileSim& sim, const std::vector<Shape>& shapes, std::size_t timings_used) {
  std::uint64_t values = 0, checked = 0;
  for (const Shape& s : shapes) {
    for (const Format f : kFormats) {
      const std::uint64_t seed = s.m * 10000 + s.kb * 100 + s.n;
      const Operands operands(s.m, s.kb, s.n, f, seed);
      const kernels::Launch launch = kernels::plan_gemm(kTileConfig, operands.op, s.kernel);
      ASSERT_EQ(launch.name, s.launched) << fmt::format("{} x {} x {}", s.m, s.kb * 32, s.n);
      EXPECT_EQ(launch.useful_macs, s.m * s.kb * 32 * s.n);
      const std::vector<std::uint32_t> expected = operands.product();
      for (std::size_t t = 0; t < timings_used; ++t) {
        SCOPED_TRACE(fmt::format("{} M {} K {} N {} {} timing {}", s.launched, s.m, s.kb * 32, s.n, name_of(f), t));
        set_timing(sim, timings(seed)[t]);
        // The last result must not be what is found.
        for (const auto& o : launch.outputs)
          sim.memory(static_cast<int>(o.channel)).store(o.address, Bytes(o.bytes.size(), 0xee));
        const LaunchResult r = run_rtl(sim, launch, 3'000'000);
        ASSERT_EQ(r.rtl.stop, Stop::kDone) << r.rtl.fault.text() << r.golden.text();
        ASSERT_EQ(r.first_mismatch, "");
        ASSERT_EQ(kernels::gemm_result(launch, operands.op, r.outputs.at(0)), expected);
        values += expected.size();
        checked += r.checked;
      }
    }
  }
  EXPECT_GE(values, shapes.size() * 3 * timings_used);
  EXPECT_GE(checked, shapes.size() * 3 * timings_used * 1000);
}

constexpr auto kR = GemmKernel::kResident;
constexpr auto kV = GemmKernel::kGemv;
constexpr auto kS = GemmKernel::kStream;
constexpr auto kA = GemmKernel::kAuto;

const std::vector<Shape> kResidentShapes{{1, 1, 1, kR, "gemm"},   {8, 1, 1, kR, "gemm"},    {9, 3, 7, kR, "gemm"},
                                         {17, 9, 32, kR, "gemm"}, {16, 8, 33, kR, "gemm"},  {25, 17, 65, kR, "gemm"},
                                         {40, 2, 5, kA, "gemm"},  {33, 16, 31, kA, "gemm"}, {8, 64, 32, kA, "gemm"}};
const std::vector<Shape> kVectorShapes{{1, 1, 1, kA, "gemv"},   {8, 1, 2, kV, "gemv"},   {17, 5, 3, kA, "gemv"},
                                       {33, 30, 4, kA, "gemv"}, {100, 7, 1, kA, "gemv"}, {9, 90, 1, kA, "gemv"}};
const std::vector<Shape> kStreamShapes{{1, 2, 1, kS, "gemm_stream"},    {9, 3, 7, kS, "gemm_stream"},
                                       {16, 32, 33, kS, "gemm_stream"}, {17, 33, 5, kS, "gemm_stream"},
                                       {11, 17, 65, kS, "gemm_stream"}, {24, 16, 32, kS, "gemm_stream"}};

TEST(Kernels, GemmIsTheExactProduct) {
  TileSim sim;
  run_shapes(sim, kResidentShapes, 3);
}
TEST(Kernels, GemvIsTheExactProduct) {
  TileSim sim;
  run_shapes(sim, kVectorShapes, 3);
}
TEST(Kernels, GemmStreamIsTheExactProduct) {
  TileSim sim;
  run_shapes(sim, kStreamShapes, 3);
}
TEST(Kernels, AreExactOnTheCheckedModel) {
  TileSim sim({.checked = true, .x_seed = 5});
  run_shapes(sim,
             {{9, 3, 7, kR, "gemm"}, {25, 17, 33, kR, "gemm"}, {17, 5, 3, kV, "gemv"}, {17, 33, 5, kS, "gemm_stream"}},
             2);
}
TEST(Kernels, KTooLargeToBeResidentStreams) {
  TileSim sim;
  run_shapes(sim, {{9, 500, 6, kA, "gemm_stream"}}, 1);
}

TEST(Kernels, CopyMovesEveryByte) {
  TileSim sim({.checked = true});
  for (const std::uint64_t beats : {1U, 7U, 8U, 9U, 16U, 17U, 127U, 128U, 129U, 500U}) {
    const Bytes data = random_bytes(beats * 32, beats);
    const kernels::Launch launch = kernels::plan_copy(kTileConfig, data);
    for (const MemoryTiming& t : timings(beats)) {
      set_timing(sim, t);
      for (const auto& o : launch.outputs)
        sim.memory(static_cast<int>(o.channel)).store(o.address, Bytes(o.bytes.size(), 0xee));
      const LaunchResult r = run_rtl(sim, launch, 100'000);
      ASSERT_EQ(r.rtl.stop, Stop::kDone);
      ASSERT_EQ(r.first_mismatch, "") << beats;
      // Chunks of at most 128 beats, each striped over both channels in units of 256 bytes.
      const std::uint64_t len = std::min<std::uint64_t>(beats, 128);
      const std::uint64_t chunk_beats = (len + 15) / 16 * 8;
      const std::uint64_t base = launch.outputs[0].address;
      for (std::uint64_t b = 0; b < beats; ++b) {
        const std::uint64_t unit = b % len / 8;
        Bytes at(32);
        sim.memory(static_cast<int>(unit % 2))
            .load(base + (b / len * chunk_beats + unit / 2 * 8 + b % len % 8) * 32, at);
        ASSERT_TRUE(std::equal(at.begin(), at.end(), data.begin() + static_cast<std::ptrdiff_t>(b * 32)))
            << "beat " << b << " of " << beats;
      }
    }
  }
}

TEST(Kernels, QuantiseMakesThePanelOfEveryFormat) {
  TileSim sim({.checked = true});
  std::uint64_t blocks = 0;
  for (std::size_t format = 0; format < isa::kNumFormats; ++format) {
    const auto f = static_cast<Format>(format);
    const std::uint64_t unit = golden::block_bytes(f);
    for (const auto& [n, kb] : {std::pair<std::uint64_t, std::uint64_t>{1, 1}, {3, 2}, {32, 3}, {7, 9}}) {
      SCOPED_TRACE(fmt::format("{} n {} kb {}", name_of(f), n, kb));
      const Bytes bytes = random_floats(n * kb * 32, n * 100 + kb);
      std::vector<std::uint32_t> values(n * kb * 32);
      for (std::size_t i = 0; i < values.size(); ++i) {
        for (unsigned b = 0; b < 4; ++b) values[i] |= std::uint32_t{bytes[i * 4 + b]} << (8 * b);
      }
      const kernels::Launch launch = kernels::plan_quantise(kTileConfig, n, kb, f, values);
      set_timing(sim, timings(kb)[n % 3]);
      const LaunchResult r = run_rtl(sim, launch, 200'000);
      ASSERT_EQ(r.rtl.stop, Stop::kDone);
      ASSERT_EQ(r.first_mismatch, "");
      // The panel, put together from the stripes: 8 beats of channel 0, 8 of channel 1, ...
      const std::uint64_t record = (n * unit + 31) / 32 * 32 + 32;
      Bytes panel;
      std::array<std::size_t, 2> used{};
      for (std::size_t c = 0; panel.size() < kb * record; c = 1 - c) {
        const Bytes& from = r.outputs.at(c);
        const std::size_t take = std::min<std::size_t>(256, from.size() - used[c]);
        panel.insert(panel.end(), from.begin() + static_cast<std::ptrdiff_t>(used[c]),
                     from.begin() + static_cast<std::ptrdiff_t>(used[c] + take));
        used[c] += take;
      }
      for (std::uint64_t t = 0; t < n; ++t) {
        for (std::uint64_t k = 0; k < kb; ++k, ++blocks) {
          const golden::Block expected = golden::quantise(f, std::span(values).subspan((t * kb + k) * 32).first<32>());
          golden::Block actual;
          golden::unpack_codes(f, &panel[k * record + t * unit], actual.codes);
          actual.scale = panel[(k + 1) * record - 32 + t];
          ASSERT_EQ(actual, expected) << "token " << t << " block " << k;
        }
      }
    }
  }
  EXPECT_EQ(blocks, 6U * (1 + 6 + 96 + 63));
}

TEST(Kernels, PlansOfWhatCannotRunAreRefused) {
  const Operands ok(9, 3, 5, Format::kMxint8, 1);
  const auto refused = [](const kernels::GemmOperands& op, GemmKernel kernel, const std::string& about) {
    try {
      (void)kernels::plan_gemm(kTileConfig, op, kernel);
      return std::string("nothing is thrown");
    } catch (const isa::InputError& e) {
      return std::string(e.what()).find(about) == std::string::npos ? std::string("says: ") + e.what() : std::string();
    }
  };
  for (const GemmKernel kernel : {kA, kR, kV, kS}) {
    kernels::GemmOperands op = ok.op;
    op.m = 0;
    EXPECT_EQ(refused(op, kernel, "at least 1"), "");
    op = ok.op;
    op.n = 0;
    EXPECT_EQ(refused(op, kernel, "at least 1"), "");
    op = ok.op;
    op.kb = 0;
    EXPECT_EQ(refused(op, kernel, "32"), "");
    for (const Format f : {Format::kMxfp8E5m2, Format::kMxfp6E2m3, Format::kMxfp6E3m2}) {
      op = ok.op;
      op.act = f;
      EXPECT_EQ(refused(op, kernel, name_of(f)), "");
    }
  }
  EXPECT_EQ(refused(ok.op, kV, "at most 4 columns"), "");
  kernels::GemmOperands deep = ok.op;
  deep.kb = 2000;
  EXPECT_EQ(refused(deep, kR, "does not fit the scratchpad"), "");
  kernels::GemmOperands shallow = ok.op;
  shallow.kb = 1;
  EXPECT_EQ(refused(shallow, kS, "64"), "");
  kernels::GemmOperands huge = ok.op;
  huge.m = std::uint64_t{1} << 33;
  EXPECT_EQ(refused(huge, kA, "pseudo-channel"), "");
}

}  // namespace
}  // namespace tepin::tb::testing
