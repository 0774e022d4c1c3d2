// SPDX-License-Identifier: Apache-2.0
// The threads' own operations of a random program.
#include <fmt/format.h>

#include <array>

#include "random_program.h"

namespace tepin::tb::testing {

bool ProgramGenerator::word_access() {
  Operation op;
  op.agent = static_cast<int>(below(4));
  const std::uint64_t at = arena(4, 4);
  // Part of the address in the register, part in the immediate; both wrap at 2^32.
  const std::uint64_t part = percent(20) ? (std::uint64_t{1} << 32) - between(1, 4096) : below(at + 1);
  op.setup.push_back(fmt::format("li r15, {}", part));
  const auto imm = static_cast<std::uint32_t>(at - part);
  if (percent(50)) {
    op.lines = {fmt::format("lw {}, {}(r15)", target(), imm)};
    op.reads = {spad(at, 4)};
  } else {
    op.lines = {fmt::format("sw {}, {}(r15)", reg(), imm)};
    op.writes = {spad(at, 4)};
  }
  add(std::move(op));
  return true;
}

std::string ProgramGenerator::scalar_line(int thread) {
  constexpr std::array<const char*, 11> kTwo{"add", "sub", "mul", "and", "or",  "xor",
                                             "shl", "shr", "sra", "slt", "sltu"};
  constexpr std::array<const char*, 10> kOne{"addi", "muli", "andi", "ori",  "xori",
                                             "shli", "shri", "srai", "slti", "sltui"};
  const std::uint64_t value = percent(50) ? below(64) : below(std::uint64_t{1} << 32);
  const std::uint64_t own = static_cast<std::uint64_t>(thread) * 256 + 4 * below(64);
  switch (below(8)) {
    case 0:
      return fmt::format("li {}, {}", target(), value);
    case 1:
      return fmt::format("lw {}, {}(r0)", target(), own);
    case 2:
      return fmt::format("sw {}, {}(r0)", reg(), own);
    case 3:
      return fmt::format("trace {}, {}", reg(), value);
    case 4:
    case 5: {
      const std::string a = target(), b = reg(), c = reg();
      return fmt::format("{} {}, {}, {}", kTwo[below(kTwo.size())], a, b, c);
    }
    default: {
      const std::string a = target(), b = reg();
      return fmt::format("{} {}, {}, {}", kOne[below(kOne.size())], a, b, value);
    }
  }
}

void ProgramGenerator::scalar_lines(std::vector<std::string>& out, int thread, int depth, std::uint64_t count) {
  constexpr std::array<const char*, 6> kBranches{"beq", "bne", "blt", "bge", "bltu", "bgeu"};
  const int sem = thread * 9;  // of the thread with itself
  for (std::uint64_t i = 0; i < count; ++i) {
    switch (below(14)) {
      case 0:
      case 1: {  // forward over some lines
        const std::string skip = label(thread), a = reg(), b = percent(30) ? a : reg();
        out.push_back(fmt::format("{} {}, {}, {}", kBranches[below(6)], a, b, skip));
        scalar_lines(out, thread, depth, below(3));
        out.push_back(skip + ":");
        break;
      }
      case 2:
      case 3: {  // hardware loop; also of no turns, and with an empty body
        if (depth == 4) break;
        const std::string end = label(thread);
        out.push_back(fmt::format("li r{}, {}", 26 + depth, below(4)));
        out.push_back(fmt::format("loop r{}, {}", 26 + depth, end));
        scalar_lines(out, thread, depth + 1, below(4));
        out.push_back(end + ":");
        break;
      }
      case 4: {  // backward
        if (depth != 0) break;
        const std::string again = label(thread);
        out.push_back(fmt::format("li r13, {}", between(1, 4)));
        out.push_back(again + ":");
        for (std::uint64_t n = below(3); n > 0; --n) out.push_back(scalar_line(thread));
        out.emplace_back("addi r13, r13, -1");
        out.push_back(fmt::format("{} r13, r0, {}", percent(50) ? "bne" : "bltu r0, r13, " + again + "\nbne", again));
        break;
      }
      case 5: {  // call
        if (depth != 0) break;
        const std::string function = label(thread), end = label(thread);
        out.push_back(fmt::format("jal r14, {}", function));
        out.push_back(fmt::format("jmp {}", end));
        out.push_back(function + ":");
        for (std::uint64_t n = below(3); n > 0; --n) out.push_back(scalar_line(thread));
        out.emplace_back("jr r14");
        out.push_back(end + ":");
        break;
      }
      case 6: {  // semaphores: waits and posts on instructions that do other things too
        const std::uint64_t n = between(1, 255);
        out.push_back(fmt::format("{} post s{}*{}", scalar_line(thread), sem, n));
        out.push_back(fmt::format("{} wait s{}*{}", scalar_line(thread), sem, n));
        break;
      }
      case 7: {
        const std::uint64_t n = below(5000), more = between(1, 9);
        out.push_back(fmt::format("li r12, {}", n));
        out.push_back(fmt::format("spost s{}, r12 post s{}*{}", sem, sem, more));
        out.push_back(fmt::format("stake s{}, r12 wait s{}*{}", sem, sem, more));
        break;
      }
      default:
        out.push_back(scalar_line(thread));
        break;
    }
  }
}

void ProgramGenerator::scalar_block() {
  Operation op;
  op.agent = static_cast<int>(below(4));
  op.lines = {"nop"};
  scalar_lines(op.lines, op.agent, 0, between(2, 12));
  op.lines.emplace_back("nop");
  add(std::move(op));
}

}  // namespace tepin::tb::testing
