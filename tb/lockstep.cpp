// SPDX-License-Identifier: Apache-2.0
#include "tb/lockstep.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/isa/program.h"

namespace tepin::tb {

using golden::AgentLog;
using golden::LogEntry;
using golden::LogWrite;
using golden::Space;

namespace {

constexpr int kLd = golden::agent_of(isa::Engine::kLd);
constexpr int kSt = golden::agent_of(isa::Engine::kSt);
constexpr int kMxu = golden::agent_of(isa::Engine::kMxu);
constexpr int kVpu = golden::agent_of(isa::Engine::kVpu);

std::string op_name(std::uint8_t op) {
  const isa::Instr* i = isa::find_instr(op);
  return i != nullptr ? std::string(i->name) : fmt::format("opcode {:#04x}", op);
}

std::string agent_name(int agent) {
  if (agent < golden::kThreads) return fmt::format("SEQ thread {}", agent);
  return std::string(isa::kEngines[static_cast<std::size_t>(golden::engine_of(agent))]);
}

}  // namespace

std::string Divergence::text() const {
  return fmt::format("tile 0,0 {} pc {} ({}): {}: expected {}, actual {} (cycle {})", engine, pc, instruction, place,
                     expected, actual, cycle);
}

Lockstep::Lockstep(const golden::Log& log) : log_(log) {
  for (std::size_t a = 0; a < agents_.size(); ++a) {
    agents_[a].bytes.resize(log[a].entries.size());
    for (const LogEntry& e : log[a].entries) {
      std::uint64_t n = 0;
      for (const LogWrite& w : log[a].writes_of(e)) n += w.length;
      agents_[a].total.push_back(n);
    }
  }
}

void Lockstep::diverge(int agent, std::size_t entry, std::string place, std::string expected, std::string actual,
                       std::uint64_t now) {
  if (divergence_) return;
  const auto& entries = log_[static_cast<std::size_t>(agent)].entries;
  Divergence d;
  d.engine = agent_name(agent);
  d.place = std::move(place);
  d.expected = std::move(expected);
  d.actual = std::move(actual);
  d.cycle = now;
  if (entry < entries.size()) {
    d.pc = entries[entry].pc;
    d.instruction = op_name(static_cast<std::uint8_t>(entries[entry].op));
  } else {
    d.instruction = "beyond the last";
  }
  divergence_ = std::move(d);
}

void Lockstep::compare(int agent, std::size_t entry, Space space, int channel, std::uint64_t address,
                       std::uint32_t strb, const Word& data, std::uint64_t now) {
  const std::string where = space == Space::kSpad ? "spad" : fmt::format("hbm{}", channel);
  const AgentLog& log = log_[static_cast<std::size_t>(agent)];
  if (entry >= log.entries.size()) {
    diverge(agent, entry, fmt::format("{} {:#x}", where, address), "no write", "a write", now);
    return;
  }
  const auto writes = log.writes_of(log.entries[entry]);
  const LogWrite* w = nullptr;
  for (std::uint32_t i = 0; i < 32; ++i) {
    if ((strb >> i & 1) == 0) continue;
    const std::uint64_t a = address + i;
    const auto actual = static_cast<std::uint8_t>(data[i / 4] >> (i % 4 * 8));
    const auto holds = [&](const LogWrite& x) {
      return x.space == space && x.channel == channel && a >= x.address && a < x.address + x.length;
    };
    if (w == nullptr || !holds(*w)) {
      const auto found = std::find_if(writes.begin(), writes.end(), holds);
      w = found != writes.end() ? &*found : nullptr;
    }
    if (w == nullptr) {
      diverge(agent, entry, fmt::format("{} {:#x}", where, a), "no write", fmt::format("{:#04x}", actual), now);
      return;
    }
    const std::uint8_t expected = log.bytes_of(*w)[a - w->address];
    if (expected != actual) {
      diverge(agent, entry, fmt::format("{} {:#x}", where, a), fmt::format("{:#04x}", expected),
              fmt::format("{:#04x}", actual), now);
      return;
    }
    ++agents_[static_cast<std::size_t>(agent)].bytes[entry];
    ++checked_;
  }
}

void Lockstep::spad_write(int agent, std::size_t entry, const LaneWrite& w, std::uint64_t now) {
  compare(agent, entry, Space::kSpad, 0, w.addr, w.strb, w.data, now);
}

void Lockstep::hbm_write(int pc, const HbmWrite& w, std::uint64_t now) {
  if ((w.id & 16) != 0) return;  // the host's
  compare(kSt, entry_of_slot(agents_[kSt].retired, w.id), Space::kHbm, pc, w.address, w.strb, w.data, now);
}

void Lockstep::accumulators(const TileOut& out, std::uint64_t now) {
  const AgentLog& log = log_[kMxu];
  while (mm_next_ < log.entries.size() && log.entries[mm_next_].op != isa::Op::kMm) ++mm_next_;
  if (mm_next_ >= log.entries.size()) {
    diverge(kMxu, mm_next_, "accumulators", "no write", "a write", now);
    return;
  }
  if (log.entries[mm_next_].pc != out.acc_pc) {
    diverge(kMxu, mm_next_, "instruction", fmt::format("pc {}", log.entries[mm_next_].pc),
            fmt::format("pc {}", out.acc_pc), now);
    return;
  }
  std::uint64_t& done = agents_[kMxu].bytes[mm_next_];
  for (const LogWrite& w : log.writes_of(log.entries[mm_next_])) {
    const auto bytes = log.bytes_of(w);
    for (std::uint32_t c = 0; c < kCols; ++c) {
      if ((out.acc_cols >> c & 1) == 0) continue;
      const std::uint64_t column = std::uint64_t{out.acc_group} * kCols + c;
      if (column < w.address || (column - w.address) * kRows * 4 >= w.length) {
        diverge(kMxu, mm_next_, fmt::format("acc column {}", column), "no write", "a write", now);
        return;
      }
      for (std::uint32_t r = 0; r < kRows; ++r) {
        const std::size_t at = ((column - w.address) * kRows + r) * 4;
        std::uint32_t expected = 0;
        for (std::size_t b = 0; b < 4; ++b) expected |= std::uint32_t{bytes[at + b]} << (8 * b);
        const std::uint32_t actual = out.acc_data[r * kCols + c];
        if (expected != actual) {
          diverge(kMxu, mm_next_, fmt::format("acc row {} column {}", r, column), fmt::format("{:#010x}", expected),
                  fmt::format("{:#010x}", actual), now);
          return;
        }
        done += 4;
        ++checked_;
      }
    }
  }
  if (done >= agents_[kMxu].total[mm_next_]) ++mm_next_;
}

void Lockstep::retire(int agent, const Retire& r, std::uint64_t now) {
  Agent& a = agents_[static_cast<std::size_t>(agent)];
  const AgentLog& log = log_[static_cast<std::size_t>(agent)];
  const std::size_t k = a.retired;
  if (k >= log.entries.size()) {
    diverge(agent, k, "instruction", "none", fmt::format("pc {} {}", r.pc, op_name(r.op)), now);
    return;
  }
  const LogEntry& e = log.entries[k];
  if (e.pc != r.pc || e.thread != r.thread || static_cast<std::uint8_t>(e.op) != r.op) {
    diverge(agent, k, "instruction",
            fmt::format("pc {} {} of thread {}", e.pc, op_name(static_cast<std::uint8_t>(e.op)), e.thread),
            fmt::format("pc {} {} of thread {}", r.pc, op_name(r.op), r.thread), now);
    return;
  }
  if (a.bytes[k] != a.total[k]) {
    diverge(agent, k, "bytes written", fmt::format("{}", a.total[k]), fmt::format("{}", a.bytes[k]), now);
    return;
  }
  ++a.retired;
  ++checked_;
}

void Lockstep::cycle(const TileOut& out, std::uint64_t now) {
  if (out.acc) accumulators(out, now);
  // An instruction's last write is granted the cycle before it retires, or earlier.
  if (out.writes != 0) {
    for (std::uint32_t l = 0; l < kWriteLanes; ++l) {
      if ((out.writes >> l & 1) == 0) continue;
      const LaneWrite& w = out.lane[l];
      if (l < kCols) {
        const AgentLog& log = log_[kMxu];
        while (mst_next_ < log.entries.size() && (log.entries[mst_next_].op != isa::Op::kMst ||
                                                  agents_[kMxu].bytes[mst_next_] == agents_[kMxu].total[mst_next_])) {
          ++mst_next_;
        }
        spad_write(kMxu, mst_next_, w, now);
      } else if (l < kCols + kLdLanes) {
        spad_write(kLd, entry_of_slot(agents_[kLd].retired, out.ld_write_slot[l - kCols]), w, now);
      } else if (l < kCols + kLdLanes + 3) {
        spad_write(kVpu, agents_[kVpu].retired, w, now);
      } else {
        seq_writes_.push_back(w);
      }
    }
  }
  if (out.retire == 0) return;
  if ((out.retire & 1) != 0) {
    const Retire& r = out.retired[0];
    const isa::Instr* i = isa::find_instr(r.op);
    // Issuing an engine's instruction is no event of the thread; the engine reports it.
    if (i != nullptr && i->engine == isa::Engine::kSeq) {
      Agent& a = agents_[r.thread];
      const AgentLog& log = log_[r.thread];
      for (const LaneWrite& w : seq_writes_) spad_write(r.thread, a.retired, w, now);
      seq_writes_.clear();
      if (a.retired < log.entries.size() && out.wb) {
        const LogEntry& e = log.entries[a.retired];
        const std::uint32_t value = out.wb_reg == 0 ? 0 : out.wb_value;
        if (e.rd != out.wb_reg || (e.rd != 0 && e.value != value)) {
          diverge(r.thread, a.retired, fmt::format("register r{}", e.rd), fmt::format("{:#x}", e.value),
                  fmt::format("{:#x} in r{}", out.wb_value, out.wb_reg), now);
        }
      }
      if (out.marker && a.retired < log.entries.size() && log.entries[a.retired].value != out.marker_value) {
        diverge(r.thread, a.retired, "trace value", fmt::format("{:#x}", log.entries[a.retired].value),
                fmt::format("{:#x}", out.marker_value), now);
      }
      retire(r.thread, r, now);
    }
  }
  for (int e = 1; e < 5; ++e) {
    if ((out.retire >> e & 1) != 0) retire(golden::kThreads + e - 1, out.retired[static_cast<std::size_t>(e)], now);
  }
}

void Lockstep::finish(std::uint64_t now) {
  for (int a = 0; a < golden::kAgents; ++a) {
    const std::size_t n = log_[static_cast<std::size_t>(a)].entries.size();
    const std::size_t seen = agents_[static_cast<std::size_t>(a)].retired;
    if (seen < n)
      diverge(a, seen, "instruction", fmt::format("{} instructions", n), fmt::format("{} ended", seen), now);
  }
}

}  // namespace tepin::tb
