#include "concrete/syntax.h"

#include <fmt/format.h>

#include "support/text.h"

namespace filigree::concrete {
namespace {

class Parser {
 public:
  explicit Parser(const Source& source) : source_(source), text_(source->text) {}

  WrittenText parse_all() {
    WrittenText out{statement(0), {}};
    size_t end = at_;
    skip_blanks();
    bool on_own_line = text_.substr(end, at_ - end).find('\n') != std::string::npos;
    if (at_ < text_.size() && !on_own_line) fail("Something is left over after the statement");
    for (; at_ < text_.size(); skip_blanks()) out.relations.push_back(relation());
    return out;
  }

 private:
  Syntax statement(int depth) {
    if (depth > max_nesting) fail(fmt::format("Statements nest more than {} deep", max_nesting));
    skip_blanks();
    for (const auto& [word, kind] : {std::pair("forall", Syntax::Kind::Forall), std::pair("where", Syntax::Kind::Where),
                                     std::pair("sequence", Syntax::Kind::Sequence),
                                     std::pair("multi", Syntax::Kind::Multi)}) {
      size_t begin = at_;
      if (!accept(std::string(word) + "(")) continue;
      Syntax out{.kind = kind, .span = span(begin, at_ - 1)};
      read_parts(out, depth);
      return out;
    }
    return assignment();
  }

  void read_parts(Syntax& out, int depth) {
    if (out.kind == Syntax::Kind::Forall) {
      read_index_variable(out);
      skip_blanks();
      if (accept("[")) out.tag = loop_tag();
      expect(',');
      out.parts = {statement(depth + 1)};
    } else if (out.kind == Syntax::Kind::Where) {
      out.parts = {statement(depth + 1)};
      expect(',');
      out.parts.push_back(statement(depth + 1));
    } else {
      out.parts = {statement(depth + 1)};
      while (skip_blanks(), accept(";")) out.parts.push_back(statement(depth + 1));
    }
    expect(')');
  }

  /// cpu, atomics, unroll 4]
  LoopTag loop_tag() {
    LoopTag tag;
    do {
      skip_blanks();
      if (accept("cpu")) tag.parallel = true;
      else if (accept("gpu_block")) tag.gpu = GpuUnit::Block;
      else if (accept("gpu_warp")) tag.gpu = GpuUnit::Warp;
      else if (accept("gpu_thread")) tag.gpu = GpuUnit::Thread;
      else if (accept("ignore")) tag.races = Races::Ignore;
      else if (accept("atomics")) tag.races = Races::Atomics;
      else if (accept("temporary")) tag.races = Races::Temporary;
      else if (accept("vector")) tag.vector = true;
      else if (accept("unroll ")) tag.unrolled = count();
      else
        fail(
            "How a loop runs should stand here: cpu, gpu_block, gpu_warp, gpu_thread, ignore, atomics, temporary, "
            "vector or unroll");
      skip_blanks();
    } while (accept(","));
    expect(']');
    return tag;
  }

  int count() {
    skip_blanks();
    int value = 0;
    size_t begin = at_;
    for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) && at_ - begin < 6; at_++)
      value = 10 * value + (text_[at_] - '0');
    if (value == 0) fail("A number above 0 should stand here");
    return value;
  }

  /// The text up to the `,`, `;` or `)` that ends it belongs to index notation.
  Syntax assignment() {
    size_t begin = at_;
    for (int depth = 0; at_ < text_.size(); at_++) {
      char c = text_[at_];
      if (depth == 0 && (c == ',' || c == ';' || c == ')')) break;
      depth += (c == '(') - (c == ')');
    }
    size_t end = at_;
    while (end > begin && std::isspace(static_cast<unsigned char>(text_[end - 1]))) end--;
    if (end == begin) fail("A statement should stand here: forall, where, sequence, multi or an assignment");
    Syntax out{.span = span(begin, end), .text = text_.substr(begin, end - begin)};
    if (size_t found = out.text.find(unless); found != std::string::npos) {
      out.unless_equal = equal_variables(out.text.substr(found + unless.size()));
      out.text.resize(found);
    }
    const std::string suffix = " if stored";
    out.drops_fill = out.text.ends_with(suffix);
    if (out.drops_fill) out.text.resize(out.text.size() - suffix.size());
    out.parsed = std::make_shared<const notation::Parsed>(notation::parse(out.text));
    return out;
  }

  /// i = j
  std::pair<std::string, std::string> equal_variables(const std::string& text) {
    std::vector<std::string> names = split(text, '=');
    for (std::string& name : names) name = trim(name);
    if (names.size() != 2 || !is_identifier(names[0]) || !is_identifier(names[1]))
      fail("Two index variables should stand after 'unless', as in i = j");
    return {names[0], names[1]};
  }

  void read_index_variable(Syntax& loop) {
    skip_blanks();
    size_t begin = at_;
    loop.var = name("An index variable should stand here");
    loop.span = span(begin, at_);
  }

  /// ib = i/4, or i = 4*ib + ii
  WrittenRelation relation() {
    WrittenRelation out;
    size_t begin = at_;
    out.var = name("A variable that follows from others should stand here, as in i = 4*ib + ii");
    expect('=');
    bool more = true, negative = false;
    while (more) {
      add_term(out, negative);
      skip_blanks_in_line();
      negative = text_.compare(at_, 1, "-") == 0;
      more = accept("+") || accept("-");
    }
    out.span = span(begin, at_);
    return out;
  }

  void add_term(WrittenRelation& out, bool negative) {
    skip_blanks_in_line();
    std::int64_t factor = 1;
    bool has_number = at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]));
    if (has_number) factor = count();
    if (negative) factor = -factor;
    if (has_number && !accept("*")) {
      out.offset += factor;
      return;
    }
    out.terms.push_back({factor, name("An index variable should stand here")});
    if (out.terms.size() > 1 || factor != 1) return;
    bool divides = accept("/");
    if (divides) out.divisor = count();
    if (accept("%")) {
      out.modulus = count();
      if (!divides) out.divisor = 1;
    }
  }

  std::string name(const char* expected) {
    skip_blanks_in_line();
    size_t begin = at_;
    while (at_ < text_.size() && is_identifier(text_.substr(begin, at_ - begin + 1))) at_++;
    if (at_ == begin) fail(expected);
    return text_.substr(begin, at_ - begin);
  }

  void skip_blanks_in_line() {
    while (at_ < text_.size() && text_[at_] == ' ') at_++;
  }
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) at_++;
  }
  bool accept(const std::string& token) {
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }
  void expect(char c) {
    skip_blanks();
    if (!accept(std::string(1, c))) fail(std::string("'") + c + "' should stand here");
  }
  static Span span(size_t begin, size_t end) { return {static_cast<int>(begin), static_cast<int>(end)}; }
  [[noreturn]] void fail(const std::string& message) const {
    throw UserError(message).at(source_, span(at_, at_ + 1));
  }

  inline static const std::string unless = " unless ";
  Source source_;
  const std::string& text_;
  size_t at_ = 0;
};

}  // namespace

WrittenText parse_syntax(const Source& source) { return Parser(source).parse_all(); }

}  // namespace filigree::concrete
