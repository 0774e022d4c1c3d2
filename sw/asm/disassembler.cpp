// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sw/asm/assembler.h"

namespace tepin::assembly {
namespace {

using isa::Field;
using isa::FieldKind;

struct Clause {
  std::string_view name;
  isa::Bits sem0, cnt0, sem1, cnt1;
};
constexpr Clause kWait{"wait", isa::kBitsWait0Sem, isa::kBitsWait0Cnt, isa::kBitsWait1Sem, isa::kBitsWait1Cnt};
constexpr Clause kPost{"post", isa::kBitsPost0Sem, isa::kBitsPost0Cnt, isa::kBitsPost1Sem, isa::kBitsPost1Cnt};

/// What is wrong with a program for every source text; empty if nothing.
std::string why_inexpressible(const isa::Program& p, const isa::Config& cfg) {
  if (p.sections.empty()) return "no section; expected at least one";
  std::set<std::pair<std::uint32_t, std::uint32_t>> tiles;
  for (std::size_t i = 0; i < p.sections.size(); ++i) {
    const isa::Section& s = p.sections[i];
    const bool every = s.x == isa::kEveryTile && s.y == isa::kEveryTile;
    if (!every && (s.x >= isa::kMaxMesh || s.y >= isa::kMaxMesh)) {
      return fmt::format("section {}: tile {}, {}; allowed: 0..{}, 0..{}", i, s.x, s.y, isa::kMaxMesh - 1,
                         isa::kMaxMesh - 1);
    }
    if (!tiles.emplace(s.x, s.y).second)
      return fmt::format("section {}: a second one for its tile; expected one a tile", i);
    if (s.code.empty() || s.code.size() > cfg.imem_instrs) {
      return fmt::format("section {}: {} instructions; allowed on {}: 1..{}", i, s.code.size(), cfg.name,
                         cfg.imem_instrs);
    }
    for (std::size_t t = 0; t < s.entry.size(); ++t) {
      if (s.entry[t] != isa::kNoEntry && s.entry[t] > cfg.imem_instrs) {
        return fmt::format("section {}: entry {} of thread {}; allowed on {}: 0..{}", i, s.entry[t], t, cfg.name,
                           cfg.imem_instrs);
      }
    }
  }
  return {};
}

class SectionPrinter {
 public:
  SectionPrinter(const isa::Section& s, const isa::Config& cfg, bool with_cycles)
      : s_(s), cfg_(cfg), with_cycles_(with_cycles) {
    for (const std::uint32_t e : s.entry) label(e);
    for (std::size_t pc = 0; pc < s.code.size(); ++pc) {
      if (!why_raw(pc).empty()) continue;
      for (const Field& f : instr(pc).fields) {
        if (f.kind == FieldKind::kTarget) label(isa::get(s.code[pc], f.bits));
      }
    }
  }

  std::string print() const {
    std::string out;
    const bool none = std::ranges::count(s_.entry, isa::kNoEntry) == static_cast<std::ptrdiff_t>(s_.entry.size());
    if (none) out += ".thread none\n";
    for (std::size_t t = 0; t < s_.entry.size(); ++t) {
      if (s_.entry[t] != isa::kNoEntry) out += fmt::format(".thread {}, {}\n", t, target(s_.entry[t]));
    }
    for (std::size_t pc = 0; pc <= s_.code.size(); ++pc) {
      if (labels_.contains(static_cast<std::uint32_t>(pc))) out += target(static_cast<std::uint32_t>(pc)) + ":\n";
      if (pc == s_.code.size()) break;
      const std::string cycles = with_cycles_ && why_raw(pc).empty() ? occupancy(s_.code[pc], cfg_) : std::string();
      out += "  " + statement(pc) + (cycles.empty() ? "" : "  # cycles: " + cycles) + "\n";
    }
    return out;
  }

 private:
  void label(std::uint32_t at) {
    if (at <= s_.code.size()) labels_.insert(at);
  }
  [[nodiscard]] std::string target(std::uint32_t at) const {
    return labels_.contains(at) ? fmt::format("L{}", at) : fmt::format("{}", at);
  }
  [[nodiscard]] const isa::Instr& instr(std::size_t pc) const {
    return *isa::find_instr(static_cast<std::uint8_t>(isa::get(s_.code[pc], isa::kBitsOpcode)));
  }

  /// Why a word cannot be written as an instruction; empty if it can.
  [[nodiscard]] std::string why_raw(std::size_t pc) const {
    const isa::Word& w = s_.code[pc];
    std::string why = isa::why_illegal(w, cfg_);
    if (!why.empty()) return why;
    for (const Clause& c : {kWait, kPost}) {
      if (isa::get(w, c.cnt0) == 0 && isa::get(w, c.cnt1) != 0 && !remote_post(w, c))
        return fmt::format("the second {} without the first", c.name);
    }
    for (const Field& f : instr(pc).fields) {
      if (f.kind != FieldKind::kTarget) continue;
      const std::uint32_t at = isa::get(w, f.bits);
      const std::size_t min = instr(pc).op == isa::Op::kLoop ? pc + 1 : 0;
      if (at < min || at > cfg_.imem_instrs) return fmt::format("{} to {}", instr(pc).name, at);
    }
    return {};
  }

