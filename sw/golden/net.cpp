// SPDX-License-Identifier: Apache-2.0
// NET's one-sided instructions. nld and nst are in dma.cpp, collectives in net_collective.cpp.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "sw/golden/fabric.h"

namespace tepin::golden {
namespace {

constexpr isa::Bits kGroup{112, 2};
constexpr isa::Bits kSem{114, 6};
constexpr isa::Bits kScnt{120, 8};
constexpr std::uint64_t kMaxLen = 65535;

std::string tile_text(std::uint32_t value) {
  return "chip " + std::to_string(value >> 6) + ", tile " + std::to_string(value % isa::kMaxMesh) + "," +
         std::to_string(value / isa::kMaxMesh % isa::kMaxMesh);
}

}  // namespace

bool Tile::execute_net(const Exec& x) {
  switch (x.at.op) {
    case isa::Op::kNgroup:
      execute_ngroup(x);
      return true;
    case isa::Op::kNwr:
      execute_nwr(x);
      return true;
    case isa::Op::kNpost:
      execute_npost(x);
      return true;
    case isa::Op::kNld:
    case isa::Op::kNst:
      execute_remote_dma(x, x.at.op == isa::Op::kNld);
      return true;
    case isa::Op::kNmc:
      execute_nmc(x);
      return true;
    case isa::Op::kNsync:
      return true;
    default:
      return start_collective(x);
  }
}

Tile& Tile::check_tile(const Exec& x, std::uint32_t value) const {
  Tile* far = fabric_.find(value);
  if (far == nullptr) {
    fault(x.at, isa::Cause::kBadTile,
          "tile is " + std::to_string(value) + " (" + tile_text(value) + "); allowed: chip 0, tiles " +
              fabric_.allowed_tiles());
  }
  return *far;
}

const Group& Tile::group_of(const Exec& x) const {
  const std::uint32_t g = x.flag(kGroup);
  if (groups_[g].mask == 0) {
    fault(x.at, isa::Cause::kBadGroup, "group " + std::to_string(g) + " was never written");
  }
  return groups_[g];
}

AgentLog* Tile::incoming_of(const Exec& x, SemCount posted) {
  if (!opt.log) return nullptr;
  const Tile& from = *fabric_.tiles[static_cast<std::size_t>(x.agent / kAgents)];
  LogEntry entry;
  entry.pc = x.at.pc;
  entry.thread = x.at.thread;
  entry.op = x.at.op;
  entry.rd = static_cast<std::uint8_t>(posted.sem);
  entry.value = posted.count;
  entry.index =
      static_cast<std::uint32_t>(from.log[static_cast<std::size_t>(agent_of(isa::Engine::kNet))].entries.size() - 1);
  AgentLog& to = incoming[from.number];
  to.begin(entry);
  return &to;
}

void Tile::execute_ngroup(const Exec& x) {
  const std::uint64_t mask = std::uint64_t{x.r[1]} << 32 | x.r[0];
  const std::uint32_t root = x.r[2];
  if (mask == 0) fault(x.at, isa::Cause::kBadGroup, "the mask is empty");
  for (std::uint32_t t = 0; t < kMaxTiles; ++t) {
    if ((mask >> t & 1U) == 0 || fabric_.find(t) != nullptr) continue;
    fault(x.at, isa::Cause::kBadGroup,
          "the mask names tile " + std::to_string(t) + " (" + tile_text(t) + "); allowed: tiles " +
              fabric_.allowed_tiles());
  }
  if (fabric_.find(root) == nullptr) {
    fault(x.at, isa::Cause::kBadGroup,
          "root is " + std::to_string(root) + " (" + tile_text(root) + "); allowed: chip 0, tiles " +
              fabric_.allowed_tiles());
  }
  groups_[x.flag(kGroup)] = {mask, static_cast<std::uint8_t>(root)};
}

// The tile may be this one; then each word may overwrite itself, but no other word of the source.
void Tile::execute_nwr(const Exec& x) {
  const std::uint64_t dst = x.r[0];
  const std::uint64_t src = x.r[1];
  const std::uint64_t len = x.r[2];
  check_count(x, "len", len, kMaxLen);
  check_aligned(x, "dst", dst, kBeat);
  check_aligned(x, "src", src, kBeat);
  Tile& far = check_tile(x, x.r[3]);
  check_spad(x, "src", src, len * kBeat);
  check_spad(x, "dst", dst, len * kBeat);
  const std::uint8_t* data = read_spad(x, src, len * kBeat);
  Exec there = x;
  there.log = far.incoming_of(x);
  far.write_spad(there, dst, {data, len * kBeat}, dst == src);
}

void Tile::execute_npost(const Exec& x) {
  if (x.r[0] >= cfg.sems) {
    fault(x.at, isa::Cause::kBadOperand,
          "sem is " + std::to_string(x.r[0]) + "; allowed: 0.." + std::to_string(cfg.sems - 1));
  }
  check_count(x, "count", x.r[1], std::numeric_limits<std::uint32_t>::max());
  Tile& far = check_tile(x, x.r[2]);
  const SemCount p{x.r[0], x.r[1]};
  (void)far.incoming_of(x, p);
  far.post_from_afar(x, p);
}

void Tile::execute_nmc(const Exec& x) {
  const std::uint64_t dst = x.r[0];
  const std::uint64_t src = x.r[1];
  const std::uint64_t len = x.r[2];
  const SemCount p{x.flag(kSem), x.flag(kScnt)};
  check_count(x, "len", len, kMaxLen);
  if (p.count == 0 ? p.sem != 0 : p.sem >= cfg.sems) {
    fault(x.at, isa::Cause::kBadOperand,
          "sem is " + std::to_string(p.sem) + " with scnt " + std::to_string(p.count) + "; allowed: 0" +
              (p.count == 0 ? "" : ".." + std::to_string(cfg.sems - 1)));
  }
  check_aligned(x, "dst", dst, kBeat);
  check_aligned(x, "src", src, kBeat);
  const std::uint64_t mask = group_of(x).mask;
  check_spad(x, "src", src, len * kBeat);
  check_spad(x, "dst", dst, len * kBeat);
  const std::uint8_t* source = read_spad(x, src, len * kBeat);
  const std::vector<std::uint8_t> data(source, source + len * kBeat);
  // Words that fall on the source are a race of the instruction with itself; else those at each member that is posted
  // to are an agent of their own.
  const bool overlaps = dst < src + len * kBeat && src < dst + len * kBeat && dst != src;
  const bool apart = san_ != nullptr && p.count != 0;
  std::vector<std::pair<Tile*, Exec>> arrivals;
  for (const auto& far : fabric_.tiles) {
    if ((mask & bit_of(far->number)) == 0) continue;
    Exec there = x;
    if (apart && !(overlaps && far.get() == this)) there.agent = san_->begin_arrival(x.agent, far->place_);
    there.log = far->incoming_of(x, p);
    far->write_spad(there, dst, data, dst == src);
    arrivals.emplace_back(far.get(), there);
  }
  if (p.count == 0) return;
  for (const auto& [far, there] : arrivals) {
    far->post_from_afar(there, p);
    if (apart) san_->receive_arrival(x.agent, there.agent);
  }
}

bool Tile::multicasts(const isa::Section& section) {
  return std::any_of(section.code.begin(), section.code.end(), [](const isa::Word& w) {
    return isa::get(w, isa::kBitsOpcode) == static_cast<std::uint32_t>(isa::Op::kNmc) && isa::get(w, kScnt) != 0;
  });
}

}  // namespace tepin::golden
