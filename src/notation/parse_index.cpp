#include "notation/parse_index.h"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "notation/missing_function.h"
#include "notation/parse_errors.h"
#include "notation/syntax.h"
#include "support/text.h"

namespace filigree::notation {
namespace {

/// Offsets and factors stay small enough that no index computed from them and from coordinates can overflow.
constexpr std::int64_t largest_number = std::int64_t{1} << 40;

bool is_mod(const Token& token) { return token.kind == TokenKind::Name && token.text == "mod"; }
bool ends_index(const Token& token) { return token.is(",") || token.is(")"); }

class IndexParser {
 public:
  IndexParser(Cursor& cursor, const TensorNames& tensors, const Token& tensor, const Token& open)
      : cursor_(cursor), tensors_(tensors), tensor_(tensor), open_(open) {}

  IndexUse operator()() {
    const Token& token = cursor_.now();
    if (token.kind == TokenKind::End) cursor_.fail(missing_parenthesis(cursor_.source(), open_), token.span);
    if (ends_index(token)) cursor_.fail(missing_index(cursor_.before(), token), token.span);
    if (token.is("{")) cursor_.fail(list_without_variable(), token.span);
    bool starts = token.kind == TokenKind::Name || token.is_integer() || token.is("-") || starts_remainder();
    if (!starts) cursor_.fail(no_index(tensor_.text, token.text), token.span);
    begin_ = token.span.begin;
    bool is_one = token.is("(");  // for the remainder, which binds like a product
    IndexUse index = slices() ? slice() : is_one ? in_parentheses() : sum();
    is_one = is_one || (index.terms.size() + index.gathered.size() == 1 && index.offset == 0);
    if (is_mod(cursor_.now()) || (cursor_.now().is("%") && is_one)) modulus(index);
    index.span = cursor_.span_from(begin_);
    end();
    return index;
  }

 private:
  /// Does (i+1) mod 8 stand here?
  bool starts_remainder() const {
    if (!cursor_.now().is("(")) return false;
    int open = 0;
    for (size_t ahead = 0; cursor_.next(ahead).kind != TokenKind::End; ahead++) {
      open += cursor_.next(ahead).is("(") ? 1 : cursor_.next(ahead).is(")") ? -1 : 0;
      if (open == 0) return is_mod(cursor_.next(ahead + 1)) || cursor_.next(ahead + 1).is("%");
    }
    return false;
  }

  IndexUse in_parentheses() {
    Token open = cursor_.take();
    IndexUse index = sum();
    if (!cursor_.take_if(")")) cursor_.fail(missing_parenthesis(cursor_.source(), open), cursor_.now().span);
    return index;
  }

  /// mod 8
  void modulus(IndexUse& index) {
    Token word = cursor_.take();
    Token number = cursor_.now();
    if (!number.is_integer()) {
      cursor_.fail(
          UserError(fmt::format("Missing an integer after '{}'", word.text))
              .hint(fmt::format("write wrap({}(...)) to wrap around at the size of the dimension, whatever it is",
                                tensor_.text)),
          number.span);
    }
    index.modulus = integer("A modulus");
    if (index.modulus == 0) cursor_.fail(UserError("The modulus of an index is 0"), number.span);
    if (index.extent) cursor_.fail(UserError("A window or a list stands alone, without a remainder"), word.span);
  }

  /// Does i(2,10) or i({1,4}) stand here, and not p(i)?
  bool slices() const {
    if (cursor_.now().kind != TokenKind::Name || !cursor_.next().is("(")) return false;
    const Token& first = cursor_.next(2);
    bool one_coordinate = first.is_integer() && cursor_.next(3).is(")");
    return first.is("{") || first.is("-") || (first.kind == TokenKind::Number && !one_coordinate) ||
           cursor_.stands_alone(cursor_.now().text);
  }

  /// Is the access a call of a function that there is not?
  bool looks_called() const { return is_likely_function(tensor_.text) && !tensors_.contains(tensor_.text); }

  [[noreturn]] void fail_function() const {
    const std::vector<Token>& tokens = cursor_.tokens();
    auto name =
        std::find_if(tokens.begin(), tokens.end(), [&](const Token& token) { return token.span == tensor_.span; });
    cursor_.fail(no_function(cursor_.source(), tokens, static_cast<size_t>(name - tokens.begin())), tensor_.span);
  }

  void end() {
    const Token& token = cursor_.now();
    if (ends_index(token)) return;
    if (token.kind == TokenKind::End) cursor_.fail(missing_parenthesis(cursor_.source(), open_), token.span);
    if (looks_called()) fail_function();
    bool operates = token.is("/") || token.is("//") || token.is("%") || token.is("^") || token.is("**") ||
                    token.is("*");
    bool access_follows = cursor_.next().kind == TokenKind::Name && cursor_.next(2).is("(");
    if (operates && access_follows && cursor_.lacks_closing()) fail_unclosed_before(token);
    if (operates) cursor_.fail(not_affine(token.text), token.span);
    cursor_.fail(UserError(fmt::format("Missing ',' or ')' after '{}'", cursor_.before().text)), token.span);
  }

