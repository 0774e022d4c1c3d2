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
  Operands(std::uint64_t m, std::uint64_t kb, std::uint64_t n, Format act, std::uint64_t seed,
           Format wgt = Format::kMxfp4, bool block_scaled = false) {
    const isa::FormatDesc& d = isa::kFormats[static_cast<std::size_t>(wgt)];
    parts = static_cast<std::size_t>(d.blocks);
    w_codes = random_bytes(m * kb * parts * golden::block_bytes(wgt), seed);
    a_codes = random_bytes(n * kb * golden::block_bytes(act), seed + 1);
    w_scales = random_bytes(m * kb * parts * static_cast<std::size_t>(d.scale_bytes), seed + 2);
    a_scales = random_bytes(n * kb, seed + 3);
    if (wgt == Format::kNvfp4) {
      for (auto& s : w_scales) s = (s & 0x7f) == 0x7f ? s ^ 1 : s;
    } else if (wgt == Format::kInt4g32) {
      for (std::size_t i = 1; i < w_scales.size(); i += 2) w_scales[i] = (w_scales[i] & 0x80) | 60 | w_scales[i] % 4;
    } else {
      for (auto& s : w_scales) s = static_cast<std::uint8_t>(117 + s % 20);
    }
    for (auto& s : a_scales) s = static_cast<std::uint8_t>(117 + s % 20);
    finite(w_codes, wgt);
    finite(a_codes, act);
    if (block_scaled) {
      block_scales.resize((m + 127) / 128 * ((kb + 3) / 4));
      for (std::size_t i = 0; i < block_scales.size(); ++i)
        block_scales[i] = 0x3c000000U + static_cast<std::uint32_t>((seed + i) * 0x9e3779b1U % 0x3000000U);
    }
    const std::uint32_t tensor_scale = wgt == Format::kNvfp4 && !block_scaled ? 0x3b9e3779U : 0x3f800000U;
    op = {m, kb, n, act, w_codes, w_scales, a_codes, a_scales, wgt, tensor_scale, block_scales};
  }
  static void finite(Bytes& codes, Format f) {
    for (auto& c : codes) {
      if (f == Format::kMxfp6E2m3 || f == Format::kMxfp6E3m2) c &= 0x3f;
      if (f == Format::kMxfp8E4m3 && (c & 0x7f) == 0x7f) c ^= 1;
      if (f == Format::kMxfp8E5m2 && (c & 0x7c) == 0x7c) c ^= 0x40;
    }
  }
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;

  [[nodiscard]] golden::BlockSum dot(std::size_t w, const golden::Block& a) const {
    const std::uint8_t* codes = &w_codes[w * golden::block_bytes(op.wgt)];
    golden::Block b;
    golden::unpack_codes(op.wgt, codes, b.codes);
    if (op.wgt == Format::kNvfp4) return golden::dot({{w_scales[2 * w], w_scales[2 * w + 1]}, b.codes}, op.act, a);
    if (op.wgt == Format::kInt4g32) {
      golden::Int4Block i;
      i.scale_bf16 = static_cast<std::uint16_t>(w_scales[2 * w] | w_scales[2 * w + 1] << 8);
      for (std::size_t k = 0; k < b.codes.size(); ++k)
        i.codes[k] = static_cast<std::int8_t>(static_cast<std::int8_t>(b.codes[k] << 4) >> 4);
      return golden::dot(i, op.act, a);
    }
    b.scale = w_scales[w];
    return golden::dot(op.wgt == Format::kMxint8x2 ? Format::kMxint8 : op.wgt, b, op.act, a);
  }

  [[nodiscard]] std::vector<std::uint32_t> product() const {
    std::vector<std::uint32_t> y(op.n * op.m);
    for (std::size_t c = 0; c < op.n; ++c) {
      for (std::size_t r = 0; r < op.m; ++r) {
        std::uint32_t acc = 0, partial = 0;
        for (std::size_t kb = 0; kb < op.kb; ++kb) {
          golden::Block a;
          a.scale = a_scales[c * op.kb + kb];
          golden::unpack_codes(op.act, &a_codes[(c * op.kb + kb) * golden::block_bytes(op.act)], a.codes);
          std::uint32_t& sum = op.block_scales.empty() ? acc : partial;
          if (kb % 4 == 0) partial = 0;
          for (std::size_t p = 0; p < parts; ++p) sum = golden::accumulate(sum, dot((r * op.kb + kb) * parts + p, a));
          if (!op.block_scales.empty() && (kb % 4 == 3 || kb + 1 == op.kb))
            acc = golden::fp32_fma(partial, block_scales[r / 128 * ((op.kb + 3) / 4) + kb / 4], acc);
        }
        y[c * op.m + r] = op.tensor_scale == 0x3f800000U ? acc : golden::fp32_mul(acc, op.tensor_scale);
      }
    }
    return y;
  }

  std::size_t parts = 1;  // blocks of 32 elements of W
  std::vector<std::uint32_t> block_scales;
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

