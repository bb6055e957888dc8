// Protocolized notation -> text, with as few parentheses as parse() needs.
#include "autoschedule/statement.h"
#include "support/text.h"

namespace filigree::autoschedule {
namespace {

constexpr int primary = 1000;  // binds tighter than any operator

/// What parse() reads as the same value of the same type: "2", "2.0", "uint8(2)".
std::string number_text(const Scalar& value) {
  if (value.type() == ElementType::Bool) return value.as_bool() ? "true" : "false";
  std::string digits = to_string(value);
  bool looks_whole = digits.find_first_of(".einf") == std::string::npos;
  if (value.type() == ElementType::Float64) return looks_whole ? digits + ".0" : digits;
  bool says_type = value.type() == ElementType::Int64 || is_complex(value.type());
  return says_type ? digits : to_string(value.type()) + "(" + digits + ")";
}

int precedence(const Expr& expr) {
  const Apply* apply = expr.as<Apply>();
  if (const Number* number = expr.as<Number>()) return number_text(number->value).front() == '-' ? 0 : primary;
  return apply && facts(apply->op).notation != Notation::Call ? facts(apply->op).precedence : primary;
}

std::string within(const Expr& expr, bool parentheses) {
  return parentheses ? "(" + to_string(expr) + ")" : to_string(expr);
}

std::string apply_text(const Apply& apply) {
  const OperatorFacts& known = facts(apply.op);
  std::vector<std::string> parts;
  if (known.notation == Notation::Call) {
    for (const Expr& operand : apply.operands) parts.push_back(to_string(operand));
    return std::string(known.symbol) + "(" + join(parts, ", ") + ")";
  }
  if (known.notation == Notation::Prefix)
    return known.symbol + (" " + within(apply.operands[0], precedence(apply.operands[0]) <= known.precedence));
  for (size_t n = 0; n < apply.operands.size(); n++) {
    int inner = precedence(apply.operands[n]);
    parts.push_back(within(apply.operands[n], inner < known.precedence || (inner == known.precedence)));
  }
  return join(parts, std::string(" ") + known.symbol + " ");
}

}  // namespace

std::string to_string(const Access& access) {
  if (access.modes.empty()) return access.tensor;
  std::vector<std::string> modes;
  for (const Mode& mode : access.modes) modes.push_back(std::string(1, letter(mode.protocol)) + "(" + mode.index + ")");
  return access.tensor + "(" + join(modes, ",") + ")";
}

std::string to_string(const Expr& expr) {
  return match(
      expr, [](const Number& n) { return number_text(n.value); }, [](const Access& n) { return to_string(n); },
      [](const Apply& n) { return apply_text(n); });
}

std::string to_string(const Stmt& stmt) {
  return match(
      stmt, [](const Forall& n) { return "forall(" + n.index + ", " + to_string(n.body) + ")"; },
      [](const Where& n) { return "where(" + to_string(n.consumer) + ", " + to_string(n.producer) + ")"; },
      [](const Assign& n) {
        std::string op = n.op ? facts(*n.op).symbol : "";
        return to_string(n.lhs) + " " + op + "= " + to_string(n.rhs);
      });
}

}  // namespace filigree::autoschedule
