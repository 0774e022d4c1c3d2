// SPDX-License-Identifier: Apache-2.0
// Runs build/tepin in a folder of the test's own, and makes the files that it reads.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace tepin::cli::testing {

struct Result {
  int code = -1;
  std::string out, err;
  /// The one JSON object on standard output.
  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// Each test gets an empty folder, which is the current one of the programs that it runs, and is removed at its end.
class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest();
  ~ProgramTest() override;

  /// Runs a shell command line in the folder; `$tepin` is the program, `$weights` the checkpoint of models/nano-gptoss,
  /// `$matrix` "--weights $weights --tensor block.0.mlp.mlp1_weight", `$source` the source tree.
  [[nodiscard]] Result shell(const std::string& line) const;
  /// Runs tepin with these arguments.
  [[nodiscard]] Result tepin(const std::string& arguments) const { return shell("$tepin " + arguments); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void text(const std::string& name, const std::string& contents) const;
  [[nodiscard]] std::string read(const std::string& name) const;
  [[nodiscard]] bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  void floats(const std::string& name, std::vector<float> values, std::vector<std::uint64_t> shape) const;
  void bytes(const std::string& name, std::vector<std::uint8_t> values) const;

  struct Entry {
    std::string name, dtype, shape;
    std::vector<std::uint8_t> data;
  };
  void safetensors(const std::string& name, const std::vector<Entry>& entries) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace tepin::cli::testing
