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

constexpr std::size_t kLd = golden::agent_of(isa::Engine::kLd);
constexpr std::size_t kSt = golden::agent_of(isa::Engine::kSt);
constexpr std::size_t kMxu = golden::agent_of(isa::Engine::kMxu);
constexpr std::size_t kVpu = golden::agent_of(isa::Engine::kVpu);

std::string op_name(std::uint8_t op) {
  const isa::Instr* i = isa::find_instr(op);
  return i != nullptr ? std::string(i->name) : fmt::format("opcode {:#04x}", op);
}
std::string op_name(isa::Op op) { return op_name(static_cast<std::uint8_t>(op)); }

std::string agent_name(int agent) {
  if (agent < golden::kThreads) return fmt::format("SEQ thread {}", agent);
  return std::string(isa::kEngines[static_cast<std::size_t>(golden::engine_of(agent))]);
}

std::string source_name(std::uint8_t source) {
  return fmt::format("NET of tile {},{}", source % isa::kMaxMesh, source / isa::kMaxMesh);
}

}  // namespace

std::string Divergence::text() const {
  return fmt::format("tile {},{} {} pc {} ({}): {}: expected {}, actual {} (cycle {})", x, y, engine, pc, instruction,
                     place, expected, actual, cycle);
}

Lockstep::Stream Lockstep::make_stream(const AgentLog& log, std::string name) {
  Stream s;
  s.log = &log;
  s.name = std::move(name);
  s.bytes.resize(log.entries.size());
  for (const LogEntry& e : log.entries) {
    std::uint64_t n = 0;
    for (const LogWrite& w : log.writes_of(e)) n += w.length;
    s.total.push_back(n);
  }
  return s;
}

Lockstep::Lockstep(const golden::Log& log) : Lockstep(log, {}, 0, 0) {}

Lockstep::Lockstep(const golden::Log& log, const golden::Incoming& incoming, std::uint32_t x, std::uint32_t y)
    : x_(x), y_(y) {
  for (std::size_t a = 0; a < agents_.size(); ++a) agents_[a] = make_stream(log[a], agent_name(static_cast<int>(a)));
  for (const auto& [source, entries] : incoming) incoming_.emplace(source, make_stream(entries, source_name(source)));
}

Lockstep::Stream& Lockstep::from_afar(std::uint8_t source) {
  const auto found = incoming_.find(source);
  if (found != incoming_.end()) return found->second;
  return incoming_.emplace(source, make_stream(nothing_, source_name(source))).first->second;
}

void Lockstep::diverge(const Stream& s, std::size_t entry, std::string place, std::string expected, std::string actual,
                       std::uint64_t now) {
  if (divergence_) return;
  const auto& entries = s.log->entries;
  Divergence d;
  d.x = x_;
  d.y = y_;
  d.engine = s.name;
  d.place = std::move(place);
  d.expected = std::move(expected);
  d.actual = std::move(actual);
  d.cycle = now;
  if (entry < entries.size()) {
    d.pc = entries[entry].pc;
    d.instruction = op_name(entries[entry].op);
  } else {
    d.instruction = "beyond the last";
  }
  divergence_ = std::move(d);
}

void Lockstep::compare(Stream& s, std::size_t entry, Space space, int channel, std::uint64_t address,
                       std::uint32_t strb, const Word& data, std::uint64_t now) {
  const std::string where = space == Space::kSpad ? "spad" : fmt::format("hbm{}", channel);
  const AgentLog& log = *s.log;
  if (entry >= log.entries.size()) {
    diverge(s, entry, fmt::format("{} {:#x}", where, address), "no write", "a write", now);
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
      diverge(s, entry, fmt::format("{} {:#x}", where, a), "no write", fmt::format("{:#04x}", actual), now);
      return;
    }
    const std::uint8_t expected = log.bytes_of(*w)[a - w->address];
    if (expected != actual) {
      diverge(s, entry, fmt::format("{} {:#x}", where, a), fmt::format("{:#04x}", expected),
              fmt::format("{:#04x}", actual), now);
      return;
    }
    ++s.bytes[entry];
    ++checked_;
  }
}

void Lockstep::spad_write(Stream& s, std::size_t entry, const LaneWrite& w, std::uint64_t now) {
  compare(s, entry, Space::kSpad, 0, w.addr, w.strb, w.data, now);
}

// A source's instructions write one after another; those that write nothing here (posts) do not count.
void Lockstep::write_from_afar(std::uint8_t source, Space space, int channel, std::uint64_t address, std::uint32_t strb,
                               const Word& data, std::uint64_t now) {
  Stream& s = from_afar(source);
  while (s.next < s.total.size() && s.whole(s.next)) ++s.next;
  compare(s, s.next, space, channel, address, strb, data, now);
}

