// SPDX-License-Identifier: Apache-2.0
// mm and mst.
#include <algorithm>
#include <array>
#include <vector>

#include "sw/golden/mx.h"
#include "sw/golden/tile.h"

namespace tepin::golden {
namespace {

constexpr isa::Bits kFa{112, 4};
constexpr isa::Bits kFw{116, 4};
constexpr isa::Bits kInit{120, 1};
constexpr isa::Bits kCg{121, 7};
constexpr std::uint64_t kMaxCount = 65535;

/// Largest magnitude of a format's integers, as DecodedBlocks holds them.
std::int64_t largest(isa::Format f) {
  switch (f) {
    case isa::Format::kNvfp4:
      return largest(isa::Format::kMxfp4) * largest(isa::Format::kMxfp8E4m3);
    case isa::Format::kInt4g32:
      return 8 * 255;
    case isa::Format::kMxint8:
    case isa::Format::kMxint8x2:
      return 128;
    default:
      return decode_elem(f, elem_info(f).max_code).value;
  }
}

/// Blocks decoded to integers times a power of two, once for all the dots they take part in. The significand of a scale
/// that is no power of two is multiplied in. T holds every value and every sum (docs/numerics.md, 3).
template <typename T>
struct DecodedBlocks {
  std::vector<T> values;          // kBlock an entry
  std::vector<std::uint8_t> nan;  // a scale or an element is not finite
  std::vector<std::int32_t> exps;

  explicit DecodedBlocks(std::size_t blocks) : values(blocks * kBlock), nan(blocks), exps(blocks) {}

  /// codes: block_bytes(f) bytes; scale: the format's scale_bytes.
  void decode(std::size_t i, isa::Format f, const std::uint8_t* codes, const std::uint8_t* scale) {
    std::array<std::uint8_t, kBlock> raw{};
    unpack_codes(f, codes, raw);
    T* out = &values[i * kBlock];
    switch (f) {
      case isa::Format::kNvfp4:
        nan[i] = elements(isa::Format::kMxfp4, raw, out) ? 1 : 0;
        exps[i] = -elem_info(isa::Format::kMxfp4).unit - elem_info(isa::Format::kMxfp8E4m3).unit;
        for (std::size_t j = 0; j < raw.size(); ++j) {
          const ElemValue& s = decode_elem(isa::Format::kMxfp8E4m3, scale[j / 16]);
          if (s.kind != ElemKind::kFinite) nan[i] = 1;
          out[j] *= static_cast<T>(s.value);
        }
        return;
      case isa::Format::kInt4g32: {
        const std::uint32_t bits = std::uint32_t{scale[0]} << 16 | std::uint32_t{scale[1]} << 24;
        const Exact s = is_finite32(bits) ? exact_of(bits) : Exact{};
        const auto significand = static_cast<T>(s.mag >> 16);  // the lower half of the FP32 bits is zero
        nan[i] = is_finite32(bits) ? 0 : 1;
        exps[i] = s.exp + 16;
        for (std::size_t j = 0; j < raw.size(); ++j)
          out[j] = static_cast<T>((raw[j] ^ 8) - 8) * (s.negative ? -significand : significand);
        return;
      }
      default: {
        const isa::Format elem = f == isa::Format::kMxint8x2 ? isa::Format::kMxint8 : f;
        nan[i] = elements(elem, raw, out) || *scale == kScaleNan ? 1 : 0;
        exps[i] = int{*scale} - 127 - elem_info(elem).unit;
      }
    }
  }

