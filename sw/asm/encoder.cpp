// SPDX-License-Identifier: Apache-2.0
#include "sw/asm/encoder.h"

#include <fmt/format.h>

#include <array>

#include "sw/asm/expression.h"

namespace tepin::assembly {
namespace {

using isa::Field;
using isa::FieldKind;

constexpr std::int64_t kMinValue = -(std::int64_t{1} << 31);
constexpr std::int64_t kMaxValue = (std::int64_t{1} << 32) - 1;

// A tile's number is 8*y + x.
constexpr isa::Bits kTileX{isa::kBitsPost1Tile.lsb, 3};
constexpr isa::Bits kTileY{isa::kBitsPost1Tile.lsb + 3, 3};

std::optional<std::uint32_t> numbered(std::string_view name, char letter, std::uint32_t count) {
  if (name.size() < 2 || name.size() > 3 || name[0] != letter) return std::nullopt;
  std::uint32_t v = 0;
  for (const char c : name.substr(1)) {
    if (c < '0' || c > '9') return std::nullopt;
    v = v * 10 + static_cast<std::uint32_t>(c - '0');
  }
  if (v >= count || (name[1] == '0' && name.size() > 2)) return std::nullopt;
  return v;
}

std::string format_names(std::uint32_t allow) {
  std::string out;
  for (std::size_t i = 0; i < isa::kFormats.size(); ++i) {
    if ((allow >> i & 1U) != 0) out += fmt::format("{}{}", out.empty() ? "" : ", ", isa::kFormats[i].name);
  }
  return out;
}

class Encoder {
 public:
  Encoder(const std::shared_ptr<const Line>& line, std::size_t pos, std::uint32_t pc, const Aliases& aliases,
          const isa::Config& cfg)
      : line_(line), in_(*line, pos), pc_(pc), aliases_(aliases), cfg_(cfg) {}

  Encoded run() {
    const Token mnemonic = in_.next();
    const std::string_view name = mnemonic.name("nop")  ? "sync"
                                  : mnemonic.name("mv") ? "addi"
                                                        : std::string_view(mnemonic.text);
    const isa::Instr& instr = *isa::find_instr(name);
    set(isa::kBitsOpcode, static_cast<std::uint32_t>(instr.op));
    if (mnemonic.name("mv")) {
      field(instr.fields[0]);
      in_.expect(",");
      field(instr.fields[1]);
    } else if (instr.op == isa::Op::kLw || instr.op == isa::Op::kSw) {
      memory(instr);
    } else if (instr.form == isa::Form::kScalar) {
      for (std::size_t i = 0; i < instr.fields.size(); ++i) {
        if (i > 0) in_.expect(",");
        field(instr.fields[i]);
      }
    } else {
      keywords(instr);
    }
    clauses();
    return std::move(out_);
  }

 private:
  void set(isa::Bits bits, std::uint32_t v) { isa::set(out_.word, bits, v); }

  /// Checks the grammar of an expression and leaves its value for later.
  void expression(isa::Bits bits, std::int64_t min, std::int64_t max, std::string what, bool operand_only = false) {
    out_.fixups.push_back({line_, in_.pos(), operand_only, bits, min, max, std::move(what)});
    operand_only ? evaluate_operand(in_, nullptr) : evaluate(in_, nullptr);
  }

  void field(const Field& f) {
    const bool loop = isa::get(out_.word, isa::kBitsOpcode) == static_cast<std::uint32_t>(isa::Op::kLoop);
    switch (f.kind) {
      case FieldKind::kReg:
        return set(f.bits, parse_reg(in_, aliases_));
      case FieldKind::kSem:
        return set(f.bits, parse_sem(in_, aliases_, cfg_));
      case FieldKind::kValue:
        return expression(f.bits, kMinValue, kMaxValue, "an immediate");
      case FieldKind::kTarget:
        return expression(f.bits, loop ? std::int64_t{pc_} + 1 : 0, cfg_.imem_instrs,
                          loop ? "a loop end beyond the loop" : "a target");
      case FieldKind::kInt:
        return expression(f.bits, f.min, f.max, fmt::format("{}", f.name));
      case FieldKind::kFormat:
        return format(f);
      case FieldKind::kBool:
        return set(f.bits, 1);
    }
  }

