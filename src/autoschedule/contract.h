// Products of many operands as several statements: which operands meet first, by dynamic programming on estimates.
//
//   G(p,q,r) = sum(i, j, k, T(i,j,k)*A(i,p)*B(j,q)*C(k,r))
//
//   w(i,j,r) = sum(k, T(i,j,k)*C(k,r));  w2(i,q,r) = sum(j, w(i,j,r)*B(j,q));  G(p,q,r) = sum(i, w2(i,q,r)*A(i,p))
#pragma once

#include <vector>

#include "autoschedule/measure.h"
#include "autoschedule/problem.h"

namespace filigree::autoschedule {

/// A statement as several: each assigns a temporary, and the last one the result.
struct Split {
  std::vector<notation::Statement> statements;
  std::map<std::string, double> stored;  // components of each temporary, as far as can be told
  double guess = 0;                      // tasks, by sizes alone
};

/// The best ways to compute a product, or its reduction, in several statements; those that seem to take the fewest
/// tasks first, and at most `most`.  None if the right side is something else, there are more than `most_factors`
/// factors, or types differ.
///  * What a part reduces, it reduces at once: an index that neither the result nor another operand has.
///  * A temporary stores exactly the components that its operands reach.  Dimensions of which that is all, under each
///    coordinate of the others, are dense levels; the others come first, in levels that suit how many there are.
/// `inputs` are those of problem.statement.
std::vector<Split> splits(const Problem& problem, const KnownInputs& inputs, size_t most = 6);
constexpr size_t most_factors = 8;

/// `split` with the dimensions of the temporary of statement number `n` in other orders, in which what is sparse stays
/// in front, and with other levels for its rows.  At most `most` of them.
std::vector<Split> variants(const Split& split, size_t n, size_t most = 6);

}  // namespace filigree::autoschedule
