// Text to layouts.
//
//   file      layout NAME(size, ...) { line ... }            # a comment ends with its line
//   line      arrays NAME(expr, ...), ...                    index arrays and arrays of values, with their sizes
//             [var, ...] -> [var, ...] : formula             a relation, followed by where its values are:
//             value NAME(expr, ...)
//             where formula                                  a property
//   formula   any [-> any]      any: all or all ...      all: one and one ...      one: comparisons, (formula)
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "layouts/layout.h"
#include "support/text.h"

namespace filigree::layouts {
namespace {

constexpr const char* line_hint =
    "a layout has lines 'arrays pos(rows + 1), ...', '[p] -> [i] : ...', 'value vals(p)' and 'where ... -> ...'";

class Parser {
 public:
  explicit Parser(const Source& source) : source_(source), text_(source->text) {}

  Layout layout() {
    Layout out;
    keyword("layout", "at the start of a layout");
    out.name = name("the name of the layout").text();
    expect("(", "after the name of the layout");
    if (!accept(")")) {
      do out.dimensions.push_back(name("the size of a dimension").text());
      while (accept(","));
      expect(")", "after the sizes of the dimensions");
    }
    expect("{", "before what the layout is");
    while (!accept("}")) line(out);
    skip();
    if (at_ < text_.size()) throw error("Unexpected text after the layout", {at(), at() + 1});
    return out;
  }

 private:
  int at() const { return static_cast<int>(at_); }
  UserError error(const std::string& message, Span span) const { return UserError(message).at(source_, span); }