  void format(const Field& f) {
    const Token& t = in_.peek();
    std::vector<std::string_view> candidates;
    for (std::size_t i = 0; i < isa::kFormats.size(); ++i) {
      if ((f.allow >> i & 1U) == 0) continue;
      if (t.name(isa::kFormats[i].name)) {
        in_.next();
        return set(f.bits, static_cast<std::uint32_t>(i));
      }
      candidates.push_back(isa::kFormats[i].name);
    }
    if (t.kind == Token::Kind::kName) {
      const auto alias = aliases_.format(t.text);
      if (alias && (f.allow >> *alias & 1U) != 0) {
        in_.next();
        return set(f.bits, *alias);
      }
    }
    fail(line_->place, t.col, fmt::format("a format for {}: {}", f.name, format_names(f.allow)),
         describe(t) + suggestion(t.text, candidates));
  }

  /// lw rd, imm(rs1) and sw rs2, imm(rs1); without imm it is 0.
  void memory(const isa::Instr& instr) {
    field(instr.fields[0]);
    in_.expect(",");
    const Token& inner = in_.peek(1);
    const bool bare = in_.peek().is("(") && in_.peek(2).is(")") && (plain_reg(inner.text) || aliases_.reg(inner.text));
    if (!bare) field(instr.fields[2]);
    in_.expect("(");
    field(instr.fields[1]);
    in_.expect(")");
  }

  /// name=value in any order, comma between; flags of one bit by bare name.
  void keywords(const isa::Instr& instr) {
    std::vector<bool> seen(instr.fields.size());
    bool first = true;
    while (first ? !at_clause() : in_.accept(",")) {
      const Token name = in_.peek();
      std::size_t k = 0;
      while (k < instr.fields.size() && !name.name(instr.fields[k].name)) ++k;
      if (k == instr.fields.size()) unknown_operand(instr, name);
      if (seen[k]) fail(line_->place, name.col, fmt::format("operand '{}' once", name.text), "it again");
      seen[k] = true;
      in_.next();
      if (instr.fields[k].kind != FieldKind::kBool) in_.expect("=");
      field(instr.fields[k]);
      first = false;
    }
    for (std::size_t k = 0; k < instr.fields.size(); ++k) {
      const Field& f = instr.fields[k];
      if (seen[k]) continue;
      if (f.kind == FieldKind::kFormat) in_.fail_here(fmt::format("operand '{}=' ({})", f.name, format_names(f.allow)));
      if (f.kind == FieldKind::kInt) set(f.bits, f.min);
    }
  }

  [[noreturn]] void unknown_operand(const isa::Instr& instr, const Token& name) const {
    std::string list;
    std::vector<std::string_view> names;
    for (const Field& f : instr.fields) {
      list += fmt::format("{}{}{}", list.empty() ? "" : ", ", f.name, f.kind == FieldKind::kBool ? "" : "=");
      names.push_back(f.name);
    }
    if (list.empty())
      fail(line_->place, name.col, fmt::format("'wait', 'post' or end of line ('{}' has no operands)", instr.name),
           describe(name));
    fail(line_->place, name.col, fmt::format("an operand of '{}' ({})", instr.name, list),
         describe(name) + suggestion(name.text, names));
  }

  [[nodiscard]] bool at_clause() const { return in_.at_end() || in_.peek().name("wait") || in_.peek().name("post"); }

  void clauses() {
    bool seen[2] = {false, false};
    while (!in_.at_end()) {
      if (!at_clause()) in_.fail_here("'wait', 'post' or end of line");
      const Token word = in_.next();
      const bool post = word.name("post");
      if (seen[post ? 1 : 0]) fail(line_->place, word.col, fmt::format("one '{}' clause", word.text), "a second one");
      seen[post ? 1 : 0] = true;
      clause(post);
    }
  }

  /// A semaphore of a clause: s3*2, or s3*2@x,y for one of another tile.
  struct Item {
    std::uint32_t sem = 0;
    bool remote = false;
    std::size_t fixups = 0;  // the first one of its own: the count, if there is one
    bool counted = false;
  };

