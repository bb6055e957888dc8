#include "notation/parse_errors.h"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include "algebra/operator.h"
#include "notation/reductions.h"
#include "notation/syntax.h"

namespace filigree::notation {

const char* const padding_function = "pad";
const char* const example_hint = "write an assignment such as y(i) = A(i,j)*x(j)";

namespace {

bool contains(std::initializer_list<const char*> names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Reserved: these will be functions and reductions, so no expression may depend on their being tensors.
bool is_later_function(const std::string& name) { return contains({"sqrt", "exp", "log", "abs", "select"}, name); }
bool is_later_reduction(const std::string& name) { return contains({"any", "all", "count"}, name); }

bool is_math_function(const std::string& name) {
  return contains({"sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "pow", "floor", "ceil", "round",
                   "sign", "real", "imag", "relu", "sigmoid", "log2", "log10", "log1p", "exp2", "expm1"}, name);
}

std::vector<std::string> all_functions() {
  std::vector<std::string> names = function_names();
  for (const std::string& name : reduction_names()) names.push_back(name);
  return names;
}

bool starts_operand(const Token& token) {
  return token.kind == TokenKind::Name || token.kind == TokenKind::Number || token.is("(");
}

}  // namespace

bool is_function_name(const std::string& name) {
  return name == padding_function || find_function(name) || find_reduction(name) || is_later_function(name) || is_later_reduction(name);
}

bool is_likely_function(const std::string& name) {
  return is_math_function(name) || (name.size() > 2 && did_you_mean(name, all_functions()));
}

UserError not_yet(const std::string& what, const std::string& example) {
  return UserError(fmt::format("{} '{}' is not supported yet", what, example));
}

UserError function_not_yet(const std::string& name) {
  return not_yet(is_later_reduction(name) ? "Reduction" : "Function", name)
      .hint("if '" + name + "' is a tensor, give it another name");
}

UserError no_function(const std::string& name) {
  if (is_math_function(name)) return not_yet("Function", name);
  UserError error(fmt::format("There is no function '{}'", name));
  std::optional<std::string> close = did_you_mean(name, all_functions());
  if (close) return std::move(error).hint(fmt::format("did you mean '{}'?", *close));
  return std::move(error).hint(fmt::format("the indices of a tensor are index variables, as in {}(i,j)", name));
}

UserError function_on_the_left(const std::string& name) {
  return UserError(fmt::format("'{}' is the name of a function and cannot be the result", name)).hint("give the result another name");
}

UserError unknown_assignment(const std::string& written) {
  if (written == "or=" || written == "and=") return not_yet("Assignment", written);
  UserError error(fmt::format("There is no assignment '{}'", written));
  std::optional<std::string> close = did_you_mean(written, {"min=", "max="});
  return std::move(error).hint(close ? fmt::format("did you mean '{}'?", *close) : "assignments are = += -= *= min= max=");
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
  return error;
}

UserError missing_index(const Token& before, const Token& found) {
  if (before.is("(")) return UserError(fmt::format("Missing an index variable before '{}'", found.text));
  return UserError("Missing an index variable after ','");
}

UserError missing_parenthesis(const Token& open) {
  return UserError(fmt::format("Missing ')' to match the '(' at column {}", open.span.begin + 1));
}

UserError no_index(const std::string& tensor, const std::string& written) {
  return UserError(fmt::format("An index of '{}' must be an index variable, not '{}'", tensor, written))
      .hint(fmt::format("write {}(i,j) for a tensor", tensor));
}

UserError not_one_operand(const std::string& function, int count) {
  return UserError(fmt::format("'{}' takes one operand, not {}", function, count));
}

UserError too_few_operands(const std::string& function, int count) {
  return UserError(fmt::format("'{}' needs at least two operands, not {}", function, count))
      .hint(fmt::format("to reduce over an index variable, write {}_over(k, ...)", function));
}

UserError reduction_without_variable(const std::string& reduction) {
  return UserError(fmt::format("'{}' does not say which index variables it runs over", reduction))
      .hint(fmt::format("write {}(k, ...)", reduction));
}

UserError nested_too_deeply() {
  return UserError(fmt::format("The expression is nested more than {} levels deep", max_nesting))
      .hint("compute parts of it into tensors of their own");
}

UserError too_many_operators() {
  return UserError(fmt::format("The expression chains more than {} operators", max_depth - 1))
      .hint("compute parts of it into tensors of their own");
}

UserError leftover(const Token& found) {
  if (contains({"==", "!=", "<", "<=", ">", ">="}, found.text)) return not_yet("Comparison", found.text);
  if (found.is(";")) return UserError("Several statements in one expression are not supported yet").hint("compile one kernel per statement");
  if (found.is(")")) return UserError("Unexpected ')' without a matching '('");
  if (found.text.ends_with("=")) return UserError(fmt::format("Unexpected '{}'", found.text)).hint("a statement has one assignment");
  if (starts_operand(found)) return UserError(fmt::format("Missing operator before '{}'", found.text)).hint("write '*' to multiply");
  return UserError(fmt::format("Unexpected '{}' after the expression", found.text));
}

}  // namespace filigree::notation
