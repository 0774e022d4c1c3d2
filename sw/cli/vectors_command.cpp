// SPDX-License-Identifier: Apache-2.0
// tepin vectors: a folder of arithmetic test vectors on the hardware, the golden model or both.
#include <fmt/format.h>

#include "sw/cli/commands.h"
#include "sw/cli/table.h"
#include "sw/golden/vectors.h"
#include "tb/vector_backend.h"

namespace tepin::cli {
namespace {

struct TargetReport {
  std::string target;
  golden::VectorReport vectors;
  std::uint64_t programs = 0, disagreements = 0;
  std::vector<std::string> described;
};

TargetReport run_target(const std::string& target, const std::string& dir) {
  TargetReport r{target, {}, 0, 0, {}};
  if (target == "rtl") {
    tb::RtlVectorBackend backend;
    r.vectors = golden::run_vectors(dir, backend);
    r.programs = backend.programs();
    r.disagreements = backend.disagreements();
    r.described = backend.described();
  } else {
    golden::GoldenBackend backend;
    r.vectors = golden::run_vectors(dir, backend);
  }
  if (r.vectors.files.empty())
    throw isa::InputError(
        fmt::format("{}: holds no file of test vectors (tests/data/vectors/README.md has their names)", dir));
  return r;
}

}  // namespace

VectorsCommand::VectorsCommand(CLI::App& parent)
    : Command(parent, "vectors", "Runs every test vector of a folder", "tepin vectors tests/data/vectors --target both",
              false) {
  app().add_option("dir", dir_, "Folder laid out as tests/data/vectors")->type_name("DIR")->required();
  app()
      .get_option("--target")
      ->description("What runs them: rtl (arithmetic units, and programs on the tile), golden, or both");
}

int VectorsCommand::run() {
  std::vector<std::string> targets{common_.target};
  if (common_.target == "both") {
    targets = {"rtl", "golden"};
  } else {
    (void)common_.checked_target("rtl, golden, both");
  }
  Json files = Json::array();
  Table table({"target", "file", "cases", "mismatches", "skipped"}, 2);
  std::uint64_t cases = 0, mismatches = 0, skipped = 0, programs = 0, disagreements = 0;
  std::vector<std::string> lines;
  for (const std::string& target : targets) {
    progress("running on " + target);
    const TargetReport r = run_target(target, dir_);
    cases += r.vectors.cases;
    skipped += r.vectors.skipped;
    programs += r.programs;
    disagreements += r.disagreements;
    mismatches += r.vectors.mismatches + r.disagreements;
    for (const std::string& d : r.described) lines.push_back(target + ": " + d);
    for (const golden::VectorFileReport& f : r.vectors.files) {
      Json reasons = Json::object();
      for (const auto& [reason, count] : f.skip_reasons) reasons[reason] = count;
      files.push_back({{"target", target},
                       {"file", f.file},
                       {"cases", f.cases},
                       {"mismatches", f.mismatches},
                       {"skipped", f.skipped},
                       {"skip_reasons", std::move(reasons)},
                       {"first_mismatches", f.first_mismatches}});
      table.add({target, f.file, grouped(f.cases), grouped(f.mismatches), grouped(f.skipped)});
      for (const std::string& m : f.first_mismatches) lines.push_back(fmt::format("{} {}: {}", target, f.file, m));
    }
  }
  progress("");
  report(Json{{"target", common_.target},
              {"files", files},
              {"cases", cases},
              {"mismatches", mismatches},
              {"skipped", skipped},
              {"programs", programs},
              {"program_mismatches", disagreements}});
  print(table.text());
  for (const Json& f : files) {
    for (const auto& [reason, count] : f["skip_reasons"].items()) {
      print(
          fmt::format("skipped in {}: {} cases: {}", f["file"].get<std::string>(), count.get<std::uint64_t>(), reason));
    }
  }
  for (const std::string& l : lines) fmt::print(stderr, "tepin: mismatch: {}\n", l);
  print(fmt::format("{} cases, {} mismatches, {} skipped; {} of the cases also as programs on the tile", grouped(cases),
                    grouped(mismatches), grouped(skipped), grouped(programs)));
  return mismatches == 0 ? kOk : kMismatch;
}

}  // namespace tepin::cli
