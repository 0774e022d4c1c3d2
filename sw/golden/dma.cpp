// SPDX-License-Identifier: Apache-2.0
// ld and st.
#include <algorithm>
#include <vector>

#include "sw/golden/tile.h"

namespace tepin::golden {
namespace {

constexpr std::uint64_t kStripe = 8;  // beats of a pseudo-channel before the next one's turn
constexpr isa::Bits kNpc{112, 4};

}  // namespace

void Tile::execute_dma(const Exec& x, bool load) {
  const std::uint64_t spad_base = x.r[0];
  const std::uint32_t first_pc = x.r[1] >> 26;
  const std::uint64_t beat_base = x.r[1] & 0x3ffffffU;
  const std::uint64_t len = x.r[2];
  const std::uint64_t n1 = (x.r[3] & 0xffffU) + std::uint64_t{1};
  const std::uint64_t n2 = (x.r[3] >> 16) + std::uint64_t{1};
  const std::uint64_t sstep1 = x.r[4];
  const std::uint64_t hstep1 = x.r[5];
  const std::uint64_t sstep2 = x.r[6];
  const std::uint64_t hstep2 = x.r[7];
  const std::uint32_t npc = x.flag(kNpc);

  check_count(x, "len", len, 65535);
  check_aligned(x, "spad", spad_base, kBeat);
  check_aligned(x, "sstep1", sstep1, kBeat);
  check_aligned(x, "sstep2", sstep2, kBeat);
  if (first_pc + npc > cfg.pcs) {
    fault(x.at, isa::Cause::kBadHbmAddr,
          "pseudo-channels " + std::to_string(first_pc) + ".." + std::to_string(first_pc + npc - 1) + "; allowed: 0.." +
              std::to_string(cfg.pcs - 1));
  }
  // Steps are unsigned, so the last run reaches furthest.
  check_spad(x, "spad", spad_base, (n1 - 1) * sstep1 + (n2 - 1) * sstep2 + len * kBeat);
  // Within a run the furthest beat of any channel: the last beat's own, or beat 7 of a unit that the last round fills.
  const std::uint64_t round = kStripe * npc;
  const std::uint64_t furthest = (len - 1) / round * kStripe + std::min((len - 1) % round, kStripe - 1);
  const std::uint64_t last_beat = beat_base + (n1 - 1) * hstep1 + (n2 - 1) * hstep2 + furthest;
  if (last_beat >= cfg.hbm_beats) {
    fault(x.at, isa::Cause::kBadHbmAddr,
          "reaches beat " + std::to_string(last_beat) + "; allowed: 0.." + std::to_string(cfg.hbm_beats - 1));
  }

  std::vector<std::uint8_t> buffer(load ? len * kBeat : 0);
  for (std::uint64_t i2 = 0; i2 < n2; ++i2) {
    for (std::uint64_t i1 = 0; i1 < n1; ++i1) {
      const std::uint64_t s = spad_base + i1 * sstep1 + i2 * sstep2;
      const std::uint64_t h = beat_base + i1 * hstep1 + i2 * hstep2;
      const std::uint8_t* source = load ? nullptr : read_spad(x, s, len * kBeat);
      const std::uint64_t unit = npc == 1 ? len : kStripe;  // one channel: units follow each other
      for (std::uint64_t b = 0; b < len; b += unit) {
        const std::uint32_t channel = first_pc + static_cast<std::uint32_t>(b / kStripe % npc);
        const std::uint64_t beat = h + b / round * kStripe;
        const std::uint64_t bytes = std::min(unit, len - b) * kBeat;
        if (load) {
          read_hbm(x, channel, beat, std::span(buffer).subspan(b * kBeat, bytes));
        } else {
          write_hbm(x, channel, beat, {source + b * kBeat, bytes});
        }
      }
      if (load) write_spad(x, s, buffer);
    }
  }
}

}  // namespace tepin::golden
