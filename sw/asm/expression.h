// SPDX-License-Identifier: Apache-2.0
// Constant expressions: 64-bit signed arithmetic, C's precedence, every overflow an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sw/asm/lexer.h"

namespace tepin::assembly {

/// What names mean in an expression.
class Symbols {
 public:
  virtual ~Symbols() = default;
  [[nodiscard]] virtual std::optional<std::int64_t> value_of(std::string_view name) const = 0;
  /// All names, for suggestions.
  [[nodiscard]] virtual std::vector<std::string_view> names() const = 0;
};

/// Reads one expression and moves the cursor behind it. Without symbols it only checks the grammar and returns 0.
/// isa::InputError: grammar, undefined name, overflow, division by 0, shift outside 0..63, nesting beyond 200 levels.
std::int64_t evaluate(Cursor& in, const Symbols* symbols);

/// The same for one operand without a binary operator: a number, a name, a sign and an operand, or (expression).
std::int64_t evaluate_operand(Cursor& in, const Symbols* symbols);

}  // namespace tepin::assembly
