#include "notation/substitute.h"

#include <algorithm>
#include <cmath>

#include "notation/conditions.h"

namespace filigree::notation {
namespace {

std::optional<Scalar> structural_value(const Expr& expr) {
  const Literal* literal = expr.as<Literal>();
  return literal && literal->structural ? std::optional(literal->value) : std::nullopt;
}

Expr structural(const Scalar& value, Span span) { return Expr(Literal{value, true}, span); }

/// The operand that is left, in the type of the whole: where that is another, the operator stays to convert it, with
/// nothing but values beside it.
Expr only_operand(const Expr& expr, const Apply& apply, int position) {
  if (apply.operands[position].type() == expr.type()) return apply.operands[position];
  std::vector<Expr> operands;
  for (size_t n = 0; n < apply.operands.size(); n++) {
    const Expr& operand = apply.operands[n];
    bool gone = static_cast<int>(n) != position && !operand.as<Literal>();
    operands.push_back(gone ? structural(Scalar(operand.type()), operand.span()) : operand);
  }
  return Expr(Apply{apply.op, operands}, expr.span());
}

/// A literal next to a structural value takes part as a known value: `0 + 2` with an absent left
/// operand is the structural 2.  Alone it stays what the user wrote.
Expr simplify_apply(const Expr& expr, const Apply& apply) {
  std::vector<std::optional<Scalar>> known;
  for (const Expr& operand : apply.operands) known.push_back(structural_value(operand));
  if (std::none_of(known.begin(), known.end(), [](const auto& k) { return k.has_value(); })) return expr;
  for (size_t i = 0; i < known.size(); i++) {
    if (const Literal* literal = apply.operands[i].as<Literal>()) known[i] = literal->value;
  }
  // A stored value may be combined with the literal by this rule only through the structural one.
  Simplified result = simplify_operator(expr, apply, known);
  return match_variant(
      result, [&](const Constant& c) { return structural(c.value.cast(expr.type()), expr.span()); },
      [&](const Operand& o) { return only_operand(expr, apply, o.position); },
      [&](const Negated& n) {
        const Expr& operand = apply.operands[n.position];
        return operand.type() == expr.type() ? Expr(Apply{Operator::Negate, {operand}}, expr.span()) : expr;
      },
      [&](const Unchanged&) { return expr; });
}

Expr simplify_reduce(const Expr& expr, const Reduce& reduce) {
  std::optional<Scalar> value = structural_value(reduce.body);
  if (!value) return expr;
  if (reduce.vars.empty()) return structural(*value, expr.span());  // a mark: computed into a temporary
  std::optional<Scalar> neutral = identity(reduce.op, value->type());
  bool stays = (neutral && *neutral == *value) || facts(reduce.op).idempotent;
  return stays ? structural(value->cast(expr.type()), expr.span()) : expr;
}

Expr simplify_node(const Expr& expr) {
  if (const Apply* apply = expr.as<Apply>()) return simplify_apply(expr, *apply);
  if (const Reduce* reduce = expr.as<Reduce>()) return simplify_reduce(expr, *reduce);
  return expr;
}

}  // namespace

Simplified simplify_operator(const Expr& expr, const Apply& apply, const std::vector<std::optional<Scalar>>& known) {
  bool infinite =
      std::any_of(known.begin(), known.end(), [](const auto& k) { return k && std::isinf(k->as_double()); });
  bool decides = true;
  if (infinite) {  // rare, and what follows looks at whole operands
    std::vector<std::optional<Scalar>> fills;
    for (const Expr& operand : apply.operands) {
      const Literal* literal = operand.as<Literal>();
      fills.push_back(literal ? std::optional(literal->value) : fill_of(operand));
    }
    decides = decides_alone(apply.op, fills);
  }
  return simplify(apply.op, known, expr.type(), decides);
}

Expr substitute_fill(const Expr& expr, const std::function<bool(const Access&)>& absent) {
  if (const Access* access = expr.as<Access>()) {
    return absent(*access) ? structural(access->tensor.fill(), expr.span()) : expr;
  }
  Expr done = map_children(expr, [&](const Expr& child) { return substitute_fill(child, absent); });
  return done.same_as(expr) ? expr : simplify_node(done);
}

Expr simplify(const Expr& expr) { return simplify_node(map_children(expr, simplify)); }

namespace {

/// Is one coordinate selected for each value of the other indices, by a reduction over all of them?
bool selects_one(const Access& access, const std::vector<IndexVar>& reduced) {
  const Selection* selection = access.tensor.selection();
  return selection && !selection->padded && contains(reduced, access.indices.back());
}

/// Outside of a tensor that is read with padding, everything is absent, unless all of it is a plain array.
bool may_be_outside(const Access& access) {
  return !access.tensor.format().is_dense() &&
         std::any_of(access.indices.begin(), access.indices.end(),
                     [](const IndexVar& index) { return index.map() && index.map()->padded; });
}

}  // namespace

std::optional<Scalar> fill_of(const Expr& expr) {
  std::vector<IndexVar> reduced;
  for_each(expr, [&](const Expr& e) {
    if (const Reduce* reduce = e.as<Reduce>()) reduced.insert(reduced.end(), reduce->vars.begin(), reduce->vars.end());
  });
  Expr left = substitute_fill(with_conditions(expr), [&](const Access& access) {
    return (access.tensor.may_be_absent() || may_be_outside(access)) && !selects_one(access, reduced);
  });
  return structural_value(left);
}

}  // namespace filigree::notation
