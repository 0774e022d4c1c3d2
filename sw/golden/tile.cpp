// SPDX-License-Identifier: Apache-2.0
#include "sw/golden/tile.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sw/golden/fabric.h"

namespace tepin::golden {
namespace {

constexpr std::array<isa::Bits, 8> kSlots{isa::kBitsR0, isa::kBitsR1, isa::kBitsR2, isa::kBitsR3,
                                          isa::kBitsR4, isa::kBitsR5, isa::kBitsR6, isa::kBitsR7};

std::string sem_name(std::uint32_t sem) { return "s" + std::to_string(sem); }

}  // namespace

Tile::Tile(Fabric& fabric, std::size_t place, std::uint8_t number_)
    : cfg(fabric.cfg),
      opt(fabric.opt),
      spad(cfg.spad_bytes),
      hbm(cfg.pcs),
      acc(cfg.mxu_rows, cfg.acc_cols),
      sems(cfg.sems),
      number(number_),
      fabric_(fabric),
      place_(place) {}

void Tile::decode(const isa::Section& section) {
  code_.clear();
  for (const isa::Word& w : section.code) {
    Decoded& d = code_.emplace_back();
    d.word = w;
    if (isa::why_illegal(w, cfg).empty())
      d.instr = isa::find_instr(static_cast<std::uint8_t>(isa::get(w, isa::kBitsOpcode)));
    d.waits = {SemCount{isa::get(w, isa::kBitsWait0Sem), isa::get(w, isa::kBitsWait0Cnt)},
               SemCount{isa::get(w, isa::kBitsWait1Sem), isa::get(w, isa::kBitsWait1Cnt)}};
    d.posts = {SemCount{isa::get(w, isa::kBitsPost0Sem), isa::get(w, isa::kBitsPost0Cnt)},
               SemCount{isa::get(w, isa::kBitsPost1Sem), isa::get(w, isa::kBitsPost1Cnt)}};
    if (isa::get(w, isa::kBitsPost1Remote) != 0) d.remote = isa::get(w, isa::kBitsPost1Tile);
    d.imm = isa::get(w, isa::kBitsImm);
    d.rd = static_cast<std::uint8_t>(isa::get(w, isa::kBitsRd));
    d.rs1 = static_cast<std::uint8_t>(isa::get(w, isa::kBitsRs1));
    d.rs2 = static_cast<std::uint8_t>(isa::get(w, isa::kBitsRs2));
  }
}

void Tile::reset(const isa::Section* section) {
  code_.clear();
  threads = {};
  if (section != nullptr) {
    decode(*section);
    for (std::size_t t = 0; t < threads.size(); ++t) {
      threads[t].running = section->entry[t] != isa::kNoEntry;
      threads[t].pc = section->entry[t];
    }
  }
  for (auto& q : queues_) q.clear();
  started_.reset();
  groups_ = {};
  std::fill(sems.begin(), sems.end(), 0U);
  log = {};
  incoming.clear();
  trace.clear();
  san_ = fabric_.san ? &*fabric_.san : nullptr;
}

bool Tile::step(int agent) { return agent < kThreads ? step_thread(agent) : step_engine(agent); }

bool Tile::idle() const {
  return !started_ && std::none_of(threads.begin(), threads.end(), [](const Thread& t) { return t.running; }) &&
         std::all_of(queues_.begin(), queues_.end(), [](const auto& q) { return q.empty(); });
}

bool Tile::ready(const Decoded& d) const {
  return sems[d.waits[0].sem] >= d.waits[0].count && sems[d.waits[1].sem] >= d.waits[1].count;
}

Exec Tile::exec(int agent, const Where& at, const Decoded& d, const std::array<std::uint32_t, 8>& r) {
  return {static_cast<int>(place_) * kAgents + agent, at, d, r,
          opt.log ? &log[static_cast<std::size_t>(agent)] : nullptr};
}

void Tile::count_instruction(const Where& at) {
  if (fabric_.started == opt.max_instructions) {
    stop_with(
        {.kind = FindingKind::kLimit,
         .first = at,
         .second = {},
         .text = "limit: " + std::to_string(fabric_.started) + " instructions started; the next is " + describe(at)});
  }
  ++fabric_.started;
}

bool Tile::step_thread(int t) {
  Thread& th = threads[static_cast<std::size_t>(t)];
  if (!th.running) return false;
  Where at{isa::Engine::kSeq, static_cast<std::uint8_t>(t), th.pc, isa::Op::kHalt, fabric_.name_of(number)};
  if (th.pc >= cfg.imem_instrs) {
    at.pc = std::min(th.pc, isa::kMaxPc);  // what the 16-bit register of the hardware holds
    fault(at, isa::Cause::kBadPc,
          "pc " + std::to_string(th.pc) + "; allowed: 0.." + std::to_string(cfg.imem_instrs - 1));
  }
  if (th.pc >= code_.size()) {
    stop_with({.kind = FindingKind::kUninitialised,
               .first = at,
               .second = {},
               .tile = at.tile,
               .space = Space::kImem,
               .address = th.pc,
               .text = "uninitialised: " + tile_prefix(at.tile) + "thread " + std::to_string(t) + " fetches pc " +
                       std::to_string(th.pc) + ", beyond the program's " + std::to_string(code_.size()) +
                       " instructions"});
  }
  const Decoded& d = code_[th.pc];
  at.op = static_cast<isa::Op>(isa::get(d.word, isa::kBitsOpcode));
  if (d.instr == nullptr) fault(at, isa::Cause::kIllegalInstr, isa::why_illegal(d.word, cfg));
  if (d.instr->engine != isa::Engine::kSeq) {
    at.engine = d.instr->engine;
    if (queues_[static_cast<std::size_t>(agent_of(at.engine))].size() >= cfg.queue_depth) return false;
    issue(t, d, at);
    next_pc(th, th.pc + 1);
    return true;
  }
  if (!ready(d)) return false;
  const Exec x = exec(t, at, d, {});
  count_instruction(at);
  if (san_) san_->begin(x.agent, at);
  take(x, d.waits);
  execute_scalar(th, x);
  return true;
}

void Tile::issue(int t, const Decoded& d, const Where& at) {
  const Thread& th = threads[static_cast<std::size_t>(t)];
  Issued q{&d, at, {}, {}};
  for (std::size_t i = 0; i < kSlots.size(); ++i) q.r[i] = th.regs[isa::get(d.word, kSlots[i])];
  if (san_) {
    const int agent = static_cast<int>(place_) * kAgents + t;
    san_->begin(agent, at);
    q.clock = san_->issue(agent, at);
  }
  queues_[static_cast<std::size_t>(agent_of(at.engine))].push_back(std::move(q));
}

bool Tile::step_engine(int agent) {
  auto& queue = queues_[static_cast<std::size_t>(agent)];
  if (queue.empty() || !ready(*queue.front().d)) return false;
  const bool net = agent == agent_of(isa::Engine::kNet);
  if (net && started_) return false;
  const Issued q = std::move(queue.front());
  queue.pop_front();
  const Exec x = exec(agent, q.at, *q.d, q.r);
  count_instruction(q.at);
  if (san_) san_->begin(x.agent, q.at, q.clock);
  take(x, q.d->waits);
  if (x.log != nullptr) {
    LogEntry entry;
    entry.pc = q.at.pc;
    entry.thread = q.at.thread;
    entry.op = q.at.op;
    x.log->begin(entry);
  }
  if (net) {
    if (!execute_net(x)) return true;
  } else {
    execute_engine(x);
  }
  finish(x);
  return true;
}

void Tile::execute_engine(const Exec& x) {
  switch (x.at.op) {
    case isa::Op::kLd:
      return execute_dma(x, true);
    case isa::Op::kSt:
      return execute_dma(x, false);
    case isa::Op::kMm:
      return execute_mm(x);
    case isa::Op::kMst:
      return execute_mst(x);
    case isa::Op::kVqnt:
      return execute_vqnt(x);
    case isa::Op::kVdqt:
      return execute_vdqt(x);
    case isa::Op::kLdsync:
    case isa::Op::kStsync:
    case isa::Op::kMxusync:
    case isa::Op::kVsync:
      return;
    default:
      return execute_vector(x);
  }
}

void Tile::take(const Exec& x, const std::array<SemCount, 2>& takes) {
  for (const SemCount& t : takes) sems[t.sem] -= t.count;
  if (san_) san_->take(x.agent, takes);
}

void Tile::post(const Exec& x, SemCount p) {
  if (p.count == 0) return;
  std::uint32_t& value = sems[p.sem];
  if (p.count > std::numeric_limits<std::uint32_t>::max() - value) {
    fault(x.at, isa::Cause::kSemOverflow,
          "semaphore " + sem_name(p.sem) + " holds " + std::to_string(value) + " and gets " + std::to_string(p.count) +
              "; allowed: up to 4294967295");
  }
  value += p.count;
  if (san_) san_->post(x.agent, place_, p);
}

void Tile::post_from_afar(const Exec& x, SemCount p) {
  std::uint32_t& value = sems[p.sem];
  if (p.count > std::numeric_limits<std::uint32_t>::max() - value) {
    Where at;
    at.engine = isa::Engine::kNet;
    at.tile = fabric_.name_of(number);
    fault(at, isa::Cause::kSemOverflow,
          "semaphore " + sem_name(p.sem) + " holds " + std::to_string(value) + " and gets " + std::to_string(p.count) +
              " from " + describe(x.at) + "; allowed: up to 4294967295");
  }
  value += p.count;
  if (san_) san_->post(x.agent, place_, p);
}

void Tile::finish(const Exec& x) {
  post(x, x.d.posts[0]);
  if (!x.d.remote) return post(x, x.d.posts[1]);
  Tile* far = fabric_.find(*x.d.remote);
  if (far == nullptr) {
    fault(x.at, isa::Cause::kBadTile,
          "posts to " + sem_name(x.d.posts[1].sem) + " of tile " + std::to_string(*x.d.remote % isa::kMaxMesh) + "," +
              std::to_string(*x.d.remote / isa::kMaxMesh) + "; allowed: " + fabric_.allowed_tiles());
  }
  far->post_from_afar(x, x.d.posts[1]);
}

void Tile::fault(const Where& at, isa::Cause cause, const std::string& what) const {
  Stop s;
  s.outcome.status = Status::kFault;
  Fault& f = s.outcome.fault;
  f.tile = number;
  f.engine = at.engine;
  f.thread = at.thread;
  f.pc = at.pc;
  f.cause = cause;
  std::string who = describe(at);
  if (cause == isa::Cause::kBadPc || cause == isa::Cause::kIllegalInstr) {
    who = tile_prefix(at.tile) + "SEQ (pc " + std::to_string(at.pc) + ", thread " + std::to_string(at.thread) + ")";
  } else if (cause == isa::Cause::kSemOverflow && at.op == isa::Op::kHalt) {
    who = tile_prefix(at.tile) + "NET";  // of a post from afar
  }
  f.text = "fault " + std::string(isa::kCauses[static_cast<std::size_t>(cause)].name) + ": " + who + ": " + what;
  throw s;
}

void Tile::add_waiters(std::vector<Waiter>& out) const {
  const auto add = [&](const Where& at, const Decoded& d) {
    for (const SemCount& w : d.waits) {
      if (w.count > sems[w.sem]) out.push_back({at, false, w.sem, w.count, sems[w.sem]});
    }
  };
  for (std::size_t t = 0; t < threads.size(); ++t) {
    if (!threads[t].running) continue;
    const Decoded& d = code_[threads[t].pc];
    const Where at{d.instr->engine, static_cast<std::uint8_t>(t), threads[t].pc, d.instr->op, fabric_.name_of(number)};
    if (d.instr->engine == isa::Engine::kSeq) {
      add(at, d);
    } else {
      out.push_back({at, true, 0, 0, 0});
    }
  }
  for (std::size_t agent = 0; agent < queues_.size(); ++agent) {
    if (agent == static_cast<std::size_t>(agent_of(isa::Engine::kNet)) && started_) {
      out.push_back(fabric_.collective_waiter(*this));
    } else if (!queues_[agent].empty()) {
      add(queues_[agent].front().at, *queues_[agent].front().d);
    }
  }
}

}  // namespace tepin::golden
