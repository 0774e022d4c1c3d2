// SPDX-License-Identifier: Apache-2.0
// tepin run: one program on one tile.
#include <fmt/format.h>

#include <charconv>
#include <chrono>

#include "sw/asm/assembler.h"
#include "sw/cli/commands.h"
#include "sw/cli/machine_run.h"
#include "sw/cli/units.h"
#include "sw/support/atomic_file.h"
#include "sw/support/file.h"
#include "sw/support/npy.h"

namespace tepin::cli {
namespace {

std::uint64_t parse_number(std::string_view text, const std::string& where, const std::string& what) {
  std::uint64_t v = 0;
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = hex ? text.substr(2) : text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), v, hex ? 16 : 10);
  if (error != std::errc{} || end != digits.data() + digits.size() || digits.empty()) {
    throw isa::InputError(fmt::format("{}: {} '{}' is no number; allowed: decimal or 0x...", where, what, text));
  }
  return v;
}

/// [X,Y:]SPACE:ADDR[:BYTES]=FILE.
Region parse_region(const std::string& text, const std::string& option, bool with_size, const isa::Config& cfg) {
  const std::string where = fmt::format("{} {}", option, text);
  const std::string form = with_size ? "[X,Y:]SPACE:ADDR:BYTES=FILE" : "[X,Y:]SPACE:ADDR=FILE.npy";
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size())
    throw isa::InputError(fmt::format("{}: expected {}", where, form));
  std::vector<std::string_view> parts;
  std::string_view rest = std::string_view(text).substr(0, equals);
  for (std::size_t colon = rest.find(':'); colon != std::string_view::npos; colon = rest.find(':')) {
    parts.push_back(rest.substr(0, colon));
    rest.remove_prefix(colon + 1);
  }
  parts.push_back(rest);
  if (parts[0].find(',') != std::string_view::npos) {
    if (parts[0] != "0,0")
      throw isa::InputError(fmt::format("{}: tile {} does not exist; allowed: 0,0", where, parts[0]));
    parts.erase(parts.begin());
  }
  if (parts.size() != (with_size ? 3U : 2U)) throw isa::InputError(fmt::format("{}: expected {}", where, form));
  Region r;
  r.file = text.substr(equals + 1);
  std::uint64_t capacity = cfg.spad_bytes;
  if (parts[0] != "spad") {
    const bool hbm = parts[0].starts_with("hbm") && parts[0].size() > 3;
    const std::uint64_t channel = hbm ? parse_number(parts[0].substr(3), where, "pseudo-channel") : cfg.pcs;
    if (channel >= cfg.pcs)
      throw isa::InputError(
          fmt::format("{}: space '{}' does not exist; allowed: spad, hbm0..hbm{}", where, parts[0], cfg.pcs - 1));
    r.space = static_cast<int>(channel);
    capacity = std::uint64_t{cfg.hbm_beats} * 32;
  }
  r.address = parse_number(parts[1], where, "address");
  if (with_size) {
    const std::uint64_t bytes = parse_number(parts[2], where, "size");
    if (bytes == 0 || bytes > capacity)
      throw isa::InputError(fmt::format("{}: {} bytes; allowed: 1..{}", where, bytes, capacity));
    r.bytes.resize(bytes);
  } else {
    r.bytes = support::read_npy(r.file).data;
  }
  if (r.address > capacity || r.bytes.size() > capacity - r.address) {
    throw isa::InputError(fmt::format("{}: {} bytes at {:#x} do not fit; {} has {}", where, r.bytes.size(), r.address,
                                      parts[0], capacity));
  }
  return r;
}

isa::Section section_of(const isa::Program& program, const std::string& name) {
  const isa::Section* found = nullptr;
  for (const isa::Section& s : program.sections) {
    const bool all = s.x == isa::kEveryTile && s.y == isa::kEveryTile;
    if (!all && (s.x != 0 || s.y != 0)) {
      throw isa::InputError(
          fmt::format("{}: has a section for tile {},{}, the mesh is 1x1; allowed: 0,0 or every tile", name, s.x, s.y));
    }
    if (found == nullptr || !all) found = &s;
  }
  if (found == nullptr) throw isa::InputError(fmt::format("{}: has no section", name));
  return *found;
}

void write_dump(const Region& d) {
  if (d.file.ends_with(".npy")) {
    support::write_npy(d.file, support::make_npy<std::uint8_t>(d.bytes, {d.bytes.size()}));
  } else {
    support::write_file(d.file, d.bytes);
  }
}

}  // namespace

