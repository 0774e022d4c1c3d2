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

Launch plan_quantise(const isa::Config& cfg, std::uint64_t n, std::uint64_t kb, isa::Format format,
                     std::span<const std::uint32_t> values) {
  if (n == 0 || n > 32 || kb == 0 || values.size() != n * kb * 32)
    throw isa::InputError("quantise: 1..32 tokens of a multiple of 32 values");
  const std::uint64_t record = block_record(n, format);
  const std::uint64_t panel = kb * record;
  if (kParamBytes + 2 * kb * 128 + panel > cfg.spad_bytes || panel / 32 > 65535)
    throw isa::InputError("quantise: the panel does not fit the scratchpad");
  const std::uint64_t step = striped_beats(kb * 4, cfg.pcs);
  Launch launch;
  launch.name = "quantise";
  launch.section = assemble_kernel(cfg, "quantise.s", "FMT", format);
  HbmAllocator hbm(cfg);
  const std::uint64_t src = hbm.take(n * step);
  const std::uint64_t dst = hbm.take(striped_beats(panel / 32, cfg.pcs));
  for (std::uint64_t i = 0; i < n; ++i) {
    stripe({reinterpret_cast<const std::uint8_t*>(&values[i * kb * 32]), kb * 128}, src + i * step, cfg.pcs,
           launch.hbm);
  }
  stripe(std::vector<std::uint8_t>(panel), dst, cfg.pcs, launch.outputs);
  Params q("quantise.s");
  q.set("P_N", n);
  q.set("P_KB", kb);
  q.set("P_SRC", hbm_address(0, src));
  q.set("P_LEN", kb * 4);
  q.set("P_STEP", step);
  q.set("P_DST", hbm_address(0, dst));
  q.set("P_DLEN", panel / 32);
  q.set("P_BUF", kParamBytes);
  q.set("P_PANEL", kParamBytes + 2 * kb * 128);
  q.set("P_BLK", record);
  q.set("P_SCL", record - 32);
  q.set("P_COL", model::block_bytes(format));
  q.set("P_WORDS", panel / 4);
  launch.params = q.bytes();
  launch.payload_bytes = n * kb * 128 + n * kb * (model::block_bytes(format) + 1);
  return launch;
}

}  // namespace tepin::kernels
