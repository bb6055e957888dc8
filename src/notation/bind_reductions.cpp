// Each variable's place is found from the top: a node with the variable in two operands, or an access, is the
// smallest subexpression that holds its uses; + and - hand it on to every operand that uses it.
//
//   M(i,k)*(I(i,j)*W(j,k) + b(k))       k: both factors use it     -> sum(k, M(i,k)*(...))
//                                       j: only the right one, then only the first term
//                                                                  -> sum(j, I(i,j)*W(j,k))
#include "notation/bind_reductions.h"

#include <algorithm>
#include <unordered_map>

namespace filigree::notation {
namespace {

using Vars = std::vector<IndexVar>;

Vars without(const Vars& vars, const Vars& removed) {
  Vars rest;
  for (const IndexVar& var : vars) {
    if (!contains(removed, var)) rest.push_back(var);
  }
  return rest;
}

class SumBinder {
 public:
  /// `expr` with each of `pending` summed.  Requires: `expr` uses all of them freely.
  Expr bind(const Expr& expr, const Vars& pending) {
    if (pending.empty()) return expr;
    Vars here = match(
        expr, [](const Literal&) { return Vars{}; }, [&](const Access&) { return pending; }, [&](const Coordinate&) { return pending; },
        [&](const Apply& apply) {
          bool chain = apply.op == Operator::Add || apply.op == Operator::Subtract;
          return chain ? Vars{} : used_twice(apply, pending);
        },
        [](const Reduce&) { return Vars{}; });
    Vars below = without(pending, here);
    Expr body = below.empty() ? expr : map_children(expr, [&](const Expr& child) {
      const Vars& used = uses(child);
      Vars handed;
      for (const IndexVar& var : used) {
        if (contains(below, var)) handed.push_back(var);
      }
      return bind(child, handed);
    });
    if (here.empty()) return body;
    return Expr(Reduce{Operator::Add, std::move(here), body}, expr.span());
  }

  /// The free variables of `expr` in order of appearance; remembered per node, so that long chains stay linear.
  const Vars& uses(const Expr& expr) {
    auto known = uses_.find(&expr.kind());
    if (known != uses_.end()) return known->second;
    Vars vars = match(
        expr, [](const Literal&) { return Vars{}; }, [](const Access& access) { return free_of(access.indices); },
        [](const Coordinate& coordinate) { return Vars{coordinate.var}; },
        [&](const Apply& apply) {
          std::vector<const Vars*> parts;
          for (const Expr& operand : apply.operands) parts.push_back(&uses(operand));
          return merge(parts);
        },
        [&](const Reduce& reduce) { return without(uses(reduce.body), reduce.vars); });
    return uses_.emplace(&expr.kind(), std::move(vars)).first->second;
  }

 private:
  static Vars merge(const std::vector<const Vars*>& parts) {
    Vars all;
    for (const Vars* part : parts) {
      for (const IndexVar& var : *part) {
        if (!contains(all, var)) all.push_back(var);
      }
    }
    return all;
  }

  Vars used_twice(const Apply& apply, const Vars& pending) {
    Vars twice;
    for (const IndexVar& var : pending) {
      auto count = std::count_if(apply.operands.begin(), apply.operands.end(),
                                 [&](const Expr& operand) { return contains(uses(operand), var); });
      if (count > 1) twice.push_back(var);
    }
    return twice;
  }

  // Keyed by node; the statement being bound keeps its nodes alive.  References stay valid as it grows.
  std::unordered_map<const ExprKind*, Vars> uses_;
};

}  // namespace

Statement bind_reductions(const Statement& statement) {
  SumBinder binder;
  Vars right_only = without(binder.uses(statement.rhs), free_of(statement.lhs.indices));
  if (right_only.empty()) return statement;
  Statement bound = statement;
  bool sums = !statement.op || *statement.op == Operator::Add || *statement.op == Operator::Subtract;
  // What divides one after the other divides as a product.
  Operator by = statement.op == Operator::Divide ? Operator::Multiply : statement.op.value_or(Operator::Add);
  bound.rhs = sums ? binder.bind(statement.rhs, right_only) : Expr(Reduce{by, right_only, statement.rhs}, statement.rhs.span());
  return bound;
}

}  // namespace filigree::notation
