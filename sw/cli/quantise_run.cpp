// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/quantise_run.h"

#include <algorithm>
#include <array>
#include <bit>

namespace tepin::cli {
namespace {

constexpr std::uint64_t kTokens = 32;  // of a launch

/// The panel, put together again from the bytes of its channels: 256 of the first, 256 of the second, ...
std::vector<std::uint8_t> unstripe(const kernels::Launch& launch, std::span<const std::uint8_t> bytes) {
  std::vector<std::span<const std::uint8_t>> parts;
  for (const kernels::Segment& s : launch.outputs) {
    parts.push_back(bytes.first(std::min(bytes.size(), s.bytes.size())));
    bytes = bytes.subspan(parts.back().size());
  }
  std::vector<std::uint8_t> out;
  for (std::size_t c = 0; !parts[c].empty(); c = (c + 1) % parts.size()) {
    const auto unit = parts[c].first(std::min<std::size_t>(256, parts[c].size()));
    out.insert(out.end(), unit.begin(), unit.end());
    parts[c] = parts[c].subspan(unit.size());
  }
  return out;
}

/// For each block of K: the tokens' codes, padding to 32 bytes, then 32 bytes that begin with the scales.
std::vector<std::uint8_t> panel_of(const Activations& a) {
  const std::uint64_t bytes = golden::block_bytes(a.format);
  const std::uint64_t record = (a.n * bytes + 31) / 32 * 32 + 32;
  std::vector<std::uint8_t> panel(a.kb * record);
  for (std::uint64_t kb = 0; kb < a.kb; ++kb) {
    for (std::uint64_t n = 0; n < a.n; ++n) {
      const std::uint64_t block = n * a.kb + kb;
      std::copy_n(&a.codes[block * bytes], bytes, &panel[kb * record + n * bytes]);
      panel[(kb + 1) * record - 32 + n] = a.scales[block];
    }
  }
  return panel;
}

}  // namespace

Measure run_quantise(Session& session, const kernels::Launch& launch, const Activations& expected,
                     std::uint64_t max_cycles) {
  Measure m = run_launch(session, launch, true, max_cycles);
  if (m.fault.empty()) m.compare_bytes("panel", panel_of(expected), unstripe(launch, m.output));
  return m;
}

QuantisedInput quantise_bf16(Session& session, std::span<const std::uint16_t> x, std::uint64_t n, std::uint64_t kb,
                             isa::Format format, golden::ScaleRule rule, std::uint64_t max_cycles) {
  std::vector<float> values(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) values[i] = std::bit_cast<float>(golden::bf16_to_fp32(x[i]));
  QuantisedInput out{quantise(values, n, kb, format, rule), {}};
  // At least one block: the plan refuses what does not fit.
  const std::uint64_t step =
      std::max<std::uint64_t>(1, kernels::max_bf16_blocks(session.config(), std::min(n, kTokens), format));
  for (std::uint64_t t = 0; t < n; t += kTokens) {
    for (std::uint64_t k = 0; k < kb; k += step) {
      const std::uint64_t tokens = std::min(kTokens, n - t);
      const std::uint64_t blocks = std::min(step, kb - k);
      std::vector<std::uint16_t> piece;
      std::vector<float> piece_values;
      for (std::uint64_t i = t; i < t + tokens; ++i) {
        const std::uint64_t at = (i * kb + k) * 32;
        piece.insert(piece.end(), &x[at], &x[at] + blocks * 32);
        piece_values.insert(piece_values.end(), &values[at], &values[at] + blocks * 32);
      }
      const kernels::Launch launch = kernels::plan_quantise(
          session.config(), tokens, blocks, format, std::span<const std::uint16_t>(piece), static_cast<unsigned>(rule));
      out.measure += run_quantise(session, launch, quantise(piece_values, tokens, blocks, format, rule), max_cycles);
      if (out.measure.exit_code() != kOk) return out;
    }
  }
  return out;
}

}  // namespace tepin::cli
