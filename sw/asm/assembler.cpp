// SPDX-License-Identifier: Apache-2.0
#include "sw/asm/assembler.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/asm/encoder.h"
#include "sw/asm/expander.h"
#include "sw/asm/expression.h"
#include "sw/asm/section.h"
#include "sw/support/file.h"

namespace tepin::assembly {
namespace {

constexpr std::array<std::string_view, 13> kDirectives{".equ",  ".reg",     ".sem",   ".format", ".thread",
                                                       ".tile", ".word",    ".macro", ".endm",   ".rept",
                                                       ".endr", ".include", ""};

bool is_reserved(std::string_view name) {
  const bool numbered = name.size() > 1 && (name[0] == 'r' || name[0] == 's') &&
                        name.find_first_not_of("0123456789", 1) == std::string_view::npos;
  return numbered || name == "wait" || name == "post";
}

class Assembler final : public LineSink, public Aliases {
 public:
  explicit Assembler(const isa::Config& cfg) : cfg_(cfg), expander_(*this, is_mnemonic) { sections_.emplace_back(); }

  isa::Program run(std::string_view source, const std::string& filename) {
    expander_.run(source, filename);
    if (sections_.size() > 1 && !sections_[0].used) sections_.erase(sections_.begin());
    if (sections_.size() == 1 && !sections_[0].used) {
      fail({std::make_shared<const std::string>(filename), 1, ""}, 1, "at least one instruction", "none");
    }
    isa::Program program;
    for (SectionState& s : sections_) {
      finish(s);
      program.sections.push_back(std::move(s.out));
    }
    return program;
  }

  // LineSink
  void line(Line line) override {
    const auto shared = std::make_shared<const Line>(std::move(line));
    Cursor in(*shared);
    while (in.peek().kind == Token::Kind::kName && in.peek(1).is(":")) {
      const Token name = in.next();
      in.next();
      touch(shared->place);
      define(name, Symbol::Kind::kLabel, static_cast<std::int64_t>(code().size()), shared->place);
    }
    if (in.at_end()) return;
    const Token& word = in.peek();
    if (word.kind == Token::Kind::kName && is_mnemonic(word.text)) return instruction(shared, in.pos());
    if (word.name(".equ")) return equ(in);
    if (word.name(".reg") || word.name(".sem")) return alias(in);
    if (word.name(".format")) return format_alias(in);
    if (word.name(".thread")) return thread(shared, in);
    if (word.name(".tile")) return tile(in);
    if (word.name(".word")) return raw_word(in);
    std::vector<std::string_view> known = mnemonics();
    known.insert(known.end(), kDirectives.begin(), kDirectives.end() - 1);
    const auto macros = expander_.macro_names();
    known.insert(known.end(), macros.begin(), macros.end());
    fail(shared->place, word.col, "an instruction, directive or macro", describe(word) + suggestion(word.text, known));
  }
  std::int64_t evaluate_now(Cursor& in) override {
    const SectionSymbols symbols(globals_, sections_.back());
    return evaluate(in, &symbols);
  }

  // Aliases
  [[nodiscard]] std::optional<std::uint32_t> reg(std::string_view name) const override {
    return alias_of(name, Symbol::Kind::kReg);
  }
  [[nodiscard]] std::optional<std::uint32_t> sem(std::string_view name) const override {
    return alias_of(name, Symbol::Kind::kSem);
  }
  [[nodiscard]] std::optional<std::uint32_t> format(std::string_view name) const override {
    return alias_of(name, Symbol::Kind::kFormat);
  }

 private:
  [[nodiscard]] std::optional<std::uint32_t> alias_of(std::string_view name, Symbol::Kind kind) const {
    const auto a = globals_.find(name);
    if (a == globals_.end() || a->second.kind != kind) return std::nullopt;
    return static_cast<std::uint32_t>(a->second.value);
  }

  std::vector<isa::Word>& code() { return sections_.back().out.code; }