 private:
  /// Whether one is not finite.
  static bool elements(isa::Format f, const std::array<std::uint8_t, kBlock>& raw, T* out) {
    bool bad = false;
    for (std::size_t j = 0; j < raw.size(); ++j) {
      const ElemValue& v = decode_elem(f, raw[j]);
      out[j] = static_cast<T>(v.value);
      bad = bad || v.kind != ElemKind::kFinite;
    }
    return bad;
  }
};

template <typename T>
T dot_integers(const T* a, const T* b) {
  T s = 0;
  for (std::size_t i = 0; i < kBlock; ++i) s += a[i] * b[i];
  return s;
}

bool bad_code(std::span<const std::uint8_t> codes) {
  return std::any_of(codes.begin(), codes.end(), [](std::uint8_t c) { return c > 63; });
}
bool six_bits(isa::Format f) { return f == isa::Format::kMxfp6E2m3 || f == isa::Format::kMxfp6E3m2; }

std::vector<std::uint8_t> little_endian(std::span<const std::uint32_t> words) {
  std::vector<std::uint8_t> out;
  out.reserve(words.size() * 4);
  for (const std::uint32_t w : words) {
    for (unsigned shift = 0; shift < 32; shift += 8) out.push_back(static_cast<std::uint8_t>(w >> shift));
  }
  return out;
}

}  // namespace

template <typename T>
void Tile::accumulate_blocks(const Exec& x, isa::Format fw, isa::Format fa, std::span<std::uint32_t> sums,
                             std::span<const std::uint8_t> was_nan) {
  const isa::FormatDesc& weight = isa::kFormats[static_cast<std::size_t>(fw)];
  const std::uint64_t rows = cfg.mxu_rows;
  const std::uint64_t kb = x.r[4];
  const std::uint64_t n = x.r[5];
  const auto blocks = static_cast<std::uint64_t>(weight.blocks);
  const auto scale = static_cast<std::uint64_t>(weight.scale_bytes);
  const std::uint64_t wbytes = block_bytes(fw);
  const std::uint64_t abytes = block_bytes(fa);
  const std::uint8_t* w = read_spad(x, x.r[0], kb * blocks * rows * wbytes);
  const std::uint8_t* ws = read_spad(x, x.r[1], kb * blocks * rows * scale);
  DecodedBlocks<T> weights(rows);
  DecodedBlocks<T> columns(n);
  const std::uint8_t* acts = nullptr;
  for (std::uint64_t k = 0; k < kb * blocks; ++k, w += rows * wbytes, ws += rows * scale) {
    if (const std::uint64_t block = k / blocks; k % blocks == 0) {
      const std::uint8_t* a = read_spad(x, x.r[2] + block * x.r[6], n * abytes);
      const std::uint8_t* as = read_spad(x, x.r[3] + block * x.r[7], n);
      acts = a;
      for (std::size_t c = 0; c < n; ++c) columns.decode(c, fa, a + c * abytes, as + c);
    }
    for (std::size_t r = 0; r < rows; ++r) weights.decode(r, fw, w + r * wbytes, ws + r * scale);
    for (std::size_t c = 0; c < n; ++c) {
      // A group of columns is one step: its codes are looked at before its sums.
      if (c % cfg.mxu_cols == 0 && (six_bits(fa) || six_bits(fw))) {
        const std::span part(acts + c * abytes, std::min<std::uint64_t>(cfg.mxu_cols, n - c) * abytes);
        const bool bad = (c == 0 && six_bits(fw) && bad_code({w, rows * wbytes})) || (six_bits(fa) && bad_code(part));
        if (bad && opt.nan_trap) fault_if_nan(x, sums, was_nan);
        if (c == 0) check_codes(x, "w", k, fw, {w, rows * wbytes});
        check_codes(x, "a", k / blocks, fa, part);
      }
      for (std::size_t r = 0; r < rows; ++r) {
        std::uint32_t& sum = sums[c * rows + r];
        if (weights.nan[r] != 0 || columns.nan[c] != 0) {
          sum = kNan32;
        } else {
          const std::int64_t s = dot_integers(&weights.values[r * kBlock], &columns.values[c * kBlock]);
          sum = accumulate_block(sum, s, weights.exps[r] + columns.exps[c]);
        }
      }
    }
  }
}

void Tile::execute_mm(const Exec& x) {
  const auto fa = static_cast<isa::Format>(x.flag(kFa));
  const auto fw = static_cast<isa::Format>(x.flag(kFw));
  const bool init = x.flag(kInit) != 0;
  const std::uint64_t first = std::uint64_t{x.flag(kCg)} * cfg.mxu_cols;
  const std::uint64_t rows = cfg.mxu_rows;
  const std::uint64_t kb = x.r[4];
  const std::uint64_t n = x.r[5];
  const std::uint64_t astep = x.r[6];
  const std::uint64_t asstep = x.r[7];
  const isa::FormatDesc& weight = isa::kFormats[static_cast<std::size_t>(fw)];
  const auto blocks = static_cast<std::uint64_t>(weight.blocks);  // of the weights, for each of the activations
  const std::uint64_t wbytes = rows * block_bytes(fw);
  const std::uint64_t wsbytes = rows * static_cast<std::uint64_t>(weight.scale_bytes);
  const std::uint64_t abytes = block_bytes(fa);

  check_count(x, "kb", kb, kMaxCount / blocks);
  check_count(x, "n", n, first < cfg.acc_cols ? cfg.acc_cols - first : 0);
  check_aligned(x, "w", x.r[0], 32);
  check_aligned(x, "ws", x.r[1], wsbytes);
  check_aligned(x, "a", x.r[2], 32);
  check_aligned(x, "as", x.r[3], 32);
  check_aligned(x, "astep", astep, 32);
  check_aligned(x, "asstep", asstep, 32);
  check_spad(x, "w", x.r[0], kb * blocks * wbytes);
  check_spad(x, "ws", x.r[1], kb * blocks * wsbytes);
  check_spad(x, "a", x.r[2], (kb - 1) * astep + n * abytes);
  check_spad(x, "as", x.r[3], (kb - 1) * asstep + n);

  const std::span<std::uint32_t> sums = std::span(acc.bits).subspan(first * rows, n * rows);
  const std::span<std::uint8_t> marks = std::span(acc.written).subspan(first * rows, n * rows);
  if (!init && opt.check_written) {
    const auto hole = std::find(marks.begin(), marks.end(), std::uint8_t{0});
    if (hole != marks.end())
      uninitialised(x, Space::kAcc, 0, first + static_cast<std::uint64_t>(hole - marks.begin()) / rows);
  }
  std::vector<std::uint8_t> was_nan(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (init) sums[i] = 0;
    was_nan[i] = is_nan32(sums[i]) ? 1 : 0;
  }

  if (kBlock * largest(fw) * largest(fa) <= INT32_MAX) {
    accumulate_blocks<std::int32_t>(x, fw, fa, sums, was_nan);
  } else {
    accumulate_blocks<std::int64_t>(x, fw, fa, sums, was_nan);
  }
  std::fill(marks.begin(), marks.end(), std::uint8_t{1});
  if (opt.log) log_write(x, Space::kAcc, 0, first, little_endian(sums));
  if (opt.nan_trap) fault_if_nan(x, sums, was_nan);
}

void Tile::fault_if_nan(const Exec& x, std::span<const std::uint32_t> sums, std::span<const std::uint8_t> was_nan) {
  const std::uint64_t first = std::uint64_t{x.flag(kCg)} * cfg.mxu_cols;
  const std::uint64_t rows = cfg.mxu_rows;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (!is_nan32(sums[i]) || was_nan[i] != 0) continue;
    fault(x.at, isa::Cause::kMxuNan,
          "accumulator of row " + std::to_string(i % rows) + ", column " + std::to_string(first + i / rows) +
              " became NaN");
  }
}

void Tile::execute_mst(const Exec& x) {
  const std::uint64_t first = std::uint64_t{x.flag(kCg)} * cfg.mxu_cols;
  const std::uint64_t rows = cfg.mxu_rows;
  const std::uint64_t pitch = x.r[1];
  const std::uint64_t n = x.r[2];
  check_count(x, "n", n, first < cfg.acc_cols ? cfg.acc_cols - first : 0);
  check_aligned(x, "dst", x.r[0], 4 * rows);
  check_aligned(x, "pitch", pitch, 4 * rows);
  check_spad(x, "dst", x.r[0], (n - 1) * pitch + 4 * rows);
  for (std::uint64_t c = 0; c < n; ++c) {
    const std::size_t at = (first + c) * rows;
    const auto marks = std::span(acc.written).subspan(at, rows);
    if (opt.check_written && std::find(marks.begin(), marks.end(), std::uint8_t{0}) != marks.end())
      uninitialised(x, Space::kAcc, 0, first + c);
    write_spad(x, x.r[0] + c * pitch, little_endian(std::span(acc.bits).subspan(at, rows)));
  }
}

}  // namespace tepin::golden
