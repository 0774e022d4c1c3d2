// SPDX-License-Identifier: Apache-2.0
// tepin completion: a script that completes subcommands, options, and the names that some options take.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sw/cli/commands.h"

namespace tepin::cli {
namespace {

/// "path) words="..." ;;" of an app and of all below it.
void add_cases(const CLI::App& app, const std::string& path, std::vector<std::string>& paths, std::string& cases) {
  std::vector<std::string> words;
  for (const CLI::App* sub : app.get_subcommands({})) words.push_back(sub->get_name());
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  paths.push_back(path);
  cases += fmt::format("    '{}') words='{}' ;;\n", path, fmt::join(words, " "));
  for (const CLI::App* sub : app.get_subcommands({})) add_cases(*sub, path + " " + sub->get_name(), paths, cases);
}

constexpr std::string_view kScript = R"(# bash completion of tepin; use: source <(tepin completion bash)
_tepin() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" path=tepin words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path ${{COMP_WORDS[i]}}" in
    {}) path="$path ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$prev" in
    --config) words='nano fpga jalapeno' ;;
    --target) words='rtl golden' ;;
    --act) words='mxfp4 mxfp8_e4m3 mxint8' ;;
    *)
  case "$path" in
{}  esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -o default -F _tepin tepin
)";

}  // namespace

CompletionCommand::CompletionCommand(CLI::App& parent, const CLI::App& program)
    : Command(parent, "completion", "Prints a completion script for a shell", "source <(tepin completion bash)", false),
      program_(program) {
  app().add_option("shell", shell_, "bash")->capture_default_str();
}

int CompletionCommand::run() {
  if (shell_ != "bash") throw isa::InputError(fmt::format("completion {}: allowed: bash", shell_));
  std::vector<std::string> paths;
  std::string cases;
  add_cases(program_, "tepin", paths, cases);
  std::string patterns;
  for (const std::string& p : paths) {
    if (p != "tepin") patterns += fmt::format("{}'{}'", patterns.empty() ? "" : " | ", p);
  }
  const std::string script = fmt::format(fmt::runtime(kScript), patterns, cases);
  report(Json{{"shell", shell_}, {"script", script}});
  if (!common_.json) fmt::print("{}", script);
  return kOk;
}

}  // namespace tepin::cli
