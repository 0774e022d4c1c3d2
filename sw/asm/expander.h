// SPDX-License-Identifier: Apache-2.0
// Turns a source text into plain lines: macros, .rept and .include are expanded here.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sw/asm/lexer.h"

namespace tepin::assembly {

/// Takes the plain lines in order.
class LineSink {
 public:
  virtual ~LineSink() = default;
  /// A line of labels, a directive or an instruction; never empty.
  virtual void line(Line line) = 0;
  /// Value of an expression over the constants and labels known so far.
  virtual std::int64_t evaluate_now(Cursor& in) = 0;
};

class Expander {
 public:
  static constexpr int kMaxDepth = 64;                 // of nested macro calls, .rept and .include
  static constexpr std::size_t kMaxLineBytes = 65536;  // after substitution
  static constexpr std::int64_t kMaxLines = 4000000;   // after expansion

  /// True for words that no macro may take as its name (mnemonics).
  using Reserved = bool (*)(std::string_view);
  Expander(LineSink& sink, Reserved reserved) : sink_(sink), reserved_(reserved) {}

  /// Expands a whole file; `filename` stands in errors, and .include is relative to its folder.
  void run(std::string_view source, const std::string& filename);
  /// Names of the macros, for suggestions.
  [[nodiscard]] std::vector<std::string_view> macro_names() const;

 private:
  struct RawLine {
    Place place;
    std::string text;  // without its comment
  };
  struct Parameter {
    std::string name;
    std::string value;  // default
    bool has_default = false;
  };
  struct Macro {
    Place place;
    std::vector<Parameter> parameters;
    std::vector<RawLine> body;
  };
  using Lines = std::vector<RawLine>;
  using Values = std::map<std::string, std::string, std::less<>>;

  void expand(const Lines& lines);
  Lines collect(const Lines& lines, std::size_t& i, const Line& opening, std::string_view begin, std::string_view end);
  void define_macro(const Lines& lines, std::size_t& i, const Line& line, Cursor in);
  void repeat(const Lines& lines, std::size_t& i, const Line& line, Cursor in);
  void include(Cursor in);
  void call(const std::string& name, const Macro& macro, const Line& line, std::string_view arguments, int col);
  Values bind(const std::string& name, const Macro& macro, const Place& place, std::string_view arguments,
              int col) const;
  std::string substitute(const RawLine& line, const Values& values) const;
  void enter(const Place& place, int col);
  void count_line(const Place& place);

  LineSink& sink_;
  Reserved reserved_;
  std::map<std::string, Macro, std::less<>> macros_;
  int depth_ = 0;
  std::int64_t lines_ = 0;
  std::int64_t unique_ = 0;
};

}  // namespace tepin::assembly