  [[nodiscard]] std::string statement(std::size_t pc) const {
    const isa::Word& w = s_.code[pc];
    if (const std::string why = why_raw(pc); !why.empty())
      return fmt::format(".word 0x{:016x}, 0x{:016x}  # {}", w.hi, w.lo, why);
    const isa::Instr& i = instr(pc);
    std::string out(i.name);
    std::string_view separator = " ";
    for (const Field& f : i.fields) {
      const std::string text = i.form == isa::Form::kScalar ? scalar(w, f) : keyword(w, f);
      if (text.empty()) continue;
      out += fmt::format("{}{}", separator, text);
      separator = ", ";
      if (is_memory(i) && f.kind == FieldKind::kReg) {
        out += ", " + memory(w);
        break;
      }
    }
    for (const Clause& c : {kWait, kPost}) {
      std::string_view before = " ";
      for (const auto& [sem, cnt] : {std::pair{c.sem0, c.cnt0}, std::pair{c.sem1, c.cnt1}}) {
        if (isa::get(w, cnt) == 0) continue;
        out += before == " " ? fmt::format(" {} ", c.name) : std::string(before);
        out += counted(w, sem, cnt);
        before = ", ";
      }
      const std::uint32_t tile = isa::get(w, isa::kBitsPost1Tile);
      if (remote_post(w, c)) out += fmt::format("@{},{}", tile % 8, tile / 8);
    }
    return out;
  }

  static bool remote_post(const isa::Word& w, const Clause& c) {
    return c.name == kPost.name && isa::get(w, isa::kBitsPost1Remote) != 0;
  }
  static bool is_memory(const isa::Instr& i) { return i.op == isa::Op::kLw || i.op == isa::Op::kSw; }
  static std::string memory(const isa::Word& w) {
    return fmt::format("{}(r{})", value(isa::get(w, isa::kBitsImm)), isa::get(w, isa::kBitsRs1));
  }
  static std::string counted(const isa::Word& w, isa::Bits sem, isa::Bits cnt) {
    const std::uint32_t n = isa::get(w, cnt);
    return n == 1 ? fmt::format("s{}", isa::get(w, sem)) : fmt::format("s{}*{}", isa::get(w, sem), n);
  }
  /// Small numbers, also negative ones, in decimal; others, addresses and FP32 bits mostly, in hexadecimal.
  static std::string value(std::uint32_t v) {
    const auto s = static_cast<std::int32_t>(v);
    return s > -65536 && s < 65536 ? fmt::format("{}", s) : fmt::format("0x{:08x}", v);
  }

  [[nodiscard]] std::string scalar(const isa::Word& w, const Field& f) const {
    const std::uint32_t v = isa::get(w, f.bits);
    switch (f.kind) {
      case FieldKind::kReg:
        return fmt::format("r{}", v);
      case FieldKind::kSem:
        return fmt::format("s{}", v);
      case FieldKind::kTarget:
        return target(v);
      default:
        return value(v);
    }
  }

  /// Empty for what the assembler assumes: r0, a flag not set, the least number.
  static std::string keyword(const isa::Word& w, const Field& f) {
    const std::uint32_t v = isa::get(w, f.bits);
    switch (f.kind) {
      case FieldKind::kReg:
        return v == 0 ? "" : fmt::format("{}=r{}", f.name, v);
      case FieldKind::kFormat:
        return fmt::format("{}={}", f.name, isa::kFormats[v].name);
      case FieldKind::kBool:
        return v == 0 ? "" : std::string(f.name);
      default:
        return v == f.min ? "" : fmt::format("{}={}", f.name, v);
    }
  }

  const isa::Section& s_;
  const isa::Config& cfg_;
  bool with_cycles_;
  std::set<std::uint32_t> labels_;
};

}  // namespace

std::string occupancy(const isa::Word& word, const isa::Config& cfg) {
  const isa::Instr* i = isa::find_instr(static_cast<std::uint8_t>(isa::get(word, isa::kBitsOpcode)));
  if (i == nullptr || i->engine == isa::Engine::kSeq) return {};
  if (i->op == isa::Op::kMm) {
    const auto format = [&](std::string_view name) -> const isa::FormatDesc& {
      const auto f = std::ranges::find(i->fields, name, &Field::name);
      return isa::kFormats[isa::get(word, f->bits)];
    };
    const int passes = format("fw").digits * format("fa").parts;
    return fmt::format("{}kb * max(2, ceil(n/{}){})", format("fw").blocks == 1 ? "" : "2 * ", cfg.mxu_cols,
                       passes == 1 ? "" : fmt::format(" * {}", passes));
  }
  // The formulas name two properties of the configuration.
  std::string out(i->cycles);
  const auto fill = [&](std::string_view name, const std::string& value) {
    if (const std::size_t at = out.find(name); at != std::string::npos) out.replace(at, name.size(), value);
  };
  fill("lanes", fmt::format("{}", cfg.vpu_lanes));
  fill("n/C", fmt::format("n/{}", cfg.mxu_cols));
  return out;
}

std::string disassemble(const isa::Program& program, const isa::Config& cfg, bool with_cycles) {
  if (const std::string why = why_inexpressible(program, cfg); !why.empty()) throw isa::InputError("program: " + why);
  std::string out;
  for (const isa::Section& s : program.sections) {
    const bool every = s.x == isa::kEveryTile;
    if (!every || &s != program.sections.data()) out += every ? ".tile all\n" : fmt::format(".tile {}, {}\n", s.x, s.y);
    out += SectionPrinter(s, cfg, with_cycles).print();
  }
  return out;
}

}  // namespace tepin::assembly
