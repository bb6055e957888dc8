// Reductions over coordinates that no loop visits: each adds the same constant, so their number is enough.
//
//   t = max_over(k, B(i,k))            if (k_visited < k_size) t = max(t, 0)
//   t = sum(k, B(i,k)), fill 2         t += (k_size - k_visited) * 2
#include "lower/lattice_loops.h"

namespace filigree::lowering {
namespace {

/// What as many points come to as the product of `counts`, each of these positive, if there is `value` at each of them.
/// All together they may be more than 64 bits hold.  Requires: `op` is one of skipped_points'.
ir::Expr together(Operator op, const Scalar& value, const std::vector<ir::Expr>& counts, ElementType type) {
  if (op == Operator::Xor) {
    ir::Expr odd = ir::boolean(true);
    for (const ir::Expr& count : counts)
      odd = ir::both(odd, ir::equal(ir::remainder(count, ir::integer(2)), ir::integer(1)));
    return odd;
  }
  // Numbers need room, and what wraps wraps in the end.
  bool wraps = !is_floating(type) && !is_complex(type);
  ElementType wide = !wraps ? ElementType::Float64 : type == ElementType::UInt64 ? type : ElementType::Int64;
  if (op == Operator::Add) {
    ir::Expr count = ir::convert(counts[0], counts.size() == 1 ? type : wide);
    for (size_t n = 1; n < counts.size(); n++)
      count = ir::Apply{Operator::Multiply, {count, ir::convert(counts[n], wide)}};
    return ir::Apply{Operator::Multiply, {ir::convert(count, type), ir::constant(value.cast(type))}};
  }
  ir::Expr power = ir::constant(value.cast(type).cast(wide));
  for (const ir::Expr& count : counts) power = ir::Apply{Operator::Power, {power, ir::convert(count, wide)}};
  return ir::convert(power, type);
}

}  // namespace

ir::Stmt LatticeLoops::make_up_for_skipped() {
  if (!visited_) return {};
  lattice::SkippedPoints skipped = *lattice::skipped_points(*lattice_.skipped);
  const concrete::Assign& assign = skipped.assign;
  Scope scope = scope_;
  scope.may_leave = false;
  std::vector<ir::Expr> inside;
  for (const IndexVar& var : skipped.vars) inside.push_back(lowerer_.parameters_.extent(var));
  auto if_any = [&](ir::Expr any, const ir::Stmt& then) {
    for (const ir::Expr& extent : inside) any = ir::both(any, ir::Apply{Operator::Greater, {extent, ir::integer(0)}});
    return ir::if_then(any, then);
  };
  ir::Expr extent = lowerer_.parameters_.extent(lattice_.var);
  if (facts(*assign.op).idempotent)
    return if_any(ir::less(*visited_, extent), lowerer_.lower_assign(assign, {}, scope));
  ir::Var number = ir::int64_var(lattice_.var.name() + "_skipped");
  std::vector<ir::Expr> counts = {number};
  counts.insert(counts.end(), inside.begin(), inside.end());
  ir::Expr value = together(*assign.op, assign.rhs.as<notation::Literal>()->value, counts, assign.lhs.tensor.type());
  return ir::block({ir::declare(number, ir::subtract(extent, *visited_)),
                    if_any(ir::Apply{Operator::Greater, {number, ir::integer(0)}},
                           lowerer_.write(assign.lhs, assign.op, value, scope))});
}

}  // namespace filigree::lowering
