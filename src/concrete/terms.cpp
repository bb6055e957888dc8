// Parts of an expression that are computed on their own: terms of long sums one after the other, reductions into
// temporaries.
#include <functional>

#include <fmt/format.h>

#include "concrete/concretizer.h"
#include "concrete/loop_order.h"
#include "concrete/unions.h"
#include "concrete/workspace.h"
#include "notation/substitute.h"

namespace filigree::concrete {
using notation::Reduce;

Stmt Concretizer::in_sequence(const Access& lhs, std::optional<Operator> op, const Expr& rhs, const Vars& bound) {
  LoopOrderProblem problem{bound, nest_vars(lhs, rhs, bound), notation::accesses(rhs), stand_in(lhs), {}, {}};
  for (Access& access : problem.operands) access = stand_in(access);
  Vars prefix, order = choose_order(problem, *requests_.policy);
  Expr as_read = with_copies(rhs, concat(bound, order));
  for (const IndexVar& var : order) {
    if (!contains(lhs.indices, var) || union_points(as_read, var, limits_) > 0) break;
    prefix.push_back(var);
  }
  std::vector<Stmt> statements;
  std::vector<Expr> terms = additive_terms(rhs);
  std::erase_if(terms, is_zero);  // it would only make every component present
  if (terms.size() == 1) return nest(lhs, op, terms[0], bound, {});
  for (const Expr& term : terms) {
    statements.push_back(nest(lhs, Operator::Add, term, concat(bound, prefix), {}));
  }
  environment_.remarks.push_back(fmt::format(
      "the {} terms of '{}' are added one after the other: a loop over their union would need a case for every subset",
      terms.size(), lhs.tensor.name()));
  return foralls(prefix, Sequence{statements});
}

std::optional<Expr> Concretizer::marked_for_copies(const Expr& rhs, const Vars& path) {
  std::map<TensorVar, Expr> originals;
  Expr as_read = with_copies(rhs, path, originals);
  if (originals.empty() || !is_oversized(as_read, limits_)) return std::nullopt;
  std::function<Expr(const Expr&)> as_written = [&](const Expr& e) -> Expr {
    const Access* access = e.as<Access>();
    auto found = access ? originals.find(access->tensor) : originals.end();
    return found != originals.end() ? found->second : notation::map_children(e, as_written);
  };
  return as_written(mark_unions(as_read, limits_));
}

Expr Concretizer::extract_terms(const Expr& rhs, const Expr& whole, const Vars& bound, const Vars& order,
                                std::vector<Term>& terms) {
  if (const Reduce* reduce = rhs.as<Reduce>()) {
    terms.push_back(reduce->workspace ? make_asked_term(rhs, bound, order) : make_term(rhs, whole, bound, order));
    return Expr(terms.back().temporary, rhs.span());
  }
  return notation::map_children(rhs,
                                [&](const Expr& child) { return extract_terms(child, whole, bound, order, terms); });
}

std::vector<Access> Concretizer::guards_of(const Expr& expr, const Expr& whole) {
  std::vector<Access> inside = notation::accesses(expr), guards;
  auto is_inside = [&](const Access& access) {
    return std::any_of(inside.begin(), inside.end(), [&](const Access& own) { return own.tensor == access.tensor; });
  };
  auto is_dense = [](const Access& access) { return access.tensor.format().is_dense() && !access.tensor.condition(); };
  if (!std::all_of(inside.begin(), inside.end(), is_dense)) return guards;
  for (const Access& access : notation::accesses(whole)) {
    if (access.tensor.condition() || is_dense(access) || is_inside(access)) continue;
    Expr without = notation::substitute_fill(whole, [&](const Access& a) { return a.tensor == access.tensor; });
    std::vector<Access> left = notation::accesses(without);
    if (std::none_of(left.begin(), left.end(), is_inside)) guards.push_back(stand_in(access));
  }
  return guards;
}

std::optional<Scalar> Concretizer::absent_value(const Expr& expr) {
  std::function<Expr(const Expr&)> without_inner = [&](const Expr& e) -> Expr {
    if (const Reduce* inner = e.as<Reduce>()) return Expr(notation::Literal{absent_value(*inner, e.type()), true});
    return notation::map_children(e, without_inner);
  };
  std::optional<Scalar> fill = notation::fill_of(expr);
  return fill ? fill : notation::fill_of(notation::simplify(notation::map_children(expr, without_inner)));
}

Scalar Concretizer::absent_value(const Reduce& reduce, ElementType type) {
  Scalar start = identity(reduce.op, type).value_or(Scalar(type));
  return absent_value(Expr(Reduce{reduce.op, reduce.vars, reduce.body})).value_or(start).cast(type);
}

namespace {

/// Is there a reduction in it that does not depend on the variable?  In a loop over that, it would be done again and
/// again.
bool repeats_inside(const Expr& expr, const IndexVar& var) {
  bool repeats = false;
  notation::for_each(expr, [&](const Expr& e) {
    const Reduce* inner = e.as<Reduce>();
    repeats = repeats || (inner && !inner->vars.empty() && !contains(notation::free_vars(e), var));
  });
  return repeats;
}

}  // namespace

Term Concretizer::make_term(const Expr& expr, const Expr& whole, const Vars& bound, const Vars& consumer_order) {
  const Reduce& reduce = *expr.as<Reduce>();
  Vars free = without(in_parts(notation::free_vars(expr)), bound);
  Vars vars = free;
  append_new(vars, in_parts(reduce.vars));
  TensorVar shape("shape", expr.type(), workspace_format(static_cast<int>(free.size())));
  LoopOrderProblem problem{bound, vars,           notation::accesses(reduce.body),     Access{shape, free},
                           {},    consumer_order, skips_matter(reduce.op, reduce.body)};
  for (Access& access : problem.operands) access = stand_in(access);
  problem.before = around_workspaces(reduce.body);
  problem.wishes = wished_orders(reduce.body, vars);
  problem.links = guards_of(expr, whole);
  Vars order = choose_order(problem, *requests_.policy);
  // What is walked as it is stored shares no loop.
  Access any{TensorVar("any", expr.type(), Format(), absent_value(reduce, expr.type())), {}};
  bool walks = walked_operand(any, reduce.vars.empty() ? std::nullopt : std::optional(reduce.op), reduce.body, bound)
                   .has_value();
  if (walks) order.clear();
  size_t depth = 0;
  // A part that was marked to keep unions small shares no loop in which its operands would meet the others.
  Vars kept_inside;
  for (const auto& [around, inside] : around_workspaces(reduce.body)) kept_inside.push_back(inside);
  Expr as_read = with_copies(reduce.body, concat(bound, order));
  auto may_share = [&](const IndexVar& var) {
    return !contains(kept_inside, var) && !repeats_inside(reduce.body, var) &&
           (reduce.vars.empty() ? union_points(as_read, var, limits_) == 0 : !is_oversized_inside(expr, var, limits_));
  };
  while (depth < order.size() && depth < consumer_order.size() && order[depth] == consumer_order[depth] &&
         may_share(order[depth]))
    depth++;
  Vars around(consumer_order.begin(), consumer_order.begin() + depth);
  Vars indices;  // in the consumer's order, so that it reads the temporary in order
  for (const IndexVar& var : consumer_order) {
    if (contains(free, var) && !contains(around, var)) indices.push_back(var);
  }
  Scalar fill = absent_value(reduce, expr.type());
  int rank = static_cast<int>(indices.size());
  // Of what is computed for every coordinate, each has a place of its own.
  bool is_full = !notation::fill_of(expr);
  TensorVar temporary = rank == 0 && !is_full ? TensorVar::optional_scalar(names_.make("t"), expr.type(), fill)
                                              : TensorVar(names_.make(rank == 0 ? "t" : "w"), expr.type(),
                                                          is_full ? Format::dense(rank) : workspace_format(rank), fill);
  Access access{temporary, indices};
  std::optional<Operator> op = reduce.vars.empty() ? std::nullopt : std::optional(reduce.op);
  if (rank > 0) {
    environment_.remarks.push_back(fmt::format("'{}' is computed into the workspace '{}' over {}",
                                               notation::to_string(expr), temporary.name(), names(indices)));
  }
  // Accumulating by the reduction's operator is right only from its identity; a temporary with
  // another fill is unwritten where nothing was reduced, and then reads as that fill.
  return {access, nest(access, op, reduce.body, concat(bound, around), {}), depth};
}

}  // namespace filigree::concrete
