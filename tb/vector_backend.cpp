// SPDX-License-Identifier: Apache-2.0
#include "tb/vector_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "sw/asm/assembler.h"
#include "sw/isa/tepin_csr.h"
#include "sw/isa/tepin_window.h"

namespace tepin::tb {

using golden::Answer;
using golden::Block;
using golden::DotBits;
using golden::DotCase;
using golden::kBlock;

namespace {

// Scratchpad of the programs, in bytes. The number of blocks of a dot product is a word at 0.
constexpr std::uint32_t kIn = 0x100, kScaleIn = 0x200, kOut = 0x300, kScaleOut = 0x3a0, kScaled = 0x400;
constexpr std::uint32_t kWeights = 0x1000, kWeightScales = 0xa000, kActs = 0xc000, kActScales = 0x1c000;
constexpr std::size_t kMaxDotBlocks = (kWeightScales - kWeights) / (kRows * kBlock);
constexpr std::uint64_t kMaxCycles = 100'000;

constexpr std::string_view kQuantiseSource = R"(
    li r1, 0x300
    li r2, 0x100
    li r3, 1
    li r4, 0x3a0
    vqnt dst=r1, src=r2, nblk=r3, scl=r4, fmt=F, rule=RULE
    halt
)";
constexpr std::string_view kDequantiseSource = R"(
    li r1, 0x300
    li r2, 0x100
    li r3, 1
    li r4, 0x200
    vdqt dst=r1, src=r2, nblk=r3, scl=r4, fmt=F
    halt
)";
// All rows get the weights, all columns of a step the activations; the results go to the scratchpad, and again times
// the tensor scale.
constexpr std::string_view kDotSource = R"(
    lw r1, (r0)
    li r2, 0x1000
    li r3, 0xa000
    li r4, 0xc000
    li r5, 0x1c000
    li r6, 4
    li r7, 128
    li r8, 32
    li r9, 0x300
    lw r10, 4(r0)
    li r11, 0x400
    mm w=r2, ws=r3, a=r4, as=r5, kb=r1, n=r6, astep=r7, asstep=r8, fa=F, fw=W, init
    mst dst=r9, pitch=r8, n=r6 post s0
    vmuls dst=r11, src=r9, n=r8, s=r10 wait s0
    halt
)";

std::string_view name_of(isa::Format f) { return isa::kFormats[static_cast<std::size_t>(f)].name; }

/// A code whose value is 1.
std::uint8_t one_of(isa::Format f) { return golden::fp32_to_elem(f, 0x3f800000U); }

}  // namespace

RtlVectorBackend::RtlVectorBackend() : unit_(make_vector_dut()) {}

void RtlVectorBackend::select(Kind kind, isa::Format f, unsigned variant) {
  isa::Section& section = sections_[{kind, f, variant}];
  if (section.code.empty()) {
    std::string source = fmt::format(".format F, {}\n.equ RULE, {}\n", name_of(f), variant);
    if (kind == Kind::kDot)
      source = fmt::format(".format F, {}\n.format W, {}\n", name_of(f), isa::kFormats[variant].name);
    source += kind == Kind::kQuantise ? kQuantiseSource : kind == Kind::kDequantise ? kDequantiseSource : kDotSource;
    section = assembly::assemble(source, "vectors.s", kTileConfig).sections.at(0);
  }
  if (loaded_ == &section) return;
  tile_.load(section);
  loaded_ = &section;
}

bool RtlVectorBackend::run(const std::string& what) {
  ++programs_;
  constexpr std::uint32_t kCtrl = offsetof(tepin_csr_t, CTRL);
  // A NaN is a result here like any other.
  tile_.csr_write(kCtrl, tile_.csr_read(kCtrl) & ~TEPIN_CSR__CTRL__NAN_TRAP_bm);
  const RunResult r = tile_.run(kMaxCycles);
  if (r.stop == Stop::kDone) return true;
  agree(false, what + ": the program on the tile does not end: " +
                   (r.stop == Stop::kFault ? r.fault.text() : fmt::format("stopped after {} cycles", r.cycles)));
  tile_.soft_reset();
  loaded_ = nullptr;
  return false;
}

void RtlVectorBackend::agree(bool same, const std::string& what) {
  if (same) return;
  ++disagreements_;
  if (described_.size() < golden::kMaxDescribed) described_.push_back(what);
}

std::vector<std::uint8_t> RtlVectorBackend::read(std::uint32_t address, std::size_t bytes) {
  std::vector<std::uint8_t> out(bytes);
  tile_.window_read(isa::kWinSpad + address, out);
  return out;
}

Answer<std::uint32_t> RtlVectorBackend::decode_elem(isa::Format f, std::uint8_t code) {
  Block b{127, {}};
  b.codes.fill(code);
  return unit_->dequantise(f, b)[0];
}

Answer<std::uint32_t> RtlVectorBackend::decode_scale(std::uint8_t scale) {
  Block b{scale, {}};
  b.codes.fill(one_of(isa::Format::kMxfp8E4m3));
  return unit_->dequantise(isa::Format::kMxfp8E4m3, b)[0];
}

Answer<std::uint16_t> RtlVectorBackend::to_bf16(std::uint32_t fp32) { return unit_->to_bf16(fp32); }

