// SPDX-License-Identifier: Apache-2.0
#include "sw/cli/common.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <filesystem>

#include "sw/support/atomic_file.h"

namespace tepin::cli {

const isa::Config& Common::configuration() const { return isa::find_config(config); }

Target Common::checked_target(std::string_view allowed) const {
  const isa::Config& cfg = configuration();
  if (target == "cycle") throw isa::InputError(fmt::format("--target cycle: not available yet; allowed: {}", allowed));
  if (target != "rtl" && target != "golden") {
    throw isa::InputError(fmt::format("--target {}: no such target; allowed: {}", target, allowed));
  }
  if (target == "golden") {
    if (!trace.empty()) throw isa::InputError("--trace: waves need --target rtl");
    if (!timeline.empty()) throw isa::InputError("--timeline: the golden model has no time; it needs --target rtl");
    return Target::kGolden;
  }
  if (cfg.name != isa::kNano.name) {
    throw isa::InputError(
        fmt::format("--config {}: the verilated tile is nano; allowed with --target rtl: nano", config));
  }
  return Target::kRtl;
}

Command::Command(CLI::App& parent, const std::string& name, const std::string& text, const std::string& example,
                 bool tile)
    : app_(parent.add_subcommand(name, text)) {
  app_->footer("Example:\n  " + example +
               "\n\nExit codes: 0 all agreed, 1 mismatch, 2 bad usage or input, 3 the hardware stopped, 70 a bug.");
  app_->add_flag("--json", common_.json, "Print one JSON object on standard output, nothing else")->group("Common");
  app_->add_flag("--quiet", common_.quiet, "No progress and notes on standard error")->group("Common");
  app_->add_option("--seed", common_.seed, "Seed of generated data, 0 to 2^64-1")
      ->check(whole_number())
      ->capture_default_str()
      ->group("Common");
  app_->add_option("--config", common_.config, "Configuration: nano, fpga or jalapeno (rtl: nano)")
      ->capture_default_str()
      ->group("Common");
  app_->add_option("--target", common_.target, "What runs it: rtl (verilated hardware) or golden (untimed model)")
      ->capture_default_str()
      ->group("Common");
  app_->add_option("--out", common_.out, "Folder for report.json; it is made if it does not exist")
      ->type_name("DIR")
      ->group("Common");
  if (!tile) return;
  app_->add_option("--memory", common_.memory,
                   "Behind the tile's memory ports: hbm4, the HBM4 controller and its DRAM; flat, 100 cycles' latency "
                   "and a beat a cycle")
      ->capture_default_str()
      ->check(CLI::IsMember({"hbm4", "flat"}))
      ->group("Common");
  app_->add_option("--trace", common_.trace, "Write waves (FST); slower, with assertions on")
      ->type_name("FILE.fst")
      ->group("Common");
  app_->add_option("--timeline", common_.timeline, "Write what each unit did, for Perfetto; 1 us is one cycle")
      ->type_name("FILE.json")
      ->group("Common");
}

std::string to_text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

void Command::check_out() const {
  std::error_code ignored;
  if (std::filesystem::exists(common_.out, ignored) && !std::filesystem::is_directory(common_.out, ignored)) {
    throw isa::InputError(fmt::format("--out {}: exists and is no folder", common_.out));
  }
}

void Command::report(const Json& result) const {
  const std::string text = to_text(result) + "\n";
  if (!common_.out.empty()) {
    std::error_code error;
    std::filesystem::create_directories(common_.out, error);
    if (error) throw isa::InputError(fmt::format("{}: cannot make the folder: {}", common_.out, error.message()));
    support::write_file((std::filesystem::path(common_.out) / "report.json").string(), text);
  }
  if (common_.json) std::fputs(text.c_str(), stdout);
}

void Command::print(std::string_view line) const {
  if (!common_.json) fmt::print("{}\n", line);
}

void Command::note(std::string_view line) const {
  if (!common_.quiet) fmt::print(stderr, "{}\n", line);
}

void Command::progress(std::string_view line) const {
  if (common_.quiet || isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "\r\x1b[K{}", line);
  std::fflush(stderr);
}

void check_distinct(const std::vector<std::pair<std::string_view, std::string>>& inputs,
                    const std::vector<std::pair<std::string_view, std::string>>& outputs) {
  const auto same = [](const std::string& a, const std::string& b) {
    if (a.empty() || b.empty()) return false;
    std::error_code error;
    if (std::filesystem::exists(a, error) && !std::filesystem::is_regular_file(a, error)) return false;
    if (std::filesystem::equivalent(a, b, error)) return true;
    return std::filesystem::weakly_canonical(a, error) == std::filesystem::weakly_canonical(b, error);
  };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [name, path] = outputs[i];
    const auto refuse = [&](const auto& other) {
      if (same(path, other.second))
        throw isa::InputError(fmt::format("{} {}: is the file of {}; allowed: another file", name, path, other.first));
    };
    for (const auto& other : inputs) refuse(other);
    for (std::size_t k = 0; k < i; ++k) refuse(outputs[k]);
  }
}

CLI::Validator not_empty() {
  return {[](const std::string& text) { return text.empty() ? "'': allowed: a value" : std::string(); }, ""};
}

CLI::Validator whole_number(std::uint64_t min, std::uint64_t max) {
  return {[min, max](const std::string& text) {
            std::uint64_t v = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
            const bool ok = error == std::errc{} && end == text.data() + text.size() && v >= min && v <= max;
            return ok ? std::string() : fmt::format("'{}': allowed: whole numbers of {}..{}", text, min, max);
          },
          ""};
}

isa::Format activation_format(const std::string& name, std::string_view option, std::string_view others) {
  std::string allowed;
  for (std::size_t f = 0; f < isa::kFormats.size(); ++f) {
    if (isa::kFormats[f].parts == 0) continue;  // weights only
    if (isa::kFormats[f].name == name) return static_cast<isa::Format>(f);
    allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", isa::kFormats[f].name);
  }
  throw isa::InputError(fmt::format("{} {}: no format of activations; allowed: {}{}", option, name, allowed, others));
}

std::pair<int, int> parse_mesh(const std::string& text) {
  constexpr int kMaxSide = isa::kMaxMesh;
  int w = 0, h = 0;
  const char* end = text.data() + text.size();
  const auto [x, first] = std::from_chars(text.data(), end, w);
  if (first == std::errc{} && x != end && *x == 'x') {
    const auto [last, second] = std::from_chars(x + 1, end, h);
    if (second == std::errc{} && last == end && w >= 1 && w <= kMaxSide && h >= 1 && h <= kMaxSide) return {w, h};
  }
  throw isa::InputError(fmt::format("--mesh {}: allowed: WxH, 1x1 to {}x{}", text, kMaxSide, kMaxSide));
}

std::string format_name(isa::Format f) { return std::string(isa::kFormats[static_cast<std::size_t>(f)].name); }

}  // namespace tepin::cli
