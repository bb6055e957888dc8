// Reductions over coordinates that no loop visits: each adds the same constant, so their number is enough.
//
//   t = max_over(k, B(i,k))            if (k_visited < k_size) t = max(t, 0)
//   t = sum(k, B(i,k)), fill 2         t += (k_size - k_visited) * 2
#include "lower/lattice_loops.h"

namespace filigree::lower {
namespace {

/// What `count` points, at each of which there is `value`, come to.  Requires: `op` is one of skipped_points'.
ir::Expr together(Operator op, const Scalar& value, const ir::Expr& count, ElementType type) {
  if (op == Operator::Xor) return ir::equal(ir::remainder(count, ir::integer(2)), ir::integer(1));
  if (op == Operator::Add) return ir::Apply{Operator::Multiply, {ir::convert(count, type), ir::constant(value.cast(type))}};
  // Exponents need room, and what wraps wraps in the end.
  ElementType wide = is_floating(type) ? ElementType::Float64 : type == ElementType::UInt64 ? type : ElementType::Int64;
  ir::Expr power = ir::Apply{Operator::Power, {ir::constant(value.cast(type).cast(wide)), ir::convert(count, wide)}};
  return ir::convert(power, type);
}

}  // namespace

ir::Stmt LatticeLoops::make_up_for_skipped() {
  if (!visited_) return {};
  lattice::SkippedPoints skipped = *lattice::skipped_points(*lattice_.skipped);
  const concrete::Assign& assign = skipped.assign;
  std::vector<ir::Expr> factors = {ir::subtract(lowerer_.parameters_.extent(lattice_.var), *visited_)};
  for (const IndexVar& var : skipped.vars) factors.push_back(lowerer_.parameters_.extent(var));
  ir::Expr any = ir::less(*visited_, lowerer_.parameters_.extent(lattice_.var));
  for (size_t n = 1; n < factors.size(); n++) any = ir::both(any, ir::Apply{Operator::Greater, {factors[n], ir::integer(0)}});
  Scope scope = scope_;
  scope.may_leave = false;
  if (facts(*assign.op).idempotent) return ir::if_then(any, lowerer_.lower_assign(assign, scope).code);
  ElementType type = assign.lhs.tensor.type();
  // Several extents together may be more than 64 bits hold, where only integers wrap.
  bool may_wrap = factors.size() > 1 && (is_floating(type) || is_complex(type));
  ir::Var number(lattice_.var.name() + "_skipped", ir::scalar(may_wrap ? ElementType::Float64 : ElementType::Int64));
  ir::Expr count = ir::convert(factors[0], number.type().element);
  for (size_t n = 1; n < factors.size(); n++) count = ir::Apply{Operator::Multiply, {count, ir::convert(factors[n], number.type().element)}};
  ir::Expr value = together(*assign.op, assign.rhs.as<notation::Literal>()->value, number, type);
  if (factors.size() == 1) any = ir::Apply{Operator::Greater, {number, ir::integer(0)}};
  return ir::block({ir::declare(number, count), ir::if_then(any, lowerer_.write(assign.lhs, assign.op, value, scope))});
}

}  // namespace filigree::lower
