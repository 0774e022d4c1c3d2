// SPDX-License-Identifier: Apache-2.0
// The dot products of the test vectors as mm programs: dot(), which `tepin vectors` runs, and mm are separate code.
#include "fixture.h"
#include "sw/golden/vectors.h"

namespace tepin::golden::testing {
namespace {

/// Implements dot products only.
class MachineBackend final : public Backend {
 public:
  Answer<std::uint32_t> decode_elem(isa::Format, std::uint8_t) override { return Answer<std::uint32_t>::no(kOther); }
  Answer<std::uint32_t> decode_scale(std::uint8_t) override { return Answer<std::uint32_t>::no(kOther); }
  Answer<std::uint16_t> to_bf16(std::uint32_t) override { return Answer<std::uint16_t>::no(kOther); }
  Answer<std::array<std::uint32_t, kBlock>> dequantise(isa::Format, const Block&) override {
    return Answer<std::array<std::uint32_t, kBlock>>::no(kOther);
  }
  Answer<Block> quantise(isa::Format, std::span<const std::uint32_t, kBlock>, ScaleRule) override {
    return Answer<Block>::no(kOther);
  }
  Answer<std::vector<std::uint8_t>> convert(isa::Format, std::span<const std::uint32_t>) override {
    return Answer<std::vector<std::uint8_t>>::no(kOther);
  }
  Answer<DotBits> dot(const DotCase& c) override {
    const isa::Format fw = c.weight == "nvfp4"     ? isa::Format::kNvfp4
                           : c.weight == "int4g32" ? isa::Format::kInt4g32
                                                   : c.weight_format;
    if (fw == isa::Format::kMxfp8E5m2) return Answer<DotBits>::no("e5m2 weights");
    constexpr std::uint32_t kRows = 8, kW = 0, kWs = 0x8000, kA = 0x9000, kAs = 0xa000, kOut = 0xb000;
    Machine m(isa::kNano, {.nan_trap = false});
    Bytes w, ws;
    for (std::size_t k = 0; k < c.a.size(); ++k) {
      Bytes codes(block_bytes(fw)), scale;
      if (const auto* mx = std::get_if<Block>(&c.w[k])) {
        pack_codes(fw, mx->codes, codes.data());
        scale = {mx->scale};
      } else if (const auto* nv = std::get_if<Nvfp4Block>(&c.w[k])) {
        pack_codes(fw, nv->codes, codes.data());
        scale = {nv->scales[0], nv->scales[1]};
      } else {
        const auto& i4 = std::get<Int4Block>(c.w[k]);
        std::array<std::uint8_t, kBlock> nibbles{};
        for (std::size_t i = 0; i < kBlock; ++i) nibbles[i] = static_cast<std::uint8_t>(i4.codes[i]);
        pack_codes(fw, nibbles, codes.data());
        scale = {static_cast<std::uint8_t>(i4.scale_bf16), static_cast<std::uint8_t>(i4.scale_bf16 >> 8)};
      }
      for (std::uint32_t r = 0; r < kRows; ++r) {
        w.insert(w.end(), codes.begin(), codes.end());
        ws.insert(ws.end(), scale.begin(), scale.end());
      }
      Bytes a(block_bytes(c.activation));
      pack_codes(c.activation, c.a[k].codes, a.data());
      m.load_spad(kA + k * 32, a);
      m.load_spad(kAs + k * 32, {&c.a[k].scale, 1});
    }
    m.load_spad(kW, w);
    m.load_spad(kWs, ws);
    Builder p;
    p.thread(0).engine("mm", {{"w", kW},
                              {"ws", kWs},
                              {"a", kA},
                              {"as", kAs},
                              {"kb", static_cast<std::uint32_t>(c.a.size())},
                              {"n", 1},
                              {"astep", 32},
                              {"asstep", 32},
                              {"fa", static_cast<std::uint32_t>(c.activation)},
                              {"fw", static_cast<std::uint32_t>(fw)},
                              {"init", 1}});
    p.engine("mst", {{"dst", kOut}, {"pitch", 32}, {"n", 1}}).post(0);
    p.engine("vmuls", {{"dst", kOut + 32}, {"src", kOut}, {"n", kRows}, {"s", c.tensor_scale.value_or(0)}}).wait(0);
    p.halt();
    run_done(m, p);
    DotBits bits{word(m, kOut + 4 * (kRows - 1)), {}};
    if (c.tensor_scale) bits.scaled = word(m, kOut + 32);
    ++programs;
    return bits;
  }
  int programs = 0;

 private:
  static constexpr const char* kOther = "no dot product";
};

TEST(MxuVectors, MmGivesEveryDotOfTheVectors) {
  MachineBackend machine;
  const VectorReport r = run_vectors(TEPIN_VECTORS_DIR, machine);
  EXPECT_EQ(r.mismatches, 0U);
  for (const VectorFileReport& f : r.files) {
    if (f.file != "mx_dots.json") continue;
    EXPECT_EQ(f.cases, 259U);
    EXPECT_EQ(f.skipped, 44U) << "e5m2 weights";
    for (const std::string& line : f.first_mismatches) ADD_FAILURE() << line;
  }
  EXPECT_EQ(machine.programs, 259 - 44);
}

}  // namespace
}  // namespace tepin::golden::testing
