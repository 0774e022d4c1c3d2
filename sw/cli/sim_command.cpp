// SPDX-License-Identifier: Apache-2.0
// tepin sim: the demonstration behind `make sim`.
#include <fmt/format.h>

#include <chrono>

#include "sw/cli/commands.h"
#include "sw/cli/sim_kernels.h"
#include "sw/cli/sim_moe.h"
#include "sw/cli/units.h"
#include "sw/support/atomic_file.h"

namespace tepin::cli {
namespace {

constexpr std::string_view kDefaultModel = "models/nano-gptoss";

std::string rate(std::optional<double> per_second, double unit, int digits) {
  return per_second ? fmt::format("{:.{}f}", *per_second / unit, digits) : "-";
}

Table table_of(const std::vector<SimRow>& rows) {
  Table t({"kernel", "shape", "format", "matrices", "cycles", "mac_util", "mac_util_abs", "hbm_util", "hbm_bus_util",
           "values checked", "mismatches", "kcycles/s", "MMAC/s"},
          3);
  for (const SimRow& r : rows) {
    const Measure& m = r.measure;
    t.add({r.name, r.shape, r.format, r.matrices != 0 ? std::to_string(r.matrices) : "-",
           m.cycles != 0 ? grouped(m.cycles) : "-", percent(m.mac_util()), percent(m.mac_util_abs()),
           percent(m.hbm_util()), percent(m.hbm_bus_util()), grouped(m.checked), std::to_string(m.mismatches),
           rate(m.cycles_per_second(), 1e3, 0), rate(m.macs_per_second(), 1e6, 1)});
  }
  return t;
}

}  // namespace

SimCommand::SimCommand(CLI::App& parent)
    : Command(parent, "sim", "Real weights through the hardware, every value checked against the golden model",
              "tepin sim --model models/nano-gptoss --out out/sim", true) {
  app()
      .add_option(
          "--model", model_,
          fmt::format("Folder of a checkpoint with MXFP4 weights; default: {} here, else where this program was built",
                      kDefaultModel))
      ->type_name("DIR");
  app()
      .add_option("--tokens", tokens_, "Columns of each product with the model's matrices, 1..65536")
      ->check(whole_number(1, 65536))
      ->capture_default_str();
  app()
      .add_option("--experts", experts_, "Matrices of a tensor that are run; 0: all")
      ->check(whole_number())
      ->capture_default_str();
  common_.out = "out/sim";
  app().get_option("--out")->capture_default_str();
}

std::filesystem::path SimCommand::model_folder() const {
  if (!model_.empty()) return model_;
  if (std::filesystem::is_directory(kDefaultModel)) return kDefaultModel;
  return std::filesystem::path(TEPIN_SOURCE_DIR) / kDefaultModel;
}

int SimCommand::run() {
  const auto begin = std::chrono::steady_clock::now();
  const SimPlan plan{model_folder(), tokens_, experts_, common_.seed};
  Session session(common_);
  std::vector<SimRow> rows =
      run_sim_kernels(session, plan, [this](const std::string& what) { progress("running " + what); });
  session.finish();
  progress("running MoE layer on 2x2 tiles");
  MoeReport moe =
      run_sim_moe(checkpoints(plan.model), session.config(), session.target(), common_.memory, !common_.out.empty());
  rows.insert(rows.end(), moe.rows.begin(), moe.rows.end());
  progress("");
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  Measure total;
  Json kernels = Json::array();
  for (const SimRow& r : rows) {
    total += r.measure;
    Json k{{"name", r.name}, {"shape", r.shape}, {"format", r.format}, {"matrices", r.matrices}};
    k.update(r.measure.json());
    k["cycles_per_s"] = json_of(r.measure.cycles_per_second());
    k["macs_per_s"] = json_of(r.measure.macs_per_second());
    kernels.push_back(std::move(k));
  }
  Json moe_json{{"tokens", moe.tokens}, {"cycles", moe.cycles}, {"cycles_by_cause", units_json(moe.causes)}};
  if (!moe.not_run.empty()) moe_json = Json{{"not_run", moe.not_run}};
  // Rates of the matrix products alone would flatter: time and cycles of all kernels, MACs of those that have some.
  const Json result{{"target", session.target_name()},
                    {"config", common_.config},
                    {"model", plan.model.string()},
                    {"seed", common_.seed},
                    {"kernels", std::move(kernels)},
                    {"moe", std::move(moe_json)},
                    {"checked_values", total.checked},
                    {"mismatches", total.mismatches},
                    {"first_mismatch", total.first_mismatch.empty() ? Json(nullptr) : Json(total.first_mismatch)},
                    {"fault", total.fault.empty() ? Json(nullptr) : Json(total.fault)},
                    {"cycles", total.cycles},
                    {"macs", total.macs},
                    {"wall_s", wall},
                    {"tile_cycles_per_s", json_of(total.cycles_per_second())},
                    {"macs_per_s", json_of(total.macs_per_second())}};
  const std::string subject =
      session.target() == Target::kRtl ? "the RTL, in lockstep with the golden model," : "the golden model alone";
  const std::string totals = fmt::format("{} launches, {} cycles, {} MACs in {:.1f} s; {} tile cycles/s, {} MMAC/s",
                                         total.launches, grouped(total.cycles), grouped(total.macs), wall,
                                         rate(total.cycles_per_second(), 1, 0), rate(total.macs_per_second(), 1e6, 1));
  std::string verdict = fmt::format("PASS: {} values checked, 0 mismatches", grouped(total.checked));
  if (total.exit_code() != kOk) {
    verdict = total.mismatches != 0 ? fmt::format("FAIL: {} mismatches in {} values; first: {}", total.mismatches,
                                                  grouped(total.checked), total.first_mismatch)
                                    : "STOPPED: " + total.fault;
  }
  report(result);
  const Table table = table_of(rows);
  std::string moe_text = "MoE layer: not run: " + moe.not_run;
  if (moe.not_run.empty()) {
    moe_text = fmt::format("MoE layer, {}: tokens and their experts {}", moe.rows.front().format, moe.tokens);
    if (!moe.causes.empty()) moe_text += fmt::format("; {} cycles, by what each unit did:", grouped(moe.cycles));
  }
  const Table causes = units_table(moe.causes, true);
  if (!common_.out.empty()) {
    const std::string text = fmt::format(
        "# tepin sim\n\nWeights of {}, activations seeded with {}; {} {} tokens a product. Each product is checked "
        "while it runs, in its\n"
        "final memory, and against block dot products computed straight from the checkpoint.\nhbm_util counts bytes "
        "read and written against 32 bytes a cycle and port; hbm_bus_util bursts on the pins, by the HBM4 controller. "
        "\n\n{}\n{}\n\n{}\n\n{}\n**{}**\n",
        plan.model.filename().string(), common_.seed, subject, plan.tokens, table.markdown(), totals, moe_text,
        moe.causes.empty() ? "" : causes.markdown(), verdict);
    support::write_file((std::filesystem::path(common_.out) / "report.md").string(), text);
    if (!moe.timeline.empty())
      support::write_file((std::filesystem::path(common_.out) / "moe_timeline.json").string(), moe.timeline);
  }
  print(table.text());
  print(moe_text);
  if (!moe.causes.empty()) print(causes.text());
  print(totals);
  if (!common_.out.empty()) {
    note(fmt::format("report: {0}/report.json, {0}/report.md{1}", common_.out,
                     moe.timeline.empty()
                         ? ""
                         : fmt::format("; timeline of the chip for Perfetto: {}/moe_timeline.json", common_.out)));
  }
  print(verdict);
  if (total.exit_code() != kOk) fmt::print(stderr, "tepin: {}\n", verdict);
  return total.exit_code();
}

}  // namespace tepin::cli
