// SPDX-License-Identifier: Apache-2.0
// Tokens of one source line, and errors that point at them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tepin::assembly {

/// Where a line stands. `context` is empty or says through which macro calls the line came.
struct Place {
  std::shared_ptr<const std::string> file;
  int line = 0;
  std::string context;
};

struct Token {
  enum class Kind : std::uint8_t { kName, kNumber, kString, kPunct, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;         // kString: contents; otherwise as written
  std::uint64_t value = 0;  // kNumber
  int col = 0;              // of its first byte, from 1
  [[nodiscard]] bool is(std::string_view punct) const { return kind == Kind::kPunct && text == punct; }
  [[nodiscard]] bool name(std::string_view n) const { return kind == Kind::kName && text == n; }
};

struct Line {
  Place place;
  std::vector<Token> tokens;  // the last one is kEnd
};

/// Throws isa::InputError "file:line:col: expected EXPECTED, found FOUND".
[[noreturn]] void fail(const Place& place, int col, std::string_view expected, std::string_view found);

/// How a token reads in an error.
[[nodiscard]] std::string describe(const Token& t);

/// The line without its comment (# or // outside quotes).
[[nodiscard]] std::string_view strip_comment(std::string_view text);

/// Splits a line. Names may start with a dot (directives).
[[nodiscard]] Line lex(std::string_view text, const Place& place);

/// Walks over the tokens of a line.
class Cursor {
 public:
  explicit Cursor(const Line& line, std::size_t pos = 0) : line_(&line), pos_(pos) {}
  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const {
    return line_->tokens[std::min(pos_ + ahead, line_->tokens.size() - 1)];
  }
  const Token& next() {
    const Token& t = peek();
    if (pos_ + 1 < line_->tokens.size()) ++pos_;
    return t;
  }
  bool accept(std::string_view punct) {
    if (!peek().is(punct)) return false;
    next();
    return true;
  }
  void expect(std::string_view punct) {
    if (!accept(punct)) fail_here("'" + std::string(punct) + "'");
  }
  [[nodiscard]] bool at_end() const { return peek().kind == Token::Kind::kEnd; }
  void expect_end() const {
    if (!at_end()) fail_here("end of line");
  }
  [[noreturn]] void fail_here(std::string_view expected) const {
    fail(line_->place, peek().col, expected, describe(peek()));
  }
  [[nodiscard]] const Place& place() const { return line_->place; }
  [[nodiscard]] const Line& line() const { return *line_; }
  [[nodiscard]] std::size_t pos() const { return pos_; }

 private:
  const Line* line_;
  std::size_t pos_;
};

/// " (did you mean 'x'?)" for the candidate nearest to `word` if one is near, else empty.
[[nodiscard]] std::string suggestion(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace tepin::assembly
