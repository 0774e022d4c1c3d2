// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/bench_hbm.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "sw/cli/table.h"
#include "sw/support/atomic_file.h"
#include "sw/support/npy.h"
#include "tb/hbm/channel_bench.h"
#include "tb/hbm/hbm_system.h"
#include "tb/hbm/trace.h"
#include "tb/hbm/trace_master.h"

namespace tepin::cli {
namespace {

namespace hbm = tb::hbm;

constexpr double kMinRate = 0.001, kMaxRate = 1000;  // GB/s

/// GB/s a PC; 0: saturating.
double parse_arrival(const std::string& text) {
  if (text == "saturate") return 0;
  double rate = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rate);
  if (error != std::errc{} || end != text.data() + text.size() || !(rate >= kMinRate && rate <= kMaxRate)) {
    throw isa::InputError(
        fmt::format("--arrival {}: allowed: saturate, or {}..{} GB/s a pseudo-channel", text, kMinRate, kMaxRate));
  }
  return rate;
}

/// One trace on a fresh channel.
struct Played {
  hbm::TraceFigures pc0, pc1;
  hbm::HbmCounters counters;
  std::uint64_t violations = 0;
  double seconds = 0, clocks_per_s = 0;          // of the simulation: controller, device and masters
  std::string first_violation, stopped, broken;  // stopped: it hangs; broken: it broke a rule of AXI4
  std::array<std::string, 2> log;

  [[nodiscard]] bool finished() const { return stopped.empty() && broken.empty(); }
  [[nodiscard]] std::uint64_t mismatches() const { return pc0.data_mismatches + pc1.data_mismatches; }
  [[nodiscard]] std::uint64_t errors() const { return pc0.error_responses + pc1.error_responses; }
  [[nodiscard]] int exit_code() const {
    if (mismatches() + errors() + violations != 0 || !broken.empty()) return kMismatch;
    return stopped.empty() ? kOk : kStopped;
  }
  [[nodiscard]] std::string complaint() const;
  [[nodiscard]] Json json(const std::string& trace) const;
};

std::string Played::complaint() const {
  if (!broken.empty()) return "mismatch: AXI4 rule broken: " + broken;
  if (mismatches() != 0)
    return "mismatch: " + (pc0.data_mismatches != 0 ? "PC0: " + pc0.first_mismatch : "PC1: " + pc1.first_mismatch);
  if (violations != 0) return "mismatch: DRAM rule broken: " + first_violation;
  if (errors() != 0) return fmt::format("mismatch: {} responses other than OKAY, none expected", errors());
  return "stopped: " + stopped;
}

Json Played::json(const std::string& trace) const {
  const std::string fault = stopped.empty() ? broken : stopped;
  Json j{{"trace", trace}};
  if (finished()) {
    Json stalls = Json::object();
    for (const auto& [cause, clocks] : counters.stalls) stalls[cause] = clocks;
    j.update(Json{{"requests", pc0.requests},
                  {"cycles", pc0.cycles},
                  {"clock_ghz", pc0.clock_ghz},
                  {"bandwidth_frac", pc0.bandwidth_frac},
                  {"avg_ns", pc0.avg_ns},
                  {"p50_ns", pc0.p50_ns},
                  {"p99_ns", pc0.p99_ns},
                  {"max_ns", pc0.max_ns},
                  {"source_avg_ns", pc0.source_avg_ns},
                  {"hazard_waits", pc0.hazard_waits},
                  {"refreshes", counters.refreshes},
                  {"row_hits", counters.row_hits},
                  {"stalls", std::move(stalls)},
                  {"pc1", Json{{"cycles", pc1.cycles}, {"bandwidth_frac", pc1.bandwidth_frac}, {"avg_ns", pc1.avg_ns}}},
                  {"reads_checked", pc0.reads_checked + pc1.reads_checked},
                  {"wall_s", seconds},
                  {"clocks_per_s", clocks_per_s}});
  }
  j.update(Json{{"violations", violations},
                {"data_mismatches", mismatches()},
                {"error_responses", errors()},
                {"fault", fault.empty() ? Json(nullptr) : Json(fault)}});
  return j;
}

Played play(const std::vector<hbm::Request>& trace, const hbm::HbmSystemOptions& options, double rate,
            std::uint32_t window, const std::function<void(double)>& progress) {
  Played p;
  hbm::HbmSystem system(options);
  const std::uint64_t capacity = hbm::pc_capacity_bytes(options.sids);
  std::vector<std::unique_ptr<hbm::TraceMaster>> masters;
  for (int pc = 0; pc < 2; ++pc) {
    hbm::TraceOptions o;
    o.port = fmt::format("PC{}", pc);
    o.seed = options.seed + static_cast<std::uint64_t>(pc);
    o.window = window;
    if (rate != 0) o.interval_clocks = hbm::arrival_interval_clocks(rate, system.clock_ghz());
    o.initial = system.initial(pc);
    masters.push_back(std::make_unique<hbm::TraceMaster>(hbm::trace_of_pc(trace, pc, capacity), std::move(o)));
  }
  try {
    system.bring_up();
    hbm::ChannelOptions channel;
    channel.progress = progress;
    const auto begin = std::chrono::steady_clock::now();
    const std::uint64_t clocks =
        hbm::run_channel(system.dut(), system.device(), {masters[0].get(), masters[1].get()}, channel);
    p.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    p.clocks_per_s = static_cast<double>(clocks) / p.seconds;
    p.counters = system.counters(0);
  } catch (const hbm::HangError& e) {
    p.stopped = e.what();
  } catch (const hbm::ProtocolError& e) {
    p.broken = e.what();
  }
  p.pc0 = hbm::trace_figures(*masters[0], system.clock_ghz());
  p.pc1 = hbm::trace_figures(*masters[1], system.clock_ghz());
  p.violations = system.violations();
  p.first_violation = system.first_violation();
  for (int pc = 0; options.log_commands && pc < 2; ++pc) p.log[static_cast<std::size_t>(pc)] = system.command_log(pc);
  return p;
}

}  // namespace

