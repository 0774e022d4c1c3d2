// SPDX-License-Identifier: Apache-2.0
// The matrix unit's datapath on the dot products of tests/data/vectors, whose expected bits come from exact rational
// arithmetic.
#include <gtest/gtest.h>

#include <cstdio>

#include "sw/golden/vectors.h"
#include "tb/vector_dut.h"

namespace {

using namespace tepin;
using golden::Answer;
using golden::Block;

/// Dot products on the verilated unit; nothing else, for this datapath has nothing else.
class DotBackend final : public golden::Backend {
 public:
  Answer<std::uint32_t> decode_elem(isa::Format, std::uint8_t) override { return Answer<std::uint32_t>::no(kOther); }
  Answer<std::uint32_t> decode_scale(std::uint8_t) override { return Answer<std::uint32_t>::no(kOther); }
  Answer<std::uint16_t> to_bf16(std::uint32_t) override { return Answer<std::uint16_t>::no(kOther); }
  Answer<std::array<std::uint32_t, golden::kBlock>> dequantise(isa::Format, const Block&) override {
    return Answer<std::array<std::uint32_t, golden::kBlock>>::no(kOther);
  }
  Answer<Block> quantise(isa::Format, std::span<const std::uint32_t, golden::kBlock>, golden::ScaleRule) override {
    return Answer<Block>::no(kOther);
  }
  Answer<std::vector<std::uint8_t>> convert(isa::Format, std::span<const std::uint32_t>) override {
    return Answer<std::vector<std::uint8_t>>::no(kOther);
  }
  Answer<golden::DotBits> dot(const golden::DotCase& c) override {
    const isa::Format fw = c.weight == "nvfp4"     ? isa::Format::kNvfp4
                           : c.weight == "int4g32" ? isa::Format::kInt4g32
                                                   : c.weight_format;
    if (isa::kFormats[static_cast<std::size_t>(fw)].digits == 0)
      return Answer<golden::DotBits>::no("the matrix unit takes no " + c.weight + " weights");
    std::vector<tb::WeightOperand> w;
    for (const golden::WeightBlock& b : c.w) w.push_back(tb::weight_operand(fw, b));
    golden::DotBits bits{unit_->dot(c.activation, fw, w, c.a), {}};
    // The tensor scale is the vector unit's work, here the model's.
    if (c.tensor_scale) bits.scaled = golden::fp32_mul(bits.per_block, *c.tensor_scale);
    ++dots;
    return bits;
  }
  unsigned dots = 0;

 private:
  static constexpr const char* kOther = "no dot product";
  std::unique_ptr<tb::VectorDut> unit_ = tb::make_vector_dut();
};

TEST(MxuDots, EveryDotOfTheVectorsIsExact) {
  DotBackend unit;
  const golden::VectorReport r = golden::run_vectors(TEPIN_VECTORS_DIR, unit);
  EXPECT_EQ(r.mismatches, 0U);
  for (const golden::VectorFileReport& f : r.files) {
    if (f.file != "mx_dots.json") continue;
    EXPECT_EQ(f.skipped, 44U) << "e5m2 weights";
    for (const std::string& line : f.first_mismatches) ADD_FAILURE() << line;
  }
  std::printf("mx_dots.json: %u dot products, %llu mismatches\n", unit.dots,
              static_cast<unsigned long long>(r.mismatches));
  EXPECT_EQ(unit.dots, 259U - 44U);
}

}  // namespace