  Item item(bool post) {
    Item it;
    it.sem = parse_sem(in_, aliases_, cfg_);
    it.fixups = out_.fixups.size();
    it.counted = in_.accept("*");
    if (it.counted) expression({}, 1, 255, "a count", true);
    if (post && in_.accept("@")) {
      it.remote = true;
      expression(kTileX, 0, isa::kMaxMesh - 1, "a column of the mesh");
      in_.expect(",");
      expression(kTileY, 0, isa::kMaxMesh - 1, "a row of the mesh");
    }
    return it;
  }

  void place(const Item& it, isa::Bits sem, isa::Bits count) {
    set(sem, it.sem);
    set(count, 1);
    if (it.counted) out_.fixups[it.fixups].bits = count;
    if (it.remote) set(isa::kBitsPost1Remote, 1);
  }

  /// The post to another tile, if there is one, takes the second place.
  void clause(bool post) {
    const std::array<isa::Bits, 2> sems =
        post ? std::array{isa::kBitsPost0Sem, isa::kBitsPost1Sem} : std::array{isa::kBitsWait0Sem, isa::kBitsWait1Sem};
    const std::array<isa::Bits, 2> counts =
        post ? std::array{isa::kBitsPost0Cnt, isa::kBitsPost1Cnt} : std::array{isa::kBitsWait0Cnt, isa::kBitsWait1Cnt};
    std::vector<Item> items;
    do {
      const Token t = in_.peek();
      if (items.size() == 2)
        fail(line_->place, t.col, fmt::format("at most two semaphores in a '{}' clause", post ? "post" : "wait"),
             "a third one");
      items.push_back(item(post));
      if (items.size() == 1) continue;
      if (items[0].remote && items[1].remote)
        fail(line_->place, t.col, "at most one post to another tile in an instruction", "a second one");
      if (items[0].sem == items[1].sem && !items[0].remote && !items[1].remote)
        fail(line_->place, t.col, "two different semaphores in a clause", fmt::format("s{} twice", items[1].sem));
    } while (in_.accept(","));
    const std::size_t first = items[0].remote ? 1 : 0;  // the place of the first one written
    place(items[0], sems[first], counts[first]);
    if (items.size() == 2) place(items[1], sems[1 - first], counts[1 - first]);
  }

  const std::shared_ptr<const Line>& line_;
  Cursor in_;
  std::uint32_t pc_;
  const Aliases& aliases_;
  const isa::Config& cfg_;
  Encoded out_;
};

}  // namespace

bool is_mnemonic(std::string_view word) { return word == "nop" || word == "mv" || isa::find_instr(word) != nullptr; }

std::vector<std::string_view> mnemonics() {
  std::vector<std::string_view> out{"nop", "mv"};
  for (const isa::Instr& i : isa::kInstrs) out.push_back(i.name);
  return out;
}

std::optional<std::uint32_t> plain_reg(std::string_view name) { return numbered(name, 'r', 32); }
std::optional<std::uint32_t> plain_sem(std::string_view name) { return numbered(name, 's', 64); }

std::uint32_t parse_reg(Cursor& in, const Aliases& aliases) {
  const Token& t = in.peek();
  if (t.kind == Token::Kind::kName) {
    const auto plain = plain_reg(t.text);
    const auto r = plain ? plain : aliases.reg(t.text);
    if (r) {
      in.next();
      return *r;
    }
  }
  in.fail_here("a register (r0..r31 or a name from .reg)");
}

std::uint32_t parse_sem(Cursor& in, const Aliases& aliases, const isa::Config& cfg) {
  const Token& t = in.peek();
  if (t.kind == Token::Kind::kName) {
    const auto plain = plain_sem(t.text);
    const auto s = plain ? plain : aliases.sem(t.text);
    if (s && *s < cfg.sems) {
      in.next();
      return *s;
    }
  }
  in.fail_here(fmt::format("a semaphore (s0..s{} on {}, or a name from .sem)", cfg.sems - 1, cfg.name));
}

Encoded encode(const std::shared_ptr<const Line>& line, std::size_t pos, std::uint32_t pc, const Aliases& aliases,
               const isa::Config& cfg) {
  return Encoder(line, pos, pc, aliases, cfg).run();
}

}  // namespace tepin::assembly
