#include "notation/parse_errors.h"

#include <fmt/format.h>

#include "algebra/operator.h"
#include "notation/reductions.h"
#include "notation/syntax.h"
#include "support/text.h"

namespace filigree::notation {

const char* const padding_function = "pad";
const char* const pruning_function = "prune";
const char* const wrapping_function = "wrap";
const char* const example_hint = "write an assignment such as y(i) = A(i,j)*x(j)";

namespace {

constexpr const char* counted_operands[] = {"no operand", "one operand", "two operands", "three operands"};

bool starts_operand(const Token& token) {
  return token.kind == TokenKind::Name || token.kind == TokenKind::Number || token.is("(");
}

}  // namespace

bool is_function_name(const std::string& name) {
  bool is_marker = name == padding_function || name == wrapping_function || name == pruning_function;
  return is_marker || find_function(name) || find_reduction(name) || name == "count" || name == "reduce";
}

UserError function_on_the_left(const std::string& name) {
  return UserError(fmt::format("'{}' is the name of a function and cannot be the result", name))
      .hint("give the result another name");
}

UserError unknown_assignment(const std::string& written) {
  UserError error(fmt::format("There is no assignment '{}'", written));
  std::vector<std::string> known = {"=", "+=", "-=", "*=", "/="}, words;
  for (const std::string& symbol : reducing_symbols()) {
    if (is_identifier(symbol)) words.push_back(symbol + "=");
  }
  known.insert(known.end(), words.begin(), words.end());
  std::optional<std::string> close = did_you_mean(written, words);
  return std::move(error).hint(close ? fmt::format("did you mean '{}'?", *close)
                                     : "assignments are " + join(known, " "));
}

UserError not_reducing(const std::string& symbol) {
  if (symbol.empty()) return UserError("Missing an operator after '('").hint("write reduce(op, k, ...)");
  std::optional<Operator> op = find_operator(symbol);
  std::optional<Operator> function = find_function(symbol);
  std::string why = op         ? facts(*op).associative && facts(*op).commutative ? "it has no identity to start from"
                                                                                  : "the order of its operands matters"
                    : function ? fmt::format("it takes {}, not two", counted_operands[facts(*function).arity])
                               : "it is no operator";
  return UserError(fmt::format("'{}' cannot reduce: {}", symbol, why))
      .hint("operators that can are " + join(reducing_symbols(), " "));
}

UserError chained_comparison() {
  return UserError("A comparison cannot be compared again").hint("write (a < b) and (b < c)");
}

UserError assignment_in_two(const std::string& operation) {
  return UserError(fmt::format("There is a space between '{}' and '='", operation))
      .hint(fmt::format("write {}=", operation));
}

UserError missing_assignment(const std::string& left, const Token& found) {
  UserError error(fmt::format("Missing '=' after '{}'", left));
  if (found.is("==")) return std::move(error).hint("assign with a single '='");
  return std::move(error).hint(example_hint);
}

UserError missing_operand(const Token& before, const Token& found) {
  bool assigns = before.text.ends_with("=");
  if (found.kind == TokenKind::End) {
    return UserError(fmt::format("Missing an {} after '{}'", assigns ? "expression" : "operand", before.text));
  }
  UserError error(fmt::format("Missing an operand between '{}' and '{}'", before.text, found.text));
  if (found.is("+")) return std::move(error).hint("there is no unary '+'");
  if (found.is("and") || found.is("or") || found.is("xor"))
    return std::move(error).hint(fmt::format("'{0}' stands between its operands: a {0} b", found.text));
  if (found.is("not")) return std::move(error).hint("put 'not' and its operand into parentheses");
  return error;
}

UserError missing_index(const Token& before, const Token& found) {
  if (before.is("(")) return UserError(fmt::format("Missing an index variable before '{}'", found.text));
  return UserError("Missing an index variable after ','");
}

UserError missing_parenthesis(const Source& source, const Token& open) {
  return UserError(fmt::format("Missing ')' to match the '(' at {}", describe_place(source, open.span.begin)));
}

UserError missing_parenthesis_after(const std::string& written, const std::string& operation) {
  return UserError(fmt::format("Missing ')' after '{}'", written))
      .hint(fmt::format("close the indices before '{}'", operation));
}

UserError access_in_index(const std::string& tensor, const std::string& access, const std::string& instead) {
  return UserError(fmt::format("'{}(...)' stands inside the indices of '{}'", access, tensor))
      .hint(fmt::format("write {}; tensors are no functions", instead));
}

UserError list_without_variable() {
  return UserError("Unexpected '{' in an index")
      .hint("a list of coordinates needs an index variable, as in i({1,4,7})");
}

UserError no_integer(const std::string& what, const std::string& written) {
  UserError error(fmt::format("{} must be an integer, not '{}'", what, written));
  return what.ends_with("window")
             ? std::move(error).hint("write i(2,10) for the coordinates 2, 3, ..., 9, or i(2,10,3) for 2, 5, 8")
             : error;
}

UserError no_index(const std::string& tensor, const std::string& written) {
  UserError error(fmt::format("An index of '{}' must be an index variable, not '{}'", tensor, written));
  std::size_t digits = written.find_first_not_of("0123456789");
  bool is_multiple = digits != 0 && digits != std::string::npos &&
                     written.find_first_not_of("abcdefghijklmnopqrstuvwxyz", digits) == std::string::npos;
  if (is_multiple)
    return std::move(error).hint(
        fmt::format("write {}({}*{}) for a multiple", tensor, written.substr(0, digits), written.substr(digits)));
  return std::move(error).hint(fmt::format("write {}(i,j) for a tensor", tensor));
}

UserError wrong_operands(const std::string& function, int wanted, int count) {
  UserError error(fmt::format("'{}' takes {}, not {}", function, counted_operands[wanted], count));
  return function == "select" ? std::move(error).hint(fmt::format("write {}", select_use)) : error;
}

UserError too_few_operands(const std::string& function, int count, const std::string& variables,
                           const std::string& body) {
  Operator op = *find_function(function);
  std::string reduction = facts(op).reduction ? fmt::format("{}({}, {})", facts(op).reduction, variables, body)
                                              : fmt::format("reduce({}, {}, {})", function, variables, body);
  UserError error(fmt::format("'{}' needs at least two operands, not {}", function, count));
  return can_reduce(op)
             ? std::move(error).hint(fmt::format(
                   "to reduce over {}, write {}",
                   variables.find(',') == std::string::npos ? "an index variable" : "index variables", reduction))
             : error;
}

UserError reduction_without_variable(const std::string& reduction, const std::string& variables,
                                     const std::string& body) {
  return UserError(fmt::format("'{}' does not say which index variables it runs over", reduction))
      .hint(fmt::format("write {}({}{}, {})", reduction, reduction == "reduce" ? "op, " : "", variables, body));
}

UserError missing_comma(const std::string& opening, const std::string& variable) {
  return UserError(fmt::format("Missing ',' after '{}'", variable))
      .hint(fmt::format("write {}{}, ...)", opening, variable));
}

UserError variable_behind(const std::string& opening, const std::string& variable) {
  return UserError("Index variables stand before the expression that is reduced")
      .hint(fmt::format("write {}{}, ...)", opening, variable));
}

UserError nested_too_deeply() {
  return UserError(fmt::format("The expression is nested more than {} levels deep", max_nesting - 1))
      .hint("compute parts of it into tensors of their own");
}

UserError too_many_operators() {
  return UserError(fmt::format("The expression chains more than {} operators", max_depth - 1))
      .hint("compute parts of it into tensors of their own");
}

UserError too_many_indices(const std::string& tensor) {
  return UserError(
             fmt::format("'{}' has more than {} indices, which is the most that a tensor can have", tensor, max_order))
      .hint("store it with fewer dimensions, several of them as one");
}

UserError several_statements() {
  return UserError("Unexpected ';': one statement is wanted here, not several").hint("parse_program() reads several");
}

UserError missing_statement(bool at_end) {
  return UserError(fmt::format("There is no statement {} this ';'", at_end ? "behind" : "before"))
      .hint("remove the ';', which only stands between statements");
}

UserError missing_separator(const Token& found) {
  return UserError(fmt::format("Missing ';' before '{}'", found.text)).hint("statements are separated by ';'");
}

bool assigns(const Token& token) {
  return token.is("=") || token.is("+=") || token.is("-=") || token.is("*=") || token.is("/=");
}

UserError word_as_name(const std::string& word) {
  return UserError(fmt::format("'{}' is a word of index notation and cannot be a tensor", word))
      .hint("give the tensor another name");
}

UserError leftover(const Token& found, const Token& following) {
  if (found.is(")")) return UserError("Unexpected ')' without a matching '('");
  if (found.is("not")) return UserError("Missing operator before 'not'").hint("write 'and not', or '!=' to compare");
  bool by_word = following.is("=") && find_operator(found.text);
  if (by_word || found.text.ends_with("="))
    return UserError(fmt::format("Unexpected '{}{}'", found.text, by_word ? "=" : ""))
        .hint("a statement has one assignment");
  if (found.text == "if") return UserError("Unexpected 'if'").hint(fmt::format("write {}", select_use));
  if (starts_operand(found))
    return UserError(fmt::format("Missing operator before '{}'", found.text)).hint("write '*' to multiply");
  return UserError(fmt::format("Unexpected '{}' after the expression", found.text));
}

UserError prune_inside() {
  return UserError("'prune' says what the result stores, so it stands around the whole right-hand side")
      .hint("give this part a statement of its own, as in T(i) = prune(...); y(i) = T(i) + 1");
}

}  // namespace filigree::notation
