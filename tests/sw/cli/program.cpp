// SPDX-License-Identifier: Apache-2.0
#include "tests/sw/cli/program.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "sw/support/npy.h"

namespace tepin::cli::testing {

ProgramTest::ProgramTest() {
  std::string name = (std::filesystem::temp_directory_path() / "tepin_cli_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  folder_ = name;
}

ProgramTest::~ProgramTest() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Result ProgramTest::shell(const std::string& line) const {
  const std::string weights = std::string(TEPIN_SOURCE_DIR) + "/models/nano-gptoss/nano_gptoss.safetensors";
  const std::string command = fmt::format(
      "cd '{}' && {{ tepin='{}'; source='{}'; weights='{}'; matrix=\"--weights {} --tensor block.0.mlp.mlp1_weight\"; "
      "{} ; }} 2>.stderr </dev/null",
      folder_.string(), TEPIN_PROGRAM, TEPIN_SOURCE_DIR, weights, weights, line);
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("popen failed");
  Result r;
  std::array<char, 4096> buffer{};
  for (std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe); n > 0;
       n = fread(buffer.data(), 1, buffer.size(), pipe)) {
    r.out.append(buffer.data(), n);
  }
  const int status = pclose(pipe);
  r.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  r.err = read(".stderr");
  return r;
}

void ProgramTest::text(const std::string& name, const std::string& contents) const {
  std::ofstream(folder_ / name, std::ios::binary) << contents;
}

std::string ProgramTest::read(const std::string& name) const {
  std::ifstream in(folder_ / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void ProgramTest::floats(const std::string& name, std::vector<float> values, std::vector<std::uint64_t> shape) const {
  support::write_npy(path(name), support::make_npy<float>(values, std::move(shape)));
}

void ProgramTest::bytes(const std::string& name, std::vector<std::uint8_t> values) const {
  support::write_npy(path(name), support::make_npy<std::uint8_t>(values, {values.size()}));
}

void ProgramTest::safetensors(const std::string& name, const std::vector<Entry>& entries) const {
  std::string header, data;
  for (const Entry& e : entries) {
    header +=
        fmt::format("{}\"{}\":{{\"dtype\":\"{}\",\"shape\":{},\"data_offsets\":[{},{}]}}", header.empty() ? "{" : ",",
                    e.name, e.dtype, e.shape, data.size(), data.size() + e.data.size());
    data.append(e.data.begin(), e.data.end());
  }
  header += "}";
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> (8 * i));
  text(name, file + header + data);
}

}  // namespace tepin::cli::testing