BenchHbmCommand::BenchHbmCommand(CLI::App& parent)
    : Command(
          parent, "hbm",
          "Request traces on the HBM4 controller of one channel, the DRAM device model behind it. Both PCs are "
          "loaded: PC1 runs the trace with its addresses shifted by half the capacity. Figures are PC0's: bandwidth "
          "as a fraction of the pins', latency from a read's acceptance (AR) to its data beat (of writes, from AW to "
          "B, only if the trace has no reads). Every read is checked against what was written",
          "tepin bench hbm --trace a_seq_read.trace --speed 8000\n"
          "  tepin bench hbm --trace d_rand64.trace --speed 10000 --arrival 12.5 --log d.cmd --latencies d.npy",
          false) {
  app()
      .add_option("--trace", traces_,
                  "Requests of 32 bytes, one a line: R|W 0xADDR, a byte address in a pseudo-channel, taken modulo its "
                  "capacity; may be repeated")
      ->type_name("T.trace")
      ->required()
      ->check(not_empty())
      ->allow_extra_args(false);
  app()
      .add_option("--speed", speed_, "Mb/s a pin: 8000 (1.0 GHz) or 10000 (1.25 GHz)")
      ->check(CLI::IsMember({8000, 10000}))
      ->capture_default_str();
  app().add_option("--sids", sids_, "Stack IDs, 1..4; default: 2 at 8000, 3 at 10000")->check(CLI::Range(1, 4));
  app()
      .add_option(
          "--arrival", arrival_,
          "saturate: requests as fast as they are accepted; GB/s a pseudo-channel: request i arrives at i*32/GBPS "
          "ns and waits in the source until it is accepted")
      ->type_name("saturate|GBPS")
      ->capture_default_str();
  app()
      .add_option("--window", window_,
                  "Requests that reads are issued ahead of the oldest write not accepted, at most; likewise writes of "
                  "reads; 1..1000000")
      ->check(whole_number(1, 1'000'000))
      ->capture_default_str();
  app().add_option("--log", log_, "Command log of PC0 in F, of PC1 in F.pc1")->type_name("F.cmd")->check(not_empty());
  app()
      .add_option("--latencies", latencies_, "Latencies in ns, float32, in the order of the trace")
      ->type_name("F.npy")
      ->check(not_empty());
  app()
      .add_option("--waves", waves_, "Write waves (FST); slower, with assertions on")
      ->type_name("F.fst")
      ->check(not_empty());
}