RunCommand::RunCommand(CLI::App& parent)
    : Command(parent, "run", "Runs one program on one tile",
              "tepin run prog.s --load hbm0:0x0=x.npy --load spad:0=params.npy --dump hbm1:0x1000:256=y.npy --check",
              true) {
  app().add_option("program", program_, "Program file, or source text that ends in .s")->type_name("F.tpn")->required();
  app().add_option("--mesh", mesh_, "Tiles; 1x1 for now")->type_name("WxH")->capture_default_str();
  app()
      .add_option("--load", loads_, "Put an array's bytes at a byte address of spad, hbm0 or hbm1")
      ->type_name("[X,Y:]SPACE:ADDR=F.npy")
      ->allow_extra_args(false);
  app()
      .add_option("--dump", dumps_, "Write bytes at the end: F.npy as uint8, else as they are")
      ->type_name("[X,Y:]SPACE:ADDR:BYTES=F")
      ->allow_extra_args(false);
  app()
      .add_option("--max-cycles", max_cycles_, "Stop after so many cycles (golden: instructions) with exit code 3")
      ->check(whole_number(1, 1'000'000'000'000))
      ->capture_default_str();
  app().add_flag("--check", check_, "With --target rtl: in lockstep with the golden model, then the final state");
  app().add_flag("--no-lockstep", no_lockstep_, "With --check: only the final state");
  app().add_option("--ranks", ranks_, "Processes; 1 for now")->check(whole_number(1, 1))->capture_default_str();
  app()
      .add_option("--threads", threads_, "Threads of the simulation; 1 for now")
      ->check(whole_number(1, 1))
      ->capture_default_str();
}

int RunCommand::run() {
  const auto begin = std::chrono::steady_clock::now();
  (void)common_.checked_target();
  const isa::Config& cfg = common_.configuration();
  if (mesh_ != "1x1") throw isa::InputError(fmt::format("--mesh {}: allowed: 1x1", mesh_));
  const isa::Program program = program_.ends_with(".s") ? assembly::assemble_file(program_, cfg)
                                                        : isa::decode_program(support::read_file(program_), program_);
  // What no source could say (entries and sections that cannot be) is refused as `disasm` refuses it.
  if (!program_.ends_with(".s")) (void)disassemble_file(program, program_, cfg);
  MachineJob job;
  job.section = section_of(program, program_);
  if (job.section.code.size() > cfg.imem_instrs) {
    throw isa::InputError(
        fmt::format("{}: {} instructions; allowed: {}", program_, job.section.code.size(), cfg.imem_instrs));
  }
  for (const std::string& l : loads_) job.loads.push_back(parse_region(l, "--load", false, cfg));
  for (const std::string& d : dumps_) job.dumps.push_back(parse_region(d, "--dump", true, cfg));
  job.max_cycles = max_cycles_;
  job.check = check_ && common_.target == "rtl";
  job.lockstep = !no_lockstep_;

  Session session(common_);
  const MachineResult r = run_machine(session, job);
  session.finish();
  for (const Region& d : job.dumps) write_dump(d);

  const Measure& m = r.measure;
  report(Json{{"program", program_},
              {"target", session.target_name()},
              {"config", common_.config},
              {"cycles", m.cycles != 0 ? Json(m.cycles) : Json(nullptr)},
              {"instructions", r.instructions},
              {"engines", units_json(r.units)},
              {"checked", job.check},
              {"checked_values", m.checked},
              {"mismatches", m.mismatches},
              {"first_mismatch", m.first_mismatch.empty() ? Json(nullptr) : Json(m.first_mismatch)},
              {"fault", r.fault},
              {"wall_s", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()},
              {"tile_cycles_per_s", json_of(m.cycles_per_second())}});
  if (!r.units.empty()) print(units_table(r.units, false).text());
  print(fmt::format("{}: {} cycles, {} instructions", m.fault.empty() ? "done" : "stopped",
                    m.cycles != 0 ? grouped(m.cycles) : "-", grouped(r.instructions)));
  if (job.check) print(fmt::format("{} values checked, {} mismatches", grouped(m.checked), m.mismatches));
  if (m.mismatches != 0)
    fmt::print(stderr, "tepin: mismatch: {}\n", m.first_mismatch);
  else if (!m.fault.empty())
    fmt::print(stderr, "tepin: stopped: {}\n", m.fault);
  return m.exit_code();
}

}  // namespace tepin::cli
