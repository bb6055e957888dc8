#include "ir/simplify_expression.h"

#include <limits>

#include "ir/rewrite.h"

namespace filigree::ir {
namespace {

bool is_integral(ElementType type) { return is_integer(type) || type == ElementType::Bool; }

const Literal* integral_literal(const Expr& expr) {
  const Literal* literal = expr.as<Literal>();
  return literal && is_integral(expr.type()) ? literal : nullptr;
}

Expr integer_of(ElementType type, std::int64_t value) { return Literal{Scalar::of(type, value)}; }

/// The operator that holds exactly when `op` does not, for operands that are never NaN.
std::optional<Operator> opposite(Operator op) {
  if (op == Operator::Equal) return Operator::NotEqual;
  if (op == Operator::NotEqual) return Operator::Equal;
  if (op == Operator::Less) return Operator::GreaterEqual;
  if (op == Operator::GreaterEqual) return Operator::Less;
  if (op == Operator::Greater) return Operator::LessEqual;
  if (op == Operator::LessEqual) return Operator::Greater;
  return std::nullopt;
}

/// The opposite of a comparison of integers.
std::optional<Expr> opposite(const Expr& value) {
  const Apply* comparison = value.as<Apply>();
  if (!comparison || !opposite(comparison->op)) return std::nullopt;
  if (!is_integral(comparison->operands[0].type()) || !is_integral(comparison->operands[1].type())) return std::nullopt;
  return Expr(Apply{*opposite(comparison->op), comparison->operands});
}

Expr simplify_not(const Expr& expr, const Expr& value) {
  if (is_true(value)) return boolean(false);
  if (is_false(value)) return boolean(true);
  const Apply* inner = value.as<Apply>();
  if (inner && inner->op == Operator::Not) return inner->operands[0];
  if (std::optional<Expr> turned = opposite(value)) return *turned;
  if (inner && inner->op == Operator::And) {  // outside of a range
    std::optional<Expr> a = opposite(inner->operands[0]), b = opposite(inner->operands[1]);
    if (a && b) return Apply{Operator::Or, {*a, *b}};
  }
  return expr;
}

/// x + 3 + 4 is x + 7: the innermost sum of a variable part and a literal, in one type that wraps.
Expr fold_sum(Operator op, const Expr& a, const Expr& b, const Expr& expr) {
  const Literal* outer = integral_literal(b);
  const Apply* inner = a.as<Apply>();
  if (!outer || !inner || a.type() != expr.type() || b.type() != expr.type()) return expr;
  if (inner->op != Operator::Add && inner->op != Operator::Subtract) return expr;
  const Literal* middle = integral_literal(inner->operands[1]);
  if (!middle || inner->operands[0].type() != expr.type() || inner->operands[1].type() != expr.type()) return expr;
  auto signed_value = [](Operator sign, const Literal* literal) {
    auto bits = static_cast<std::uint64_t>(literal->value.as_int());
    return sign == Operator::Add ? bits : 0 - bits;
  };
  std::uint64_t total = signed_value(inner->op, middle) + signed_value(op, outer);
  Expr sum = integer_of(expr.type(), static_cast<std::int64_t>(total));
  return is_literal(sum, 0) ? inner->operands[0] : Expr(Apply{Operator::Add, {inner->operands[0], sum}});
}

/// `keep` when dropping the other operand does not change the type.
Expr keep_if_typed(const Expr& keep, const Expr& expr) { return keep.type() == expr.type() ? keep : expr; }

Expr simplify_arithmetic(Operator op, const Expr& a, const Expr& b, const Expr& expr) {
  bool same = a.type() == b.type() && a == b;
  switch (op) {
    case Operator::Add:
      if (is_literal(a, 0)) return keep_if_typed(b, expr);
      if (is_literal(b, 0)) return keep_if_typed(a, expr);
      return fold_sum(op, a, b, expr);
    case Operator::Subtract:
      if (is_literal(b, 0)) return keep_if_typed(a, expr);
      if (same) return integer_of(expr.type(), 0);
      return fold_sum(op, a, b, expr);
    case Operator::Multiply:
      if (is_literal(a, 0) || is_literal(b, 0)) return integer_of(expr.type(), 0);
      if (is_literal(a, 1)) return keep_if_typed(b, expr);
      if (is_literal(b, 1)) return keep_if_typed(a, expr);
      return expr;
    case Operator::Min:
    case Operator::Max: return same ? a : expr;
    case Operator::Equal:
    case Operator::LessEqual:
    case Operator::GreaterEqual: return same ? boolean(true) : expr;
    case Operator::NotEqual:
    case Operator::Less:
    case Operator::Greater: return same ? boolean(false) : expr;
    case Operator::And:
      if (is_true(a) || is_false(b)) return b;
      if (is_true(b) || is_false(a) || same) return a;
      return expr;
    case Operator::Or:
      if (is_false(a) || is_true(b)) return b;
      if (is_false(b) || is_true(a) || same) return a;
      return expr;
    case Operator::Quotient: return is_literal(b, 1) ? keep_if_typed(a, expr) : expr;
    case Operator::Modulus: return is_literal(b, 1) ? integer_of(expr.type(), 0) : expr;
    default: return expr;  // of the others, constants fold
  }
}

/// Does the function change nothing about values of this type?
bool leaves_as_it_is(Operator op, ElementType type) {
  if (op == Operator::Conjugate || op == Operator::Real) return !is_complex(type);
  if (op == Operator::Floor || op == Operator::Ceil) return is_integral(type);
  if (op == Operator::Abs || op == Operator::Relu) return is_integral(type) && !is_signed_integer(type);
  return op == Operator::Sign && type == ElementType::Bool;
}

Expr simplify_select(const Expr& expr, const Apply& node) {
  const Expr& condition = node.operands[0];
  if (!is_true(condition) && !is_false(condition)) return expr;
  return keep_if_typed(node.operands[is_true(condition) ? 1 : 2], expr);
}

Expr simplify_apply(const Expr& expr) {
  const Apply& node = *expr.as<Apply>();
  if (leaves_as_it_is(node.op, node.operands[0].type())) return node.operands[0];
  if (node.op == Operator::Select) return simplify_select(expr, node);
  for (const Expr& operand : node.operands) {
    if (!is_integral(operand.type())) return expr;
  }
  const Expr& a = node.operands[0];
  if (node.op == Operator::Not) return simplify_not(expr, a);
  if (is_user_function(node.op)) return expr;  // its C text says what it is
  const Literal* x = integral_literal(a);
  if (node.op == Operator::Negate) return x ? Expr(Literal{evaluate(node.op, {x->value})}) : expr;
  if (node.op == Operator::Divide || node.operands.size() != 2) return expr;
  const Expr& b = node.operands[1];
  const Literal* y = integral_literal(b);
  // What breaks the rule for divisions stays, for the interpreter to report.
  bool divides = node.op == Operator::Quotient || node.op == Operator::Modulus;
  if (x && y && (!divides || may_divide(x->value, y->value)))
    return Literal{evaluate(node.op, {x->value, y->value}).cast(expr.type())};
  return simplify_arithmetic(node.op, a, b, expr);
}

/// What an index was before it was widened, if it is converted to an integer anyway.
Expr without_widening(const Expr& value, ElementType target) {
  const Cast* inner = value.as<Cast>();
  if (!inner || !is_integer(target) || !is_integer(inner->type)) return value;
  ElementType source = inner->value.type();
  return is_integral(source) && promote(source, inner->type) == inner->type ? inner->value : value;
}

}  // namespace

Expr simplify(const Expr& expr) {
  Expr done = map_children(expr, [](const Expr& child) { return simplify(child); });
  if (done.as<Apply>()) return simplify_apply(done);
  if (const Cast* n = done.as<Cast>()) return convert(without_widening(n->value, n->type), n->type);
  return done;
}

}  // namespace filigree::ir
