// SPDX-License-Identifier: Apache-2.0
// The threads' own instructions.
#include <array>
#include <optional>

#include "sw/golden/fabric.h"

namespace tepin::golden {
namespace {

std::int32_t as_signed(std::uint32_t v) { return static_cast<std::int32_t>(v); }

/// Results of the arithmetic instructions; b is rs2 or the immediate.
std::optional<std::uint32_t> arithmetic(isa::Op op, std::uint32_t a, std::uint32_t b) {
  switch (op) {
    case isa::Op::kLi:
      return b;
    case isa::Op::kAdd:
    case isa::Op::kAddi:
      return a + b;
    case isa::Op::kSub:
      return a - b;
    case isa::Op::kMul:
    case isa::Op::kMuli:
      return a * b;
    case isa::Op::kAnd:
    case isa::Op::kAndi:
      return a & b;
    case isa::Op::kOr:
    case isa::Op::kOri:
      return a | b;
    case isa::Op::kXor:
    case isa::Op::kXori:
      return a ^ b;
    case isa::Op::kShl:
    case isa::Op::kShli:
      return a << (b & 31U);
    case isa::Op::kShr:
    case isa::Op::kShri:
      return a >> (b & 31U);
    case isa::Op::kSra:
    case isa::Op::kSrai:
      return static_cast<std::uint32_t>(as_signed(a) >> (b & 31U));
    case isa::Op::kSlt:
    case isa::Op::kSlti:
      return as_signed(a) < as_signed(b) ? 1U : 0U;
    case isa::Op::kSltu:
    case isa::Op::kSltui:
      return a < b ? 1U : 0U;
    default:
      return std::nullopt;
  }
}

/// Whether a branch is taken; nullopt if the instruction is none.
std::optional<bool> branch(isa::Op op, std::uint32_t a, std::uint32_t b) {
  switch (op) {
    case isa::Op::kBeq:
      return a == b;
    case isa::Op::kBne:
      return a != b;
    case isa::Op::kBlt:
      return as_signed(a) < as_signed(b);
    case isa::Op::kBge:
      return as_signed(a) >= as_signed(b);
    case isa::Op::kBltu:
      return a < b;
    case isa::Op::kBgeu:
      return a >= b;
    case isa::Op::kJmp:
    case isa::Op::kJal:
    case isa::Op::kJr:
      return true;
    default:
      return std::nullopt;
  }
}

bool has_immediate_operand(isa::Op op) { return op == isa::Op::kLi || (op >= isa::Op::kAddi && op <= isa::Op::kSltui); }

}  // namespace

void Tile::next_pc(Thread& th, std::uint32_t pc) {
  while (!th.loops.empty() && pc == th.loops.back().end) {
    Loop& loop = th.loops.back();
    if (loop.left != 0) {
      --loop.left;
      pc = loop.start;
      break;
    }
    th.loops.pop_back();
  }
  th.pc = pc;
}

void Tile::execute_loop(Thread& th, const Exec& x) {
  const std::uint32_t body = x.at.pc + 1;
  const std::uint32_t end = x.d.imm;
  const std::uint32_t count = th.regs[x.d.rs1];
  if (end < body) {
    fault(x.at, isa::Cause::kIllegalInstr,
          "loop: end " + std::to_string(end) + " does not lie behind it; allowed: " + std::to_string(body) +
              " and above");
  }
  if (count == 0 || end == body) return next_pc(th, end);
  if (th.loops.size() == kLoopLevels) {
    fault(x.at, isa::Cause::kLoopDepth,
          std::to_string(kLoopLevels) + " loops are active; allowed: up to " + std::to_string(kLoopLevels));
  }
  th.loops.push_back({body, end, count - 1});
  th.pc = body;
}

std::uint32_t Tile::execute_load_store(Thread& th, const Exec& x) {
  const std::uint32_t address = th.regs[x.d.rs1] + x.d.imm;
  check_aligned(x, "address", address, 4);
  check_spad(x, "address", address, 4);
  if (x.at.op == isa::Op::kSw) {
    const std::uint32_t v = th.regs[x.d.rs2];
    const std::array<std::uint8_t, 4> bytes{static_cast<std::uint8_t>(v), static_cast<std::uint8_t>(v >> 8),
                                            static_cast<std::uint8_t>(v >> 16), static_cast<std::uint8_t>(v >> 24)};
    write_spad(x, address, bytes);
    return 0;
  }
  const std::uint8_t* p = read_spad(x, address, 4);
  return std::uint32_t{p[0]} | std::uint32_t{p[1]} << 8 | std::uint32_t{p[2]} << 16 | std::uint32_t{p[3]} << 24;
}

void Tile::execute_scalar(Thread& th, const Exec& x) {
  const Decoded& d = x.d;
  const isa::Op op = x.at.op;
  const std::uint32_t a = th.regs[d.rs1];
  const std::uint32_t b = has_immediate_operand(op) ? d.imm : th.regs[d.rs2];
  if (x.log != nullptr) {
    LogEntry entry;
    entry.pc = x.at.pc;
    entry.thread = x.at.thread;
    entry.op = op;
    x.log->begin(entry);
  }
  std::optional<std::uint32_t> result = arithmetic(op, a, b);
  std::uint32_t next = x.at.pc + 1;
  if (const auto taken = branch(op, a, b)) {
    if (*taken) next = op == isa::Op::kJr ? a : d.imm;
    if (op == isa::Op::kJal) result = x.at.pc + 1;
  }
  switch (op) {
    case isa::Op::kHalt:
      th.running = false;
      break;
    case isa::Op::kTrace:
      if (x.log != nullptr) {
        trace.push_back({x.at.thread, x.at.pc, d.imm, a});
        x.log->entries.back().value = a;
      }
      break;
    case isa::Op::kSpost:
      post(x, {d.imm, a});
      break;
    case isa::Op::kStake:
      if (sems[d.imm] < a) {
        fault(x.at, isa::Cause::kSemUnderflow,
              "semaphore s" + std::to_string(d.imm) + " holds " + std::to_string(sems[d.imm]) + ", of which " +
                  std::to_string(a) + " are taken");
      }
      take(x, {SemCount{d.imm, a}, SemCount{}});
      break;
    case isa::Op::kLw:
      result = execute_load_store(th, x);
      break;
    case isa::Op::kTid:
      result = fabric_.last_tile() << 8 | number;
      break;
    case isa::Op::kSw:
      (void)execute_load_store(th, x);
      break;
    default:
      break;
  }
  if (result && d.rd != 0) {
    th.regs[d.rd] = *result;
    if (x.log != nullptr) {
      x.log->entries.back().rd = d.rd;
      x.log->entries.back().value = *result;
    }
  }
  if (op == isa::Op::kLoop) {
    execute_loop(th, x);
  } else {
    next_pc(th, next);
  }
  finish(x);
}

}  // namespace tepin::golden