// Every pair of formats that mm takes through every kernel, and 128 x 128 scales over each MX weight format.
TEST(Kernels, EveryPairOfFormatsIsTheExactProduct) {
  TileSim sim;
  struct Case {
    std::uint64_t m, kb, n;
    GemmKernel kernel;
    bool scaled;
  };
  int pairs = 0;
  for (std::size_t fa = 0; fa < isa::kFormats.size(); ++fa) {
    for (std::size_t fw = 0; fw < isa::kFormats.size(); ++fw) {
      if (isa::kFormats[fa].parts == 0 || isa::kFormats[fw].digits == 0) continue;
      ++pairs;
      for (const Case& s : {Case{17, 9, 6, kR, false}, Case{9, 5, 3, kV, false}, Case{9, 18, 5, kS, false},
                            Case{140, 22, 5, kA, true}}) {
        const auto act = static_cast<Format>(fa), wgt = static_cast<Format>(fw);
        if (s.scaled && isa::kFormats[fw].blocks != 1) continue;
        SCOPED_TRACE(
            fmt::format("{} x {} M {} K {} N {} scaled {}", name_of(wgt), name_of(act), s.m, s.kb * 32, s.n, s.scaled));
        const Operands operands(s.m, s.kb, s.n, act, fa * 100 + fw, wgt, s.scaled);
        const kernels::Launch launch = kernels::plan_gemm(kTileConfig, operands.op, s.kernel);
        set_timing(sim, timings(fw)[(fa + fw) % 3]);
        const LaunchResult r = run_rtl(sim, launch, 3'000'000);
        ASSERT_EQ(r.rtl.stop, Stop::kDone) << r.rtl.fault.text() << r.golden.text();
        ASSERT_EQ(r.first_mismatch, "");
        ASSERT_EQ(kernels::gemm_result(launch, operands.op, r.outputs.at(0)), operands.product());
      }
    }
  }
  EXPECT_EQ(pairs, 48);
}

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
  for (std::size_t format = 0; format < golden::kNumMxFormats; ++format) {
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
    for (const Format f : {Format::kNvfp4, Format::kInt4g32, Format::kMxint8x2}) {
      op = ok.op;
      op.act = f;
      EXPECT_EQ(refused(op, kernel, name_of(f)), "");
    }
    op = ok.op;
    op.wgt = Format::kMxfp8E5m2;
    EXPECT_EQ(refused(op, kernel, "mxfp8_e5m2"), "");
    const std::vector<std::uint32_t> scales(2, 0x3f800000U);  // 9 x 96: one is right
    op = ok.op;
    op.block_scales = scales;
    EXPECT_EQ(refused(op, kernel, "block scales: 2 of them; allowed: 1"), "");
    const std::vector<std::uint32_t> one(1, 0x3f800000U);
    op.block_scales = one;
    op.tensor_scale = 0x40000000U;
    EXPECT_EQ(refused(op, kernel, "tensor scale"), "");
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
