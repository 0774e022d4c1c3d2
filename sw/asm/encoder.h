// SPDX-License-Identifier: Apache-2.0
// One instruction line to one word. Expressions are left for later, when every label is known.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sw/asm/lexer.h"
#include "sw/isa/program.h"

namespace tepin::assembly {

/// An expression whose value goes into a field once all labels are known.
struct Fixup {
  std::shared_ptr<const Line> line;
  std::size_t pos;    // of the expression's first token
  bool operand_only;  // no binary operators (counts)
  isa::Bits bits;
  std::int64_t min;
  std::int64_t max;
  std::string what;  // for the error: "immediate", "target", ...
};

struct Encoded {
  isa::Word word;
  std::vector<Fixup> fixups;
};

/// What `.reg`, `.sem` and `.format` defined.
class Aliases {
 public:
  virtual ~Aliases() = default;
  [[nodiscard]] virtual std::optional<std::uint32_t> reg(std::string_view name) const = 0;
  [[nodiscard]] virtual std::optional<std::uint32_t> sem(std::string_view name) const = 0;
  [[nodiscard]] virtual std::optional<std::uint32_t> format(std::string_view name) const = 0;
};

/// True for the words that start an instruction: mnemonics, nop and mv.
[[nodiscard]] bool is_mnemonic(std::string_view word);
/// All of them.
[[nodiscard]] std::vector<std::string_view> mnemonics();
/// r0..r31 or s0..s63, whatever the configuration; these names cannot be defined.
[[nodiscard]] std::optional<std::uint32_t> plain_reg(std::string_view name);
[[nodiscard]] std::optional<std::uint32_t> plain_sem(std::string_view name);

/// A register or semaphore, plain or alias; the semaphore must exist on the configuration.
[[nodiscard]] std::uint32_t parse_reg(Cursor& in, const Aliases& aliases);
[[nodiscard]] std::uint32_t parse_sem(Cursor& in, const Aliases& aliases, const isa::Config& cfg);

/// Encodes the instruction at token `pos` of the line, to stand at index `pc`. isa::InputError on anything wrong.
[[nodiscard]] Encoded encode(const std::shared_ptr<const Line>& line, std::size_t pos, std::uint32_t pc,
                             const Aliases& aliases, const isa::Config& cfg);

}  // namespace tepin::assembly