  /// Marks the current section as one that the program has.
  void touch(const Place& place) {
    SectionState& s = sections_.back();
    if (!s.used && !s.place.file) s.place = place;
    s.used = true;
  }

  void define(const Token& name, Symbol::Kind kind, std::int64_t value, const Place& place) {
    if (name.kind != Token::Kind::kName || name.text.find('.') != std::string::npos) {
      fail(place, name.col, "a name of letters, digits and '_'", describe(name));
    }
    if (is_reserved(name.text))
      fail(place, name.col, "a name that is no register, semaphore, 'wait' or 'post'", describe(name));
    const auto clash = [&](const SymbolTable& table) {
      if (const auto old = table.find(name.text); old != table.end()) {
        fail(place, name.col, "a new name",
             fmt::format("{}, defined at {}:{}", describe(name), *old->second.place.file, old->second.place.line));
      }
    };
    clash(globals_);
    if (kind == Symbol::Kind::kLabel) {
      clash(sections_.back().labels);
      sections_.back().labels.emplace(name.text, Symbol{kind, value, place});
    } else {
      for (const SectionState& s : sections_) clash(s.labels);
      globals_.emplace(name.text, Symbol{kind, value, place});
    }
  }

  void append(const isa::Word& word, const Place& place, int col) {
    if (code().size() >= cfg_.imem_instrs) {
      fail(place, col,
           fmt::format("at most {} instructions (the instruction memory of {})", cfg_.imem_instrs, cfg_.name),
           "one more");
    }
    touch(place);
    code().push_back(word);
  }

  void instruction(const std::shared_ptr<const Line>& line, std::size_t pos) {
    const auto pc = static_cast<std::uint32_t>(code().size());
    Encoded e = encode(line, pos, pc, *this, cfg_);
    append(e.word, line->place, line->tokens[pos].col);
    SectionState& s = sections_.back();
    for (Fixup& f : e.fixups) s.fixups.emplace_back(pc, std::move(f));
    s.instructions.emplace_back(pc, line->place);
  }

  void equ(Cursor in) {
    in.next();
    const Token name = in.next();
    in.expect(",");
    const std::int64_t v = evaluate_now(in);
    in.expect_end();
    define(name, Symbol::Kind::kConstant, v, in.place());
  }

  void alias(Cursor in) {
    const bool reg = in.next().name(".reg");
    const Token name = in.next();
    in.expect(",");
    const std::uint32_t v = reg ? parse_reg(in, *this) : parse_sem(in, *this, cfg_);
    in.expect_end();
    define(name, reg ? Symbol::Kind::kReg : Symbol::Kind::kSem, v, in.place());
  }

  /// .format NAME, mxint8: a name for an element format, so that one source serves several.
  void format_alias(Cursor in) {
    in.next();
    const Token name = in.next();
    in.expect(",");
    const Token word = in.next();
    std::string names;
    for (std::size_t i = 0; i < isa::kFormats.size(); ++i) {
      if (word.name(isa::kFormats[i].name)) {
        in.expect_end();
        return define(name, Symbol::Kind::kFormat, static_cast<std::int64_t>(i), in.place());
      }
      names += fmt::format("{}{}", names.empty() ? "" : ", ", isa::kFormats[i].name);
    }
    fail(in.place(), word.col, "a format: " + names, describe(word));
  }

  /// A number that must lie in 0..max.
  std::uint32_t small(Cursor& in, std::string_view what, std::uint32_t max) {
    const int col = in.peek().col;
    const std::int64_t v = evaluate_now(in);
    if (v < 0 || v > max) fail(in.place(), col, fmt::format("{} in 0..{}", what, max), fmt::format("{}", v));
    return static_cast<std::uint32_t>(v);
  }