void Lockstep::hbm_write(int pc, const HbmWrite& w, std::uint64_t now) {
  if ((w.id & 16) != 0) return;  // the host's, or another tile's, which cycle() sees
  compare(agents_[kSt], entry_of_slot(agents_[kSt], w.id), Space::kHbm, pc, w.address, w.strb, w.data, now);
}

void Lockstep::accumulators(const TileOut& out, std::uint64_t now) {
  Stream& s = agents_[kMxu];
  const AgentLog& log = *s.log;
  while (mm_next_ < log.entries.size() && log.entries[mm_next_].op != isa::Op::kMm) ++mm_next_;
  if (mm_next_ >= log.entries.size()) {
    diverge(s, mm_next_, "accumulators", "no write", "a write", now);
    return;
  }
  if (log.entries[mm_next_].pc != out.acc_pc) {
    diverge(s, mm_next_, "instruction", fmt::format("pc {}", log.entries[mm_next_].pc),
            fmt::format("pc {}", out.acc_pc), now);
    return;
  }
  std::uint64_t& done = s.bytes[mm_next_];
  for (const LogWrite& w : log.writes_of(log.entries[mm_next_])) {
    const auto bytes = log.bytes_of(w);
    for (std::uint32_t c = 0; c < kCols; ++c) {
      if ((out.acc_cols >> c & 1) == 0) continue;
      const std::uint64_t column = std::uint64_t{out.acc_group} * kCols + c;
      if (column < w.address || (column - w.address) * kRows * 4 >= w.length) {
        diverge(s, mm_next_, fmt::format("acc column {}", column), "no write", "a write", now);
        return;
      }
      for (std::uint32_t r = 0; r < kRows; ++r) {
        const std::size_t at = ((column - w.address) * kRows + r) * 4;
        std::uint32_t expected = 0;
        for (std::size_t b = 0; b < 4; ++b) expected |= std::uint32_t{bytes[at + b]} << (8 * b);
        const std::uint32_t actual = out.acc_data[r * kCols + c];
        if (expected != actual) {
          diverge(s, mm_next_, fmt::format("acc row {} column {}", r, column), fmt::format("{:#010x}", expected),
                  fmt::format("{:#010x}", actual), now);
          return;
        }
        done += 4;
        ++checked_;
      }
    }
  }
  if (done >= s.total[mm_next_]) ++mm_next_;
}

void Lockstep::retire(Stream& s, const Retire& r, std::uint64_t now) {
  const AgentLog& log = *s.log;
  const std::size_t k = s.next;
  if (k >= log.entries.size()) {
    diverge(s, k, "instruction", "none", fmt::format("pc {} {}", r.pc, op_name(r.op)), now);
    return;
  }
  const LogEntry& e = log.entries[k];
  if (e.pc != r.pc || e.thread != r.thread || static_cast<std::uint8_t>(e.op) != r.op) {
    diverge(s, k, "instruction", fmt::format("pc {} {} of thread {}", e.pc, op_name(e.op), e.thread),
            fmt::format("pc {} {} of thread {}", r.pc, op_name(r.op), r.thread), now);
    return;
  }
  if (!s.whole(k)) {
    diverge(s, k, "bytes written", fmt::format("{}", s.total[k]), fmt::format("{}", s.bytes[k]), now);
    return;
  }
  ++s.next;
  ++checked_;
}

void Lockstep::scratchpad_writes(const TileOut& out, std::uint64_t now) {
  constexpr std::uint32_t kFirstVpu = kCols + kLdLanes;
  constexpr std::uint32_t kSeqLane = kFirstVpu + 3;
  for (std::uint32_t l = 0; l < kWriteLanes; ++l) {
    if ((out.writes >> l & 1) == 0) continue;
    const LaneWrite& w = out.lane[l];
    if (l < kCols) {
      Stream& s = agents_[kMxu];
      const auto& entries = s.log->entries;
      while (mst_next_ < entries.size() && (entries[mst_next_].op != isa::Op::kMst || s.whole(mst_next_))) ++mst_next_;
      spad_write(s, mst_next_, w, now);
    } else if (l < kFirstVpu) {
      spad_write(agents_[kLd], entry_of_slot(agents_[kLd], out.ld_write_slot[l - kCols]), w, now);
    } else if (l < kSeqLane) {
      spad_write(agents_[kVpu], agents_[kVpu].next, w, now);
    } else if (l == kSeqLane) {
      seq_writes_.push_back(w);
    } else {
      const std::uint8_t from = out.net_write_from[l - kSeqLane - 1];
      if ((from & kAfar) != 0) {
        write_from_afar(from & (kAfar - 1), Space::kSpad, 0, w.addr, w.strb, w.data, now);
      } else {
        spad_write(agents_[kNet], agents_[kNet].next, w, now);
      }
    }
  }
}

