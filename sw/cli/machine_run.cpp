// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/machine_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "sw/isa/tepin_window.h"
#include "tb/runner.h"

namespace tepin::cli {
namespace {

/// A tile starts at most one instruction of each of its agents a cycle.
std::uint64_t golden_limit(const MachineJob& job) { return golden::kAgents * job.sections.size() * job.max_cycles; }

golden::Chip load_golden(const isa::Config& cfg, const MachineJob& job, const golden::Options& options) {
  golden::Chip chip(cfg, job.mesh_x, job.mesh_y, options);
  for (const Region& r : job.loads) {
    const std::uint32_t tile = golden::tile_number(r.x, r.y);
    if (r.space < 0) {
      chip.load_spad(tile, r.address, r.bytes);
    } else {
      chip.load_hbm(tile, static_cast<std::uint32_t>(r.space), r.address, r.bytes);
    }
  }
  return chip;
}

Json fault_json(isa::Cause cause, std::uint32_t x, std::uint32_t y, isa::Engine engine, std::uint32_t thread,
                std::uint32_t pc, std::optional<std::uint32_t> address, const std::string& text) {
  Json j{{"cause", isa::kCauses[static_cast<std::size_t>(cause)].name},
         {"tile", fmt::format("{},{}", x, y)},
         {"engine", isa::kEngines[static_cast<std::size_t>(engine)]},
         {"thread", thread},
         {"pc", pc}};
  j["address"] = address ? Json(*address) : Json(nullptr);
  j["text"] = text;
  return j;
}

Json limit_json(const std::string& text) { return Json{{"cause", "out_of_cycles"}, {"text", text}}; }

/// Who did not end: the golden model's texts name the tiles of a chip, not a tile alone.
std::string subject(const MachineJob& job) { return job.sections.size() == 1 ? "tile 0,0" : "chip"; }
std::string prefix(const MachineJob& job) { return job.sections.size() == 1 ? "tile 0,0 " : ""; }

/// The golden model's run; InputError on a finding. `limit` says whether it only ran out of instructions.
golden::Outcome run_golden(golden::Chip& chip, const MachineJob& job, bool& limit) {
  golden::Outcome o = chip.run(job.sections);
  limit = o.status == golden::Status::kError && o.error.kind == golden::FindingKind::kLimit;
  if (o.status == golden::Status::kError && !limit) {
    throw isa::InputError(
        fmt::format("the program is not defined ({}): {}", golden::name_of(o.error.kind), o.error.text));
  }
  return o;
}

MachineResult on_golden(const isa::Config& cfg, MachineJob& job) {
  golden::Options options;
  options.max_instructions = job.max_cycles;
  golden::Chip chip = load_golden(cfg, job, options);
  bool limit = false;
  const golden::Outcome o = run_golden(chip, job, limit);
  MachineResult r;
  r.instructions = o.instructions;
  if (limit) {
    r.measure.fault = fmt::format("{}: not done after {} instructions", subject(job), o.instructions);
    r.fault = limit_json(r.measure.fault);
  }
  if (o.status == golden::Status::kFault) {
    r.measure.fault = prefix(job) + o.fault.text;
    r.fault = fault_json(o.fault.cause, o.fault.tile % isa::kMaxMesh, o.fault.tile / isa::kMaxMesh, o.fault.engine,
                         o.fault.thread, o.fault.pc, std::nullopt, r.measure.fault);
  }
  for (Region& d : job.dumps) {
    const std::uint32_t tile = golden::tile_number(d.x, d.y);
    if (d.space < 0) {
      std::copy_n(chip.spad(tile).bytes.begin() + static_cast<std::ptrdiff_t>(d.address), d.bytes.size(),
                  d.bytes.begin());
    } else {
      chip.hbm(tile, static_cast<std::uint32_t>(d.space)).load(d.address, d.bytes);
    }
  }
  return r;
}

/// The RTL loaded and run; compare may be empty.
tb::ChipResult on_rtl(Session& session, const MachineJob& job, tb::ChipLockstep* compare, Measure& m) {
  std::vector<bool> starts;
  for (std::size_t t = 0; t < job.sections.size(); ++t) {
    tb::TileSim& sim = session.tile(t);
    sim.soft_reset();
    if (job.sections[t] != nullptr) sim.load(*job.sections[t]);
    starts.push_back(job.sections[t] != nullptr);
  }
  for (const Region& r : job.loads) {
    tb::TileSim& sim = session.tile(job.place(r.x, r.y));
    if (r.space < 0) {
      sim.window_write(isa::kWinSpad + r.address, r.bytes);
    } else {
      sim.store(r.space, r.address, r.bytes);
    }
  }
  tb::TileSim& first = session.tile(0);
  const std::uint64_t begin = first.now();
  const auto t0 = std::chrono::steady_clock::now();
  tb::ChipResult run;
  if (session.chip() != nullptr) {
    run = session.chip()->run(job.max_cycles, starts, compare);
  } else {
    const tb::RunResult r =
        first.run(job.max_cycles, compare != nullptr ? &compare->tile(0) : nullptr, session.timeline());
    run = {.stop = r.stop, .fault = r.fault, .cycles = r.cycles, .tiles = {r}};
  }
  m.sim_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();
  m.sim_cycles = (first.now() - begin) * job.sections.size();
  m.cycles = run.cycles;
  return run;
}

/// Whether the golden model can end with the RTL's fault: which of several comes first may depend on the schedule.
/// Members of a group that differ are found where their operands meet, by either of them; else they wait for ever
/// (docs/net.md, 2).
bool can_fault(const isa::Config& cfg, const MachineJob& job, const tb::FaultInfo& rtl) {
  constexpr std::uint64_t kSchedules = 32;
  for (std::uint64_t seed = 0; seed < kSchedules; ++seed) {
    golden::Options options;
    options.schedule_seed = seed;
    options.max_instructions = golden_limit(job);
    golden::Chip chip = load_golden(cfg, job, options);
    const golden::Outcome o = chip.run(job.sections);
    if (o.status != golden::Status::kFault) return false;
    if (o.fault.cause == isa::Cause::kGroupMismatch &&
        (rtl.cause == isa::Cause::kGroupMismatch || rtl.cause == isa::Cause::kStuck))
      return true;
    if (o.fault.cause != rtl.cause || o.fault.engine != rtl.engine) continue;
    if (o.fault.tile == golden::tile_number(rtl.x, rtl.y) && o.fault.thread == rtl.thread && o.fault.pc == rtl.pc)
      return true;
  }
  return false;
}

/// How the RTL ended, and, if the golden model ran, whether it ends so too; then the final state.
void judge(Session& session, const MachineJob& job, const tb::ChipResult& run, const golden::Chip* chip,
           const golden::Outcome& golden, MachineResult& r) {
  Measure& m = r.measure;
  const std::string expected = golden.status == golden::Status::kError ? "no end" : golden.text();
  switch (run.stop) {
    case tb::Stop::kDivergence:
      return;  // compared already
    case tb::Stop::kFault:
      m.fault = run.fault.text();
      r.fault = fault_json(run.fault.cause, run.fault.x, run.fault.y, run.fault.engine, run.fault.thread, run.fault.pc,
                           run.fault.addr, m.fault);
      if (chip != nullptr)
        m.compare(can_fault(session.config(), job, run.fault), fmt::format("{}: expected {}", m.fault, expected));
      return;
    case tb::Stop::kStopped:
      m.fault = fmt::format("{}: all threads stopped after {} cycles", subject(job), run.cycles);
      r.fault = limit_json(m.fault);
      return;
    case tb::Stop::kMaxCycles:
      m.fault = fmt::format("{}: out of cycles: not done after {}", subject(job), job.max_cycles);
      r.fault = limit_json(m.fault);
      return;
    case tb::Stop::kDone:
      break;
  }
  if (chip == nullptr) return;
  if (golden.waits_in_reduction()) {
    throw isa::InputError(
        fmt::format("the program is not defined (it ends only if reductions are buffered): {}", golden.text()));
  }
  if (golden.status == golden::Status::kFault && golden.fault.cause == isa::Cause::kGroupMismatch) {
    throw isa::InputError(
        fmt::format("the program is not defined (members differ that no router compared): {}", golden.text()));
  }
  m.compare(golden.status == golden::Status::kDone, fmt::format("{}: done; expected {}", subject(job), expected));
  if (golden.status != golden::Status::kDone) return;
  for (std::uint32_t y = 0; y < job.mesh_y; ++y) {
    for (std::uint32_t x = 0; x < job.mesh_x; ++x)
      m.add(tb::compare_final(session.tile(job.place(x, y)), *chip, golden::tile_number(x, y)));
  }
}

}  // namespace

MachineResult run_machine(Session& session, MachineJob& job) {
  const isa::Config& cfg = session.config();
  if (session.target() == Target::kGolden) return on_golden(cfg, job);

  std::optional<golden::Chip> chip;
  golden::Outcome golden;
  if (job.check) {
    // Without the log first: it grows with every instruction of a program that may never end.
    golden::Options options;
    options.max_instructions = golden_limit(job);
    bool limit = false;
    golden = run_golden(chip.emplace(load_golden(cfg, job, options)), job, limit);
    if (job.lockstep && golden.status == golden::Status::kDone) {
      options.log = true;
      golden = run_golden(chip.emplace(load_golden(cfg, job, options)), job, limit);
    }
  }
  MachineResult r;
  std::optional<tb::ChipLockstep> compare;
  if (chip && job.lockstep && golden.status == golden::Status::kDone) compare.emplace(*chip);
  const tb::ChipResult run = on_rtl(session, job, compare ? &*compare : nullptr, r.measure);
  for (const tb::RunResult& t : run.tiles) r.instructions += t.instructions;
  r.tiles = run.tiles;
  if (compare) r.measure.add(compare->comparison());
  judge(session, job, run, chip ? &*chip : nullptr, golden, r);
  for (Region& d : job.dumps) {
    tb::TileSim& sim = session.tile(job.place(d.x, d.y));
    if (d.space < 0) {
      sim.window_read(isa::kWinSpad + d.address, d.bytes);
    } else {
      sim.load(d.space, d.address, d.bytes);
    }
  }
  return r;
}

}  // namespace tepin::cli
