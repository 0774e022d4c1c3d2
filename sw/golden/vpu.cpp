// SPDX-License-Identifier: Apache-2.0
// The vector unit.
#include <array>
#include <vector>

#include "sw/golden/functions.h"
#include "sw/golden/mx.h"
#include "sw/golden/tile.h"

namespace tepin::golden {
namespace {

constexpr isa::Bits kFmt{112, 4};
constexpr isa::Bits kRule{116, 2};
constexpr isa::Bits kBf16{118, 1};
constexpr std::uint64_t kMaxCount = 65535;

std::uint16_t get16(const std::uint8_t* p) { return static_cast<std::uint16_t>(p[0] | p[1] << 8); }
std::uint32_t get32(const std::uint8_t* p) {
  return std::uint32_t{p[0]} | std::uint32_t{p[1]} << 8 | std::uint32_t{p[2]} << 16 | std::uint32_t{p[3]} << 24;
}
void put32(std::uint8_t* p, std::uint32_t v) {
  for (unsigned i = 0; i < 4; ++i) p[i] = static_cast<std::uint8_t>(v >> (8 * i));
}

std::uint32_t apply(isa::Op op, std::uint32_t a, std::uint32_t b) {
  switch (op) {
    case isa::Op::kVadd:
    case isa::Op::kVadds:
      return fp32_add(a, b);
    case isa::Op::kVsub:
      return fp32_sub(a, b);
    case isa::Op::kVmul:
    case isa::Op::kVmuls:
      return fp32_mul(a, b);
    case isa::Op::kVmin:
    case isa::Op::kVmins:
      return fp32_min(a, b);
    case isa::Op::kVmax:
    case isa::Op::kVmaxs:
      return fp32_max(a, b);
    case isa::Op::kVexp2:
      return fp32_exp2(a);
    case isa::Op::kVrcp:
      return fp32_rcp(a);
    case isa::Op::kVfill:
      return b;
    default:
      return a;  // vmov
  }
}

std::uint64_t stepped(std::uint64_t blocks, std::uint64_t step, std::uint64_t last) {
  return (blocks - 1) * step + last;
}

}  // namespace

void Tile::execute_vector(const Exec& x) {
  const isa::Op op = x.at.op;
  const std::uint64_t n = x.r[2];
  const bool has_source = op != isa::Op::kVfill;
  const bool fma = op == isa::Op::kVfmas;
  const bool swiglu = op == isa::Op::kVswiglu;
  const bool has_second = op == isa::Op::kVadd || op == isa::Op::kVsub || op == isa::Op::kVmul || fma ||
                          op == isa::Op::kVmin || op == isa::Op::kVmax || swiglu;
  const std::uint64_t dst_width = op == isa::Op::kVcvtbf ? 2 : 4;
  const std::uint64_t src_width = op == isa::Op::kVcvtf ? 2 : 4;
  const std::uint64_t dst = x.r[0];
  const std::uint64_t src = x.r[1];
  const std::uint64_t src2 = x.r[3];

  check_count(x, "n", n, kMaxCount);
  check_aligned(x, "dst", dst, 32);
  if (has_source) check_aligned(x, "src", src, 32);
  if (has_second) check_aligned(x, "src2", src2, 32);
  if (has_source) check_spad(x, "src", src, n * src_width);
  if (has_second) check_spad(x, "src2", src2, n * src_width);
  check_spad(x, "dst", dst, n * dst_width);

  // A source that is the destination, element for element, is fine; if it overlaps otherwise, the sanitizer's own marks
  // of this instruction's reads cannot tell it from such a one, hence the look at the addresses.
  const auto exact = [&](std::uint64_t s) { return s == dst && src_width == dst_width; };
  const auto apart = [&](std::uint64_t s) { return s + n * src_width <= dst || dst + n * dst_width <= s; };
  const bool alias_ok = (!has_source || exact(src) || apart(src)) && (!has_second || exact(src2) || apart(src2));

  const std::uint8_t* a = has_source ? read_spad(x, src, n * src_width) : nullptr;
  const std::uint8_t* b = has_second ? read_spad(x, src2, n * src_width) : nullptr;
  std::vector<std::uint8_t> out(n * dst_width);
  for (std::uint64_t i = 0; i < n; ++i) {
    if (op == isa::Op::kVcvtbf) {
      const std::uint16_t v = fp32_to_bf16(get32(a + 4 * i));
      out[2 * i] = static_cast<std::uint8_t>(v);
      out[2 * i + 1] = static_cast<std::uint8_t>(v >> 8);
    } else if (op == isa::Op::kVcvtf) {
      put32(&out[4 * i], bf16_to_fp32(get16(a + 2 * i)));
    } else if (fma) {
      put32(&out[4 * i], fp32_fma(get32(a + 4 * i), x.r[4], get32(b + 4 * i)));
    } else if (swiglu) {
      put32(&out[4 * i], fp32_swiglu(get32(a + 4 * i), get32(b + 4 * i), x.r[4], x.r[5]));
    } else {
      put32(&out[4 * i], apply(op, has_source ? get32(a + 4 * i) : 0, has_second ? get32(b + 4 * i) : x.r[3]));
    }
  }
  write_spad(x, dst, out, alias_ok);
}

void Tile::execute_vqnt(const Exec& x) {
  const auto f = static_cast<isa::Format>(x.flag(kFmt));
  const auto rule = static_cast<ScaleRule>(x.flag(kRule));
  const bool bf16 = x.flag(kBf16) != 0;
  const std::uint64_t width = bf16 ? 2 : 4;
  const std::uint64_t blocks = x.r[2];
  const std::uint64_t bytes = block_bytes(f);
  const std::uint64_t dstep = x.r[4];
  const std::uint64_t sstep = x.r[5];
  const std::uint64_t cstep = x.r[6];
  check_count(x, "nblk", blocks, kMaxCount);
  check_aligned(x, "dst", x.r[0], bytes);
  check_aligned(x, "src", x.r[1], 32);
  check_aligned(x, "dstep", dstep, bytes);
  check_aligned(x, "sstep", sstep, 32);
  check_spad(x, "src", x.r[1], stepped(blocks, sstep, width * kBlock));
  check_spad(x, "dst", x.r[0], stepped(blocks, dstep, bytes));
  check_spad(x, "scl", x.r[3], stepped(blocks, cstep, 1));
  for (std::uint64_t k = 0; k < blocks; ++k) {
    const std::uint8_t* in = read_spad(x, x.r[1] + k * sstep, width * kBlock);
    std::array<std::uint32_t, kBlock> values{};
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = bf16 ? bf16_to_fp32(get16(in + 2 * i)) : get32(in + 4 * i);
    const Block q = quantise(f, values, rule);
    std::array<std::uint8_t, kBlock> packed{};
    pack_codes(f, q.codes, packed.data());
    write_spad(x, x.r[0] + k * dstep, std::span(packed).first(bytes));
    write_spad(x, x.r[3] + k * cstep, {&q.scale, 1});
  }
}

void Tile::execute_vdqt(const Exec& x) {
  const auto f = static_cast<isa::Format>(x.flag(kFmt));
  const std::uint64_t blocks = x.r[2];
  const std::uint64_t bytes = block_bytes(f);
  const std::uint64_t dstep = x.r[4];
  const std::uint64_t sstep = x.r[5];
  const std::uint64_t cstep = x.r[6];
  check_count(x, "nblk", blocks, kMaxCount);
  check_aligned(x, "dst", x.r[0], 32);
  check_aligned(x, "src", x.r[1], bytes);
  check_aligned(x, "dstep", dstep, 32);
  check_aligned(x, "sstep", sstep, bytes);
  check_spad(x, "src", x.r[1], stepped(blocks, sstep, bytes));
  check_spad(x, "dst", x.r[0], stepped(blocks, dstep, 4 * kBlock));
  check_spad(x, "scl", x.r[3], stepped(blocks, cstep, 1));
  for (std::uint64_t k = 0; k < blocks; ++k) {
    Block b;
    const std::uint8_t* in = read_spad(x, x.r[1] + k * sstep, bytes);
    unpack_codes(f, in, b.codes);
    b.scale = *read_spad(x, x.r[3] + k * cstep, 1);
    check_codes(x, "src", k, f, {in, bytes});
    const auto values = dequantise(f, b);
    std::array<std::uint8_t, 4 * kBlock> out{};
    for (std::size_t i = 0; i < values.size(); ++i) put32(&out[4 * i], values[i]);
    write_spad(x, x.r[0] + k * dstep, out);
  }
}

}  // namespace tepin::golden
