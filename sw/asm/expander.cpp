// SPDX-License-Identifier: Apache-2.0
#include "sw/asm/expander.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sw/isa/program.h"
#include "sw/support/file.h"

namespace tepin::assembly {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trim(std::string_view s) {
  const std::size_t a = s.find_first_not_of(kBlanks);
  if (a == std::string_view::npos) return s.substr(s.size());  // still points into the line
  return s.substr(a, s.find_last_not_of(kBlanks) - a + 1);
}

std::size_t name_length(std::string_view s) {
  std::size_t n = 0;
  while (n < s.size() && ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= 'A' && s[n] <= 'Z') || s[n] == '_' ||
                          (n > 0 && s[n] >= '0' && s[n] <= '9')))
    ++n;
  return n;
}

/// The first word after any labels, without lexing: lines of a macro body may hold what is no token yet.
std::string_view first_word(std::string_view s) {
  while (true) {
    s = trim(s);
    const std::size_t end = std::min(s.find_first_of(" \t\r:"), s.size());
    if (end == s.size() || s[end] != ':') return s.substr(0, end);
    s.remove_prefix(end + 1);
  }
}

/// Splits at commas outside parentheses and quotes; no parts if there is nothing but blanks.
std::vector<std::string_view> split_arguments(std::string_view s) {
  std::vector<std::string_view> parts;
  if (trim(s).empty()) return parts;
  std::size_t start = 0;
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i <= s.size(); ++i) {
    const char c = i < s.size() ? s[i] : ',';
    if (i < s.size() && quote != 0) {
      if (c == '\\' && quote == '\'') ++i;
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == ')') {
      depth += c == '(' ? 1 : -1;
    } else if (i == s.size() || (c == ',' && depth <= 0)) {
      parts.push_back(trim(s.substr(start, i - start)));
      start = i + 1;
    }
  }
  return parts;
}

/// How many leading tokens are labels (name and colon each).
std::size_t label_tokens(const Line& line) {
  std::size_t n = 0;
  while (n + 1 < line.tokens.size() && line.tokens[n].kind == Token::Kind::kName && line.tokens[n + 1].is(":")) n += 2;
  return n;
}

}  // namespace

std::vector<std::string_view> Expander::macro_names() const {
  std::vector<std::string_view> out;
  for (const auto& [name, macro] : macros_) out.emplace_back(name);
  return out;
}

void Expander::run(std::string_view source, const std::string& filename) {
  const auto file = std::make_shared<const std::string>(filename);
  Lines lines;
  for (int number = 1; !source.empty(); ++number) {
    const std::size_t end = std::min(source.find('\n'), source.size());
    lines.push_back({{file, number, ""}, std::string(strip_comment(source.substr(0, end)))});
    source.remove_prefix(std::min(end + 1, source.size()));
  }
  expand(lines);
}

void Expander::enter(const Place& place, int col) {
  if (++depth_ > kMaxDepth) {
    fail(place, col, fmt::format("at most {} nested macro calls, .rept and .include", kMaxDepth),
         "one more (a macro or file that uses itself?)");
  }
}

void Expander::count_line(const Place& place) {
  if (++lines_ > kMaxLines) fail(place, 1, fmt::format("at most {} lines after expansion", kMaxLines), "one more");
}

void Expander::expand(const Lines& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    count_line(lines[i].place);
    Line line = lex(lines[i].text, lines[i].place);
    if (line.tokens.size() == 1) continue;
    const std::size_t labels = label_tokens(line);
    const Token first = line.tokens[labels];
    const auto macro = first.kind == Token::Kind::kName ? macros_.find(first.text) : macros_.end();
    const bool block = first.name(".macro") || first.name(".rept") || first.name(".include") || macro != macros_.end();
    if (first.name(".endm") || first.name(".endr")) {
      fail(line.place, first.col, first.name(".endm") ? "a '.macro' that it ends" : "a '.rept' that it ends",
           describe(first));
    }
    if (!block) {
      sink_.line(std::move(line));
      continue;
    }
    if (labels > 0) {
      Line only{line.place, {line.tokens.begin(), line.tokens.begin() + static_cast<std::ptrdiff_t>(labels)}};
      only.tokens.push_back({Token::Kind::kEnd, "", 0, first.col});
      sink_.line(std::move(only));
    }
    const Cursor in(line, labels + 1);
    if (macro != macros_.end()) {
      const std::size_t after = static_cast<std::size_t>(first.col) - 1 + first.text.size();
      call(macro->first, macro->second, line, std::string_view(lines[i].text).substr(after), first.col);
    } else if (first.name(".macro")) {
      define_macro(lines, i, line, in);
    } else if (first.name(".rept")) {
      repeat(lines, i, line, in);
    } else {
      include(in);
    }
  }
}