void Lockstep::retire_scalar(const TileOut& out, std::uint64_t now) {
  const Retire& r = out.retired[0];
  const isa::Instr* i = isa::find_instr(r.op);
  // Issuing an engine's instruction is no event of the thread; the engine reports it.
  if (i == nullptr || i->engine != isa::Engine::kSeq) return;
  Stream& s = agents_[r.thread];
  for (const LaneWrite& w : seq_writes_) spad_write(s, s.next, w, now);
  seq_writes_.clear();
  const auto& entries = s.log->entries;
  if (s.next < entries.size() && out.wb) {
    const LogEntry& e = entries[s.next];
    const std::uint32_t value = out.wb_reg == 0 ? 0 : out.wb_value;
    if (e.rd != out.wb_reg || (e.rd != 0 && e.value != value)) {
      diverge(s, s.next, fmt::format("register r{}", e.rd), fmt::format("{:#x}", e.value),
              fmt::format("{:#x} in r{}", out.wb_value, out.wb_reg), now);
    }
  }
  if (out.marker && s.next < entries.size() && entries[s.next].value != out.marker_value) {
    diverge(s, s.next, "trace value", fmt::format("{:#x}", entries[s.next].value),
            fmt::format("{:#x}", out.marker_value), now);
  }
  retire(s, r, now);
}

void Lockstep::cycle(const TileOut& out, std::uint64_t now) {
  if (out.acc) accumulators(out, now);
  // An instruction's last write is granted the cycle before it retires, or earlier.
  if (out.writes != 0) scratchpad_writes(out, now);
  for (int p = 0; p < kPcs; ++p) {
    if ((out.nst >> p & 1) != 0)
      write_from_afar(out.nst_from, Space::kHbm, p, std::uint64_t{out.nst_beat} * 32, ~0U, out.nst_data, now);
  }
  if (out.retire == 0) return;
  if ((out.retire & 1) != 0) retire_scalar(out, now);
  for (std::size_t e = 1; e < kEngines; ++e) {
    if ((out.retire >> e & 1) != 0) retire(agents_[golden::kThreads + e - 1], out.retired[e], now);
  }
}

void Lockstep::expect_written(std::uint8_t source, std::size_t ended, std::uint64_t now) {
  const auto found = incoming_.find(source);
  if (found == incoming_.end()) return;
  Stream& s = found->second;
  const auto& entries = s.log->entries;
  for (; s.next < entries.size() && entries[s.next].index < ended; ++s.next) {
    if (s.whole(s.next)) continue;
    diverge(s, s.next, "bytes written when it ended", fmt::format("{}", s.total[s.next]),
            fmt::format("{}", s.bytes[s.next]), now);
    return;
  }
}

void Lockstep::finish(std::uint64_t now) {
  for (const Stream& s : agents_) {
    const std::size_t n = s.log->entries.size();
    if (s.next < n) {
      diverge(s, s.next, "instruction", fmt::format("{} instructions", n), fmt::format("{} ended", s.next), now);
    }
  }
}

std::vector<ChipLockstep::TileLog> ChipLockstep::logs_of(const golden::Chip& chip) {
  std::vector<TileLog> logs;
  for (std::uint32_t y = 0; y < chip.mesh_y(); ++y) {
    for (std::uint32_t x = 0; x < chip.mesh_x(); ++x) {
      const std::uint32_t number = golden::tile_number(x, y);
      logs.push_back({x, y, chip.log(number), chip.incoming(number)});
    }
  }
  return logs;
}

Comparison Lockstep::comparison() const {
  Comparison c{.checked = checked_};
  if (divergence_) c.add_mismatch(divergence_->text());
  return c;
}

ChipLockstep::ChipLockstep(const std::vector<TileLog>& tiles) : ended_(tiles.size()) {
  for (const TileLog& t : tiles) {
    numbers_.push_back(static_cast<std::uint8_t>(golden::tile_number(t.x, t.y)));
    tiles_.emplace_back(t.log, t.incoming, t.x, t.y);
  }
}

void ChipLockstep::cycle(std::uint64_t now) {
  for (std::size_t t = 0; t < tiles_.size(); ++t) {
    const std::size_t ended = tiles_[t].net_ended();
    if (ended == ended_[t]) continue;
    ended_[t] = ended;
    for (Lockstep& other : tiles_) other.expect_written(numbers_[t], ended, now);
  }
}

void ChipLockstep::finish(std::uint64_t now) {
  for (Lockstep& t : tiles_) t.finish(now);
}

const Divergence* ChipLockstep::divergence() const {
  const Divergence* first = nullptr;
  for (const Lockstep& t : tiles_) {
    if (t.divergence() && (first == nullptr || t.divergence()->cycle < first->cycle)) first = &*t.divergence();
  }
  return first;
}

std::uint64_t ChipLockstep::checked() const {
  std::uint64_t n = 0;
  for (const Lockstep& t : tiles_) n += t.checked();
  return n;
}

Comparison ChipLockstep::comparison() const {
  Comparison c{.checked = checked()};
  if (divergence() != nullptr) c.add_mismatch(divergence()->text());
  return c;
}

}  // namespace tepin::tb
