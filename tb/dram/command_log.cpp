// SPDX-License-Identifier: Apache-2.0
#include "tb/dram/command_log.h"

#include <fmt/format.h>

#include <iterator>
#include <stdexcept>

namespace tepin::tb::dram {

namespace {

constexpr std::size_t kDrainAt = 1 << 16;

bool is_logged(Kind k) { return k != Kind::kSelfEnter && k != Kind::kSelfExit && k != Kind::kNone; }

void append_line(std::string& to, const Command& c, Clock clk) {
  fmt::format_to(std::back_inserter(to), "{} {} {} {} {} {} {} {}", clk, name_of(c.kind), c.sid, c.bg, c.ba, c.row,
                 c.col, c.slot);
}

}  // namespace

CommandLog::CommandLog(const std::filesystem::path& file) {
  sinks_[0].file = file;
  sinks_[1].file = file.string() + ".pc1";
  for (Sink& s : sinks_) {
    s.stream.open(s.file, std::ios::binary | std::ios::trunc);
    if (!s.stream) throw std::runtime_error(fmt::format("{}: cannot be written", s.file.string()));
  }
}

CommandLog::~CommandLog() {
  for (Sink& s : sinks_) drain(s);
}

void CommandLog::write(const Command& c, Clock clk) {
  if (!is_logged(c.kind)) return;
  Sink& s = sinks_.at(static_cast<std::size_t>(c.pc));
  append_line(s.pending, c, clk);
  s.pending += '\n';
  if (s.pending.size() >= kDrainAt) drain(s);
}

void CommandLog::flush() {
  for (Sink& s : sinks_) {
    drain(s);
    s.stream.flush();
    if (!s.stream) throw std::runtime_error(fmt::format("{}: could not be written in full", s.file.string()));
  }
}

void CommandLog::drain(Sink& sink) {
  sink.stream.write(sink.pending.data(), static_cast<std::streamsize>(sink.pending.size()));
  sink.pending.clear();
}

std::string log_line(const Command& c, Clock clk) {
  std::string line;
  if (is_logged(c.kind)) append_line(line, c, clk);
  return line;
}

}  // namespace tepin::tb::dram