void BenchHbmCommand::check_options() const {
  if (common_.checked_target("rtl") != Target::kRtl)
    throw isa::InputError("--target golden: bench hbm measures the verilated controller; allowed: rtl");
  const std::string pc1 = log_.empty() ? "" : log_ + ".pc1";
  for (const auto& [option, file] : {std::pair("--log", log_), {"--latencies", latencies_}, {"--waves", waves_}}) {
    if (traces_.size() > 1 && !file.empty())
      throw isa::InputError(fmt::format("{}: {} traces; allowed: with one --trace", option, traces_.size()));
  }
  std::vector<std::pair<std::string_view, std::string>> inputs;
  for (const std::string& t : traces_) inputs.emplace_back("--trace", t);
  check_distinct(inputs, {{"--log", log_}, {"--log (PC1)", pc1}, {"--latencies", latencies_}, {"--waves", waves_}});
  for (const std::string& file : {log_, pc1, latencies_, waves_}) {
    if (!file.empty()) support::check_writable(file);
  }
}

int BenchHbmCommand::run() {
  const double rate = parse_arrival(arrival_);
  check_options();
  std::vector<std::vector<hbm::Request>> traces;
  for (const std::string& t : traces_) traces.push_back(hbm::read_trace(t));
  hbm::HbmSystemOptions options;
  options.mbps = speed_;
  options.sids = sids();
  options.seed = common_.seed;
  options.log_commands = !log_.empty();
  options.waves = waves_;

  Json rows = Json::array();
  Table table({"trace", "requests", "cycles", "bandwidth", "avg ns", "p50 ns", "p99 ns", "max ns", "refreshes",
               "row hits", "mismatches", "violations"},
              1);
  int code = kOk;
  std::string complaint;
  Played last;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const std::string name = std::filesystem::path(traces_[i]).stem().string();
    last = play(traces[i], options, rate, window_,
                [&](double part) { progress(fmt::format("{} {:.0f} %", name, part * 100)); });
    progress("");
    const auto ns = [&](double v) { return last.finished() ? fmt::format("{:.1f}", v) : "-"; };
    const hbm::TraceFigures& f = last.pc0;
    table.add({name, grouped(f.requests), last.finished() ? grouped(f.cycles) : "-",
               percent(last.finished() ? std::optional(f.bandwidth_frac) : std::nullopt), ns(f.avg_ns), ns(f.p50_ns),
               ns(f.p99_ns), ns(f.max_ns), grouped(last.counters.refreshes), grouped(last.counters.row_hits),
               std::to_string(last.mismatches()), std::to_string(last.violations)});
    rows.push_back(last.json(name));
    if (last.exit_code() != kOk && code == kOk) {
      code = last.exit_code();
      complaint = (traces.size() > 1 ? name + ": " : "") + last.complaint();
    }
  }
  if (!log_.empty()) {
    support::write_file(log_, last.log[0]);
    support::write_file(log_ + ".pc1", last.log[1]);
  }
  if (!latencies_.empty() && last.finished()) {
    const std::vector<float>& ns = last.pc0.latencies_ns;
    support::write_npy(latencies_, support::make_npy(std::span<const float>(ns), {ns.size()}));
  }
  const Json settings{
      {"speed", speed_}, {"sids", sids()}, {"arrival", arrival_}, {"window", window_}, {"seed", common_.seed}};
  Json result = settings;
  if (traces.size() == 1) {
    result.update(rows[0]);
  } else {
    std::uint64_t violations = 0, mismatches = 0;
    for (const Json& r : rows) {
      violations += r["violations"].get<std::uint64_t>();
      mismatches += r["data_mismatches"].get<std::uint64_t>();
    }
    result.update(Json{{"rows", std::move(rows)}, {"violations", violations}, {"data_mismatches", mismatches}});
  }
  report(result);
  print(table.text());
  if (traces.size() == 1 && last.finished()) {
    std::string line = "clocks without a burst:";
    for (const auto& [cause, clocks] : last.counters.stalls) line += fmt::format(" {} {}", cause, grouped(clocks));
    print(line);
    if (last.pc0.hazard_waits != 0)
      print(fmt::format("{} requests waited in the source for an earlier one to the same address",
                        last.pc0.hazard_waits));
  }
  if (code != kOk) fmt::print(stderr, "tepin: {}\n", complaint);
  return code;
}

}  // namespace tepin::cli
