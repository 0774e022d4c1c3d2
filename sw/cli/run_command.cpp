// SPDX-License-Identifier: Apache-2.0
// tepin run: one program on a tile or a chip of tiles.
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
Region parse_region(const std::string& text, const std::string& option, bool with_size, const isa::Config& cfg,
                    const MachineJob& job) {
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
  Region r;
  if (const std::size_t comma = parts[0].find(','); comma != std::string_view::npos) {
    const std::uint64_t x = parse_number(parts[0].substr(0, comma), where, "column");
    const std::uint64_t y = parse_number(parts[0].substr(comma + 1), where, "row");
    if (x >= job.mesh_x || y >= job.mesh_y) {
      throw isa::InputError(fmt::format("{}: tile {} does not exist; allowed: {}", where, parts[0],
                                        isa::tiles_of_mesh(job.mesh_x, job.mesh_y)));
    }
    r.x = static_cast<std::uint32_t>(x);
    r.y = static_cast<std::uint32_t>(y);
    parts.erase(parts.begin());
  }
  if (parts.size() != (with_size ? 3U : 2U)) throw isa::InputError(fmt::format("{}: expected {}", where, form));
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

void write_dump(const Region& d) {
  if (d.file.ends_with(".npy")) {
    support::write_npy(d.file, support::make_npy<std::uint8_t>(d.bytes, {d.bytes.size()}));
  } else {
    support::write_file(d.file, d.bytes);
  }
}

}  // namespace

RunCommand::RunCommand(CLI::App& parent)
    : Command(parent, "run", "Runs one program on a tile or on a mesh of them: a section a tile, or one for all",
              "tepin run prog.s --load hbm0:0x0=x.npy --load spad:0=params.npy --dump hbm1:0x1000:256=y.npy --check\n"
              "  tepin run prog.s --mesh 2x2 --load 1,0:spad:0x1000=x.npy --dump 0,1:spad:0x2000:64=y.npy --check",
              true) {
  app().add_option("program", program_, "Program file, or source text that ends in .s")->type_name("F.tpn")->required();
  app().add_option("--mesh", mesh_, "Columns x rows of tiles, 1x1 to 8x8")->type_name("WxH")->capture_default_str();
  app()
      .add_option("--load", loads_, "Put an array's bytes at a byte address of spad, hbm0 or hbm1 of tile X,Y (0,0)")
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
      .add_option("--threads", threads_, "Threads of the simulation, up to one a tile; the same bits with any number")
      ->check(whole_number(1, isa::kMaxMesh * isa::kMaxMesh))
      ->capture_default_str();
}

int RunCommand::run() {
  const auto begin = std::chrono::steady_clock::now();
  (void)common_.checked_target();
  const isa::Config& cfg = common_.configuration();
  const auto [mesh_x, mesh_y] = parse_mesh(mesh_);
  if (threads_ > static_cast<std::uint64_t>(mesh_x) * static_cast<std::uint64_t>(mesh_y))
    throw isa::InputError(fmt::format("--threads {}: allowed: 1 to {}, the tiles", threads_, mesh_x * mesh_y));
  const isa::Program program = program_.ends_with(".s") ? assembly::assemble_file(program_, cfg)
                                                        : isa::decode_program(support::read_file(program_), program_);
  // What no source could say (entries and sections that cannot be) is refused as `disasm` refuses it.
  if (!program_.ends_with(".s")) (void)disassemble_file(program, program_, cfg);
  MachineJob job;
  job.mesh_x = static_cast<std::uint32_t>(mesh_x);
  job.mesh_y = static_cast<std::uint32_t>(mesh_y);
  job.sections = isa::place_sections(program, job.mesh_x, job.mesh_y, program_);
  for (const isa::Section& s : program.sections) {
    if (s.code.size() > cfg.imem_instrs)
      throw isa::InputError(fmt::format("{}: {} instructions; allowed: {}", program_, s.code.size(), cfg.imem_instrs));
  }
  for (const std::string& l : loads_) job.loads.push_back(parse_region(l, "--load", false, cfg, job));
  for (const std::string& d : dumps_) job.dumps.push_back(parse_region(d, "--dump", true, cfg, job));
  for (const Region& d : job.dumps) support::check_writable(d.file);
  job.max_cycles = max_cycles_;
  job.check = check_ && common_.target == "rtl";
  job.lockstep = !no_lockstep_;

  Session session(common_, job.mesh_x, job.mesh_y, static_cast<unsigned>(threads_));
  const MachineResult r = run_machine(session, job);
  session.finish();
  for (const Region& d : job.dumps) write_dump(d);

  const Measure& m = r.measure;
  // A tile alone is shown as it is; of several each by its place, then their sum under the units' own names.
  std::vector<tb::UnitCounters> sum;
  Json tiles = Json::object();
  for (std::uint32_t t = 0; t < r.tiles.size(); ++t) {
    const std::vector<tb::UnitCounters>& units = r.tiles[t].units;
    tiles[tile_name(t, job.mesh_x)] = units_json(units);
    for (std::size_t u = 0; u < units.size(); ++u) {
      const tb::UnitCounters& c = units[u];
      if (t == 0) sum.push_back({c.unit, {}});
      for (std::size_t a = 0; a < c.cycles.size(); ++a) sum[u].cycles[a] += c.cycles[a];
    }
  }
  report(Json{{"program", program_},
              {"target", session.target_name()},
              {"config", common_.config},
              {"cycles", m.cycles != 0 ? Json(m.cycles) : Json(nullptr)},
              {"instructions", r.instructions},
              {"mesh", mesh_},
              {"engines", units_json(sum)},
              {"tiles", std::move(tiles)},
              {"checked", job.check},
              {"checked_values", m.checked},
              {"mismatches", m.mismatches},
              {"first_mismatch", m.first_mismatch.empty() ? Json(nullptr) : Json(m.first_mismatch)},
              {"fault", r.fault},
              {"wall_s", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()},
              {"tile_cycles_per_s", json_of(m.cycles_per_second())}});
  if (r.tiles.size() == 1) print(units_table(sum, false).text());
  if (r.tiles.size() > 1) print(units_table(units_by_place(r.tiles, job.mesh_x), true).text());
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