/// The lines up to the matching end; leaves i at it.
Expander::Lines Expander::collect(const Lines& lines, std::size_t& i, const Line& opening, std::string_view begin,
                                  std::string_view end) {
  Lines body;
  int depth = 1;
  for (++i; i < lines.size(); ++i) {
    const std::string_view word = first_word(lines[i].text);
    if (word == begin) ++depth;
    if (word == end && --depth == 0) {
      Cursor(lex(lines[i].text, lines[i].place), 1).expect_end();
      return body;
    }
    body.push_back(lines[i]);
  }
  fail(opening.place, opening.tokens[0].col, fmt::format("'{}' after '{}'", end, begin), "end of file");
}

void Expander::define_macro(const Lines& lines, std::size_t& i, const Line& line, Cursor in) {
  const Token name = in.next();
  if (name.kind != Token::Kind::kName || name_length(name.text) != name.text.size())
    fail(line.place, name.col, "a macro name", describe(name));
  if (reserved_(name.text)) fail(line.place, name.col, "a macro name that is no instruction", describe(name));
  if (const auto old = macros_.find(name.text); old != macros_.end()) {
    fail(line.place, name.col, "a new macro name",
         fmt::format("{}, defined at {}:{}", describe(name), *old->second.place.file, old->second.place.line));
  }
  Macro macro;
  macro.place = line.place;
  const std::size_t from = static_cast<std::size_t>(name.col) - 1 + name.text.size();
  for (const std::string_view part : split_arguments(std::string_view(lines[i].text).substr(from))) {
    const int col = static_cast<int>(part.data() - lines[i].text.data()) + 1;
    const std::size_t n = name_length(part);
    const std::string_view rest = trim(part.substr(n));
    if (n == 0 || (!rest.empty() && rest[0] != '='))
      fail(line.place, col, "a parameter: name or name=default", fmt::format("'{}'", part));
    const std::string parameter(part.substr(0, n));
    if (std::ranges::count(macro.parameters, parameter, &Parameter::name) > 0) {
      fail(line.place, col, "a new parameter name", fmt::format("'{}' twice", parameter));
    }
    macro.parameters.push_back({parameter, rest.empty() ? "" : std::string(trim(rest.substr(1))), !rest.empty()});
  }
  macro.body = collect(lines, i, line, ".macro", ".endm");
  macros_.emplace(name.text, std::move(macro));
}

void Expander::repeat(const Lines& lines, std::size_t& i, const Line& line, Cursor in) {
  const int col = in.peek().col;
  const std::int64_t count = sink_.evaluate_now(in);
  in.expect_end();
  if (count < 0 || count > kMaxLines)
    fail(line.place, col, fmt::format("a count of 0..{}", kMaxLines), fmt::format("{}", count));
  const Lines body = collect(lines, i, line, ".rept", ".endr");
  enter(line.place, col);
  for (std::int64_t k = 0; k < count; ++k) {
    count_line(line.place);
    const std::string unique = fmt::format("{}", unique_++);
    Lines copy = body;
    for (RawLine& raw : copy) {
      for (std::size_t at = 0; (at = raw.text.find("\\@", at)) != std::string::npos;) raw.text.replace(at, 2, unique);
    }
    expand(copy);
  }
  --depth_;
}

