// SPDX-License-Identifier: Apache-2.0
#include "sw/asm/expression.h"

#include <fmt/format.h>

#include <array>
#include <limits>

namespace tepin::assembly {
namespace {

constexpr int kMaxNesting = 200;

struct Operator {
  std::string_view text;
  int precedence;
};
constexpr std::array<Operator, 10> kOperators{
    {{"|", 1}, {"^", 2}, {"&", 3}, {"<<", 4}, {">>", 4}, {"+", 5}, {"-", 5}, {"*", 6}, {"/", 6}, {"%", 6}}};

class Evaluator {
 public:
  Evaluator(Cursor& in, const Symbols* symbols) : in_(in), symbols_(symbols) {}

  /// Operators of at least the given precedence, left to right.
  std::int64_t binary(int precedence) {
    std::int64_t left = unary();
    while (true) {
      const Token& t = in_.peek();
      const auto* op = kOperators.begin();
      while (op != kOperators.end() && !t.is(op->text)) ++op;
      if (op == kOperators.end() || op->precedence < precedence) return left;
      in_.next();
      const std::int64_t right = binary(op->precedence + 1);
      if (symbols_ != nullptr) left = apply(left, t, right);
    }
  }

  std::int64_t unary() {
    if (++depth_ > kMaxNesting) in_.fail_here(fmt::format("at most {} nested operators and parentheses", kMaxNesting));
    const std::int64_t v = operand();
    --depth_;
    return v;
  }

 private:
  std::int64_t operand() {
    const Token& t = in_.peek();
    if (in_.accept("-")) {
      const std::int64_t v = unary();
      if (v == std::numeric_limits<std::int64_t>::min()) overflow(t);
      return -v;
    }
    if (in_.accept("+")) return unary();
    if (in_.accept("~")) return ~unary();
    if (in_.accept("(")) {
      const std::int64_t v = binary(0);
      in_.expect(")");
      return v;
    }
    if (t.kind == Token::Kind::kNumber) {
      if (t.value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        in_.fail_here("a number below 2^63");
      in_.next();
      return static_cast<std::int64_t>(t.value);
    }
    if (t.kind != Token::Kind::kName || t.text[0] == '.') in_.fail_here("a number, constant or label");
    in_.next();
    if (symbols_ == nullptr) return 0;
    const std::optional<std::int64_t> v = symbols_->value_of(t.text);
    if (!v) {
      fail(in_.place(), t.col, "a constant or label that is defined",
           describe(t) + suggestion(t.text, symbols_->names()));
    }
    return *v;
  }

  [[noreturn]] void overflow(const Token& t) const {
    fail(in_.place(), t.col, "a result within 64 bits", fmt::format("an overflow of '{}'", t.text));
  }

  std::int64_t apply(std::int64_t a, const Token& op, std::int64_t b) {
    std::int64_t v = 0;
    switch (op.text[0]) {
      case '|':
        return a | b;
      case '^':
        return a ^ b;
      case '&':
        return a & b;
      case '<':
      case '>':
        if (b < 0 || b > 63) fail(in_.place(), op.col, "a shift by 0..63", fmt::format("{}", b));
        if (op.text[0] == '>') return a >> b;
        v = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << b);
        if (v >> b != a) overflow(op);
        return v;
      case '+':
        if (__builtin_add_overflow(a, b, &v)) overflow(op);
        return v;
      case '-':
        if (__builtin_sub_overflow(a, b, &v)) overflow(op);
        return v;
      case '*':
        if (__builtin_mul_overflow(a, b, &v)) overflow(op);
        return v;
      default:
        if (b == 0) fail(in_.place(), op.col, "a divisor other than 0", "0");
        if (a == std::numeric_limits<std::int64_t>::min() && b == -1) overflow(op);
        return op.text[0] == '/' ? a / b : a % b;
    }
  }

  Cursor& in_;
  const Symbols* symbols_;
  int depth_ = 0;
};

}  // namespace

std::int64_t evaluate(Cursor& in, const Symbols* symbols) { return Evaluator(in, symbols).binary(0); }

std::int64_t evaluate_operand(Cursor& in, const Symbols* symbols) { return Evaluator(in, symbols).unary(); }

}  // namespace tepin::assembly
