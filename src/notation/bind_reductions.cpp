#include "notation/bind_reductions.h"

#include "notation/check.h"
#include "notation/sum_places.h"
#include "notation/unclear_sum.h"

namespace filigree::notation {
namespace {

/// A reduction of what its variable does not occur in is wrong wherever sums stand, and no spelling of these would mend
/// it.  Sums of it are counted.
void check_reductions(const Statement& statement) {
  for_each(statement.rhs, [&](const Expr& expr) {
    const Reduce* reduce = expr.as<Reduce>();
    if (!reduce || reduce->op == Operator::Add) return;
    std::vector<IndexVar> used = index_vars(reduce->body);
    for (const IndexVar& var : reduce->vars) {
      if (contains(used, var)) continue;
      UserError error = reduced_but_not_used(var.name());
      if (statement.source) throw std::move(error).at(statement.source, expr.span());
      throw error;
    }
  });
}

}  // namespace

Statement bind_reductions(const Statement& statement) {
  std::vector<IndexVar> right_only = summed_vars(statement);
  if (right_only.empty()) return statement;
  Statement bound = statement;
  bool sums = !statement.op || *statement.op == Operator::Add || *statement.op == Operator::Subtract;
  if (sums) {
    PlacedSums placed = place_sums(statement.rhs, right_only);
    if (placed.barriers > 0) {
      check_reductions(statement);
      throw unclear_sum(statement, placed);
    }
    bound.rhs = placed.expr;
  } else {
    // What divides one after the other divides as a product.
    Operator by = statement.op == Operator::Divide ? Operator::Multiply : *statement.op;
    bound.rhs = Expr(Reduce{by, right_only, statement.rhs}, statement.rhs.span());
  }
  return bound;
}

}  // namespace filigree::notation
