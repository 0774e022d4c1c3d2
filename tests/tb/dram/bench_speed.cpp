// SPDX-License-Identifier: Apache-2.0
// Prints what a clock of the device model costs: idle, and with both pseudo-channels streaming or at random rows. Legal
// traffic, so the checks are what is measured. Takes the number of clocks (default 2,000,000).
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdlib>

#include "tb/dram/device.h"

namespace {

using namespace tepin::tb::dram;

enum class Shape { kIdle, kStream, kRandomRows };

RowCommand act(int pc, int bank, Clock row) {
  return {RowOp::kAct,
          static_cast<std::uint8_t>(pc),
          0,
          0,
          static_cast<std::uint8_t>(bank / 8),
          static_cast<std::uint8_t>(bank % 8),
          static_cast<std::uint16_t>(row % 16384)};
}
ColumnCommand column(bool write, bool last, int bank, Clock col) {
  return {true,
          write,
          last,
          0,
          static_cast<std::uint8_t>(bank / 8),
          static_cast<std::uint8_t>(bank % 8),
          static_cast<std::uint8_t>(col)};
}

/// Streams: every 16 clocks a row in each bank group, 8 bursts of each, alternating. PC1 runs a clock behind PC0.
void stream(DfiOut& out, Clock t, int pc, bool write) {
  const Clock local = t - pc, since = local - 24;
  if (local >= 0 && local % 4 == 0 && local % 16 < 8) {
    const auto group = static_cast<int>(local % 16 / 4);
    out.row[0] = act(pc, 8 * group + static_cast<int>(local / 16 % 8), local / 16);
  }
  if (since < 0) return;
  const auto bank = static_cast<int>(8 * (since % 2) + since / 16 % 8);
  out.col[static_cast<std::size_t>(pc)] = column(write, since % 16 >= 14, bank, since % 16 / 2);
}
/// Opens a row every 4 clocks, for one burst with auto precharge.
void random_rows(DfiOut& out, Clock t, int pc, bool write) {
  const Clock local = t - pc, since = local - 20;
  const auto bank_at = [](Clock n) { return static_cast<int>(n * 9 % 16); };
  if (local % 4 != 0 || local < 0) return;
  out.row[0] = act(pc, bank_at(local / 4), local / 4 * 7919);
  if (since >= 0) out.col[static_cast<std::size_t>(pc)] = column(write, true, bank_at(since / 4), since % 32);
}

void measure(const char* name, Clock clocks, Shape shape, bool write) {
  DramConfig config = DramConfig::of(8000, 2);
  config.timing.tinit = 0;
  config.timing.max_postponed = config.timing.raammt = 1 << 30;  // no refreshes here
  DramDevice device(config);
  DfiIn in;
  std::array<std::array<bool, 2>, 8> writes{};  // by clock and PC
  const auto start = std::chrono::steady_clock::now();
  for (Clock t = 0; t < clocks; ++t) {
    DfiOut out;
    for (int pc = 0; pc < 2 && shape != Shape::kIdle; ++pc) {
      shape == Shape::kStream ? stream(out, t, pc, write) : random_rows(out, t, pc, write);
    }
    out.wdata_valid = writes[static_cast<std::size_t>(t - config.timing.wl) % 8];
    for (std::size_t p = 0; p < 2; ++p) writes[static_cast<std::size_t>(t) % 8][p] = out.col[p].valid && write;
    device.cycle(out, in);
  }
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
  std::uint64_t commands = 0;
  for (const auto& pc : device.statistics().commands) {
    for (const std::uint64_t n : pc) commands += n;
  }
  const auto count = static_cast<double>(commands), total = static_cast<double>(clocks);
  fmt::print("{:<24} {:6.1f} ns a clock, {:7.2f} M clocks/s, {:.2f} commands a clock, {:6.1f} ns each, {} violations\n",
             name, spent.count() / total, 1e3 * total / spent.count(), count / total,
             commands == 0 ? 0 : spent.count() / count, device.violation_count());
  if (device.violation_count() > 0) fmt::print("  {}\n", to_string(device.violations()[0]));
}

}  // namespace

int main(int argc, char** argv) {
  const Clock clocks = argc > 1 ? std::atoll(argv[1]) : 2'000'000;
  measure("idle", clocks, Shape::kIdle, false);
  measure("streaming reads", clocks, Shape::kStream, false);
  measure("streaming writes", clocks, Shape::kStream, true);
  measure("reads, a row each", clocks, Shape::kRandomRows, false);
  measure("writes, a row each", clocks, Shape::kRandomRows, true);
}
