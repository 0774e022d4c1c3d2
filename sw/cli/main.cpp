// SPDX-License-Identifier: Apache-2.0
// The program `tepin`: parses the command line, runs the subcommand, turns what went wrong into one line and an exit
// code.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <span>
#include <string>

#include "sw/cli/bench_allreduce.h"
#include "sw/cli/bench_hbm.h"
#include "sw/cli/bench_noc.h"
#include "sw/cli/commands.h"

namespace tepin::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  tepin sim                                      real weights through the hardware, checked bit for bit\n"
    "  tepin gemm --weights models/nano-gptoss/nano_gptoss.safetensors \\\n"
    "             --tensor block.0.mlp.mlp1_weight --tokens 32 --act mxint8\n"
    "  tepin asm sw/kernels/copy.s -o copy.tpn        a program file; tepin run --help says how to run one\n"
    "  tepin SUBCOMMAND --help                        options, units, defaults, an example\n\n"
    "Exit codes: 0 all agreed, 1 mismatch, 2 bad usage or input, 3 the hardware stopped, 70 a bug.";

std::string one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

int fail(bool json, int code, std::string_view prefix, const std::string& what) {
  const std::string line = one_line(what);
  fmt::print(stderr, "tepin: {}: {}\n", prefix, line);
  if (json) fmt::print("{}\n", to_text(Json{{"error", line}, {"exit_code", code}}));
  return code;
}

int run(std::span<char*> args) {
  // Known before parsing, so that errors of parsing are reported as asked too.
  const bool json =
      std::any_of(args.begin(), args.end(), [](const char* a) { return std::string_view(a) == "--json"; });
  CLI::App program("Tepin: an open accelerator for language models, simulated and checked", "tepin");
  program.set_version_flag("--version", fmt::format("tepin {} (ISA version {})", TEPIN_VERSION, isa::kIsaVersion));
  program.footer(kExamples);
  const auto commands = make_commands(program);
  try {
    program.parse(static_cast<int>(args.size()), args.data());
  } catch (const CLI::Success& e) {
    return program.exit(e);  // --help, --version
  } catch (const CLI::ParseError& e) {
    return fail(json, kUsage, "error", std::string(e.what()) + " (see tepin --help)");
  }
  const auto chosen = std::find_if(commands.begin(), commands.end(), [](const auto& c) { return c->chosen(); });
  if (chosen == commands.end()) return fail(json, kUsage, "error", "a subcommand is required (see tepin --help)");
  int code = kBug;
  try {
    (*chosen)->check_out();
    code = (*chosen)->run();
  } catch (const isa::InputError& e) {
    return fail(json, kUsage, "error", e.what());
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return fail(false, kUsage, "error", "standard output: cannot be written");
  }
  return code;
}

}  // namespace

std::vector<std::unique_ptr<Command>> make_commands(CLI::App& program) {
  std::vector<std::unique_ptr<Command>> all;
  program.require_subcommand(0, 1);
  all.push_back(std::make_unique<SimCommand>(program));
  all.push_back(std::make_unique<GemmCommand>(program));
  all.push_back(std::make_unique<VectorsCommand>(program));
  all.push_back(std::make_unique<AsmCommand>(program));
  all.push_back(std::make_unique<DisasmCommand>(program));
  all.push_back(std::make_unique<RunCommand>(program));
  CLI::App* bench = program.add_subcommand("bench", "Measures the hardware or the simulator");
  bench->footer("Example:\n  tepin bench mxu");
  bench->require_subcommand(1);
  all.push_back(std::make_unique<BenchMxuCommand>(*bench));
  all.push_back(std::make_unique<BenchSimCommand>(*bench));
  all.push_back(std::make_unique<BenchHbmCommand>(*bench));
  all.push_back(std::make_unique<BenchNocCommand>(*bench));
  all.push_back(std::make_unique<BenchAllreduceCommand>(*bench));
  all.push_back(std::make_unique<CompletionCommand>(program, program));
  return all;
}

}  // namespace tepin::cli

int main(int argc, char** argv) {
  try {
    return tepin::cli::run({argv, static_cast<std::size_t>(argc)});
  } catch (const std::exception& e) {
    return tepin::cli::fail(false, tepin::cli::kBug, "internal error", e.what());
  } catch (...) {
    return tepin::cli::fail(false, tepin::cli::kBug, "internal error", "unknown exception");
  }
}