  void skip() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_]))) at_++;
      else if (text_[at_] == '#') at_ = std::min(text_.find('\n', at_), text_.size());
      else return;
    }
  }

  static bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

  bool accept(const char* symbol) {
    skip();
    size_t length = std::strlen(symbol);
    if (text_.compare(at_, length, symbol) != 0) return false;
    if (is_letter(symbol[0]) && at_ + length < text_.size() && is_letter(text_[at_ + length])) return false;
    at_ += length;
    return true;
  }

  void expect(const char* symbol, const std::string& where) {
    if (accept(symbol)) return;
    std::string found = at_ < text_.size() ? fmt::format("'{}'", printable(text_.substr(at_, 1))) : "the end";
    throw error(fmt::format("Expected '{}' {}, found {}", symbol, where, found), {at(), at() + 1}).hint(line_hint);
  }
  void keyword(const char* word, const std::string& where) { expect(word, where); }

  Expr name(const std::string& what) {
    skip();
    size_t begin = at_;
    while (at_ < text_.size() && is_letter(text_[at_])) at_++;
    std::string word = text_.substr(begin, at_ - begin);
    Span span{static_cast<int>(begin), std::max(at(), static_cast<int>(begin) + 1)};
    if (!is_identifier(word)) throw error(fmt::format("Expected {}", what), span).hint(line_hint);
    for (const char* reserved : {"layout", "arrays", "value", "where", "and", "or"}) {
      if (word == reserved) throw error(fmt::format("Expected {}, found the word '{}'", what, word), span);
    }
    return Expr::name(word, false, span);
  }

  void line(Layout& out) {
    skip();
    if (accept("arrays")) {
      do {
        std::string array = name("the name of an array").text();
        out.arrays.push_back({array, places("the sizes of an array")});
      } while (accept(","));
    } else if (accept("value")) {
      if (!wants_value_) throw error("'value' does not follow a relation", {at() - 5, at()}).hint(line_hint);
      Expr array = name("the array of the values");
      out.terms.back().value = Expr::read(array.text(), places("where the value is"), array.span());
      wants_value_ = false;
    } else if (accept("where")) {
      out.properties.push_back(formula());
    } else if (accept("[")) {
      if (wants_value_) throw error("The relation before this one has no 'value'", {at() - 1, at()}).hint(line_hint);
      relation(out);
    } else {
      expect("}", "at the end of the layout");
    }
    if (wants_value_ && peek('}'))
      throw error("The relation has no 'value'", {at(), at() + 1})
          .hint("say where its values are, as in value vals(p)");
  }

  bool peek(char symbol) {
    skip();
    return at_ < text_.size() && text_[at_] == symbol;
  }

  void relation(Layout& out) {
    auto names = [&](const std::string& what) {
      std::vector<std::string> all;
      if (accept("]")) return all;
      do all.push_back(name(what).text());
      while (accept(","));
      expect("]", "after variables");
      return all;
    };
    std::vector<std::string> physical = names("a physical variable");
    expect("->", "between physical and logical variables");
    expect("[", "before logical variables");
    std::vector<std::string> logical = names("a logical variable");
    expect(":", "after the variables of a relation");
    out.terms.push_back({std::move(physical), std::move(logical), Formula::all({any()}), Expr::read("", {})});
    Formula& relation = out.terms.back().relation;
    if (relation.kind != Formula::Kind::And) {
      Formula only;
      only.parts = {relation};
      relation = only;
    }
    wants_value_ = true;
  }

  std::vector<Expr> places(const std::string& what) {
    expect("(", "before " + what);
    std::vector<Expr> all;
    if (accept(")")) return all;
    do all.push_back(sum());
    while (accept(","));
    expect(")", "after " + what);
    return all;
  }

  Formula formula() {
    Formula premise = any();
    return accept("->") ? Formula::implies(premise, any()) : premise;
  }
  Formula any() {
    std::vector<Formula> parts = {all()};
    while (accept("or")) parts.push_back(all());
    return Formula::any(std::move(parts));
  }
  Formula all() {
    std::vector<Formula> parts = {one()};
    while (accept("and")) parts.push_back(one());
    return Formula::all(std::move(parts));
  }

  /// A formula in parentheses, or comparisons; what begins with a parenthesis can be either.
  Formula one() {
    if (peek('(')) {
      size_t begin = at_;
      try {
        accept("(");
        Formula inside = formula();
        expect(")", "after a condition");
        return inside;
      } catch (const UserError&) {
        at_ = begin;
      }
    }
    return comparisons();
  }

  Formula comparisons() {
    std::vector<Formula> parts;
    Expr left = sum();
    while (true) {
      skip();
      using Kind = Formula::Kind;
      bool swapped = false;
      Kind kind = Kind::Equal;
      if (accept("<=")) kind = Kind::LessEqual;
      else if (accept("<")) kind = Kind::Less;
      else if (accept(">=")) kind = Kind::LessEqual, swapped = true;
      else if (accept(">")) kind = Kind::Less, swapped = true;
      else if (accept("!=")) kind = Kind::NotEqual;
      else if (!accept("=")) break;
      Expr right = sum();
      parts.push_back(swapped ? Formula::compare(kind, right, left) : Formula::compare(kind, left, right));
      left = right;
    }
    if (parts.empty())
      throw error("Expected a comparison", {at(), at() + 1}).hint("comparisons are <, <=, =, !=, >= and >");
    return Formula::all(std::move(parts));
  }

  Expr sum() {
    Expr left = product();
    while (true) {
      skip();
      if (accept("+")) left = left + product();
      else if (text_.compare(at_, 2, "->") != 0 && accept("-")) left = left - product();
      else return left;
    }
  }

  Expr product() {
    Expr left = factor();
    while (true) {
      skip();
      int begin = at();
      Expr::Kind kind = Expr::Kind::Multiply;
      if (accept("/")) kind = Expr::Kind::Quotient;
      else if (accept("%")) kind = Expr::Kind::Remainder;
      else if (!accept("*")) return left;
      Expr right = factor();
      if (kind != Expr::Kind::Multiply && right.kind() == Expr::Kind::Number && right.value() <= 0)
        throw error("A divisor must be at least 1", {begin, at()});
      left = Expr::binary(kind, left, right);
    }
  }

  Expr factor() {
    skip();
    int begin = at();
    if (accept("(")) {
      Expr inside = sum();
      expect(")", "after an expression");
      return inside;
    }
    if (accept("-")) return Expr::number(0) - factor();
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) {
      while (at_ < text_.size() && is_letter(text_[at_])) at_++;
      std::string word = text_.substr(static_cast<size_t>(begin), at_ - static_cast<size_t>(begin));
      long long value = 0;
      if (!parse_int64(word, value)) throw error(fmt::format("'{}' is no number", word), {begin, at()});
      return Expr::number(value, {begin, at()});
    }
    Expr word = name("a number, a variable or an array");
    if (peek('(')) return Expr::read(word.text(), places("places of an array"), word.span());
    if (at_ < text_.size() && text_[at_] == '\'') return at_++, Expr::name(word.text(), true, word.span());
    return word;
  }

  const Source& source_;
  const std::string& text_;
  size_t at_ = 0;
  bool wants_value_ = false;
};

}  // namespace

Layout parse_layout(const std::string& text, const std::string& what) {
  Source source = make_source(what, text);
  Layout layout = Parser(source).layout();
  check(layout, source);
  return layout;
}

Layout read_layout(const std::string& path) {
  constexpr std::streamsize most = 1 << 20;
  errno = 0;
  std::ifstream file(path);
  std::string text(most, '\0');
  if (!file.is_open() || (!file.read(text.data(), most) && !file.eof())) {
    throw UserError(fmt::format("Cannot read the layout '{}': {}", path, lower_case(std::strerror(errno))))
        .hint("check the name, and that it is a file you may read; paths are relative to the current directory");
  }
  if (file.gcount() == most) throw UserError(fmt::format("'{}' is no layout: it has more than 1 MiB", path));
  text.resize(static_cast<size_t>(file.gcount()));
  return parse_layout(text, path);
}

}  // namespace filigree::layouts