void Expander::include(Cursor in) {
  const Token name = in.next();
  if (name.kind != Token::Kind::kString) fail(in.place(), name.col, "a file name in double quotes", describe(name));
  in.expect_end();
  const std::string path = (std::filesystem::path(*in.place().file).parent_path() / name.text).string();
  std::string text;
  try {
    text = support::read_text(path);
  } catch (const isa::InputError& e) {
    fail(in.place(), name.col, "a file that can be read", fmt::format("'{}' ({})", name.text, e.what()));
  }
  enter(in.place(), name.col);
  run(text, path);
  --depth_;
}

Expander::Values Expander::bind(const std::string& name, const Macro& macro, const Place& place,
                                std::string_view arguments, int col) const {
  Values values;
  std::size_t position = 0;
  for (const std::string_view part : split_arguments(arguments)) {
    const std::size_t n = name_length(part);
    const std::string_view rest = trim(part.substr(n));
    const bool keyword =
        n > 0 && rest.starts_with('=') && std::ranges::count(macro.parameters, part.substr(0, n), &Parameter::name) > 0;
    if (!keyword && position >= macro.parameters.size()) {
      fail(place, col, fmt::format("at most {} arguments of macro '{}'", macro.parameters.size(), name),
           fmt::format("'{}'", part));
    }
    const std::string parameter = keyword ? std::string(part.substr(0, n)) : macro.parameters[position++].name;
    const std::string_view value = keyword ? trim(rest.substr(1)) : part;
    if (value.empty()) continue;  // takes the default
    if (!values.emplace(parameter, value).second) {
      fail(place, col, fmt::format("parameter '{}' of macro '{}' once", parameter, name),
           fmt::format("'{}' as well", part));
    }
  }
  for (const Parameter& p : macro.parameters) {
    if (values.contains(p.name)) continue;
    if (!p.has_default) fail(place, col, fmt::format("a value for parameter '{}' of macro '{}'", p.name, name), "none");
    values.emplace(p.name, p.value);
  }
  return values;
}

/// Replaces \parameter, \@ and \() in a line of a macro's body. '\n' and its like in quotes stay.
std::string Expander::substitute(const RawLine& line, const Values& values) const {
  const std::string_view text = line.text;
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    // Arguments that double from one call to the next would fill the memory long before the depth limit.
    if (out.size() > kMaxLineBytes) {
      fail(line.place, 1, fmt::format("at most {} bytes in a line after substitution", kMaxLineBytes), "more");
    }
    if (text[i] != '\\' || (i > 0 && text[i - 1] == '\'')) {
      out += text[i];
      continue;
    }
    const std::string_view rest = text.substr(i + 1);
    const std::size_t n = name_length(rest);
    if (rest.starts_with('@')) {
      out += values.at("@");
      i += 1;
    } else if (rest.starts_with("()")) {
      i += 2;
    } else if (const auto v = values.find(rest.substr(0, n)); n > 0 && v != values.end()) {
      out += v->second;
      i += n;
    } else {
      fail(line.place, static_cast<int>(i) + 1, "\\@, \\() or a parameter of the macro",
           fmt::format("'\\{}'", rest.substr(0, std::max<std::size_t>(n, 1))));
    }
  }
  if (out.size() > kMaxLineBytes) {
    fail(line.place, 1, fmt::format("at most {} bytes in a line after substitution", kMaxLineBytes), "more");
  }
  return out;
}

void Expander::call(const std::string& name, const Macro& macro, const Line& line, std::string_view arguments,
                    int col) {
  Values values = bind(name, macro, line.place, arguments, col);
  values.emplace("@", fmt::format("{}", unique_++));
  enter(line.place, col);
  // The outer calls are named too, unless there are many.
  const std::string& outer = line.place.context;
  std::string context = fmt::format(" (in macro '{}' called at {}:{})", name, *line.place.file, line.place.line);
  if (outer.size() < 300) context += outer;
  Lines body = macro.body;
  for (RawLine& raw : body) {
    raw.text = substitute(raw, values);
    raw.place.context = context;
  }
  expand(body);
  --depth_;
}

}  // namespace tepin::assembly