  /// y(i) = A(i,j * x(j): the operator shows where the indices end.
  [[noreturn]] void fail_unclosed_before(const Token& operation) const {
    cursor_.fail(missing_parenthesis_after(written_before(operation), operation.text), operation.span);
  }

  std::string written_before(const Token& operation) const {
    int begin = tensor_.span.begin;
    return trim(cursor_.source()->text.substr(begin, operation.span.begin - begin));
  }

  // --- i + 2*j - 1 -------------------------------------------------------------------------------

  IndexUse sum() {
    IndexUse index;
    bool minus = cursor_.take_if("-");
    do {
      term(index, minus ? -1 : 1);
      minus = cursor_.now().is("-");
    } while (cursor_.take_if("+") || cursor_.take_if("-"));
    if (index.terms.empty() && index.gathered.empty() && index.offset < 0)
      cursor_.fail(UserError("Coordinates begin at 0"), cursor_.span_from(begin_));
    return index;
  }

  /// 3, i, 2*i or i*2
  void term(IndexUse& index, std::int64_t sign) {
    std::int64_t factor = sign;
    std::optional<NameUse> var;
    std::optional<GatherUse> gathered;
    Token operation = cursor_.before();  // the one before which a missing ')' would stand
    do {
      Token token = cursor_.now();
      if (var) operation = cursor_.before();
      if (token.is_integer()) {
        factor = scaled(factor, integer("A factor of an index"));
      } else if (token.kind == TokenKind::Name && !cursor_.next().is("(")) {
        if (var || gathered) cursor_.fail(not_affine(token.text), token.span);
        bool is_operand = tensors_.is_declared(token.text) && !tensors_.is_given(tensor_.text);  // trace(A)
        if (is_operand && is_likely_function(tensor_.text)) fail_function();
        var = NameUse{cursor_.take().text, token.span};
      } else if (can_be_gathered(operation, var.has_value())) {
        if (gathered) cursor_.fail(not_affine(token.text), token.span);
        gathered = gather();
      } else {
        if (token.kind == TokenKind::Name) fail_access(operation, var.has_value());
        cursor_.fail(UserError("Missing an index variable or an integer here"), token.span);
      }
    } while (cursor_.take_if("*"));
    if (gathered) {
      if (!index.gathered.empty())
        cursor_.fail(
            UserError("Only one tensor is read in an index").hint("assign the sum to a tensor of integers first"),
            gathered->span);
      gathered->factor = factor;
      index.gathered.push_back(std::move(*gathered));
      return;
    }
    if (!var) {
      index.offset = bounded(index.offset + factor);
      return;
    }
    for (IndexUse::Term& known : index.terms) {
      if (known.var.name == var->name)
        cursor_.fail(
            UserError(fmt::format("'{}' occurs twice in this index", var->name)).hint("write it once, with a factor"),
            var->span);
    }
    if (factor == 0)
      cursor_.fail(UserError(fmt::format("The factor of '{}' is 0", var->name)).hint("leave the variable out"),
                   var->span);
    index.terms.push_back({*var, factor});
  }

  // --- p(i), whose values are coordinates ------------------------------------------------------------

  /// Is the name with a parenthesis a tensor whose values are coordinates, rather than a mistake?
  bool can_be_gathered(const Token& operation, bool has_factor) const {
    const Token &name = cursor_.now(), &first = cursor_.next(2);
    if (name.kind != TokenKind::Name || !cursor_.next().is("(") || has_factor || is_function_name(name.text) ||
        looks_called())
      return false;
    bool is_window = first.is("{") || first.is("-") || (first.is_integer() && cursor_.next(3).is(","));
    bool follows = operation.span.begin > begin_;
    return !is_window && !(follows && cursor_.lacks_closing());
  }

  GatherUse gather() {
    Token name = cursor_.take(), open = cursor_.take();
    if (nesting_ + 1 > max_nesting) cursor_.fail(nested_too_deeply(), name.span);
    GatherUse use{{name.text, name.span}, {}, 1, {}};
    do {
      IndexParser inner(cursor_, tensors_, name, open);
      inner.nesting_ = nesting_ + 1;
      use.indices.push_back(inner());
    } while (cursor_.take_if(","));
    cursor_.take();
    use.span = cursor_.span_from(name.span.begin);
    return use;
  }

