// SPDX-License-Identifier: Apache-2.0
#include "sw/golden/functions.h"

#include <array>

#include "sw/golden/fp32.h"

namespace tepin::golden {
namespace {

constexpr std::uint32_t kSign = 0x8000'0000, kOne = 0x3f80'0000, kInf = 0x7f80'0000, kNan = 0x7fc0'0000;
constexpr std::uint32_t kMagic = 0x4b40'0000;  // 1.5 * 2^23: adding it rounds to an integer
// (2^f - 1) / f on -0.5..0.5, minimax in relative error of 2^f (2.0e-9); lowest power first.
constexpr std::array<std::uint32_t, 6> kExp2{0x3f317218, 0x3e75fdee, 0x3d635774, 0x3c1d96a6, 0x3aaf9f29, 0x3920fdde};
// 24/17 - 8/17 m is 1/m within 1/17 on 1..2.
constexpr std::uint32_t kRcp0 = 0x3fb4b4b5, kRcp1 = 0xbef0f0f1;

bool is_nan(std::uint32_t a) { return (a & ~kSign) > kInf; }

/// bits (positive, normal) * 2^n, rounded once.
std::uint32_t scale(bool negative, std::uint32_t bits, int n) {
  Exact e = exact_of(bits);
  e.negative = negative;
  e.exp += n;
  return round_fp32(e);
}

/// Orders FP32 bits that are no NaN.
std::int64_t order(std::uint32_t a) {
  const auto magnitude = static_cast<std::int64_t>(a & ~kSign);
  return a & kSign ? -magnitude - 1 : magnitude;
}

}  // namespace

std::uint32_t fp32_min(std::uint32_t a, std::uint32_t b) {
  if (is_nan(a) || is_nan(b)) return kNan;
  return order(a) < order(b) ? a : b;
}

std::uint32_t fp32_max(std::uint32_t a, std::uint32_t b) {
  if (is_nan(a) || is_nan(b)) return kNan;
  return order(a) < order(b) ? b : a;
}

std::uint32_t fp32_exp2(std::uint32_t x) {
  if (is_nan(x)) return kNan;
  if (!(x & kSign) && x >= 0x4300'0000) return kInf;         // 128
  if ((x & kSign) && (x & ~kSign) >= 0x4316'0000) return 0;  // -150
  const std::uint32_t t = fp32_fma(x, kOne, kMagic);         // nearest integer n, in the low bits
  const int n = static_cast<int>(t) - static_cast<int>(kMagic);
  const std::uint32_t whole = fp32_fma(t, kOne, kMagic ^ kSign);
  const std::uint32_t f = fp32_fma(whole, kOne ^ kSign, x);  // exact
  std::uint32_t p = fp32_fma(kExp2[5], f, kExp2[4]);
  for (int i = 3; i >= 0; --i) p = fp32_fma(p, f, kExp2[static_cast<std::size_t>(i)]);
  p = fp32_fma(p, f, kOne);
  return scale(false, p, n);
}

std::uint32_t fp32_rcp(std::uint32_t x) {
  if (is_nan(x)) return kNan;
  const std::uint32_t sign = x & kSign;
  if ((x & ~kSign) == kInf) return sign;
  if ((x & ~kSign) == 0) return sign | kInf;
  // x = m * 2^e, m in 1..2.
  Exact m = exact_of(x);
  int e = m.exp;
  while (m.mag < (1U << 23)) {
    m.mag <<= 1;
    --e;
  }
  e += 23;
  m.negative = false;
  m.exp = -23;
  const std::uint32_t one_to_two = round_fp32(m);
  std::uint32_t y = fp32_fma(one_to_two, kRcp1, kRcp0);
  for (int i = 0; i < 3; ++i) {
    const std::uint32_t error = fp32_fma(one_to_two ^ kSign, y, kOne);
    y = fp32_fma(y, error, y);
  }
  return scale(sign != 0, y, -e);
}

std::uint32_t fp32_swiglu(std::uint32_t gate, std::uint32_t up, std::uint32_t limit, std::uint32_t k) {
  const std::uint32_t g = fp32_min(gate, limit);
  const std::uint32_t u = fp32_max(fp32_min(up, limit), limit ^ kSign);
  const std::uint32_t e = fp32_exp2(fp32_mul(g, k));
  const std::uint32_t sigmoid = fp32_rcp(fp32_add(e, kOne));
  const std::uint32_t swish = fp32_mul(g, sigmoid);
  return fp32_fma(u, swish, swish);
}

}  // namespace tepin::golden
