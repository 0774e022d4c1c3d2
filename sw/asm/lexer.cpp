// SPDX-License-Identifier: Apache-2.0
#include "sw/asm/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sw/isa/program.h"

namespace tepin::assembly {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.'; }
bool in_name(char c) { return starts_name(c) || is_digit(c); }

/// Value of a digit in base 36; 99 if it is none.
unsigned digit(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'z') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'Z') return static_cast<unsigned>(c - 'A') + 10;
  return 99;
}

std::string quoted(std::string_view s) {
  std::string out = "'";
  for (const char c : s.substr(0, 60))
    out += (c >= 32 && c < 127) ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return out + (s.size() > 60 ? "...'" : "'");
}

class Lexer {
 public:
  Lexer(std::string_view text, const Place& place) : text_(strip_comment(text)), place_(place) {}

  Line run() {
    Line line{place_, {}};
    while (true) {
      while (pos_ < text_.size() && (text_[pos_] == ' ' || text_[pos_] == '\t' || text_[pos_] == '\r')) ++pos_;
      line.tokens.push_back(token());
      if (line.tokens.back().kind == Token::Kind::kEnd) return line;
    }
  }

 private:
  [[nodiscard]] int col(std::size_t pos) const { return static_cast<int>(pos) + 1; }

  Token token() {
    const std::size_t start = pos_;
    if (start >= text_.size()) return {Token::Kind::kEnd, "", 0, col(start)};
    const char c = text_[start];
    if (starts_name(c)) {
      while (pos_ < text_.size() && in_name(text_[pos_])) ++pos_;
      return {Token::Kind::kName, std::string(text_.substr(start, pos_ - start)), 0, col(start)};
    }
    if (is_digit(c)) return number();
    if (c == '\'') return character();
    if (c == '"') {
      const std::size_t end = text_.find('"', start + 1);
      if (end == std::string_view::npos) fail(place_, col(start), "a closing '\"' on this line", "end of line");
      pos_ = end + 1;
      return {Token::Kind::kString, std::string(text_.substr(start + 1, end - start - 1)), 0, col(start)};
    }
    for (const std::string_view p : {"<<", ">>"}) {
      if (text_.substr(start, 2) == p) {
        pos_ += 2;
        return {Token::Kind::kPunct, std::string(p), 0, col(start)};
      }
    }
    if (std::string_view("+-*/%&|^~(),:=@").find(c) == std::string_view::npos) {
      fail(place_, col(start), "a name, number or operator", quoted(text_.substr(start, 1)));
    }
    ++pos_;
    return {Token::Kind::kPunct, std::string(1, c), 0, col(start)};
  }

  Token number() {
    const std::size_t start = pos_;
    while (pos_ < text_.size() && in_name(text_[pos_])) ++pos_;
    const std::string_view word = text_.substr(start, pos_ - start);
    const std::string_view prefix = word.substr(0, 2);
    const unsigned base = prefix == "0x" || prefix == "0X" ? 16 : prefix == "0b" || prefix == "0B" ? 2 : 10;
    std::uint64_t v = 0;
    bool digits = false;
    for (const char c : word.substr(base == 10 ? 0 : 2)) {
      if (c == '_') continue;
      if (digit(c) >= base) fail(place_, col(start), fmt::format("a number of base {}", base), quoted(word));
      if (__builtin_mul_overflow(v, std::uint64_t{base}, &v) ||
          __builtin_add_overflow(v, std::uint64_t{digit(c)}, &v)) {
        fail(place_, col(start), "a number below 2^64", quoted(word));
      }
      digits = true;
    }
    if (!digits) fail(place_, col(start), fmt::format("a number of base {}", base), quoted(word));
    return {Token::Kind::kNumber, std::string(word), v, col(start)};
  }

  Token character() {
    constexpr std::array<std::pair<char, char>, 6> kEscapes{
        {{'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'0', '\0'}, {'\\', '\\'}, {'\'', '\''}}};
    const std::size_t start = pos_;
    const bool escaped = text_.substr(start + 1, 1) == "\\";
    const std::size_t at = start + (escaped ? 2 : 1);
    if (at + 1 < text_.size() && text_[at + 1] == '\'') {
      const auto* const e = std::ranges::find(kEscapes, text_[at], &std::pair<char, char>::first);
      if (!escaped || e != kEscapes.end()) {
        pos_ = at + 2;
        const auto v = static_cast<unsigned char>(escaped ? e->second : text_[at]);
        return {Token::Kind::kNumber, std::string(text_.substr(start, pos_ - start)), v, col(start)};
      }
    }
    fail(place_, col(start), "one character in quotes, or one of '\\n' '\\t' '\\r' '\\0' '\\\\' '\\''",
         quoted(text_.substr(start, 4)));
  }

  std::string_view text_;
  const Place& place_;
  std::size_t pos_ = 0;
};

/// Number of insertions, deletions, replacements and swaps of neighbours that make b of a.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

void fail(const Place& place, int col, std::string_view expected, std::string_view found) {
  throw isa::InputError(
      fmt::format("{}:{}:{}: expected {}, found {}{}", *place.file, place.line, col, expected, found, place.context));
}

std::string describe(const Token& t) {
  switch (t.kind) {
    case Token::Kind::kEnd:
      return "end of line";
    case Token::Kind::kString:
      return "text " + quoted(t.text);
    default:
      return quoted(t.text);
  }
}

std::string_view strip_comment(std::string_view text) {
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\' && quote == '\'') ++i;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#' || text.substr(i, 2) == "//") {
      return text.substr(0, i);
    }
  }
  return text;
}

Line lex(std::string_view text, const Place& place) { return Lexer(text, place).run(); }

std::string suggestion(std::string_view word, const std::vector<std::string_view>& candidates) {
  std::size_t best = std::min<std::size_t>(3, word.size() / 2 + 1);
  std::string_view nearest;
  if (word.size() > 64) return {};
  for (const std::string_view c : candidates) {
    if (c.size() > word.size() + 3) continue;
    const std::size_t d = distance(word, c);
    if (d < best) {
      best = d;
      nearest = c;
    }
  }
  return nearest.empty() ? std::string() : fmt::format(" (did you mean '{}'?)", nearest);
}

}  // namespace tepin::assembly
