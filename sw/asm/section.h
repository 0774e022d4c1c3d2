// SPDX-License-Identifier: Apache-2.0
// What the assembler knows of a section and of names.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sw/asm/encoder.h"
#include "sw/asm/expression.h"
#include "sw/asm/lexer.h"
#include "sw/isa/program.h"

namespace tepin::assembly {

struct Symbol {
  enum class Kind : std::uint8_t { kConstant, kReg, kSem, kFormat, kLabel };
  Kind kind;
  std::int64_t value;
  Place place;
};
using SymbolTable = std::map<std::string, Symbol, std::less<>>;

struct SectionState {
  isa::Section out;
  Place place;  // of its first line, or of .tile
  SymbolTable labels;
  std::vector<std::pair<std::uint32_t, Fixup>> fixups;        // index of the word
  std::vector<std::pair<std::uint32_t, Fixup>> entries;       // thread
  std::vector<std::pair<std::uint32_t, Place>> instructions;  // words that must be legal
  bool no_threads = false;
  bool used = false;
};

/// Names in the expressions of a section: its labels, then constants.
class SectionSymbols final : public Symbols {
 public:
  SectionSymbols(const SymbolTable& globals, const SectionState& section) : globals_(globals), section_(section) {}
  [[nodiscard]] std::optional<std::int64_t> value_of(std::string_view name) const override {
    if (const auto l = section_.labels.find(name); l != section_.labels.end()) return l->second.value;
    const auto c = globals_.find(name);
    if (c == globals_.end() || c->second.kind != Symbol::Kind::kConstant) return std::nullopt;
    return c->second.value;
  }
  [[nodiscard]] std::vector<std::string_view> names() const override {
    std::vector<std::string_view> out;
    for (const auto& [name, symbol] : section_.labels) out.emplace_back(name);
    for (const auto& [name, symbol] : globals_) {
      if (symbol.kind == Symbol::Kind::kConstant) out.emplace_back(name);
    }
    return out;
  }

 private:
  const SymbolTable& globals_;
  const SectionState& section_;
};

}  // namespace tepin::assembly
