// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/machine_run.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "sw/isa/tepin_window.h"
#include "tb/runner.h"

namespace tepin::cli {
namespace {

/// A tile starts at most one instruction of each of its agents a cycle.
constexpr std::uint64_t kGoldenPerCycle = golden::kAgents;

golden::Machine load_golden(const isa::Config& cfg, const MachineJob& job, const golden::Options& options) {
  golden::Machine machine(cfg, options);
  for (const Region& r : job.loads) {
    if (r.space < 0) {
      machine.load_spad(r.address, r.bytes);
    } else {
      machine.load_hbm(static_cast<std::uint32_t>(r.space), r.address, r.bytes);
    }
  }
  return machine;
}

Json fault_json(isa::Cause cause, isa::Engine engine, std::uint32_t thread, std::uint32_t pc,
                std::optional<std::uint32_t> address, const std::string& text) {
  Json j{{"cause", isa::kCauses[static_cast<std::size_t>(cause)].name},
         {"engine", isa::kEngines[static_cast<std::size_t>(engine)]},
         {"thread", thread},
         {"pc", pc}};
  j["address"] = address ? Json(*address) : Json(nullptr);
  j["text"] = text;
  return j;
}

Json limit_json(const std::string& text) { return Json{{"cause", "out_of_cycles"}, {"text", text}}; }

/// The golden model's run; InputError on a finding. `limit` says whether it only ran out of instructions.
golden::Outcome run_golden(golden::Machine& machine, const isa::Section& section, bool& limit) {
  golden::Outcome o = machine.run(section);
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
  golden::Machine machine = load_golden(cfg, job, options);
  bool limit = false;
  const golden::Outcome o = run_golden(machine, job.section, limit);
  MachineResult r;
  r.instructions = o.instructions;
  if (limit) {
    r.measure.fault = fmt::format("tile 0,0: not done after {} instructions", o.instructions);
    r.fault = limit_json(r.measure.fault);
  }
  if (o.status == golden::Status::kFault) {
    r.measure.fault = "tile 0,0 " + o.fault.text;
    r.fault = fault_json(o.fault.cause, o.fault.engine, o.fault.thread, o.fault.pc, std::nullopt, r.measure.fault);
  }
  for (Region& d : job.dumps) {
    if (d.space < 0) {
      std::copy_n(machine.spad().bytes.begin() + static_cast<std::ptrdiff_t>(d.address), d.bytes.size(),
                  d.bytes.begin());
    } else {
      machine.hbm(static_cast<std::uint32_t>(d.space)).load(d.address, d.bytes);
    }
  }
  return r;
}

/// The RTL loaded and run; compare may be empty.
tb::RunResult on_rtl(Session& session, const MachineJob& job, tb::Lockstep* compare, Measure& m) {
  tb::TileSim& sim = session.sim();
  sim.soft_reset();
  sim.load(job.section);
  for (const Region& r : job.loads) {
    if (r.space < 0) {
      sim.window_write(isa::kWinSpad + r.address, r.bytes);
    } else {
      sim.store(r.space, r.address, r.bytes);
    }
  }
  const std::uint64_t begin = sim.now();
  const auto t0 = std::chrono::steady_clock::now();
  tb::RunResult run = sim.run(job.max_cycles, compare, session.timeline());
  m.sim_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();
  m.sim_cycles = sim.now() - begin;
  m.cycles = run.cycles;
  return run;
}

/// Whether the golden model can end with the RTL's fault: which of several comes first may depend on the schedule.
bool can_fault(const isa::Config& cfg, const MachineJob& job, const tb::FaultInfo& rtl) {
  constexpr std::uint64_t kSchedules = 32;
  for (std::uint64_t seed = 0; seed < kSchedules; ++seed) {
    golden::Options options;
    options.schedule_seed = seed;
    options.max_instructions = kGoldenPerCycle * job.max_cycles;
    golden::Machine machine = load_golden(cfg, job, options);
    const golden::Outcome o = machine.run(job.section);
    if (o.status != golden::Status::kFault) return false;
    if (o.fault.cause == rtl.cause && o.fault.engine == rtl.engine && o.fault.thread == rtl.thread &&
        o.fault.pc == rtl.pc)
      return true;
  }
  return false;
}

/// How the RTL ended, and, if the golden model ran, whether it ends so too; then the final state.
void judge(Session& session, const MachineJob& job, const tb::RunResult& run, const golden::Machine* machine,
           const golden::Outcome& golden, MachineResult& r) {
  Measure& m = r.measure;
  const std::string expected = golden.status == golden::Status::kError ? "no end" : golden.text();
  if (run.stop == tb::Stop::kFault) {
    m.fault = run.fault.text();
    r.fault = fault_json(run.fault.cause, run.fault.engine, run.fault.thread, run.fault.pc, run.fault.addr, m.fault);
    if (machine != nullptr)
      m.compare(can_fault(session.config(), job, run.fault), fmt::format("{}: expected {}", m.fault, expected));
  } else if (run.stop == tb::Stop::kMaxCycles || run.stop == tb::Stop::kStopped) {
    m.fault = run.stop == tb::Stop::kStopped
                  ? fmt::format("tile 0,0: all threads stopped after {} cycles", run.cycles)
                  : fmt::format("tile 0,0: out of cycles: not done after {}", job.max_cycles);
    r.fault = limit_json(m.fault);
  } else if (run.stop == tb::Stop::kDone && machine != nullptr) {
    m.compare(golden.status == golden::Status::kDone, fmt::format("tile 0,0: done; expected {}", expected));
    if (golden.status != golden::Status::kDone) return;
    const tb::Comparison final_state = tb::compare_final(session.sim(), machine->chip());
    m.compare(final_state.mismatches == 0, final_state.first_mismatch, final_state.checked);
    if (final_state.mismatches > 1) m.mismatches += final_state.mismatches - 1;
  }
}

}  // namespace

MachineResult run_machine(Session& session, MachineJob& job) {
  const isa::Config& cfg = session.config();
  if (session.target() == Target::kGolden) return on_golden(cfg, job);

  std::optional<golden::Machine> machine;
  golden::Outcome golden;
  if (job.check) {
    // Without the log first: it grows with every instruction of a program that may never end.
    golden::Options options;
    options.max_instructions = kGoldenPerCycle * job.max_cycles;
    bool limit = false;
    golden = run_golden(machine.emplace(load_golden(cfg, job, options)), job.section, limit);
    if (job.lockstep && golden.status == golden::Status::kDone) {
      options.log = true;
      golden = run_golden(machine.emplace(load_golden(cfg, job, options)), job.section, limit);
    }
  }
  MachineResult r;
  std::optional<tb::Lockstep> compare;
  if (machine && job.lockstep && golden.status == golden::Status::kDone) compare.emplace(machine->log());
  const tb::RunResult run = on_rtl(session, job, compare ? &*compare : nullptr, r.measure);
  r.instructions = run.instructions;
  r.units = run.units;
  if (compare) {
    r.measure.checked += compare->checked();
    if (compare->divergence()) r.measure.compare(false, compare->divergence()->text());
  }
  judge(session, job, run, machine ? &*machine : nullptr, golden, r);
  for (Region& d : job.dumps) {
    if (d.space < 0) {
      session.sim().window_read(isa::kWinSpad + d.address, d.bytes);
    } else {
      session.sim().load(d.space, d.address, d.bytes);
    }
  }
  return r;
}

}  // namespace tepin::cli