Answer<std::array<std::uint32_t, kBlock>> RtlVectorBackend::dequantise(isa::Format f, const Block& b) {
  const auto values = unit_->dequantise(f, b);
  const std::string what = fmt::format("vdqt {} scale {:#04x}", name_of(f), b.scale);
  select(Kind::kDequantise, f);
  std::array<std::uint8_t, kBlock> packed{};
  golden::pack_codes(f, b.codes, packed.data());
  tile_.window_write(isa::kWinSpad + kIn, packed);
  tile_.window_write(isa::kWinSpad + kScaleIn, {&b.scale, 1});
  if (run(what)) {
    const auto got = read(kOut, sizeof(values));
    agree(std::memcmp(got.data(), values.data(), got.size()) == 0,
          what + ": the tile's values are not the arithmetic's");
  }
  return values;
}

Answer<Block> RtlVectorBackend::quantise(isa::Format f, std::span<const std::uint32_t, kBlock> fp32,
                                         golden::ScaleRule rule) {
  const Block block = unit_->quantise(f, fp32, rule);
  const std::string what = fmt::format("vqnt {} rule {} of a block that begins with {:#010x}", name_of(f),
                                       static_cast<unsigned>(rule), fp32[0]);
  select(Kind::kQuantise, f, static_cast<unsigned>(rule));
  tile_.window_write(isa::kWinSpad + kIn, {reinterpret_cast<const std::uint8_t*>(fp32.data()), fp32.size_bytes()});
  if (run(what)) {
    const auto got = read(kOut, kScaleOut - kOut + 1);
    Block tile{got[kScaleOut - kOut], {}};
    golden::unpack_codes(f, got.data(), tile.codes);
    agree(tile == block, what + ": the tile's codes or scale are not the arithmetic's");
  }
  return block;
}

Answer<std::vector<std::uint8_t>> RtlVectorBackend::convert(isa::Format f, std::span<const std::uint32_t> fp32) {
  std::vector<std::uint8_t> out;
  for (std::size_t at = 0; at < fp32.size(); at += kBlock) {
    const auto part = fp32.subspan(at, std::min<std::size_t>(kBlock, fp32.size() - at));
    const auto codes = unit_->convert(f, part);
    out.insert(out.end(), codes.begin(), codes.begin() + static_cast<std::ptrdiff_t>(part.size()));
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (!golden::is_finite32(part[i])) out[at + i] = golden::fp32_to_elem(f, part[i]);
    }
  }
  return out;
}

Answer<DotBits> RtlVectorBackend::dot(const DotCase& c) {
  const isa::Format fw = c.weight == "nvfp4"     ? isa::Format::kNvfp4
                         : c.weight == "int4g32" ? isa::Format::kInt4g32
                                                 : c.weight_format;
  const isa::FormatDesc& desc = isa::kFormats[static_cast<std::size_t>(fw)];
  if (desc.digits == 0) return Answer<DotBits>::no(fmt::format("the matrix unit takes no {} weights", c.weight));
  std::vector<WeightOperand> w;
  for (const golden::WeightBlock& b : c.w) w.push_back(weight_operand(fw, b));
  DotBits bits{unit_->dot(c.activation, fw, w, c.a), {}};
  // A product adds a zero of its own sign, as vmuls does.
  const std::uint32_t scale = c.tensor_scale.value_or(0x3f800000U);
  const std::uint32_t scaled = unit_->fma(bits.per_block, scale, (bits.per_block ^ scale) & 0x80000000U);
  if (c.tensor_scale) bits.scaled = scaled;
  if (w.size() > kMaxDotBlocks) return bits;

  select(Kind::kDot, c.activation, static_cast<unsigned>(fw));
  const std::size_t bytes = golden::block_bytes(c.activation);
  const auto wbytes = static_cast<std::ptrdiff_t>(golden::block_bytes(fw));
  std::vector<std::uint8_t> weights, scales, acts(w.size() * 128), act_scales(w.size() * 32);
  for (std::size_t i = 0; i < w.size(); ++i) {
    for (int r = 0; r < kRows; ++r) {
      weights.insert(weights.end(), w[i].codes.begin(), w[i].codes.begin() + wbytes);
      scales.push_back(static_cast<std::uint8_t>(w[i].scale));
      if (desc.scale_bytes == 2) scales.push_back(static_cast<std::uint8_t>(w[i].scale >> 8));
    }
    std::array<std::uint8_t, kBlock> packed{};
    golden::pack_codes(c.activation, c.a[i].codes, packed.data());
    for (std::size_t col = 0; col < kCols; ++col) {
      std::copy_n(packed.begin(), bytes, acts.begin() + static_cast<std::ptrdiff_t>(i * 128 + col * bytes));
      act_scales[i * 32 + col] = c.a[i].scale;
    }
  }
  const std::array<std::uint32_t, 2> params{static_cast<std::uint32_t>(w.size()), scale};
  tile_.window_write(isa::kWinSpad, {reinterpret_cast<const std::uint8_t*>(params.data()), sizeof(params)});
  tile_.window_write(isa::kWinSpad + kWeights, weights);
  tile_.window_write(isa::kWinSpad + kWeightScales, scales);
  tile_.window_write(isa::kWinSpad + kActs, acts);
  tile_.window_write(isa::kWinSpad + kActScales, act_scales);
  if (!run(c.name)) return bits;
  const auto check = [&](std::uint32_t address, std::uint32_t expected, std::string_view what) {
    const auto got = read(address, kRows * kCols * 4);
    for (std::size_t i = 0; i < got.size(); i += 4) {
      std::uint32_t v = 0;
      std::memcpy(&v, &got[i], 4);
      if (v == expected) continue;
      agree(false, fmt::format("{}: {} gives {:#010x} in row {} of column {}, the arithmetic {:#010x}", c.name, what, v,
                               i / 4 % kRows, i / 4 / kRows, expected));
      return;
    }
  };
  check(kOut, bits.per_block, "mm");
  check(kScaled, scaled, "vmuls");
  return bits;
}

}  // namespace tepin::tb
