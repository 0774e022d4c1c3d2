// SPDX-License-Identifier: Apache-2.0
// The subcommands; what each does stands in docs/ and in its --help. Each is implemented in the file of its name.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sw/cli/checkpoint.h"
#include "sw/cli/common.h"

namespace tepin::cli {

/// assembly::disassemble with the file named in errors: also what makes sure that a program file can exist at all.
[[nodiscard]] std::string disassemble_file(const isa::Program& program, const std::string& file,
                                           const isa::Config& cfg);

class SimCommand final : public Command {
 public:
  explicit SimCommand(CLI::App& parent);
  int run() override;

 private:
  [[nodiscard]] std::filesystem::path model_folder() const;
  std::string model_;
  std::uint64_t tokens_ = 32;
  std::uint64_t experts_ = 0;
};

class GemmCommand final : public Command {
 public:
  explicit GemmCommand(CLI::App& parent);
  int run() override;

 private:
  [[nodiscard]] ImportOptions import_options() const;

  std::string weights_, tensor_, quantise_, rule_, act_, act_rule_ = "floor", bf16_to_, in_, out_npy_;
  std::uint64_t index_ = 0, max_cycles_ = 0;
  std::optional<std::uint64_t> tokens_;
};

class VectorsCommand final : public Command {
 public:
  explicit VectorsCommand(CLI::App& parent);
  int run() override;

 private:
  std::string dir_;
};

class AsmCommand final : public Command {
 public:
  explicit AsmCommand(CLI::App& parent);
  int run() override;

 private:
  std::string source_, output_, listing_;
};

class DisasmCommand final : public Command {
 public:
  explicit DisasmCommand(CLI::App& parent);
  int run() override;

 private:
  std::string program_, output_;
};

class RunCommand final : public Command {
 public:
  explicit RunCommand(CLI::App& parent);
  int run() override;

 private:
  std::string program_, mesh_ = "1x1";
  std::vector<std::string> loads_, dumps_;
  std::uint64_t max_cycles_ = 10'000'000, ranks_ = 1, threads_ = 1;
  bool check_ = false, no_lockstep_ = false;
};

class BenchMxuCommand final : public Command {
 public:
  explicit BenchMxuCommand(CLI::App& parent);
  int run() override;

 private:
  std::vector<std::string> shapes_, acts_, weights_;
};

class BenchSimCommand final : public Command {
 public:
  explicit BenchSimCommand(CLI::App& parent);
  int run() override;

 private:
  double seconds_ = 3;
};

class CompletionCommand final : public Command {
 public:
  CompletionCommand(CLI::App& parent, const CLI::App& program);
  int run() override;

 private:
  const CLI::App& program_;
  std::string shell_ = "bash";
};

}  // namespace tepin::cli
