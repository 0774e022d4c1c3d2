// SPDX-License-Identifier: Apache-2.0
// ld and st, nld and nst.
#include <algorithm>
#include <vector>

#include "sw/golden/tile.h"

namespace tepin::golden {
namespace {

constexpr std::uint64_t kStripe = 8;  // beats of a pseudo-channel before the next one's turn
constexpr isa::Bits kNpc{112, 4};

}  // namespace

void Tile::check_pcs(const Exec& x, const Runs& r) const {
  if (r.first_pc + r.npc <= cfg.pcs) return;
  fault(x.at, isa::Cause::kBadHbmAddr,
        "pseudo-channels " + std::to_string(r.first_pc) + ".." + std::to_string(r.first_pc + r.npc - 1) +
            "; allowed: 0.." + std::to_string(cfg.pcs - 1));
}

// Steps are unsigned, so the last run reaches furthest.
void Tile::check_spad_runs(const Exec& x, const Runs& r) const {
  check_spad(x, "spad", r.spad, (r.n1 - 1) * r.sstep1 + (r.n2 - 1) * r.sstep2 + r.len * kBeat);
}

void Tile::check_beats(const Exec& x, const Runs& r) const {
  // Within a run the furthest beat of any channel: the last beat's own, or beat 7 of a unit that the last round fills.
  const std::uint64_t round = kStripe * r.npc;
  const std::uint64_t furthest = (r.len - 1) / round * kStripe + std::min((r.len - 1) % round, kStripe - 1);
  const std::uint64_t last_beat = r.beat + (r.n1 - 1) * r.hstep1 + (r.n2 - 1) * r.hstep2 + furthest;
  if (last_beat < cfg.hbm_beats) return;
  fault(x.at, isa::Cause::kBadHbmAddr,
        "reaches beat " + std::to_string(last_beat) + "; allowed: 0.." + std::to_string(cfg.hbm_beats - 1));
}

void Tile::transfer(const Exec& x, const Runs& r, bool load, Tile& memory, AgentLog* hbm_log) {
  Exec far = x;
  far.log = hbm_log;
  const std::uint64_t round = kStripe * r.npc;
  std::vector<std::uint8_t> buffer(load ? r.len * kBeat : 0);
  for (std::uint64_t i2 = 0; i2 < r.n2; ++i2) {
    for (std::uint64_t i1 = 0; i1 < r.n1; ++i1) {
      const std::uint64_t s = r.spad + i1 * r.sstep1 + i2 * r.sstep2;
      const std::uint64_t h = r.beat + i1 * r.hstep1 + i2 * r.hstep2;
      const std::uint8_t* source = load ? nullptr : read_spad(x, s, r.len * kBeat);
      const std::uint64_t unit = r.npc == 1 ? r.len : kStripe;  // one channel: units follow each other
      for (std::uint64_t b = 0; b < r.len; b += unit) {
        const std::uint32_t channel = r.first_pc + static_cast<std::uint32_t>(b / kStripe % r.npc);
        const std::uint64_t beat = h + b / round * kStripe;
        const std::uint64_t bytes = std::min(unit, r.len - b) * kBeat;
        if (load) {
          memory.read_hbm(far, channel, beat, std::span(buffer).subspan(b * kBeat, bytes));
        } else {
          memory.write_hbm(far, channel, beat, {source + b * kBeat, bytes});
        }
      }
      if (load) write_spad(x, s, buffer);
    }
  }
}

void Tile::execute_dma(const Exec& x, bool load) {
  const Runs r{.spad = x.r[0],
               .first_pc = x.r[1] >> 26,
               .npc = x.flag(kNpc),
               .beat = x.r[1] & 0x3ffffffU,
               .len = x.r[2],
               .n1 = (x.r[3] & 0xffffU) + std::uint64_t{1},
               .n2 = (x.r[3] >> 16) + std::uint64_t{1},
               .sstep1 = x.r[4],
               .hstep1 = x.r[5],
               .sstep2 = x.r[6],
               .hstep2 = x.r[7]};
  check_count(x, "len", r.len, 65535);
  check_aligned(x, "spad", r.spad, kBeat);
  check_aligned(x, "sstep1", r.sstep1, kBeat);
  check_aligned(x, "sstep2", r.sstep2, kBeat);
  check_pcs(x, r);
  check_spad_runs(x, r);
  check_beats(x, r);
  transfer(x, r, load, *this, x.log);
}

void Tile::execute_remote_dma(const Exec& x, bool load) {
  const Runs r{.spad = x.r[0],
               .first_pc = x.r[1] >> 26,
               .npc = x.flag(kNpc),
               .beat = x.r[1] & 0x3ffffffU,
               .len = x.r[2],
               .n1 = x.r[3] + std::uint64_t{1},
               .sstep1 = x.r[4],
               .hstep1 = x.r[5]};
  check_count(x, "len", r.len, 65535);
  if (x.r[3] > 65535) {
    fault(x.at, isa::Cause::kBadOperand, "cnt is " + std::to_string(x.r[3]) + "; allowed: 0..65535");
  }
  check_aligned(x, "spad", r.spad, kBeat);
  check_aligned(x, "sstep", r.sstep1, kBeat);
  Tile& far = check_tile(x, x.r[6]);
  check_pcs(x, r);
  check_spad_runs(x, r);
  check_beats(x, r);
  transfer(x, r, load, far, load ? nullptr : far.incoming_of(x));
}

}  // namespace tepin::golden
