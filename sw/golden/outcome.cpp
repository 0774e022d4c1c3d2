// SPDX-License-Identifier: Apache-2.0
#include "sw/golden/outcome.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "sw/isa/program.h"

namespace tepin::golden {
namespace {

std::string hex_text(std::uint64_t v) {
  std::array<char, 24> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "0x%llx", static_cast<unsigned long long>(v));
  return buffer.data();
}

}  // namespace

std::string tile_prefix(std::uint8_t tile) {
  if (tile == kOnlyTile) return {};
  return "tile " + std::to_string(tile % isa::kMaxMesh) + "," + std::to_string(tile / isa::kMaxMesh) + " ";
}

std::string describe(const Where& w) {
  const isa::Instr* instr = isa::find_instr(static_cast<std::uint8_t>(w.op));
  return tile_prefix(w.tile) + std::string(isa::kEngines[static_cast<std::size_t>(w.engine)]) + " " +
         std::string(instr != nullptr ? instr->name : "instruction") + " (pc " + std::to_string(w.pc) + ", thread " +
         std::to_string(w.thread) + ")";
}

std::string describe(Space space, std::uint32_t channel, std::uint64_t address) {
  switch (space) {
    case Space::kSpad:
      return "spad " + hex_text(address);
    case Space::kHbm:
      return "hbm" + std::to_string(channel) + " " + hex_text(address);
    case Space::kAcc:
      return "acc column " + std::to_string(address);
    case Space::kImem:
      return "imem " + std::to_string(address);
  }
  return {};
}

std::string_view name_of(FindingKind k) {
  switch (k) {
    case FindingKind::kUninitialised:
      return "uninitialised";
    case FindingKind::kRaceIssue:
      return "race_issue";
    case FindingKind::kRaceTake:
      return "race_take";
    case FindingKind::kRaceBytes:
      return "race_bytes";
    case FindingKind::kRaceSelf:
      return "race_self";
    case FindingKind::kRaceSemaphore:
      return "race_semaphore";
    case FindingKind::kRaceGroup:
      return "race_group";
    case FindingKind::kLimit:
      return "limit";
  }
  return {};
}

std::string Outcome::text() const {
  switch (status) {
    case Status::kDone:
      return "done";
    case Status::kFault:
      return fault.text;
    case Status::kError:
      return error.text;
  }
  return {};
}

bool Outcome::waits_in_reduction() const {
  return status == Status::kFault && fault.cause == isa::Cause::kStuck &&
         std::ranges::any_of(fault.waiters,
                             [](const Waiter& w) { return w.at.op == isa::Op::kNred && !w.members.empty(); });
}

}  // namespace tepin::golden
