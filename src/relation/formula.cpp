#include "relation/formula.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

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
  std::optional<IndexVar> var = {};
  std::vector<Formula> operands = {};
  std::vector<std::int64_t> list = {};
  std::int64_t constant = 0;
};

Formula::Formula(Node node) : node_(std::make_shared<const Node>(std::move(node))) {}

Formula Formula::number(std::int64_t value) { return Formula(Node{Kind::Number, {}, {}, {}, value}); }
Formula Formula::value(const IndexVar& var) { return Formula(Node{Kind::Value, var}); }
Formula Formula::extent(const IndexVar& var) { return Formula(Node{Kind::Extent, var}); }
Formula Formula::entry(std::vector<std::int64_t> list, Formula number) {
  return Formula(Node{Kind::Entry, {}, {std::move(number)}, std::move(list)});
}

Formula Formula::binary(Kind kind, const Formula& a, const Formula& b) {
  if (a.kind() == Kind::Number && b.kind() == Kind::Number) {
    if (std::optional<std::int64_t> value = compute(kind, a.constant(), b.constant())) return number(*value);
  }
  return Formula(Node{kind, {}, {a, b}});
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
std::optional<std::int64_t> Formula::known() const {
  return kind() == Kind::Number ? std::optional(constant()) : std::nullopt;
}
const IndexVar& Formula::var() const { return *node_->var; }
const std::vector<Formula>& Formula::operands() const { return node_->operands; }
const std::vector<std::int64_t>& Formula::list() const { return node_->list; }

bool operator==(const Formula& a, const Formula& b) {
  if (a.node_ == b.node_) return true;
  return a.kind() == b.kind() && a.constant() == b.constant() && a.node_->var == b.node_->var && a.list() == b.list() &&
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
    case Kind::Value: return facts.value(formula.var());
    case Kind::Extent: return facts.extent(formula.var());
    case Kind::Entry:
      return operands[0] < 0 || operands[0] >= static_cast<std::int64_t>(list.size())
                 ? std::nullopt
                 : std::optional(list[static_cast<std::size_t>(operands[0])]);
    default: return compute(formula.kind(), operands[0], operands[1]);
  }
}

namespace {

/// How tightly the symbol binds; what has a name binds most.
int precedence(Kind kind) {
  if (kind == Kind::Add || kind == Kind::Subtract) return 1;
  return kind == Kind::Multiply || kind == Kind::Quotient || kind == Kind::Remainder ? 2 : 3;
}

}  // namespace

std::string to_string(const Formula& formula, const std::function<std::string(const IndexVar&)>& name) {
  auto operand = [&](std::size_t n) { return to_string(formula.operands()[n], name); };
  auto infix = [&](const char* symbol) {
    int own = precedence(formula.kind());
    std::string text[2];
    for (std::size_t n : {0, 1}) {
      int inner = precedence(formula.operands()[n].kind());
      text[n] = inner < own || (n == 1 && inner == own) ? "(" + operand(n) + ")" : operand(n);
    }
    return text[0] + symbol + text[1];
  };
  auto call = [&](const std::string& function) { return function + "(" + operand(0) + ", " + operand(1) + ")"; };
  switch (formula.kind()) {
    case Kind::Number: return std::to_string(formula.constant());
    case Kind::Value: return name(formula.var());
    case Kind::Extent: return "extent(" + name(formula.var()) + ")";
    case Kind::Entry: return fmt::format("{{{}}}[{}]", fmt::join(formula.list(), ","), operand(0));
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

std::string to_string(const Formula& formula) {
  return to_string(formula, [](const IndexVar& var) { return var.name(); });
}

}  // namespace filigree::relation
