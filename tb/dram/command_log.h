// SPDX-License-Identifier: Apache-2.0
// Writes the HBM command log: a line a command, `clk CMD sid bg ba row col slot`, decimal, -1 where a field does not
// apply. PC0's commands go to F, PC1's to F.pc1. Self refresh entry and exit are left out.
#pragma once

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "tb/dram/command.h"
#include "tb/dram/timing.h"

namespace tepin::tb::dram {

class CommandLog {
 public:
  /// Creates or truncates both files. Throws std::runtime_error if one cannot be opened.
  explicit CommandLog(const std::filesystem::path& file);
  ~CommandLog();
  CommandLog(const CommandLog&) = delete;
  CommandLog& operator=(const CommandLog&) = delete;

  /// c.pc: 0 or 1. Commands of a PC in order of time.
  void write(const Command& c, Clock clk);
  /// Throws std::runtime_error if something could not be written.
  void flush();

 private:
  struct Sink {
    std::filesystem::path file;
    std::ofstream stream;
    std::string pending;
  };
  static void drain(Sink& sink);

  std::array<Sink, kChannelPcs> sinks_;
};
/// The line of a command, without its end; empty for self refresh entry and exit.
[[nodiscard]] std::string log_line(const Command& c, Clock clk);

}  // namespace tepin::tb::dram
