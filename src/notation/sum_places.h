// Where the sums may stand that an expression leaves to be implied.
//
// A variable's sum moves from the top towards its uses.  Chains of + and - hand it on to every term that uses the
// variable; factors, numerators and signs let it through.  It has arrived at an access, or at a product that joins it:
// several factors use the variable, and at least one of them not only below a barrier.  A *barrier* is everything else
// on its way: inside and outside of it are different sums.
//
//   A(i,j)*exp(x(j))         no barrier: the product joins its factors        sum(j, A(i,j)*exp(x(j)))
//   sqrt(r(i)^2)             two, and so three places for the sum over i      sum(i, sqrt(r(i)^2)), sqrt(sum(i,
//   r(i)^2)), sqrt(sum(i, r(i))^2) B(i,j)/c(j)              one: the quotient                                sum(j,
//   B(i,j)/c(j)), sum(j, B(i,j))/sum(j, c(j))
#pragma once

#include <limits>
#include <optional>

#include "notation/notation.h"

namespace filigree::notation {

/// The variables that are on the right only and that no reduction binds, in order of appearance.
std::vector<IndexVar> summed_vars(const Statement& statement);

/// The outermost barrier on the way of a sum that stands first in the text.
struct Barrier {
  Expr expr;
  std::vector<IndexVar> blocked;  // the variables whose sums cannot pass
  std::vector<IndexVar> summed;   // all whose sums come this far
};

struct PlacedSums {
  Expr expr;         // with the sums in it
  int barriers = 0;  // the most that were passed on the way to one of them
  std::optional<Barrier> first = {};
};

constexpr int all_barriers = std::numeric_limits<int>::max();

/// `expr` with a sum over each of `vars`, which passes at most `limit` barriers on the way to each use.
/// Requires: `expr` uses all of them freely.
PlacedSums place_sums(const Expr& expr, const std::vector<IndexVar>& vars, int limit = all_barriers);

}  // namespace filigree::notation
