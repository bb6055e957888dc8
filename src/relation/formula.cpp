#include "relation/formula.h"

#include <algorithm>

namespace filigree::relation {
namespace {

using Kind = Formula::Kind;

std::int64_t floored(std::int64_t a, std::int64_t b) {
  std::int64_t quotient = a / b;
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// Nothing if it overflows or divides by 0.
std::optional<std::int64_t> compute(Kind kind, std::int64_t a, std::int64_t b) {
  std::int64_t value = 0;
  bool divides = kind == Kind::Quotient || kind == Kind::RoundedUp || kind == Kind::Remainder;
  if (divides && (b == 0 || (a == INT64_MIN && b == -1))) return std::nullopt;
  switch (kind) {
    case Kind::Add: return __builtin_add_overflow(a, b, &value) ? std::nullopt : std::optional(value);
    case Kind::Subtract: return __builtin_sub_overflow(a, b, &value) ? std::nullopt : std::optional(value);
    case Kind::Multiply: return __builtin_mul_overflow(a, b, &value) ? std::nullopt : std::optional(value);
    case Kind::Quotient: return floored(a, b);
    case Kind::RoundedUp: return floored(a, b) + (a % b != 0 ? 1 : 0);
    case Kind::Remainder: return a - floored(a, b) * b;
    case Kind::Min: return std::min(a, b);
    default: return std::max(a, b);
  }
}

}  // namespace

struct Formula::Node {
  Kind kind;
  int subject = 0;
  std::vector<Formula> operands = {};
  std::vector<std::int64_t> list = {};
  std::int64_t constant = 0;
};

Formula::Formula(Kind kind, int subject, std::vector<Formula> operands, std::vector<std::int64_t> list)
    : node_(std::make_shared<const Node>(Node{kind, subject, std::move(operands), std::move(list)})) {}

Formula Formula::number(std::int64_t value) {
  Formula formula(Kind::Number, 0);
  formula.node_ = std::make_shared<const Node>(Node{Kind::Number, 0, {}, {}, value});
  return formula;
}

Formula Formula::coordinate_at(Storage storage, Formula position) {
  return Formula(Kind::CoordinateAt, storage, {std::move(position)});
}
Formula Formula::position_of(Storage storage, Formula coordinate) {
  return Formula(Kind::PositionOf, storage, {std::move(coordinate)});
}
Formula Formula::entry(std::vector<std::int64_t> list, Formula number) {
  return Formula(Kind::Entry, 0, {std::move(number)}, std::move(list));
}
Formula Formula::number_of(std::vector<std::int64_t> list, Formula entry) {
  return Formula(Kind::NumberOf, 0, {std::move(entry)}, std::move(list));
}

Formula Formula::binary(Kind kind, const Formula& a, const Formula& b) {
  if (a.kind() == Kind::Number && b.kind() == Kind::Number) {
    if (std::optional<std::int64_t> value = compute(kind, a.constant(), b.constant())) return number(*value);
  }
  return Formula(kind, 0, {a, b});
}

Formula operator+(const Formula& a, const Formula& b) {
  return a.is(0) ? b : b.is(0) ? a : Formula::binary(Kind::Add, a, b);
}
Formula operator-(const Formula& a, const Formula& b) { return b.is(0) ? a : Formula::binary(Kind::Subtract, a, b); }
Formula operator*(const Formula& a, const Formula& b) {
  if (a.is(0) || b.is(0)) return Formula::number(0);
  return a.is(1) ? b : b.is(1) ? a : Formula::binary(Kind::Multiply, a, b);
}
Formula Formula::quotient(const Formula& a, const Formula& b) { return b.is(1) ? a : binary(Kind::Quotient, a, b); }
Formula Formula::rounded_up(const Formula& a, const Formula& b) { return b.is(1) ? a : binary(Kind::RoundedUp, a, b); }
Formula Formula::remainder(const Formula& a, const Formula& b) {
  return b.is(1) ? number(0) : binary(Kind::Remainder, a, b);
}
Formula Formula::min(const Formula& a, const Formula& b) { return a == b ? a : binary(Kind::Min, a, b); }
Formula Formula::max(const Formula& a, const Formula& b) { return a == b ? a : binary(Kind::Max, a, b); }

Formula::Kind Formula::kind() const { return node_->kind; }
std::int64_t Formula::constant() const { return node_->constant; }
int Formula::subject() const { return node_->subject; }
const std::vector<Formula>& Formula::operands() const { return node_->operands; }
const std::vector<std::int64_t>& Formula::list() const { return node_->list; }

bool operator==(const Formula& a, const Formula& b) {
  if (a.node_ == b.node_) return true;
  return a.kind() == b.kind() && a.constant() == b.constant() && a.subject() == b.subject() && a.list() == b.list() &&
         a.operands() == b.operands();
}

std::optional<std::int64_t> evaluate(const Formula& formula, const Facts& facts) {
  std::vector<std::int64_t> operands;
  for (const Formula& operand : formula.operands()) {
    std::optional<std::int64_t> value = evaluate(operand, facts);
    if (!value) return std::nullopt;
    operands.push_back(*value);
  }
  const std::vector<std::int64_t>& list = formula.list();
  switch (formula.kind()) {
    case Kind::Number: return formula.constant();
    case Kind::Value: return facts.value(formula.subject());
    case Kind::Extent: return facts.extent(formula.subject());
    case Kind::Begin: return facts.begin(formula.subject());
    case Kind::End: return facts.end(formula.subject());
    case Kind::CoordinateAt: return facts.coordinate_at(formula.subject(), operands[0]);
    case Kind::PositionOf: return facts.position_of(formula.subject(), operands[0]);
    case Kind::Entry:
      return operands[0] < 0 || operands[0] >= static_cast<std::int64_t>(list.size())
                 ? std::nullopt
                 : std::optional(list[static_cast<std::size_t>(operands[0])]);
    case Kind::NumberOf: {
      auto found = std::find(list.begin(), list.end(), operands[0]);
      return found == list.end() ? std::nullopt : std::optional<std::int64_t>(found - list.begin());
    }
    default: return compute(formula.kind(), operands[0], operands[1]);
  }
}

std::string to_string(const std::vector<std::int64_t>& list) {
  std::string text;
  for (std::int64_t entry : list) text += (text.empty() ? "" : ",") + std::to_string(entry);
  return "{" + text + "}";
}

namespace {

/// How tightly the symbol binds; what has a name binds most.
int precedence(Kind kind) {
  if (kind == Kind::Add || kind == Kind::Subtract) return 1;
  return kind == Kind::Multiply || kind == Kind::Quotient || kind == Kind::Remainder ? 2 : 3;
}

}  // namespace

std::string to_string(const Formula& formula, const FormulaNames& names) {
  auto variable = [&] { return names.variables.at(static_cast<std::size_t>(formula.subject())); };
  auto storage = [&] { return names.storages.at(static_cast<std::size_t>(formula.subject())); };
  auto operand = [&](std::size_t n) { return to_string(formula.operands()[n], names); };
  auto infix = [&](const char* symbol) {
    int own = precedence(formula.kind());
    std::string text[2];
    for (std::size_t n : {0, 1}) {
      int inner = precedence(formula.operands()[n].kind());
      text[n] = inner < own || (n == 1 && inner == own) ? "(" + operand(n) + ")" : operand(n);
    }
    return text[0] + symbol + text[1];
  };
  auto call = [&](const std::string& name) { return name + "(" + operand(0) + ", " + operand(1) + ")"; };
  switch (formula.kind()) {
    case Kind::Number: return std::to_string(formula.constant());
    case Kind::Value: return variable();
    case Kind::Extent: return "extent(" + variable() + ")";
    case Kind::Begin: return "begin(" + storage() + ")";
    case Kind::End: return "end(" + storage() + ")";
    case Kind::CoordinateAt: return "coordinate(" + storage() + ", " + operand(0) + ")";
    case Kind::PositionOf: return "position(" + storage() + ", " + operand(0) + ")";
    case Kind::Entry: return to_string(formula.list()) + "[" + operand(0) + "]";
    case Kind::NumberOf: return "number(" + to_string(formula.list()) + ", " + operand(0) + ")";
    case Kind::Add: return infix(" + ");
    case Kind::Subtract: return infix(" - ");
    case Kind::Multiply: return infix("*");
    case Kind::Quotient: return infix("/");
    case Kind::Remainder: return infix("%");
    case Kind::RoundedUp: return call("rounded_up");
    case Kind::Min: return call("min");
    case Kind::Max: return call("max");
  }
  return {};
}

}  // namespace filigree::relation
