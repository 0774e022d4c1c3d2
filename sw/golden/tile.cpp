// SPDX-License-Identifier: Apache-2.0
#include "sw/golden/tile.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace tepin::golden {
namespace {

constexpr std::array<isa::Bits, 8> kSlots{isa::kBitsR0, isa::kBitsR1, isa::kBitsR2, isa::kBitsR3,
                                          isa::kBitsR4, isa::kBitsR5, isa::kBitsR6, isa::kBitsR7};

// splitmix64: the same sequence on every platform.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t n) {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return (z ^ (z >> 31)) % n;
  }

 private:
  std::uint64_t state_;
};

std::string sem_name(std::uint32_t sem) { return "s" + std::to_string(sem); }

}  // namespace

Tile::Tile(const isa::Config& config, const Options& options)
    : cfg(config),
      opt(options),
      spad(config.spad_bytes),
      hbm(config.pcs),
      acc(config.mxu_rows, config.acc_cols),
      sems(config.sems) {}

void Tile::decode(const isa::Section& section) {
  code_.clear();
  for (const isa::Word& w : section.code) {
    Decoded& d = code_.emplace_back();
    d.word = w;
    if (isa::why_illegal(w, cfg).empty())
      d.instr = isa::find_instr(static_cast<std::uint8_t>(isa::get(w, isa::kBitsOpcode)));
    // One tile alone has no neighbours to model.
    if (d.instr != nullptr && (d.instr->engine == isa::Engine::kNet || d.instr->op == isa::Op::kTid ||
                               isa::get(w, isa::kBitsPost1Remote) != 0)) {
      throw isa::InputError("program: instruction " + std::to_string(code_.size() - 1) + ", " +
                            std::string(d.instr->name) +
                            ": the golden model knows one tile and no network yet; allowed: programs without NET, tid "
                            "and posts to other tiles, or the RTL alone");
    }
    d.waits = {SemCount{isa::get(w, isa::kBitsWait0Sem), isa::get(w, isa::kBitsWait0Cnt)},
               SemCount{isa::get(w, isa::kBitsWait1Sem), isa::get(w, isa::kBitsWait1Cnt)}};
    d.posts = {SemCount{isa::get(w, isa::kBitsPost0Sem), isa::get(w, isa::kBitsPost0Cnt)},
               SemCount{isa::get(w, isa::kBitsPost1Sem), isa::get(w, isa::kBitsPost1Cnt)}};
    d.imm = isa::get(w, isa::kBitsImm);
    d.rd = static_cast<std::uint8_t>(isa::get(w, isa::kBitsRd));
    d.rs1 = static_cast<std::uint8_t>(isa::get(w, isa::kBitsRs1));
    d.rs2 = static_cast<std::uint8_t>(isa::get(w, isa::kBitsRs2));
  }
}

Outcome Tile::run(const isa::Section& section) {
  if (section.code.size() > cfg.imem_instrs) {
    throw isa::InputError("program: " + std::to_string(section.code.size()) + " instructions; allowed on " +
                          std::string(cfg.name) + ": up to " + std::to_string(cfg.imem_instrs));
  }
  decode(section);
  threads = {};
  for (std::size_t t = 0; t < threads.size(); ++t) {
    threads[t].running = section.entry[t] != isa::kNoEntry;
    threads[t].pc = section.entry[t];
  }
  for (auto& q : queues_) q.clear();
  std::fill(sems.begin(), sems.end(), 0U);
  log = {};
  trace.clear();
  started_ = 0;
  san_.reset();
  if (opt.check_races) san_.emplace(cfg.spad_bytes, cfg.pcs, cfg.sems);
  Outcome out;
  try {
    schedule();
  } catch (Stop& stop) {
    out = std::move(stop.outcome);
  }
  out.instructions = started_;
  return out;
}

