#include "notation/parse_index.h"

#include <limits>
#include <optional>

#include <fmt/format.h>

#include "notation/parse_errors.h"

namespace filigree::notation {
namespace {

/// Offsets and factors stay small enough that no index computed from them and from coordinates can overflow.
constexpr std::int64_t largest_number = std::int64_t{1} << 40;

bool ends_index(const Token& token) { return token.is(",") || token.is(")"); }

class IndexParser {
 public:
  IndexParser(Cursor& cursor, const Token& tensor, const Token& open) : cursor_(cursor), tensor_(tensor), open_(open) {}

  IndexUse operator()() {
    const Token& token = cursor_.now();
    if (token.kind == TokenKind::End) cursor_.fail(missing_parenthesis(open_), token.span);
    if (ends_index(token)) cursor_.fail(missing_index(cursor_.before(), token), token.span);
    bool starts = token.kind == TokenKind::Name || token.is_integer() || token.is("-");
    if (!starts) cursor_.fail(no_index(tensor_.text, token.text), token.span);
    int begin = token.span.begin;
    bool slices = token.kind == TokenKind::Name && cursor_.next().is("(");
    IndexUse index = slices ? slice() : sum();
    index.span = cursor_.span_from(begin);
    end();
    return index;
  }

 private:
  void end() {
    const Token& token = cursor_.now();
    if (ends_index(token)) return;
    if (token.kind == TokenKind::End) cursor_.fail(missing_parenthesis(open_), token.span);
    bool looks_called = is_likely_function(tensor_.text);
    if (looks_called) cursor_.fail(no_function(tensor_.text), tensor_.span);
    if (token.is("/") || token.is("//") || token.is("%") || token.is("^") || token.is("**") || token.is("*")) cursor_.fail(not_affine(token.text), token.span);
    cursor_.fail(UserError(fmt::format("Missing ',' or ')' after '{}'", cursor_.before().text)), token.span);
  }

  // --- i + 2*j - 1 -------------------------------------------------------------------------------

  IndexUse sum() {
    IndexUse index;
    bool minus = cursor_.take_if("-");
    do {
      term(index, minus ? -1 : 1);
      minus = cursor_.now().is("-");
    } while (cursor_.take_if("+") || cursor_.take_if("-"));
    if (index.terms.empty() && index.offset < 0) cursor_.fail(UserError("Coordinates begin at 0"), cursor_.before().span);
    return index;
  }

  /// 3, i, 2*i or i*2
  void term(IndexUse& index, std::int64_t sign) {
    std::int64_t factor = sign;
    std::optional<NameUse> var;
    do {
      Token token = cursor_.now();
      if (token.is_integer()) {
        factor = scaled(factor, number());
      } else if (token.kind == TokenKind::Name && !cursor_.next().is("(")) {
        if (var) cursor_.fail(not_affine(token.text), token.span);
        var = NameUse{cursor_.take().text, token.span};
      } else {
        if (token.kind == TokenKind::Name) cursor_.fail(UserError("A window stands alone, without a sum around it").hint("shift its bounds instead"), token.span);
        cursor_.fail(UserError("Missing an index variable or an integer here"), token.span);
      }
    } while (cursor_.take_if("*"));
    if (!var) {
      index.offset = bounded(index.offset + factor);
      return;
    }
    for (IndexUse::Term& known : index.terms) {
      if (known.var.name == var->name) cursor_.fail(UserError(fmt::format("'{}' occurs twice in this index", var->name)).hint("write it once, with a factor"), var->span);
    }
    if (factor == 0) cursor_.fail(UserError(fmt::format("The factor of '{}' is 0", var->name)).hint("leave the variable out"), var->span);
    index.terms.push_back({*var, factor});
  }

  // --- i(lo,hi), i(lo,hi,stride), i({a,b,c}) -------------------------------------------------------

  IndexUse slice() {
    Token var = cursor_.take(), open = cursor_.take();
    IndexUse index{.terms = {{{var.text, var.span}, 1}}};
    if (cursor_.now().is("{")) {
      list(index);
    } else if (cursor_.now().is_integer() || cursor_.now().is("-")) {
      window(index, var);
    } else {
      cursor_.fail(no_function(tensor_.text), tensor_.span);  // f(g(i)), more likely than not
    }
    if (!cursor_.take_if(")")) cursor_.fail(cursor_.now().kind == TokenKind::End ? missing_parenthesis(open) : UserError("Missing ')' after the window"), cursor_.now().span);
    return index;
  }

  void window(IndexUse& index, const Token& var) {
    int begin = cursor_.now().span.begin;
    std::int64_t first = bound("begins");
    if (!cursor_.take_if(",")) {
      cursor_.fail(UserError(fmt::format("A window needs two bounds, as in {}({},{})", var.text, first, first + 8)), cursor_.now().span);
    }
    std::int64_t end = bound("ends"), stride = 1;
    if (cursor_.take_if(",")) {
      Span span = cursor_.now().span;
      bool negative = cursor_.take_if("-");
      stride = number();
      if (negative || stride == 0) cursor_.fail(UserError("The stride of a window must be positive"), span);
    }
    if (end < first) cursor_.fail(UserError(fmt::format("The window ends at {}, before it begins at {}", end, first)), cursor_.span_from(begin));
    index.offset = first;
    index.terms[0].factor = stride;
    index.extent = (end - first + stride - 1) / stride;
  }

  std::int64_t bound(const char* where) {
    Span span = cursor_.now().span;
    if (cursor_.take_if("-")) cursor_.fail(UserError(fmt::format("A window {} at 0 or above", where)), span);
    return number();
  }

  void list(IndexUse& index) {
    Token brace = cursor_.take();
    while (!cursor_.now().is("}")) {
      if (cursor_.now().is("-")) cursor_.fail(UserError("Coordinates begin at 0"), cursor_.now().span);
      index.list.push_back(number());
      if (!cursor_.take_if(",")) break;
    }
    if (!cursor_.take_if("}")) cursor_.fail(UserError(fmt::format("Missing '}}' to match the '{{' at column {}", brace.span.begin + 1)), cursor_.now().span);
    if (index.list.empty()) cursor_.fail(UserError("The set of coordinates is empty"), cursor_.span_from(brace.span.begin));
    index.extent = static_cast<std::int64_t>(index.list.size());
  }

  // --- Numbers -------------------------------------------------------------------------------------

  std::int64_t number() {
    Token token = cursor_.now();
    if (!token.is_integer()) cursor_.fail(UserError("An integer should stand here"), token.span);
    cursor_.take();
    return bounded(token.value.as_int());
  }
  std::int64_t scaled(std::int64_t a, std::int64_t b) const {
    std::int64_t product;
    if (__builtin_mul_overflow(a, b, &product)) return bounded(std::numeric_limits<std::int64_t>::max());
    return bounded(product);
  }
  std::int64_t bounded(std::int64_t value) const {
    if (value > largest_number || value < -largest_number) cursor_.fail(UserError("This number is too large for an index"), cursor_.before().span);
    return value;
  }

  static UserError not_affine(const std::string& written) {
    return UserError(fmt::format("Unexpected '{}' in an index", written)).hint("an index is a sum of integers and of index variables with integer factors, as in 2*i+j-1");
  }

  Cursor& cursor_;
  const Token& tensor_;
  const Token& open_;
};

}  // namespace

IndexUse parse_index(Cursor& cursor, const Token& tensor, const Token& open) { return IndexParser(cursor, tensor, open)(); }

}  // namespace filigree::notation