  void thread(const std::shared_ptr<const Line>& line, Cursor in) {
    const int start = in.next().col;
    touch(in.place());
    SectionState& s = sections_.back();
    const bool none = in.peek().name("none") && in.peek(1).kind == Token::Kind::kEnd;
    if (s.no_threads || (none && !s.entries.empty())) {
      fail(in.place(), start, "'.thread none' to be the only .thread of its section", "another one");
    }
    if (none) {
      s.no_threads = true;
      return;
    }
    const int col = in.peek().col;
    const std::uint32_t n = small(in, "a thread", static_cast<std::uint32_t>(s.out.entry.size()) - 1);
    if (std::ranges::count(s.entries, n, &std::pair<std::uint32_t, Fixup>::first) > 0) {
      fail(in.place(), col, fmt::format("one entry of thread {} in a section", n), "a second one");
    }
    in.expect(",");
    s.entries.emplace_back(n, Fixup{line, in.pos(), false, {}, 0, cfg_.imem_instrs, "an entry"});
    evaluate(in, nullptr);
    in.expect_end();
  }

  void tile(Cursor in) {
    const int start = in.next().col;
    std::uint32_t x = isa::kEveryTile;
    std::uint32_t y = isa::kEveryTile;
    if (in.peek().name("all")) {
      in.next();
    } else {
      x = small(in, "a column of the mesh", isa::kMaxMesh - 1);
      in.expect(",");
      y = small(in, "a row of the mesh", isa::kMaxMesh - 1);
    }
    in.expect_end();
    for (const SectionState& s : sections_) {
      if (s.used && s.out.x == x && s.out.y == y) {
        const std::string which = x == isa::kEveryTile ? "every tile" : fmt::format("tile {}, {}", x, y);
        fail(in.place(), start, fmt::format("one section for {}", which),
             fmt::format("a second one, the first begins at {}:{}", *s.place.file, s.place.line));
      }
    }
    SectionState next;
    next.out.x = x;
    next.out.y = y;
    next.place = in.place();
    next.used = true;
    sections_.push_back(std::move(next));
  }

  void raw_word(Cursor in) {
    const int col = in.next().col;
    const auto half = [&] {
      if (in.peek().kind == Token::Kind::kNumber) return in.next().value;
      return static_cast<std::uint64_t>(evaluate_now(in));
    };
    isa::Word w;
    w.hi = half();
    in.expect(",");
    w.lo = half();
    in.expect_end();
    append(w, in.place(), col);
  }

  /// Value of an expression that was left for later, checked against its range.
  std::uint32_t resolve(const Fixup& f, const Symbols& symbols) const {
    Cursor in(*f.line, f.pos);
    const int col = in.peek().col;
    const std::int64_t v = f.operand_only ? evaluate_operand(in, &symbols) : evaluate(in, &symbols);
    if (v < f.min || v > f.max)
      fail(f.line->place, col, fmt::format("{} in {}..{}", f.what, f.min, f.max), fmt::format("{}", v));
    return static_cast<std::uint32_t>(v);
  }

  void finish(SectionState& s) const {
    if (s.out.code.empty()) fail(s.place, 1, "at least one instruction in this section", "none");
    const SectionSymbols symbols(globals_, s);
    for (const auto& [index, f] : s.fixups) isa::set(s.out.code[index], f.bits, resolve(f, symbols));
    for (const auto& [thread, f] : s.entries) s.out.entry[thread] = resolve(f, symbols);
    if (s.entries.empty() && !s.no_threads) s.out.entry[0] = 0;
    for (const auto& [index, place] : s.instructions) {
      const std::string why = isa::why_illegal(s.out.code[index], cfg_);
      if (!why.empty()) fail(place, 1, "a legal instruction", why);
    }
  }

  const isa::Config& cfg_;
  Expander expander_;
  std::vector<SectionState> sections_;
  SymbolTable globals_;
};

}  // namespace

isa::Program assemble(std::string_view source, const std::string& filename, const isa::Config& cfg) {
  return Assembler(cfg).run(source, filename);
}

isa::Program assemble_file(const std::string& path, const isa::Config& cfg) {
  return assemble(support::read_text(path), path, cfg);
}

}  // namespace tepin::assembly
