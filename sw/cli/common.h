// SPDX-License-Identifier: Apache-2.0
// What all subcommands share: options, exit codes, and where output goes.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sw/isa/program.h"

namespace tepin::cli {

using Json = nlohmann::ordered_json;

enum Exit : int {
  kOk = 0,        // ran, and everything it checked agreed
  kMismatch = 1,  // the report names tile, engine, pc, address or element, expected, actual
  kUsage = 2,     // bad usage or input: isa::InputError
  kStopped = 3,   // the hardware stopped on a fault or a hang, or cycles ran out
  kBug = 70,      // a bug in this program: any other exception
};

enum class Target : std::uint8_t { kRtl, kGolden };

struct Common {
  bool json = false;
  bool quiet = false;
  std::uint64_t seed = 1;
  std::string config = "nano";
  std::string target = "rtl";
  std::string memory = "hbm4";  // behind the tile's ports: hbm4, flat
  std::string trace, timeline;  // files, empty: none
  std::string out;              // folder, empty: none

  /// The configuration; InputError if there is none of that name.
  [[nodiscard]] const isa::Config& configuration() const;
  /// The target; InputError if it is unknown, not there yet, or does not have the configuration or an output asked for.
  /// allowed: the targets that the message names.
  [[nodiscard]] Target checked_target(std::string_view allowed = "rtl, golden") const;
};

/// One subcommand that does something. The constructor of each declares it under a parent.
/// InputError if an output is the same file as an input or as another output: writing one would destroy the other.
/// Each: option or argument, path; empty paths and devices are ignored.
void check_distinct(const std::vector<std::pair<std::string_view, std::string>>& inputs,
                    const std::vector<std::pair<std::string_view, std::string>>& outputs);

class Command {
 public:
  virtual ~Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  /// Exit code. InputError: bad input.
  virtual int run() = 0;
  /// Before run(): InputError if the folder of --out cannot be one.
  void check_out() const;
  [[nodiscard]] bool chosen() const { return app_->parsed(); }

 protected:
  /// text: one line. example: one or more command lines. tile: it runs a tile, so --trace and --timeline make sense.
  Command(CLI::App& parent, const std::string& name, const std::string& text, const std::string& example, bool tile);
  [[nodiscard]] CLI::App& app() const { return *app_; }

  /// Ends with a result: prints the object (--json) and writes it to report.json in the folder of --out, if any.
  void report(const Json& result) const;
  /// A line of the human report on standard output; nothing with --json.
  void print(std::string_view line) const;
  /// A line on standard error; nothing with --quiet.
  void note(std::string_view line) const;
  /// Overwrites one line on a terminal's standard error; empty: erases it.
  void progress(std::string_view line) const;

  Common common_;

 private:
  CLI::App* app_;
};

/// A JSON object as text; bytes of file names that are not UTF-8 are replaced.
[[nodiscard]] std::string to_text(const Json& json);

/// Checks that an option's text is a decimal number of min..max: CLI11 alone takes -1 for 2^64-1.
/// Refuses an empty value, which would read as "not given".
[[nodiscard]] CLI::Validator not_empty();
[[nodiscard]] CLI::Validator whole_number(std::uint64_t min = 0, std::uint64_t max = UINT64_MAX);

/// Columns and rows of "WxH", 1x1 to 8x8; InputError names --mesh otherwise.
[[nodiscard]] std::pair<int, int> parse_mesh(const std::string& text);

/// The activation format of a name; InputError, which names the option and lists them all (and `others`), for weight
/// formats and for unknown names.
[[nodiscard]] isa::Format activation_format(const std::string& name, std::string_view option = "--act",
                                            std::string_view others = "");
[[nodiscard]] std::string format_name(isa::Format f);

/// Adds every subcommand to the program.
[[nodiscard]] std::vector<std::unique_ptr<Command>> make_commands(CLI::App& program);

}  // namespace tepin::cli
