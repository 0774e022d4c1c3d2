// SPDX-License-Identifier: Apache-2.0
// Plans of the kernels copy.s and quantise.s.
#include <algorithm>

#include "sw/kernels/gemm.h"
#include "sw/kernels/plan.h"

namespace tepin::kernels {

Launch plan_copy(const isa::Config& cfg, std::span<const std::uint8_t> bytes) {
  if (bytes.empty() || bytes.size() % 32 != 0)
    throw isa::InputError("copy: the size must be a multiple of 32 bytes, at least 32");
  // Whole chunks of 4 KiB; a shorter copy is one chunk. A tail is padded in memory.
  const std::uint64_t beats = bytes.size() / 32;
  const std::uint64_t len = std::min<std::uint64_t>(beats, 128);
  const std::uint64_t chunks = div_up(beats, len);
  const std::uint64_t step = striped_beats(len, cfg.pcs);
  Launch launch;
  launch.name = "copy";
  launch.section = assembly::assemble(kernel_source("copy.s"), "copy.s", cfg).sections.at(0);
  HbmAllocator hbm(cfg);
  const std::uint64_t src = hbm.take(chunks * step);
  const std::uint64_t dst = hbm.take(chunks * step);
  std::vector<std::uint8_t> padded(bytes.begin(), bytes.end());
  padded.resize(chunks * len * 32);
  for (std::uint64_t i = 0; i < chunks; ++i) {
    const auto chunk = std::span<const std::uint8_t>(padded).subspan(i * len * 32, len * 32);
    stripe(chunk, src + i * step, cfg.pcs, launch.hbm);
    stripe(chunk, dst + i * step, cfg.pcs, launch.outputs);
  }
  Params q("copy.s");
  q.set("P_CHUNKS", chunks);
  q.set("P_LEN", len);
  q.set("P_STEP", step);
  q.set("P_SRC", hbm_address(0, src));
  q.set("P_DST", hbm_address(0, dst));
  q.set("P_BUF", kParamBytes);
  launch.params = q.bytes();
  launch.payload_bytes = 2 * padded.size();
  return launch;
}

namespace {

constexpr std::uint64_t kMaxTokens = 32;  // their scales fill a beat

/// Of the scratchpad: two buffers of a token's values, and the panel.
bool fits(const isa::Config& cfg, std::uint64_t n, std::uint64_t kb, isa::Format format, std::uint64_t value_bytes) {
  const std::uint64_t panel = kb * block_record(n, format);
  return kParamBytes + 2 * kb * 32 * value_bytes + panel <= cfg.spad_bytes && panel / 4 <= 65535;
}

/// values: bytes of [n][32*kb], value_bytes each.
Launch plan(const isa::Config& cfg, std::uint64_t n, std::uint64_t kb, isa::Format format, unsigned rule,
            std::uint64_t value_bytes, std::span<const std::uint8_t> values) {
  const std::uint64_t token = kb * 32 * value_bytes;
  if (n == 0 || n > kMaxTokens || kb == 0 || values.size() != n * token)
    throw isa::InputError("quantise: 1..32 tokens of a multiple of 32 values");
  if (cfg.pcs != 2)
    throw isa::InputError(fmt::format("configuration {}: the shipped kernels stripe over 2 pseudo-channels, it has {}",
                                      cfg.name, cfg.pcs));
  if (rule > 3) throw isa::InputError(fmt::format("quantise: rule {}; allowed: 0..3", rule));
  if (!fits(cfg, n, kb, format, value_bytes)) throw isa::InputError("quantise: the panel does not fit the scratchpad");
  const std::uint64_t record = block_record(n, format);
  const std::uint64_t panel = kb * record;
  const std::uint64_t step = striped_beats(token / 32, cfg.pcs);
  Launch launch;
  launch.name = "quantise";
  const std::string source = fmt::format(".format FMT, {}\n.equ RULE, {}\n.equ BF16, {}\n{}",
                                         isa::kFormats[static_cast<std::size_t>(format)].name, rule,
                                         value_bytes == 2 ? 1 : 0, kernel_source("quantise.s"));
  launch.section = assembly::assemble(source, "quantise.s", cfg).sections.at(0);
  HbmAllocator hbm(cfg);
  const std::uint64_t src = hbm.take(n * step);
  const std::uint64_t dst = hbm.take(striped_beats(panel / 32, cfg.pcs));
  for (std::uint64_t i = 0; i < n; ++i) stripe(values.subspan(i * token, token), src + i * step, cfg.pcs, launch.hbm);
  stripe(std::vector<std::uint8_t>(panel), dst, cfg.pcs, launch.outputs);
  Params q("quantise.s");
  q.set("P_N", n);
  q.set("P_KB", kb);
  q.set("P_SRC", hbm_address(0, src));
  q.set("P_LEN", token / 32);
  q.set("P_STEP", step);
  q.set("P_DST", hbm_address(0, dst));
  q.set("P_DLEN", panel / 32);
  q.set("P_BUF", kParamBytes);
  q.set("P_PANEL", kParamBytes + 2 * token);
  q.set("P_BLK", record);
  q.set("P_SCL", record - 32);
  q.set("P_COL", model::block_bytes(format));
  q.set("P_WORDS", panel / 4);
  launch.params = q.bytes();
  launch.payload_bytes = n * token + n * kb * (model::block_bytes(format) + 1);
  return launch;
}

template <typename T>
std::span<const std::uint8_t> bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()};
}

}  // namespace

Launch plan_quantise(const isa::Config& cfg, std::uint64_t n, std::uint64_t kb, isa::Format format,
                     std::span<const std::uint32_t> values, unsigned rule) {
  return plan(cfg, n, kb, format, rule, 4, bytes_of(values));
}

Launch plan_quantise(const isa::Config& cfg, std::uint64_t n, std::uint64_t kb, isa::Format format,
                     std::span<const std::uint16_t> values, unsigned rule) {
  return plan(cfg, n, kb, format, rule, 2, bytes_of(values));
}

std::uint64_t max_bf16_blocks(const isa::Config& cfg, std::uint64_t n, isa::Format format) {
  std::uint64_t kb = cfg.spad_bytes / (block_record(n, format) + 128);
  while (kb > 0 && !fits(cfg, n, kb, format, 2)) --kb;
  return kb;
}

}  // namespace tepin::kernels
