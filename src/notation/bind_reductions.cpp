#include "notation/bind_reductions.h"

#include "notation/sum_places.h"
#include "notation/unclear_sum.h"

namespace filigree::notation {

Statement bind_reductions(const Statement& statement) {
  std::vector<IndexVar> right_only = summed_vars(statement);
  if (right_only.empty()) return statement;
  Statement bound = statement;
  bool sums = !statement.op || *statement.op == Operator::Add || *statement.op == Operator::Subtract;
  if (sums) {
    PlacedSums placed = place_sums(statement.rhs, right_only);
    if (placed.barriers > 0) throw unclear_sum(statement, placed);
    bound.rhs = placed.expr;
  } else {
    // What divides one after the other divides as a product.
    Operator by = statement.op == Operator::Divide ? Operator::Multiply : *statement.op;
    bound.rhs = Expr(Reduce{by, right_only, statement.rhs}, statement.rhs.span());
  }
  return bound;
}

}  // namespace filigree::notation
