#include "concrete/merge_reductions.h"

#include <algorithm>

namespace filigree::concrete {
namespace {

using notation::Apply;
using notation::Expr;
using notation::Reduce;

/// Built from operands by operators that make no infinity out of finite numbers, for which x * 0 + y * 0
/// would no longer be (x + y) * 0.  An operand whose fill is infinite may hold it as padding, and inf may be written.
bool is_product_of_operands(const Expr& expr) {
  bool has_operand = false, tame = true;
  notation::for_each(expr, [&](const Expr& e) {
    const notation::Access* access = e.as<notation::Access>();
    has_operand |= access != nullptr;
    tame &= !access || access->tensor.fill().is_finite();
    const notation::Literal* literal = e.as<notation::Literal>();
    tame &= !literal || literal->value.is_finite();
    const Apply* apply = e.as<Apply>();
    tame &= !apply || apply->op == Operator::Multiply || apply->op == Operator::Add ||
            apply->op == Operator::Subtract || apply->op == Operator::Negate || apply->op == Operator::Conjugate;
  });
  return has_operand && tame;
}

/// May `other` be computed inside the loops of `reduce`?
bool fits_inside(const Expr& other, const Reduce& reduce) {
  std::vector<IndexVar> body = notation::index_vars(reduce.body), vars = notation::index_vars(other);
  return std::all_of(vars.begin(), vars.end(),
                     [&](const IndexVar& v) { return contains(body, v) && !contains(reduce.vars, v); });
}

Expr merge_apply(const Expr& expr, const Apply& apply) {
  if (apply.operands.size() != 2) return expr;
  for (size_t side : {0, 1}) {
    const Reduce* reduce = apply.operands[side].as<Reduce>();
    if (!reduce || reduce->workspace || !distributes_over(apply.op, reduce->op, expr.type())) continue;
    // Where absence annihilates nothing, the other operand would only be computed more often.
    if (!annihilated(apply.op, static_cast<int>(1 - side), Scalar(expr.type()), expr.type())) continue;
    const Expr& other = apply.operands[1 - side];
    if (!is_product_of_operands(other) || !fits_inside(other, *reduce) || expr.type() != apply.operands[side].type())
      continue;
    std::vector<Expr> operands = apply.operands;
    operands[side] = reduce->body;
    Expr body(Apply{apply.op, operands}, expr.span());
    if (body.type() != expr.type()) continue;  // a sum of bools is wider than they are
    return merge_reductions(Expr(Reduce{reduce->op, reduce->vars, body}, expr.span()));
  }
  return expr;
}

Expr merge_reduce(const Expr& expr, const Reduce& reduce) {
  const Reduce* inner = reduce.body.as<Reduce>();
  if (!inner || inner->workspace || inner->op != reduce.op) return expr;
  std::vector<IndexVar> vars = reduce.vars;
  vars.insert(vars.end(), inner->vars.begin(), inner->vars.end());
  return Expr(Reduce{reduce.op, vars, inner->body, reduce.workspace}, expr.span());
}

}  // namespace

Expr merge_reductions(const Expr& expr) {
  Expr done = notation::map_children(expr, merge_reductions);
  if (const Apply* apply = done.as<Apply>()) return merge_apply(done, *apply);
  if (const Reduce* reduce = done.as<Reduce>()) return merge_reduce(done, *reduce);
  return done;
}

}  // namespace filigree::concrete
