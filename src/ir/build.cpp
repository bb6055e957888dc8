// Construction helpers: integer constants fold, neutral operands drop, conversions that change
// nothing disappear.  Floating-point arithmetic is never folded or reordered here.
#include "ir/ir.h"

namespace filigree::ir {
namespace {

const Literal* integer_literal(const Expr& expr) {
  const Literal* literal = expr.as<Literal>();
  return literal && (is_integer(expr.type()) || expr.type() == ElementType::Bool) ? literal : nullptr;
}

Expr apply(Operator op, const Expr& a, const Expr& b) {
  const Literal* x = integer_literal(a);
  const Literal* y = integer_literal(b);
  bool divides = op == Operator::Quotient || op == Operator::Modulus;
  if (x && y && (!divides || may_divide(x->value, y->value))) return Literal{evaluate(op, {x->value, y->value})};
  return Apply{op, {a, b}};
}

}  // namespace

Var int64_var(const std::string& name) { return Var(name, scalar(ElementType::Int64)); }
Var bool_var(const std::string& name) { return Var(name, scalar(ElementType::Bool)); }

Expr integer(std::int64_t value) { return Literal{Scalar::of(ElementType::Int64, value)}; }
Expr constant(const Scalar& value) { return Literal{value}; }
Expr boolean(bool value) { return Literal{Scalar::boolean(value)}; }

bool is_literal(const Expr& expr, std::int64_t value) {
  const Literal* literal = integer_literal(expr);
  return literal && literal->value.as_int() == value;
}
bool may_divide(const Scalar& a, const Scalar& b) {
  auto not_negative = [](const Scalar& value) { return !is_signed_integer(value.type()) || value.as_int() >= 0; };
  return not_negative(a) && not_negative(b) && !b.is_zero();
}
bool is_true(const Expr& expr) { return expr.type() == ElementType::Bool && is_literal(expr, 1); }
bool is_false(const Expr& expr) { return expr.type() == ElementType::Bool && is_literal(expr, 0); }

Expr add(const Expr& a, const Expr& b) {
  if (is_literal(a, 0)) return b;
  if (is_literal(b, 0)) return a;
  return apply(Operator::Add, a, b);
}
Expr subtract(const Expr& a, const Expr& b) {
  if (is_literal(b, 0)) return a;
  if (is_integer(a.type()) && a == b) return integer(0);
  return apply(Operator::Subtract, a, b);
}
Expr multiply(const Expr& a, const Expr& b) {
  if (is_literal(a, 0) || is_literal(b, 0)) return integer(0);
  if (is_literal(a, 1)) return b;
  if (is_literal(b, 1)) return a;
  return apply(Operator::Multiply, a, b);
}
Expr quotient(const Expr& a, const Expr& b) { return is_literal(b, 1) ? a : apply(Operator::Quotient, a, b); }
Expr remainder(const Expr& a, const Expr& b) { return is_literal(b, 1) ? integer(0) : apply(Operator::Modulus, a, b); }
Expr min(const Expr& a, const Expr& b) { return a == b ? a : apply(Operator::Min, a, b); }
Expr max(const Expr& a, const Expr& b) { return a == b ? a : apply(Operator::Max, a, b); }
Expr less(const Expr& a, const Expr& b) { return apply(Operator::Less, a, b); }
Expr greater_equal(const Expr& a, const Expr& b) { return apply(Operator::GreaterEqual, a, b); }
Expr equal(const Expr& a, const Expr& b) {
  if (a == b && !is_floating(a.type()) && !is_complex(a.type())) return boolean(true);
  return apply(Operator::Equal, a, b);
}
Expr not_equal(const Expr& a, const Expr& b) { return apply(Operator::NotEqual, a, b); }
Expr both(const Expr& a, const Expr& b) {
  if (is_true(a) || is_false(b)) return b;
  if (is_true(b) || is_false(a)) return a;
  return a == b ? a : Expr(Apply{Operator::And, {a, b}});
}
Expr either(const Expr& a, const Expr& b) {
  if (is_false(a) || is_true(b)) return b;
  if (is_false(b) || is_true(a)) return a;
  return a == b ? a : Expr(Apply{Operator::Or, {a, b}});
}
Expr negate(const Expr& condition) {
  if (is_true(condition)) return boolean(false);
  if (is_false(condition)) return boolean(true);
  if (const Apply* n = condition.as<Apply>(); n && n->op == Operator::Not) return n->operands[0];
  return Apply{Operator::Not, {condition}};
}
Expr convert(const Expr& value, ElementType type) {
  if (value.type() == type) return value;
  if (const Literal* literal = value.as<Literal>()) return Literal{literal->value.cast(type)};
  return Cast{type, value};
}
Expr load_index(const Var& array, const Expr& index) { return convert(Load{array, index}, ElementType::Int64); }
Expr call(Function function, std::vector<Expr> arguments) { return Call{function, std::move(arguments)}; }

Stmt block(std::vector<Stmt> statements) {
  std::vector<Stmt> flat;
  for (const Stmt& statement : statements) {
    if (const Block* inner = statement.as<Block>()) {
      flat.insert(flat.end(), inner->statements.begin(), inner->statements.end());
    } else {
      flat.push_back(statement);
    }
  }
  if (flat.size() == 1) return flat[0];
  if (flat.empty()) return Stmt();
  return Block{std::move(flat)};
}
Stmt declare(const Var& var, const Expr& value) { return Declare{var, convert(value, var.type().element)}; }
Stmt assign(const Var& var, const Expr& value) { return Assign{var, convert(value, var.type().element)}; }
Stmt increment(const Var& var) { return Assign{var, add(var, integer(1))}; }
Stmt store(const Var& array, const Expr& index, const Expr& value) {
  return Store{array, index, convert(value, array.type().element)};
}
Stmt if_then(const Expr& condition, const Stmt& then, const Stmt& otherwise) {
  if (is_true(condition)) return then;
  if (is_false(condition)) return otherwise;
  if (then.is_empty() && otherwise.is_empty()) return Stmt();
  if (then.is_empty()) return If{negate(condition), otherwise, Stmt()};
  return If{condition, then, otherwise};
}

}  // namespace filigree::ir
