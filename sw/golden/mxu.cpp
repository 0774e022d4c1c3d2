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

/// Blocks decoded to integers at the format's unit, once for all the dots they take part in. 32 bits hold every value
/// and every sum of the pairs that mm takes (docs/numerics.md, bounds).
struct Decoded32 {
  std::vector<std::int32_t> values;  // kBlock an entry
  std::vector<std::uint8_t> nan;     // scale or an element is not finite
  std::vector<std::int32_t> exps;    // scale - 127 - unit

  explicit Decoded32(std::size_t blocks) : values(blocks * kBlock), nan(blocks), exps(blocks) {}

  void decode(std::size_t i, isa::Format f, const std::uint8_t* codes, std::uint8_t scale) {
    std::array<std::uint8_t, kBlock> raw{};
    unpack_codes(f, codes, raw);
    bool bad = scale == kScaleNan;
    for (std::size_t j = 0; j < raw.size(); ++j) {
      const ElemValue& v = decode_elem(f, raw[j]);
      values[i * kBlock + j] = static_cast<std::int32_t>(v.value);
      bad = bad || v.kind != ElemKind::kFinite;
    }
    nan[i] = bad ? 1 : 0;
    exps[i] = int{scale} - 127 - elem_info(f).unit;
  }
};

std::int32_t dot32(const std::int32_t* a, const std::int32_t* b) {
  std::int32_t s = 0;
  for (std::size_t i = 0; i < kBlock; ++i) s += a[i] * b[i];
  return s;
}

std::vector<std::uint8_t> little_endian(std::span<const std::uint32_t> words) {
  std::vector<std::uint8_t> out;
  out.reserve(words.size() * 4);
  for (const std::uint32_t w : words) {
    for (unsigned shift = 0; shift < 32; shift += 8) out.push_back(static_cast<std::uint8_t>(w >> shift));
  }
  return out;
}

}  // namespace

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
  const std::uint64_t wbytes = block_bytes(fw);
  const std::uint64_t abytes = block_bytes(fa);

  check_count(x, "kb", kb, kMaxCount);
  check_count(x, "n", n, first < cfg.acc_cols ? cfg.acc_cols - first : 0);
  check_aligned(x, "w", x.r[0], 32);
  check_aligned(x, "ws", x.r[1], rows);
  check_aligned(x, "a", x.r[2], 32);
  check_aligned(x, "as", x.r[3], 32);
  check_aligned(x, "astep", astep, 32);
  check_aligned(x, "asstep", asstep, 32);
  check_spad(x, "w", x.r[0], kb * rows * wbytes);
  check_spad(x, "ws", x.r[1], kb * rows);
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

  const std::uint8_t* w = read_spad(x, x.r[0], kb * rows * wbytes);
  const std::uint8_t* ws = read_spad(x, x.r[1], kb * rows);
  Decoded32 weights(rows);
  Decoded32 columns(n);
  for (std::uint64_t k = 0; k < kb; ++k) {
    const std::uint8_t* a = read_spad(x, x.r[2] + k * astep, n * abytes);
    const std::uint8_t* as = read_spad(x, x.r[3] + k * asstep, n);
    for (std::size_t r = 0; r < rows; ++r) weights.decode(r, fw, w + (k * rows + r) * wbytes, ws[k * rows + r]);
    for (std::size_t c = 0; c < n; ++c) columns.decode(c, fa, a + c * abytes, as[c]);
    for (std::size_t c = 0; c < n; ++c) {
      for (std::size_t r = 0; r < rows; ++r) {
        std::uint32_t& sum = sums[c * rows + r];
        if (weights.nan[r] != 0 || columns.nan[c] != 0) {
          sum = kNan32;
        } else {
          const std::int64_t s = dot32(&weights.values[r * kBlock], &columns.values[c * kBlock]);
          sum = accumulate_block(sum, s, weights.exps[r] + columns.exps[c]);
        }
      }
    }
  }
  std::fill(marks.begin(), marks.end(), std::uint8_t{1});
  if (opt.log) log_write(x, Space::kAcc, 0, first, little_endian(sums));
  if (!opt.nan_trap) return;
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
