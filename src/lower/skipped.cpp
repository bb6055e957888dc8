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
  ir::Expr extent = lowerer_.parameters_.extent(lattice_.var);
  if (facts(*assign.op).idempotent) {
    ir::Expr any = ir::less(*visited_, extent);
    for (const IndexVar& var : skipped.vars) any = ir::both(any, ir::Apply{Operator::Greater, {lowerer_.parameters_.extent(var), ir::integer(0)}});
    Scope scope = scope_;
    scope.may_leave = false;
    return ir::if_then(any, lowerer_.lower_assign(assign, scope).code);
  }
  ir::Expr count = ir::subtract(extent, *visited_);
  for (const IndexVar& var : skipped.vars) count = ir::multiply(count, lowerer_.parameters_.extent(var));
  ir::Var number = ir::int64_var(lattice_.var.name() + "_skipped");
  Scope scope = scope_;
  scope.may_leave = false;
  ir::Expr value = together(*assign.op, assign.rhs.as<notation::Literal>()->value, number, assign.lhs.tensor.type());
  return ir::block({ir::declare(number, count), ir::if_then(ir::Apply{Operator::Greater, {number, ir::integer(0)}}, lowerer_.write(assign.lhs, assign.op, value, scope))});
}

}  // namespace filigree::lower