  /// A name with a parenthesis, inside a sum: a window, what follows a missing ')', or an operand of an unknown
  /// function.
  [[noreturn]] void fail_access(const Token& operation, bool has_factor) const {
    const Token& first = cursor_.next(2);
    bool is_window = first.is("{") || (first.is_integer() && cursor_.next(3).is(","));
    bool follows = operation.span.begin > begin_ && !looks_called();
    if (follows && cursor_.lacks_closing() && (has_factor || !is_window)) fail_unclosed_before(operation);
    if (follows && !is_window) {
      const Token& access = cursor_.now();
      std::string instead = fmt::format("{}) {} {}(...)", written_before(operation), operation.text, access.text);
      cursor_.fail(access_in_index(tensor_.text, access.text, instead), access.span);
    }
    if (is_window)
      cursor_.fail(UserError("A window stands alone, without a sum around it").hint("shift its bounds instead"),
                   cursor_.now().span);
    fail_function();
  }

  // --- i(lo,hi), i(lo,hi,stride), i({a,b,c}) -------------------------------------------------------

  IndexUse slice() {
    Token var = cursor_.take(), open = cursor_.take();
    IndexUse index{.terms = {{{var.text, var.span}, 1}}};
    if (cursor_.now().is("{")) {
      list(index);
    } else {
      window(index, var);
    }
    if (!cursor_.take_if(")"))
      cursor_.fail(cursor_.now().kind == TokenKind::End ? missing_parenthesis(cursor_.source(), open)
                                                        : UserError("Missing ')' after the window"),
                   cursor_.now().span);
    return index;
  }

  void window(IndexUse& index, const Token& var) {
    int begin = cursor_.now().span.begin;
    std::int64_t first = bound("begins");
    if (!cursor_.take_if(",")) {
      cursor_.fail(UserError(fmt::format("A window needs two bounds, as in {}({},{})", var.text, first, first + 8)),
                   cursor_.now().span);
    }
    std::int64_t end = bound("ends"), stride = 1;
    if (cursor_.take_if(",")) {
      Span span = cursor_.now().span;
      bool negative = cursor_.take_if("-");
      stride = integer("The stride of a window");
      if (negative || stride == 0) cursor_.fail(UserError("The stride of a window must be positive"), span);
    }
    if (end < first)
      cursor_.fail(UserError(fmt::format("The window ends at {}, before it begins at {}", end, first)),
                   cursor_.span_from(begin));
    index.offset = first;
    index.terms[0].factor = stride;
    index.extent = (end - first + stride - 1) / stride;
  }

  std::int64_t bound(const char* where) {
    Span span = cursor_.now().span;
    if (cursor_.take_if("-")) cursor_.fail(UserError(fmt::format("A window {} at 0 or above", where)), span);
    return integer("A bound of a window");
  }

  void list(IndexUse& index) {
    Token brace = cursor_.take();
    while (!cursor_.now().is("}")) {
      if (cursor_.now().is("-")) cursor_.fail(UserError("Coordinates begin at 0"), cursor_.now().span);
      index.list.push_back(integer("A coordinate of a list"));
      if (!cursor_.take_if(",")) break;
    }
    if (!cursor_.take_if("}"))
      cursor_.fail(UserError(fmt::format("Missing '}}' to match the '{{' at {}",
                                         describe_place(cursor_.source(), brace.span.begin))),
                   cursor_.now().span);
    if (index.list.empty())
      cursor_.fail(UserError("The set of coordinates is empty"), cursor_.span_from(brace.span.begin));
    index.extent = static_cast<std::int64_t>(index.list.size());
  }

  // --- Numbers -------------------------------------------------------------------------------------

  std::int64_t integer(const std::string& what) {
    Token token = cursor_.now();
    if (token.kind == TokenKind::End) cursor_.fail(missing_parenthesis(cursor_.source(), open_), token.span);
    if (!token.is_integer()) cursor_.fail(no_integer(what, token.text), token.span);
    cursor_.take();
    return bounded(token.value.as_int());
  }
  std::int64_t scaled(std::int64_t a, std::int64_t b) const {
    std::int64_t product;
    if (__builtin_mul_overflow(a, b, &product)) return bounded(std::numeric_limits<std::int64_t>::max());
    return bounded(product);
  }
  std::int64_t bounded(std::int64_t value) const {
    if (value > largest_number || value < -largest_number)
      cursor_.fail(UserError("This number is too large for an index"), cursor_.before().span);
    return value;
  }

  static UserError not_affine(const std::string& written) {
    return UserError(fmt::format("Unexpected '{}' in an index", written))
        .hint("an index is a sum of integers and of index variables with integer factors, as in 2*i+j-1");
  }

  Cursor& cursor_;
  const TensorNames& tensors_;
  const Token& tensor_;
  const Token& open_;
  int begin_ = 0;    // where the index begins
  int nesting_ = 0;  // in how many other indices it stands
};

}  // namespace

IndexUse parse_index(Cursor& cursor, const TensorNames& tensors, const Token& tensor, const Token& open) {
  return IndexParser(cursor, tensors, tensor, open)();
}

}  // namespace filigree::notation