void Tile::schedule() {
  Random random(opt.schedule_seed);
  std::array<int, kAgents> order{};
  std::iota(order.begin(), order.end(), 0);
  constexpr std::array<int, 5> kBursts{0, 1, 2, 8, 64};
  // A round in which no agent moves, though each was asked, means that nothing ever will.
  for (;;) {
    bool moved = false;
    if (opt.schedule_seed != 0) {
      for (std::size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
      for (const int agent : order) {
        for (int n = kBursts[random.below(kBursts.size())]; n > 0 && step(agent); --n) moved = true;
      }
    }
    if (!moved) {
      for (const int agent : order) moved = step(agent) || moved;
    }
    if (moved) continue;
    if (!idle()) stuck();
    return;
  }
}

bool Tile::step(int agent) { return agent < kThreads ? step_thread(agent) : step_engine(agent); }

bool Tile::idle() const {
  return std::none_of(threads.begin(), threads.end(), [](const Thread& t) { return t.running; }) &&
         std::all_of(queues_.begin(), queues_.end(), [](const auto& q) { return q.empty(); });
}

bool Tile::ready(const Decoded& d) const {
  return sems[d.waits[0].sem] >= d.waits[0].count && sems[d.waits[1].sem] >= d.waits[1].count;
}

void Tile::count_instruction(const Where& at) {
  if (started_ == opt.max_instructions) {
    stop_with({.kind = FindingKind::kLimit,
               .first = at,
               .second = {},
               .text = "limit: " + std::to_string(started_) + " instructions started; the next is " + describe(at)});
  }
  ++started_;
}

bool Tile::step_thread(int t) {
  Thread& th = threads[static_cast<std::size_t>(t)];
  if (!th.running) return false;
  Where at{isa::Engine::kSeq, static_cast<std::uint8_t>(t), th.pc, isa::Op::kHalt};
  if (th.pc >= cfg.imem_instrs) {
    at.pc = std::min(th.pc, isa::kMaxPc);  // what the 16-bit register of the hardware holds
    fault(at, isa::Cause::kBadPc,
          "pc " + std::to_string(th.pc) + "; allowed: 0.." + std::to_string(cfg.imem_instrs - 1));
  }
  if (th.pc >= code_.size()) {
    stop_with({.kind = FindingKind::kUninitialised,
               .first = at,
               .second = {},
               .space = Space::kImem,
               .address = th.pc,
               .text = "uninitialised: thread " + std::to_string(t) + " fetches pc " + std::to_string(th.pc) +
                       ", beyond the program's " + std::to_string(code_.size()) + " instructions"});
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
  const Exec x{t, at, d, {}};
  count_instruction(at);
  if (san_) san_->begin(t, at);
  take(x, d.waits);
  execute_scalar(th, x);
  return true;
}

void Tile::issue(int t, const Decoded& d, const Where& at) {
  const Thread& th = threads[static_cast<std::size_t>(t)];
  Issued q{&d, at, {}, {}};
  for (std::size_t i = 0; i < kSlots.size(); ++i) q.r[i] = th.regs[isa::get(d.word, kSlots[i])];
  if (san_) {
    san_->begin(t, at);
    q.clock = san_->issue(t, at);
  }
  queues_[static_cast<std::size_t>(agent_of(at.engine))].push_back(q);
}

bool Tile::step_engine(int agent) {
  auto& queue = queues_[static_cast<std::size_t>(agent)];
  if (queue.empty() || !ready(*queue.front().d)) return false;
  const Issued q = queue.front();
  queue.pop_front();
  const Exec x{agent, q.at, *q.d, q.r};
  count_instruction(q.at);
  if (san_) san_->begin(agent, q.at, q.clock);
  take(x, q.d->waits);
  if (opt.log) {
    LogEntry entry;
    entry.pc = q.at.pc;
    entry.thread = q.at.thread;
    entry.op = q.at.op;
    log[static_cast<std::size_t>(agent)].begin(entry);
  }
  execute_engine(x);
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
  if (san_) san_->post(x.agent, p);
}

void Tile::finish(const Exec& x) {
  for (const SemCount& p : x.d.posts) post(x, p);
}

void Tile::fault(const Where& at, isa::Cause cause, const std::string& what) const {
  Stop s;
  s.outcome.status = Status::kFault;
  Fault& f = s.outcome.fault;
  f.engine = at.engine;
  f.thread = at.thread;
  f.pc = at.pc;
  f.cause = cause;
  const std::string who = cause == isa::Cause::kBadPc || cause == isa::Cause::kIllegalInstr
                              ? "SEQ (pc " + std::to_string(at.pc) + ", thread " + std::to_string(at.thread) + ")"
                              : describe(at);
  f.text = "fault " + std::string(isa::kCauses[static_cast<std::size_t>(cause)].name) + ": " + who + ": " + what;
  throw s;
}

void Tile::stuck() const {
  std::vector<Waiter> waiters;
  const auto add = [&](const Where& at, const Decoded& d) {
    for (const SemCount& w : d.waits) {
      if (w.count > sems[w.sem]) waiters.push_back({at, false, w.sem, w.count, sems[w.sem]});
    }
  };
  for (std::size_t t = 0; t < threads.size(); ++t) {
    if (!threads[t].running) continue;
    const Decoded& d = code_[threads[t].pc];
    const Where at{d.instr->engine, static_cast<std::uint8_t>(t), threads[t].pc, d.instr->op};
    if (d.instr->engine == isa::Engine::kSeq) {
      add(at, d);
    } else {
      waiters.push_back({at, true, 0, 0, 0});
    }
  }
  for (const auto& q : queues_) {
    if (!q.empty()) add(q.front().at, *q.front().d);
  }
  Stop s;
  s.outcome.status = Status::kFault;
  Fault& f = s.outcome.fault;
  f.engine = isa::Engine::kHost;
  f.cause = isa::Cause::kStuck;
  f.text = "fault stuck:";
  for (const Waiter& w : waiters) {
    f.text += &w == waiters.data() ? " " : "; ";
    f.text += describe(w.at);
    f.text += w.for_queue ? " waits for room in its queue"
                          : " waits for " + sem_name(w.sem) + " >= " + std::to_string(w.needed) + ", holds " +
                                std::to_string(w.held);
  }
  f.waiters = std::move(waiters);
  throw s;
}

}  // namespace tepin::golden
