// SPDX-License-Identifier: Apache-2.0
#include "sw/golden/dot.h"

namespace tepin::golden {
namespace {

// The exponents of a block's factors that are not elements: scale byte and unit.
int scale_exp(isa::Format f, const Block& b) { return int{b.scale} - 127 - elem_info(f).unit; }

}  // namespace

BlockSum dot(isa::Format fw, const Block& w, isa::Format fa, const Block& a) {
  BlockSum r;
  r.nan = w.scale == kScaleNan || a.scale == kScaleNan;
  for (std::size_t i = 0; i < w.codes.size(); ++i) {
    const ElemValue& x = decode_elem(fw, w.codes[i]);
    const ElemValue& y = decode_elem(fa, a.codes[i]);
    r.nan = r.nan || x.kind != ElemKind::kFinite || y.kind != ElemKind::kFinite;
    r.sum += static_cast<Int128>(x.value) * y.value;
  }
  r.exp = scale_exp(fw, w) + scale_exp(fa, a);
  return r;
}

BlockSum dot(const Nvfp4Block& w, isa::Format fa, const Block& a) {
  constexpr isa::Format kCode = isa::Format::kMxfp4;
  constexpr isa::Format kScale = isa::Format::kMxfp8E4m3;
  BlockSum r;
  r.nan = a.scale == kScaleNan;
  for (std::size_t half = 0; half < 2; ++half) {
    const ElemValue& s = decode_elem(kScale, w.scales[half]);
    r.nan = r.nan || s.kind != ElemKind::kFinite;
    Int128 sum = 0;
    for (std::size_t i = half * 16; i < half * 16 + 16; ++i) {
      const ElemValue& y = decode_elem(fa, a.codes[i]);
      r.nan = r.nan || y.kind != ElemKind::kFinite;
      sum += static_cast<Int128>(decode_elem(kCode, w.codes[i]).value) * y.value;
    }
    r.sum += sum * s.value;  // the unit of the scale aligns both halves exactly
  }
  r.exp = scale_exp(fa, a) - elem_info(kCode).unit - elem_info(kScale).unit;
  return r;
}

BlockSum dot(const Int4Block& w, isa::Format fa, const Block& a) {
  const std::uint32_t scale = bf16_to_fp32(w.scale_bf16);
  BlockSum r;
  r.nan = a.scale == kScaleNan || !is_finite32(scale);
  if (r.nan) return r;
  for (std::size_t i = 0; i < w.codes.size(); ++i) {
    const ElemValue& y = decode_elem(fa, a.codes[i]);
    r.nan = r.nan || y.kind != ElemKind::kFinite;
    r.sum += static_cast<Int128>(w.codes[i]) * y.value;
  }
  const Exact s = exact_of(scale);
  r.sum *= static_cast<Int128>(s.mag) * (s.negative ? -1 : 1);
  r.exp = scale_exp(fa, a) + s.exp;
  return r;
}

std::uint32_t accumulate(std::uint32_t acc, const BlockSum& s) {
  return s.nan ? kNan32 : accumulate_block(acc, s.sum, s.exp);
}

}  // namespace tepin::golden
